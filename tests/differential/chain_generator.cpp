// Chains of loops at random: what the compiler puts together, with everything in them that it must not put together.
#include "tests/differential/program_generator.h"
#include <array>

namespace ptc::test {
namespace {

constexpr std::array kSources{"[3 1 2 5 4]",
                              "[]",
                              "(range 9)",
                              "[1.5 -0.0 7 nil 2]",
                              "{:a 1 :b 2}",
                              "#{4 5 6}",
                              "\"abc\"",
                              "nil",
                              "[1 \"two\" 3]",
                              "[[1 2] [3 4] []]",
                              "[{:n 1 :k \"a\"} {:n 2 :k \"b\"} {:k \"c\"}]",
                              "'(9 8 7)",
                              "7",
                              "(map inc [1 2 3])",
                              "xs",
                              "(range 2 20 3)",
                              "[-0.0 -0.0]",
                              "(for [i (range 4) j (range i)] [i j])",
                              "(partition 2 1 (range 6))"};
constexpr std::array kFunctions{"inc",
                                ":n",
                                "str",
                                "count",
                                "first",
                                "(fn [x] (* x 2))",
                                "(fn [x] (do (println \"f\" x) x))",
                                "#(if (> % 2) % nil)",
                                "(fn [x] [x k])",
                                "identity",
                                "(fn [x] (/ 12 x))",
                                "#(vector % (str %))",
                                "(fn [[a b]] (+ a b))",
                                "-",
                                "(partial + k)",
                                "(comp str inc)",
                                "(fn [x] (swap! cell inc) x)",
                                "(fn [{:keys [n]}] n)",
                                "(fn [x] (loop [i 0] (if (< i 3) (recur (inc i)) [x i])))",
                                "(fn [x] (fn [] x))",
                                "(fn [x] (reduce + 0 (map inc (range x))))",
                                "known",
                                "abs",
                                "(fn [x] (:n x 5))"};
constexpr std::array kTests{"odd?",
                            "#(> % 2)",
                            "some?",
                            "number?",
                            ":n",
                            "(fn [x] (do (println \"p\" x) true))",
                            "#(pos? (- % 2))",
                            "vector?",
                            "#{1 2 3}",
                            "(fn [x] (contains? x :n))",
                            "(complement nil?)"};
/// $ is the collection, F a function, P a test.
constexpr std::array kStages{"(map F $)",
                             "(map F $)",
                             "(mapv F $)",
                             "(filter P $)",
                             "(remove P $)",
                             "(filterv P $)",
                             "(keep F $)",
                             "(map-indexed (fn [i x] [i x]) $)",
                             "(map-indexed + $)",
                             "(keep-indexed (fn [i x] (when (odd? i) x)) $)",
                             "(take-while P $)",
                             "(drop-while P $)",
                             "(mapcat (fn [x] [x x]) $)",
                             "(mapcat (fn [x] (map inc [1 2])) $)",
                             "(for [x $] (F x))",
                             "(for [x $ :when (P x) y [1 2]] [x y])",
                             "(for [x $ :let [z (F x)] y (filter P [1 2 3]) :while (P z)] y)",
                             "(map vector $ [1 2 3 4])",
                             "(map + $ (map inc [5 6]))",
                             "(map F (vec $))",
                             "(take 3 $)",
                             "(drop 1 $)",
                             "(rest $)",
                             "(reduce (fn [out x] (if (P x) (conj out (F x)) out)) [] $)",
                             "(into [] (map F) $)",
                             "(into [] (comp (filter P) (take 2)) $)",
                             "(let [y 10] (map (fn [x] [x y]) $))",
                             "(sort-by str $)",
                             "(distinct $)",
                             "(reverse $)",
                             "(vec (map F $))"};
constexpr std::array kEnds{"(reduce + $)",
                           "(reduce + 0 $)",
                           "(reduce max $)",
                           "(reduce (fn [a x] (if (P x) (reduced a) (str a x))) \"\" $)",
                           "(reduce (fn [a x] (if (P x) (reduced a) (str a x))) $)",
                           "(reduce conj #{} $)",
                           "(count $)",
                           "(vec $)",
                           "(set $)",
                           "(first $)",
                           "(last $)",
                           "(empty? $)",
                           "(sum $)",
                           "(apply + $)",
                           "(apply max $)",
                           "(apply min $)",
                           "(apply str $)",
                           "(into {} (map (fn [x] [x k])) $)",
                           "(into {} (map (fn [x] [(F x) x]) $))",
                           "(into #{} $)",
                           "(into [] $)",
                           "(some P $)",
                           "(every? P $)",
                           "(not-any? P $)",
                           "(group-by F $)",
                           "(frequencies $)",
                           "(doseq [x $] (println \"d\" x))",
                           "(run! println $)",
                           "$",
                           "(str/join \",\" $)",
                           "(reduce (fn [h x] (+ (* 31 h) (if (number? x) x 1))) 7 $)",
                           "(reduce (fn [m x] (assoc m x (count m))) {} $)",
                           "(second $)",
                           "(avg $)",
                           "(sum-by F $)",
                           "(transduce (map F) conj [] $)",
                           "(reduce-kv (fn [a i x] (conj a [i x])) [] $)",
                           "(nth $ 1 :none)",
                           "(reduce (fn [a x] (do (println \"r\" x) x)) $)",
                           "(zipmap $ (range 5))",
                           "(max-by F $)",
                           "(seq $)"};

class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
    std::uint32_t below(std::uint32_t n) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(state_ >> 33) % n;
    }
    template <std::size_t N> std::string_view pick(const std::array<const char*, N>& from) {
        return from[below(static_cast<std::uint32_t>(N))];
    }

private:
    std::uint64_t state_;
};

std::string fill(Dice& dice, std::string_view pattern, const std::string& coll) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool is_hole = i > 0 && (pattern[i - 1] == ' ' || pattern[i - 1] == '(') &&
                             (i + 1 == pattern.size() || pattern[i + 1] == ' ' || pattern[i + 1] == ')');
        if (pattern[i] == '$')
            text += coll;
        else if (pattern[i] == 'F' && is_hole)
            text += dice.pick(kFunctions);
        else if (pattern[i] == 'P' && is_hole)
            text += dice.pick(kTests);
        else
            text += pattern[i];
    }
    return text;
}

} // namespace

std::string chain_of_loops(std::uint64_t seed) {
    Dice dice(seed);
    std::string coll(dice.pick(kSources));
    for (std::uint32_t left = dice.below(5); left > 0; --left)
        coll = fill(dice, dice.pick(kStages), coll);
    coll = fill(dice, dice.pick(kEnds), coll);
    return "(defn known [x] (if (number? x) (* x x) 0))\n(def xs [4 2 6 2])\n(def cell (atom 0))\n(let [k 3] "
           "(println " +
           coll + "))\n(println @cell)\n";
}

} // namespace ptc::test
