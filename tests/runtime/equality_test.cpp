// Equality, hash and total order: they go by content, whatever a value is stored as, and agree with each other. Values
// that are nested deep, also in their keys, are compared without recursion, and huge ones end with the fuel.
#include "runtime/equality.h"
#include "runtime/function.h"
#include "runtime/time.h"
#include "tests/runtime/collections_fixture.h"
#include <limits>

namespace ptc::test {
namespace {

class Equality : public CollectionTest {
protected:
    Value overlay_of(const Value& v) {
        Value spent = must(vector_assoc(heap, v.copy(), 0, Value())); // uses up the copy that v's construction paid for
        Value changed = must(vector_assoc(heap, v.copy(), 0, Value()));
        return must(vector_assoc(heap, std::move(changed), 0, vector_get(v, 0)));
    }
    Value set_of(std::vector<Value> items) {
        SetBuilder builder(heap);
        for (Value& item : items)
            builder.put(std::move(item));
        return must(builder.finish());
    }
    template <class... Items> Value set(Items... items) {
        std::vector<Value> list;
        (list.push_back(std::move(items)), ...);
        return set_of(std::move(list));
    }
};

TEST_F(Equality, IsOfTheContentWhateverTheRepresentation) {
    Value flat = integers(1000);
    Value overlay = overlay_of(flat);
    ASSERT_TRUE(overlay.is(ObjectType::OverlayVector));
    EXPECT_TRUE(same(flat, overlay));
    EXPECT_TRUE(same(flat, range(1000)));
    EXPECT_TRUE(same(overlay, range(1000)));
    EXPECT_FALSE(same(flat, range(1001)));
    EXPECT_FALSE(same(flat, must(make_range(heap, 1, 1001, 1))));
}

TEST_F(Equality, OfNumbersLooksAtTheirType) {
    EXPECT_FALSE(same(integer(1), Value::number(1.0)));
    EXPECT_TRUE(same(Value::number(0.0), Value::number(-0.0)));
    Value nan = Value::number(std::numeric_limits<double>::quiet_NaN());
    EXPECT_FALSE(same(nan, nan));
    EXPECT_TRUE(same(must(make_integer(heap, INT64_MAX)), must(make_integer(heap, INT64_MAX))));
    EXPECT_FALSE(same(must(make_integer(heap, INT64_MAX)), must(make_integer(heap, INT64_MIN))));
}

TEST_F(Equality, OfTextsLooksAtTheirType) {
    EXPECT_TRUE(same(string("a"), string("a")));
    EXPECT_FALSE(same(string("a"), keyword("a")));
    EXPECT_TRUE(same(must(make_symbol(heap, "a")), must(make_symbol(heap, "a"))));
    EXPECT_FALSE(same(must(make_symbol(heap, "a")), must(make_var(heap, "a"))));
}

TEST_F(Equality, OfTimes) {
    EXPECT_TRUE(same(must(make_local_date(heap, 5, "t")), must(make_local_date(heap, 5, "t"))));
    EXPECT_FALSE(same(must(make_local_date(heap, 5, "t")), must(make_local_date(heap, 6, "t"))));
    EXPECT_FALSE(same(must(make_duration(heap, 5)), must(make_period(heap, 5, 0))));
}

TEST_F(Equality, OfMapsWithCollectionsAsKeys) {
    auto make = [&](bool reversed, std::int64_t last) {
        Value m = empty_map();
        for (std::int64_t i = 0; i < 40; ++i) {
            std::int64_t n = reversed ? 39 - i : i;
            Value key = n % 2 ? vector(integer(n), string("x")) : assoc(empty_map(), vector(integer(n)), integer(n));
            m = assoc(std::move(m), std::move(key), integer(n == 39 ? last : n));
        }
        return m;
    };
    EXPECT_TRUE(same(make(false, 1), make(true, 1)));
    EXPECT_FALSE(same(make(false, 1), make(true, 2)));
    Value other = make(false, 1);
    other = must(map_dissoc(heap, std::move(other), vector(integer(39), string("x"))));
    other = assoc(std::move(other), vector(integer(39), string("y")), integer(1));
    EXPECT_FALSE(same(make(false, 1), other));
}

TEST_F(Equality, OfAnOverlayMapWithCollectionsAsKeys) {
    Value base = empty_map();
    for (std::int64_t i = 0; i < 200; ++i)
        base = assoc(std::move(base), vector(integer(i)), integer(i));
    Value spent = assoc(base.copy(), Value(), Value());
    Value overlay = assoc(base.copy(), vector(integer(7)), string("seven"));
    overlay = must(map_dissoc(heap, std::move(overlay), vector(integer(8))));
    ASSERT_TRUE(overlay.is(ObjectType::OverlayMap));
    EXPECT_FALSE(same(overlay, base));
    Value flat = empty_map();
    for (std::int64_t i = 0; i < 200; ++i) {
        if (i != 8) flat = assoc(std::move(flat), vector(integer(i)), i == 7 ? string("seven") : integer(i));
    }
    EXPECT_TRUE(same(overlay, flat));
    flat = must(map_dissoc(heap, std::move(flat), vector(integer(9))));
    flat = assoc(std::move(flat), vector(integer(8)), integer(8));
    EXPECT_FALSE(same(overlay, flat));
}

TEST_F(Equality, OfSetsWithCollectionsInside) {
    EXPECT_TRUE(same(set(vector(integer(1)), set(integer(2)), string("x")),
                     set(string("x"), set(integer(2)), vector(integer(1)))));
    EXPECT_FALSE(same(set(vector(integer(1))), set(vector(integer(2)))));
    EXPECT_FALSE(same(set(integer(1)), vector(integer(1))));
}

TEST_F(Equality, AndHashAndOrderOfDeepNestingDoNotRecurse) {
    auto nested = [&] {
        Value v = empty_vector();
        for (int i = 0; i < 200'000; ++i)
            v = must(make_vector(heap, std::span(&v, 1)));
        return v;
    };
    Value a = nested(), b = nested();
    EXPECT_TRUE(same(a, b));
    EXPECT_EQ(order(a, b), 0);
}

TEST_F(Equality, AndOrderOfMapsNestedInTheirKeysDoNotRecurse) {
    auto nested = [&](int depth) {
        Value v = set(integer(1), integer(2));
        for (int i = 0; i < depth; ++i)
            v = set(std::move(v), integer(i));
        return v;
    };
    heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), nullptr);
    Value a = nested(2000), b = nested(2000);
    EXPECT_TRUE(same(a, b));
    EXPECT_EQ(order(a, b), 0);
}

TEST_F(Equality, StopsWhenTheFuelIsUsedUp) {
    // 2^60 pairs, if nobody stopped it.
    auto doubled = [&] {
        Value v = vector(integer(1));
        for (int i = 0; i < 60; ++i)
            v = vector(v.copy(), v.copy());
        return v;
    };
    Value a = doubled(), b = doubled();
    heap.meter.start(100'000, Meter::Clock::time_point::max(), nullptr);
    (void)equal(heap, a, b);
    EXPECT_FALSE(heap.meter.charge(1));
    heap.meter.start(100'000, Meter::Clock::time_point::max(), nullptr);
    (void)hash(heap, a);
    EXPECT_FALSE(heap.meter.charge(1));
    heap.meter.start(100'000, Meter::Clock::time_point::max(), nullptr);
    (void)total_order(heap, a, b);
    EXPECT_FALSE(heap.meter.charge(1));
}

TEST_F(Equality, TotalOrderOfAllTypes) {
    std::vector<Value> ascending;
    ascending.push_back(Value::number(-std::numeric_limits<double>::infinity()));
    ascending.push_back(integer(-1));
    ascending.push_back(integer(1));
    ascending.push_back(Value::number(1.0));
    ascending.push_back(Value::number(1.5));
    ascending.push_back(must(make_integer(heap, INT64_MAX)));
    ascending.push_back(Value::number(std::numeric_limits<double>::quiet_NaN()));
    ascending.push_back(Value::boolean(false));
    ascending.push_back(Value());
    ascending.push_back(Value::boolean(true));
    ascending.push_back(keyword("a"));
    ascending.push_back(must(make_symbol(heap, "a")));
    ascending.push_back(keyword("b"));
    ascending.push_back(Value::builtin(3));
    ascending.push_back(must(make_local_date(heap, 0, "t")));
    ascending.push_back(empty_map());
    ascending.push_back(assoc(empty_map(), keyword("a"), integer(1)));
    ascending.push_back(assoc(empty_map(), keyword("a"), integer(2)));
    ascending.push_back(assoc(empty_map(), keyword("b"), integer(0)));
    ascending.push_back(assoc(assoc(empty_map(), integer(1), integer(1)), integer(2), integer(2)));
    ascending.push_back(empty_set());
    ascending.push_back(set(integer(5)));
    ascending.push_back(set(integer(1), integer(2)));
    ascending.push_back(set(integer(1), integer(3)));
    ascending.push_back(empty_vector());
    ascending.push_back(vector(integer(1)));
    ascending.push_back(vector(integer(2)));
    ascending.push_back(vector(integer(1), integer(0))); // shorter ones come first
    ascending.push_back(string(""));
    ascending.push_back(string("B"));
    ascending.push_back(string("a"));
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        for (std::size_t j = 0; j < ascending.size(); ++j) {
            int expected = i < j ? -1 : i > j;
            int got = order(ascending[i], ascending[j]);
            EXPECT_EQ((got > 0) - (got < 0), expected) << i << " and " << j;
        }
    }
}

TEST_F(Equality, TotalOrderOfLargeMapsWorksOnAFullHeap) {
    Value a = integer_map(1000), b = integer_map(1000);
    b = assoc(std::move(b), integer(999), integer(1000));
    heap.set_limit(heap.live_bytes());
    EXPECT_LT(order(a, b), 0);
}

} // namespace
} // namespace ptc::test
