// Texts as JSON strings: the one place that knows what JSON escapes.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

/// Whether `c` cannot stand in a JSON string as it is: a quote, a backslash, a control character below a blank.
[[nodiscard]] constexpr bool needs_json_escape(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

/// How a JSON string has such a character: \" \\ \n \r \t, else \u001f.
class JsonEscape {
public:
    explicit constexpr JsonEscape(char c) {
        if (const char letter = letter_of(c)) {
            bytes_[0] = '\\';
            bytes_[1] = letter;
            size_ = 2;
        } else {
            *this = by_number(c);
        }
    }
    /// \u007f, whatever else there is for it.
    static constexpr JsonEscape by_number(char c) {
        constexpr std::string_view kHex = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        return {{'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]}, 6};
    }
    [[nodiscard]] constexpr std::string_view text() const { return {bytes_.data(), size_}; }

private:
    constexpr JsonEscape(std::array<char, 6> bytes, std::uint8_t size) : bytes_(bytes), size_(size) {}
    /// The letter behind the backslash; 0 when there is none.
    static constexpr char letter_of(char c) {
        switch (c) {
        case '"':
        case '\\': return c;
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        default: return 0;
        }
    }
    std::array<char, 6> bytes_{};
    std::uint8_t size_ = 0;
};

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD. DEL, which JSON allows and
/// terminals may act on, is escaped unless `escapes_delete` is false.
void append_json_string(std::string& out, std::string_view text, bool escapes_delete = true);
/// The same without the quotes, for a text that is written in parts.
void append_json_escaped(std::string& out, std::string_view text, bool escapes_delete = true);

/// Bytes of the longest beginning of `text` that takes at most `max_bytes` of a JSON string. It cuts no character.
std::size_t json_prefix_size(std::string_view text, std::size_t max_bytes);

} // namespace ptc
