// The typed grammar of random programs, and its expansion from the top down. A pattern is a text with holes, each of a
// type; names that are in scope fill holes of their type, so values are used again after they were updated. A budget
// and a depth bound the size.
#include "tests/differential/program_generator.h"
#include <array>

namespace ptc::test {
namespace {

constexpr int kMaxDepth = 12;

template <class T, std::size_t N> const T& pick(const std::array<T, N>& from, std::uint32_t i) { return from[i % N]; }

} // namespace

// In a pattern, %x is an expression of type x; %1xy a function of one parameter x that gives y, %2xyz of two; %% is %.
const std::vector<ProgramGenerator::Pattern>& ProgramGenerator::grammar() {
    static const std::vector<Pattern> patterns = {
        {Int, "(+ %i %i)"},
        {Int, "(- %i %i)"},
        {Int, "(* %i %i)"},
        {Int, "(inc %i)"},
        {Int, "(max %i %i)"},
        {Int, "(min %i %i %i)"},
        {Int, "(quot %i 7)"},
        {Int, "(mod %i 5)"},
        {Int, "(rem %i %i)"},
        {Int, "(abs %i)"},
        {Int, "(count %a)"},
        {Int, "(count %v)"},
        {Int, "(count %s)"},
        {Int, "(count %m)"},
        {Int, "(count %e)"},
        {Int, "(reduce + %v)"},
        {Int, "(reduce %2iii %i %v)"},
        {Int, "(reduce (fn [acc m] (+ acc (:n m))) 0 %r)"},
        {Int, "(apply + %v)"},
        {Int, "(nth %v 0 %i)"},
        {Int, "(first (conj %v %i))"},
        {Int, "(last (conj %v %i))"},
        {Int, "(get %m %k %i)"},
        {Int, "(if %b %i %i)"},
        {Int, "(or (:a %m) %i)"},
        {Int, "(case %i 0 %i 1 %i %i)"},
        {Int, "(-> %i (+ %i) (* 2))"},
        {Int, "(%1ii %i)"},
        {Int, "(do %a %i)"},
        {Int, "(cond %b %i %b %i :else %i)"},
        {Int, "(bit-and %i 255)"},
        {Int, "(get-in {:x {:y %i}} [:x :y])"},
        {Int, "(sum-by :n %r)"},
        {Number, "(/ %n 4)"},
        {Number, "(+ %n %i)"},
        {Number, "(* %n 0.5)"},
        {Number, "(double %i)"},
        {Number, "(- %n)"},
        {Number, "(if %b %n %i)"},
        {Number, "(max %n %i)"},
        {Number, "%i"},
        {Bool, "(< %i %i)"},
        {Bool, "(= %a %a)"},
        {Bool, "(= %v %v)"},
        {Bool, "(not %b)"},
        {Bool, "(and %b %b)"},
        {Bool, "(or %b %b)"},
        {Bool, "(contains? %m %k)"},
        {Bool, "(contains? %e %i)"},
        {Bool, "(empty? %v)"},
        {Bool, "(every? even? %v)"},
        {Bool, "(nil? %a)"},
        {Bool, "(<= %i %i %i)"},
        {Bool, "(some? (some #{%i} %v))"},
        {Bool, "(includes? %s %s)"},
        {Bool, "(not= %s %s)"},
        {Bool, "(zero? %n)"},
        {Text, "(str %a %s)"},
        {Text, "(str %i \"-\" %k)"},
        {Text, "(subs %s 0 0)"},
        {Text, "(upper-case %s)"},
        {Text, "(join \",\" %v)"},
        {Text, "(pr-str %a)"},
        {Text, "(replace %s \"a\" %s)"},
        {Text, "(reduce str %s %v)"},
        {Text, "(if %b %s %s)"},
        {Text, "(trim %s)"},
        {Text, "(name %k)"},
        {Text, "(format \"%%d|%%s\" %i %s)"},
        {Text, "(apply str (reverse %s))"},
        {Keyword, "(keyword (name %k))"},
        {Keyword, "(if %b %k %k)"},
        {Keyword, "(first (keys (assoc %m %k %i)))"},
        {Ints, "(map %1ii %v)"},
        {Ints, "(mapv inc %v)"},
        {Ints, "(filter %1ib %v)"},
        {Ints, "(remove odd? %v)"},
        {Ints, "(conj %v %i)"},
        {Ints, "(conj %v %i %i)"},
        {Ints, "(into %v %v)"},
        {Ints, "(concat %v %v)"},
        {Ints, "(take 3 %v)"},
        {Ints, "(drop 2 %v)"},
        {Ints, "(reverse %v)"},
        {Ints, "(sort %v)"},
        {Ints, "(sort > %v)"},
        {Ints, "(sort-by - %v)"},
        {Ints, "(distinct %v)"},
        {Ints, "(range %i)"},
        {Ints, "(range 0 40 3)"},
        {Ints, "(vec %e)"},
        {Ints, "(vals %m)"},
        {Ints, "(map :n %r)"},
        {Ints, "(if %b %v %v)"},
        {Ints, "(assoc (conj %v %i) 0 %i)"},
        {Ints, "(update (conj %v %i) 0 + %i)"},
        {Ints, "(reduce conj %v %v)"},
        {Ints, "(reductions + %v)"},
        {Ints, "(take-while pos? %v)"},
        {Ints, "(drop-while %1ib %v)"},
        {Ints, "(map + %v %v)"},
        {Ints, "(interleave %v %v)"},
        {Ints, "(rest %v)"},
        {Ints, "(butlast %v)"},
        {Ints, "(flatten [%v [%i %v]])"},
        {Ints, "(map-indexed + %v)"},
        {Ints, "(mapcat %1iv %v)"},
        {Ints, "(keep %1ii %v)"},
        {Ints, "(subvec (into [1 2 3] %v) 1 3)"},
        {Ints, "(map first (partition 2 %v))"},
        {Map, "(assoc %m %k %i)"},
        {Map, "(assoc %m %k %i %k %i)"},
        {Map, "(dissoc %m %k)"},
        {Map, "(update %m %k (fnil inc %i))"},
        {Map, "(merge %m %m)"},
        {Map, "(merge-with + %m %m)"},
        {Map, "(select-keys %m [:a %k])"},
        {Map, "(into %m [[%k %i]])"},
        {Map, "(zipmap [:a :b :c] %v)"},
        {Map, "(reduce (fn [m x] (assoc m (keyword (str \"k\" (mod x 30))) x)) %m %v)"},
        {Map, "(reduce (fn [m x] (update m (keyword (str \"k\" (mod x 20))) (fnil + 0) x)) %m %v)"},
        {Map, "(let [k %k] (update %m k (fn [o] (if (= k %k) %i (or o %i)))))"},
        {Map, "(loop [m %m k %k i 0] (if (> i 2) m (recur (assoc m k i) (keyword (str (name k) i)) (inc i))))"},
        {Map, "(update-vals %m %1ii)"},
        {Map, "(if %b %m %m)"},
        {Map, "(frequencies (map (fn [x] (if (even? x) :a :b)) %v))"},
        {Map, "(dissoc (assoc (reduce (fn [m x] (assoc m (keyword (str \"q\" x)) x)) %m (range 24)) %k %i) :q3)"},
        {Set, "(conj %e %i)"},
        {Set, "(disj %e %i)"},
        {Set, "(set %v)"},
        {Set, "(set/union %e %e)"},
        {Set, "(set/difference %e %e)"},
        {Set, "(into %e %v)"},
        {Set, "(reduce conj %e (range 20))"},
        {Set, "(if %b %e %e)"},
        {Records, "(conj %r {:n %i :s %s})"},
        {Records, "(map (fn [m] (assoc m :n (inc (:n m)))) %r)"},
        {Records, "(sort-by :n %r)"},
        {Records, "(filter (fn [{:keys [n]}] (pos? n)) %r)"},
        {Records, "(map (fn [m] (update m :n + %i)) %r)"},
        {Records, "(mapv (fn [x] {:n x :s (str x)}) %v)"},
        {Records, "(map (fn [{:keys [n s] :as m}] (merge m {:n (- n) :s (str s n)})) %r)"},
        {Any, "[%a %a]"},
        {Any, "{%k %a %k %a}"},
        {Any, "{:n %n :v %v}"},
        {Any, "%i"},
        {Any, "%s"},
        {Any, "%v"},
        {Any, "%m"},
        {Any, "%e"},
        {Any, "%r"},
        {Any, "%b"},
        {Any, "%n"},
        {Any, "nil"},
        {Any, "(reduce (fn [m x] (update m x (fnil conj []) x)) {} %v)"},
        {Any, "(reduce (fn [m x] (update m (str x) (fn [o] [o x m]))) {\"1\" %a} [1 2 1])"},
        {Any, "(reduce (fn [acc x] (or (> x %i) acc)) %b %v)"},
        {Any, "(reduce (fn [[a b m] x] [(:k m) (conj (:k m) a) (assoc m :k [x %a])]) [%a [] {:k %v :j %a}] %v)"},
        {Any, "(reduce (fn [acc x] (reduce (fn [[p q] y] [q [p y]]) [(first acc) (second acc)] [x %a])) [%a %a] %v)"},
        {Any,
         "(loop [ys %v r []] (if (empty? ys) r (recur (rest ys) (conj r (reduce (fn [[a b] x] (reduce (fn [[c d] z] "
         "[c [d z]]) [b a] [x])) [1 2] [(first ys) 3])))))"},
        {Any, "(reduce (fn [[a b] x] (if (> x %i) [x a] [a (conj b x)])) [%i []] %v)"},
        {Any, "(reduce (fn [[a b c :as all] x] (cond (= x %i) all (odd? x) [c a b] :else [x [a] %a])) [%a %a %a] %v)"},
        {Any, "(loop [r [%a] s r t %a i 0] (if (> i 2) t (recur 1 t s (inc i))))"},
        {Any, "(loop [xs %v n %i] (if (empty? xs) [xs n] (if (odd? (first xs)) (recur (rest xs) n) (recur (next xs) "
              "(inc n)))))"},
        {Any, "(let [f %1ii g [%i %i] h %m] [(f %i) (g 1) (h %k) (%k h)])"},
        {Any, "(group-by odd? %v)"},
        {Any, "(group-by :s %r)"},
        {Any, "(partition-all 2 %v)"},
        {Any, "(first %r)"},
        {Any, "(get %m %k)"},
        {Any, "(assoc-in %m [:z :y] %a)"},
        {Any, "(update-in {:x {:y %v}} [:x :y] conj %a)"},
        {Any, "(when %b %a)"},
        {Any, "(map vector %v %r)"},
        {Any, "(seq %v)"},
        {Any, "(map (fn [[k v]] [v k]) %m)"},
        {Any, "(some->> %v (map inc) seq)"},
        {Any, "(walk/postwalk (fn [x] (if (number? x) (inc x) x)) %a)"},
        {Any, "(conj %a %a)"},
        {Any, "(min-by :n %r)"},
        {Any, "(loop [x %a n 0] (if (< n 3) (recur [x] (inc n)) x))"},
    };
    return patterns;
}

// splitmix64: the standard library's distributions differ among implementations.
std::uint32_t ProgramGenerator::below(std::uint32_t n) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % n);
}

std::string ProgramGenerator::leaf(Type type) {
    static constexpr std::array<std::string_view, 6> numbers{"0.5", "-2.25", "1e10", "3", "0.1", "100"};
    static constexpr std::array<std::string_view, 6> texts{
        "\"\"", "\"a\"", "\"banana\"", "\" x y \"", "\"é👍🏽ß\"", "\"12\""};
    static constexpr std::array<std::string_view, 5> keywords{":a", ":b", ":c", ":n", ":long-key"};
    static constexpr std::array<std::string_view, 5> ints{"[]", "[1 2 3]", "[5 -1 5 0]", "(range 50)",
                                                          "[9223372036854775807 1]"};
    static constexpr std::array<std::string_view, 4> maps{"{}", "{:a 1}", "{:a 1 :b 2 :c 3}", "{:n 7 :long-key -1}"};
    static constexpr std::array<std::string_view, 4> sets{"#{}", "#{1}", "#{1 2 3}", "#{-5 100 7}"};
    static constexpr std::array<std::string_view, 3> records{"[]", "[{:n 1 :s \"one\"}]",
                                                             "[{:n 3 :s \"c\"} {:n 1 :s \"a\"} {:n 2 :s \"a\"}]"};
    static constexpr std::array<std::string_view, 5> any{"nil", "[]", "{:k [1 {:z 2}]}", "#{:x}", "\"t\""};
    std::vector<const Local*> known;
    for (const Local& l : locals_) {
        if (l.type == type) known.push_back(&l);
    }
    if (!known.empty() && !one_in(3)) return known[below(static_cast<std::uint32_t>(known.size()))]->name;
    const std::uint32_t i = below(60);
    switch (type) {
    case Int: return std::to_string(static_cast<int>(below(40)) - 10);
    case Number: return std::string(pick(numbers, i));
    case Bool: return i % 2 ? "true" : "false";
    case Text: return std::string(pick(texts, i));
    case Keyword: return std::string(pick(keywords, i));
    case Ints: return std::string(pick(ints, i));
    case Map: return std::string(pick(maps, i));
    case Set: return std::string(pick(sets, i));
    case Records: return std::string(pick(records, i));
    case Any: break;
    }
    return std::string(pick(any, i));
}

std::string ProgramGenerator::fill(std::string_view pattern) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        const char kind = pattern[++i];
        if (kind == '%') {
            out += '%';
        } else if (kind == '1') {
            out += function_of({static_cast<Type>(pattern[i + 1])}, static_cast<Type>(pattern[i + 2]));
            i += 2;
        } else if (kind == '2') {
            out += function_of({static_cast<Type>(pattern[i + 1]), static_cast<Type>(pattern[i + 2])},
                               static_cast<Type>(pattern[i + 3]));
            i += 3;
        } else {
            out += expression(static_cast<Type>(kind));
        }
    }
    return out;
}

std::string ProgramGenerator::from_grammar(Type type) {
    std::vector<const Pattern*> fitting;
    for (const Pattern& p : grammar()) {
        if (p.gives == type) fitting.push_back(&p);
    }
    return fill(fitting[below(static_cast<std::uint32_t>(fitting.size()))]->text);
}

std::string ProgramGenerator::function_of(std::vector<Type> parameters, Type result) {
    const std::size_t outer = locals_.size();
    std::string head = "(fn [";
    for (Type t : parameters) {
        locals_.push_back({fresh('p'), t});
        head += (head.back() == '[' ? "" : " ") + locals_.back().name;
    }
    std::string text = head + "] " + expression(result) + ")";
    locals_.resize(outer);
    return text;
}

std::string ProgramGenerator::let_form(Type type) {
    static constexpr std::array<Type, 7> types{Int, Ints, Map, Set, Records, Text, Any};
    const std::size_t outer = locals_.size();
    std::string text = "(let [";
    for (std::uint32_t left = 1 + below(3); left > 0; --left) {
        const Type bound = pick(types, below(70));
        const std::string value = expression(bound); // before the name is known
        locals_.push_back({fresh('x'), bound});
        text += locals_.back().name + " " + value + (left > 1 ? " " : "] ");
    }
    text += expression(type) + ")";
    locals_.resize(outer);
    return text;
}

// A loop that gathers into a vector: the accumulator is the sole owner's, unless something else keeps it.
std::string ProgramGenerator::loop_form() {
    const std::string start = expression(Ints), i = fresh('i'), all = fresh('l');
    const std::size_t outer = locals_.size();
    locals_.push_back({i, Int});
    locals_.push_back({all, Ints});
    std::string text = "(loop [" + i + " 0 " + all + " " + start + "] (if (< " + i + " 4) (recur (inc " + i +
                       ") (conj " + all + " " + expression(Int) + ")) " + expression(Ints) + "))";
    locals_.resize(outer);
    return text;
}

std::string ProgramGenerator::for_form() {
    const std::string over = "(take 4 " + expression(Ints) + ")", x = fresh('x'), y = fresh('y');
    const std::size_t outer = locals_.size();
    locals_.push_back({x, Int});
    std::string text = "(for [" + x + " " + over + " :let [" + y + " " + expression(Int) + "]";
    locals_.push_back({y, Int});
    text += " :when " + expression(Bool) + "] " + expression(Int) + ")";
    locals_.resize(outer);
    return text;
}

std::string ProgramGenerator::through_a_tool(Type type) {
    return "(get (tool/echo {:v " + expression(type) + "}) \"v\" " + leaf(type) + ")";
}

std::string ProgramGenerator::expression(Type type) {
    if (--budget_ <= 0 || depth_ >= kMaxDepth) return leaf(type);
    ++depth_;
    std::string text;
    if (one_in(7))
        text = let_form(type);
    else if (type == Ints && one_in(6))
        text = one_in(2) ? loop_form() : for_form();
    else if (tools_ && (type == Int || type == Text || type == Ints) && one_in(8))
        text = through_a_tool(type);
    else if (one_in(4))
        text = leaf(type);
    else
        text = from_grammar(type);
    --depth_;
    return text;
}

std::string ProgramGenerator::definition() {
    static constexpr std::array<Type, 6> types{Int, Ints, Map, Set, Records, Any};
    const Type type = pick(types, below(60));
    const std::string value = expression(type), name = fresh('d');
    locals_.push_back({name, type}); // later forms read it; nothing takes it off again
    return "(def " + name + " " + value + ")";
}

std::string ProgramGenerator::program() {
    std::string text;
    for (std::uint32_t left = below(4); left > 0; --left)
        text += definition() + "\n";
    if (one_in(2)) text += "(println " + expression(Any) + ")\n";
    // The names again at the end: a value that an update changed in place, although it was still needed, shows here.
    text += "[" + expression(Any);
    for (const Local& l : locals_)
        text += " " + l.name;
    return text + "]\n";
}

} // namespace ptc::test
