#include "frontend/utf8.h"

#include <algorithm>
#include <cstring>

namespace ptc::utf8 {
namespace {

struct Lead {
    std::uint32_t size; ///< of the whole sequence; 0: not a lead byte
    char32_t bits;      ///< payload of the lead byte
    char32_t least;     ///< smallest code point of this length; anything below is overlong
};

Lead classify(unsigned char byte) {
    if (byte < 0x80) return {1, byte, 0};
    if (byte >= 0xC2 && byte <= 0xDF) return {2, byte & 0x1Fu, 0x80};
    if (byte >= 0xE0 && byte <= 0xEF) return {3, byte & 0x0Fu, 0x800};
    if (byte >= 0xF0 && byte <= 0xF4) return {4, byte & 0x07u, 0x10000};
    return {0, 0, 0};
}

} // namespace

Decoded decode(std::string_view text, std::size_t offset) {
    if (offset >= text.size()) return {};
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
    if (at(0) >= 0xC2 && at(0) <= 0xDF && text.size() - offset >= 2 && is_continuation(at(1))) // what is most
        return {(at(0) & 0x1Fu) << 6 | (at(1) & 0x3Fu), 2, true};
    if (at(0) > 0xE0 && at(0) < 0xED && text.size() - offset >= 3 && is_continuation(at(1)) && is_continuation(at(2)))
        return {(at(0) & 0x0Fu) << 12 | (at(1) & 0x3Fu) << 6 | (at(2) & 0x3Fu), 3, true};
    const Decoded malformed{0xFFFD, 1, false};
    const Lead lead = classify(static_cast<unsigned char>(text[offset]));
    if (lead.size == 0 || text.size() - offset < lead.size) return malformed;
    char32_t c = lead.bits;
    for (std::uint32_t i = 1; i < lead.size; ++i) {
        const auto byte = static_cast<unsigned char>(text[offset + i]);
        if (!is_continuation(byte)) return malformed;
        c = (c << 6) | (byte & 0x3Fu);
    }
    if (c < lead.least || c > 0x10FFFF || is_surrogate(c)) return malformed;
    return {c, lead.size, true};
}

std::size_t find_invalid(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        std::uint64_t word = 0;
        while (text.size() - i >= sizeof word) { // programs are nearly all ASCII: eight bytes at a time
            std::memcpy(&word, text.data() + i, sizeof word);
            if ((word & 0x8080808080808080u) != 0) break;
            i += sizeof word;
        }
        if (i == text.size()) break;
        if (static_cast<unsigned char>(text[i]) < 0x80) {
            ++i;
            continue;
        }
        const Decoded d = decode(text, i);
        if (!d.valid) return i;
        i += d.size;
    }
    return kValid;
}

std::size_t count(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return !is_continuation(static_cast<unsigned char>(c)); }));
}

void append(std::string& out, char32_t c) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        tail(12), tail(6), tail(0);
    }
}

std::string_view prefix(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes) return text;
    while (max_bytes > 0 && is_continuation(static_cast<unsigned char>(text[max_bytes])))
        --max_bytes;
    return text.substr(0, max_bytes);
}

} // namespace ptc::utf8
