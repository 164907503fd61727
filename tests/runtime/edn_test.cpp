#include "runtime/edn.h"
#include "tests/runtime/text_world.h"

namespace ptc::test {
namespace {

std::string reread(std::string_view text) {
    TextWorld w;
    return w.show(parse_edn(w.heap, w.shapes, text));
}

TEST(Edn, PrintedDataReadsBack) {
    for (const char* text : {"nil",          "true",
                             "false",        "42",
                             "-7",           "123456789012345678901234567890",
                             "1.5",          "1.0E20",
                             "##Inf",        "##-Inf",
                             "##NaN",        "\"a\\\"b\\n\\t\\\\\"",
                             ":user-id",     "[]",
                             "{}",           "#{}",
                             "[1 [2 [3]]]",  "{:a 1 \"b\" [nil]}",
                             "#{1 2 3}",     "{[1 2] {:x #{\"y\"}}}",
                             "#\"a+\\\\d\"", "#'x",
                             "'name"})
        EXPECT_EQ(reread(text), text);
}

TEST(Edn, ListsAreVectorsAndCharactersStrings) {
    EXPECT_EQ(reread("(1 (2) ())"), "[1 [2] []]");
    EXPECT_EQ(reread("[\\a \\newline]"), "[\"a\" \"\\n\"]");
    EXPECT_EQ(reread(" {:b 1, :a 2} ; comment"), "{:a 2 :b 1}");
}

TEST(Edn, WhatIsNoDataIsRefused) {
    for (const char* text : {"", "1 2", "[1", "{:a}", "#(inc %)", "'(1 2)", "\"open", "}"}) {
        TextWorld w;
        Result<Value> value = parse_edn(w.heap, w.shapes, text);
        ASSERT_FALSE(value.ok()) << text;
        EXPECT_EQ(value.error().reason, Reason::ParseError) << text;
        EXPECT_EQ(w.heap.live_bytes(), 0u) << text;
    }
}

TEST(Edn, FailsCleanlyWithEveryLimit) {
    auto action = [](Heap& heap, ShapeTable& shapes) {
        return parse_edn(heap, shapes, "{:a [1 \"two\" #{3 12345678901234567890}] :b nil}");
    };
    fail_with_every_limit(action);
    fail_with_every_fuel(action);
}

} // namespace
} // namespace ptc::test
