// A byte is in a range when it is at most `span` behind the first one, as an unsigned difference: with SSE2, of every
// x86-64, that is two instructions for 16 bytes, and the least of these differences over all ranges is zero for what is
// in one of them. Elsewhere it is done byte by byte.
#include "runtime/byte_set.h"
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ptc {
namespace {

#ifdef __SSE2__
__m128i load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
unsigned bits_of(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }
#endif

const char* find_pair_slow(const ByteSet& first, const ByteSet& second, const char* p, const char* end) {
    for (; end - p > 1; ++p)
        if (first.has(p[0]) && second.has(p[1])) return p;
    return end;
}

} // namespace

ByteSet::ByteSet(const Members& members) : members_(members) {
    for (const bool of_others : {false, true}) {
        std::size_t count = 0;
        for (std::size_t b = 0; b < 256; ++b) {
            if (members[b] == of_others) continue;
            const std::size_t first = b;
            while (b + 1 < 256 && members[b + 1] != of_others)
                ++b;
            if (count < kMostRanges) {
                ranges_[count].first.fill(static_cast<std::uint8_t>(first));
                ranges_[count].span.fill(static_cast<std::uint8_t>(b - first));
            }
            ++count;
        }
        if (count > kMostRanges) continue;
        range_count_ = static_cast<std::uint8_t>(count);
        are_of_others_ = of_others;
        has_ranges_ = true;
        return;
    }
}

#ifdef __SSE2__

template <bool in> unsigned ByteSet::mask(const char* p) const {
    const __m128i bytes = load(p);
    __m128i outside = _mm_set1_epi8(-1); // no byte of it is zero where a byte is in none of the ranges
    for (std::size_t i = 0; i < range_count_; ++i) {
        const __m128i from_first = _mm_sub_epi8(bytes, load(ranges_[i].first.data()));
        // Zero for what is at most `span` behind the first.
        outside = _mm_min_epu8(outside, _mm_subs_epu8(from_first, load(ranges_[i].span.data())));
    }
    const unsigned in_ranges = bits_of(_mm_cmpeq_epi8(outside, _mm_setzero_si128()));
    return are_of_others_ == in ? in_ranges ^ 0xFFFFu : in_ranges;
}

template <bool in> const char* ByteSet::far(const char* p, const char* end) const {
    if (has_ranges_)
        for (; end - p >= std::ptrdiff_t{kAtOnce}; p += kAtOnce)
            if (const unsigned hits = mask<in>(p); hits != 0) return p + std::countr_zero(hits);
    while (p < end && has(*p) != in)
        ++p;
    return p;
}

const char* ByteSet::run_begin(const char* begin, const char* end) const {
    constexpr std::ptrdiff_t kNear = 8;
    const char* const near = end - begin > kNear ? end - kNear : begin;
    for (; end > near; --end)
        if (!has(end[-1])) return end;
    if (has_ranges_)
        for (; end - begin >= std::ptrdiff_t{kAtOnce}; end -= kAtOnce)
            if (const unsigned others = mask<false>(end - kAtOnce); others != 0)
                return end - kAtOnce + std::bit_width(others);
    while (end > begin && has(end[-1]))
        --end;
    return end;
}

const char* ByteSet::find_pair(const ByteSet& first, const ByteSet& second, const char* p, const char* end) {
    if (first.has_ranges_ && second.has_ranges_)
        for (; end - p > std::ptrdiff_t{kAtOnce}; p += kAtOnce)
            if (const unsigned hits = first.mask<true>(p) & second.mask<true>(p + 1); hits != 0)
                return p + std::countr_zero(hits);
    return find_pair_slow(first, second, p, end);
}

/// Compares the first and the last byte at 16 places at once.
const char* find_bytes(const char* p, const char* end, std::span<const char> needle) {
    constexpr std::ptrdiff_t kAtOnce = 16;
    const std::size_t last = needle.size() - 1;
    const auto size = static_cast<std::ptrdiff_t>(needle.size());
    const __m128i first_byte = _mm_set1_epi8(needle.front()), last_byte = _mm_set1_epi8(needle.back());
    for (; end - p >= size - 1 + kAtOnce; p += kAtOnce) {
        unsigned likely =
            bits_of(_mm_and_si128(_mm_cmpeq_epi8(load(p), first_byte), _mm_cmpeq_epi8(load(p + last), last_byte)));
        for (; likely != 0; likely &= likely - 1) {
            const char* const at = p + std::countr_zero(likely);
            if (std::memcmp(at, needle.data(), needle.size()) == 0) return at;
        }
    }
    for (; end - p >= size; ++p)
        if (*p == needle.front() && std::memcmp(p, needle.data(), needle.size()) == 0) return p;
    return end;
}

#else

const char* ByteSet::find_pair(const ByteSet& first, const ByteSet& second, const char* p, const char* end) {
    return find_pair_slow(first, second, p, end);
}

template <bool in> const char* ByteSet::far(const char* p, const char* end) const {
    while (p < end && has(*p) != in)
        ++p;
    return p;
}

const char* ByteSet::run_begin(const char* begin, const char* end) const {
    while (end > begin && has(end[-1]))
        --end;
    return end;
}

const char* find_bytes(const char* p, const char* end, std::span<const char> needle) {
    const auto size = static_cast<std::ptrdiff_t>(needle.size());
    for (; end - p >= size; ++p) {
        p = static_cast<const char*>(std::memchr(p, needle.front(), static_cast<std::size_t>(end - p - size + 1)));
        if (!p) return end;
        if (std::memcmp(p, needle.data(), needle.size()) == 0) return p;
    }
    return end;
}

#endif

template const char* ByteSet::far<true>(const char* p, const char* end) const;
template const char* ByteSet::far<false>(const char* p, const char* end) const;

} // namespace ptc
