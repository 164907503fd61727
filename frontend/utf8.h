// UTF-8: validation, decoding, encoding, counting. No tables, no allocation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc::utf8 {

inline constexpr std::size_t kValid = static_cast<std::size_t>(-1);

/// One decoded code point. `size` is 0 at the end of the text; a malformed byte is `valid == false` with size 1.
struct Decoded {
    char32_t code_point = 0;
    std::uint32_t size = 0;
    bool valid = true;
};

/// The code point that starts at `offset`. Overlong forms, surrogates and values past U+10FFFF are malformed.
Decoded decode(std::string_view text, std::size_t offset);

/// Offset of the first malformed byte, or kValid. Runs of ASCII cost an eighth of a step a byte.
std::size_t find_invalid(std::string_view text);

/// Number of code points of valid text.
std::size_t count(std::string_view text);

/// Appends the encoding of a Unicode scalar value (not a surrogate) to `out`.
void append(std::string& out, char32_t code_point);

/// The longest prefix of at most `max_bytes` that does not cut a code point.
std::string_view prefix(std::string_view text, std::size_t max_bytes);

inline bool is_ascii(unsigned char byte) { return byte < 0x80; }
inline bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }
inline bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

} // namespace ptc::utf8
