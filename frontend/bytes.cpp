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

std::uint64_t sum_of_bytes(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t sum = mix(seed, bytes.size());
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
        sum = mix(sum ^ word, sum + i);
    }
    return sum;
}

} // namespace ptc
