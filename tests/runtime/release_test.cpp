#include "tests/runtime/menagerie.h"

namespace ptc::test {
namespace {

class Release : public CollectionTest {};

TEST_F(Release, GivesBackEveryByteOfEveryType) {
    std::size_t before = heap.live_bytes();
    { Value all = menagerie(heap); }
    shapes.sweep();
    EXPECT_LE(heap.live_bytes() - before, 6000U); // what the shape table itself takes
    std::size_t after = heap.live_bytes();
    { Value all = menagerie(heap); }
    shapes.sweep();
    EXPECT_EQ(heap.live_bytes(), after);
}

TEST_F(Release, OfAMillionLevelsDoesNotRecurse) {
    std::size_t before = heap.live_bytes();
    for (int kind = 0; kind < 4; ++kind) {
        Value v = empty_vector();
        for (std::int64_t i = 0; i < (kind == 0 ? 1'000'000 : 200'000); ++i) {
            if (kind == 0)
                v = must(make_vector(heap, std::span(&v, 1)));
            else if (kind == 1)
                v = assoc(empty_map(), keyword("next"), std::move(v));
            else if (kind == 2)
                v = assoc(assoc(empty_map(), integer(i), integer(i)), integer(1), std::move(v));
            else
                v = must(vector_cons(heap, integer(i), vector(std::move(v))));
        }
        v = Value();
        shapes.sweep();
        EXPECT_LE(heap.live_bytes() - before, 6000U);
    }
}

TEST_F(Release, LeavesWhatOthersOwn) {
    Value inner = vector(string("kept"));
    { Value outer = vector(inner.copy(), inner.copy()); }
    EXPECT_TRUE(inner.is_sole_owner());
    EXPECT_EQ(text_of(vector_get(inner, 0)), "kept");
}

TEST_F(Release, NeverFreesWhatHasTooManyOwnersToCount) {
    Value v = vector(string("x"));
    v.object()->refs = kImmortal - 1;
    Value a = v.copy(), b = v.copy();
    EXPECT_EQ(v.object()->refs, kImmortal);
    a = Value();
    b = Value();
    EXPECT_EQ(v.object()->refs, kImmortal);
    EXPECT_EQ(text_of(vector_get(v, 0)), "x");
}

} // namespace
} // namespace ptc::test
