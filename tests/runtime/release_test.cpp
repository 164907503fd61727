// What nobody owns any more is given back: every byte of it, at any depth, and piece by piece where time is over.
#include "runtime/clock.h"
#include "tests/runtime/menagerie.h"
#include <atomic>

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

class ReleaseLate : public Release {
protected:
    void SetUp() override {
        heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), &interrupt_);
        heap.put_aside_when_late(true);
        before_ = heap.live_bytes();
    }
    /// Lets `value` die once time is over, and expects that this takes many pieces, the first of which is not all.
    void expect_pieces(const char* what, Value value) {
        SCOPED_TRACE(what);
        const std::size_t full = heap.live_bytes();
        interrupt_ = true;
        value = Value();
        EXPECT_TRUE(heap.has_put_aside());
        EXPECT_GT(heap.live_bytes() - before_, (full - before_) / 2);
        vector(vector(integer(1))) = Value(); // joins what was put aside
        int pieces = 1;
        for (; heap.has_put_aside() && pieces < 100'000; ++pieces)
            heap.give_back_the_rest();
        EXPECT_GT(pieces, 3);
        shapes.sweep();
        EXPECT_LE(heap.live_bytes() - before_, 6000U); // the shape table's own
        EXPECT_FALSE(heap.meter.look());
        interrupt_ = false;
        heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), &interrupt_);
    }
    void end_time() { interrupt_ = true; }
    /// So many texts, each in a vector when they are to be nested.
    Value texts(std::int64_t n, bool are_nested) {
        Value v = empty_vector();
        for (std::int64_t i = 0; i < n; ++i) {
            Value text = string("a text that is an object, " + std::to_string(i));
            v = must(vector_conj(heap, std::move(v), are_nested ? vector(std::move(text)) : std::move(text)));
        }
        return v;
    }

private:
    std::atomic<bool> interrupt_ = false;
    std::size_t before_ = 0;
};

TEST_F(ReleaseLate, GivesBackPieceByPiece) {
    expect_pieces("texts", texts(50'000, false));
    expect_pieces("vectors", texts(50'000, true));
    Value levels = empty_vector();
    for (int i = 0; i < 50'000; ++i)
        levels = vector(std::move(levels));
    expect_pieces("levels", std::move(levels));
    Value map = empty_map();
    for (std::int64_t i = 0; i < 50'000; ++i)
        map = assoc(std::move(map), integer(i), string("a text that is an object, " + std::to_string(i)));
    expect_pieces("a map", std::move(map));
}

TEST_F(ReleaseLate, CountsWhatLargeVectorsHold) {
    Value wide = empty_vector();
    const Value text = string("a text that is an object");
    for (int i = 0; i < 40; ++i) { // fewer objects than between two looks, with 320,000 items
        Value one = must(make_nil_vector(heap, 8000));
        for (int at = 0; at < 8000; ++at)
            as_mutable_flat(one).data[at] = text.copy();
        wide = must(vector_conj(heap, std::move(wide), std::move(one)));
    }
    expect_pieces("wide vectors", std::move(wide));
}

TEST_F(ReleaseLate, PutsAsideWhatWasBeingBuilt) {
    {
        VectorBuilder half(heap);
        for (int i = 0; i < 50'000; ++i)
            ASSERT_TRUE(half.push(vector(integer(i))));
        end_time();
    }
    EXPECT_TRUE(heap.has_put_aside());
}

TEST_F(ReleaseLate, GivesBackAtOnceWhereNobodyWaits) {
    Value all = texts(50'000, true);
    heap.put_aside_when_late(false);
    const std::size_t full = heap.live_bytes();
    all = Value();
    EXPECT_FALSE(heap.has_put_aside());
    EXPECT_LT(heap.live_bytes(), full / 100);
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
