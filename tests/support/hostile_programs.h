// Programs that do one thing again and again, in the loop of the machine, with operands that were made to be dear:
// together they have every instruction that programs have. The price list (bench/price_list.cpp) and the test that
// holds it (tests/subagent/price_list_growth_test.cpp) ask what a unit of fuel buys there.
#pragma once
#include "vm/opcode.h"
#include "vm/program.h"
#include <cstdint>
#include <ptc/ptc.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::test {

/// `body` is done again and again; `i` counts, `acc` is what it gave before, a and b are the operands.
struct HostileProgram {
    const char* a;
    const char* b;
    const char* body;
};

inline constexpr const char* kWide = "(vec (range 300))";
inline constexpr const char* kDeep = "(reduce (fn [v _] [v]) 1 (range 200))";
inline constexpr const char* kPath = "(reduce (fn [v _] [v]) 1 (range 50))"; // as a key of a map, each step is a key
inline constexpr const char* kText = "(apply str (repeat 300 \"x\\u0301\"))";
inline constexpr const char* kLongText = "(apply str (repeat 100000 \"xy\"))";
inline constexpr const char* kMap = "(into {} (map (fn [i] [(str \"key\" i) i]) (range 300)))";
inline constexpr const char* kRecord = "{:k 1 :l 2 :m 3}";
inline constexpr const char* kHuge = "(reduce *' (repeat 300 999999))";
inline constexpr const char* kSet = "(set (map str (range 300)))";
inline constexpr const char* kNothing = "nil";

inline constexpr HostileProgram kHostilePrograms[] = {
    {kNothing, kNothing, "acc"},
    {"3", "5", "(+ a i)"},
    {"2.5", "5", "(- (* a i) (/ i 7) (- i))"},
    {kHuge, "3", "(+ a b)"},
    {kHuge, kHuge, "(- a b)"},
    {kHuge, kHuge, "(* a b)"},
    {kHuge, "12345678901234567", "(quot a b)"},
    {kHuge, "(+ a 1)", "(rem a b)"},
    {kHuge, "1000003", "(mod a b)"},
    {kHuge, kNothing, "(/ a 7)"},
    {kHuge, kNothing, "(quot a 7)"},
    {kHuge, kNothing, "(rem a 7)"},
    {kHuge, kNothing, "(mod a 7)"},
    {kHuge, kNothing, "(dec (inc (- a)))"},
    {kHuge, kNothing, "(* 3 (- (+ a 5) 7))"},
    {kHuge, "(+ a 1)", "[(< a b) (<= a b) (> a b) (>= a b)]"},
    {kHuge, "(+ a 1)", "(cond (< a i) 1 (<= b i) 2 (> i a) 3 (>= i b) 4 (= a b) 5 :else 6)"},
    {kHuge, "(- a)", "(cond (not (< b a)) 1 (not (<= b a)) 2 (not (> a b)) 3 (not (>= a b)) 4 (not= a b) 5 :else 6)"},
    {"7", kNothing, "(cond (< i -5) 1 (<= i -4) 2 (> i 500) 3 (>= i 600) 4 (= i -3) 5 :else 6)"},
    {kWide, "(vec (range 300))", "(= a b)"},
    {kDeep, "(reduce (fn [v _] [v]) 1 (range 200))", "(not= a b)"},
    {kMap, "(into {} (map (fn [i] [(str \"key\" i) i]) (range 300)))", "(= a b)"},
    {kText, "(str a \"y\")", "(< (count [a]) (count [(= a b)]))"},
    {kWide, "(vec (range 300))", "(if (= a b) 1 2)"},
    {kWide, "(conj (vec (range 299)) 0)", "(if (not= a b) 1 2)"},
    {kText, kNothing, "[(nil? a) (some? a) (string? a) (keyword? a) (map? a) (vector? a) (set? a) (not a)]"},
    {kHuge, kNothing, "[(zero? a) (pos? a) (neg? a) (even? a) (odd? a) (number? a) (true? a) (false? a)]"},
    {kHuge, kText, "(if (even? a) (if (empty? b) 1 2) 3)"},
    {kHuge, kText, "(if (not (odd? a)) (if-not (nil? b) 1 2) 3)"},
    {kText, kNothing, "(count a)"},
    {kText, kNothing, "(first a)"},
    {kText, kNothing, "(count (rest a))"},
    {kWide, kNothing, "(first (rest a))"},
    {kText, "299", "(nth a b)"},
    {kWide, "299", "(nth a b)"},
    {kWide, "299", "(nth (conj a 1) b)"},
    {kHuge, "(+ a 1)", "[(min a b) (max a b)]"},
    {kText, "(str a \"y\")", "(count [(min a b) (max b a)])"},
    {kHuge, "(+ a 1)", "[(bit-and a b) (bit-or a b) (bit-xor a b)]"},
    {kHuge, kNothing, "[(bit-and a 255) (bit-or a 7) (bit-xor a 9) (bit-and 255 a) (bit-or 7 a) (bit-xor 9 a)]"},
    {kHuge, "3", "[(bit-shift-left a b) (bit-shift-right a b) (bit-test a b)]"},
    {kHuge, kNothing, "(bit-shift-right (bit-shift-left a 13) 12)"},
    {"4294967295", "4294967291", "(bit-and (* a b) 65535)"},
    {kRecord, kNothing, "(let [s (assoc a :l i)] (assoc s :k (inc (:k s))))"},
    {kMap, "\"key17\"", "(get a b)"},
    {"(set (range 8))", "9", "(contains? a b)"},
    {"(set (range 300))", kWide, "(contains? a b)"},
    {kMap, kPath, "(contains? a b)"},
    {kWide, "-1", "(contains? a b)"},
    {kMap, kPath, "(get a b)"},
    {"{(reduce (fn [v _] [v]) 1 (range 100)) 1}", "(reduce (fn [v _] [v]) 1 (range 100))", "(get a b)"},
    {kMap, kPath, "(get a b :none)"},
    {kRecord, kNothing, "(+ (:k a) (:l a) (:m a))"},
    {kMap, kNothing, "(:k a 7)"},
    {"{\"k\" 1}", kNothing, "(get a \"k\")"},
    {kText, kNothing, "(let [[x y] a] [x y])"},
    {kText, kNothing, "(let [[x & more] a] (count more))"},
    {kWide, kNothing, "(let [[x y & more] a] (count more))"},
    {kRecord, kNothing, "(let [{:keys [k l] :or {l 4} :as all} a] [k l all])"},
    {kWide, "1", "(conj a b)"},
    {kSet, kDeep, "(conj a b)"},
    {kMap, kDeep, "(assoc a b 1)"},
    {kMap, "\"key17\"", "(assoc a b 1)"},
    {kRecord, kNothing, "(assoc a :k i)"},
    {kRecord, kNothing, "(assoc a :new i)"},
    {kRecord, kNothing, "(update a :k inc)"},
    {kMap, "\"key17\"", "(update a b inc)"},
    {"{:k {:l {:m 1}}}", kNothing, "(update-in a [:k :l :m] inc)"},
    {kDeep, "1", "[a b a b a b a b a b]"},
    {kDeep, kText, "#{a b}"},
    {kDeep, kText, "{a b b a}"},
    {kDeep, kText, "{:x a :y b}"},
    {"(vec (range 20))", kNothing, "(count (for [x a :when (odd? x)] x))"},
    {kText, kNothing, "(reduce (fn [n _] (inc n)) 0 (take 5 a))"},
    {kWide, kWide, "(reduce + (map * a b))"},
    {kMap, kNothing, "(reduce (fn [n [k v]] (+ n v)) 0 a)"},
    {"(zipmap (map (fn [i] (keyword (str \"k\" i))) (range 16)) (range))", kNothing,
     "(reduce (fn [n [k v]] (+ n v)) 0 a)"},
    {"(mapv (fn [i] (str i \"e\u0301\")) (range 20))", kNothing, "(for [[x y] a] y)"},
    {"[[1 2] [3 4]]", kNothing, "(let [[x y] (nth a 1)] y)"},
    {"(apply sorted-map-by > (range 64))", kNothing, "(reduce-kv (fn [n k v] (+ n v)) 0 a)"},
    {kMap, kMap, "(count (for [i (range 20)] (merge {:a i :b 1 :c 2} {:d i} {:a 2 :e 3})))"},
    {kMap, kNothing, "(count (for [i (range 20)] (select-keys {:a i :b 1 :c 2 :d 3} [:a :d :z])))"},
    {"(vec (range 20))", kNothing, "(count (group-by odd? a))"},
    {"(vec (range 20))", kNothing, "(reduce + (map inc a))"},
    {kNothing, kNothing, "((fn [x y] (if x y i)) a b)"},
    {"(fn [x] x)", kNothing, "(a i)"},
    {"[1 2 3]", "(fn [x y z] (+ x y z))", "(apply b a)"},
    {"(vec (range 100))", "(fn [& xs] (count xs))", "(apply b 1 2 a)"},
    {kWide, "(fn ([] 0) ([x] 1) ([x & ys] 2))", "(+ (b) (b 1) (b 1 2 3 4 5 6 7 8))"},
    {"(fn f [n] (if (= n 0) 0 (+ 1 (f (- n 1)))))", kNothing, "(a 20)"},
    {"(fn f ([n] (f n 0)) ([n m] (if (= n 0) m (f (- n 1) (inc m)))))", kNothing, "(a 20)"},
    {"1", "2", "((fn [] [a b i (fn [] (+ a b i))]))"},
    {"(atom 1)", kNothing, "(do (swap! a inc) (reset! a i) @a)"},
    {"(atom (vec (range 500)))", kNothing, "(do (swap! a conj i) (count @a))"},
    {kNothing, kNothing, "@(atom i)"},
    {kNothing, kNothing, "(try (throw (ex-info \"x\" {:i i})) (catch Exception e 1) (finally 2))"},
    {kLongText, kNothing, "(try (throw (ex-info a {:text a})) (catch Exception e 1))"},
    {kLongText, kNothing, "(count (join a (range 3)))"},
    {kNothing, kNothing, "(try (/ 1 0) (catch Exception e (ex-message e)))"},
    {kNothing, kNothing, "(try (inc i) (catch Exception e 1))"},
    {kNothing, kNothing, "(do (def made i) made)"},
    {kNothing, kNothing, "(do (defonce made-once i) made-once)"},
    {kNothing, kNothing, "[*1 *2 *3]"},
    {kNothing, kNothing, "[data/rows data/none]"},
    {kNothing, kNothing, "(count (pmap inc [1 2 3]))"},
    {kText, kNothing, "(str a i)"},
    {"(range 1000)", kNothing, "(if (seq a) (count (drop 10 a)) 0)"},
    {kNothing, kNothing, "[nil true false 1 70000 2.5 :k \"text\" 'sym]"},
    {kNothing, kNothing, "(case (rem i 5) 0 :a 1 :b 2 :c :d)"},
    {kNothing, kNothing, "(loop [j 0] (if (< j 10) (recur (inc j)) j))"},
    {kNothing, kNothing, "(tool/echo {:x i})"},
    {kHuge, "(+ a 1)", "(/ a b)"},
    {kHuge, kNothing, "(* a 3)"},
    {kNothing, kNothing, "(loop [j 0] (let [k (str j)] (if (nil? k) 1 (if (= j 3) j (recur (inc j))))))"},
    {kNothing, kNothing, "(if (or a b) 1 2)"},
    {kNothing, kNothing, "(loop [j 0] (if (<= j 5) (recur (inc j)) j))"},
    {kNothing, kNothing, "(loop [j 9] (if (> j 0) (recur (dec j)) j))"},
    {kNothing, kNothing, "(loop [j 9] (if (>= j 0) (recur (dec j)) j))"},
    {kNothing, kNothing, "(loop [j 0] (if (= j 0) (recur (inc j)) j))"},
    {kNothing, kNothing, "(letfn [(g [n] (if (= n 0) 0 (+ 1 (g (- n 1)))))] (g 9))"},
    {kNothing, kNothing, "(known 9)"},
    {kWide, kNothing, "(let [g [a [i]] k (rem i 2)] (assoc g k (conj (nth g k) i)))"},
    {kMap, kNothing, "(let [k (if (even? i) \"key1\" \"key2\") m (assoc a k [i])] (assoc m k (conj (get m k) i)))"},
    {kRecord, kText, "(let [{:keys [k l] :as r} (assoc a :k [b]) w (conj k i)] (assoc r :k w :l l))"},
    {"3", kNothing, "((fn f ([n] (f n 0)) ([n m] (if (= m 0) f (+ n m a i)))) 3)"},
    {"3", kNothing, "((fn f [x] (if (= x 0) f x)) i)"},
};

/// Programs without an end over collections that fill most of the usual heap: what one instruction or one release does
/// to so much at once.
inline constexpr const char* kLargePrograms[] = {
    R"((loop [] (count (mapv (fn [x] {:x x :y [x]}) (range 200000))) (recur)))",
    R"((loop [] (count (reduce (fn [v _] [v]) 1 (range 500000))) (recur)))",
    R"((let [v (mapv (fn [x] [x]) (range 500000))] (loop [i 0] (if (< i 0) v (recur (inc i))))))",
    R"((loop [] (count (apply str (repeat 3000000 "0123456789"))) (recur)))",
    R"((let [v (vec (reverse (range 1000000)))] (loop [] (count (sort v)) (recur))))",
    R"((let [v (mapv (fn [i] (str "abcdefghijklmnop" (- 300000 i))) (range 300000))] (loop [] (count (sort v)) (recur))))",
    R"((let [v (vec (reverse (range 300000)))] (loop [] (count (sort-by - v)) (recur))))",
    R"((let [v (vec (repeat 1000000 :a))] (loop [] (count (sort v)) (recur))))",
    R"((let [v (conj (vec (repeat 1000000 1)) :a)] (loop [] (count (sort v)) (recur))))",
    R"((let [v (vec (repeat 500000 {:k 1}))] (loop [] (count (sort-by :k v)) (recur))))",
    R"((let [v (vec (repeat 1000000 [1]))] (loop [] (count (sort v)) (recur))))",
    R"((let [t (str "[" (apply str (repeat 500000 "1 ")) "]")] (loop [] (count (edn/read-string t)) (recur))))",
    R"((let [t (str "[" (apply str (repeat 150000 "#{1 2} ")) "]")] (loop [] (count (edn/read-string t)) (recur))))",
    R"((let [t (apply str "e" (repeat 524288 "\u0301"))] (loop [] (try (edn/read-string t) (catch Exception e 1)) (recur))))",
    R"((let [t (apply str (repeat 350000 "\uFB03"))] (loop [] (try (edn/read-string t) (catch Exception e 1)) (recur))))",
    R"((let [m (zipmap (range 300000) (range 300000))] (loop [] (count (assoc m :a 1)) (recur))))",
    R"((let [m (zipmap (range 300000) (range 300000))] (loop [i 0] (first (assoc m i -1)) (recur (inc i)))))",
    R"((let [m (zipmap (map str (range 200000)) (range 200000))] (loop [i 0] (first (assoc m i -1)) (recur (inc i)))))",
    R"((loop [] (count (zipmap (range 300000) (range 300000))) (recur)))",
    R"((loop [] (count (into #{} (range 300000))) (recur)))",
    R"((loop [] (count (frequencies (range 300000))) (recur)))",
    R"((loop [] (count (group-by (fn [x] x) (range 100000))) (recur)))",
    R"((let [v (vec (range 1000000))] (loop [] (count (conj v 1)) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (count (assoc v 5 1)) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (= v (vec (range 1000000))) (recur))))",
    R"((let [v (vec (range 500000)) w (vec (range 500000))] (loop [] (= v w) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (get {v 1} v) (recur))))",
    R"((let [v (vec (range 500000))] (loop [] (apply + v) (recur))))",
    R"((let [v (vec (range 500000))] (loop [] (apply max v) (recur))))",
    R"((let [v (vec (range 500000))] (loop [] (apply (fn [& xs] (count xs)) v) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (pr-str v)) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (count (vec (rest v))) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (count (reverse v)) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (count (concat v v)) (recur))))",
    R"((let [v (vec (range 500000))] (loop [] (count (shuffle v)) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (distinct v)) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (partition 2 1 v)) (recur))))",
    R"((let [t (apply str (repeat 2000000 "xy"))] (loop [] (count (str t "a")) (recur))))",
    R"((let [t (apply str (repeat 1000000 "x,"))] (loop [] (count (split t ",")) (recur))))",
    R"((let [t (apply str (repeat 1000000 "x,"))] (loop [] (count (replace t "x" "yy")) (recur))))",
    R"((let [t (apply str (repeat 2000000 "xy"))] (loop [] (count (upper-case t)) (recur))))",
    R"((let [t (apply str (repeat 1000000 "xé"))] (loop [] (count (reverse t)) (recur))))",
    R"((let [t (apply str (repeat 1000000 "xé"))] (loop [i 0] (count (str t i)) (recur (inc i)))))",
    R"((let [t (apply str (repeat 2000000 "xy"))] (loop [i 0] (= t (str t "")) (recur (inc i)))))",
    R"((let [t (apply str (repeat 2000000 "xy"))] (loop [i 0] (get {(str t i) 1} 1) (recur (inc i)))))",
    R"((let [t (str "[" (apply str (repeat 200000 "1,[2],")) "1]")] (loop [] (count (json/parse-string t)) (recur))))",
    R"((let [t (str "[" (apply str (repeat 200000 "{\"a\":1},")) "1]")] (loop [] (count (json/parse-string t)) (recur))))",
    R"((let [v (mapv (fn [i] {:a i :b (str i)}) (range 100000))] (loop [] (count (json/generate-string v)) (recur))))",
    R"((let [v (mapv (fn [i] {:a i :b (str i)}) (range 100000))] (loop [] (count (walk/keywordize-keys v)) (recur))))",
    R"((let [v (mapv (fn [i] {:a i :b (str i)}) (range 100000))] (loop [] (count (flatten v)) (recur))))",
    R"((let [v (mapv (fn [i] [i [i]]) (range 100000))] (loop [] (count (flatten v)) (recur))))",
    R"((let [a (atom [])] (loop [i 0] (reset! a (mapv (fn [x] [x]) (range 300000))) (recur (inc i)))))",
    R"((loop [] (count (pmap (fn [x] (reduce + (range x))) (range 200))) (recur)))",
    R"((loop [n 3] (recur (*' n n))))",
    R"((let [n (reduce *' (range 1 3000))] (loop [] (str (*' n n)) (recur))))",
    R"((let [n (reduce *' (range 1 3000))] (loop [] (quot (*' n n) (inc n)) (recur))))",
    R"((loop [i 0 m {}] (recur (inc i) (assoc m (rem (* i 7919) 200000) i))))",
    R"((loop [i 0 m (sorted-map)] (recur (inc i) (assoc m (rem (* i 7919) 100000) i))))",
    R"((let [v (vec (range 500000))] (loop [] (let [[a & more] v] (count more)) (recur))))",
    R"((let [v (vec (range 500000))] (loop [] (count (subvec v 1)) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (interleave v v)) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (zipmap v v)) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (into (sorted-map) (map vector v v))) (recur))))",
    R"((let [v (vec (range 300000))] (loop [] (count (into (sorted-set) v)) (recur))))",
    R"((let [m (zipmap (range 200000) (range 200000)) n (zipmap (range 200000) (range 200000))] (loop [] (= m n) (recur))))",
    R"((let [m (zipmap (range 200000) (range 200000))] (loop [] (count (merge m {1 1 :b 2})) (recur))))",
    R"((let [m (zipmap (range 200000) (range 200000))] (loop [] (count (dissoc m 5)) (recur))))",
    R"((let [m (zipmap (range 200000) (range 200000))] (loop [] (count (keys m)) (recur))))",
    R"((let [m (zipmap (range 200000) (range 200000))] (loop [] (count (update-vals m inc)) (recur))))",
    R"((let [s (set (range 200000)) t (set (range 100000 300000))] (loop [] (count (union s t)) (count (intersection s t)) (recur))))",
    R"((loop [i 0 s ""] (recur (inc i) (str s "abc"))))",
    R"((loop [] (try (mapv (fn [x] (if (= x 250000) (throw (ex-info "x" {:v (range 100000)})) [x])) (range 300000)) (catch Exception e 1)) (recur)))",
    R"((let [v (vec (repeat 5000 (vec (range 5000))))] (loop [] (count (str v)) (recur))))",
    R"((let [v (vec (repeat 5000 (vec (range 5000))))] (loop [] (= v (vec (repeat 5000 (vec (range 5000))))) (recur))))",
    R"((let [v (vec (repeat 2000 (vec (range 2000))))] (loop [] (count (apply concat v)) (recur))))",
    R"((let [v (vec (repeat 2000 (vec (range 2000))))] (loop [] (count (into #{} v)) (recur))))",
    R"((loop [] (count (combinations (vec (range 100000)) 900)) (recur)))",
    R"((let [v (shuffle (mapv (fn [x] [x x]) (range 600000)))] (loop [i 0] (if (< i 0) v (recur (inc i))))))",
    R"((let [v (vec (range 1000000))] (loop [] (count (map-indexed vector v)) (recur))))",
    R"((let [v (vec (range 1000000))] (loop [] (count (interleave v v)) (recur))))",
};

inline std::string name_of(const HostileProgram& program) {
    std::string name = program.body;
    if (program.a != kNothing) name += "; a is " + std::string(program.a);
    if (program.b != kNothing) name += "; b is " + std::string(program.b);
    return name;
}

/// One of them, in a session of its own with its operands.
class HostileRun {
public:
    /// `times`: how often the body is done.
    explicit HostileRun(const HostileProgram& program, std::uint64_t times = 100) : body_(program.body) {
        ok_ = session_.run("(def a " + std::string(program.a) + ") (def b " + program.b + ")", options_).ok();
        program_ = session_
                       .compile("(defn known [n] (if (= n 0) 0 (+ 1 (known (- n 1))))) (let [a a b b] (loop [i 0 acc "
                                "nil] (if (< i " +
                                std::to_string(times) + ") (recur (inc i) " + body_ + ") (count [acc]))))")
                       .program;
    }
    [[nodiscard]] bool ok() const { return ok_ && program_; }
    /// Without limits of its own it has no time limit.
    [[nodiscard]] Outcome run(const Limits* limits = nullptr) {
        options_.limits = limits ? std::optional(*limits) : std::nullopt;
        return session_.run(program_, options_);
    }
    /// The instructions that its functions have.
    [[nodiscard]] std::set<Op> instructions() const {
        std::set<Op> all;
        for (const auto& function : program_->functions) {
            for (std::size_t at = 0; at < function->code.size(); at += op_info(word_op(function->code[at])).words())
                all.insert(word_op(function->code[at]));
        }
        return all;
    }

private:
    static const Engine& engine() {
        static const Engine made([] {
            EngineOptions options;
            options.tools.push_back(
                {.name = "echo", .function = [](const Datum& arguments) -> Result<Datum> { return arguments; }});
            options.limits.timeout = {};
            options.limits.max_print_bytes = 64u << 20;
            options.warnings = false;
            options.threads = 0;
            options.tool_threads = 0;
            return options;
        }());
        return made;
    }
    static RunOptions with_data() {
        RunOptions options;
        options.data.push_back(DataSet::from_json(R"({"rows":[1,2,3]})").value());
        return options;
    }

    std::string body_;
    Session session_{engine()};
    RunOptions options_ = with_data();
    ProgramPtr program_;
    bool ok_ = false;
};

/// Whether the loop of a program cannot have it: those of validators, those that end a run, the one of pmap (in the
/// core library), one that stands before instructions of a cost that no field holds, and those that no program has.
inline bool is_outside_of_loops(Op op) {
    return op_info(op).has(kCheck) || op == Op::Nop || op == Op::Halt || op == Op::Finish || op == Op::Fork ||
           op == Op::Fuel || op == Op::LoadAllData;
}

} // namespace ptc::test
