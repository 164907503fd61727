// Searches 16 bytes at a time, beside the same byte by byte.
#include "runtime/byte_set.h"
#include "tests/runtime/text_world.h"
#include <algorithm>

namespace ptc::test {
namespace {

/// Of some ranges, or of bytes here and there.
ByteSet random_set(Random& random) {
    ByteSet::Members members{};
    const bool has_ranges = random.below(3) != 0;
    for (std::size_t n = random.below(has_ranges ? 6 : 40); n > 0; --n) {
        const std::size_t first = random.below(256);
        const std::size_t last = has_ranges ? std::min<std::size_t>(255, first + random.below(60)) : first;
        std::fill(members.begin() + static_cast<std::ptrdiff_t>(first),
                  members.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
    }
    if (random.below(2) == 0)
        for (bool& is_in : members)
            is_in = !is_in;
    return ByteSet(members);
}

/// Long runs of one byte with others between them.
std::string random_text(Random& random) {
    std::string text;
    for (std::size_t n = random.below(6); n > 0; --n)
        text.append(random.below(50), static_cast<char>(random.below(256)));
    return text;
}

TEST(ByteSet, FindsWhatALoopFinds) {
    Random random;
    for (int i = 0; i < 5'000; ++i) {
        const ByteSet set = random_set(random), other = random_set(random);
        const std::string text = random_text(random);
        const char* const begin = text.data();
        const char* const end = begin + text.size();
        const auto is_in = [&](char c) { return set.has(c); };
        ASSERT_EQ(set.first_in(begin, end), std::find_if(begin, end, is_in));
        ASSERT_EQ(set.first_outside(begin, end), std::find_if_not(begin, end, is_in));
        const auto outside = std::find_if_not(text.rbegin(), text.rend(), is_in);
        ASSERT_EQ(set.run_begin(begin, end) - begin, text.rend() - outside);
        std::size_t pair = 0;
        while (pair + 1 < text.size() && !(set.has(text[pair]) && other.has(text[pair + 1])))
            ++pair;
        ASSERT_EQ(ByteSet::find_pair(set, other, begin, end), pair + 1 < text.size() ? begin + pair : end);
    }
}

TEST(ByteSet, FindBytesFindsWhatFindFinds) {
    Random random;
    for (int i = 0; i < 5'000; ++i) {
        const std::string text = random_text(random);
        std::string needle = text.substr(random.below(text.size() + 1), 1 + random.below(20));
        if (needle.empty() || random.below(4) == 0) needle += static_cast<char>(random.below(256));
        const auto found = std::min(text.find(needle), text.size());
        ASSERT_EQ(find_bytes(text.data(), text.data() + text.size(), needle) - text.data(),
                  static_cast<std::ptrdiff_t>(found));
    }
}

} // namespace
} // namespace ptc::test
