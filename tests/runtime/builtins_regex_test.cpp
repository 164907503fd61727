#include "runtime/builtins/tables.h"
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using RegexBuiltins = BuiltinProgram;

TEST_F(RegexBuiltins, RowsAreDocumentedByExamplesThatHold) { EXPECT_ROWS_DOCUMENTED(regex_builtins()); }

TEST_F(RegexBuiltins, FindGivesATextOrAVectorOfGroups) {
    EXPECT_EQ(run("(re-find #\"\\d+\" \"abc 42 def 7\")"), "\"42\"");
    EXPECT_EQ(run("(re-find #\"z\" \"abc\")"), "nil");
    EXPECT_EQ(run("(re-find #\"(\\w+)@(\\w+)\" \"x bob@site\")"), R"(["bob@site" "bob" "site"])");
    EXPECT_EQ(run("(re-find #\"(a)?(b)?(c)\" \"c\")"), R"(["c" nil nil "c"])");
    EXPECT_EQ(run("(re-find #\"a(b*)\" \"a\")"), R"(["a" ""])");
    EXPECT_EQ(run("(re-find #\"é+\" \"xéé\")"), "\"éé\"");
}

TEST_F(RegexBuiltins, MatchesIsForTheWholeText) {
    EXPECT_EQ(run("(re-matches #\"\\d+\" \"123\")"), "\"123\"");
    EXPECT_EQ(run("(re-matches #\"\\d+\" \"123abc\")"), "nil");
    EXPECT_EQ(run("(re-matches #\"a|ab\" \"ab\")"), "\"ab\"");
    EXPECT_EQ(run("(re-matches #\"a\" \"a\\n\")"), "nil");
    EXPECT_EQ(run("(re-matches #\"\" \"\")"), "\"\"");
    EXPECT_EQ(run("(re-matches #\"a(b)?\" \"a\")"), R"(["a" nil])");
}

TEST_F(RegexBuiltins, SeqGivesAllMatchesOrNil) {
    EXPECT_EQ(run("(re-seq #\"\\d+\" \"a1b22c333\")"), R"(["1" "22" "333"])");
    EXPECT_EQ(run("(re-seq #\"(\\d)(\\w)\" \"1a2b\")"), R"([["1a" "1" "a"] ["2b" "2" "b"]])");
    EXPECT_EQ(run("(re-seq #\"z\" \"abc\")"), "nil");
    EXPECT_EQ(run("(re-seq #\"x*\" \"axb\")"), R"(["" "x" "" ""])");
    EXPECT_EQ(run("(re-seq #\".\" \"日本\")"), R"(["日" "本"])");
}

TEST_F(RegexBuiltins, ReSplitKeepsEmptyPartsAtTheEnd) {
    EXPECT_EQ(run("(re-split #\"\\s+\" \"a  b   c\")"), R"(["a" "b" "c"])");
    EXPECT_EQ(run("(re-split #\",\" \"a,b,\")"), R"(["a" "b" ""])");
    EXPECT_EQ(run("(re-split #\",\" \"\")"), R"([""])");
    EXPECT_EQ(run("(re-split #\",\" nil)"), "!type_error");
    EXPECT_EQ(run("(re-split \",\" \"a\")"), "!type_error");
}

TEST_F(RegexBuiltins, PatternsAreMadeFromTextOnce) {
    EXPECT_EQ(run("(re-find (re-pattern #\"a+\") \"baac\")"), "\"aa\"");
    EXPECT_EQ(run("(pr-str (re-pattern \"a+\"))"), R"("#\"a+\"")");
    EXPECT_EQ(run("(re-pattern \"[a\")"), "!runtime_error");
    EXPECT_EQ(run("(re-pattern 5)"), "!type_error");
    EXPECT_EQ(run("(regex? \"a\")"), "false");
}

TEST_F(RegexBuiltins, AStringIsNoPatternAndTheErrorSaysHowToMakeOne) {
    EXPECT_EQ(run("(re-find \"a\" \"abc\")"), "!type_error");
    EXPECT_NE(error_of("(re-find \"a\" \"abc\")").find("re-pattern"), std::string::npos);
    EXPECT_EQ(run("(re-find #\"a\" 5)"), "!type_error");
    EXPECT_EQ(run("(re-seq nil \"a\")"), "!type_error");
    EXPECT_EQ(run("(re-find #\"a\")"), "!arity_error");
}

TEST_F(RegexBuiltins, ExtractTakesAGroup) {
    EXPECT_EQ(run("(extract \"ID:(\\\\d+)\" \"ID:42\")"), "\"42\"");
    EXPECT_EQ(run("(extract \"ID:(\\\\d+)\" \"ID:42\" 0)"), "\"ID:42\"");
    EXPECT_EQ(run("(extract #\"(\\w+)@(\\w+)\" \"bob@example\" 2)"), "\"example\"");
    EXPECT_EQ(run("(extract \"a(b)?c\" \"ac\")"), "nil");
    EXPECT_EQ(run("(extract \"\\\\d+\" \"abc 77\")"), "nil");
    EXPECT_EQ(run("(extract \"(a)\" \"a\" -1)"), "nil");
    EXPECT_EQ(run("(extract \"(a)\" nil)"), "!type_error");
    EXPECT_EQ(run("(extract \"(\" \"a\")"), "!runtime_error");
    EXPECT_EQ(run("(extract-int \"n=(\\\\d+)\" \"n=007\")"), "7");
    EXPECT_EQ(run("(extract-int \"n=(\\\\w+)\" \"n=abc\")"), "nil");
    EXPECT_EQ(run("(extract-int \"n=(\\\\d+)\" \"none\" 1 0)"), "0");
    EXPECT_EQ(run("(extract-int \"x=(\\\\d+) y=(\\\\d+)\" \"x=10 y=20\" 2)"), "20");
}

} // namespace
} // namespace ptc::test
