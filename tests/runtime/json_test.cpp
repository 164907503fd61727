// Reading and writing JSON. There are two readers, a fast one and a strict one (boost_json.cpp): every text here, and
// texts next to them, go through both, which must agree on values and on refusals.
#include "frontend/try.h"
#include "runtime/json.h"
#include "runtime/json_builder.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/time.h"
#include "tests/runtime/text_world.h"
#include <cmath>
#include <cstdlib>

namespace ptc::test {
namespace {

std::string strictly(std::string_view text) {
    TextWorld w;
    return w.show(parse_json_strictly(w.heap, w.shapes, text, {}));
}

/// Both readers, each on its own, and the fast one into frozen values; equal or the test fails. The text ends where its
/// memory does, so that a sanitizer sees who reads further.
std::string read_both(std::string_view all) {
    const std::vector<char> bytes(all.begin(), all.end());
    const std::string_view text(bytes.data(), bytes.size());
    TextWorld w, frozen(Heap::Mode::Frozen);
    std::string mine = w.json(text);
    EXPECT_EQ(mine, strictly(text)) << text;
    EXPECT_EQ(mine, frozen.json(text)) << text;
    return mine;
}

TEST(Json, IntegersAreBoundedByTheirDigits) {
    TextWorld w;
    const std::string longest(w.heap.max_digits, '9');
    EXPECT_TRUE(parse_json(w.heap, w.shapes, "[" + longest + "]").ok());
    const Result<Value> beyond = parse_json(w.heap, w.shapes, "[" + longest + "9]");
    ASSERT_FALSE(beyond.ok());
    EXPECT_EQ(beyond.error().reason, Reason::LimitExceeded);
    EXPECT_EQ(parse_json_strictly(w.heap, w.shapes, longest + "9", {}).error().reason, Reason::LimitExceeded);
    EXPECT_EQ(import_json(w.heap, w.shapes, longest + "9").error().reason, Reason::LimitExceeded);
}

TEST(Json, ReadsEveryKindOfValue) {
    EXPECT_EQ(
        read_both(" [ null , true , false , 0 , -0 , 12 , -7 , 1.5 , -2.50 , 1e2 , 1E-2 , \"\" , \"a\" , [ ] , { } ] "),
        R"([nil true false 0 0 12 -7 1.5 -2.5 100.0 0.01 "" "a" [] {}])");
    EXPECT_EQ(read_both(R"({"b":{"x":[1]},"a":2})"), R"({"a" 2 "b" {"x" [1]}})");
    EXPECT_EQ(read_both(R"("\"\\\/\b\f\n\r\t\u00e9\u65E5\ud83d\ude00é")"),
              "\"\\\"\\\\/\\b\\f\\n\\r\\t\u00e9\u65e5\U0001F600\u00e9\"");
    EXPECT_EQ(read_both("42"), "42");
}

TEST(Json, NumbersKeepAllTheirDigits) {
    EXPECT_EQ(read_both("1125899906842624"), "1125899906842624");
    EXPECT_EQ(read_both("-9223372036854775809"), "-9223372036854775809");
    EXPECT_EQ(read_both("123456789012345678901234567890"), "123456789012345678901234567890");
    EXPECT_EQ(read_both("0.1"), "0.1");
    EXPECT_EQ(read_both("-0.0"), "-0.0");
    EXPECT_EQ(read_both("123456789.12345678"), "1.2345678912345678E8");
    EXPECT_EQ(read_both("[666666666666666.6666666666666666666666666, 0]"), "[6.666666666666666E14 0]");
    EXPECT_EQ(read_both("1e-400"), "0.0");
    EXPECT_EQ(read_both("0e999"), "0.0");
    EXPECT_EQ(read_both("0.000000000000000000000000000000001e33"), "1.0");
    EXPECT_NE(read_both("1e400").find("too large"), std::string::npos);
    EXPECT_NE(read_both("-123456789e301").find("too large"), std::string::npos);
}

TEST(Json, DoublesAreRoundedCorrectly) {
    Random random;
    TextWorld w;
    for (int i = 0; i < 20'000; ++i) {
        double d = std::bit_cast<double>(random.next());
        if (i % 2)
            d = static_cast<double>(random.below(1'000'000'000'000)) /
                std::pow(10.0, static_cast<double>(random.below(8)));
        if (!std::isfinite(d)) continue;
        char text[64];
        std::snprintf(text, sizeof text, i % 4 < 2 ? "%.17g" : "%.15g", d);
        double expected = std::strtod(text, nullptr);
        Value v = parse_json(w.heap, w.shapes, text).value();
        double got = to_double(v);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got + 0.0), std::bit_cast<std::uint64_t>(expected + 0.0)) << text;
        std::string written;
        ASSERT_TRUE(to_json(w.heap, Value::number(d), written));
        ASSERT_EQ(std::bit_cast<std::uint64_t>(parse_json(w.heap, w.shapes, written).value().as_double()),
                  std::bit_cast<std::uint64_t>(d));
    }
}

TEST(Json, OfARepeatedKeyTheLastWins) {
    EXPECT_EQ(read_both(R"({"a":1,"b":2,"a":3})"), R"({"a" 3 "b" 2})");
    EXPECT_EQ(read_both(R"([{"a":1,"b":2},{"a":1,"a":2},{"a":1,"b":2,"b":3}])"),
              R"([{"a" 1 "b" 2} {"a" 2} {"a" 1 "b" 3}])");
}

TEST(Json, RowsOfOneKindShareTheirShapeWhateverTheOrderOfKeys) {
    TextWorld w;
    Value rows =
        parse_json(w.heap, w.shapes,
                   R"([{"b":1,"a":{"x":1}},{"b":2,"a":{"x":2}},{"a":{"x":3},"b":3},{"b":4},{"b":5,"a":6,"c":7}])")
            .value();
    EXPECT_EQ(w.show(rows),
              R"([{"a" {"x" 1} "b" 1} {"a" {"x" 2} "b" 2} {"a" {"x" 3} "b" 3} {"b" 4} {"a" 6 "b" 5 "c" 7}])");
    const Value* row = vector_data_or_null(rows);
    auto shape = [&](std::size_t i) { return static_cast<const RecordObject*>(row[i].object())->shape; };
    EXPECT_EQ(shape(0), shape(1));
    EXPECT_EQ(shape(0), shape(2));
    EXPECT_NE(shape(0), shape(3));
}

TEST(Json, WideAndManyKindsOfObjectsAreMapsLikeAnyOther) {
    TextWorld w;
    std::string wide = "{", many = "[";
    for (int i = 0; i < 40; ++i)
        wide += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
    wide += "}";
    Value map = parse_json(w.heap, w.shapes, wide).value();
    EXPECT_EQ(map_count(map), 40u);
    EXPECT_EQ(map_find(w.heap, map, w.string("k17"))->small_integer(), 17);
    for (int i = 0; i < 600; ++i)
        many += (i ? ",{\"k" : "{\"k") + std::to_string(i) + "\":[{\"x\":" + std::to_string(i) + "}]}";
    many += "]";
    std::string printed = read_both(many);
    EXPECT_NE(printed.find("{\"k599\" [{\"x\" 599}]}"), std::string::npos);
}

// Texts that are easily judged wrongly. Both readers must say the same of them, and of everything near them.
constexpr const char* kTexts[] = {
    "",
    " ",
    "nul",
    "nulll",
    "tru",
    "True",
    "[",
    "]",
    "{",
    "}",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1]]",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{\"a\":}",
    "{a:1}",
    "{'a':1}",
    "{\"a\":1 \"b\":2}",
    "{1:2}",
    "{\"a\":1]",
    "[1}",
    "01",
    "-",
    "-01",
    "+1",
    ".5",
    "5.",
    "1.e3",
    "1e",
    "1e+",
    "1E+2",
    "0x10",
    "1_0",
    "Infinity",
    "NaN",
    "-NaN",
    "1 2",
    "\"",
    "\"a",
    "\"\\\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u123g\"",
    "\"\\ud800\"",
    "\"\\ud800x\"",
    "\"\\ud800\\u0041\"",
    "\"\\udc00\"",
    "\"\\ud83d\\ude00\"",
    "\"\\u0000\"",
    "\"\n\"",
    "\"\t\"",
    "\"\x01\"",
    "\"\x7f\"",
    "\"\xc3\xa9\"",
    "\"\xc3\"",
    "\"\xff\"",
    "\"\xed\xa0\x80\"",
    "\"\xc0\x80\"",
    "\"\xf4\x90\x80\x80\"",
    ("\xef\xbb\xbf"
     "1"),
    "// c\n1",
    "[1,/*c*/2]",
    "\f1",
    "1\v",
    "[[[[[[1]]]]]]",
    "{\"a\":{\"b\":[{\"c\":null}]}}",
    "[1.0,1e5,1E-5,123456789012345678,0.1234567890123456789,1e23]",
    "{\"\":1}",
    "[\"\\u00e9\\n\",\"plain\",\"long enough for a whole vector register\"]",
    "[{\"id\":1,\"name\":\"a\"},{\"id\":2,\"name\":\"b\"},{\"id\":3,\"nam\":\"c\"},{\"id\":4,\"name\":\"d\",\"x\":1}]",
    // Rows: keys are compared with those of the row before, up to 16 bytes at once.
    "[{\"a\\\"\":1},{\"a\"\":2}]",
    "[{\"a\\\\\":1},{\"a\\\":2}]",
    "[{\"a\\n\":1},{\"a\n\":2}]",
    "[{\"\":1},{\"\":2}]",
    "[{\"a\" : 1 , \"b\":2},{\"a\" : 1 , \"b\":2}]",
    "[{\"a\":{\"b\":[]},\"c\":true},{\"a\":{\"b\":[1]},\"c\":null},{\"a\":{},\"c\":false}]",
    "[{\"a\":1,\"b\":-2},{\"a\":\"x\",\"b\":3.5},{\"a\":1,\"b\":2,}]",
    "[{\"a\":1,\"b\":2},{\"a\":1 \"b\":2}]",
    "[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2",
    "[{\"a\":1,\"b\":2},{\"a\":1,\"b\":",
    "[{\"a\":1,\"b\":2},{\"a\":1,\"a\":2},{\"b\":1}]",
    "[{\"thirteen_byte\":1,\"fourteen_bytes\":2,\"fifteen_bytes__\":3},"
    "{\"thirteen_byte\":1,\"fourteen_bytes\":2,\"fifteen_bytes__\":3}]",
    "[{\"\u00e9\":\"\u00e9\"},{\"\u00e9\":\"\u00e9\"},{\"\\u00e9\":1}]",
    "[{\"a\":\"sixteen bytes ..\",\"b\":\"seventeen bytes .\"},{\"a\":\"sixteen bytes ..\",\"b\":\"x\"}]",
    "1e99999",
    "1e-99999",
    "0e12345678901",
    "123456789012345.5e3",
};

TEST(Json, BothReadersAgreeOnEveryText) {
    for (const char* text : kTexts)
        read_both(text);
    read_both(std::string_view("1\0", 2));
    read_both(std::string_view("\"\0\"", 3));
    read_both(std::string_view("\0", 1));
}

TEST(Json, BothReadersAgreeOnTextsNextToThem) {
    Random random;
    constexpr std::string_view kBytes = "{}[]:,\"\\0123456789.-+eEutrfalsn \n\x80\xc3\xa9";
    for (int i = 0; i < 60'000; ++i) {
        std::string text = kTexts[random.below(std::size(kTexts))];
        for (std::size_t edits = 1 + random.below(3); edits > 0; --edits) {
            std::size_t at = random.below(text.size() + 1);
            char c = kBytes[random.below(kBytes.size())];
            switch (random.below(3)) {
            case 0: text.insert(at, 1, c); break;
            case 1:
                if (at < text.size()) text[at] = c;
                break;
            default:
                if (at < text.size()) text.erase(at, 1);
                break;
            }
        }
        read_both(text);
        if (HasFailure()) return;
    }
}

/// Rows with a few short texts, some of them everywhere else than in the rows before, and numbers.
std::string some_rows(int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i)
        text += std::string(i ? "," : "") + R"({"id":)" + std::to_string(i) + R"(,"region":")" +
                (i % 2 ? "north" : "south") + R"(","name":")" +
                std::string(static_cast<std::size_t>(i) % 18, static_cast<char>('a' + i % 7)) + R"(","ok":true})";
    return text + "]";
}

// What the fast reader is not sure of is read once more from the start, by the other one, which holds a copy of the
// text.
TEST(Json, RowsAreReadOnce) {
    const std::string text = some_rows(2'000);
    TextWorld once, twice;
    const Value value = parse_json(once.heap, once.shapes, text).value();
    const Value other = parse_json_strictly(twice.heap, twice.shapes, text, {}).value();
    EXPECT_LT(once.heap.peak_bytes() + text.size() / 2, twice.heap.peak_bytes());
    EXPECT_EQ(once.show(value), twice.show(other));
}

TEST(Json, FrozenTextsThatComeAgainAreOneObject) {
    const std::string text = some_rows(2'000);
    read_both(text);
    TextWorld w(Heap::Mode::Frozen);
    const Value rows = parse_json(w.heap, w.shapes, text).value();
    const auto region = [&](std::size_t i) {
        return map_find(w.heap, vector_get(rows, i), w.string("region"))->object();
    };
    EXPECT_EQ(region(1), region(1'999));
    EXPECT_NE(region(1), region(2));
}

TEST(Json, AnErrorSaysWhere) {
    TextWorld w;
    Result<Value> bad = parse_json(w.heap, w.shapes, "{\"a\": nope}");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().reason, Reason::InvalidJson);
    EXPECT_TRUE(bad.error().has_span);
    EXPECT_GE(bad.error().span.begin, 6u);
    EXPECT_LE(bad.error().span.begin, 8u);
    EXPECT_EQ(w.heap.live_bytes(), 0u);
}

TEST(Json, DepthIsLimited) {
    TextWorld w;
    auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    EXPECT_TRUE(parse_json(w.heap, w.shapes, nested(512)).ok());
    Result<Value> deep = parse_json(w.heap, w.shapes, nested(513));
    ASSERT_FALSE(deep.ok());
    EXPECT_EQ(deep.error().reason, Reason::InvalidJson);
    EXPECT_TRUE(parse_json(w.heap, w.shapes, nested(3), {.max_depth = 3}).ok());
    EXPECT_FALSE(parse_json(w.heap, w.shapes, nested(4), {.max_depth = 3}).ok());
    EXPECT_FALSE(parse_json(w.heap, w.shapes, std::string(1'000'000, '[')).ok());
}

TEST(Json, FailsCleanlyWithEveryLimit) {
    auto action = [](Heap& heap, ShapeTable& shapes) {
        return parse_json(
            heap, shapes,
            R"([{"a":1,"b":"text","c":[1.5,null]},{"a":12345678901234567890,"b":"é\n","c":[]},{"x":{}}])");
    };
    fail_with_every_limit(action);
    fail_with_every_fuel(action);
    auto strict = [](Heap& heap, ShapeTable& shapes) {
        return parse_json_strictly(heap, shapes, R"([{"a":1,"b":"text"},{"a":2,"b":"é\n"}])", {});
    };
    fail_with_every_limit(strict);
}

TEST(Json, AFrozenHeapHoldsWhatManyMayRead) {
    TextWorld w(Heap::Mode::Frozen);
    Value v = parse_json(w.heap, w.shapes, R"([{"a":"x","b":[1]},{"a":"y","b":[2]}])").value();
    EXPECT_TRUE(v.is_frozen());
    EXPECT_EQ(w.show(v), R"([{"a" "x" "b" [1]} {"a" "y" "b" [2]}])");
}

TEST(JsonWrite, RoundTrips) {
    TextWorld w;
    for (const char* text :
         {R"({"a":[1,2.5,null,true,"x\n\u0001\"\\"],"b":{},"c":[],"d":1.0E20,"e":123456789012345678901234567890})",
          "[[1,[2]],{\"k\":{\"z\":[]}}]", "\"\u65e5\""}) {
        std::string out;
        ASSERT_TRUE(to_json(w.heap, parse_json(w.heap, w.shapes, text).value(), out));
        EXPECT_EQ(out, text);
    }
}

TEST(JsonWrite, KeysAndValuesWithoutNotationAreTexts) {
    TextWorld w;
    MapBuilder builder(w.heap);
    builder.put(make_keyword(w.heap, "k").value(), make_keyword(w.heap, "v").value());
    builder.put(Value::small_integer(1), make_local_date(w.heap, 0, "test").value());
    builder.put(Value::number(1.5), Value::boolean(true));
    builder.put(Value::boolean(true), Value());
    std::string out;
    ASSERT_TRUE(to_json(w.heap, builder.finish().value(), out));
    EXPECT_EQ(out, R"({"1":"1970-01-01","1.5":true,"true":null,"k":"v"})");
}

TEST(JsonWrite, WhatHasNoJsonFormLeavesTheOutputAlone) {
    TextWorld w;
    std::string out = "before";
    EXPECT_FALSE(to_json(w.heap, Value::number(NAN), out));
    EXPECT_FALSE(to_json(w.heap, Value::builtin(0), out));
    MapBuilder builder(w.heap);
    builder.put(Value(), Value());
    EXPECT_FALSE(to_json(w.heap, builder.finish().value(), out));
    EXPECT_EQ(out, "before");
    EXPECT_FALSE(to_json(w.heap, w.string("longer than that"), out, 5));
}

TEST(JsonWrite, TwoKeysOfOneNameAreAnErrorAboutBoth) {
    TextWorld w;
    MapBuilder builder(w.heap);
    for (int i = 0; i < 30; ++i)
        builder.put(w.string("k" + std::to_string(i)), Value());
    builder.put(make_keyword(w.heap, "k7").value(), Value());
    const Value map = builder.finish().value();
    StringBuilder text(w.heap);
    EXPECT_EQ(write_json(text, w.heap, map, "test").error().message,
              "`test` cannot write the keys :k7 and \"k7\" of one map, which are one name.");
    EXPECT_EQ(result_to_json(w.heap, map, 1000).error().reason, Reason::ValidationError);
    std::string out;
    EXPECT_FALSE(to_json(w.heap, map, out));
}

TEST(JsonWrite, FailsCleanlyWithEveryLimit) {
    auto action = [](Heap& heap, ShapeTable& shapes) -> Result<Value> {
        Value v = PTC_TRY(parse_json(heap, shapes, R"([{"a":1,"b":"text that is long enough to grow"},[[[]]],{}])"));
        StringBuilder out(heap);
        PTC_CHECK(write_json(out, heap, v, "test"));
        return out.finish();
    };
    fail_with_every_limit(action);
    fail_with_every_fuel(action);
}

} // namespace
} // namespace ptc::test
