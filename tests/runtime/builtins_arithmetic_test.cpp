// Arithmetic, bits, rounding, comparison and predicates: rows of program and result. What is tested is what differs
// from Clojure or is easily got wrong: exact integers, the signs of remainders, NaN, operands that are no numbers.
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using Arithmetic = BuiltinProgram;
using BitOperations = BuiltinProgram;
using Math = BuiltinProgram;
using Comparison = BuiltinProgram;
using Predicates = BuiltinProgram;

TEST_F(Arithmetic, AddsMultipliesAndSubtractsAnyNumberOfOperands) {
    expect_all({{"(+)", "0"},
                {"(+ 41)", "41"},
                {"(+ 1 2.0 3)", "6.0"},
                {"(*)", "1"},
                {"(* 2 3 4 5)", "120"},
                {"(- 8)", "-8"},
                {"(- 5 3 1)", "1"},
                {"(-' 9 2 2)", "5"},
                {"(- 1 1.0)", "0.0"},
                {"(+ ##Inf ##-Inf)", "##NaN"}});
}

TEST_F(Arithmetic, IntegersNeverOverflow) {
    expect_all({{"(+ 9223372036854775807 1)", "9223372036854775808"},
                {"(* 9223372036854775807 2)", "18446744073709551614"},
                {"(dec' -9223372036854775808)", "-9223372036854775809"},
                {"(abs -9223372036854775808)", "9223372036854775808"}});
}

TEST_F(Arithmetic, WrongOperandsAreTypeErrorsAlsoAlone) {
    expect_all({{"(+ 2 nil)", "!type_error"},
                {"(+ \"solo\")", "!type_error"},
                {"(* [2] 3)", "!type_error"},
                {"(- [])", "!type_error"},
                {"(inc nil)", "!type_error"},
                {"(/ \"8\" 2)", "!type_error"},
                {"(abs \"5\")", "!type_error"},
                {"(-)", "!arity_error"}});
}

TEST_F(Arithmetic, DivisionGivesADouble) {
    expect_all({{"(/ 10 2)", "5.0"},
                {"(/ 4)", "0.25"},
                {"(/ 100 5 2)", "10.0"},
                {"(/ -1 0.0)", "##-Inf"},
                {"(/ 5 ##Inf)", "0.0"},
                {"(/ 1 0)", "!arithmetic_error"},
                {"(/ 1.0 0)", "!arithmetic_error"},
                {"(/ 1 2 0)", "!arithmetic_error"}});
}

TEST_F(Arithmetic, QuotRemModFollowTheSigns) {
    expect_all({{"(quot -17 5)", "-3"},
                {"(rem -17 5)", "-2"},
                {"(mod -17 5)", "3"},
                {"(mod 17 -5)", "-3"},
                {"(mod -5.5 2)", "0.5"},
                {"(quot 2 ##Inf)", "0.0"},
                {"(mod ##NaN 2)", "!arithmetic_error"},
                {"(quot 5 0)", "!arithmetic_error"}});
}

TEST_F(Arithmetic, MaxAndMinOrderAnyValues) {
    expect_all({{"(max 2 2.5 1)", "2.5"},
                {"(max 1 ##NaN 3)", "##NaN"},
                {"(max \"b\" \"a\")", "\"b\""},
                {"(max \"a\" 1)", "\"a\""},
                {"(min true false)", "false"},
                {"(min nil 1)", "1"},
                {"(max)", "!arity_error"}});
}

TEST_F(BitOperations, AreThoseOfIntegersOfAnySize) {
    expect_all({{"(bit-and 255 15 9)", "9"},
                {"(bit-or -8 3)", "-5"},
                {"(bit-xor 1 2 3)", "0"},
                {"(bit-and-not -1 255)", "-256"},
                {"(bit-not 41)", "-42"},
                {"(bit-shift-left -3 2)", "-12"},
                {"(bit-shift-left 1 64)", "18446744073709551616"},
                {"(bit-shift-left 1 -1)", "0"},
                {"(bit-shift-right -17 2)", "-5"},
                {"(bit-set -16 0)", "-15"},
                {"(bit-clear -1 4)", "-17"},
                {"(bit-flip 0 2)", "4"},
                {"(bit-test -1 50)", "true"}});
}

TEST_F(BitOperations, RefuseDoublesAndFarPlaces) {
    expect_all({{"(bit-and 6.0 3)", "!type_error"},
                {"(bit-not nil)", "!type_error"},
                {"(bit-test 1 9223372036854775808)", "!type_error"},
                {"(bit-or 4)", "!arity_error"}});
}

TEST_F(Math, RoundingGivesIntegersAndKeepsSpecialValues) {
    expect_all({{"(floor -3.2)", "-4"},
                {"(ceil -0.2)", "0"},
                {"(round -2.5)", "-3"},
                {"(round 2.5)", "3"},
                {"(trunc -3.9)", "-3"},
                {"(floor 1e20)", "100000000000000000000"},
                {"(round ##Inf)", "##Inf"},
                {"(trunc ##NaN)", "##NaN"},
                {"(floor \"2\")", "!type_error"}});
}

TEST_F(Math, PowFollowsJavasTable) {
    expect_all({{"(pow 9 0.5)", "3.0"},
                {"(pow 0 0)", "1.0"},
                {"(pow 1 ##NaN)", "##NaN"},
                {"(pow -1 ##Inf)", "##NaN"},
                {"(pow 0 -1)", "##Inf"},
                {"(pow -1 0.5)", "##NaN"},
                {"(pow -0.0 -3)", "##-Inf"},
                {"(sqrt -4)", "##NaN"}});
}

TEST_F(Math, IntIsAJavaInt) {
    expect_all({{"(int -3.99)", "-3"},
                {"(int ##NaN)", "0"},
                {"(int \\A)", "65"},
                {"(int \\newline)", "10"},
                {"(int \"é\")", "233"},
                {"(int 2147483647)", "2147483647"},
                {"(int 2147483648)", "!arithmetic_error"},
                {"(int ##Inf)", "!arithmetic_error"},
                {"(int \"12\")", "!type_error"},
                {"(double -2)", "-2.0"},
                {"(float ##-Inf)", "##-Inf"},
                {"(double true)", "!type_error"}});
}

TEST_F(Comparison, EqualityOfNumbersIsByValue) {
    expect_all({{"(= 1 1.0)", "true"},
                {"(= [1 2] [1.0 2.0])", "true"},
                {"(= {:a 1} {:a 1.0})", "true"},
                {"(= #{1} #{1.0})", "false"},
                {"(= {1 :a} {1.0 :a})", "false"},
                {"(= ##NaN ##NaN)", "false"},
                {"(= [] {})", "false"},
                {"(= 1 1 2)", "false"},
                {"(not= 1 1.0)", "false"},
                {"(== \"a\" \"a\")", "true"},
                {"(= 1e20 100000000000000000000)", "true"},
                {"(= [[1 [2]]] [[1.0 [2.0]]])", "true"},
                {"(= [1 [2]] [1 [3]])", "false"},
                {"(= (range 3) [0 1 2])", "true"}});
}

TEST_F(Comparison, AnyTwoValuesHaveAnOrder) {
    expect_all({{"(< 1 nil \"a\")", "true"},
                {"(> nil 5)", "true"},
                {"(<= nil nil)", "true"},
                {"(< false true)", "true"},
                {"(compare \"a\" [1])", "1"},
                {"(compare [1 2] [1 3])", "-1"},
                {"(compare 2.0 2)", "0"},
                {"(compare ##NaN 1)", "0"},
                {"(compare {:a 1} {:a 2})", "-1"},
                {"(compare [2.0 1] [2 9])", "-1"},
                {"(< 1 ##NaN)", "false"},
                {"(>= ##NaN 0)", "false"}});
}

TEST_F(Predicates, NumericOnesAreFalseForWhatIsNoNumber) {
    expect_all({{"(zero? nil)", "false"},
                {"(zero? -0.0)", "true"},
                {"(pos? ##NaN)", "false"},
                {"(neg? \"-1\")", "false"},
                {"(even? 4.0)", "true"},
                {"(even? 4.5)", "false"},
                {"(odd? -1)", "true"},
                {"(odd? :x)", "false"},
                {"(even? 100000000000000000001)", "false"},
                {"(infinite? ##-Inf)", "true"},
                {"(NaN? nil)", "false"},
                {"(nat-int? 0)", "true"},
                {"(pos-int? 2.0)", "false"},
                {"(neg-int? -100000000000000000000)", "true"}});
}

TEST_F(Predicates, TypesAreKeywords) {
    expect_all({{"(type 1)", ":number"},
                {"(type nil)", "nil"},
                {"(type inc)", ":function"},
                {"(type \"a\")", ":string"},
                {"(char? \"e\")", "true"},
                {"(char? \"ab\")", "false"},
                {"(double? ##Inf)", "true"},
                {"(ifn? [1])", "true"},
                {"(counted? \"ab\")", "false"},
                {"(map-entry? [:a 1])", "false"},
                {"(coll? nil)", "false"}});
}

} // namespace
} // namespace ptc::test
