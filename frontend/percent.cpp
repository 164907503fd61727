#include "frontend/percent.h"
#include <cctype>

namespace ptc {
namespace {

/// -1 where it is none.
int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const int lower = c | 32;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos)
            out += c;
        else
            out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
    return out;
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escape =
            text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
        out += is_escape ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
        if (is_escape) i += 2;
    }
    return out;
}

} // namespace ptc
