// Positions, parts and rearrangements of sequences: rows of program and result. Maps and sets have no positions, and
// what would be lazy in Clojure is a vector that must be paid for: large results end with the fuel or the heap.
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using Positions = BuiltinProgram;
using Nth = BuiltinProgram;
using Take = BuiltinProgram;
using Partition = BuiltinProgram;
using Rearranging = BuiltinProgram;
using Distinct = BuiltinProgram;
using Range = BuiltinProgram;
using Combinations = BuiltinProgram;
using Sum = BuiltinProgram;

TEST_F(Positions, OfVectorsStringsAndNil) {
    expect_all({{"(first [nil 1])", "nil"},
                {"(first \"Hello\")", "\"H\""},
                {"(first nil)", "nil"},
                {"(second [7])", "nil"},
                {"(last [7 8 9])", "9"},
                {"(last \"\")", "nil"},
                {"(rest [1])", "[]"},
                {"(rest \"ab\")", "[\"b\"]"},
                {"(next [1])", "nil"},
                {"(next \"ab\")", "[\"b\"]"},
                {"(butlast [1 2 3])", "[1 2]"},
                {"(butlast [1])", "nil"},
                {"(ffirst [\"ab\" \"cd\"])", "\"a\""},
                {"(ffirst nil)", "nil"},
                {"(fnext [1 2 3])", "2"},
                {"(nfirst [[1]])", "nil"},
                {"(nfirst [1])", "!type_error"},
                {"(nnext \"abcd\")", "[\"c\" \"d\"]"},
                {"(nnext [1 2])", "nil"},
                {"(fnext 1)", "!type_error"}});
}

// In the order in which they are printed; by number they have no items.
TEST_F(Positions, MapsAndSetsAreReadAsSequences) {
    expect_all({{"(first {:b 2 :a 1})", "[:a 1]"},
                {"(first {})", "nil"},
                {"(first #{2 1})", "1"},
                {"(second {:b 2 :a 1})", "[:b 2]"},
                {"(second #{1})", "nil"},
                {"(last {:a 1})", "[:a 1]"},
                {"(last #{3 1 2})", "3"},
                {"(rest {:a 1})", "[]"},
                {"(rest #{2 1})", "[2]"},
                {"(next {:b 2 :a 1})", "[[:b 2]]"},
                {"(next #{1})", "nil"},
                {"(butlast {:b 2 :a 1})", "[[:a 1]]"},
                {"(butlast #{1})", "nil"},
                {"(reverse {:a 1 :b 2})", "[[:b 2] [:a 1]]"},
                {"(reverse #{1 2})", "[2 1]"},
                {"(interleave #{1 2} {:a 1})", "[1 [:a 1]]"},
                {"(interpose :x #{2 1})", "[1 :x 2]"},
                {"(distinct {:a 1})", "[[:a 1]]"},
                {"(nth #{1} 0)", "!type_error"}});
    for (const char* name : {"first", "second", "last", "rest", "next", "butlast", "reverse", "interleave"}) {
        EXPECT_EQ(run("(" + std::string(name) + " :kw)"), "!type_error") << name;
    }
}

TEST_F(Nth, OutsideGivesTheDefault) {
    expect_all({{"(nth [10 20 30] 1)", "20"},
                {"(nth [10 20] 5)", "nil"},
                {"(nth [10 20] -1 :none)", ":none"},
                {"(nth nil 0 :x)", ":x"},
                {"(nth \"abc\" 1)", "\"b\""},
                {"(nth [10 20 30] 1.0)", "20"},
                {"(nth [1] \"0\")", "!type_error"},
                {"(nth (range 100) 42)", "42"}});
}

TEST_F(Take, CountsAnyCollection) {
    expect_all({{"(take 2 [1 2 3])", "[1 2]"},
                {"(take 9 [1])", "[1]"},
                {"(take -1 [1 2])", "[]"},
                {"(take 1.0 [10 20])", "[10]"},
                {"(take 2 \"hello\")", "[\"h\" \"e\"]"},
                {"(take 1 {:a 1 :b 2})", "[[:a 1]]"},
                {"(take 3 nil)", "[]"},
                {"(take nil [1])", "!type_error"},
                {"(drop 2 [1 2 3])", "[3]"},
                {"(drop -1 [1 2])", "[1 2]"},
                {"(drop :a [1])", "!type_error"},
                {"(take-last 2 \"hello\")", "[\"l\" \"o\"]"},
                {"(take-last 2 [])", "nil"},
                {"(take-last -1 [1 2])", "nil"},
                {"(drop-last [1 2 3])", "[1 2]"},
                {"(drop-last 5 [1 2])", "[]"},
                {"(drop-last -1 [1])", "[1]"},
                {"(nthrest nil 2)", "[]"},
                {"(nthrest \"abcd\" 2)", "[\"c\" \"d\"]"},
                {"(nthnext [] 1)", "nil"},
                {"(nthnext [1 2 3] 1.0)", "[2 3]"},
                {"(split-at 2 \"abc\")", "[[\"a\" \"b\"] [\"c\"]]"},
                {"(split-at -1 [1])", "[[] [1]]"},
                {"(split-at \"1\" [1])", "!type_error"}});
}

TEST_F(Take, SwappedArgumentsAreNamed) {
    Result<Value> result = evaluate("(take [1 2] 1)");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason, Reason::TypeError);
    EXPECT_NE(result.error().hint.find("(take n coll)"), std::string::npos);
}

TEST_F(Partition, GroupsInSteps) {
    expect_all({{"(partition 2 [1 2 3 4 5])", "[[1 2] [3 4]]"},
                {"(partition 2 1 [1 2 3])", "[[1 2] [2 3]]"},
                {"(partition 2 3 [1 2 3 4 5 6 7])", "[[1 2] [4 5]]"},
                {"(partition 3 3 [0 0] [1 2 3 4])", "[[1 2 3] [4 0 0]]"},
                {"(partition 3 3 [0] [1 2 3 4])", "[[1 2 3] [4 0]]"},
                {"(partition 3 3 nil [1 2])", "[[1 2]]"},
                {"(partition 2 nil)", "[]"},
                {"(partition 2 \"abcd\")", "[[\"a\" \"b\"] [\"c\" \"d\"]]"},
                {"(partition -1 [1 2 3])", "[]"},
                {"(partition 2.0 [1 2 3])", "[]"},
                {"(partition 2 1.0 [:x] [1 2 3])", "[[1 2] [2 3] [3 :x]]"},
                {"(partition \"2\" [1 2])", "!type_error"},
                {"(partition 0 [1])", "!type_error"},
                {"(partition-all 2 1 [1 2 3])", "[[1 2] [2 3] [3]]"},
                {"(partition-all 2.0 [1 2 3])", "[[1 2] [3]]"},
                {"(partition-all 3 [])", "[]"},
                {"(partition-all 0 [1])", "!type_error"}});
}

TEST_F(Rearranging, ReadsInOrder) {
    expect_all({{"(reverse \"abc\")", "[\"c\" \"b\" \"a\"]"},
                {"(reverse nil)", "[]"},
                {"(reverse (range 4))", "[3 2 1 0]"},
                {"(interpose 0 [1 2 3])", "[1 0 2 0 3]"},
                {"(interpose :x [])", "[]"},
                {"(interleave)", "[]"},
                {"(interleave [1 2] [3 4] [5 6])", "[1 3 5 2 4 6]"},
                {"(interleave \"ab\" [1 2])", "[\"a\" 1 \"b\" 2]"},
                {"(interleave nil [1])", "[]"},
                {"(interleave 5 [1])", "!type_error"},
                {"(zip [1 2 3] [:a])", "[[1 :a]]"},
                {"(zip 1 [2])", "!type_error"},
                {"(flatten [1 {:a [2]} \"s\" [3 [[4]]]])", "[1 {:a [2]} \"s\" 3 4]"},
                {"(flatten {:a [1]})", "[]"},
                {"(flatten [nil [nil]])", "[nil nil]"}});
}

TEST_F(Distinct, GoesByExactEquality) {
    expect_all({{"(distinct [1 2 1.0 1 [1] [1]])", "[1 2 1.0 [1]]"},
                {"(distinct [:a \"a\" :a])", "[:a \"a\"]"},
                {"(distinct nil)", "[]"},
                {"(distinct 9)", "!type_error"},
                {"(distinct? 1)", "true"},
                {"(distinct? [1] [1])", "false"},
                {"(distinct? ##NaN 1 ##NaN)", "false"},
                {"(distinct?)", "!arity_error"},
                {"(dedupe [1 1 2 2 1])", "[1 2 1]"},
                {"(dedupe \"aab\")", "[\"a\" \"b\"]"},
                {"(dedupe [nil nil])", "[nil]"}});
}

TEST_F(Range, CountsInAnyStep) {
    expect_all({{"(range 5)", "[0 1 2 3 4]"},
                {"(range -3)", "[]"},
                {"(range 10 0 -4)", "[10 6 2]"},
                {"(range 0 1 0.25)", "[0 0.25 0.5 0.75]"},
                {"(range 1.5 4)", "[1.5 2.5 3.5]"},
                {"(range 9223372036854775806 9223372036854775809)",
                 "[9223372036854775806 9223372036854775807 9223372036854775808]"},
                {"(range \"5\")", "!type_error"},
                {"(range 0 10 nil)", "!type_error"},
                {"(range 1 5 0)", "!type_error"},
                {"(range)", "!arity_error"},
                {"(range 1000000000000)", "!memory_exceeded"},
                {"(take-endless% 3 1 5)", "[1 1 1]"},
                {"(take-endless% 3 1 nil)", "!type_error"}});
}

TEST_F(Combinations, AreInOrder) {
    expect_all({{"(combinations [:a :b :c :d] 3)", "[[:a :b :c] [:a :b :d] [:a :c :d] [:b :c :d]]"},
                {"(combinations [1 2 3] 0)", "[[]]"},
                {"(combinations [1 2] 3)", "[]"},
                {"(combinations nil 1)", "[]"},
                {"(count (combinations (range 8) 4))", "70"},
                {"(combinations [1] -1)", "[]"},
                {"(combinations 5 1)", "!type_error"}});
}

TEST_F(Sum, LeavesNilOut) {
    expect_all({{"(sum [1 nil 3])", "4"},
                {"(sum nil)", "0"},
                {"(sum [9223372036854775807 1])", "9223372036854775808"},
                {"(sum [-2 2 -0.5])", "-0.5"},
                {"(avg [1 nil 3])", "2.0"},
                {"(avg [])", "nil"},
                {"(avg [nil])", "nil"},
                {"(sum [1 \"a\"])", "!arithmetic_error"},
                {"(avg [\"a\"])", "!arithmetic_error"},
                {"(sum 5)", "!type_error"}});
}

TEST_F(Combinations, StopWhenTheFuelIsSpent) {
    heap.meter.start(10'000, Meter::Clock::time_point::max(), nullptr);
    EXPECT_EQ(run("(count (combinations (range 40) 20))"), "!fuel_exhausted");
}

TEST_F(Combinations, StopWhenTheHeapIsFull) {
    heap.set_limit(1 << 20);
    EXPECT_EQ(run("(count (combinations (range 40) 20))"), "!memory_exceeded");
}

} // namespace
} // namespace ptc::test
