// How hashes are mixed, and the hashes of the shortest texts, which are known when this is compiled.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ptc {

/// 128-bit product folded to 64 bits: the mixing step of all our hashes.
constexpr std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t kMixA = 0xA076'1D64'78BD'642F;
inline constexpr std::uint64_t kMixB = 0xE703'7ED1'A0B4'28DB;
inline constexpr std::uint64_t kMixC = 0x8EBC'6AF0'9C88'C6E3;
/// Mixes two words into one. The factors are added to the product, or a factor of 0, which a text can be made to give,
/// would forget the other one: any number of texts would have one hash.
constexpr std::uint64_t absorb(std::uint64_t a, std::uint64_t b) { return fold_multiply(a, b) ^ a ^ b; }
/// The hash of a vector, from those of its parts in their order.
class VectorHash {
public:
    constexpr void add(std::uint64_t part) { sum_ = fold_multiply(sum_ ^ part ^ kMixA, kMixB); }
    [[nodiscard]] constexpr std::uint64_t finish(std::uint32_t length) const {
        return fold_multiply(sum_ ^ kMixC, length ^ kMixB);
    }

private:
    std::uint64_t sum_ = 0;
};
/// The end of hash_bytes: of a text of `size` bytes, from its last words and what came before.
constexpr std::uint32_t finish_hash(std::size_t size, std::uint64_t a, std::uint64_t b, std::uint64_t state) {
    const std::uint64_t h = fold_multiply(kMixC ^ size, absorb(a ^ kMixB, b ^ state));
    const auto folded = static_cast<std::uint32_t>(h ^ (h >> 32));
    return folded ? folded : 1;
}
/// hash_bytes of a text of at most one byte.
constexpr std::uint32_t hash_of_short_text(std::size_t size, unsigned char byte) {
    const std::uint64_t a = size == 0 ? 0 : std::uint64_t{byte} * 0x10101;
    return finish_hash(size, a, 0, kMixA ^ size);
}

} // namespace ptc
