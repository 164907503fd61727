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

/// $ is the collection, along which xs may walk. T asks whether it ends, I looks at it, N is what follows it.
constexpr std::array kWalks{
    "(loop [xs $ n 0 out []] (if (or T (> n 6)) [xs n out] (recur N (inc n) (conj out I))))",
    "(loop [xs (seq $) n 0 out []] (if (and xs (< n 6)) (recur N (inc n) (conj out I)) [xs n out]))",
    "(loop [[x & xs] $ n 0] (if (or (nil? x) T (> n 6)) [x xs n] (recur N (inc n))))",
    "(loop [xs $ ys [5 6 7] out []] (cond T [:x ys out] (empty? ys) [xs out] :else (recur N (rest ys) (conj out I "
    "(first ys)))))",
    "(loop [xs $ n 0 out []] (if (> n 4) [out xs (first xs)] (let [more N] (recur (if (odd? n) xs more) (inc n) (conj "
    "out I)))))",
    "(loop [xs $ n 0 out []] (if (or T (> n 6)) [xs out] (let [y I more N] (println y) (recur more (inc n) (conj out "
    "y)))))",
    "(loop [xs $ n 0] (if-let [s (seq xs)] (if (> n 5) (conj s 1) (recur (rest s) (inc n))) [n xs]))",
    "(loop [xs $ n (count xs) out '()] (when-not (> n 20) (if T (into out xs) (recur N (inc n) (cons I out)))))",
    "((fn [xs n out] (cond (> n 6) [xs out] T out :else (recur N (inc n) (conj out I)))) $ 0 [])",
    "((fn walk [xs out] (if T [xs out] (if (> (count out) 5) (walk [] out) (recur N (conj out I))))) $ [])",
    "(loop [xs $ n 0 out []] (if (or T (> n 3)) [xs out] (recur N (inc n) (loop [ys xs o out] (if (or (empty? ys) (> "
    "(count o) 9)) o (recur (rest ys) (conj o (first ys))))))))",
    "(loop [xs $ seen #{} n 0] (if (or T (> n 6)) [seen xs] (recur N (conj seen I) (inc n))))",
    "(loop [xs $ n 0] (if (or T (> n 6)) (map str xs) (recur N (let [f (fn [] xs)] (f) (inc n)))))"};
constexpr std::array kEnded{"(empty? xs)",
                            "(not (seq xs))",
                            "(nil? xs)",
                            "(not xs)",
                            "(nil? (first xs))",
                            "(empty? (rest xs))",
                            "(nil? (next xs))",
                            "(= (first xs) 2)",
                            "(or (empty? xs) (= 4 (first xs)))",
                            "(and (seq xs) (nil? (first xs)))",
                            "(if xs (empty? xs) true)",
                            "(not (and (seq xs) (next xs)))"};
constexpr std::array kNexts{"(rest xs)",
                            "(next xs)",
                            "(rest xs)",
                            "(next xs)",
                            "(rest (rest xs))",
                            "(nnext xs)",
                            "(drop 1 xs)",
                            "(rest (next xs))",
                            "(if (odd? (count xs)) (rest xs) (next xs))",
                            "(let [[_ & more] xs] more)",
                            "(let [[_ _ & more] xs] more)"};
constexpr std::array kLooks{"(first xs)",
                            "(first xs)",
                            "(second xs)",
                            "(first (rest xs))",
                            "(let [[a b] xs] [a b])",
                            "(empty? xs)",
                            "(if (seq xs) 1 2)",
                            "(inc (first xs))",
                            "n",
                            "(boolean (next xs))",
                            "(str (first xs))",
                            "(nth xs 0 :none)",
                            "(count xs)",
                            "(first (next xs))",
                            "(let [[a & b] xs] [a (first b)])"};

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
        const bool is_hole =
            i > 0 && (pattern[i - 1] == ' ' || pattern[i - 1] == '(') &&
            (i + 1 == pattern.size() || pattern[i + 1] == ' ' || pattern[i + 1] == ')' || pattern[i + 1] == ']');
        if (pattern[i] == '$')
            text += coll;
        else if (pattern[i] == 'F' && is_hole)
            text += dice.pick(kFunctions);
        else if (pattern[i] == 'P' && is_hole)
            text += dice.pick(kTests);
        else if (pattern[i] == 'T' && is_hole)
            text += dice.pick(kEnded);
        else if (pattern[i] == 'N' && is_hole)
            text += dice.pick(kNexts);
        else if (pattern[i] == 'I' && is_hole)
            text += dice.pick(kLooks);
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

std::string walking_loop(std::uint64_t seed) {
    Dice dice(seed);
    std::string coll(dice.pick(kSources));
    for (std::uint32_t left = dice.below(2); left > 0; --left)
        coll = fill(dice, dice.pick(kStages), coll);
    const std::string loop = fill(dice, dice.pick(kWalks), coll);
    return "(defn known [x] (if (number? x) (* x x) 0))\n(def xs [4 2 6 2])\n(def cell (atom 0))\n(let [k 3 n 1] "
           "(println " +
           loop + "))\n";
}

} // namespace ptc::test
