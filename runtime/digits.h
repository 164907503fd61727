// Integers as decimal digits, two at a time: what printing, `str` and JSON do most.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace ptc {

inline constexpr std::size_t kMostDigits = 20; ///< of a 64-bit integer, its sign included

inline constexpr auto kDigitPairs = [] {
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}();

/// Writes the text of `i` so that it ends at `end`, which has kMostDigits bytes before it; gives its start.
inline char* write_integer_before(char* end, std::int64_t i) {
    std::uint64_t rest = i < 0 ? 0 - static_cast<std::uint64_t>(i) : static_cast<std::uint64_t>(i);
    for (; rest >= 100; rest /= 100) {
        const char* pair = &kDigitPairs[rest % 100 * 2];
        *--end = pair[1];
        *--end = pair[0];
    }
    if (rest >= 10) {
        *--end = kDigitPairs[rest * 2 + 1];
        *--end = kDigitPairs[rest * 2];
    } else {
        *--end = static_cast<char>('0' + rest);
    }
    if (i < 0) *--end = '-';
    return end;
}

inline constexpr std::size_t kDoubleBytes = 32; ///< at least what the text of any double takes
/// Writes the text of `d` as append_double does; gives its end.
char* write_double(double d, char* to);

} // namespace ptc
