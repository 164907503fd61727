// A hash of texts that is the same on every machine and in every build: for names in events, and for what snapshots
// hold.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

/// FNV-1a. `hash`: of what stands before the text.
constexpr std::uint64_t text_hash(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325u) {
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// The sixteen digits of a hash.
inline std::string hash_digits(std::uint64_t hash) {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4)
        text += "0123456789abcdef"[(hash >> shift) & 15];
    return text;
}

} // namespace ptc
