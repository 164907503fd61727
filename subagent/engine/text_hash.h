// A hash of texts that is the same on every machine and in every build: for names in events, and for what snapshots
// hold.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptc {

/// FNV-1a.
constexpr std::uint64_t text_hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

} // namespace ptc
