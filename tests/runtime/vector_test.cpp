// Vectors: which operations keep the object, share it or copy it, and that no history of shared updates copies n
// elements twice. Costs are seen in live bytes and in the identity of objects.
#include "runtime/freeze.h"
#include "tests/runtime/collections_fixture.h"
#include <limits>

namespace ptc::test {
namespace {

class Vector : public CollectionTest {};

TEST_F(Vector, HashesAndComparesAlikeWhateverItsStorage) {
    const Value flat = vector(integer(3), integer(4), integer(5));
    const Value range = must(make_range(heap, 3, 6, 1));
    const Value slice = must(vector_slice(heap, integers(100), 3, 6));
    const Value nested = vector(flat.copy(), string("x"), keyword("k"), Value(), Value::number(0.5));
    const Value other = vector(range.copy(), string("x"), keyword("k"), Value(), Value::number(0.5));
    EXPECT_TRUE(same(flat, range));
    EXPECT_TRUE(same(flat, slice));
    EXPECT_TRUE(same(nested, other));
    EXPECT_FALSE(same(vector(integer(1), integer(2)), vector(integer(1), Value::number(2))));
    EXPECT_FALSE(same(vector(flat.copy(), integer(1)), vector(range.copy(), integer(2))));
    EXPECT_FALSE(same(vector(string("ab")), vector(keyword("ab"))));
    EXPECT_FALSE(same(vector(integer(1)), vector(vector(integer(1)))));
    const Value nan = Value::number(std::numeric_limits<double>::quiet_NaN());
    EXPECT_FALSE(equal(heap, vector(nan.copy()), vector(nan.copy())));
}

TEST_F(Vector, AppendsAVectorToItsOwnStorage) {
    Value v = conj(integers(20), integer(20)); // has room
    const Value data = vector(string("a"), vector(integer(1)), Value());
    Value longer = must(vector_concat(heap, v.copy(), data)); // shared: copied
    v = must(vector_concat(heap, std::move(v), data));
    EXPECT_TRUE(same(v, longer));
    EXPECT_EQ(vector_length(v), 24U);
    Value twice = must(vector_concat(heap, v.copy(), v));
    EXPECT_EQ(vector_length(twice), 48U);
    EXPECT_TRUE(same(must(vector_slice(heap, std::move(twice), 24, 48)), v));
}

TEST_F(Vector, ConjByTheSoleOwnerKeepsTheObject) {
    Value v = integers(100);
    v = conj(std::move(v), integer(100));
    Object* object = v.object();
    v = conj(std::move(v), integer(101));
    EXPECT_EQ(v.object(), object);
    EXPECT_EQ(vector_length(v), 102U);
}

TEST_F(Vector, ConjOfANewerVersionClaimsSlackOfTheOlderOne) {
    Value a = conj(integers(1000).copy(), integer(1));
    Value shared = a.copy();
    Value b = conj(a.copy(), integer(2)); // copied once, with slack
    std::size_t before = heap.live_bytes();
    Value c = conj(b.copy(), integer(3));
    EXPECT_LE(heap.live_bytes() - before, sizeof(VectorObject));
    EXPECT_EQ(as_flat(b).data, as_flat(c).data);
    EXPECT_EQ(vector_length(b), 1002U);
    Value d = conj(b.copy(), integer(4)); // the slot is taken
    EXPECT_EQ(vector_get(c, 1002).small_integer(), 3);
    EXPECT_EQ(vector_get(d, 1002).small_integer(), 4);
}

TEST_F(Vector, UpdatingASharedLargeOneAgainAndAgainDoesNotCopyIt) {
    Value v = integers(100'000);
    Value other = v.copy();
    Value first = must(vector_assoc(heap, v.copy(), 5, integer(-1))); // may be flat: v's construction paid for it
    std::size_t before = heap.live_bytes();
    for (std::size_t i = 0; i < 100; ++i) {
        Value changed = must(vector_assoc(heap, v.copy(), i * 997, integer(-2)));
        EXPECT_EQ(vector_get(changed, i * 997).small_integer(), -2);
        EXPECT_EQ(vector_get(v, i * 997).small_integer(), static_cast<std::int64_t>(i * 997));
        EXPECT_LT(heap.live_bytes() - before, 4096U);
    }
}

TEST_F(Vector, EveryVersionOfAHistoryIsCheap) {
    std::vector<Value> history;
    Value v = integers(10'000);
    history.push_back(v.copy());
    std::size_t before = 0;
    for (std::int64_t i = 0; i < 300; ++i) {
        v = must(vector_assoc(heap, std::move(v), static_cast<std::size_t>(i * 33), integer(-i)));
        history.push_back(v.copy());
        if (i == 0) before = heap.live_bytes();
    }
    EXPECT_LT(heap.live_bytes() - before, 300U * 2048U);
    for (std::int64_t i = 0; i < 300; ++i) {
        auto at = static_cast<std::size_t>(i * 33);
        EXPECT_EQ(vector_get(history[static_cast<std::size_t>(i)], at).small_integer(), i * 33);
        EXPECT_EQ(vector_get(history[static_cast<std::size_t>(i) + 1], at).small_integer(), -i);
    }
}

TEST_F(Vector, BecomesFlatAgainAfterManyEditsByOneOwner) {
    Value v = integers(10'000);
    freeze_value(v);
    Value edited = v.copy();
    for (std::size_t i = 0; i < 10'000; ++i)
        edited = must(vector_assoc(heap, std::move(edited), i, integer(7)));
    EXPECT_TRUE(edited.is(ObjectType::Vector));
    EXPECT_EQ(vector_get(edited, 9'999).small_integer(), 7);
    EXPECT_EQ(vector_get(v, 9'999).small_integer(), 9'999);
}

TEST_F(Vector, RestByTheSoleOwnerAdjustsInPlace) {
    Value v = vector(integer(1), string("two"), integer(3));
    Object* object = v.object();
    v = must(vector_slice(heap, std::move(v), 1, 3));
    EXPECT_EQ(v.object(), object);
    EXPECT_TRUE(same(v, vector(string("two"), integer(3))));
}

TEST_F(Vector, SliceOfALargeSharedOneIsConstantSize) {
    Value v = integers(100'000);
    std::size_t before = heap.live_bytes();
    Value part = must(vector_slice(heap, v.copy(), 10, 99'990));
    EXPECT_LE(heap.live_bytes() - before, sizeof(VectorObject));
    EXPECT_EQ(vector_get(part, 0).small_integer(), 10);
}

TEST_F(Vector, ChainOfConsesIsLinear) {
    Value v = empty_vector();
    heap.meter.start(2'000'000, Meter::Clock::time_point::max(), nullptr);
    for (std::int64_t i = 0; i < 100'000; ++i)
        v = must(vector_cons(heap, integer(i), std::move(v)));
    EXPECT_LT(heap.meter.used(), 200'000);
    EXPECT_EQ(vector_get(v, 0).small_integer(), 99'999);
}

TEST_F(Vector, QueueDoesNotGrow) {
    Value queue = integers(100);
    for (std::int64_t i = 0; i < 100'000; ++i) {
        queue = conj(std::move(queue), integer(i));
        const auto length = vector_length(queue);
        queue = must(vector_slice(heap, std::move(queue), 1, length));
    }
    EXPECT_LT(heap.live_bytes(), 10'000U);
    EXPECT_EQ(vector_get(queue, 99).small_integer(), 99'999);
}

TEST_F(Vector, UpdatingASharedRangeDoesNotMakeItAllEachTime) {
    Value r = range(1'000'000);
    std::size_t before = heap.live_bytes();
    Value a = must(vector_assoc(heap, r.copy(), 500'000, integer(-1)));
    Value b = conj(r.copy(), integer(-2));
    EXPECT_LT(heap.live_bytes() - before, 10'000U);
    EXPECT_EQ(vector_get(a, 500'000).small_integer(), -1);
    EXPECT_EQ(vector_get(a, 500'001).small_integer(), 500'001);
    EXPECT_EQ(vector_get(b, 1'000'000).small_integer(), -2);
    EXPECT_EQ(vector_get(b, 31).small_integer(), 31);
}

TEST_F(Vector, TakeLeavesASoleOwnedElementToBeChangedInPlace) {
    Value inner = integers(10);
    Object* object = inner.object();
    Value v = vector(std::move(inner));
    Value taken = vector_take(v, 0);
    EXPECT_TRUE(taken.is_sole_owner());
    EXPECT_EQ(taken.object(), object);
    EXPECT_TRUE(vector_get(v, 0).is_nil());
}

TEST_F(Vector, RangeStopsBeforeItsEnd) {
    EXPECT_TRUE(same(must(make_range(heap, 0, 10, 3)), vector(integer(0), integer(3), integer(6), integer(9))));
    EXPECT_TRUE(same(must(make_range(heap, 5, 0, -2)), vector(integer(5), integer(3), integer(1))));
    EXPECT_EQ(vector_length(must(make_range(heap, 3, 3, 1))), 0U);
    EXPECT_EQ(vector_length(must(make_range(heap, 3, 4, -1))), 0U);
}

TEST_F(Vector, RangeLeavesTheInlineIntegers) {
    constexpr std::int64_t kBig = std::int64_t{1} << 50;
    Value r = must(make_range(heap, kBig - 1, kBig + 2, 1));
    ASSERT_EQ(vector_length(r), 3U);
    EXPECT_TRUE(same(vector_get(r, 2), must(make_integer(heap, kBig + 1))));
    EXPECT_FALSE(make_range(heap, INT64_MIN, INT64_MAX, 1).ok());
}

TEST_F(Vector, BuilderThatIsGivenUpLeaksNothing) {
    std::size_t before = heap.live_bytes();
    {
        VectorBuilder builder(heap);
        for (int i = 0; i < 50; ++i)
            builder.push(string("x"));
    }
    EXPECT_EQ(heap.live_bytes(), before);
}

TEST_F(Vector, ConcatWithASmallOneDoesNotCopyALargeSharedOneTwice) {
    Value large = integers(100'000);
    Value small = integers(3);
    Value first = must(vector_concat(heap, large.copy(), small));
    std::size_t before = heap.live_bytes();
    Value second = must(vector_concat(heap, large.copy(), small));
    EXPECT_LT(heap.live_bytes() - before, 10'000U);
    EXPECT_TRUE(same(first, second));
}

} // namespace
} // namespace ptc::test
