#include "subagent/agent/answer.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

/// The answer as JSON, or the reason why there is none.
std::string answer(std::string_view text, std::string_view signature, ValidationMode mode = ValidationMode::Enabled) {
    const SignaturePtr compiled = compile_signature(signature).value();
    const Result<Datum> value = read_answer(text, *compiled, mode);
    return value.ok() ? value.value().to_json() : std::string(reason_name(value.error().reason));
}

TEST(ReadAnswer, TextIsItself) {
    EXPECT_EQ(answer("{\"a\": 1}", ":any"), R"("{\"a\": 1}")");
    EXPECT_EQ(answer(" hi ", ":string"), "\" hi \"");
}

TEST(ReadAnswer, JsonIsFoundAmongWords) {
    EXPECT_EQ(answer("Sure:\n```json\n{\"n\": 4}\n```\nBye", "{n :int}"), "{\"n\":4}");
    EXPECT_EQ(answer("It is {\"n\": 4}, \"done\"", "{n :int}"), "{\"n\":4}");
    EXPECT_EQ(answer("Use {braces} as in {\"n\": 4}", "{n :int}"), "{\"n\":4}");
    EXPECT_EQ(answer("none", "{n :int}"), "invalid_json");
    EXPECT_EQ(answer(std::string(100'000, '['), "[:int]"), "invalid_json");
}

TEST(ReadAnswer, AListMayBeWrapped) { EXPECT_EQ(answer("{\"items\": [1]}", "[:int]"), "[1]"); }

TEST(ReadAnswer, ScalarsAreCoerced) {
    EXPECT_EQ(answer(" 42 ", ":int"), "42");
    EXPECT_EQ(answer("\"42\"", ":int"), "42");
    EXPECT_EQ(answer("2", ":float"), "2.0");
    EXPECT_EQ(answer("true", ":bool"), "true");
    EXPECT_EQ(answer("forty", ":int"), "validation_error");
}

TEST(ReadAnswer, DataIsNotCoerced) {
    EXPECT_EQ(answer("{\"n\": \"4\"}", "{n :int}"), "validation_error");
    EXPECT_EQ(answer("{\"n\": \"4\"}", "{n :int}", ValidationMode::WarnOnly), "{\"n\":\"4\"}");
    EXPECT_EQ(answer("{\"n\": 4, \"m\": 1}", "{n :int}", ValidationMode::Strict), "validation_error");
}

} // namespace
} // namespace ptc
