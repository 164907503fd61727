// What the engines of regexes are asked, and what they answer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptc {

/// A part of the text that was matched, in bytes. Not matched (an optional group): begin == npos.
struct ByteRange {
    static constexpr std::size_t npos = SIZE_MAX;
    std::size_t begin = npos;
    std::size_t end = npos;
    [[nodiscard]] bool matched() const { return begin != npos; }
    [[nodiscard]] std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Where a match may be: anywhere from the start of the search, just there, or it is all of the text.
enum class RegexExtent : std::uint8_t { Search, Start, Full };

} // namespace ptc
