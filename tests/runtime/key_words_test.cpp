// The words by which keys are sorted (runtime/key_words.h) have the order of the keys, and views sorted by them have
// it, too: keys of every kind that gets words, many of which agree in the bits that a word has place for.
#include "runtime/key_words.h"
#include "runtime/set.h"
#include "tests/runtime/collections_fixture.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace ptc::test {
namespace {

class KeyWordsTest : public CollectionTest {
protected:
    using Maker = std::function<Value()>;

    std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }
    /// A text of up to `most` bytes out of `alphabet`, behind `front`.
    std::string text(std::string front, std::size_t most, std::string_view alphabet) {
        for (auto left = static_cast<std::size_t>(below(static_cast<std::int64_t>(most) + 1)); left > 0; --left)
            front += alphabet[static_cast<std::size_t>(below(static_cast<std::int64_t>(alphabet.size())))];
        return front;
    }
    Value number(double d) { return Value::number(d); }

    struct Seen {
        bool exist = false, are_complete = false;
    };
    /// Of `n` different keys: compares the order of all words, and of the view, with the total order.
    Seen check(int n, const Maker& make) {
        Value set = empty_set();
        for (int i = 0; i < n; ++i)
            set = must(set_conj(heap, std::move(set), make()));
        std::vector<Value> keys;
        const SetView view = must(SetView::of(heap, set));
        for (std::size_t i = 0; i < view.size(); ++i) {
            keys.push_back(view.item(i).copy());
            if (i > 0) EXPECT_LT(total_order(heap, keys[i - 1], keys[i]), 0) << i;
        }
        std::shuffle(keys.begin(), keys.end(), random_);
        std::vector<const Value*> entries;
        for (const Value& key : keys)
            entries.push_back(&key);
        const KeyWords words(heap.meter, entries.data(), entries.size());
        if (!words.exist()) return {};
        for (const Value& a : keys) {
            for (const Value& b : keys) {
                const std::uint32_t x = words.of(a), y = words.of(b);
                if (x != y) EXPECT_EQ(x < y, total_order(heap, a, b) < 0);
                if (x == y && words.are_complete()) EXPECT_EQ(a.raw(), b.raw());
            }
        }
        return {true, words.are_complete()};
    }
    Seen of_rows(int n, const Maker& first, const Maker& second) {
        return check(n, [&] { return vector(first(), second()); });
    }

private:
    std::mt19937 random_{20261201};
};

TEST_F(KeyWordsTest, OfIntegersAreCompleteWhereTheirRangeFits) {
    EXPECT_TRUE(check(200, [&] { return integer(below(1000) - 500); }).are_complete);
    EXPECT_TRUE(check(200, [&] { return integer(below(std::int64_t{1} << 32) - 7); }).are_complete);
    const Seen wide = check(200, [&] { return integer((below(3) << 45) + below(50)); });
    EXPECT_TRUE(wide.exist && !wide.are_complete);
}

TEST_F(KeyWordsTest, OfTextsLeaveOutWhatAllBeginWith) {
    EXPECT_TRUE(check(200, [&] { return string(text("customer-", 5, "0123456789")); }).are_complete);
    EXPECT_TRUE(check(200, [&] { return keyword(text("k", 6, "abcdefghijklmnopqrstuvwxyz")); }).are_complete);
    const Seen long_ones = check(300, [&] { return string(text("", 40, "ab")); });
    EXPECT_TRUE(long_ones.exist && !long_ones.are_complete);
    EXPECT_TRUE(check(200, [&] { return string(text("", 3, std::string_view("\0\1a~", 4))); }).are_complete);
    EXPECT_TRUE(check(200, [&] {
                    return string(text("\xc3\xa4", 4, "\x7f\x01") + (below(2) == 0 ? "\xc3\xbc" : "\xe2\x82\xac"));
                }).exist);
}

TEST_F(KeyWordsTest, OfRowsHoldTheFirstPartsThatFit) {
    const Maker place = [&] { return integer(below(40) - 20); };
    const Maker name = [&] { return keyword(text("", 3, "abc")); };
    const Maker price = [&] { return number(static_cast<double>(below(90) - 45) * 0.25); };
    const Maker wide = [&] { return integer(below(std::int64_t{1} << 46)); };
    EXPECT_TRUE(of_rows(300, place, place).are_complete);
    EXPECT_TRUE(of_rows(200, name, place).are_complete);
    EXPECT_TRUE(check(200, [&] { return vector(place(), name(), place()); }).are_complete);
    for (const Maker& second : {place, name, price, wide}) {
        const Seen cut = of_rows(300, price, second);
        EXPECT_TRUE(cut.exist && !cut.are_complete);
    }
    EXPECT_FALSE(of_rows(200, wide, name).are_complete);
    const Seen four = check(200, [&] { return vector(place(), place(), place(), place()); });
    EXPECT_TRUE(four.exist && !four.are_complete);
}

TEST_F(KeyWordsTest, AreThereForNoOtherKeys) {
    const Maker place = [&] { return integer(below(40) - 20); };
    const Maker mixed = [&] { return below(2) == 0 ? integer(below(40)) : string(text("", 2, "abc")); };
    EXPECT_FALSE(check(100, mixed).exist);
    EXPECT_FALSE(check(100, [&] { return number(static_cast<double>(below(90)) * 0.5); }).exist);
    EXPECT_FALSE(
        check(100, [&] { return below(2) == 0 ? keyword(text("", 2, "abc")) : string(text("", 2, "abc")); }).exist);
    EXPECT_FALSE(check(100, [&] { return below(2) == 0 ? vector(place()) : vector(place(), place()); }).exist);
    EXPECT_FALSE(check(100, [&] { return string(std::string(300, 'a') + text("", 9, "ab")); }).exist);
    EXPECT_FALSE(of_rows(100, mixed, place).exist);
    const Seen second = of_rows(100, place, mixed); // the words hold the first part
    EXPECT_TRUE(second.exist && !second.are_complete);
    const Maker zero = [&] { return number(below(2) == 0 ? 0.0 : -0.0); };
    EXPECT_FALSE(of_rows(100, zero, place).exist);
}

} // namespace
} // namespace ptc::test
