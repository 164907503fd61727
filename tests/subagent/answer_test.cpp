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

TEST(ReadAnswer, ScalarsMayBeFenced) {
    EXPECT_EQ(answer("```\n42\n```", ":int"), "42");
    EXPECT_EQ(answer("```json\n42\n```\n", ":int"), "42");
    EXPECT_EQ(answer("```true```", ":bool"), "true");
    EXPECT_EQ(answer("```json\n\"open\"\n```", ":enum[open closed]"), "\"open\"");
    EXPECT_EQ(answer("```\nopen\n```", ":int|:enum[open closed]"), "\"open\"");
    EXPECT_EQ(answer("```\nseven of them\n```", ":int|:string"), "\"seven of them\"");
    EXPECT_EQ(answer("```\nnone\n```", "{n :int}|:enum[none]"), "\"none\"");
    EXPECT_EQ(answer("The answer is\n```\n42\n```\nas asked.", ":int"), "42");
    EXPECT_EQ(answer("```\n1\n```\nor\n```\n2\n```", ":int"), "validation_error") << "which one?";
    EXPECT_EQ(answer("```\n42", ":int"), "validation_error");
}

TEST(ReadAnswer, EnumsAndUnionsMayBeBareWords) {
    EXPECT_EQ(answer("open", ":enum[open closed]"), "\"open\"");
    EXPECT_EQ(answer(" \"closed\"\n", ":enum[open closed]"), "\"closed\"");
    EXPECT_EQ(answer("**open**.", ":enum[open closed]"), "\"open\"");
    EXPECT_EQ(answer(":open", ":enum[open closed]"), "\"open\"");
    EXPECT_EQ(answer("ajar", ":enum[open closed]"), "validation_error");
    EXPECT_EQ(answer("7", ":int|:string"), "7");
    EXPECT_EQ(answer("seven of them", ":int|:string"), "\"seven of them\"");
    EXPECT_EQ(answer("seven", ":int|:bool"), "validation_error");
    EXPECT_EQ(answer("none", "{n :int}|:enum[none]"), "\"none\"");
    EXPECT_EQ(answer("It is {\"n\": 1}", "{n :int}|:enum[none]"), "{\"n\":1}");
    EXPECT_EQ(answer("null", ":enum[open closed]?"), "null");
    EXPECT_EQ(answer("nil", ":enum[open closed]?"), "null");
    EXPECT_EQ(answer("nil", ":enum[open closed]"), "validation_error");
}

TEST(ReadAnswer, WhatTheModelTriedWhileItThoughtIsNoAnswer) {
    EXPECT_EQ(answer("<think>{} or {\"n\": 1}?</think>\n{\"n\": 2}", "{n :int}"), "{\"n\":2}");
    EXPECT_EQ(answer("Is it open? No.</think>closed", ":enum[open closed]"), "\"closed\"");
    EXPECT_EQ(answer("<think>Hm.</think>\n\nIt is open.", ":string"), "\"It is open.\"");
    EXPECT_EQ(answer("Write <think>..</think> in front.", ":string"), "\"Write <think>..</think> in front.\"");
    EXPECT_EQ(answer("<think>without an end", ":string"), "\"<think>without an end\"");
    EXPECT_EQ(answer("First I thought {}, then [1]. It is {\"n\": 3}.", "{n :int}"), "{\"n\":3}");
    EXPECT_EQ(answer("Not {\"n\": 1}, but {\"n\": 2}.", "{n :int}"), "{\"n\":2}") << "the last one";
    EXPECT_EQ(answer("{\"n\": 2}. I left out {}.", "{n :int}"), "{\"n\":2}") << "the one that fits";
    EXPECT_EQ(answer("```json\n{\"n\": 1}\n```\nCorrected:\n```json\n{\"n\": 2}\n```", "{n :int}"), "{\"n\":2}");
    EXPECT_EQ(answer("{\"text\": \"a </think> b\"}", "{text :string}"), "{\"text\":\"a </think> b\"}");
}

TEST(ReadAnswer, BrokenJsonIsNotCalledNone) {
    const auto why = [](std::string_view text) {
        return read_answer(text, *compile_signature("{n :int}").value(), ValidationMode::Enabled).error().message;
    };
    EXPECT_EQ(why("I do not know."), "The answer has no JSON in it.");
    for (const char* text :
         {"{\"n\": 4,, \"m\": 1}", "{\"n\": 4", "Here:\n```json\n{\"n\": }\n```", "It is {\"n\": four}."})
        EXPECT_TRUE(why(text).starts_with("The JSON of the answer is broken: ")) << text << ": " << why(text);
}

TEST(ReadAnswer, DataIsNotCoerced) {
    EXPECT_EQ(answer("{\"n\": \"4\"}", "{n :int}"), "validation_error");
    EXPECT_EQ(answer("{\"n\": \"4\"}", "{n :int}", ValidationMode::WarnOnly), "{\"n\":\"4\"}");
    EXPECT_EQ(answer("{\"n\": 4, \"m\": 1}", "{n :int}", ValidationMode::Strict), "validation_error");
}

} // namespace
} // namespace ptc
