// Maps: when they are records and when tables, what is changed in place, what an update of a shared one costs, and how
// fields are found in other spellings. Keys that collide are made on purpose: they must stay apart and cost fuel.
#include "runtime/access.h"
#include "tests/runtime/collections_fixture.h"
#include <limits>
#include <map>
#include <random>
#include <unordered_map>

namespace ptc::test {
namespace {

class Map : public CollectionTest {
protected:
    Value get(const Value& m, const Value& key) {
        const Value* found = map_find(heap, m, key);
        return found ? found->copy() : Value::hole();
    }
    /// Integers in pairs with the same 32-bit hash.
    std::vector<std::pair<std::int64_t, std::int64_t>> colliding_integers(std::size_t pairs) {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        std::unordered_map<std::uint32_t, std::int64_t> seen;
        std::mt19937_64 random(1);
        while (found.size() < pairs) {
            auto n = static_cast<std::int64_t>(random() >> 15);
            auto [it, is_new] = seen.try_emplace(key_hash(heap, integer(n)), n);
            if (!is_new) found.emplace_back(it->second, n);
        }
        return found;
    }
};

TEST_F(Map, WithFewTextKeysIsARecordWhateverTheOrder) {
    Value a = assoc(assoc(empty_map(), keyword("b"), integer(2)), string("a"), integer(1));
    Value b = assoc(assoc(empty_map(), string("a"), integer(1)), keyword("b"), integer(2));
    ASSERT_TRUE(a.is(ObjectType::Record));
    EXPECT_EQ(as_record(a).shape, as_record(b).shape);
    EXPECT_TRUE(same(a, b));
}

TEST_F(Map, BecomesATableWithTheSeventeenthKeyOrAnotherKindOfKey) {
    Value m = empty_map();
    for (int i = 0; i < 16; ++i)
        m = assoc(std::move(m), keyword("k" + std::to_string(i)), integer(i));
    EXPECT_TRUE(m.is(ObjectType::Record));
    Value with_integer = assoc(m.copy(), integer(1), integer(1));
    EXPECT_TRUE(with_integer.is(ObjectType::HashMap));
    Value with_text = assoc(m.copy(), keyword("k16"), integer(16));
    EXPECT_TRUE(with_text.is(ObjectType::HashMap));
    EXPECT_EQ(get(with_text, keyword("k3")).small_integer(), 3);
    EXPECT_TRUE(assoc(empty_map(), string(std::string(65, 'x')), integer(1)).is(ObjectType::HashMap));
}

TEST_F(Map, EqualsARecordAsATable) {
    Value record = assoc(assoc(empty_map(), keyword("a"), integer(1)), keyword("b"), string("two"));
    Value table = assoc(record.copy(), integer(9), integer(9));
    table = must(map_dissoc(heap, std::move(table), integer(9)));
    ASSERT_TRUE(table.is(ObjectType::HashMap));
    EXPECT_TRUE(same(record, table));
}

TEST_F(Map, AssocByTheSoleOwnerKeepsTheObject) {
    Value m = integer_map(100);
    Object* object = m.object();
    m = assoc(std::move(m), integer(5), integer(-5));
    m = assoc(std::move(m), integer(500), integer(-5));
    EXPECT_EQ(m.object(), object);
}

TEST_F(Map, UpdatingASharedLargeOneAgainAndAgainDoesNotCopyIt) {
    Value m = integer_map(10'000);
    Value first = assoc(m.copy(), integer(5), integer(-1)); // may be flat: m's construction paid for it
    std::size_t before = heap.live_bytes();
    for (std::int64_t i = 0; i < 100; ++i) {
        Value changed = assoc(m.copy(), integer(i * 97), integer(-2));
        EXPECT_EQ(get(changed, integer(i * 97)).small_integer(), -2);
        EXPECT_EQ(get(m, integer(i * 97)).small_integer(), i * 97);
        EXPECT_LT(heap.live_bytes() - before, 4096U);
    }
}

TEST_F(Map, EveryVersionOfAHistoryIsCheap) {
    std::vector<Value> history;
    Value m = empty_map();
    for (std::int64_t i = 0; i < 3000; ++i) {
        m = assoc(std::move(m), integer(i), integer(i));
        history.push_back(m.copy());
    }
    EXPECT_LT(heap.live_bytes(), 3000U * 3000U);
    for (std::size_t i = 0; i < history.size(); i += 100)
        EXPECT_EQ(map_count(history[i]), i + 1);
}

TEST_F(Map, SharedForTheTimeOfEachUpdateCostsAFewEditsAnUpdate) {
    Value m = integer_map(4000);
    const auto step = [&](std::int64_t i) { // what holds the map lets go of it when the new version is there
        Value next = must(map_dissoc(heap, m.copy(), integer(i)));
        next = assoc(std::move(next), integer(i + 4000), integer(i));
        Value first = must(first_of(heap, next, "first")); // the last version is still seen
        EXPECT_EQ(vector_get(first, 0).small_integer(), i + 1);
        m = std::move(next);
    };
    for (std::int64_t i = 0; i < 10; ++i) // the copy that building it paid for is used up
        step(i);
    const std::int64_t before = heap.meter.used();
    for (std::int64_t i = 10; i < 1010; ++i)
        step(i);
    EXPECT_LT(heap.meter.used() - before, 100'000);
    EXPECT_TRUE(same(m, [&] {
        Value expected = empty_map();
        for (std::int64_t i = 1010; i < 5010; ++i)
            expected = assoc(std::move(expected), integer(i), integer(i < 4000 ? i : i - 4000));
        return expected;
    }()));
}

TEST_F(Map, AbsorbsItsEditsOnlyWhenNobodyElseSeesItsTable) {
    Value old = integer_map(100);
    Value spare = assoc(old.copy(), integer(0), integer(-1)); // uses the payment for a copy up
    Value a = assoc(old.copy(), integer(1), integer(-1));
    Value b = assoc(a.copy(), integer(200), integer(-2));
    ASSERT_TRUE(b.is(ObjectType::OverlayMap));
    EXPECT_EQ(must(MapView::of(heap, b)).key(100).small_integer(), 200);
    EXPECT_EQ(get(old, integer(1)).small_integer(), 1);
    EXPECT_EQ(get(a, integer(1)).small_integer(), -1);
    EXPECT_TRUE(get(a, integer(200)).is_hole());
    old = Value(), spare = Value(), a = Value();
    b = must(map_dissoc(heap, std::move(b), integer(2)));
    EXPECT_TRUE(b.is(ObjectType::HashMap));
    EXPECT_EQ(map_count(b), 100U);
    EXPECT_EQ(get(b, integer(1)).small_integer(), -1);
    EXPECT_EQ(get(b, integer(200)).small_integer(), -2);
    EXPECT_EQ(must(MapView::of(heap, b)).key(99).small_integer(), 200);
}

TEST_F(Map, IsMergedWithItselfWhileItsEditsAreAbsorbed) {
    Value old = integer_map(100);
    Value spare = assoc(old.copy(), integer(0), integer(-1));
    Value m = assoc(assoc(old.copy(), integer(1), string("one")), integer(200), string("new"));
    ASSERT_TRUE(m.is(ObjectType::OverlayMap));
    old = Value(), spare = Value();
    Value merged = must(map_merge(heap, m.copy(), m));
    EXPECT_TRUE(same(merged, m));
    MapView view = must(MapView::of(heap, m));
    Value less = m.copy();
    for (std::size_t i = 0; i < view.size(); ++i) // as union and rename-keys do
        less = must(map_dissoc(heap, std::move(less), view.key(i)));
    EXPECT_EQ(map_count(less), 0U);
    EXPECT_EQ(map_count(m), 101U);
}

TEST_F(Map, ViewIsSortedByKeyAndDroppedWithTheNextNewKey) {
    Value m = assoc(assoc(integer_map(2), string("s"), integer(1)), keyword("k"), integer(2));
    m = assoc(std::move(m), vector(integer(1)), integer(3));
    m = assoc(std::move(m), Value(), integer(4));
    Value keys = must(map_keys(heap, m));
    EXPECT_TRUE(same(keys, vector(integer(0), integer(1), Value(), keyword("k"), vector(integer(1)), string("s"))));
    m = assoc(std::move(m), integer(-1), integer(0));
    EXPECT_TRUE(same(vector_get(must(map_keys(heap, m)), 0), integer(-1)));
    m = assoc(std::move(m), integer(-1), string("changed"));
    EXPECT_TRUE(same(vector_get(must(map_values(heap, m)), 0), string("changed")));
}

TEST_F(Map, LargeViewsAreSorted) {
    for (int kind = 0; kind < 3; ++kind) {
        Value m = empty_map();
        for (std::int64_t i = 0; i < 3000; ++i) {
            std::int64_t n = i * 7919 % 3001;
            Value key = kind == 0 ? integer(n) : kind == 1 ? string(std::to_string(n)) : vector(integer(n), integer(i));
            m = assoc(std::move(m), std::move(key), integer(n));
        }
        MapView view = must(MapView::of(heap, m));
        for (std::size_t i = 1; i < view.size(); ++i)
            ASSERT_LT(order(view.key(i - 1), view.key(i)), 0);
    }
}

TEST_F(Map, FindsAFieldInAnySpelling) {
    Value small = assoc(assoc(empty_map(), string("turn_summaries"), integer(1)), keyword("id"), integer(2));
    Value large = assoc(small.copy(), integer(0), integer(0));
    for (const Value* m : {&small, &large}) {
        EXPECT_EQ(map_find_flexible(heap, *m, keyword("turn-summaries"))->small_integer(), 1);
        EXPECT_EQ(map_find_flexible(heap, *m, keyword("turn_summaries"))->small_integer(), 1);
        EXPECT_EQ(map_find_flexible(heap, *m, string("id"))->small_integer(), 2);
        EXPECT_EQ(map_find_flexible(heap, *m, string("other")), nullptr);
        EXPECT_EQ(map_find(heap, *m, string("id")), nullptr);
    }
}

TEST_F(Map, PrefersTheExactSpelling) {
    MapBuilder builder(heap);
    builder.put(string("a-b"), integer(1));
    builder.put(keyword("a-b"), integer(2));
    builder.put(keyword("a_b"), integer(3));
    builder.put(string("a_b"), integer(4));
    const Value m = must(builder.finish());
    EXPECT_EQ(map_find_flexible(heap, m, keyword("a-b"))->small_integer(), 2);
    EXPECT_EQ(map_find_flexible(heap, m, string("a-b"))->small_integer(), 1);
    EXPECT_EQ(map_find_flexible(heap, m, string("a_b"))->small_integer(), 4);
}

// Random writes in either spelling, on records, tables and overlays, against a model that knows names only.
TEST_F(Map, AWriteFindsTheOtherSpellingWhateverTheRepresentation) {
    struct Entry {
        bool is_keyword;
        std::int64_t value;
    };
    std::mt19937 random(7);
    for (const std::uint32_t names : {6U, 14U, 60U, 400U}) {
        std::map<std::string, Entry> model;
        Value m = empty_map();
        std::vector<Value> versions; // others see the map: it is copied, or becomes an overlay
        for (std::int64_t i = 0; i < 4000; ++i) {
            const std::string name = "n" + std::to_string(random() % names);
            const bool is_keyword = random() % 2 == 0;
            Value key = is_keyword ? keyword(name) : string(name);
            const auto known = model.find(name);
            switch (random() % 8) {
            case 0:
                m = must(map_dissoc(heap, std::move(m), key));
                if (known != model.end()) model.erase(known);
                break;
            case 1: {
                bool found = false;
                Value old = map_take(heap, m, key, &found);
                ASSERT_EQ(found, known != model.end());
                ASSERT_TRUE(!found || old.small_integer() == known->second.value);
                m = assoc(std::move(m), std::move(key), integer(i));
                if (!model.try_emplace(name, Entry{is_keyword, i}).second) known->second.value = i;
                break;
            }
            case 2:
                if (random() % 8 == 0) versions.push_back(m.copy());
                if (versions.size() > 3) versions.clear();
                [[fallthrough]];
            default:
                m = assoc(std::move(m), std::move(key), integer(i));
                if (!model.try_emplace(name, Entry{is_keyword, i}).second) known->second.value = i;
            }
            ASSERT_EQ(map_count(m), model.size());
        }
        for (const auto& [name, entry] : model) {
            const Value* found = map_find(heap, m, entry.is_keyword ? keyword(name) : string(name));
            ASSERT_TRUE(found) << name;
            EXPECT_EQ(found->small_integer(), entry.value);
        }
    }
}

TEST_F(Map, RemembersNoNewFieldWhereAnotherSpellingIsThere) {
    const Value key = keyword("a");
    const Value text = assoc(empty_map(), string("a"), integer(1));
    MapBuilder builder(heap); // makes the shape with both
    builder.put(string("a"), integer(1));
    builder.put(key.copy(), integer(2));
    EXPECT_EQ(map_count(must(builder.finish())), 2U);
    EXPECT_EQ(map_count(assoc(text.copy(), key.copy(), integer(3))), 1U);
    EXPECT_EQ(map_count(must(map_assoc_exact(heap, text.copy(), key.copy(), integer(3)))), 2U);
    EXPECT_EQ(map_count(assoc(text.copy(), key.copy(), integer(3))), 1U);
}

TEST_F(Map, KeepsKeysApartWhoseHashesCollide) {
    auto pairs = colliding_integers(20);
    Value m = empty_map();
    for (auto [a, b] : pairs)
        m = assoc(assoc(std::move(m), integer(a), integer(1)), integer(b), integer(2));
    for (auto [a, b] : pairs) {
        EXPECT_EQ(get(m, integer(a)).small_integer(), 1);
        EXPECT_EQ(get(m, integer(b)).small_integer(), 2);
    }
    for (auto [a, b] : pairs)
        m = must(map_dissoc(heap, std::move(m), integer(a)));
    for (auto [a, b] : pairs) {
        EXPECT_TRUE(get(m, integer(a)).is_hole());
        EXPECT_EQ(get(m, integer(b)).small_integer(), 2);
    }
}

TEST_F(Map, KeepsKeysApartWhoseHashesCollideInAnOverlay) {
    auto pairs = colliding_integers(20);
    Value base = empty_map();
    for (std::int64_t i = 0; i < 5000; ++i)
        base = assoc(std::move(base), string(std::to_string(i)), integer(i));
    Value spent = assoc(base.copy(), integer(0), integer(0));
    Value m = base.copy();
    for (auto [a, b] : pairs)
        m = assoc(assoc(std::move(m), integer(a), integer(1)), integer(b), integer(2));
    ASSERT_TRUE(m.is(ObjectType::OverlayMap));
    Value before = m.copy();
    for (auto [a, b] : pairs)
        m = must(map_dissoc(heap, std::move(m), integer(a)));
    for (auto [a, b] : pairs) {
        EXPECT_TRUE(get(m, integer(a)).is_hole());
        EXPECT_EQ(get(m, integer(b)).small_integer(), 2);
        EXPECT_EQ(get(before, integer(a)).small_integer(), 1);
    }
    for (auto [a, b] : pairs)
        m = must(map_dissoc(heap, std::move(m), integer(b)));
    EXPECT_TRUE(same(m, base));
}

TEST_F(Map, CollidingKeysCostFuel) {
    // Keys whose hashes differ only above the index: every probe starts at the same place.
    Value m = empty_map();
    heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), nullptr);
    std::int64_t found = 0;
    for (std::int64_t i = 0; found < 300; ++i) {
        if ((key_hash(heap, integer(i)) & 0x3FF) != 0) continue;
        m = assoc(std::move(m), integer(i), integer(i));
        ++found;
    }
    EXPECT_GT(heap.meter.used(), 300 * 300 / 4);
}

TEST_F(Map, FindsANanKeyAgain) {
    Value nan = Value::number(std::numeric_limits<double>::quiet_NaN());
    Value m = assoc(empty_map(), nan.copy(), integer(1));
    m = assoc(std::move(m), nan.copy(), integer(2));
    EXPECT_EQ(map_count(m), 1U);
    EXPECT_EQ(get(m, nan).small_integer(), 2);
}

TEST_F(Map, OneAndOnePointZeroAreTwoKeysAndZeroHasOneSign) {
    Value m = assoc(assoc(empty_map(), integer(1), integer(1)), Value::number(1.0), integer(2));
    EXPECT_EQ(map_count(m), 2U);
    m = assoc(assoc(empty_map(), Value::number(0.0), integer(1)), Value::number(-0.0), integer(2));
    EXPECT_EQ(map_count(m), 1U);
}

TEST_F(Map, AppendsAndCountsInPlace) {
    Value groups = empty_map(), counts = empty_map();
    for (std::int64_t i = 0; i < 1000; ++i) {
        Value key = integer(i % 40);
        groups = must(map_append_at(heap, std::move(groups), key.copy(), integer(i)));
        counts = must(map_count_at(heap, std::move(counts), std::move(key)));
    }
    EXPECT_EQ(vector_length(get(groups, integer(7))), 25U);
    EXPECT_EQ(get(counts, integer(39)).small_integer(), 25);
    Value before = groups.copy();
    groups = must(map_append_at(heap, std::move(groups), integer(7), string("more")));
    EXPECT_EQ(vector_length(get(before, integer(7))), 25U);
    EXPECT_EQ(vector_length(get(groups, integer(7))), 26U);
}

TEST_F(Map, AppendsAndCountsWhatOthersSeeToo) {
    Value groups = empty_map(), counts = empty_map();
    for (std::int64_t i = 0; i < 500; ++i) {
        groups = must(map_append_at(heap, std::move(groups), integer(i), integer(0)));
        counts = must(map_count_at(heap, std::move(counts), integer(i)));
    }
    for (std::int64_t i = 0; i < 20; ++i) { // the first copy is paid for, from then on they are overlays
        const Value longer = must(map_append_at(heap, groups.copy(), integer(i), integer(1)));
        EXPECT_EQ(vector_length(get(longer, integer(i))), 2U);
        const Value more = must(map_count_at(heap, counts.copy(), integer(i)));
        EXPECT_EQ(get(more, integer(i)).small_integer(), 2);
        const Value again = must(map_count_at(heap, must(map_count_at(heap, more.copy(), integer(i))), integer(1000)));
        EXPECT_EQ(get(again, integer(i)).small_integer(), 3);
        EXPECT_EQ(get(again, integer(1000)).small_integer(), 1);
        EXPECT_EQ(get(again, integer(499)).small_integer(), 1);
    }
    EXPECT_EQ(vector_length(get(groups, integer(7))), 1U);
    EXPECT_EQ(get(counts, integer(7)).small_integer(), 1);
}

TEST_F(Map, TakeLeavesASoleOwnedValueToBeChangedInPlace) {
    Value m = assoc(empty_map(), keyword("xs"), integers(10));
    bool found = false;
    Value xs = map_take(heap, m, keyword("xs"), &found);
    EXPECT_TRUE(found);
    EXPECT_TRUE(xs.is_sole_owner());
    Value other = map_take(heap, m, keyword("none"), &found);
    EXPECT_FALSE(found);
    EXPECT_TRUE(other.is_nil());
}

TEST_F(Map, WithoutItsLastKeyIsTheEmptyMap) {
    Value m = must(map_dissoc(heap, assoc(empty_map(), keyword("a"), integer(1)), keyword("a")));
    EXPECT_EQ(m.raw(), empty_map().raw());
    m = must(map_dissoc(heap, integer_map(1), integer(0)));
    EXPECT_EQ(m.raw(), empty_map().raw());
}

TEST_F(Map, WithKeysUsedAsDataDoesNotFillTheHeapWithShapes) {
    for (int i = 0; i < 50'000; ++i) {
        Value m = assoc(empty_map(), string("user " + std::to_string(i)), integer(i));
        ASSERT_EQ(get(m, string("user " + std::to_string(i))).small_integer(), i);
        m = must(map_dissoc(heap, assoc(std::move(m), keyword("x"), integer(1)), keyword("x")));
    }
    EXPECT_LT(heap.live_bytes(), 1'500'000U);
    shapes.sweep();
    EXPECT_EQ(shapes.size(), 0U);
}

TEST_F(Map, MergeTakesTheLaterValue) {
    Value a = integer_map(50);
    Value b = assoc(assoc(empty_map(), integer(3), string("new")), integer(99), string("more"));
    Value merged = must(map_merge(heap, a.copy(), b));
    EXPECT_EQ(map_count(merged), 51U);
    EXPECT_TRUE(same(get(merged, integer(3)), string("new")));
    EXPECT_EQ(map_count(a), 50U);
}

} // namespace
} // namespace ptc::test
