// Strings by themselves: graphemes, the flag of plain ASCII, substrings, appending in place, and the builder's memory.
// The builtins on strings are in builtins_string_test.cpp.
#include "runtime/string.h"
#include "tests/runtime/text_world.h"

namespace ptc::test {
namespace {

bool is_plain(const Value& v) { return as_string(v).flags & StringObject::kAscii; }

TEST(String, BytesAreTheSameWhenAllOfThemAre) {
    const std::string text = "The quick brown fox jumps over the lazy dog";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        EXPECT_TRUE(equal_bytes(text.data(), std::string(text).data(), size));
        for (std::size_t i = 0; i < size; ++i) {
            std::string other = text;
            other[i] = '!';
            EXPECT_FALSE(equal_bytes(text.data(), other.data(), size)) << size << " bytes, one differs at " << i;
        }
    }
}

TEST(String, CountsGraphemesAsAReaderSeesThem) {
    TextWorld w;
    struct {
        const char* text;
        std::size_t count;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"h\u00e9llo", 5},
        {"e\u0301", 1},
        {"\r\n", 1},
        {"a\r\nb", 3},
        {"a\n\rb", 4},
        {"\U0001F600a", 2},
        {"\U0001F468\u200D\U0001F469\u200D\U0001F467", 1},
        {"\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7", 2},
        {"\u65e5\u672c", 2},
    };
    for (auto& row : rows) {
        Value s = w.string(row.text);
        EXPECT_EQ(grapheme_count(w.heap, s), row.count) << row.text;
        EXPECT_EQ(grapheme_count(w.heap, s), row.count) << "cached: " << row.text;
    }
}

TEST(String, IsPlainOnlyWhenEveryByteIsAGrapheme) {
    TextWorld w;
    EXPECT_TRUE(is_plain(w.string("plain text\n")));
    EXPECT_TRUE(is_plain(w.string("a\rb\n")));
    EXPECT_FALSE(is_plain(w.string("a\r\nb")));
    EXPECT_FALSE(is_plain(w.string("12345678\u00e9")));
}

TEST(String, SubstringCutsBetweenGraphemes) {
    TextWorld w;
    Value s = w.string("e\u0301x\U0001F600y");
    EXPECT_EQ(text_of(substring(w.heap, s, 0, 1).value()), "e\u0301");
    EXPECT_EQ(text_of(substring(w.heap, s, 1, 3).value()), "x\U0001F600");
    EXPECT_EQ(text_of(substring(w.heap, s, 4, 4).value()), "");
    EXPECT_EQ(grapheme_offset(w.heap, s, 99), text_of(s).size());
    EXPECT_EQ(substring(w.heap, s, 0, 4).value().raw(), s.raw()) << "the whole string is shared";
}

TEST(String, PlacesInTextsAreThoseThatGoingThroughThemFinds) {
    constexpr const char* kParts[] = {"a", "\u00e9", "e\u0301", "\U0001F600", "\r\n", "\U0001F1E9\U0001F1EA", "\u65e5"};
    TextWorld w;
    std::uint32_t random = 1;
    const auto next = [&random](std::size_t below) {
        random = random * 1664525 + 1013904223;
        return static_cast<std::size_t>(random >> 8) % below;
    };
    std::vector<Value> texts; // one more than are known at once
    std::vector<std::vector<std::size_t>> offsets;
    for (const std::size_t size : {500, 5000, 30'000}) {
        std::string text;
        for (std::size_t i = 0; i < size; ++i)
            text += kParts[next(std::size(kParts))];
        std::vector<std::size_t>& ends = offsets.emplace_back();
        for (std::size_t at = 0; at < text.size(); at = next_grapheme(text, at))
            ends.push_back(at);
        ends.push_back(text.size());
        texts.push_back(w.string(text.c_str()));
    }
    for (int i = 0; i < 20'000; ++i) {
        const std::size_t which = next(next(4) == 0 ? 3 : 2), count = offsets[which].size() - 1;
        const std::size_t index = next(8) == 0 ? count + next(3) : next(count);
        ASSERT_EQ(grapheme_offset(w.heap, texts[which], index), offsets[which][std::min(index, count)]) << index;
        if (next(50) == 0) ASSERT_EQ(grapheme_count(w.heap, texts[which]), count);
        if (next(1000) == 0) w.heap.forget_text_places();
    }
}

TEST(String, AppendByTheSoleOwnerIsLinear) {
    TextWorld w;
    Value s = w.string("");
    w.fuel(100'000);
    for (int i = 0; i < 20'000; ++i)
        s = string_append(w.heap, std::move(s), "0123456789").value();
    EXPECT_EQ(text_of(s).size(), 200'000u);
    EXPECT_TRUE(is_plain(s));
    EXPECT_LT(w.heap.peak_bytes(), 1'000'000u);
}

TEST(String, AppendToASharedStringLeavesItAlone) {
    TextWorld w;
    Value a = w.string("left");
    Value b = string_append(w.heap, a.copy(), " right").value();
    EXPECT_EQ(text_of(a), "left");
    EXPECT_EQ(text_of(b), "left right");
}

TEST(String, AppendMayJoinGraphemes) {
    TextWorld w;
    Value crlf = string_append(w.heap, w.string("a\r"), "\n").value();
    EXPECT_FALSE(is_plain(crlf));
    EXPECT_EQ(grapheme_count(w.heap, crlf), 2u);
    Value accent = w.string("e");
    EXPECT_EQ(grapheme_count(w.heap, accent), 1u);
    EXPECT_EQ(grapheme_count(w.heap, string_append(w.heap, std::move(accent), "\u0301").value()), 1u);
}

TEST(String, OneAsciiCharacterIsSharedByAllHeaps) {
    Heap heap, other;
    for (int c = 0; c < 128; ++c) {
        const std::string text(1, static_cast<char>(c));
        const Value made = make_string(heap, text).value();
        EXPECT_TRUE(made.is_frozen());
        EXPECT_EQ(made.raw(), make_string(other, text).value().raw());
        EXPECT_EQ(text_of(made), text);
        EXPECT_EQ(text_hash(as_string(made)), hash_bytes(text));
        EXPECT_EQ(grapheme_count(heap, made), 1u);
        EXPECT_EQ(shared_string_number(made.object()), static_cast<std::size_t>(c));
    }
    const Value empty = make_string(heap, "").value();
    EXPECT_EQ(text_hash(as_string(empty)), hash_bytes(""));
    EXPECT_EQ(shared_string_number(empty.object()), kSharedStrings - 1);
    EXPECT_EQ(grapheme_count(heap, empty), 0u);
    EXPECT_EQ(heap.live_bytes(), 0u);
    const Value two = make_string(heap, "ab").value(), wide = make_string(heap, "\u00e4").value();
    EXPECT_FALSE(two.is_frozen() || wide.is_frozen());
    EXPECT_EQ(shared_string_number(two.object()), kSharedStrings);
    EXPECT_EQ(text_of(string_append(heap, make_string(heap, "a").value(), "b").value()), "ab");
    EXPECT_EQ(text_of(make_string(heap, "a").value()), "a") << "and stays what it is";
}

TEST(String, ShortBytesAreCopiedAndComparedWhole) {
    const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (std::size_t n = 0; n <= text.size(); ++n) {
        std::string to(n + 2, '#');
        copy_bytes(to.data() + 1, text.data(), n);
        EXPECT_EQ(to, "#" + text.substr(0, n) + "#");
        EXPECT_TRUE(equal_bytes(to.data() + 1, text.data(), n));
        for (std::size_t i = 0; i < n; ++i) {
            std::string other = text;
            other[i] = '!';
            EXPECT_FALSE(equal_bytes(other.data(), text.data(), n)) << n << " " << i;
        }
    }
}

TEST(StringBuilder, GivesBackItsSlack) {
    TextWorld w;
    StringBuilder out(w.heap);
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(out.append_integer(i));
    Value s = out.finish().value();
    EXPECT_EQ(text_of(s).size(), 2890u);
    EXPECT_LT(w.heap.live_bytes(), 2890u * 3 / 2);
}

TEST(StringBuilder, StaysFailedWhenTheHeapIsFull) {
    Heap heap;
    heap.set_limit(4096);
    {
        StringBuilder out(heap);
        std::size_t appended = 0;
        while (out.append("sixteen bytes..."))
            ++appended;
        EXPECT_GT(appended, 50u);
        EXPECT_FALSE(out.append("x"));
        EXPECT_TRUE(out.failed());
        Result<Value> result = out.finish();
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().reason, Reason::MemoryExceeded);
    }
    EXPECT_EQ(heap.live_bytes(), 0u);
}

} // namespace
} // namespace ptc::test
