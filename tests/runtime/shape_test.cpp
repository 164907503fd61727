#include "tests/runtime/collections_fixture.h"

namespace ptc::test {
namespace {

class Shape : public CollectionTest {
protected:
    ShapeObject* shape_of(std::vector<Value> keys) { return shapes.intern(keys); }
};

TEST_F(Shape, IsOneObjectForOneKeySet) {
    std::vector<Value> keys;
    keys.push_back(keyword("a"));
    keys.push_back(string("a"));
    ShapeObject* first = shapes.intern(keys);
    std::vector<Value> again;
    again.push_back(keyword("a"));
    again.push_back(string("a"));
    EXPECT_EQ(shapes.intern(again), first);
    EXPECT_EQ(shapes.size(), 1U);
    EXPECT_EQ(shape_find(*first, again[1]), 1U);
    EXPECT_EQ(shape_find(*first, string("b")), kNoSlot);
    bits::release(first);
    bits::release(first);
}

TEST_F(Shape, WithAKeyPutsItInOrderAndRemembersIt) {
    std::vector<Value> keys;
    keys.push_back(keyword("b"));
    ShapeObject* shape = shapes.intern(keys);
    Value key = keyword("a");
    std::uint32_t slot = 99;
    ShapeObject* longer = shapes.with(*shape, key, &slot);
    ASSERT_NE(longer, nullptr);
    EXPECT_EQ(slot, 0U);
    EXPECT_EQ(shapes.remembered_with(*shape, key, &slot), longer);
    ShapeObject* back = shapes.without(*longer, slot);
    EXPECT_EQ(back, shape);
    for (ShapeObject* owned : {shape, longer, longer, back})
        bits::release(owned);
}

TEST_F(Shape, IsForgottenWhenNoRecordUsesIt) {
    Value kept = assoc(empty_map(), keyword("kept"), integer(1));
    { Value gone = assoc(kept.copy(), keyword("gone"), integer(2)); }
    EXPECT_EQ(shapes.size(), 2U);
    shapes.sweep();
    EXPECT_EQ(shapes.size(), 1U);
    Value again = assoc(kept.copy(), keyword("gone"), integer(2));
    EXPECT_EQ(map_count(again), 2U);
}

} // namespace
} // namespace ptc::test
