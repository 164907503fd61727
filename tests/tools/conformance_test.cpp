#include "tools/testing/conformance.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

bool same(std::string_view a, std::string_view b) { return edn_difference(a, b).empty(); }

TEST(EdnDifference, MapsAndSetsAreUnordered) {
    EXPECT_TRUE(same("{:a 1 :b #{1 2}}", "{:b #{2 1} :a 1}"));
    EXPECT_FALSE(same("{:a 1}", "{:a 2}"));
    EXPECT_FALSE(same("{:a 1}", "{\"a\" 1}"));
}

TEST(EdnDifference, ListsAreVectors) {
    EXPECT_TRUE(same("()", "[]"));
    EXPECT_TRUE(same("(1 [2])", "[1 (2)]"));
    EXPECT_FALSE(same("[1 2]", "[2 1]"));
}

TEST(EdnDifference, IntegersAreNotFloats) {
    EXPECT_FALSE(same("1", "1.0"));
    EXPECT_TRUE(same("1.50", "1.5"));
    EXPECT_FALSE(same("[1]", "[1.0]"));
}

TEST(EdnDifference, ANanEqualsANan) {
    EXPECT_TRUE(same("[##NaN 1]", "(##NaN 1)"));
    EXPECT_FALSE(same("[##NaN 1]", "(##NaN 2)"));
    EXPECT_FALSE(same("##NaN", "0.0"));
}

TEST(EdnDifference, DatesAreStrings) { EXPECT_TRUE(same("[\"2024-01-01\"]", "(\"2024-01-01\")")); }

TEST(EdnDifference, AnExpectationThatIsNoEdnIsNamed) {
    EXPECT_NE(edn_difference("{:a", "1").find("not EDN"), std::string::npos);
}

TEST(RowKind, IsToldByTheFileName) {
    EXPECT_EQ(row_kind_of("rows/core.jsonl"), RowKind::Language);
    EXPECT_EQ(row_kind_of("agent/signatures.jsonl"), RowKind::Signatures);
    EXPECT_EQ(row_kind_of("scenarios.jsonl"), RowKind::Scenarios);
    EXPECT_EQ(row_kind_of("signatures/mine.jsonl"), RowKind::Language);
}

/// "" when the row holds.
std::string why(std::string_view row) { return RowRunner(Limits{}).check(row).why; }

TEST(RowRunner, RowsThatHold) {
    EXPECT_EQ(why(R"row({"id":"a","src":"(+ 1 2)","expect":{"value":"3"}})row"), "");
    EXPECT_EQ(why(R"row({"id":"a","src":"(return {:a 1})","expect":{"return":"{:a 1}"}})row"), "");
    EXPECT_EQ(why(R"row({"id":"a","src":"(fail :no)","expect":{"fail":":no"}})row"), "");
    EXPECT_EQ(why(R"row({"id":"a","src":"(+ 1 nil)","expect":{"error":["parse_error","type_error"]}})row"), "");
    EXPECT_EQ(
        why(R"row({"id":"a","src":"(println 1) data/x","context":{"x":[1]},"expect":{"value":"[1]"},"prints":["1"]})row"),
        "");
    EXPECT_EQ(
        why(R"row({"id":"a","src":"(def y (inc x)) *1","memory":{"x":1},"history":[5,6],"expect":{"value":"6"},"memory_after":{"y":"2"}})row"),
        "");
    EXPECT_EQ(why(R"row({"id":"a","src":"(tool/add {:x 1 :y 2})","tools":["add"],"expect":{"value":"3"}})row"), "");
    EXPECT_EQ(
        why(R"row({"id":"a","src":"(loop [] (recur))","limits":{"fuel":1000},"expect":{"error":["fuel_exhausted"]}})row"),
        "");
}

TEST(RowRunner, RowsThatDoNotHoldSayWhy) {
    EXPECT_EQ(why(R"row({"id":"a","src":"(+ 1 2)","expect":{"value":"4"}})row"), "expected 4, got 3");
    EXPECT_EQ(why(R"row({"id":"a","src":"(return 1)","expect":{"value":"1"}})row"), "expected 1, got return 1");
    EXPECT_EQ(why(R"row({"id":"a","src":"1","expect":{"error":["type_error"]}})row"),
              "expected error type_error, got ok 1");
    EXPECT_NE(why(R"row({"id":"a","src":"(+ 1 nil)","expect":{"error":["parse_error"]}})row"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"(+ 1 nil)","expect":{"value":"1"}})row"), "");
    EXPECT_EQ(why(R"row({"id":"a","src":"(println 1) 2","expect":{"value":"2"},"prints":["2"]})row"),
              R"(prints: expected ["2"], got ["1"])");
    EXPECT_EQ(why(R"row({"id":"a","src":"(def x 1) x","expect":{"value":"1"},"memory_after":{"x":"2"}})row"),
              "memory: `x`: expected 2, got 1");
    EXPECT_EQ(why(R"row({"id":"a","src":"1","expect":{"value":"1"},"memory_after":{"x":"2"}})row"),
              "memory: `x` is not defined");
}

TEST(RowRunner, AToolThatTheRowDoesNotAskForIsUnknown) {
    EXPECT_EQ(
        why(R"row({"id":"a","src":"(tool/add {:x 1 :y 2})","tools":["echo"],"expect":{"error":["unknown_tool"]}})row"),
        "");
}

TEST(RowRunner, WhatIsNoRowDoesNotHold) {
    EXPECT_NE(why("{"), "");
    EXPECT_NE(why("[]"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"1"})row"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"1","expect":{}})row"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"1","expect":{"valeu":"1"}})row"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"1","expect":{"value":1}})row"), "");
    EXPECT_NE(why(R"row({"id":"a","expect":{"value":"1"}})row"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"1","tools":["nope"],"expect":{"value":"1"}})row"), "");
    EXPECT_NE(why(R"row({"id":"a","src":"1","limits":{"fual":1},"expect":{"value":"1"}})row"), "");
}

} // namespace
} // namespace ptc
