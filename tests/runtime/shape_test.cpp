// Shapes: one object for a set of keys however it came to be, and the slots of keys in any spelling that a read allows.
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

TEST_F(Shape, FindsEachOfItsKeysAndNoOtherWhoseHashBeginsAlike) {
    std::vector<Value> alike; // texts whose hashes have the same lowest byte
    for (int i = 0; alike.size() < 2 * ShapeObject::kMaxFields; ++i) {
        Value key = string("key " + std::to_string(100'000 + i));
        if ((text_hash(as_string(key)) & 0xFF) == 7) alike.push_back(std::move(key));
    }
    for (std::uint32_t n = 1; n <= ShapeObject::kMaxFields; ++n) {
        std::vector<Value> keys;
        for (std::uint32_t i = 0; i < n; ++i)
            keys.push_back(alike[i].copy());
        ShapeObject* shape = shapes.intern(keys);
        for (std::uint32_t i = 0; i < alike.size(); ++i) {
            const Value again = string(std::string(text_of(alike[i])));
            EXPECT_EQ(shape_find(*shape, again), i < n ? i : kNoSlot);
            EXPECT_EQ(shape_find_flexible(*shape, keyword(std::string(text_of(again)))), i < n ? i : kNoSlot);
        }
        bits::release(shape);
    }
}

TEST_F(Shape, TellsAKeywordFromTheStringOfItsText) {
    std::vector<Value> keys;
    keys.push_back(keyword("a"));
    keys.push_back(string("a"));
    ShapeObject* shape = shapes.intern(keys);
    EXPECT_EQ(shape_find(*shape, keyword("a")), 0U);
    EXPECT_EQ(shape_find(*shape, string("a")), 1U);
    EXPECT_EQ(shape_find_flexible(*shape, string("a")), 1U);
    EXPECT_EQ(shape_find_other_spelling(*shape, string("b")), kNoSlot);
    EXPECT_EQ(shape_find(*shape, integer(0)), kNoSlot);
    bits::release(shape);
}

TEST(EqualBytes, AreFoundEachByItself) {
    EXPECT_EQ(equal_bytes(0x0706'0504'0302'0100, 4), 0x0000'0080'0000'0000U);
    EXPECT_EQ(equal_bytes(0, 0), 0x8080'8080'8080'8080U);
    EXPECT_EQ(equal_bytes(0x0100'0100'FF00'80FF, 0), 0x0080'0080'0080'0000U);
    EXPECT_EQ(equal_bytes(0x0100'0100'FF00'80FF, 0xFF), 0x0000'0000'8000'0080U);
    EXPECT_EQ(equal_bytes(0x0100'0100'FF00'80FF, 0x80), 0x0000'0000'0000'8000U);
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

TEST_F(Shape, OfATypeIsAnotherOneAndKeepsIt) {
    std::vector<Value> keys;
    keys.push_back(keyword("b"));
    ShapeObject* plain = shapes.intern(keys);
    const Value type = keyword("P"), other = keyword("Q"), key = keyword("a");
    ShapeObject* typed = shapes.typed(*plain, type);
    EXPECT_NE(typed, plain);
    EXPECT_EQ(shapes.typed(*plain, type), typed);
    EXPECT_EQ(shapes.intern(keys, &type), typed);
    EXPECT_EQ(plain->record_type(), nullptr);
    EXPECT_EQ(text_of(*typed->record_type()), "P");
    ShapeObject* second = shapes.typed(*plain, other);
    EXPECT_NE(second, typed);
    std::uint32_t slot = 99;
    ShapeObject* longer = shapes.with(*typed, key, &slot); // the key is that of a type's transition elsewhere
    ASSERT_NE(longer, nullptr);
    EXPECT_EQ(text_of(*longer->record_type()), "P");
    ShapeObject* retyped = shapes.typed(*plain, key);
    EXPECT_EQ(retyped->count, 1U);
    ShapeObject* grown = shapes.with(*plain, key, &slot);
    EXPECT_EQ(grown->count, 2U);
    EXPECT_FALSE(grown->is_typed());
    for (ShapeObject* owned : {plain, typed, typed, typed, second, longer, retyped, grown})
        bits::release(owned);
    shapes.sweep();
    EXPECT_EQ(shapes.size(), 0U);
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
