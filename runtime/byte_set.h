// Sets of bytes, and searching a text for the first byte in one or outside of it, 16 at a time where the processor can.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ptc {

/// A set that never changes once made. It is also a few ranges of bytes, itself or its complement, by which 16 bytes
/// are compared at once; a set of more ranges is looked up byte by byte.
class ByteSet {
public:
    using Members = std::array<bool, 256>;
    ByteSet() = default; ///< empty
    explicit ByteSet(const Members& members);
    [[nodiscard]] bool has(char c) const { return members_[static_cast<unsigned char>(c)]; }
    [[nodiscard]] const Members& members() const { return members_; }

    /// The first byte of [p, end) that is in the set, or is not; `end` when there is none. Most are near: those are
    /// found without a call.
    [[nodiscard]] const char* first_in(const char* p, const char* end) const { return first<true>(p, end); }
    [[nodiscard]] const char* first_outside(const char* p, const char* end) const { return first<false>(p, end); }
    /// Where the bytes of the set that end at `end` begin, at `begin` at the earliest.
    [[nodiscard]] const char* run_begin(const char* begin, const char* end) const;

    /// The first place in [p, end) with a byte of `first` and one of `second` behind it; `end` when there is none.
    static const char* find_pair(const ByteSet& first, const ByteSet& second, const char* p, const char* end);

private:
    static constexpr std::size_t kAtOnce = 16;
    /// What 16 bytes are compared with: `span` bytes more than the first are in the range.
    struct Range {
        std::array<std::uint8_t, kAtOnce> first, span;
    };
    template <bool in> [[nodiscard]] const char* first(const char* p, const char* end) const {
        constexpr std::ptrdiff_t kNear = 8;
        for (const char* const near = end - p > kNear ? p + kNear : end; p < near; ++p)
            if (has(*p) == in) return p;
        return p == end ? end : far<in>(p, end);
    }
    template <bool in> [[nodiscard]] const char* far(const char* p, const char* end) const;
    /// A bit for each of 16 bytes that is in the set, or is not.
    template <bool in> [[nodiscard]] unsigned mask(const char* p) const;

    Members members_{};
    static constexpr std::size_t kMostRanges = 5;
    std::array<Range, kMostRanges> ranges_{};
    std::uint8_t range_count_ = 0;
    bool has_ranges_ = false;    ///< few enough of them
    bool are_of_others_ = false; ///< the ranges are those of the complement
};

/// The first place in [p, end) where `needle`, which is not empty, begins; `end` when there is none. For needles of a
/// few bytes.
const char* find_bytes(const char* p, const char* end, std::span<const char> needle);

} // namespace ptc
