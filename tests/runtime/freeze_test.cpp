// Freezing in place and deep copies: both equal the original, keep its sharing, do not recurse, and have the sorted
// views that readers on other threads rely on.
#include "runtime/copy.h"
#include "runtime/freeze.h"
#include "tests/runtime/menagerie.h"

namespace ptc::test {
namespace {

class Freeze : public CollectionTest {};
class Copy : public CollectionTest {};

TEST_F(Freeze, EqualsTheOriginalAndTakesNoMoreOwners) {
    Value v = menagerie(heap);
    Value original = must(deep_copy(heap, shapes, v, false));
    freeze_value(v);
    ASSERT_TRUE(v.is_frozen());
    VectorReader frozen(v), counted(original);
    for (std::size_t i = 0; i < frozen.size(); ++i) {
        Value part = frozen.at(i);
        EXPECT_FALSE(part.is_counted());
        EXPECT_TRUE(part.is(ObjectType::Closure) || equal(heap, part, counted.at(i))) << i;
    }
}

TEST_F(Freeze, OfSharedPartsDoesThemOnce) {
    Value v = vector(integer(1));
    for (int i = 0; i < 60; ++i)
        v = vector(v.copy(), v.copy());
    freeze_value(v);
    EXPECT_TRUE(v.is_frozen());
}

TEST_F(Copy, EqualsTheOriginalAndLivesInItsOwnHeap) {
    Value v = menagerie(heap);
    for (Heap::Mode mode : {Heap::Mode::Counted, Heap::Mode::Frozen}) {
        Heap other(mode);
        {
            ShapeTable other_shapes(other);
            Value copy = must(deep_copy(other, other_shapes, v, true));
            ASSERT_EQ(vector_length(copy), vector_length(v));
            for (std::size_t i = 0; i < vector_length(v); ++i) {
                Value part = vector_get(copy, i);
                EXPECT_EQ(&Heap::of(part.object()), &other);
                EXPECT_TRUE(part.is(ObjectType::Closure) || equal(heap, part, vector_get(v, i))) << i;
            }
        }
        EXPECT_EQ(other.live_bytes() == 0, mode == Heap::Mode::Counted);
    }
}

TEST_F(Copy, KeepsTheTypesOfRecords) {
    Value v = must(map_of_type(heap, assoc(empty_map(), keyword("a"), integer(1)), keyword("P")));
    Value none = must(map_of_type(heap, empty_map(), keyword("E")));
    Value both = vector(v.copy(), none.copy());
    Heap other;
    {
        ShapeTable other_shapes(other);
        Value copy = must(deep_copy(other, other_shapes, both, true));
        EXPECT_EQ(text_of(*map_record_type(vector_get(copy, 0))), "P");
        EXPECT_EQ(text_of(*map_record_type(vector_get(copy, 1))), "E");
        EXPECT_TRUE(equal(other, vector_get(copy, 1), empty_map()));
    }
    EXPECT_EQ(other.live_bytes(), 0U);
    freeze_value(both);
    EXPECT_EQ(text_of(*map_record_type(v)), "P");
}

TEST_F(Copy, KeepsSharingAndFrozenParts) {
    Value frozen = vector(string("frozen"));
    freeze_value(frozen);
    Value part = vector(string("part"));
    Value v = vector(part.copy(), part.copy(), frozen.copy());
    Heap other;
    {
        ShapeTable other_shapes(other);
        Value copy = must(deep_copy(other, other_shapes, v, false));
        EXPECT_EQ(vector_get(copy, 0).raw(), vector_get(copy, 1).raw());
        EXPECT_EQ(vector_get(copy, 2).raw(), frozen.raw());
        Value complete = must(deep_copy(other, other_shapes, v, true));
        EXPECT_NE(vector_get(complete, 2).raw(), frozen.raw());
        EXPECT_TRUE(vector_get(complete, 2).is_counted());
    }
    EXPECT_EQ(other.live_bytes(), 0U);
}

TEST_F(Copy, OfDeepNestingDoesNotRecurse) {
    Value v = empty_vector();
    for (int i = 0; i < 200'000; ++i)
        v = must(make_vector(heap, std::span(&v, 1)));
    Heap other;
    ShapeTable other_shapes(other);
    Value copy = must(deep_copy(other, other_shapes, v, true));
    EXPECT_TRUE(equal(heap, v, copy));
}

TEST_F(Copy, LeavesNothingBehindWhereverTheHeapIsFull) {
    Value v = menagerie(heap);
    bool passed = false;
    for (std::size_t limit = 0; !passed; limit += 509) {
        Heap other;
        other.set_limit(limit);
        {
            ShapeTable other_shapes(other);
            passed = deep_copy(other, other_shapes, v, true).ok();
        }
        ASSERT_EQ(other.live_bytes(), 0U) << "limit " << limit;
    }
}

TEST_F(Copy, InAFrozenHeapHasItsSortedViews) {
    Value m = integer_map(100);
    Heap data(Heap::Mode::Frozen);
    ShapeTable data_shapes(data);
    Value copy = must(deep_copy(data, data_shapes, m, true));
    std::size_t before = heap.live_bytes();
    MapView view = must(MapView::of(heap, copy));
    EXPECT_EQ(heap.live_bytes(), before);
    EXPECT_EQ(view.size(), 100U);
}

} // namespace
} // namespace ptc::test
