// The Malli form of signatures and JSON Schema: to types and back. What cannot be said in the other form is a warning
// or an error with a span.
#include "ptc/json_schema.h"
#include "ptc/schema_reader.h"
#include "runtime/edn.h"
#include "runtime/signature/malli.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

std::string read(std::string_view edn) {
    const Result<Signature> signature = parse_malli(edn);
    return signature.ok() ? signature_text(signature.value()) : "!! " + signature.error().message;
}

TEST(Malli, SchemasBecomeTypes) {
    EXPECT_EQ(read("[:=> [:catn [:q :string] [:n {:optional true} :int]] [:vector [:map [:id :int]]]]"),
              "(q :string, n :int?) -> [{id :int}]");
    EXPECT_EQ(read("[:map [:a {:optional true} [:maybe :double]] [\"b\" :boolean]]"), "() -> {a :float?, b :bool}");
    EXPECT_EQ(read("[:or [:or :int :string] [:maybe :keyword] :nil]"), "() -> :int|:string|:keyword|:nil?");
    EXPECT_EQ(read("[:or :int]"), "() -> :int");
    EXPECT_EQ(read("[:and [:or :int :float] [:>= 0] [:not= 3] [:= 4]]"), "() -> :int[>=0 !=3 =4]|:float[>=0 !=3 =4]");
    EXPECT_EQ(read("[:int {:max 10 :min 1}]"), "() -> :int[1..10]");
    EXPECT_EQ(read("[:enum \"a b\" :c 1 2.5 true nil]"), "() -> :enum[\"a b\" :c 1 2.5 true nil]");
    EXPECT_EQ(read("[:sequential :any] ; a comment"), "() -> [:any]");
    EXPECT_EQ(read("[:map {} [:a :datetime]]"), "() -> {a :datetime}");
}

TEST(Malli, ParametersWithoutNamesHaveANormalFormThatReads) {
    const std::pair<std::string_view, std::string_view> forms[] = {
        {"[:=> [:cat :string] :int]", "(arg1 :string) -> :int"},
        {"[:=> [:cat :string [:map [:a :int]]] :int]", "(arg1 :string, arg2 {a :int}) -> :int"},
        {"[:=> [:cat [:map [:id :int] [:n {:optional true} :int]]] :bool]", "(id :int, n :int?) -> :bool"},
        {"[:=> [:cat :any] :bool]", "() -> :bool"},
    };
    for (const auto& [malli, text] : forms) {
        EXPECT_EQ(read(malli), text);
        const Result<Signature> again = parse_signature(text);
        ASSERT_TRUE(again.ok()) << text;
        EXPECT_EQ(signature_text(again.value()), text);
    }
}

TEST(Malli, MistakesHaveSpansAndHints) {
    struct Mistake {
        std::string_view text;
        Span span;
        std::string_view part;
    };
    const Mistake mistakes[] = {
        {"[:=> [:cat :strng] :int]", {11, 17}, "`:strng` is not a schema"},
        {"[:=> [:cat]]", {0, 12}, "too few or too many parts"},
        {"[:=> :int :int]", {5, 9}, "`[:cat ..]`"},
        {"[:map [:a]]", {6, 10}, "a name and a schema"},
        {"[:map a :int]", {6, 7}, "a name and a schema"},
        {"[:map [:a? :int]]", {7, 10}, "`a?` is not a name"},
        {"[:map [:a-b :int] [:a_b :int]]", {0, 30}, "are the same name"},
        {"[:map [:a {:min 1} :int]]", {10, 18}, "does not have these properties"},
        {"[:map {:closed true} [:a :int]]", {6, 20}, "does not have these properties"},
        {"[:string {:min 1}]", {9, 17}, "does not have these properties"},
        {"[:or]", {0, 5}, "too few or too many parts"},
        {"[:and :string [:> 1]]", {6, 13}, "Comparisons are for numbers"},
        {"[:and :int [:> \"1\"]]", {11, 19}, "an operator and a number"},
        {"[:enum [1]]", {7, 10}, "A choice is"},
        {"[:tuple :int :int]", {1, 7}, "`:tuple` is not a schema"},
        {"[]", {0, 2}, "not a schema"},
        {"12", {0, 2}, "not a schema"},
        {"[:vector :int", {0, 1}, "matching"},
    };
    for (const Mistake& mistake : mistakes) {
        const Result<Signature> signature = parse_malli(mistake.text);
        ASSERT_FALSE(signature.ok()) << mistake.text;
        const Error& error = signature.error();
        EXPECT_NE(error.message.find(mistake.part), std::string::npos) << mistake.text << ": " << error.message;
        EXPECT_EQ(error.span.begin, mistake.span.begin) << mistake.text << ": " << error.message;
        EXPECT_EQ(error.span.end, mistake.span.end) << mistake.text << ": " << error.message;
        EXPECT_FALSE(error.hint.empty()) << mistake.text;
    }
    EXPECT_FALSE(parse_malli("").ok());
    EXPECT_FALSE(parse_malli(":int :int").ok());
}

TEST(Malli, NestingHasALimit) {
    std::string deep;
    for (int i = 0; i < 600; ++i)
        deep += "[:vector ";
    EXPECT_FALSE(parse_malli(deep + ":int" + std::string(600, ']')).ok());
}

TEST(Malli, ValuesOfAProgramAreSchemasToo) {
    Heap heap;
    ShapeTable shapes(heap);
    const Signature signature =
        parse_signature("(a :int[1..9]?, b [:string?]) -> {c :enum[x y]|:nil?, d [:float]?}").value();
    const Value value = malli_value(heap, shapes, signature).value();
    EXPECT_EQ(malli_signature(value).value(), signature);
    const Result<Signature> wrong = malli_signature(parse_edn(heap, shapes, "[:map [:a :strng]]").value());
    ASSERT_FALSE(wrong.ok());
    EXPECT_FALSE(wrong.error().has_span);
    EXPECT_NE(wrong.error().hint.find("`:string`"), std::string::npos) << wrong.error().hint;
}

TEST(Malli, IsASignatureWhereverOneIsRead) {
    constexpr std::string_view kMalli = "[:=> [:cat :string] [:map [:n :int]]]";
    EXPECT_EQ(return_text(kMalli).value(), "{n :int}");
    EXPECT_EQ(parse_signature(kMalli).value(), parse_malli(kMalli).value());
    const Result<Signature> wrong = parse_signature("[:=> [:cat :string] [:map [:n :imt]]]");
    ASSERT_FALSE(wrong.ok());
    EXPECT_NE(wrong.error().hint.find("`:int`"), std::string::npos) << wrong.error().hint;
}

TEST(Malli, OnlyTheFunctionFormIsRecognisedInAnyText) {
    EXPECT_TRUE(is_malli(" [ :=> [:cat] :int]"));
    EXPECT_FALSE(is_malli("[:map]")); // a list of maps
    EXPECT_EQ(signature_text(parse_signature("[:=> [:cat] :int]").value()), "() -> :int");
    EXPECT_EQ(signature_text(parse_signature("[:map]").value()), "() -> [:map]");
}

TEST(Malli, ASchemaAloneIsToldToBeNoSignature) {
    for (const std::string text : {"[:map [:n :int]]", " [:map [:n :int] [:s :string]] ", "[:or :int :nil]",
                                   "[:enum \"a\" \"b\"]", "[:and :int [:> 0]]", "[:maybe :int]"}) {
        const Result<Signature> alone = parse_signature(text);
        ASSERT_FALSE(alone.ok()) << text;
        EXPECT_NE(alone.error().message.find("`[:=> [:cat] RESULT]`"), std::string::npos) << alone.error().message;
        ASSERT_EQ(alone.error().edits.size(), 2U);
        const std::string mended = alone.error().edits[0].text + text + alone.error().edits[1].text;
        EXPECT_TRUE(parse_signature(mended).ok()) << mended;
    }
    EXPECT_NE(parse_signature("[:int :string]").error().message.find("A list has one element type"), std::string::npos);
}

std::string from_schema(std::string_view json) {
    const Result<SchemaReading> reading = read_json_schema(json);
    if (!reading.ok()) return "!! " + reading.error().message;
    std::string text = type_text(reading.value().type);
    for (const Fault& warning : reading.value().warnings)
        text += " | " + warning.path + ": " + warning.message;
    return text;
}

TEST(JsonSchema, BecomesAType) {
    EXPECT_EQ(
        from_schema(
            R"({"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","minimum":1,"maximum":9}},"required":["q"]})"),
        "{n :int[1..9]?, q :string}");
    EXPECT_EQ(from_schema(R"({"type":["string","null"]})"), ":string?");
    EXPECT_EQ(from_schema(R"({"anyOf":[{"type":"integer"},{"type":"number"},{"type":"null"}]})"), ":int|:float?");
    EXPECT_EQ(from_schema(R"({"type":"array","items":{"type":"string","format":"date-time"}})"), "[:datetime]");
    EXPECT_EQ(from_schema(R"({"enum":["a",1,null]})"), ":enum[a 1 nil]");
    EXPECT_EQ(from_schema(R"({"const":5})"), ":enum[5]");
    EXPECT_EQ(from_schema(R"({"type":"number","minimum":0,"exclusiveMinimum":true})"), ":float[>0]");
    EXPECT_EQ(
        from_schema(
            R"({"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"boolean"}}}]})"),
        "{a :string, b :bool?}");
    EXPECT_EQ(from_schema(R"({"type":"string","nullable":true})"), ":string?");
    EXPECT_EQ(from_schema("true"), ":any");
    EXPECT_EQ(from_schema(R"({"type":"object"})"), ":map");
}

TEST(JsonSchema, WhatStandsBesideOtherPartsCounts) {
    EXPECT_EQ(from_schema(R"({"type":"integer","minimum":1,"allOf":[{"minimum":2},{"type":"integer","maximum":9}]})"),
              ":int[>=1 >=2 <=9]");
    EXPECT_EQ(from_schema(R"({"type":"number","minimum":1,"allOf":[{"minimum":2,"allOf":[{"minimum":3}]}]})"),
              ":float[>=1 >=2 >=3]");
    EXPECT_EQ(from_schema(R"({"type":"number","not":{"const":0.5}})"), ":float[!=0.5]");
    EXPECT_EQ(from_schema(R"({"properties":{"a":{"type":"string"}},"allOf":[{"properties":{"b":{"type":"null"}}}]})"),
              "{a :string?, b :nil?}");
    EXPECT_EQ(
        from_schema(
            R"({"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]})"),
        "{a :string?, b :any?} | : which fields go together cannot be said and is not checked");
}

TEST(JsonSchema, ReferencesAreFollowedOnce) {
    EXPECT_EQ(
        from_schema(
            R"({"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"array","items":{"$ref":"#/$defs/c"}},"c":{"type":"string"}}})"),
        "[:string]");
    EXPECT_EQ(
        from_schema(R"({"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}}})"),
        "{kids [{kids [:any]?}]?} | kids[].kids[]: a type that holds itself cannot be said; anything is allowed here");
}

TEST(JsonSchema, WhatCannotBeSaidIsAnyWithAWarning) {
    EXPECT_NE(from_schema(R"({"type":"string","pattern":"^a"})").find(":string | : `pattern` cannot be said"),
              std::string::npos);
    EXPECT_NE(from_schema(R"({"type":"array","prefixItems":[{"type":"string"}]})").find("[:any] | "),
              std::string::npos);
    EXPECT_NE(from_schema(R"({"properties":{"first name":{"type":"string"}}})").find(":map | "), std::string::npos);
    EXPECT_NE(from_schema(R"({"properties":{"a-b":{"type":"string"},"a_b":{}}})").find("{a-b :any?} | a_b: "),
              std::string::npos);
    EXPECT_NE(from_schema(R"({"properties":{"x":false}})").find("{x :any?} | x: "), std::string::npos);
    EXPECT_NE(from_schema(R"({"$ref":"http://example.org/x"})").find(":any | : the reference"), std::string::npos);
    EXPECT_FALSE(read_json_schema("12").ok());
    EXPECT_FALSE(read_json_schema("{").ok());
}

TEST(JsonSchema, FieldsWithNamesThatNoTypeWritesAreLeftOutAlone) {
    constexpr std::string_view kOdd = R"({"properties":{"n":{"type":"integer"},"user id":{"type":"string"}},
                                          "required":["n","user id"]})";
    const auto unwritten = [](const std::string& json) {
        std::string text;
        for (const UnwrittenField& field : read_json_schema(json).value().unwritten)
            text += field.path + "|" + field.name + ";";
        return text;
    };
    EXPECT_EQ(from_schema(kOdd),
              "{n :int} | user id: a name that cannot be said; the field is left out, and may be there");
    EXPECT_EQ(unwritten(std::string(kOdd)), "|user id;");
    const std::string items = R"({"properties":{"rows":{"items":)" + std::string(kOdd) + "}}}";
    EXPECT_EQ(from_schema(items).substr(0, 18), "{rows [{n :int}]?}");
    EXPECT_EQ(unwritten(items), "rows[]|user id;");
    EXPECT_EQ(from_schema(R"({"allOf":[)" + std::string(kOdd) + R"(,{"properties":{"m":{}}}]})").substr(0, 17),
              "{n :int, m :any?}");
    // Alternatives that have become one.
    const std::string either = R"({"anyOf":[{"properties":{"n":{},"a b":{}}},{"properties":{"n":{},"c d":{}}}]})";
    EXPECT_EQ(from_schema(either).substr(0, 10), "{n :any?} ");
    EXPECT_EQ(unwritten(either), "|a b;|c d;");
    EXPECT_TRUE(parse_signature("() -> " + type_text(read_json_schema(either).value().type)).ok());
}

TEST(JsonSchema, FieldsThatAreOnlyRequiredMayBeThere) {
    const auto type = [](const std::string& json) {
        const std::string text = from_schema(json);
        return text.substr(0, text.find(" | "));
    };
    const std::string own = R"("properties":{"a":{"type":"integer"}})";
    EXPECT_EQ(type("{" + own + R"(,"required":["a","c"]})"), "{a :int, c :any?}");
    EXPECT_EQ(type("{" + own + R"(,"dependentRequired":{"a":["c"]}})"), "{a :int?, c :any?}");
    EXPECT_EQ(type("{" + own + R"(,"anyOf":[{"required":["a"]},{"required":["c"]}]})"), "{a :int?, c :any?}");
    EXPECT_EQ(type("{" + own + R"(,"if":{},"then":{"required":["c"]}})"), "{a :int?, c :any?}");
    EXPECT_EQ(type(R"({"allOf":[{"required":["c"],)" + own + R"(},{"properties":{"c":{"type":"string"}}}]})"),
              "{a :int?, c :any?}");
    EXPECT_EQ(type("{" + own + R"(,"required":["c"],"allOf":[{"properties":{"c":{"type":"string"}}}]})"),
              "{a :int?, c :string?}");
    EXPECT_EQ(type("{" + own + R"(,"required":["c"],"additionalProperties":false})"), "{a :int?}"); // nothing fits it
}

TEST(JsonSchema, FieldsThatHoldUnderAConditionMayBeThere) {
    const auto type = [](const std::string& json) {
        const std::string text = from_schema(json);
        return text.substr(0, text.find(" | "));
    };
    const std::string own = R"("properties":{"kind":{"type":"string"},"at":{"properties":{"x":{"type":"integer"}}}})";
    const std::string then = R"({"properties":{"k":{"type":"integer"},"at":{"properties":{"y":{}}}}})";
    const std::string with_k = "{at {x :int?, y :any?}?, kind :string?, k :any?}";
    const std::string is_a = R"("if":{"properties":{"kind":{"const":"a"}}})";
    EXPECT_EQ(type("{" + own + "," + is_a + R"(,"then":)" + then + "}"), with_k);
    EXPECT_EQ(type("{" + own + "," + is_a + R"(,"else":)" + then + "}"), with_k);
    EXPECT_EQ(type("{" + own + R"(,"dependentSchemas":{"kind":)" + then + "}}"), with_k);
    EXPECT_EQ(type("{" + own + R"(,"dependencies":{"kind":)" + then + R"(,"k":["kind"]}})"), with_k);
    EXPECT_EQ(type("{" + own + R"(,"allOf":[{)" + is_a + R"(,"then":)" + then + "}]}"), with_k);
    EXPECT_EQ(
        type("{" + own + R"(,"allOf":[{"$ref":"#/$defs/c"}],"$defs":{"c":{)" + is_a + R"(,"then":)" + then + "}}}"),
        with_k);
    EXPECT_EQ(type("{" + own + R"(,"if":{},"then":{"$ref":"#/$defs/t"},"$defs":{"t":)" + then + "}}"), with_k);
    EXPECT_EQ(type(R"({"type":"array","items":{"properties":{"n":{}},"if":{},"then":)" + then + "}}"),
              "[{n :any?, at :any?, k :any?}]");
    // Beside alternatives, too.
    EXPECT_EQ(type("{" + own + R"(,"anyOf":[{"required":["kind"]},)" + then + "]}"), with_k);
    EXPECT_EQ(type("{" + own + R"(,"oneOf":[)" + then + R"(,{"properties":{"z":{"type":"integer"}}}]})"),
              "{at {x :int?, y :any?}?, kind :string?, k :any?, z :any?}");
    EXPECT_EQ(type(R"({"if":{},"then":)" + then + "}"), ":any");
    EXPECT_EQ(type(R"({"$ref":"#/$defs/r","$defs":{"r":{"properties":{"a":{}},"then":{"$ref":"#/$defs/r"}}}})"),
              "{a :any?}");
}

TEST(JsonSchema, ToolsHaveTwo) {
    const SignatureReading reading =
        read_tool_schemas(R"({"type":"object","properties":{"q":{"type":"string"}},"required":["q"]})",
                          R"({"type":"array","items":{"type":"integer"}})")
            .value();
    EXPECT_EQ(signature_text(reading.signature), "(q :string) -> [:int]");
    EXPECT_TRUE(reading.warnings.empty());
    EXPECT_EQ(read_tool_schemas("{}", "").value().warnings.size(), 1u);
    const char* const unwritable = R"({"properties":{"user id":{"type":"string"}},"required":["user id"]})";
    EXPECT_EQ(signature_text(read_tool_schemas(unwritable, "").value().signature), "() -> :any");
    const SignatureReading written = read_tool_schemas(unwritable, "", ParameterNames::Written).value();
    EXPECT_EQ(signature_text(written.signature), "(user-id :string) -> :any");
    ASSERT_EQ(written.written.size(), 1u);
    EXPECT_EQ(written.written[0].in_schema, "user id");
}

TEST(JsonSchema, IsWrittenInEachStyle) {
    const Type type = parse_signature("{a-b :int?, c [:keyword], d :any, e {}}").value().returns;
    EXPECT_EQ(
        json_schema(type, SchemaStyle::Tool),
        R"({"type":"object","properties":{"a_b":{"type":"integer"},"c":{"type":"array","items":{"type":"string"}},"d":{"type":"object"},"e":{"type":"object","properties":{}}},"required":["c","d","e"]})");
    EXPECT_EQ(
        json_schema(parse_signature(":int[>0 >1 !=5]?").value().returns, SchemaStyle::Exact),
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema","anyOf":[{"type":"integer","exclusiveMinimum":0,"not":{"const":5},"allOf":[{"exclusiveMinimum":1}]},{"type":"null"}]})");
    EXPECT_EQ(json_schema(Type(TypeKind::Any), SchemaStyle::Exact),
              R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})");
    EXPECT_EQ(
        structured_output_schema(parse_signature("[:int]?").value().returns),
        R"({"type":"object","properties":{"items":{"type":"array","items":{"type":"integer"}}},"required":["items"],"additionalProperties":false})");
}

} // namespace
} // namespace ptc
