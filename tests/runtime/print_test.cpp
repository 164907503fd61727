// Values as text, readable and for display: notation, nesting without recursion, texts that are cut at a limit, and
// printing that ends wherever fuel or memory does.
#include "frontend/try.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/print.h"
#include "runtime/regex.h"
#include "runtime/runtime_errors.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include "tests/runtime/text_world.h"
#include <array>
#include <cmath>

namespace ptc::test {
namespace {

Value pair_of(TextWorld& w, Value a, Value b) {
    std::array<Value, 2> items{std::move(a), std::move(b)};
    return make_vector(w.heap, items).value();
}

TEST(Print, ReadableTextIsTheReadersNotation) {
    TextWorld w;
    EXPECT_EQ(w.show(Value()), "nil");
    EXPECT_EQ(w.show(Value::boolean(true)), "true");
    EXPECT_EQ(w.show(w.string("a\"b\\c\n\t\r\b\f\u65e5")), "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\u65e5\"");
    EXPECT_EQ(w.show(make_keyword(w.heap, "user-id")), ":user-id");
    EXPECT_EQ(w.show(Value::number(INFINITY)), "##Inf");
    EXPECT_EQ(w.show(make_var(w.heap, "x")), "#'x");
    EXPECT_EQ(w.show(make_symbol(w.heap, "a/b")), "'a/b");
    EXPECT_EQ(w.show(make_regex(w.heap, "a+")), "#\"a+\"");
    EXPECT_EQ(w.show(make_regex(w.heap, "\"\\\"")), "#\"\\\"\\\"\"");
    EXPECT_EQ(w.json(R"({"b":[1,2.0,null],"a":{},"c":[]})"), R"({"a" {} "b" [1 2.0 nil] "c" []})");
}

TEST(Print, DisplayTextStandsForItselfOutsideOfCollections) {
    TextWorld w;
    EXPECT_EQ(w.show(w.string("a\"b"), PrintStyle::Display), "a\"b");
    EXPECT_EQ(w.show(Value::number(-INFINITY), PrintStyle::Display), "-Infinity");
    EXPECT_EQ(w.show(Value::number(NAN), PrintStyle::Display), "NaN");
    EXPECT_EQ(w.show(make_regex(w.heap, "ab+").value(), PrintStyle::Display), "ab+");
    Value nested = pair_of(w, w.string("a"), Value::number(INFINITY));
    EXPECT_EQ(w.show(nested, PrintStyle::Display), "[\"a\" ##Inf]");
}

TEST(Print, TimesAreTextAndDurationsAreNot) {
    TextWorld w;
    Value date = make_local_date(w.heap, 19782, "test").value();
    EXPECT_EQ(w.show(date), "\"2024-02-29\"");
    EXPECT_EQ(w.show(date, PrintStyle::Display), "2024-02-29");
    EXPECT_EQ(w.show(make_duration(w.heap, 86'400'000)), "#duration[86400000ms]");
}

TEST(Print, FunctionsShowTheirParameters) {
    TextWorld w;
    FunctionInfo info;
    info.parameters = "x & more";
    EXPECT_EQ(w.show(Value::function(&info)), "#fn[x & more]");
    auto* closure = w.heap.allocate<ClosureObject>(ObjectType::Closure);
    closure->count = 0;
    closure->function = &info;
    EXPECT_EQ(w.show(w.heap.value_of(closure)), "#fn[x & more]");
    EXPECT_EQ(w.show(Value::builtin(3)), "#<builtin>");
}

TEST(Print, DepthIsNoLimit) {
    TextWorld w;
    Value deep;
    constexpr std::size_t kDepth = 200'000;
    for (std::size_t i = 0; i < kDepth; ++i) {
        std::array<Value, 1> item{std::move(deep)};
        deep = make_vector(w.heap, item).value();
    }
    EXPECT_EQ(w.show(deep), std::string(kDepth, '[') + "nil" + std::string(kDepth, ']'));
}

TEST(Print, ACutTextSaysSoAndKeepsCharactersWhole) {
    TextWorld w;
    bool cut = false;
    Value s = w.string("\u00e9\u00e9\u00e9\u00e9\u00e9");
    EXPECT_EQ(print_to_string(w.heap, s, PrintStyle::Display, 9, &cut), "\u00e9\u00e9\u00e9\u2026");
    EXPECT_TRUE(cut);
    EXPECT_EQ(print_to_string(w.heap, s, PrintStyle::Display, 8, &cut), "\u00e9\u00e9\u2026");
    EXPECT_EQ(print_to_string(w.heap, s, PrintStyle::Display, 10, &cut), "\u00e9\u00e9\u00e9\u00e9\u00e9");
    EXPECT_FALSE(cut);
}

TEST(Print, SharedPartsEndAtTheLimits) {
    TextWorld w;
    Value doubling = Value::small_integer(1);
    for (int i = 0; i < 60; ++i) {
        Value again = doubling.copy();
        doubling = pair_of(w, std::move(again), std::move(doubling));
    }
    bool cut = false;
    EXPECT_EQ(print_to_string(w.heap, doubling, PrintStyle::Readable, 1000, &cut).size(), 1000u);
    EXPECT_TRUE(cut);
    w.fuel(100'000);
    StringBuilder out(w.heap);
    EXPECT_FALSE(print_value(out, w.heap, doubling, PrintStyle::Readable));
    EXPECT_FALSE(w.heap.meter.charge(1));
}

TEST(Print, EscapesArePaidFor) {
    TextWorld w;
    for (const Value& v : {w.string(std::string(50'000, '"')), w.string(std::string(50'000, '\n'))}) {
        w.fuel(100'000);
        StringBuilder out(w.heap);
        EXPECT_TRUE(print_value(out, w.heap, v, PrintStyle::Readable));
        EXPECT_GT(w.heap.meter.used(), 10'000);
        w.fuel(10'000);
        StringBuilder again(w.heap);
        EXPECT_FALSE(print_value(again, w.heap, v, PrintStyle::Readable));
    }
}

TEST(Print, FailsCleanlyWithEveryLimit) {
    auto action = [](Heap& heap, ShapeTable& shapes) -> Result<Value> {
        Value v = PTC_TRY(parse_json(heap, shapes, R"([{"a":1,"b":"text that is long enough to grow"},[[[]]],{}])"));
        StringBuilder out(heap);
        if (!print_value(out, heap, v, PrintStyle::Readable))
            return heap.meter.charge(0) ? heap.out_of_memory() : heap.meter.error();
        return out.finish();
    };
    fail_with_every_limit(action);
    fail_with_every_fuel(action);
}

TEST(Print, DescribesTypesForMessages) {
    TextWorld w;
    auto described = [&](std::string_view json) { return describe_type(parse_json(w.heap, w.shapes, json).value()); };
    EXPECT_EQ(described("[1,2,3]"), "a vector of 3 items");
    EXPECT_EQ(described("[1]"), "a vector of 1 item");
    EXPECT_EQ(described("{}"), "an empty map");
    EXPECT_EQ(described("5"), "an integer");
    EXPECT_EQ(described("null"), "nil");
    EXPECT_EQ(wrong_type("subs", "a string", Value::small_integer(5), 1).message,
              "`subs` needs a string as argument 1, got 5 (an integer).");
    EXPECT_EQ(wrong_type("subs", "a string", w.string(std::string(100, 'x'))).message,
              "`subs` needs a string, got a string.");
}

} // namespace
} // namespace ptc::test
