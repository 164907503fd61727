#include "frontend/bytes.h"
#include <algorithm>

namespace ptc {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a ^ 0x9E37'79B9'7F4A'7C15u) * (b ^ 0xD6E8'FEB8'6659'FD93u);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

} // namespace

// Two sums side by side: the next word need not wait for the multiplication of the one before.
std::uint64_t sum_of_bytes(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t even = mix(seed, bytes.size()), odd = even + 1;
    std::size_t i = 0;
    const auto word_at = [&](std::size_t at) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        return word;
    };
    for (; i + 16 <= bytes.size(); i += 16) {
        even = mix(even ^ word_at(i), i);
        odd = mix(odd ^ word_at(i + 8), i);
    }
    for (; i < bytes.size(); ++i)
        even = mix(even ^ static_cast<unsigned char>(bytes[i]), i);
    return mix(even, odd);
}

void ByteWriter::grow(std::size_t bytes) {
    constexpr std::size_t kFirst = 256;
    const std::size_t used = written();
    out_.resize(std::max(2 * out_.size(), used + bytes + kFirst));
    at_ = out_.data() + used;
    end_ = out_.data() + out_.size();
}

} // namespace ptc
