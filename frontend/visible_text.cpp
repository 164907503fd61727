// What acts on a terminal, and what nobody sees: found byte by byte in UTF-8, by the lists of the Unicode standard.
#include "frontend/visible_text.h"
#include "frontend/utf8.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace ptc {
namespace {

/// Bytes of the character at the beginning of `text` if it acts on a terminal; 0 if it does not. Those are the controls
/// (C0, DEL, C1) and what changes the direction of the text around it, so that it reads otherwise than it is.
std::size_t acting_bytes(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7F) return 1;
    if (text.size() < 2) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if (first == 0xC2 && second >= 0x80 && second <= 0x9F) return 2;
    if (first == 0xD8 && second == 0x9C) return 2; // U+061C
    if (text.size() < 3 || first != 0xE2) return 0;
    const auto third = static_cast<unsigned char>(text[2]);
    const bool is_mark = second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE));
    return is_mark || (second == 0x81 && third >= 0xA6 && third <= 0xA9) ? 3 : 0;
}

/// The code point of valid UTF-8 that `character` is.
std::uint32_t code_of(std::string_view character) {
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(character[i])}; };
    std::uint32_t code = character.size() == 1 ? byte(0) : byte(0) & (0x7Fu >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i)
        code = code << 6 | (byte(i) & 0x3F);
    return code;
}

/// Characters that nobody sees, and that tell two texts apart all the same: joiners and marks of no width, fillers,
/// separators of lines, variations but that of emoji, tags.
constexpr std::pair<std::uint32_t, std::uint32_t> kInvisible[] = {
    {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x115F, 0x1160},   {0x17B4, 0x17B5},  {0x180B, 0x180E}, {0x200B, 0x200D},
    {0x2028, 0x2029}, {0x2060, 0x2065}, {0x206A, 0x206F},   {0x3164, 0x3164},  {0xFE00, 0xFE0E}, {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

/// The same, or bytes of the character at the beginning of `text` if it is invisible.
std::size_t hidden_bytes(std::string_view text) {
    if (const std::size_t acting = acting_bytes(text)) return acting;
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0xC2) return 0;
    const std::size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() < bytes) return 0;
    const std::uint32_t code = code_of(text.substr(0, bytes));
    const auto holds = [code](const auto& range) { return range.first <= code && code <= range.second; };
    return std::ranges::any_of(kInvisible, holds) ? bytes : 0;
}

/// \u202e; of a character beyond the first plane both halves, as JSON has them.
std::string escape_of(std::string_view character) {
    const std::uint32_t code = code_of(character);
    char text[16];
    if (code < 0x10000)
        std::snprintf(text, sizeof text, "\\u%04x", code);
    else
        std::snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
    return text;
}

template <class Instead>
std::string without_acting(std::string_view text, Instead instead,
                           std::size_t (&bytes_of)(std::string_view) = acting_bytes) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t acting = bytes_of(text.substr(i));
        if (acting > 0)
            out += instead(text.substr(i, acting));
        else
            out += text[i];
        i += std::max<std::size_t>(acting, 1);
    }
    return out;
}

} // namespace

std::string printable(std::string_view text) {
    return without_acting(text, [](std::string_view) { return std::string_view("\xEF\xBF\xBD"); }); // U+FFFD
}

std::string printable_line(std::string_view text, std::size_t max_bytes) {
    const std::string_view cut = utf8::prefix(text, max_bytes);
    std::string line = printable(cut);
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    if (cut.size() < text.size()) line += "…";
    return line;
}

std::string printable_reason(std::string_view text) {
    std::string line = printable_line(text);
    while (!line.empty() && (line.back() == ' ' || line.back() == '.'))
        line.pop_back();
    return line;
}

std::string spelled_out(std::string_view text) { return without_acting(text, escape_of, hidden_bytes); }

} // namespace ptc
