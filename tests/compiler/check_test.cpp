// Warnings: by reason and the text that they point at. What must not be warned of stands beside what must, because a
// warning that is wrong does more harm than one that is missing.
#include "compiler/check/check.h"
#include "compiler/check/type_facts.h"
#include "compiler/compile.h"
#include "compiler/language/core_library.h"
#include "ptc/data_set.h"
#include "subagent/engine/data_set_impl.h"
#include "tests/support/core.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ptc {
namespace {

using test::core;

ToolInfo tool(const char* name, const char* signature) {
    return {.name = name, .description = "", .signature = parse_signature(signature).value()};
}

const std::vector<ToolInfo>& signed_tools() {
    static const std::vector<ToolInfo> list{
        tool("users", "(active :bool?, limit :int?) -> [{id :int, name :string, address {zip_code :string}?}]"),
        tool("search",
             "(query :string, page-size :int[1..100]?, sort :enum[asc desc]?) -> {total :int, items [{sku :string}]}"),
        tool("save", "(user {id :int, tags [:string]}, note :string|:int?) -> :any"),
        tool("anything", "() -> :map"),
        {"unsigned", "", {}},
        {.name = "odd",
         .description = "",
         .signature = parse_signature("() -> {n :int, rows [{m :int}], deep {a :int|{b :int}}}").value(),
         .unwritten = {{"", "@id"}, {"rows[]", "user id"}, {"deep", "$ref"}}},
    };
    return list;
}

/// data/orders and data/names.
const DataFacts& sample_data() {
    static const auto orders =
        DataSet::from_json("orders", R"([{"amount": 2, "status": "paid", "customer": {"first_name": "A"}, "tags": []},
                      {"amount": null, "note": "x", "status": "open", "id": 5},
                      {"id": "six", "lines": [{"qty": 1}]}, {"lines": [{"sku": "a"}]}])");
    static const auto config = DataSet::from_json("config", R"({"limits": {}, "2024-01": 5, "rates": {"EUR": 1.0}})");
    static DataFacts facts;
    if (facts.all().empty()) {
        static Heap heap;
        EXPECT_TRUE(facts.add(heap, Value::adopt(impl_of(*orders.value()).root)).ok());
        EXPECT_TRUE(facts.add(heap, Value::adopt(impl_of(*config.value()).root)).ok());
    }
    return facts;
}

struct Checked {
    explicit Checked(const std::string& text, bool with_host = false, bool strict = true) {
        CompileOptions options;
        options.environment.any_tool = true;
        const std::string_view globals[] = {"known", "max"};
        const ListedNames known(globals);
        options.environment.globals = &known;
        if (with_host) {
            options.environment.tools = signed_tools();
            options.environment.data = sample_data().all();
            options.environment.strict_arguments = strict;
        }
        source = Source("test", text);
        compiles = compile(Source("test", text), options, core(), diagnostics) != nullptr;
        diagnostics.sort();
    }
    Source source;
    Diagnostics diagnostics;
    bool compiles = false;

    /// "unused_binding `x`; .."
    std::string summary() {
        std::string out;
        for (const Diagnostic& d : diagnostics.all()) {
            if (!out.empty()) out += "; ";
            if (d.severity == Severity::Error) out += "error ";
            out += std::string(reason_name(d.error.reason)) + " `" + std::string(source.text(d.error.span)) + "`";
        }
        return out;
    }
};

std::string warnings(const std::string& text) { return Checked(text).summary(); }

/// The message and hint of the only warning.
Error only(const std::string& text) {
    Checked checked(text);
    EXPECT_EQ(checked.diagnostics.all().size(), 1u) << checked.summary();
    return checked.diagnostics.all().empty() ? Error() : checked.diagnostics.all()[0].error;
}

std::string repaired(const std::string& text) {
    std::string result = text;
    const std::vector<Edit> edits = only(text).edits; // in the order of the text
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
        result.replace(edit->span.begin, edit->span.size(), edit->text);
    return result;
}

// ---- Bindings

TEST(CheckBindings, OfLetAndLoopThatNothingReads) {
    EXPECT_EQ(warnings("(let [x 1] 2)"), "unused_binding `x`");
    EXPECT_EQ(warnings("(let [x 1 y x] 2)"), "unused_binding `y`");
    EXPECT_EQ(warnings("(let [x 1] (let [x 2] x))"), "unused_binding `x`");
    EXPECT_EQ(warnings("(loop [i 0 n 5] (if (> i 3) i (recur (inc i) 4)))"), "unused_binding `n`");
    EXPECT_EQ(warnings("(if-let [x (known)] 1 2)"), "unused_binding `x`");
    EXPECT_EQ(warnings("(for [x [1 2] :let [y x]] 1)"), "unused_binding `y`");
    EXPECT_EQ(warnings("(let [x 1] (comment x))"), "unused_binding `x`");
    EXPECT_EQ(repaired("(let [x (known)] 2)"), "(let [_x (known)] 2)");
}

TEST(CheckBindings, ThatAreReadSomewhere) {
    EXPECT_EQ(warnings("(let [x 1 x (inc x)] x)"), "");
    EXPECT_EQ(warnings("(let [x 1] (fn [] #(+ x %)))"), "");
    EXPECT_EQ(warnings("(let [f inc] (map f [1]))"), "");
    EXPECT_EQ(warnings("(let [f inc] (map #'f [1]))"), "");
    EXPECT_EQ(warnings("(let [x 1] {:a [#{x}]})"), "");
    EXPECT_EQ(warnings("(let [x 1] (-> 2 (+ x)))"), "");
    EXPECT_EQ(warnings("(loop [i 0] (if (known) 1 (recur (inc i))))"), "");
}

TEST(CheckBindings, ThatAreMeantToBeIgnored) {
    EXPECT_EQ(warnings("(let [_ (println 1) _x 2] 3)"), "");
    EXPECT_EQ(warnings("(map (fn [x] 1) [1])"), "");
    EXPECT_EQ(warnings("(defn f [a b] a)"), "");
    EXPECT_EQ(warnings("(reduce (fn [n _] (inc n)) 0 [1])"), "");
    EXPECT_EQ(warnings("(for [i (range 3)] 0)"), "");
    EXPECT_EQ(warnings("(doseq [i (range 3)] (println 0))"), "");
}

TEST(CheckBindings, OfPatterns) {
    EXPECT_EQ(warnings("(let [{:keys [a b]} (known)] a)"), "unused_binding `b`");
    EXPECT_EQ(warnings("(map (fn [{:keys [a b]}] a) (known))"), "unused_binding `b`");
    EXPECT_EQ(warnings("(let [{:keys [a] :as all} (known)] a)"), "unused_binding `all`");
    EXPECT_EQ(warnings("(let [{x :a y :b} (known)] x)"), "unused_binding `y`");
    EXPECT_EQ(warnings("(let [[a b & c] (known)] 1)"), "unused_binding `a`");
    EXPECT_TRUE(only("(let [{:keys [a b]} (known)] a)").edits.empty()) << "the name is the key as well";
}

TEST(CheckBindings, OfPatternsThatCountPositions) {
    EXPECT_EQ(warnings("(let [[a b] (known)] b)"), "");
    EXPECT_EQ(warnings("(let [[[a b] c] (known)] c)"), "");
    EXPECT_EQ(warnings("(map (fn [[k v]] k) (known))"), "");
    EXPECT_EQ(warnings("(let [{:keys [a b] :or {b a}} (known)] b)"), "");
    EXPECT_EQ(warnings("(let [a 1] (fn [{:keys [a] :or {a a}}] a))"), "");
}

TEST(CheckBindings, ThatHideWhatIsCalled) {
    EXPECT_EQ(warnings("(let [count 5] (count [1]))"), "not_callable `count`");
    EXPECT_EQ(warnings("(let [name (:name (known))] (name :a))"), "");
    EXPECT_EQ(warnings("(let [count 5] (inc count))"), "");
    EXPECT_EQ(warnings("(let [first [1 2]] (first 0))"), "") << "a vector can be called";
}

// ---- Code that is not run

TEST(CheckReach, AfterTheEnd) {
    EXPECT_EQ(warnings("(return 1) 2 3"), "unreachable_code `2`; unreachable_code `3`");
    EXPECT_EQ(warnings("(do (fail \"x\") 2)"), "unreachable_code `2`");
    EXPECT_EQ(warnings("(do (call \"return\" 1) 2)"), "unreachable_code `2`");
    EXPECT_EQ(warnings("(do (if (known) (return 1) (fail 2)) 3)"), "unreachable_code `3`");
    EXPECT_EQ(warnings("(defn die [m] (fail m)) (die 1) 2"), "unreachable_code `2`");
    EXPECT_EQ(warnings("(do (let [x (known)] (return x)) 3)"), "unreachable_code `3`");
}

TEST(CheckReach, AfterWhatMayGoOn) {
    EXPECT_EQ(warnings("(when (known) (return 1)) 2"), "");
    EXPECT_EQ(warnings("(if (known) (return 1) 2) 3"), "");
    EXPECT_EQ(warnings("(doseq [x (known)] (return x)) 2"), "");
    EXPECT_EQ(warnings("(map (fn [x] (return x)) (known)) 2"), "suspicious_form `(fn`");
    EXPECT_EQ(warnings("(and (known) (return 1)) 2"), "");
    EXPECT_EQ(warnings("(loop [i 0] (if (< i 3) (recur (inc i)) (fail i)))"), "");
    EXPECT_EQ(warnings("(cond (known) (return 1)) 2"), "");
    EXPECT_EQ(warnings("(case (known) 1 (return 1) 2 (return 2)) 3"), "");
}

TEST(CheckReach, AfterAPartThatAlwaysDecides) {
    EXPECT_EQ(warnings("(cond (known) 1 :else 2 (known) 3)"), "unreachable_code `(known)`");
    EXPECT_EQ(warnings("(or (known) [] (println 1))"), "unreachable_code `(println 1)`");
    EXPECT_EQ(warnings("(or (count (known)) 1)"), "unreachable_code `1`");
    EXPECT_EQ(warnings("(and (known) nil 2)"), "unreachable_code `2`");
    EXPECT_EQ(warnings("(cond (known) 1 :else 2)"), "");
    EXPECT_EQ(warnings("(cond (known) 1 true 2)"), "");
    EXPECT_EQ(warnings("(or (known) :none)"), "");
    EXPECT_EQ(warnings("(or (first (range 3)) 2)"), "");
}

TEST(CheckTests, WithOneOutcome) {
    EXPECT_EQ(warnings("(if true 1 2)"), "constant_test `true`");
    EXPECT_EQ(warnings("(when nil 1)"), "constant_test `nil`");
    EXPECT_EQ(warnings("(if (filter odd? (known)) 1 2)"), "constant_test `(filter odd? (known))`");
    EXPECT_EQ(warnings("(when (->> (known) (map :a)) 1)"), "constant_test `(->> (known) (map :a))`");
    EXPECT_EQ(warnings("(if-let [xs (keep :a (known))] xs 2)"), "constant_test `(keep :a (known))`");
    EXPECT_EQ(warnings("(when-not (count (known)) 1)"), "constant_test `(count (known))`");
    EXPECT_EQ(warnings("(cond (str (known)) 1 :else 2)"), "constant_test `(str (known))`");
    EXPECT_EQ(warnings("(for [x (known) :when (vec x)] x)"), "constant_test `(vec x)`");
    EXPECT_EQ(only("(if (filter odd? (known)) 1 2)").hint, "Write `(seq ..)` to ask whether there is anything in it.");
    EXPECT_EQ(only("(if (count (known)) 1 2)").hint, "Compare it: `(pos? ..)`, `(zero? ..)`.");
}

TEST(CheckTests, WithMoreThanOneOutcome) {
    EXPECT_EQ(warnings("(if (seq (filter odd? (known))) 1 2)"), "");
    EXPECT_EQ(warnings("(if (first (known)) 1 2)"), "");
    EXPECT_EQ(warnings("(if (some odd? (known)) 1 2)"), "");
    EXPECT_EQ(warnings("(if (index-of \"a\" (known)) 1 2)"), "");
    EXPECT_EQ(warnings("(if (parse-long (known)) 1 2)"), "");
    EXPECT_EQ(warnings("(if (odd? 1) 1 2)"), "");
    EXPECT_EQ(warnings("(let [verbose true] (when verbose (println 1)))"), "") << "there to be changed";
    EXPECT_EQ(warnings("(let [c {:limit 5}] (if (:limit c) (get c :limit) 0))"), "");
    EXPECT_EQ(warnings("(if-some [x false] x 1)"), "");
}

// ---- Clauses

TEST(CheckClauses, ThatAnEarlierOneHides) {
    EXPECT_EQ(warnings("(case (known) :a 1 :b 2 :a 3)"), "repeated_clause `:a`");
    EXPECT_EQ(warnings("(case (known) (\"a\" \"b\") 1 \"b\" 2 nil)"), "repeated_clause `\"b\"`");
    EXPECT_EQ(warnings("(cond (< (known) 1) 1 (known) 2 (< (known) 1) 3)"), "") << "a call may give something else";
    EXPECT_EQ(warnings("(fn [x] (cond (< x 1) 1 (= x 1) 2 (< x 1) 3))"), "repeated_clause `(< x 1)`");
    EXPECT_EQ(warnings("(condp = (known) 1 :a 2 :b 1 :c)"), "repeated_clause `1`");
    EXPECT_EQ(warnings("(case (known) 1 :a 1.0 :b :c)"), "");
}

TEST(CheckMaps, WithANameInTwoSpellings) {
    EXPECT_EQ(warnings("{:a (known) \"a\" 2}"), "suspicious_form `\"a\"`");
    EXPECT_EQ(warnings("[{\"x\" 1 :y (known) :x 2 \"y\" 3}]"), "suspicious_form `:x`; suspicious_form `\"y\"`");
    EXPECT_EQ(warnings("{:a (known) \"b\" 2 :a-b 3 \"a_b\" 4}"), "");
    EXPECT_EQ(warnings("[{:a (known)} {\"a\" 1}]"), "");
}

TEST(CheckClauses, ThatAreNoDefault) {
    EXPECT_EQ(warnings("(case (known) :a 1 :else 2)"), "literal_default `:else`");
    EXPECT_EQ(warnings("(case (known) 1 :a :default 2)"), "literal_default `:default`");
    EXPECT_TRUE(only("(case (known) :a 1 :else 2)").edits.empty()) << "the value may be :else";
    EXPECT_EQ(warnings("(condp = (known) :a 1 :else 2)"), "literal_default `:else`");
    EXPECT_EQ(warnings("(case (known) :a 1 :else)"), "");
    EXPECT_EQ(warnings("(case (known) :else 1 :a 2)"), "");
}

// ---- Values

TEST(CheckDiscarded, ValuesThatNothingUses) {
    EXPECT_EQ(warnings("(fn [m] (assoc m :a 1) m)"), "unused_value `(assoc m :a 1)`");
    EXPECT_EQ(warnings("(doseq [x [1]] (conj [] x))"), "unused_value `(conj [] x)`");
    EXPECT_EQ(warnings("(map inc [1]) 2"), "unused_value `(map inc [1])`");
    EXPECT_EQ(warnings("(let [m (known)] (:a m) (when (:b m) (inc 1)) 3)"),
              "unused_value `(:a m)`; unused_value `(when (:b m) (inc 1))`");
    EXPECT_NE(only("(do (update {} :a inc) 2)").hint.find("Collections never change"), std::string::npos);
}

TEST(CheckDiscarded, WhatHasAnEffect) {
    EXPECT_EQ(warnings("(do (println 1) (prn 2) 3)"), "");
    EXPECT_EQ(warnings("(do (tool/save {}) 3)"), "");
    EXPECT_EQ(warnings("(do (call \"save\") 3)"), "");
    EXPECT_EQ(warnings("(do (map println [1]) 3)"), "");
    EXPECT_EQ(warnings("(do (mapv (fn [x] (println x)) [1]) 3)"), "");
    EXPECT_EQ(warnings("(do (->> [1] (map #(tool/save {:x %}))) 3)"), "");
    EXPECT_EQ(warnings("(do (known 1) (known) 3)"), "");
    EXPECT_EQ(warnings("(do (max 1) 3)"), "") << "a definition of the session";
    EXPECT_EQ(warnings("(fn [f] (f 1) (map f [1]) (update {} :a f) (f))"), "");
    EXPECT_EQ(warnings("(do (map (comp println inc) [1]) 3)"), "");
    EXPECT_EQ(warnings("(do (map (partial known 1) [1]) 3)"), "");
    EXPECT_EQ(warnings("(do (apply known [1]) 3)"), "");
    EXPECT_EQ(warnings("(do (pmap tool/save [{}]) 3)"), "");
    EXPECT_EQ(warnings("(do (doseq [x [1]] (println x)) (def a 1) (comment 1) 3)"), "");
    EXPECT_EQ(warnings("(do (walk known identity [1]) 3)"), "");
    EXPECT_EQ(warnings("(do \"a text\" 3)"), "") << "people write comments like this";
}

TEST(CheckEqual, ValuesOfKindsThatAreNeverEqual) {
    EXPECT_EQ(warnings("(= (str (known)) :a)"), "never_equal `:a`");
    EXPECT_EQ(warnings("(not= 1 (name (known)))"), "never_equal `1`");
    EXPECT_EQ(warnings("(filter #(= (:status %) :paid) [{:status \"paid\"}])"), "never_equal `:paid`");
    EXPECT_EQ(warnings("(case (count (known)) \"1\" 1 2)"), "never_equal `\"1\"`");
    EXPECT_EQ(warnings("(contains? #{:a :b} (str (known)))"), "never_equal `:a`; never_equal `:b`");
    EXPECT_EQ(warnings("(filter #{:a} [\"a\"])"), "never_equal `:a`");
    EXPECT_EQ(repaired("(= (str (known)) :a)"), "(= (str (known)) \"a\")");
    EXPECT_EQ(repaired("(= (keyword (known)) \"a\")"), "(= (keyword (known)) :a)");
}

TEST(CheckEqual, NilAmongWhatIsOrdered) {
    EXPECT_EQ(warnings("(> nil 1)"), "suspicious_form `nil`");
    EXPECT_EQ(warnings("(<= 0 (known) nil)"), "suspicious_form `nil`");
    EXPECT_EQ(warnings("(min (known) nil)"), "suspicious_form `nil`");
    EXPECT_EQ(warnings("(if (< (known) nil) 1 2)"), "suspicious_form `nil`");
    EXPECT_EQ(warnings("(= nil (known))"), "");
    EXPECT_EQ(warnings("(> (or (known) 0) 1)"), "");
    EXPECT_EQ(warnings("(let [x nil] (> (or x 2) 1))"), "");
}

TEST(CheckEqual, ValuesThatMayBeEqual) {
    EXPECT_EQ(warnings("(= (known) :a)"), "");
    EXPECT_EQ(warnings("(= 1 1.0 (count (known)))"), "");
    EXPECT_EQ(warnings("(= (last [\"a\" 1]) 1)"), "");
    EXPECT_EQ(warnings("(= nil (str (known)))"), "");
    EXPECT_EQ(warnings("(let [x (if (known) 1 \"a\")] (= x \"a\"))"), "");
    EXPECT_EQ(warnings("(loop [x \"\"] (if (= x 1) x (recur 1)))"), "");
    EXPECT_EQ(warnings("(reduce (fn [acc x] (if (= acc :none) x acc)) \"\" [1])"), "");
    EXPECT_EQ(warnings("(let [m {:a 1 \"a\" \"x\"}] (= (get m \"a\") \"x\"))"), "suspicious_form `\"a\"`");
    EXPECT_EQ(warnings("(let [m (assoc {:a 1} :a \"x\")] (= (:a m) \"x\"))"), "");
    EXPECT_EQ(warnings("(= false (and (known) (str 1)))"), "");
}

// ---- Fields

TEST(CheckFields, AreNamedWithoutWhatDisturbsATerminal) {
    const std::string message = only("(let [m {\"a\\u001b[1m\\nb\" 1 :q 2}] (:x m))").message;
    EXPECT_EQ(message, "This map has no field `:x`; there are `a [1m b`, `q`.");
}

TEST(CheckFields, OfMapsThatTheProgramMakes) {
    EXPECT_EQ(warnings("(let [r {:name 1 :total 2}] (:totl r))"), "unknown_field `:totl`");
    EXPECT_EQ(repaired("(let [r {:name 1 :total 2}] (:totl r))"), "(let [r {:name 1 :total 2}] (:total r))");
    EXPECT_EQ(warnings("(sort-by :totl > (map (fn [x] {:total x}) (known)))"), "unknown_field `:totl`");
    EXPECT_EQ(warnings("(->> (for [x (known)] {:total x}) (filter :big) (map #(get % \"sum\")))"),
              "unknown_field `:big`; unknown_field `\"sum\"`");
    EXPECT_EQ(warnings("(let [{:keys [nmae]} {:name 1}] nmae)"), "unknown_field `nmae`");
    EXPECT_EQ(warnings("(get-in {:a {:name 1}} [:a :nmae])"), "unknown_field `:nmae`");
    EXPECT_EQ(warnings("(map (fn [[k rows]] (map :c rows)) (group-by :a (map (fn [x] {:a x}) (known))))"),
              "unknown_field `:c`");
    EXPECT_EQ(warnings("(let [row (first (sort-by :a [{:a 1}]))] (:b row))"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(map (juxt :a :b) [{:a 1}])"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(map (comp str :b) [{:a 1}])"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(sum-by \"b\" [{:a 1}])"), "unknown_field `\"b\"`");
    EXPECT_EQ(warnings("(def rows [{:a 1}]) (map :b rows)"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(defn make [x] {:a x}) (:b (make 1))"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(let [u {:a {:b 1}}] (-> u :a :c))"), "unknown_field `:c`");
    EXPECT_EQ(warnings("(as-> {:a 1} m (:b m))"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(map :name (vals {:a {:nam 1}}))"), "unknown_field `:name`");
    EXPECT_EQ(warnings("(map #(:b (merge % {:c 1})) [{:a 1}])"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(defn f [n] (:size n)) (f {:kids 1})"), "unknown_field `:size`");
}

TEST(CheckFields, ThatAreThereOrMayBe) {
    EXPECT_EQ(warnings("(:b (assoc {:a 1} :b 2))"), "");
    EXPECT_EQ(warnings("(defn size [n] (if (:kids n) (reduce + 0 (map size (:kids n))) (:size n)))"
                       "(size {:kids [{:size 1}]})"),
              "")
        << "a function that calls itself reads leaves, too";
    EXPECT_EQ(warnings("(defn a [n] (or (:size n) (b (first (:kids n))))) (defn b [n] (a n)) (a {:kids [{:size 1}]})"),
              "");
    EXPECT_EQ(warnings("(:b (if (known) {:a 1} {:b 2}))"), "");
    EXPECT_EQ(warnings("(:b (merge {:a 1} (known)))"), "");
    EXPECT_EQ(warnings("(:b {:a 1} 0)"), "");
    EXPECT_EQ(warnings("(get {:a 1} :b :none)"), "");
    EXPECT_EQ(warnings("(let [{:keys [b] :or {b 1}} {:a 1}] b)"), "");
    EXPECT_EQ(warnings("(contains? {:a 1} :b)"), "");
    EXPECT_EQ(warnings("(get {:a 1} (known))"), "");
    EXPECT_EQ(warnings("(:a {\"a\" 1})"), "");
    EXPECT_EQ(warnings("(get {:a 1} \"a\")"), "");
    EXPECT_EQ(warnings("(:first-name {:first_name 1})"), "");
    EXPECT_EQ(warnings("(:first_name {:first-name 1})"), "unknown_field `:first_name`")
        << "hyphens become underscores only";
    EXPECT_EQ(warnings("(reduce (fn [m x] (:n m) (assoc m :n x)) {} [1])"), "unused_value `(:n m)`");
    EXPECT_EQ(warnings("(reduce (fn [m x] (assoc m :n (inc (:n m)))) {:o 1} [1])"), "");
    EXPECT_EQ(warnings("(loop [m {}] (if (:done m) m (recur (assoc m :done true))))"), "");
    EXPECT_EQ(warnings("(loop [m {:a 1} i 3] (if (zero? i) (:a m) (recur m (dec i))))"), "");
    EXPECT_EQ(warnings("(loop [m {:a 1} i 3] (if (zero? i) (:b m) (let [m (assoc m :b i)] (recur m (dec i)))))"), "");
    EXPECT_EQ(warnings("(loop [m {:a 1} i 3] (if (zero? i) (:b m) (recur m (dec i))))"), "unknown_field `:b`");
    EXPECT_EQ(warnings("(loop [m {:a 1} i 0] (if (< i 3) (as-> (assoc m :b i) m (recur m (inc i))) (:b m)))"), "");
    EXPECT_EQ(warnings("(loop [m {:a 1}] (if (:b m) (:b m) (-> m (assoc :b 2) recur)))"), "");
    EXPECT_EQ(warnings("(update {} :n (fnil inc 0))"), "");
    EXPECT_EQ(warnings("(:n (update {} :n (fnil inc 0)))"), "");
    EXPECT_EQ(warnings("(let [m (into {} [[:a 1]])] (:a m))"), "");
    EXPECT_EQ(warnings("(:a (zipmap [:a] [1]))"), "");
    EXPECT_EQ(warnings("(def x {:a 1}) (def x (known)) (:b x)"), "");
    EXPECT_EQ(warnings("(defonce x {:a 1}) (:b x)"), "");
    EXPECT_EQ(warnings("(let [m {:a 1}] (:b (known m)))"), "");
    EXPECT_EQ(warnings("(let [map {:a 1} x (known)] (:b (map x)))"), "");
    EXPECT_EQ(warnings("(:b (cond-> {:a 1} (known) (assoc :b 2)))"), "");
    EXPECT_EQ(warnings("(:a (dissoc {:a 1} :a))"), "");
    EXPECT_EQ(warnings("(:b (assoc-in {:a 1} [:b] 2))"), "");
}

TEST(CheckFields, OfWhatHasNone) {
    EXPECT_EQ(warnings("(:name [{:name 1}])"), "unknown_field `:name`");
    EXPECT_EQ(warnings("(:name (filter :name (known)))"), "unknown_field `:name`");
    EXPECT_EQ(warnings("(map :name (split (known) \",\"))"), "unknown_field `:name`");
    EXPECT_NE(only("(:name (vec (known)))").hint.find("(map :name ..)"), std::string::npos);
    EXPECT_EQ(warnings("(:a #{:a})"), "");
}

// ---- Tools and data

/// With tools that have signatures, and data.
std::string hosted(const std::string& text) { return Checked(text, true).summary(); }

TEST(CheckTools, FieldsThatNoSignatureWrites) {
    EXPECT_EQ(hosted("(get (tool/odd) \"@id\")"), "");
    EXPECT_EQ(hosted("(map (fn [row] (get row \"user id\")) (:rows (tool/odd)))"), "");
    EXPECT_EQ(hosted("(get-in (tool/odd) [:deep \"$ref\"])"), "");
    EXPECT_EQ(hosted("(get (tool/odd) \"user id\")"), "unknown_field `\"user id\"`") << "of a row";
    EXPECT_EQ(hosted("(:nn (tool/odd))"), "unknown_field `:nn`");
    EXPECT_EQ(hosted("(map :mm (:rows (tool/odd)))"), "unknown_field `:mm`");
}

TEST(CheckTools, FieldsOfResults) {
    EXPECT_EQ(hosted("(map :nmae (tool/users {}))"), "unknown_field `:nmae`");
    EXPECT_EQ(hosted("(let [{:keys [items]} (tool/search {:query \"a\"})] (map :price items))"),
              "unknown_field `:price`");
    EXPECT_EQ(hosted("(->> (tool/users) (group-by :name) vals (map first) (sort-by :age))"), "unknown_field `:age`");
    EXPECT_EQ(hosted("(doseq [u (call \"users\" {})] (println (:nme u)))"), "unknown_field `:nme`");
    EXPECT_EQ(hosted("(map (fn [u] (get-in u [:address :town])) (tool/users))"), "unknown_field `:town`");
    EXPECT_EQ(hosted("(def us (tool/users)) (defn f [] (map :nme us)) (f)"), "unknown_field `:nme`");
    EXPECT_EQ(hosted("(:total (map tool/search [{:query \"a\"}]))"), "unknown_field `:total`") << "a vector";
    EXPECT_EQ(hosted("(map :totl (pmap tool/search [{:query \"a\"}]))"), "unknown_field `:totl`");
    EXPECT_EQ(hosted("(get (first (tool/users)) :emial \"none\")"), "unknown_field `:emial`")
        << "a default hides the mistake";
    EXPECT_NE(Checked("(map :nmae (tool/users {}))", true).diagnostics.all()[0].error.message.find("`tool/users`"),
              std::string::npos);
}

TEST(CheckTools, ResultsThatMayHaveAnything) {
    EXPECT_EQ(hosted("(map :name (filter :id (tool/users)))"), "");
    EXPECT_EQ(hosted("(map #(-> % :address :zip-code) (tool/users))"), "");
    EXPECT_EQ(hosted("(:foo (tool/anything)) "), "");
    EXPECT_EQ(hosted("(:foo (tool/save {:user {:id 1 :tags []}}))"), "");
    EXPECT_EQ(hosted("(:foo (tool/unsigned {}))"), "");
    EXPECT_EQ(hosted("(if (:name (first (tool/users))) 1 2)"), "") << "a host may break its word";
    EXPECT_EQ(hosted("(map :extra (map #(assoc % :extra 1) (tool/users)))"), "");
    EXPECT_EQ(hosted("(map #(merge % (known)) (tool/users))"), "");
}

TEST(CheckTools, ArgumentsThatAreMissingOrNotKnown) {
    EXPECT_EQ(hosted("(tool/search)"), "error invalid_tool_args `(tool/search)`");
    EXPECT_EQ(hosted("(tool/search {})"), "error invalid_tool_args `(tool/search {})`");
    EXPECT_EQ(hosted("(tool/search {:querry 1})"), "error invalid_tool_args `:querry`");
    EXPECT_EQ(hosted("(tool/search :query \"a\" :page_sise 2)"), "invalid_tool_args `:page_sise`");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :region 2})"), "invalid_tool_args `:region`");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :page-size 5})"), "");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" \"page_size\" 5})"), "");
    EXPECT_EQ(hosted("(tool/search {(known) 1})"), "") << "perhaps the query";
    EXPECT_EQ(hosted("(tool/search (known))"), "");
    EXPECT_EQ(hosted("(tool/search (assoc {:page-size 1} :query \"a\"))"), "");
    EXPECT_EQ(hosted("(tool/search (assoc {:page-size 1} :qurey \"a\"))"),
              "invalid_tool_args `(assoc {:page-size 1} :qurey \"a\")`");
    EXPECT_EQ(hosted("(tool/anything {:a 1})"), "") << "a signature of the output alone";
    EXPECT_EQ(hosted("(tool/unsigned {:a 1})"), "");
}

TEST(CheckTools, ArgumentsOfAnotherType) {
    EXPECT_EQ(hosted("(tool/search {:query 5})"), "error invalid_tool_args `5`");
    EXPECT_EQ(hosted("(tool/search {:query nil})"), "error invalid_tool_args `nil`");
    EXPECT_EQ(hosted("(tool/search {:query [\"a\"]})"), "error invalid_tool_args `[\"a\"]`");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :page-size \"ten\"})"), "error invalid_tool_args `\"ten\"`");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :page-size 1.5})"), "error invalid_tool_args `1.5`");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :page-size 1000})"), "error invalid_tool_args `1000`");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :sort :up})"), "error invalid_tool_args `:up`");
    EXPECT_EQ(hosted("(tool/users {:active \"yes\"})"), "error invalid_tool_args `\"yes\"`");
    EXPECT_EQ(hosted("(tool/save {:user {:id 1 :tags [\"a\" 2]}})"), "error invalid_tool_args `2`");
    EXPECT_EQ(hosted("(tool/save {:user {:id 1}})"), "error invalid_tool_args `{:id 1}`");
    EXPECT_EQ(hosted("(tool/save {:user {:id 1 :tags []} :note []})"), "error invalid_tool_args `[]`");
    EXPECT_EQ(Checked("(tool/save {:user {:id 1 :tags [\"a\" 2]}})", true).diagnostics.all()[0].error.message,
              "The argument `user.tags[1]` of `tool/save` takes `:string`, not the number 2.");
}

TEST(CheckTools, ArgumentsThatAreFoundNotToFitAreNoErrors) {
    EXPECT_EQ(hosted("(tool/search {:query (count (known))})"), "invalid_tool_args `(count (known))`");
    EXPECT_EQ(hosted("(tool/search {:query (tool/users)})"), "invalid_tool_args `(tool/users)`");
    EXPECT_EQ(hosted("(map (fn [u] (tool/save {:user u})) (tool/users))"), "invalid_tool_args `u`");
    EXPECT_EQ(hosted("(map tool/search [\"a\"])"), "invalid_tool_args `tool/search`");
}

TEST(CheckTools, ArgumentsThatFit) {
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :page-size \"10\" :sort \"asc\"})"), "")
        << "texts of numbers are numbers";
    EXPECT_EQ(hosted("(tool/search {:query :a :page-size nil :sort :desc})"), "") << "keywords are texts";
    EXPECT_EQ(hosted("(tool/users {:active \"true\"})"), "");
    EXPECT_EQ(hosted("(tool/save {:user {:id \"1\" :tags [] :more 1} :note 5})"), "");
    EXPECT_EQ(hosted("(tool/search {:query (str (known)) :page-size (count (known))})"), "");
    EXPECT_EQ(hosted("(tool/search {:query \"a\" :page-size (first [])})"), "");
    EXPECT_EQ(hosted("(let [u {:id 1 :tags (map name (known))}] (tool/save {:user u}))"), "");
}

TEST(CheckTools, AreWarnedOfWhereTheHostMayNotCheck) {
    Checked checked("(tool/search {:query 5})", true, false);
    EXPECT_EQ(checked.summary(), "invalid_tool_args `5`");
    EXPECT_TRUE(checked.compiles);
    EXPECT_FALSE(Checked("(tool/search {:query 5})", true, true).compiles);
}

TEST(CheckTools, ErrorsAreFoundBesideOthers) {
    EXPECT_EQ(hosted("(let [x 1] (tool/search {:query 5}) (missing))"),
              "error invalid_tool_args `5`; error unbound_var `missing`");
}

TEST(CheckData, FieldsThatNoRecordHas) {
    EXPECT_EQ(hosted("(map :amonut data/orders)"), "unknown_field `:amonut`");
    EXPECT_EQ(hosted("(map #(get-in % [:customer :name]) ctx/orders)"), "unknown_field `:name`");
    EXPECT_EQ(hosted("(mapcat (fn [o] (map :price (:lines o))) data/orders)"), "unknown_field `:price`");
    EXPECT_EQ(hosted("(map :note data/orders)"), "");
    EXPECT_EQ(hosted("(map #(-> % :customer :first-name) data/orders)"), "");
    EXPECT_EQ(hosted("(mapcat (fn [o] (map (juxt :qty :sku) (:lines o))) data/orders)"), "");
    EXPECT_EQ(hosted("(:any (:limits data/config))"), "") << "an empty map shows nothing";
    EXPECT_EQ(hosted("(map :any data/elsewhere)"), "");
}

TEST(CheckData, KindsOfValues) {
    EXPECT_EQ(hosted("(filter #(= (:status %) :paid) data/orders)"), "never_equal `:paid`");
    EXPECT_EQ(hosted("(filter #(= (:id %) :five) data/orders)"), "") << "numbers and texts";
    EXPECT_EQ(hosted("(filter #(= (:amount %) nil) data/orders)"), "");
    EXPECT_EQ(hosted("(if (:status (first data/orders)) 1 2)"), "");
}

// ---- The whole

// ---- Calls of the wrong shape

TEST(CheckArguments, ThatShowThatAnotherCallIsMeant) {
    EXPECT_EQ(repaired("(get :a (known))"), "(get (known) :a)");
    EXPECT_EQ(repaired("#(get :a %)"), "#(get % :a)");
    EXPECT_EQ(repaired("(->> (known) (get :a))"), "(->> (known) :a)");
    EXPECT_EQ(repaired("(map (fn [r] (->> r (select-keys [:a]))) [])"),
              "(map (fn [r] (->> r ((fn [x] (select-keys x [:a]))))) [])");
    EXPECT_EQ(repaired("(->> [3 1] (sort) (get 0))"), "(->> [3 1] (sort) ((fn [x] (get x 0))))");
    EXPECT_EQ(repaired("(min [3 1])"), "(apply min [3 1])");
    EXPECT_EQ(repaired("(sort-by > :a [{:a 1}])"), "(sort-by :a > [{:a 1}])");
    EXPECT_EQ(repaired("(sort-by :a :b [{:a 1 :b 2}])"), "(sort-by (juxt :a :b) [{:a 1 :b 2}])");
    EXPECT_EQ(repaired("(sort-by [:a :b] [{:a 1 :b 2}])"), "(sort-by (juxt :a :b) [{:a 1 :b 2}])");
    EXPECT_EQ(repaired("(get {:a {:b 1}} :a :b)"), "(get-in {:a {:b 1}} [:a :b])");
    EXPECT_EQ(repaired("(:a [{:a 1}])"), "(map :a [{:a 1}])");
    EXPECT_EQ(repaired("(fn [n] n > 3)"), "(fn [n] (> n 3))");
}

TEST(CheckArguments, OfProgramsThatMeanWhatTheySay) {
    EXPECT_EQ(warnings("(get (known) :a :b)"), "");
    EXPECT_EQ(warnings("(get {:a 1} :a :b)"), "") << "the second key is a default";
    EXPECT_EQ(warnings("(get-in [{:a 1}] [0 :a])"), "");
    EXPECT_EQ(warnings("(->> 0 (get [1 2]))"), "");
    EXPECT_EQ(warnings("(->> :a (get {:a 1}))"), "");
    EXPECT_EQ(warnings("(get {'a 1} 'a)"), "");
    EXPECT_EQ(warnings("(get (known) 'b)"), "") << "its keys may be symbols";
    EXPECT_EQ(warnings("(fn [x] (includes? \"abc\" x))"), "");
    EXPECT_EQ(warnings("(fn [x] (max x))"), "") << "one number";
    EXPECT_EQ(warnings("(max 1 2)"), "");
    EXPECT_EQ(warnings("(apply max 1 [2 3])"), "");
    EXPECT_EQ(warnings("(sort :desc [1 2])"), "");
    EXPECT_EQ(warnings("(sort-by :a :desc [{:a 1}])"), "");
    EXPECT_EQ(warnings("(sort-by [:a :b] [{:a {:b 1}}])"), "") << "a path";
    EXPECT_EQ(warnings("(contains? [\"a\"] \"a\")"), "");
    EXPECT_EQ(warnings("(conj {:a 1} [:b 2])"), "");
    EXPECT_EQ(warnings("(reduce (fn [k x] (assoc k x 1)) {} [:a])"), "");
    EXPECT_EQ(warnings("(merge-with + {:a 1} {:a 2})"), "");
    EXPECT_EQ(warnings("(some #{1} [1 2])"), "");
    EXPECT_EQ(warnings("(parse-long \"1\")"), "");
}

TEST(CheckHabits, OfOtherLanguages) {
    EXPECT_EQ(repaired("(let [n 3] (str \"Total: {}\" n))"), "(let [n 3] (format \"Total: %s\" n))");
    EXPECT_EQ(repaired("(format \"~a: ~d\" 1 2)"), "(format \"%s: %d\" 1 2)");
    EXPECT_EQ(repaired("(if (known) [:return 1] 2)"), "(if (known) (return 1) 2)");
    EXPECT_EQ(repaired("(if (known) [:fail 1] (return 2))"), "(if (known) (fail 1) (return 2))");
    EXPECT_EQ(repaired("(loop [i 0] (if (> i 5) i) (recur (inc i)))"), "(loop [i 0] (if (> i 5) i (recur (inc i))))");
    EXPECT_EQ(repaired("(let [a (atom 0)] (reset! a 1) a)"), "(let [a (atom 0)] (reset! a 1) @a)");
}

TEST(CheckHabits, OfProgramsThatMeanWhatTheySay) {
    EXPECT_EQ(warnings("{:fail 3}"), "") << "a count";
    EXPECT_EQ(warnings("(if (known) [:fail 1] [:ok 2])"), "");
    EXPECT_EQ(warnings("(let [a (atom 0)] (reset! a 1) {:n @a})"), "");
    EXPECT_EQ(warnings("(let [key :a] (key {:a 1}))"), "") << "it reads a key";
    EXPECT_EQ(warnings("(let [get {:a 1}] (get :a))"), "");
    EXPECT_EQ(warnings("(concat \"ab\" \"cd\")"), "") << "the characters";
    EXPECT_EQ(warnings("{:plus + :minus -}"), "") << "functions by their names";
    EXPECT_EQ(warnings("(str \"{}\" (known))"), "");
    EXPECT_EQ(warnings("(let [n 1] (str \"{m} $5 {{x}} 100%\" n))"), "") << "no variables";
    EXPECT_EQ(warnings("(format \"%d of %d (%.1f%%)\" 1 2 50.0)"), "");
    EXPECT_EQ(warnings("(format \"%2$s of %1$s\" 1 2)"), "");
    EXPECT_EQ(warnings("(format \"%s~%s\" 1 2)"), "");
    EXPECT_EQ(warnings("(format \"costs $5\" 1)"), "") << "a price";
    EXPECT_EQ(warnings("(loop [i 0] (if (known i) i (recur (inc i))))"), "");
    EXPECT_EQ(warnings("(reduce (fn [a b] (+ a b)) 0 [1 2])"), "");
}

TEST(CheckHabits, ModifiersBehindTheBindings) {
    EXPECT_EQ(repaired("(for [x [1 2]] :when x 3)"), "(for [x [1 2] :when x] 3)");
    EXPECT_EQ(warnings("(for [x [1 2]] :when)"), "") << "a value";
}

TEST(CheckArguments, OfCallsInCallsKeepTheirTexts) {
    Checked checked("(get :a (get :b (get :c (known))))");
    ASSERT_EQ(checked.diagnostics.all().size(), 3u);
    for (const Diagnostic& d : checked.diagnostics.all())
        EXPECT_LE(d.error.edits.size(), 2u) << "what is long stays in its place";
}

TEST(Check, LooksOnlyAtProgramsThatCompile) {
    EXPECT_EQ(warnings("(let [x 1] y)"), "error unbound_var `y`");
    EXPECT_TRUE(Checked("(let [x 1] 2)").compiles) << "a warning refuses nothing";
}

TEST(Check, StopsAtTheCapOfTheSink) {
    std::string text;
    for (int i = 0; i < 150; ++i)
        text += "(let [x 1] 2)";
    Checked checked(text);
    EXPECT_EQ(checked.diagnostics.all().size(), Diagnostics::kMaxDiagnostics);
    EXPECT_GT(checked.diagnostics.dropped(), 0u);
}

TEST(Check, IsNotThereWithoutWarnings) {
    CompileOptions options;
    options.warnings = false;
    Diagnostics diagnostics;
    EXPECT_NE(compile(Source("test", "(let [x 1] 2)"), options, core(), diagnostics), nullptr);
    EXPECT_TRUE(diagnostics.all().empty());
}

TEST(Check, TakesWideAndDeepPrograms) {
    std::string wide = "[", deep, chain = "(let [m {}";
    for (int i = 0; i < 20'000; ++i)
        wide += "{:k" + std::to_string(i) + " 1} ";
    for (int i = 0; i < 150; ++i)
        deep += "(let [x" + std::to_string(i) + " {:a ";
    deep += "1";
    for (int i = 150; i-- > 0;)
        deep += "}] x" + std::to_string(i) + ")";
    for (int i = 0; i < 100; ++i)
        chain += " m (assoc m :k" + std::to_string(i) + " 1)";
    EXPECT_EQ(warnings("(count " + wide + "])"), "");
    EXPECT_EQ(warnings(deep), "");
    EXPECT_EQ(warnings(chain + "] (:none m))"), "") << "so many fields are not counted";
}

// ---- What runs and is not meant

TEST(CheckAtoms, WhereTheirValueIsMeant) {
    EXPECT_EQ(warnings("(let [a (atom 0)] (str \"n: \" a))"), "suspicious_form `a`");
    EXPECT_EQ(repaired("(let [a (atom {:n 1})] (:n a))"), "(let [a (atom {:n 1})] (:n @a))");
    EXPECT_EQ(repaired("(def a (atom 0)) (= a 1)"), "(def a (atom 0)) (= @a 1)");
    EXPECT_EQ(repaired("(let [a (atom [1])] (count a))"), "(let [a (atom [1])] (count @a))");
    EXPECT_EQ(warnings("(let [a (atom 0)] (swap! a inc) (reset! a 1) [a (deref a) @a])"), "");
    EXPECT_EQ(warnings("(let [a (if (known) (atom 0) 1)] (str a))"), "") << "perhaps a number";
    EXPECT_EQ(warnings("(let [a (atom 0)] (let [a @a] (str a)))"), "");
}

TEST(CheckForms, WhenWithAnElse) {
    EXPECT_EQ(warnings("(when (known) 1 :else 2)"), "suspicious_form `:else`");
    EXPECT_EQ(repaired("(when (known) 1 :else 2)"), "(if (known) 1 2)");
    EXPECT_EQ(repaired("(when-not (known) 1 :else 2)"), "(if-not (known) 1 2)");
    EXPECT_EQ(repaired("(when-let [x (known)] x :else 2)"), "(if-let [x (known)] x 2)");
    EXPECT_EQ(warnings("(when (known) :else)"), "");
}

TEST(CheckValues, SymbolsComparedWithTexts) {
    EXPECT_EQ(repaired("(= (str (known)) 'red)"), "(= (str (known)) \"red\")");
    EXPECT_EQ(warnings("(= (known) 'red)"), "");
}

TEST(CheckValues, TextsAmongKeywords) {
    EXPECT_EQ(repaired("(let [s #{:a}] (contains? s (str (known))))"),
              "(let [s #{:a}] (contains? s (keyword (str (known)))))");
    EXPECT_EQ(repaired("(let [s #{:a :b}] (filter s (map str (known))))"),
              "(let [s #{:a :b}] (filter (comp s keyword) (map str (known))))");
    EXPECT_EQ(warnings("(let [s #{:a \"a\"}] (filter s (map str (known))))"), "");
    EXPECT_EQ(warnings("(let [s #{:a}] (filter s (known)))"), "");
    EXPECT_EQ(warnings("(let [s (conj #{} (known))] (filter s [\"a\"]))"), "");
}

TEST(CheckValues, MetadataThatNothingKeeps) {
    EXPECT_EQ(warnings("(with-meta [1] {:a 1})"), "suspicious_form `with-meta`");
    EXPECT_EQ(warnings("(let [x [1]] (meta x))"), "suspicious_form `meta`");
    EXPECT_EQ(warnings("(meta 'inc)"), "");
}

} // namespace
} // namespace ptc
