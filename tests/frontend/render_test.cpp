#include "frontend/render.h"
#include "tests/frontend/reading.h"

namespace ptc {
namespace {

using testing::Reading;

TEST(RenderText, ShowsTheLineACaretAndTheHint) {
    const Reading reading("(def x 1)\n(foo :a%b)");
    EXPECT_EQ(render_text(reading.source, reading.diagnostics),
              "test.ptc:2:6: error[parse_error]: The keyword `:a%b` has a character that keywords cannot have.\n"
              "  2 | (foo :a%b)\n"
              "    |      ^^^^\n"
              "  hint: Keywords are made of letters, digits and + - * < > = ? ! _; write `:a-b`.\n");
}

TEST(RenderText, LabelsPointAtTheOtherPlaces) {
    const Reading reading("(foo\n  1]");
    const std::string text = render_text(reading.source, reading.diagnostics);
    EXPECT_NE(text.find("  2 |   1]\n    |    ^\n  1 | (foo\n    | - opened here\n"), std::string::npos) << text;
}

TEST(RenderText, ColumnsCountCodePoints) {
    const Reading reading("\"日本\" 0b1");
    const std::string text = render_text(reading.source, reading.diagnostics);
    EXPECT_NE(text.find("test.ptc:1:6:"), std::string::npos) << text;
    EXPECT_NE(text.find("\n    |      ^^^\n"), std::string::npos) << text;
}

TEST(RenderText, LongLinesAreCutAndSayso) {
    const Reading reading(testing::repeat("foo ", 100) + "0b1 " + testing::repeat("bar ", 100));
    const std::string text = render_text(reading.source, reading.diagnostics);
    EXPECT_NE(text.find("| ..."), std::string::npos);
    EXPECT_NE(text.find("...\n"), std::string::npos);
    EXPECT_LT(text.size(), 600u);
}

TEST(RenderText, ColorIsOptional) {
    const Reading reading("0b1");
    EXPECT_EQ(render_text(reading.source, reading.diagnostics).find('\x1b'), std::string::npos);
    EXPECT_NE(render_text(reading.source, reading.diagnostics, {.color = true}).find('\x1b'), std::string::npos);
}

TEST(RenderText, ControlCharactersReachNoTerminal) {
    const Reading reading("\x1b[31m");
    EXPECT_EQ(render_text(reading.source, reading.diagnostics).find('\x1b'), std::string::npos);
}

TEST(RenderText, WhatWasDroppedIsSaid) {
    Diagnostics diagnostics;
    for (int i = 0; i < 53; ++i)
        diagnostics.error(Error(Reason::TypeError, "x"));
    EXPECT_NE(render_text(Source("f", ""), diagnostics).find("at least 3 not shown."), std::string::npos);
}

TEST(RenderJson, HasTheFieldsOfCheck) {
    const Reading reading("(foo 0b1)");
    EXPECT_EQ(render_json(reading.source, reading.diagnostics),
              "{\"diagnostics\":[{\"file\":\"test.ptc\",\"severity\":\"error\",\"reason\":\"parse_error\","
              "\"message\":\"`0b1` is not a number.\",\"line\":1,\"column\":6,\"offset\":5,\"length\":3,"
              "\"hint\":\"Binary numbers do not exist; write `1`.\","
              "\"edits\":[{\"offset\":5,\"length\":3,\"text\":\"1\"}]}]}");
    EXPECT_EQ(render_json(reading.source, Diagnostics{}), "{\"diagnostics\":[]}");
}

TEST(RenderJson, HintAndEditsAreOptional) {
    const Source source("f", "abc");
    EXPECT_EQ(render_json(source, Diagnostic{Severity::Warning, Error(Reason::TypeError, Span{1, 2}, "m")}),
              "{\"file\":\"f\",\"severity\":\"warning\",\"reason\":\"type_error\",\"message\":\"m\",\"line\":1,"
              "\"column\":2,\"offset\":1,\"length\":1}");
}

} // namespace
} // namespace ptc
