// Changes that somebody makes who can write a file, told by the bytes of an input: so that a short input says what is
// done to a long file that is made afresh, and stays of use when the format changes.
#pragma once
#include "tests/fuzz/fuzz_check.h"
#include <string>
#include <vector>

namespace ptc::fuzz {

/// A place in `bytes`: two bytes of the input.
inline std::size_t place(Bytes& in, const std::string& bytes) {
    const std::size_t high = in.byte();
    return (high << 8 | in.byte()) % bytes.size();
}

/// One change of `bytes`; parts of `other` may come into it.
inline void tamper(Bytes& in, std::string& bytes, const std::string& other) {
    constexpr std::size_t kWord = 4;
    const std::uint8_t what = in.byte();
    const std::size_t at = place(in, bytes);
    const auto part = [&](const std::string& of) { return of.substr(place(in, of), 1 + in.below(64)); };
    switch (what % 9) {
    case 0: bytes[at] = static_cast<char>(in.byte()); break;
    case 1: bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ 1u << in.below(8)); break;
    case 2: bytes.insert(at, 1, static_cast<char>(in.byte())); break;
    case 3: bytes.erase(at, 1 + in.below(8)); break;
    case 4: bytes.insert(at, part(bytes)); break; // a part of it once more
    case 5: bytes.replace(at, 1 + in.below(16), part(other)); break;
    case 6: bytes.replace(at, kWord, bytes.substr(place(in, bytes), kWord)); break; // one instruction for another
    case 7: bytes[at] = static_cast<char>(bytes[at] + (in.byte() % 2 ? 1 : -1)); break;
    default: bytes.insert(at, std::string("\xff\xff\xff\xff\x0f", in.below(5) + 1)); break; // a large number
    }
}

/// Up to sixteen of them, as long as the input says more.
inline void tamper_often(Bytes& in, std::string& bytes, const std::string& other) {
    for (int changes = 0; !in.empty() && changes < 16 && bytes.size() > 64; ++changes)
        tamper(in, bytes, other);
}

} // namespace ptc::fuzz
