// Sorting: the order of all kinds of values, and stability. Keys of each kind take a path of their own through the
// sort, so random rows are sorted by each of them and compared with a stable sort of the standard library.
#include "tests/runtime/builtin_program.h"
#include <algorithm>
#include <random>
#include <vector>

namespace ptc::test {
namespace {

using Sort = BuiltinProgram;

TEST_F(Sort, OrdersEachKindAndMixedOnes) {
    expect_all(
        {{"(sort [3 1 2])", "[1 2 3]"},
         {"(sort [2.5 1 -0.5 2])", "[-0.5 1 2 2.5]"},
         {"(sort [\"B\" \"a\" \"C\" \"b\"])", "[\"B\" \"C\" \"a\" \"b\"]"},
         {"(sort [:b :c :a])", "[:a :b :c]"},
         {"(sort [[2 1] [1 9] [1 2]])", "[[1 2] [1 9] [2 1]]"},
         {"(sort [true false true])", "[false true true]"},
         {"(sort [\"b\" 2 nil \"a\" 1])", "[1 2 nil \"a\" \"b\"]"},
         {"(sort {:b 2 :a 1})", "[[:a 1] [:b 2]]"},
         {"(sort \"hello\")", "[\"e\" \"h\" \"l\" \"l\" \"o\"]"},
         {"(sort [100000000000000000000 5 -100000000000000000000])",
          "[-100000000000000000000 5 100000000000000000000]"},
         {"(sort nil)", "[]"},
         {"(sort [\"ab\" \"a\" \"\" \"abcdefghij\" \"abcdefgh\"])", "[\"\" \"a\" \"ab\" \"abcdefgh\" \"abcdefghij\"]"},
         {"(sort 5)", "!type_error"},
         {"(sort% [1 3 2] true)", "[3 2 1]"},
         {"(sort% [\"a\" \"c\" \"b\"] true)", "[\"c\" \"b\" \"a\"]"}});
}

TEST_F(Sort, NumbersThatAreEqualKeepTheirPlaces) {
    expect_all({{"(sort-by-keys% [2 1.5 2.0 2] [:a :b :c :d] false)", "[:b :a :c :d]"},
                {"(sort-by-keys% [2 1.5 2.0 2] [:a :b :c :d] true)", "[:a :c :d :b]"},
                {"(sort-by-keys% [0.0 -0.0 0] [:a :b :c] false)", "[:a :b :c]"},
                {"(sort-by-keys% [\"x\" \"x\" \"a\"] [1 2 3] true)", "[1 2 3]"},
                {"(sort-by-keys% [[2 1] [2.0 0]] [:a :b] false)", "[:b :a]"},
                {"(sort-by-keys% [nil 1] [:a :b] false)", "[:b :a]"}});
}

TEST_F(Sort, ComparatorsThatNeedNoCallAreKnown) {
    expect_all({{"(comparator-order% nil)", "false"},
                {"(comparator-order% <)", "false"},
                {"(comparator-order% compare)", "false"},
                {"(comparator-order% >)", "true"},
                {"(comparator-order% :desc)", "true"},
                {"(comparator-order% :asc)", "false"},
                {"(comparator-order% :up)", "nil"},
                {"(comparator-order% inc)", "nil"}});
}

using MakeKey = std::pair<Value, double> (*)(Heap&, std::mt19937_64&); ///< a key, and a number in the same order

class RandomSort : public BuiltinProgram {
protected:
    // Against the standard library's stable sort, in sizes on both sides of every change of method.
    void check(MakeKey make_key, bool descending) {
        std::mt19937_64 random(42);
        for (std::size_t n : {2u, 3u, 12u, 13u, 25u, 255u, 256u, 257u, 5000u}) {
            std::vector<std::pair<double, std::int64_t>> expected;
            VectorBuilder keys(heap), items(heap);
            for (std::size_t i = 0; i < n; ++i) {
                auto [key, order] = make_key(heap, random);
                keys.push(std::move(key));
                items.push(Value::small_integer(static_cast<std::int64_t>(i)));
                expected.emplace_back(descending ? -order : order, static_cast<std::int64_t>(i));
            }
            std::stable_sort(expected.begin(), expected.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            Result<Value> sorted = call(
                "sort-by-keys%", values(keys.finish().value(), items.finish().value(), Value::boolean(descending)));
            ASSERT_TRUE(sorted.ok());
            for (std::size_t i = 0; i < n; ++i) {
                ASSERT_EQ(vector_get(sorted.value(), i).small_integer(), expected[i].second)
                    << "at " << i << " of " << n;
            }
        }
    }
};

std::pair<Value, double> integer_key(Heap&, std::mt19937_64& random) {
    std::int64_t i = static_cast<std::int64_t>(random() % 2000) - 1000;
    return {Value::small_integer(i), static_cast<double>(i)};
}
std::pair<Value, double> number_key(Heap&, std::mt19937_64& random) {
    double d = (static_cast<double>(random() % 4000) - 2000) / 4;
    if (random() % 2) return {Value::number(d), d};
    return {Value::small_integer(static_cast<std::int64_t>(d)), static_cast<double>(static_cast<std::int64_t>(d))};
}
std::pair<Value, double> text_key(Heap& heap, std::mt19937_64& random) {
    auto i = random() % 500;
    std::string digits = std::to_string(1000 + i);
    return {make_string(heap, (i % 2 ? "prefix-longer-than-a-word-" : "p") + digits).value(),
            static_cast<double>(i % 2 ? 10'000 + i : i)};
}
std::pair<Value, double> mixed_key(Heap& heap, std::mt19937_64& random) {
    if (random() % 3 == 0) return {make_string(heap, "z").value(), 1e9};
    return integer_key(heap, random);
}

std::pair<Value, double> pair_key(Heap& heap, std::mt19937_64& random) {
    auto a = static_cast<std::int64_t>(random() % 20), b = static_cast<std::int64_t>(random() % 20);
    Value items[] = {Value::small_integer(a), Value::number(static_cast<double>(b))};
    return {make_vector(heap, items).value(), static_cast<double>(a * 100 + b)};
}

TEST_F(RandomSort, IsStableForIntegers) { check(integer_key, false); }
TEST_F(RandomSort, IsStableForIntegersDescending) { check(integer_key, true); }
TEST_F(RandomSort, IsStableForNumbers) { check(number_key, false); }
TEST_F(RandomSort, IsStableForNumbersDescending) { check(number_key, true); }
TEST_F(RandomSort, IsStableForTexts) { check(text_key, false); }
TEST_F(RandomSort, IsStableForTextsDescending) { check(text_key, true); }
TEST_F(RandomSort, IsStableForPairs) { check(pair_key, false); }
TEST_F(RandomSort, IsStableForPairsDescending) { check(pair_key, true); }
TEST_F(RandomSort, IsStableForMixedKeys) { check(mixed_key, false); }
TEST_F(RandomSort, IsStableForMixedKeysDescending) { check(mixed_key, true); }

TEST_F(Sort, GivesBackItsMemory) {
    ASSERT_TRUE(evaluate("(sort (reverse (range 5000)))").ok());
    EXPECT_EQ(heap.live_bytes(), 0u);
}

TEST_F(Sort, StopsWhenTheFuelIsSpent) {
    Value items = evaluate("(reverse (range 5000))").value();
    heap.meter.start(2'000, Meter::Clock::time_point::max(), nullptr);
    Result<Value> sorted = call("sort", values(std::move(items)));
    ASSERT_FALSE(sorted.ok());
    EXPECT_EQ(sorted.error().reason, Reason::FuelExhausted);
}

} // namespace
} // namespace ptc::test
