#include "subagent/agent/response.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

/// The program in `reply`, "-" for none.
std::string program_in(std::string_view reply) {
    const auto program = find_program(reply);
    return program ? program->text() : "-";
}

TEST(FindProgram, AFenceThatIsNeverClosedEndsWithTheReply) {
    EXPECT_EQ(program_in("Here:\n```clojure\n(+ 1\n   2"), "(+ 1\n   2");
    EXPECT_EQ(program_in("```clojure"), "-");
}

TEST(FindProgram, BlocksAreOneProgramInOrder) {
    const auto program = find_program("```clojure\n(def a 1)\n```\n```text\n(no)\n```\n```LISP\na\n```");
    ASSERT_TRUE(program);
    EXPECT_EQ(program->blocks, (std::vector<std::string>{"(def a 1)", "a"}));
    EXPECT_EQ(program->text(), "(def a 1)\na");
}

TEST(FindProgram, BackticksInAStringDoNotCloseTheBlock) {
    EXPECT_EQ(program_in("```clojure\n(str \"a ``` b\")\n```"), "(str \"a ``` b\")");
}

TEST(FindProgram, LongerFencesCloseToo) { EXPECT_EQ(program_in("````clojure\n(f)\n````\nwords"), "(f)"); }

TEST(FindProgram, QuotesMadePrettyAreRepairedOutsideOfStringsOnly) {
    EXPECT_EQ(program_in("```clojure\n(str “a” \"“b”\" 'c) ; “d”\n```"), "(str \"a\" \"“b”\" 'c) ; “d”");
    EXPECT_EQ(program_in("```clojure\n(str \"a\\\"“b\")\n```"), "(str \"a\\\"“b\")");
}

TEST(FindProgram, InvisibleCharactersGoAwayOutsideOfStringsOnly) {
    EXPECT_EQ(program_in("```clojure\n(f\u200B \"\u200B\")\n```"), "(f \"\u200B\")");
}

TEST(FindProgram, TagsMayStandOnTheLineOfTheCode) {
    EXPECT_EQ(program_in("<lisp>(return 1)</lisp>"), "(return 1)");
    EXPECT_EQ(program_in("I do this: <clojure>(return 1)</clojure> and wait."), "(return 1)");
    EXPECT_EQ(program_in("<lisp>\n(return\n 1)</lisp>"), "(return\n 1)");
    EXPECT_EQ(program_in("<lisp>(def a 1)</lisp> then\n<lisp>\na\n</lisp>"), "(def a 1)\na");
    EXPECT_EQ(program_in("<lisp>\n```clojure\n(f)\n```\n</lisp>"), "(f)");
    EXPECT_EQ(program_in("<lisp>\n(f)"), "(f)") << "never closed";
    EXPECT_EQ(program_in("Put code into <lisp>..</lisp>."), "-");
    EXPECT_EQ(program_in("The tag <lisp> begins it: (f)"), "-");
}

TEST(FindProgram, OtherLanguagesAreNoPrograms) {
    EXPECT_EQ(program_in("```python\n(1 + 2)\n```"), "-");
    EXPECT_EQ(program_in("```json\n{\"a\": 1}\n```"), "-");
}

TEST(FindProgram, ProseIsNoProgram) {
    EXPECT_EQ(program_in("I call `(f)` next."), "-");
    EXPECT_EQ(program_in(""), "-");
    EXPECT_EQ(program_in("``````"), "-");
}

} // namespace
} // namespace ptc
