// Keys that are vectors of integers have a look-up of their own (runtime/vector_keys.h): what it finds and what that
// costs is what the general way finds and takes, however a vector is made.
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/vector.h"
#include "runtime/vector_keys.h"
#include "tests/runtime/collections_fixture.h"
#include <gtest/gtest.h>

namespace ptc::test {
namespace {

class VectorKeys : public CollectionTest {
protected:
    Value of(std::initializer_list<std::int64_t> items) {
        VectorBuilder made(heap);
        for (const std::int64_t item : items)
            made.push(integer(item));
        return must(made.finish());
    }
    /// What both ways find, after making sure that they find the same for the same fuel.
    const Value* find(const Value& coll, const Value& key) {
        const std::int64_t before = heap.meter.used();
        const std::uint32_t hash = key_hash(heap, key);
        const Value* const general = keyed_find(heap, coll, hash, key);
        const std::int64_t between = heap.meter.used();
        const FoundKey own = find_vector_key(heap, coll, key);
        EXPECT_EQ(own.entry, general);
        EXPECT_EQ(own.hash, hash);
        EXPECT_EQ(heap.meter.used() - between, between - before);
        return own.entry;
    }
};

TEST_F(VectorKeys, AreFoundAsTheGeneralWayFindsThem) {
    Value set = empty_set();
    for (std::int64_t i = 0; i < 40; ++i) {
        for (std::int64_t j = 0; j < 40; j += 3)
            set = must(set_conj(heap, std::move(set), of({i, j})));
        set = must(set_conj(heap, std::move(set), of({i})));
        set = must(set_conj(heap, std::move(set), of({i, i, i, i, i})));
    }
    set = must(set_conj(heap, std::move(set), empty_vector()));
    for (std::int64_t i = -2; i < 42; ++i) {
        EXPECT_EQ(find(set, of({i})) != nullptr, i >= 0 && i < 40);
        EXPECT_EQ(find(set, of({i, i, i, i, i})) != nullptr, i >= 0 && i < 40);
        EXPECT_EQ(find(set, of({i, i, i})), nullptr);
        for (std::int64_t j = -2; j < 42; ++j)
            EXPECT_EQ(find(set, of({i, j})) != nullptr, i >= 0 && i < 40 && j >= 0 && j < 40 && j % 3 == 0);
    }
    EXPECT_NE(find(set, empty_vector()), nullptr);
}

TEST_F(VectorKeys, AreFoundWhateverRepresentsTheKeyThatIsThere) {
    Value set = empty_set();
    for (std::int64_t i = 0; i < 30; ++i)
        set = must(set_conj(heap, std::move(set), must(make_range(heap, i, i + 3, 1))));
    for (std::int64_t i = 0; i < 30; ++i) {
        EXPECT_NE(find(set, of({i, i + 1, i + 2})), nullptr);
        EXPECT_EQ(find(set, of({i, i + 2, i + 1})), nullptr);
        EXPECT_NE(find(set, must(vector_slice(heap, of({9, i, i + 1, i + 2, 9}), 1, 4))), nullptr);
    }
}

TEST_F(VectorKeys, PartsThatAreNoIntegersGoTheGeneralWay) {
    Value set = empty_set();
    const auto pair = [&](Value a, Value b) {
        Value items[] = {std::move(a), std::move(b)};
        return must(make_vector(heap, items));
    };
    set = must(set_conj(heap, std::move(set), pair(integer(1), string("x"))));
    set = must(set_conj(heap, std::move(set), pair(Value::number(1.0), integer(2))));
    set = must(set_conj(heap, std::move(set), pair(of({1}), integer(2))));
    for (std::int64_t i = 0; i < 20; ++i)
        set = must(set_conj(heap, std::move(set), of({i, i})));
    EXPECT_NE(find(set, pair(integer(1), string("x"))), nullptr);
    EXPECT_NE(find(set, pair(Value::number(1.0), integer(2))), nullptr);
    EXPECT_NE(find(set, pair(of({1}), integer(2))), nullptr);
    EXPECT_EQ(find(set, of({1, 2})), nullptr);
}

TEST_F(VectorKeys, AreFoundInOverlays) {
    Value set = empty_set();
    for (std::int64_t i = 0; i < 200; ++i)
        set = must(set_conj(heap, std::move(set), of({i, 1})));
    const Value before = set.copy();
    Value after = must(set_conj(heap, set.copy(), of({7, 2})));
    after = must(set_disj(heap, std::move(after), of({7, 1})));
    EXPECT_NE(find(before, of({7, 1})), nullptr);
    EXPECT_EQ(find(after, of({7, 1})), nullptr);
    EXPECT_NE(find(after, of({7, 2})), nullptr);
    EXPECT_NE(find(after, of({8, 1})), nullptr);
}

} // namespace
} // namespace ptc::test
