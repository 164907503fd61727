// Reading, updating and building collections: rows of program and result, one family a test. Updates are also looked at
// from outside: a shared original must not change, and what nobody else has must be changed in place.
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using Get = BuiltinProgram;
using GetIn = BuiltinProgram;
using Contains = BuiltinProgram;
using Find = BuiltinProgram;
using Assoc = BuiltinProgram;
using AssocIn = BuiltinProgram;
using Dissoc = BuiltinProgram;
using Merge = BuiltinProgram;
using Keys = BuiltinProgram;
using MapBuilding = BuiltinProgram;
using Conj = BuiltinProgram;
using Into = BuiltinProgram;
using Concat = BuiltinProgram;
using Counting = BuiltinProgram;
using SeqBuiltin = BuiltinProgram;
using Ends = BuiltinProgram;
using Sets = BuiltinProgram;
using Relations = BuiltinProgram;
using Keyword = BuiltinProgram;
using Walk = BuiltinProgram;

TEST_F(Get, ReadsEveryKindOfCollection) {
    expect_all({{"(get {:a 1} :a)", "1"},
                {"(get {:a nil} :a :none)", "nil"},
                {"(get {:a 1} :b :none)", ":none"},
                {"(get [10 20] 1)", "20"},
                {"(get [10 20] -1)", "nil"},
                {"(get [10 20] 5 :oob)", ":oob"},
                {"(get #{1 2} 1)", "1"},
                {"(get #{nil} nil :x)", "nil"},
                {"(get \"abc\" 1)", "\"b\""},
                {"(get \"ab\" 9 :x)", ":x"},
                {"(get \"abc\" :a)", "nil"},
                {"(get nil :a)", "nil"},
                {"(get 5 :a)", "nil"},
                {"(get {1 :int} 1.0)", "nil"},
                {"(get {:a 1})", "!arity_error"}});
}

TEST_F(Get, KeywordAndStringKeysMatchEachOther) {
    expect_all({{"(get {\"a\" 1} :a)", "1"},
                {"(get {:a 1} \"a\")", "1"},
                {"(get {:a 9 \"a\" 1} \"a\")", "1"},
                {"(get {\"user_id\" 7} :user-id)", "7"},
                {"(contains? {\"a\" 1} :a)", "true"},
                {"(contains? #{:a} \"a\")", "false"},
                {"(find {\"a\" 1} :a)", "[:a 1]"},
                {"(select-keys {\"a\" 1 \"b\" 2} [:a])", "{:a 1}"},
                {"(get-in {\"u\" [{\"n\" 1}]} [:u 0 :n])", "1"}});
}

TEST_F(Get, AVectorThatIsNoKeyIsAPath) {
    expect_all({{"(get {:a {:b 5}} [:a :b])", "5"},
                {"(get {[1 2] :p} [1 2] :none)", ":p"},
                {"(contains? {[1 2] :p} [1 2])", "true"},
                {"(get {:a {:b {:c 1}}} [[:a :b] :c])", "1"},
                {"(find {[:a] 1} [:a])", "[[:a] 1]"},
                {"(get {#{1} :s} #{1})", ":s"}});
}

TEST_F(GetIn, DefaultStandsForWhatIsMissingOnly) {
    expect_all({{"(get-in {:a {:b nil}} [:a :b] :none)", "nil"},
                {"(get-in {:a nil} [:a :b] :none)", ":none"},
                {"(get-in {:a 1} nil)", "{:a 1}"},
                {"(get-in {:a 1} [])", "{:a 1}"},
                {"(get-in nil [:a] :d)", ":d"},
                {"(get-in [[1 2] [3 4]] [1 0])", "3"},
                {"(get-in {:a #{:x}} [:a :x])", ":x"},
                {"(get-in \"ab\" [0])", "\"a\""},
                {"(get-in {:a 1} :a)", "!type_error"}});
}

TEST_F(Contains, AsksVectorsForElements) {
    expect_all({{"(contains? [10 20] 1)", "false"},
                {"(contains? [10 20] 20)", "true"},
                {"(contains? [1.0] 1)", "false"},
                {"(contains? [] nil)", "false"},
                {"(contains? {:a nil} :a)", "true"},
                {"(contains? #{1} 1.0)", "false"},
                {"(contains? nil :a)", "false"},
                {"(contains? \"abc\" 1.0)", "true"},
                {"(contains? \"abc\" 3)", "false"},
                {"(contains? \"abc\" \"a\")", "!type_error"},
                {"(contains? 5 1)", "!type_error"}});
}

TEST_F(Find, GivesEntries) {
    expect_all({{"(find {:a nil} :a)", "[:a nil]"},
                {"(find {:a 1} :z)", "nil"},
                {"(find [10 20 30] 2)", "[2 30]"},
                {"(find [nil] -1)", "nil"},
                {"(find nil :a)", "nil"},
                {"(find #{1} 1)", "!type_error"},
                {"(find \"a\" 0)", "!type_error"}});
}

TEST_F(Assoc, ReplacesAndAdds) {
    expect_all({{"(assoc {} :a 1 :b 2)", "{:a 1 :b 2}"},
                {"(assoc nil :a 1)", "{:a 1}"},
                {"(assoc [1 2] 2 :x)", "[1 2 :x]"},
                {"(assoc [1 2 3] 1 :x)", "[1 :x 3]"},
                {"(assoc {[1 2] 5} [1 2] 6)", "{[1 2] 6}"},
                {"(assoc {:a 1} \"a\" 2)", "{:a 2}"},
                {"(assoc [1] -1 :x)", "!runtime_error"},
                {"(assoc [1] 3 :x)", "!runtime_error"},
                {"(assoc [1] :k :x)", "!type_error"},
                {"(assoc 5 :a 1)", "!type_error"},
                {"(assoc {:a 1} :b)", "!arity_error"},
                {"(assoc {} :a 1 :b)", "!arity_error"}});
}

TEST_F(AssocIn, MakesMissingLevels) {
    expect_all({{"(assoc-in {} [:a :b] 1)", "{:a {:b 1}}"},
                {"(assoc-in nil [:a] 1)", "{:a 1}"},
                {"(assoc-in {:xs [1 2]} [:xs 2] 3)", "{:xs [1 2 3]}"},
                {"(assoc-in [[1 2] [3 4]] [0 1] 99)", "[[1 99] [3 4]]"},
                {"(assoc-in {:l {:m {:n 1}}} [:l :m :o] 2)", "{:l {:m {:n 1 :o 2}}}"},
                {"(count (assoc-in {:a 1} [] 2))", "2"},
                {"(get (assoc-in {:a 1} nil 2) nil)", "2"},
                {"(assoc-in [] [3] 1)", "!runtime_error"},
                {"(assoc-in {:a 5} [:a :b] 1)", "!type_error"}});
}

TEST_F(AssocIn, LeavesASharedOriginalAlone) {
    Value original = evaluate("{:a {:b 1}}").value();
    Result<Value> changed =
        call("assoc-in", values(original.copy(), evaluate("[:a :b]").value(), Value::small_integer(2)));
    ASSERT_TRUE(changed.ok());
    EXPECT_EQ(print_to_string(heap, original, PrintStyle::Readable), "{:a {:b 1}}");
    EXPECT_EQ(print_to_string(heap, changed.value(), PrintStyle::Readable), "{:a {:b 2}}");
}

TEST_F(AssocIn, ChangesWhatNobodyElseHasInPlace) {
    Value map = evaluate("{:a {:b 1}}").value();
    const Object* before = map.object();
    map = call("assoc-in", values(std::move(map), evaluate("[:a :b]").value(), Value::small_integer(2))).value();
    EXPECT_EQ(map.object(), before);
}

TEST_F(Dissoc, TakesTheOtherSpellingWhereTheKeyIsNot) {
    expect_all({{"(dissoc {:a 1 :b 2 :c 3} :a :b)", "{:c 3}"},
                {"(dissoc {\"a\" 1 :b 2} :a)", "{:b 2}"},
                {"(dissoc nil :a)", "nil"},
                {"(dissoc {1 :x 2 :y} 1)", "{2 :y}"},
                {"(dissoc [1] 0)", "!type_error"},
                {"(dissoc)", "!arity_error"}});
}

TEST_F(Merge, ConjoinsLaterInputs) {
    expect_all({{"(merge {:a 1} {:b 2} {:a 3})", "{:a 3 :b 2}"},
                {"(merge)", "nil"},
                {"(merge nil nil)", "nil"},
                {"(merge nil {:a 1})", "{:a 1}"},
                {"(merge {:a 1} nil)", "{:a 1}"},
                {"(merge {:a 1} [:b 2])", "{:a 1 :b 2}"},
                {"(merge [1 2] [3 4])", "[1 2 [3 4]]"},
                {"(merge \"ab\")", "\"ab\""},
                {"(merge {:a 1} 5)", "!type_error"}});
}

TEST_F(Keys, AreSorted) {
    expect_all({{"(keys {:b 2 :a 1})", "[:a :b]"},
                {"(vals {:b 2 :a 1})", "[1 2]"},
                {"(entries {:b 2 :a 1})", "[[:a 1] [:b 2]]"},
                {"(keys nil)", "nil"},
                {"(entries {})", "[]"},
                {"(keys 5)", "!type_error"},
                {"(vals [1])", "!type_error"},
                {"(entries [1])", "!type_error"},
                {"(key [:a 1])", ":a"},
                {"(val [:a 1])", "1"},
                {"(key 5)", "!type_error"},
                {"(val nil)", "!type_error"}});
}

TEST_F(MapBuilding, FromPairsAndParallelCollections) {
    expect_all({{"(select-keys {:a nil} [:a :z])", "{:a nil}"},
                {"(select-keys {:a 1} nil)", "{}"},
                {"(select-keys [10 20] [0 1])", "{0 10 1 20}"},
                {"(select-keys {:a 1 :b 2} \"ab\")", "{\"a\" 1 \"b\" 2}"},
                {"(select-keys 5 [:a])", "!type_error"},
                {"(zipmap [:a :b :c] [1])", "{:a 1}"},
                {"(zipmap \"ab\" [1 2])", "{\"a\" 1 \"b\" 2}"},
                {"(zipmap nil [1])", "{}"},
                {"(zipmap 5 [1])", "!type_error"},
                {"(hash-map)", "{}"},
                {"(hash-map 1 :one)", "{1 :one}"},
                {"(array-map :a)", "!arity_error"},
                {"(frequencies [:a :b :a])", "{:a 2 :b 1}"},
                {"(frequencies {:a 1})", "{[:a 1] 1}"},
                {"(count (frequencies [1 1.0 2]))", "3"},
                {"(frequencies nil)", "{}"},
                {"(frequencies 5)", "!type_error"}});
}

TEST_F(Conj, AddsWhereTheCollectionGrows) {
    expect_all({{"(conj)", "[]"},
                {"(conj [1] 2 3)", "[1 2 3]"},
                {"(conj nil :a :b)", "[:a :b]"},
                {"(conj #{1} 1 2)", "#{1 2}"},
                {"(conj {:a 1} [:b 2])", "{:a 1 :b 2}"},
                {"(conj {:a 1} {:b 2} nil)", "{:a 1 :b 2}"},
                {"(conj {:a 1} [1])", "!type_error"},
                {"(conj 5 1)", "!type_error"},
                {"(conj \"ab\" \"c\")", "!type_error"},
                {"(cons 0 nil)", "[0]"},
                {"(cons \"x\" \"yz\")", "[\"x\" \"y\" \"z\"]"},
                {"(cons 1 {:a 2})", "[1 [:a 2]]"},
                {"(cons 1 2)", "!type_error"}});
}

TEST_F(Into, TakesAnySource) {
    expect_all({{"(into)", "[]"},
                {"(into [1])", "[1]"},
                {"(into #{} \"aab\")", "#{\"a\" \"b\"}"},
                {"(into {} [[:a 1] {:b 2}])", "{:a 1 :b 2}"},
                {"(into {:a 1} {:b 2 :a 9})", "{:a 9 :b 2}"},
                {"(into [] {:a 1})", "[[:a 1]]"},
                {"(into nil [1 2])", "[1 2]"},
                {"(into [1] nil)", "[1]"},
                {"(into [1] 5)", "!type_error"},
                {"(into 5 [1])", "!type_error"},
                {"(into {} [1])", "!type_error"}});
}

TEST_F(Concat, JoinsAnyCollections) {
    expect_all({{"(concat)", "[]"},
                {"(concat [1] nil [2] \"ab\")", "[1 2 \"a\" \"b\"]"},
                {"(concat {:a 1} [:x])", "[[:a 1] :x]"},
                {"(count (concat (range 5) (range 3)))", "8"},
                {"(concat [1] 2)", "!type_error"},
                {"(concat 5)", "!type_error"}});
}

TEST_F(Concat, LeavesASharedOriginalAlone) {
    Value original = evaluate("[1 2]").value();
    ASSERT_TRUE(call("concat", values(original.copy(), evaluate("[3]").value())).ok());
    EXPECT_EQ(print_to_string(heap, original, PrintStyle::Readable), "[1 2]");
}

TEST_F(Counting, CoversEveryKind) {
    expect_all({{"(count nil)", "0"},
                {"(count {:a 1 :b 2})", "2"},
                {"(count \"né\")", "2"},
                {"(count 5)", "!type_error"},
                {"(empty? \"\")", "true"},
                {"(empty? [nil])", "false"},
                {"(empty? 0)", "!type_error"},
                {"(not-empty [])", "nil"},
                {"(not-empty {:a 1})", "{:a 1}"},
                {"(not-empty 3)", "!type_error"},
                {"(empty #{1})", "#{}"},
                {"(empty \"abc\")", "nil"},
                {"(empty 1)", "nil"}});
}

TEST_F(SeqBuiltin, OfNothingIsNil) {
    expect_all({{"(seq [])", "nil"},
                {"(seq \"\")", "nil"},
                {"(seq nil)", "nil"},
                {"(seq {:b 2 :a 1})", "[[:a 1] [:b 2]]"},
                {"(seq #{3 1 2})", "[1 2 3]"},
                {"(seq \"ab\")", "[\"a\" \"b\"]"},
                {"(seq 5)", "!type_error"},
                {"(vec nil)", "[]"},
                {"(vec {:a 1})", "[[:a 1]]"},
                {"(vec 5)", "!type_error"},
                {"(list nil [1])", "[nil [1]]"}});
}

TEST_F(Ends, OfVectorsAreCheap) {
    expect_all({{"(peek [1 2])", "2"},
                {"(peek [])", "nil"},
                {"(peek nil)", "nil"},
                {"(peek \"abc\")", "!type_error"},
                {"(pop [1 2 3])", "[1 2]"},
                {"(pop [])", "nil"},
                {"(pop nil)", "nil"},
                {"(pop {:a 1})", "!type_error"},
                {"(subvec [0 1 2 3 4] 1 3)", "[1 2]"},
                {"(subvec [1 2 3] 0 9)", "[1 2 3]"},
                {"(subvec [1 2 3] -1)", "[1 2 3]"},
                {"(subvec [1 2 3] 2 1)", "[]"},
                {"(subvec [1 2 3] 0.9 2.9)", "[1 2]"},
                {"(subvec \"abc\" 1)", "!type_error"}});
}

TEST_F(Sets, AlgebraTakesNilAndOtherCollections) {
    expect_all({{"(set nil)", "#{}"},
                {"(set {:a 1})", "#{[:a 1]}"},
                {"(set 5)", "!type_error"},
                {"(hash-set 1 1 2)", "#{1 2}"},
                {"(count (hash-set 1 1.0))", "2"},
                {"(union)", "#{}"},
                {"(union #{1} #{2} #{1 3})", "#{1 2 3}"},
                {"(union nil #{1})", "#{1}"},
                {"(union [1 2] #{2 3})", "[1 2 2 3]"},
                {"(union {:a 1} #{[:b 2]})", "{:a 1 :b 2}"},
                {"(intersection #{1 2 3} #{2 3} #{3 9})", "#{3}"},
                {"(intersection #{1 2} nil)", "nil"},
                {"(intersection #{1 2} [2 3])", "#{1}"},
                {"(intersection #{1} 7)", "!type_error"},
                {"(difference #{1 2 3 4} #{1} #{2 9})", "#{3 4}"},
                {"(difference nil #{1})", "nil"},
                {"(difference #{1 2} [2])", "#{1}"},
                {"(difference #{[:a 1]} {:a 1})", "#{}"},
                {"(difference #{1} 3)", "!type_error"},
                {"(disj #{1 2 3} 2 3)", "#{1}"},
                {"(disj #{nil} nil)", "#{}"},
                {"(disj nil 1)", "nil"},
                {"(disj [1] 1)", "!type_error"},
                {"(clojure.set/subset? #{1} #{1 2})", "true"},
                {"(clojure.set/superset? #{1} #{1 2})", "false"}});
}

TEST_F(Relations, AreSetsOfMaps) {
    expect_all({{"(set/map-invert {:a 1 :b 2})", "{1 :a 2 :b}"},
                {"(set/rename-keys {:a 1 :b 2} {:a :b :b :a})", "{:a 2 :b 1}"},
                {"(set/project #{{:a 1 :b 2} {:a 1 :b 3}} [:a])", "#{{:a 1}}"},
                {"(set/rename #{{:a 1}} {:a :z})", "#{{:z 1}}"},
                {"(set/index [{:a 1 :b 2} {:a 1 :b 3}] [:a])", "{{:a 1} #{{:a 1 :b 2} {:a 1 :b 3}}}"},
                {"(set/join #{{:id 1 :n \"x\"} {:id 2 :n \"y\"}} #{{:id 1 :v 5}})", "#{{:id 1 :n \"x\" :v 5}}"},
                {"(set/join [{:k 1}] [{:id 1 :v 5} {:id 2 :v 6}] {:k :id})", "#{{:id 1 :k 1 :v 5}}"},
                {"(set/project [1] [:a])", "!type_error"}});
}

TEST_F(Keyword, AcceptsNamesOnly) {
    expect_all({{"(keyword \"abc\")", ":abc"},
                {"(keyword :bar)", ":bar"},
                {"(keyword nil)", "nil"},
                {"(keyword 1.5)", "nil"},
                {"(keyword true)", "nil"},
                {"(keyword \"\")", "!runtime_error"},
                {"(keyword \"a/b\")", ":a/b"},
                {"(keyword \"+\")", ":+"},
                {"(keyword ##Inf)", "!runtime_error"}});
}

TEST_F(Walk, ConvertsTheKeysOfNestedMaps) {
    expect_all({{"(clojure.walk/keywordize-keys {\"a\" [{\"b\" 1} #{{\"c\" 2}}] \"x y\" {}})",
                 "{:a [{:b 1} #{{:c 2}}] \"x y\" {}}"},
                {"(clojure.walk/stringify-keys {:a [{:b :c}]})", "{\"a\" [{\"b\" :c}]}"},
                {"(clojure.walk/stringify-keys 5)", "5"}});
}

} // namespace
} // namespace ptc::test
