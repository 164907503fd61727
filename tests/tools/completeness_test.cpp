#include "tools/completeness.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

TEST(NeedsMoreLines, OpenBracketsDo) {
    EXPECT_TRUE(needs_more_lines("(+ 1"));
    EXPECT_TRUE(needs_more_lines("(let [x 1"));
    EXPECT_TRUE(needs_more_lines("#{1"));
}

TEST(NeedsMoreLines, WholeFormsDoNot) {
    EXPECT_FALSE(needs_more_lines("(+ 1 2) [3] {:a #{1}}"));
    EXPECT_FALSE(needs_more_lines("x"));
    EXPECT_FALSE(needs_more_lines(""));
}

TEST(NeedsMoreLines, OpenStringsDo) {
    EXPECT_TRUE(needs_more_lines("\"abc"));
    EXPECT_TRUE(needs_more_lines("\"abc\\\""));
    EXPECT_TRUE(needs_more_lines("(str \"a"));
    EXPECT_FALSE(needs_more_lines("\"abc\\\\\""));
}

TEST(NeedsMoreLines, BracketsInStringsCommentsAndCharactersDoNotCount) {
    EXPECT_FALSE(needs_more_lines("\"(\""));
    EXPECT_FALSE(needs_more_lines("#\"[(]\""));
    EXPECT_FALSE(needs_more_lines("1 ; ("));
    EXPECT_FALSE(needs_more_lines("[\\( \\\"]"));
    EXPECT_TRUE(needs_more_lines("(inc ; )"));
}

TEST(NeedsMoreLines, MoreLinesDoNotMendAWrongBracket) {
    EXPECT_FALSE(needs_more_lines("(+ 1]"));
    EXPECT_FALSE(needs_more_lines(")("));
}

} // namespace
} // namespace ptc
