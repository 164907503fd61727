// The length of a text that is known before it is written: never more than the printers write, as much where nothing is
// escaped, and found in the time of the value, not of the text.
#include "runtime/edn.h"
#include "runtime/json.h"
#include "runtime/print.h"
#include "runtime/text_size.h"
#include "runtime/vector.h"
#include "tests/runtime/text_world.h"
#include <array>

namespace ptc::test {
namespace {

Value twice(TextWorld& w, Value item) {
    Value again = item.copy();
    std::array<Value, 2> items{std::move(again), std::move(item)};
    return make_vector(w.heap, items).value();
}

Value doubled(TextWorld& w, Value item, int levels) {
    for (int i = 0; i < levels; ++i)
        item = twice(w, std::move(item));
    return item;
}

TEST(TextSize, IsNeverMoreThanIsPrinted) {
    TextWorld w;
    for (const char* text : {"nil", "[]", "{}", "#{}", "\"a\\\"b\"", ":k", "7", "1.5", "[1 2 [3 #{4 5}]]",
                             "{:a {\"b\" [nil true]}}", "[[] [[]] {} {:a {}}]", "99999999999999999999", "#\"a\\d+\""}) {
        ShapeTable shapes(w.heap);
        const Value v = parse_edn(w.heap, shapes, text).value();
        EXPECT_FALSE(is_text_longer(w.heap, v, w.show(v).size())) << text;
        std::string json;
        if (to_json(w.heap, v, json)) {
            EXPECT_FALSE(is_text_longer(w.heap, v, json.size())) << text;
        }
    }
}

TEST(TextSize, IsThatOfTheTextWhereNothingIsLeftOut) {
    TextWorld w;
    for (const char* text : {"[]", "[1 2 3]", "[\"abc\" :key nil 1]", "{:a [1 {:b 2}]}", "[[[[[]]]]]"}) {
        ShapeTable shapes(w.heap);
        const Value v = doubled(w, parse_edn(w.heap, shapes, text).value(), 4);
        const std::size_t most = w.show(v).size(), nils = text == std::string_view("[\"abc\" :key nil 1]") ? 32 : 0;
        EXPECT_FALSE(is_text_longer(w.heap, v, most)) << text;
        EXPECT_TRUE(is_text_longer(w.heap, v, most - nils - 1)) << text; // of nil one byte is counted
    }
}

TEST(TextSize, IsKnownOfPartsThatAreSharedAndOfDepth) {
    TextWorld w;
    EXPECT_TRUE(is_text_longer(w.heap, doubled(w, Value::small_integer(1), 200), SIZE_MAX - 1));
    EXPECT_FALSE(is_text_longer(w.heap, doubled(w, Value::small_integer(1), 20), std::size_t{16} << 20));
    Value deep;
    for (int i = 0; i < 100'000; ++i) {
        std::array<Value, 1> item{std::move(deep)};
        deep = make_vector(w.heap, item).value();
    }
    EXPECT_TRUE(is_text_longer(w.heap, deep, 200'000));
    EXPECT_FALSE(is_text_longer(w.heap, deep, 200'001));
    EXPECT_TRUE(is_text_longer(w.heap, doubled(w, std::move(deep), 30), std::size_t{1} << 40));
}

TEST(TextSize, CostsFuelOnlyWhenTheTextIsTooLong) {
    TextWorld w;
    const Value v = doubled(w, Value::small_integer(1), 30);
    w.fuel(1000);
    EXPECT_FALSE(is_text_longer(w.heap, v, std::size_t{1} << 40));
    EXPECT_EQ(w.heap.meter.used(), 0);
    EXPECT_TRUE(is_text_longer(w.heap, v, 1000));
    EXPECT_GT(w.heap.meter.used(), 0);
}

TEST(TextSize, OfAResultIsAskedForBeforeItIsWritten) {
    TextWorld w;
    const Value v = doubled(w, Value::small_integer(1), 60);
    constexpr std::size_t kMost = std::size_t{16} << 20;
    w.fuel(static_cast<std::int64_t>(kAskedTextBytes) * 2);
    const Result<std::string> text = print_result(w.heap, v, kMost);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().reason, Reason::LimitExceeded) << text.error().message;
    EXPECT_EQ(result_to_json(w.heap, v, kMost).error().reason, Reason::LimitExceeded);
    bool cut = false;
    EXPECT_LT(print_to_string(w.heap, v, PrintStyle::Readable, kMost, &cut).size(), kAskedTextBytes + 10);
    EXPECT_TRUE(cut);
}

TEST(TextSize, OfALongTextThatFitsChangesNothing) {
    TextWorld w;
    const Value v = doubled(w, w.string("text"), 16);
    const std::string text = w.show(v);
    ASSERT_GT(text.size(), kAskedTextBytes);
    EXPECT_EQ(print_result(w.heap, v, text.size()).value(), text);
    EXPECT_EQ(print_result(w.heap, v, text.size() - 1).error().reason, Reason::LimitExceeded);
}

} // namespace
} // namespace ptc::test
