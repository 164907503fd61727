// What is written piece by piece: memory of an arena, bytes of a snapshot.
#include "frontend/arena.h"
#include "frontend/bytes.h"
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace ptc {
namespace {

TEST(Arena, PiecesAreAlignedAndDoNotOverlap) {
    Arena arena(64);
    struct Piece {
        unsigned char* at;
        std::size_t size;
        unsigned char mark;
    };
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < 500; ++i) {
        const std::size_t size = i * 7 % 129, alignment = std::size_t{1} << i % 5;
        auto* at = static_cast<unsigned char*>(arena.allocate(size, alignment));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignment, 0u);
        const auto mark = static_cast<unsigned char>(i);
        if (size > 0) std::memset(at, mark, size); // a piece of no bytes may be nowhere
        pieces.push_back({at, size, mark});
    }
    for (const Piece& piece : pieces) {
        for (std::size_t i = 0; i < piece.size; ++i)
            ASSERT_EQ(piece.at[i], piece.mark);
    }
}

TEST(Arena, APieceMayBeLargerThanABlock) {
    Arena arena(64);
    std::memset(arena.allocate(100'000, 8), 1, 100'000);
    EXPECT_NE(arena.allocate(8, 8), nullptr);
}

TEST(Arena, WhatLivesInItStaysWhenItIsMoved) {
    Arena arena(64);
    auto* number = new (arena.allocate(sizeof(int), alignof(int))) int(7);
    Arena moved(std::move(arena));
    Arena other(16);
    other = std::move(moved);
    EXPECT_EQ(*number, 7);
    EXPECT_NE(other.allocate(1000, 8), number);
}

TEST(ByteWriter, BytesMayBeAskedForInTheMiddle) {
    ByteWriter out;
    EXPECT_EQ(out.bytes(), "");
    out.byte('a');
    out.text("bc");
    EXPECT_EQ(out.written(), 4u);
    EXPECT_EQ(out.bytes(), std::string("a\2bc"));
    out.bytes() += "!";
    out.tagged_text('t', 'f', "x");
    EXPECT_EQ(out.bytes(), std::string("a\2bc!tf\1x"));
}

TEST(ByteWriter, WhatIsTakenBackWasNeverWritten) {
    ByteWriter out;
    out.text(std::string(1000, 'x'));
    const std::size_t before = out.written();
    out.text(std::string(5000, 'y'));
    out.take_back(before);
    out.byte('z');
    EXPECT_EQ(out.written(), before + 1);
    EXPECT_EQ(out.bytes().back(), 'z');
    out.take_back(2);
    EXPECT_EQ(out.written(), 2u);
}

TEST(ByteWriter, ReadsBackAsItWasWritten) {
    ByteWriter out;
    const std::int64_t numbers[] = {0, -1, 63, -64, 64, 127, 128, 300, -70'000, INT64_MAX, INT64_MIN};
    for (const std::int64_t n : numbers) {
        out.integer(n);
        out.tagged_integer(9, n);
        out.tagged(8, n);
        out.fixed(n);
    }
    ByteReader in(out.bytes());
    for (const std::int64_t n : numbers) {
        EXPECT_EQ(in.integer(), n);
        EXPECT_EQ(in.byte(), 9);
        EXPECT_EQ(in.integer(), n);
        EXPECT_EQ(in.byte(), 8);
        EXPECT_EQ(in.fixed<std::int64_t>(), n);
        EXPECT_EQ(in.fixed<std::int64_t>(), n);
    }
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0u);
}

} // namespace
} // namespace ptc
