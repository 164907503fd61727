#include "frontend/json_text.h"
#include "frontend/utf8.h"

namespace ptc {
namespace {

/// The letter behind the backslash; 0 when there is none.
char letter_of(char c) {
    switch (c) {
    case '"':
    case '\\': return c;
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

} // namespace

JsonEscape::JsonEscape(char c) {
    if (const char letter = letter_of(c)) {
        bytes_[0] = '\\';
        bytes_[1] = letter;
        size_ = 2;
    } else {
        *this = by_number(c);
    }
}

JsonEscape JsonEscape::by_number(char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    JsonEscape escape;
    escape.size_ = 6;
    std::string_view("\\u00").copy(escape.bytes_, 4);
    escape.bytes_[4] = kHex[byte >> 4];
    escape.bytes_[5] = kHex[byte & 15];
    return escape;
}

void append_json_string(std::string& out, std::string_view text, bool escapes_delete) {
    out += '"';
    std::size_t plain = 0; // start of the part that is copied as it is
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const bool is_ascii = utf8::is_ascii(static_cast<unsigned char>(c));
        const utf8::Decoded decoded = is_ascii ? utf8::Decoded{0, 1, true} : utf8::decode(text, at);
        const bool is_escaped = is_ascii && (needs_json_escape(c) || (c == 0x7F && escapes_delete));
        if (is_escaped || !decoded.valid) {
            out += text.substr(plain, at - plain);
            if (is_escaped)
                out += JsonEscape(c).text();
            else
                utf8::append(out, decoded.code_point);
            plain = at + decoded.size;
        }
        at += decoded.size;
    }
    out += text.substr(plain);
    out += '"';
}

std::size_t json_prefix_size(std::string_view text, std::size_t max_bytes) {
    constexpr std::size_t kReplacement = 3; // U+FFFD
    std::size_t at = 0;
    for (std::size_t taken = 0; at < text.size();) {
        const char c = text[at];
        const bool is_ascii = utf8::is_ascii(static_cast<unsigned char>(c));
        const utf8::Decoded decoded = is_ascii ? utf8::Decoded{0, 1, true} : utf8::decode(text, at);
        if (needs_json_escape(c) || c == 0x7F)
            taken += JsonEscape(c).text().size();
        else
            taken += decoded.valid ? decoded.size : kReplacement;
        if (taken > max_bytes) break;
        at += decoded.size;
    }
    return at;
}

} // namespace ptc
