// What forms become: the trees are compared as text (tree_printer.h), errors by reason and the text that they point at.
// Rows of program and tree, in families; a new form gets a row, not a test of its own.
#include "compiler/analyze/analyzer.h"
#include "compiler/compile.h"
#include "compiler/language/core_library.h"
#include "compiler/language/tree_printer.h"
#include "frontend/reader/reader.h"
#include "tests/support/core.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace ptc {
namespace {

using test::core;

const std::vector<ToolInfo>& tools() {
    static const std::vector<ToolInfo> list{{"search", "Finds things."}, {"fetch", ""}};
    return list;
}

/// One program, analysed.
struct Analysis {
    explicit Analysis(std::string text, std::vector<std::string_view> globals = {}, CompileLimits limits = {})
        : source("test", std::move(text)) {
        forms = read_forms(source, {}, diagnostics);
        if (diagnostics.has_errors()) return;
        Environment environment;
        const ListedNames known(globals);
        environment.globals = &known;
        environment.tools = tools();
        tree = analyze(forms, source, environment, core(), limits, heap, diagnostics);
        diagnostics.sort();
    }
    Source source;
    Diagnostics diagnostics;
    Forms forms;
    Heap heap{Heap::Mode::Frozen};
    ShapeTable shapes{heap};
    Tree tree;

    /// The tree, or the errors.
    std::string text() {
        if (diagnostics.has_errors()) return errors();
        Heap scratch;
        return print_tree(scratch, tree);
    }
    /// "unbound_var `lenght`; .."
    std::string errors() {
        std::string out;
        for (const Diagnostic& d : diagnostics.all()) {
            if (!out.empty()) out += "; ";
            out += std::string(reason_name(d.error.reason)) + " `" + std::string(source.text(d.error.span)) + "`";
        }
        return out;
    }
    const Error& error(std::size_t i = 0) { return diagnostics.all()[i].error; }
};

std::string tree(const std::string& program) { return Analysis(program).text(); }
std::string errors(const std::string& program) { return Analysis(program).errors(); }

// ---- Expansion
// -----------------------------------------------------------------------------------------------------------

struct Shape {
    const char* program;
    const char* tree;
};

class Expansion : public testing::TestWithParam<Shape> {};
TEST_P(Expansion, HasThisTree) {
    EXPECT_EQ(tree(GetParam().program), std::string(GetParam().tree) + "\n") << GetParam().program;
}

const Shape kForms[] = {
    {"nil", "main: nil"},
    {"(do)", "main: nil"},
    {"1 2 (def x 3)", "main: (def:x 3)"},
    {"[1 [2 :a]]", "main: [1 [2 :a]]"},
    {"[1 data/x]", "main: (vector 1 data:x)"},
    {"{:a 1 \"b\" [2]}", "main: {:a 1 \"b\" [2]}"},
    {"#{1 data/x}", "main: (set 1 data:x)"},
    {"'name", "main: 'name"},
    {"*1", "main: *1"},
    {"ctx/user", "main: data:user"},
    {"(if data/a 1)", "main: (if data:a 1 nil)"},
    {"(if-not data/a 1 2)", "main: (if data:a 2 1)"},
    {"(when data/a 1 2)", "main: (if data:a 2 nil)"},
    {"(if true 1 data/x)", "main: 1"},
    {"(cond data/a 1 data/b 2 :else 3)", "main: (if data:a 1 (if data:b 2 3))"},
    {"(case data/x :a 1 (:b :c) 2 3)",
     "main: (let [t.0 data:x] (if (= :a t.0) 1 (if (or (= :b t.0) (= :c t.0)) 2 3)))"},
    {"(condp < data/x 1 :a 2 :b :c)", "main: (let [t.0 data:x] (if (< 1 t.0) :a (if (< 2 t.0) :b :c)))"},
    {"(and data/a data/b)", "main: (and data:a data:b)"},
    {"(or)", "main: nil"},
    {"(if-let [x data/a] x 2)", "main: (let [x.0 data:a] (if x.0 x.0 2))"},
    {"(if-some [x data/a] x 2)", "main: (let [x.0 data:a] (if (nil? x.0) 2 x.0))"},
    {"(when-let [[a] data/a] a)", "main: (let [t.0 data:a] (if t.0 (let [a.1 (elem0 t.0)] a.1) nil))"},
    {"(when-first [x data/a] x)", "main: (let [t.0 (seq data:a)] (if t.0 (let [x.1 (first t.0)] x.1) nil))"},
    {"(let [x data/a] (let [x (inc x)] x))", "main: (let [x.0 data:a] (let [x.1 (inc x.0)] x.1))"},
    {"(let [x 5] [x x])", "main: [5 5]"},
    {"(comment (nothing here))", "main: nil"},
    {"(-> data/m :a (assoc :b 2) count)", "main: (count (assoc (field :a data:m) :b 2))"},
    {"(->> data/n (- 10) inc)", "main: (inc (- 10 data:n))"},
    {"(as-> data/a x (inc x) (* x x))", "main: (let [x.0 data:a x.1 (inc x.0)] (* x.1 x.1))"},
    {"(cond-> data/m data/a (assoc :a 1))", "main: (let [t.0 data:m] (if data:a (assoc t.0 :a 1) t.0))"},
    {"(some-> data/m :a inc)",
     "main: (let [t.0 data:m] (if (nil? t.0) nil (let [t.1 (field :a t.0)] (if (nil? t.1) nil (inc t.1)))))"},
    {"(:k data/m 0)", "main: (field :k data:m 0)"},
    {"({:a 1} data/k)", "main: (invoke {:a 1} data:k)"},
    {"(apply + 1 data/xs)", "main: (apply builtin:+ 1 data:xs)"},
    {"(return 1)", "main: (return 1)"},
    {"(call \"fail\" :why)", "main: (fail :why)"},
    {"(defonce x 1)", "main: (defonce:x 1)"},
    {"(memory/put :k 1) memory/k", "main: (do (let [t.0 1] (do (def:k t.0) t.0)) global:k)"},
    {"(memory/get :unknown)", "main: nil"},
};
INSTANTIATE_TEST_SUITE_P(Forms, Expansion, testing::ValuesIn(kForms));

const Shape kPatterns[] = {
    {"(let [[a b & r :as all] data/x] [a b r all])",
     "main: (let [t.0 data:x a.1 (elem0 t.0) b.2 (elem1 t.0) r.3 (tail2 t.0) all.4 t.0] (vector a.1 b.2 r.3 all.4))"},
    {"(let [[a] data/x] a)", "main: (let [a.0 (elem0 data:x)] a.0)"},
    {"(let [{:keys [a b] n :name :or {b 2} :strs [c] :as m} data/x] [a b n c m])",
     "main: (let [t.0 data:x a.1 (pick :a t.0) b.2 (pick :b t.0 2) n.3 (pick :name t.0) c.4 (pick \"c\" t.0) m.5 t.0] "
     "(vector a.1 b.2 n.3 c.4 m.5))"},
    {"(let [[{:keys [a]} [b]] data/x] [a b])",
     "main: (let [t.0 data:x t.1 (elem0 t.0) a.2 (pick :a t.1) b.3 (elem0 (elem1 t.0))] (vector a.2 b.3))"},
    {"(fn [[a b] c] [a b c])",
     "main: fn:f1\nf1 [t.0 c.1]: (let [a.2 (elem0 t.0) b.3 (elem1 t.0)] (vector a.2 b.3 c.1))"},
    {"(loop [[h & t] data/x] (if h (recur t) 1))",
     "main: (let [t.0 data:x h.1 (elem0 t.0) t.2 (tail1 t.0)] (if (vector? t.0) (let [t.6 (count t.0)] (loop [t.7 0] "
     "(let [h.8 (get t.0 t.7)] (if h.8 (recur (inc t.7)) 1)))) (loop [t.3 t.0] "
     "(let [h.4 (elem0 t.3) t.5 (tail1 t.3)] (if h.4 (recur t.5) 1)))))"},
};
INSTANTIATE_TEST_SUITE_P(Patterns, Expansion, testing::ValuesIn(kPatterns));

const Shape kFunctions[] = {
    {"(fn [a & b] [a b])", "main: fn:f1\nf1 [a.0 & b.1]: (vector a.0 b.1)"},
    {"#(+ %2 (count %&))", "main: fn:f1\nf1 [%1.0 %2.1 & %&.2]: (+ %2.1 (count %&.2))"},
    {"#(42)", "main: fn:f1\nf1 []: 42"},
    // A capture is passed on by every function between.
    {"(fn [x] (fn [y] (fn [z] [x z])))",
     "main: fn:f1\nf1 [x.0]: fn:f2\nf2 [y.0] ^x.1=x.0: fn:f3\nf3 [z.0] ^x.1=x.1: (vector x.1 z.0)"},
    {"(fn f [n] (f n))", "main: fn:f1\nf1(f) [n.0]: (self n.0)"},
    {"(fn f [n] [f n])", "main: fn:f1\nf1(f) [n.0] self=f.1: (vector f.1 n.0)"},
    {"(fn f [n] (fn [] (f n)))", "main: fn:f1\nf1(f) [n.0] self=f.1: fn:f2\nf2 [] ^f.0=f.1 ^n.1=n.0: (invoke f.0 n.1)"},
    {"(fn [n] (if n (recur 1) 2))", "main: fn:f1\nf1 [n.0]: (if n.0 (recur-fn 1) 2)"},
    {"((fn [x] (* x x)) data/n)", "main: (let [x.0 data:n] (* x.0 x.0))"},
    {"((fn [n] (if n (recur nil) 2)) data/n)", "main: (loop [n.0 data:n] (if n.0 (recur nil) 2))"},
    {"(defn f [x] (g x)) (defn g [x] x) (g 1)",
     "main: (do (def:f fn:f1) (def:g fn:f2) (call f2 1))\nf1(f) [x.0]: (invoke global:g x.0)\nf2(g) [x.0]: x.0"},
    {"(def f (fn [n] (f n))) (f 1)", "main: (do (def:f fn:f1) (call f1 1))\nf1(f) [n.0]: (call f1 n.0)"},
    // Defined twice, or where it may not be reached: looked up.
    {"(defn f [] 1) (defn f [] 2) (f)",
     "main: (do (def:f fn:f1) (def:f fn:f2) (invoke global:f))\nf1(f) []: 1\nf2(f) []: 2"},
    {"(when data/a (defn f [] 1)) (f)", "main: (do (if data:a (def:f fn:f1) nil) (invoke global:f))\nf1(f) []: 1"},
    {"(defn inc [x] x) (inc 1)", "main: (do (def:inc fn:f1) (call f1 1))\nf1(inc) [x.0]: x.0"},
    {"(let [map {:a 1}] (map :a))", "main: (invoke {:a 1} :a)"},
};
INSTANTIATE_TEST_SUITE_P(Functions, Expansion, testing::ValuesIn(kFunctions));

const Shape kInlined[] = {
    {"(map inc data/xs)", "main: (fold:map [out.0 x.1] [] data:xs (conj out.0 (inc x.1)))"},
    {"(map (fn [row] (:n row)) data/xs)", "main: (fold:map [out.0 row.1] [] data:xs (conj out.0 (field :n row.1)))"},
    {"(map (fn [[a b]] (+ a b)) data/xs)",
     "main: (fold:map [out.0 x.1] [] data:xs (conj out.0 (let [a.2 (elem0 x.1) b.3 (elem1 x.1)] (+ a.2 b.3))))"},
    // A loop over what another one makes is part of that one.
    {"(reduce + 0 (filter odd? data/xs))",
     "main: (fold:filter [acc.2 x.1] 0 data:xs (if (odd? x.1) (+ acc.2 x.1) acc.2))"},
    // A value that is not known to be a function is evaluated once, before the loop.
    {"(map (:f data/m) data/xs)",
     "main: (let [t.0 (field :f data:m)] (fold:map [out.1 x.2] [] data:xs (conj out.1 (invoke t.0 x.2))))"},
    {"(filter (complement (comp even? :n)) data/xs)",
     "main: (fold:filter [out.0 x.1] [] data:xs (if (not (even? (field :n x.1))) (conj out.0 x.1) out.0))"},
    {"(map (partial + data/k) data/xs)",
     "main: (let [t.0 data:k] (fold:map [out.1 x.2] [] data:xs (conj out.1 (+ t.0 x.2))))"},
    {"(update data/m :n (fnil inc 0))", "main: (let [t.0 data:m] (update [x.1] t.0 :n (inc (if (nil? x.1) 0 x.1))))"},
    {"(update-in data/m [:a data/k] + 1)",
     "main: (let [t.0 data:m t.1 data:k] (update [t.2] t.0 :a (update [t.3] t.2 t.1 (+ t.3 1))))"},
    {"(sort-by :n > data/xs)",
     "main: (let [t.0 data:xs] (let [sort-keys.3 (fold:sort-by [out.1 x.2] [] t.0 (conj out.1 (field :n x.2)))] "
     "(sort-by-keys% sort-keys.3 (vec t.0) true)))"},
    {"(group-by \"k\" data/xs)",
     "main: (fold:group-by [groups.0 x.1] {} data:xs (group-append% groups.0 (field \"k\" x.1) x.1))"},
    {"(some #(when (> % 1) %) data/xs)",
     "main: (fold:some [_.0 %1.1] nil data:xs (let [r.2 (if (> %1.1 1) %1.1 nil)] (if r.2 (break r.2) nil)))"},
    // A literal that recurs is a loop of its own.
    {"(map (fn [n] (if (< n 9) (recur (inc n)) n)) data/xs)",
     "main: (fold:map [out.0 x.1] [] data:xs (conj out.0 (loop [n.2 x.1] (if (< n.2 9) (recur (inc n.2)) n.2))))"},
    {"(for [x data/xs :when (odd? x) :let [y (* x x)]] y)",
     "main: (fold:for [t.0 x.1] [] data:xs (if (odd? x.1) (let [y.2 (* x.1 x.1)] (conj t.0 y.2)) t.0))"},
    {"(for [x data/xs :while x] x)", "main: (fold:for [t.0 x.1] [] data:xs (if x.1 (conj t.0 x.1) (break t.0)))"},
    {"(doseq [x data/xs] (println x))", "main: (fold:doseq [t.0 x.1] nil data:xs (do (println x.1) nil))"},
    // What is called at several places becomes a value once, unless it is small.
    {"(reduce (fn [a b] (if (> (:n a) (:n b)) a b)) data/xs)",
     "main: (let [t.2 (vec data:xs)] (if (empty? t.2) (invoke fn:f1) (fold:reduce [a.0 b.1] (first t.2) (rest t.2) "
     "(if (> (field :n a.0) (field :n b.1)) a.0 b.1))))\nf1 [t.0 t.1]: nil"},
    {"[map inc]", "main: [#<builtin> #<builtin>]"},
    // The core library's names are its own: the program's definitions do not reach into it.
    {"(def conj 1) (map inc data/xs)",
     "main: (do (def:conj 1) (fold:map [out.0 x.1] [] data:xs (conj out.0 (inc x.1))))"},
    {"(let [x data/a out data/b] (map (fn [y] [x out y]) data/xs))",
     "main: (let [x.0 data:a out.1 data:b] (fold:map [out.2 y.3] [] data:xs (conj out.2 (vector x.0 out.1 y.3))))"},
};
INSTANTIATE_TEST_SUITE_P(Inlined, Expansion, testing::ValuesIn(kInlined));

const Shape kHoisted[] = {
    {"(loop [i 0] (if (< i data/n) (recur (inc i)) data/n))",
     "main: (let [n.1 data:n] (loop [i.0 0] (if (< i.0 n.1) (recur (inc i.0)) n.1)))"},
    {"(map (fn [x] (filter (fn [y] (= y data/k)) x)) data/xs)",
     "main: (let [k.4 data:k] (fold:map [out.0 x.1] [] data:xs (conj out.0 (fold:filter [out.2 y.3] [] x.1 "
     "(if (= y.3 k.4) (conj out.2 y.3) out.2)))))"},
    // A function of its own reads it where it runs.
    {"(map (fn [x] (fn [] data/k)) data/xs)",
     "main: (fold:map [out.0 x.1] [] data:xs (conj out.0 fn:f1))\nf1 []: data:k"},
};
INSTANTIATE_TEST_SUITE_P(Hoisted, Expansion, testing::ValuesIn(kHoisted));

const Shape kFolded[] = {
    {"(* 60 60 24)", "main: 86400"},
    {"(str \"a\" 1)", "main: \"a1\""},
    {"(if (> 2 1) data/a data/b)", "main: data:a"},
    {"(let [limit (* 2 50)] (< data/n limit))", "main: (< data:n 100)"},
    {"(/ 1 0)", "main: (/ 1 0)"},               // fails when it runs, if it does
    {"(println 1)", "main: (println 1)"},       // not pure
    {"(range 100000)", "main: (range 100000)"}, // large
    {"(- Math/PI Math/PI)", "main: 0.0"},
};
INSTANTIATE_TEST_SUITE_P(Folded, Expansion, testing::ValuesIn(kFolded));

const Shape kTools[] = {
    {"(tool/search {:q \"x\"})", "main: (tool:search {:q \"x\"})"},
    {"(tool/search :q data/q :limit 3)", "main: (tool:search (map :q data:q :limit 3))"},
    {"(tool/search)", "main: (tool:search {})"},
    {"(call \"search\" {:q 1})", "main: (tool:search {:q 1})"},
    {"(-> {:q 1} tool/search :rows)", "main: (field :rows (tool:search {:q 1}))"},
    {"(map tool/fetch data/urls)", "main: (fold:map [out.0 x.1] [] data:urls (conj out.0 (tool:fetch x.1)))"},
    {"[tool/fetch]", "main: (vector fn:f1)\nf1(fetch) [arguments.0]: (tool:fetch arguments.0)"},
};
INSTANTIATE_TEST_SUITE_P(Tools, Expansion, testing::ValuesIn(kTools));

const Shape kNamespaces[] = {
    {"(clojure.string/upper-case data/s)", "main: (upper-case data:s)"},
    {"(str/join \",\" data/s)", "main: (join \",\" data:s)"},
    {"(clojure.core/map inc data/s)", "main: (fold:map [out.0 x.1] [] data:s (conj out.0 (inc x.1)))"},
    {"(java.time.LocalDate/parse data/s)", "main: (LocalDate/parse data:s)"},
    {"Double/POSITIVE_INFINITY", "main: ##Inf"},
    {"(.length data/s)", "main: (.length data:s)"},
};
INSTANTIATE_TEST_SUITE_P(Namespaces, Expansion, testing::ValuesIn(kNamespaces));

// ---- Errors
// --------------------------------------------------------------------------------------------------------------

class Mistake : public testing::TestWithParam<Shape> {};
TEST_P(Mistake, IsReportedAtItsPlace) { EXPECT_EQ(errors(GetParam().program), GetParam().tree) << GetParam().program; }

const Shape kMistakes[] = {
    // names
    {"(lenght [1])", "unbound_var `lenght`"},
    {"(if false nope 1)", "unbound_var `nope`"},
    {"(fn [x] (+ x zz))", "unbound_var `zz`"},
    {"(+ x 1) (def x 1)", "unbound_var `x`"},
    {"(defn f [] w) (def w 1)", "unbound_var `w`"},
    {"data", "unbound_var `data`"},
    {"(map and [1])", "unbound_var `and`"},
    {"*4", "unbound_var `*4`"},
    {"(fn [a] %)", "invalid_placeholder `%`"},
    {"#(+ % %99)", "invalid_placeholder `%99`"},
    {"(foo/bar 1)", "invalid_form `foo/bar`"},
    {"(clojure.string/map inc [1])", "invalid_form `clojure.string/map`"},
    {"(budget/left)", "invalid_form `budget/left`"},
    {"(.foo 1)", "unsupported_method `.foo`"},
    {"#'nothing", "unbound_var `#'nothing`"},
    // tools
    {"(if false (tool/serch {}) 1)", "unknown_tool `tool/serch`"},
    {"(call \"nope\")", "unknown_tool `\"nope\"`"},
    {"(tool/search 5)", "invalid_tool_args `5`"},
    {"(tool/search :q)", "invalid_tool_args `:q`"},
    {"(tool/search \"a\" 1 2)", "invalid_tool_args `2`"},
    // numbers of arguments
    {"(inc 1 2)", "arity_error `(inc 1 2)`"},
    {"(map inc)", "arity_error `(map inc)`"},
    {"(juxt)", "invalid_arity `(juxt)`"},
    {"(defn f [a b] a) (f 1)", "arity_mismatch `(f 1)`"},
    {"(defn f [a & b] a) (f)", "arity_mismatch `(f)`"},
    {"((fn [x] x))", "arity_mismatch `((fn [x] x))`"},
    {"(fn f [n] (f))", "arity_mismatch `(f)`"},
    {"(loop [i 0] (recur))", "arity_mismatch `(recur)`"},
    {"(:a)", "invalid_keyword_call `(:a)`"},
    {"({:a 1} 1 2 3)", "invalid_map_call `({:a 1} 1 2 3)`"},
    {"(if)", "invalid_arity `(if)`"},
    {"(def x 1 2)", "invalid_arity `(def x 1 2)`"},
    {"(apply inc)", "invalid_arity `(apply inc)`"},
    {"(5 1)", "not_callable `5`"},
    {"(\"s\" 1)", "not_callable `\"s\"`"},
    {"(map 5 data/x)", "type_error `5`"},
    {"(())", "invalid_form `()`"},
    // shapes
    {"(let (x 1) x)", "invalid_form `(x 1)`"},
    {"(let [x] x)", "invalid_form `[x]`"},
    {"(let [5 1] 1)", "unsupported_pattern `5`"},
    {"(let [a/b 1] 1)", "unsupported_pattern `a/b`"},
    {"(let [[a & b c] 1] 1)", "invalid_form `&`"},
    {"(let [{:keys a} data/m] 1)", "invalid_form `a`"},
    {"(let [{:keys [a] :or {:a 1}} data/m] a)", "invalid_form `{:a 1}`"},
    {"(let [{:key [a]} data/m] 1)", "unsupported_pattern `:key`"},
    {"(fn [:k] 1)", "unsupported_pattern `:k`"},
    {"(let [[a 5 {:keys [b]}] 1] [a b])", "unsupported_pattern `5`"},
    {"(fn ([x] 1) ([y] 2))", "invalid_form `[y]`"},
    {"(fn ([x & y] 1) ([a b c] 2))", "invalid_form `[x & y]`"},
    {"(fn ([x] 1) 5)", "invalid_form `5`"},
    {"(defn f 5)", "invalid_form `5`"},
    {"(def a/b 1)", "invalid_form `a/b`"},
    {"(cond 1)", "invalid_cond_form `1`"},
    {"(case 1 x 2)", "invalid_form `x`"},
    {"(cond-> 1 true)", "invalid_thread_form `true`"},
    {"(->)", "invalid_thread_form `(->)`"},
    {"(as-> 1 5 6)", "invalid_thread_form `5`"},
    {"(-> 5 (fn [x] x))", "invalid_form `(fn [x] x)`"},
    {"(for [x] x)", "invalid_form `x`"},
    {"(for [x [1] :unless 1] x)", "invalid_form `:unless`"},
    {"(for [x [1]])", "invalid_arity `(for [x [1]])`"},
    {"(doseq [x 5] x)", "invalid_arity `5`"},
    {"(quote 1 2)", "invalid_arity `(quote 1 2)`"},
    {"'(f #(g %))", "invalid_form `#(g %)`"},
    {"(catch Exception e 1)", "invalid_form `(catch Exception e 1)`"},
    {"(try 1 (catch Nope e 2))", "invalid_form `Nope`"},
    {"(try (finally 1) 2)", "invalid_form `2`"},
    {"#(map #(inc %) %)", "invalid_form `#(inc %)`"},
    {"(recur 1)", "invalid_form `(recur 1)`"},
    {"(loop [i 0] (inc (recur 1)))", "invalid_form `(recur 1)`"},
    {"(loop [i 0] (map (fn [x] x) (recur 1)))", "invalid_form `(recur 1)`"},
    {"{:a 1 :a 2}", "duplicate_key `:a`"},
    {"#{[1 (f)] [1 (f)]}", "duplicate_key `[1 (f)]`"},
    {"#\"(\"", "invalid_form `#\"(\"`"},
    // all of them, in order
    {"(foo) (let [x 1] (inc) (if))", "unbound_var `foo`; arity_error `(inc)`; invalid_arity `(if)`"},
    {"(map (fn [x] (fo x) (ba x)) data/xs)", "unbound_var `fo`; unbound_var `ba`"},
    // a small literal is inlined at two places; its errors count once
    {"(reduce (fn [a b] (fo a b)) data/xs)", "unbound_var `fo`"},
    {"(every? #(fo %) data/xs)", "unbound_var `fo`"},
};
INSTANTIATE_TEST_SUITE_P(Programs, Mistake, testing::ValuesIn(kMistakes));

TEST(AnalysisError, WhatAnUnknownDefinitionDefinesIsKnown) {
    EXPECT_EQ(errors("(defun area [w h] (* w h)) (area 2 3)"), "unbound_var `defun`");
    EXPECT_EQ(errors("(defun area (w h) (* w h)) (area 2 3)"), "unbound_var `defun`");
    EXPECT_EQ(errors("(define (area w h) (* w h)) (area 2 3)"), "unbound_var `define`");
    EXPECT_EQ(errors("(define x 5) (inc x)"), "unbound_var `define`");
}

TEST(AnalysisError, SuggestsTheNearestNameAndEditsIt) {
    Analysis a("(fliter odd? [1 2])");
    EXPECT_NE(a.error().hint.find("`filter`"), std::string::npos);
    ASSERT_EQ(a.error().edits.size(), 1u);
    EXPECT_EQ(a.error().edits[0].text, "filter");
    EXPECT_EQ(a.source.text(a.error().edits[0].span), "fliter");
}

TEST(AnalysisError, SuggestsWhatTheProgramItselfNames) {
    EXPECT_EQ(Analysis("(let [total 1] totl)").error().edits[0].text, "total");
    EXPECT_EQ(Analysis("(defn helper [] 1) (helpr)").error().edits[0].text, "helper");
    EXPECT_EQ(Analysis("orderz", {"orders"}).error().edits[0].text, "orders");
}

TEST(AnalysisError, TellsTheEquivalentOfWhatDoesNotExist) {
    Analysis length("(length [1])");
    EXPECT_EQ(length.error().edits[0].text, "count");
    Analysis file("(slurp \"x\")");
    EXPECT_NE(file.error().hint.find("no files"), std::string::npos);
    EXPECT_TRUE(file.error().edits.empty());
}

TEST(AnalysisError, TellsTheEquivalentOfJavaMethods) {
    Analysis text("(.capitalize \"a\")");
    EXPECT_EQ(text.error().hint, "Write (capitalize x).");
    ASSERT_EQ(text.error().edits.size(), 1u);
    EXPECT_EQ(text.error().edits[0].text, "capitalize");
    Analysis misspelt("(.indexof \"ab\" \"b\")");
    EXPECT_NE(misspelt.error().hint.find("`.indexOf`"), std::string::npos);
}

TEST(AnalysisError, AMisspeltAbsentNameIsToldTheEquivalent) {
    EXPECT_EQ(Analysis("(lenght [1])").error().edits[0].text, "count");
}

TEST(AnalysisError, AnAbsentNameIsNoMisspeltNameOfTheLanguage) {
    EXPECT_NE(Analysis("(random)").error().hint.find("deterministic"), std::string::npos) << "not `rand`";
    EXPECT_EQ(Analysis("(defn sand [x] x) (send 1)").error().edits[0].text, "sand") << "the program's own name";
}

TEST(AnalysisError, RepairsToolsAndThreadedLiterals) {
    EXPECT_EQ(Analysis("(tool/serch {})").error().edits[0].text, "tool/search");
    EXPECT_EQ(Analysis("(call \"serch\" {})").error().edits[0].text, "\"search\"");
    EXPECT_EQ(Analysis("(-> 5 (fn [x] x))").error().edits.size(), 2u);
}

TEST(AnalysisError, LabelsTheOtherPlace) {
    Analysis a("(+ later 1) (def later 1)");
    ASSERT_EQ(a.error().labels.size(), 1u);
    EXPECT_EQ(a.source.text(a.error().labels[0].span), "later");
    EXPECT_EQ(a.error().labels[0].span.begin, 17u);
}

TEST(AnalysisError, AnUnboundedNameIsCutInTheMessage) {
    Analysis a("(" + std::string(5000, 'x') + ")");
    EXPECT_LT(a.error().message.size(), 200u);
}

// ---- Facts of nodes
// --------------------------------------------------------------------------------------------------------

TEST(Tree, TailMarksWhatIsTheFunctionsValue) {
    Analysis a("(defn f [x] (if x (let [y (g x)] (g y)) (+ 1 (g x)))) (defn g [x] x)");
    const Function& f = a.tree.functions[1];
    const Node& test = *f.body;
    EXPECT_TRUE(test.tail);
    EXPECT_FALSE(test.children[0]->tail);
    const Node& let = *test.children[1];
    EXPECT_TRUE(let.tail);
    EXPECT_FALSE(let.children[0]->tail);
    EXPECT_TRUE(let.children[1]->tail);
    EXPECT_FALSE(test.children[2]->children[1]->tail);
}

TEST(Tree, ALoopInTailPositionHasATailBodyAndAFoldHasNot) {
    Analysis b("(let [f data/f] (map (fn [x] (f x)) data/xs))");
    const Node* fold = b.tree.functions[0].body->children.back();
    ASSERT_EQ(fold->kind, NodeKind::Fold);
    EXPECT_TRUE(fold->tail);
    EXPECT_FALSE(fold->children[2]->tail);
}

TEST(Tree, UsesCountReferencesAndCaptures) {
    Analysis a("(let [x data/a y data/b] (fn [] [x x y]) x)");
    const Node* let = a.tree.functions[0].body;
    EXPECT_EQ(let->locals[0]->uses, 2u); // one capture, one reference
    EXPECT_EQ(let->locals[1]->uses, 1u);
}

TEST(Tree, ADroppedBranchCountsNoUses) {
    Analysis a("(let [x data/a] (if true 1 [x x]))");
    EXPECT_EQ(a.tree.functions[0].body->locals[0]->uses, 0u);
}

TEST(Tree, InlinedNodesPointAtTheCall) {
    Analysis a("  (map inc data/xs)");
    const Node* fold = a.tree.functions[0].body;
    EXPECT_EQ(a.source.text(fold->children[2]->span), "(map inc data/xs)");
}

TEST(Tree, ListsWhatTheProgramUses) {
    Analysis a("(def x data/a) (defn y [] [data/b data/a (tool/search)])");
    EXPECT_EQ(a.tree.data_names, (std::vector<std::string_view>{"a", "b"}));
    EXPECT_EQ(a.tree.tool_names, (std::vector<std::string_view>{"search"}));
    auto defined = a.tree.defined_names;
    std::sort(defined.begin(), defined.end());
    EXPECT_EQ(defined, (std::vector<std::string_view>{"x", "y"}));
}

TEST(Tree, SessionNamesHideTheLanguage) {
    EXPECT_EQ(Analysis("(count 1)", {"count"}).text(), "main: (invoke global:count 1)\n");
    EXPECT_EQ(Analysis("(defn f [] 1) (f)", {"f"}).text(), "main: (do (def:f fn:f1) (invoke global:f))\nf1(f) []: 1\n");
}

// ---- Limits
// ----------------------------------------------------------------------------------------------------------------

std::string repeated(const std::string& before, const std::string& part, std::size_t n, const std::string& after) {
    std::string text = before;
    for (std::size_t i = 0; i < n; ++i)
        text += part;
    return text + after;
}

TEST(Limit, AThreadOfTenThousandStepsIsRefused) {
    EXPECT_EQ(Analysis(repeated("(-> data/x ", "inc ", 900, ")")).errors(), "");
    EXPECT_EQ(Analysis(repeated("(-> data/x ", "inc ", 10'000, ")")).error().reason, Reason::LimitExceeded);
}

TEST(Limit, ClausesLieWithinEachOther) {
    EXPECT_EQ(Analysis(repeated("(cond ", "data/x 1 ", 900, ")")).errors(), "");
    EXPECT_EQ(Analysis(repeated("(cond ", "data/x 1 ", 10'000, ")")).error().reason, Reason::LimitExceeded);
    EXPECT_EQ(Analysis(repeated("(some-> data/x ", "inc ", 10'000, ")")).error().reason, Reason::LimitExceeded);
    // Each method is tried behind those before it: 20,000 were as many levels of the tree, and no stack is that deep.
    EXPECT_EQ(Analysis(repeated("(defmulti m :k) ", "(defmethod m :k [x] x) ", 20'000, "")).error().reason,
              Reason::LimitExceeded);
}

TEST(Limit, NodesNamesAndConstantsAreCounted) {
    CompileLimits nodes;
    nodes.max_nodes = 100;
    EXPECT_EQ(Analysis(repeated("[", "data/x ", 80, "]"), {}, nodes).errors(), "");
    EXPECT_EQ(Analysis(repeated("[", "data/x ", 200, "]"), {}, nodes).error().reason, Reason::LimitExceeded);
    CompileLimits names;
    names.max_symbols = 3;
    EXPECT_EQ(Analysis("(let [a data/x b data/x c data/x] c)", {}, names).errors(), "");
    EXPECT_EQ(Analysis("(let [a data/x b data/x c data/x d data/x] d)", {}, names).error().reason,
              Reason::LimitExceeded);
    CompileLimits constants;
    constants.max_constants = 3;
    EXPECT_EQ(Analysis("[\"a\" \"b\"]", {}, constants).errors(), "");
    EXPECT_EQ(Analysis("[\"a\" \"b\" \"c\"]", {}, constants).error().reason, Reason::LimitExceeded);
}

TEST(Limit, ReportsItselfOnce) {
    CompileLimits limits;
    limits.max_nodes = 10;
    Analysis a(repeated("[", "(foo) ", 100, "]"), {}, limits);
    EXPECT_EQ(std::count_if(a.diagnostics.all().begin(), a.diagnostics.all().end(),
                            [](const Diagnostic& d) { return d.error.reason == Reason::LimitExceeded; }),
              1);
}

// ---- The core library
// --------------------------------------------------------------------------------------------------------

TEST(Core, HasNoErrors) {
    Heap heap(Heap::Mode::Frozen);
    ShapeTable shapes(heap);
    Diagnostics diagnostics;
    CoreTree tree = analyze_core(core(), heap, diagnostics);
    for (const Diagnostic& d : diagnostics.all())
        ADD_FAILURE() << core().source().text(d.error.span) << ": " << d.error.message;
    EXPECT_EQ(tree.first_arity.size(), core().all().size());
}

TEST(Core, EveryFunctionIsDocumentedAndItsUsageTellsItsArities) {
    for (const CoreFunction& function : core().all()) {
        SCOPED_TRACE(std::string(function.name));
        EXPECT_FALSE(function.doc.empty());
        const Arity arity = arity_of_usage(function.usage);
        std::size_t min = SIZE_MAX, max = 0;
        bool open = false;
        for (const CoreFunction::ArityForm& form : function.arities) {
            min = std::min<std::size_t>(min, form.count);
            max = std::max<std::size_t>(max, form.count);
            open = open || form.variadic;
        }
        EXPECT_EQ(arity.min, min);
        EXPECT_EQ(arity.max, open ? Arity::kOpen : max);
        if (function.name.back() != '%') {
            EXPECT_FALSE(function.example_source.empty());
            EXPECT_EQ(Analysis(std::string(function.example_source)).errors(), "");
        }
    }
}

TEST(Core, RecursiveFunctionsAreCalledAndOthersInlined) {
    EXPECT_TRUE(core().find("map")->inlined);
    EXPECT_FALSE(core().find("postwalk")->inlined);
    EXPECT_EQ(core().find("filterx"), nullptr);
}

TEST(SpecialForms, AllHaveUsageAndDoc) {
    for (const CoreName& name : core().names()) {
        if (name.name.empty()) continue;
        EXPECT_EQ(core().lookup(name.name, name.hash), &name);
    }
}

/// Counts what it is asked.
class CountedNames final : public KnownNames {
public:
    [[nodiscard]] bool has(std::string_view name) const override {
        ++asked;
        return name == "known" || name == "other";
    }
    [[nodiscard]] std::size_t size() const override { return 2; }
    [[nodiscard]] std::vector<std::string_view> all() const override {
        ++listed;
        return {"known", "other"};
    }
    mutable int asked = 0, listed = 0;
};

/// The errors of a program in a session with these names, as one text.
std::string errors_with(const CountedNames& names, std::string text) {
    const Source source("test", std::move(text));
    Diagnostics diagnostics;
    Heap heap;
    const Forms forms = read_forms(source, {}, diagnostics);
    Environment environment;
    environment.globals = &names;
    (void)analyze(forms, source, environment, core(), {}, heap, diagnostics);
    std::string all;
    for (const Diagnostic& d : diagnostics.all())
        all += d.error.message + d.error.hint + "\n";
    return all;
}

TEST(SessionNames, AreAskedForOnceANameAndListedForMessagesAlone) {
    const CountedNames names;
    EXPECT_EQ(
        errors_with(names, "(defn f [x] (+ x x known known known)) (f (f (f known))) (let [known 1] (inc known))"), "");
    EXPECT_EQ(names.listed, 0);
    EXPECT_LE(names.asked, 8); // defn f + x known let inc
    EXPECT_NE(errors_with(names, "(+ knowm 1)").find("known"), std::string::npos);
    EXPECT_EQ(names.listed, 1);
}

} // namespace
} // namespace ptc
