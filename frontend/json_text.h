// Texts as JSON strings: the one place that knows what JSON escapes.
#pragma once
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
    explicit JsonEscape(char c);
    /// \u007f, whatever else there is for it.
    static JsonEscape by_number(char c);
    [[nodiscard]] std::string_view text() const { return {bytes_, size_}; }

private:
    JsonEscape() = default;
    char bytes_[6]{};
    std::uint8_t size_ = 0;
};

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD. DEL, which JSON allows and
/// terminals may act on, is escaped unless `escapes_delete` is false.
void append_json_string(std::string& out, std::string_view text, bool escapes_delete = true);

/// Bytes of the longest beginning of `text` that takes at most `max_bytes` of a JSON string. It cuts no character.
std::size_t json_prefix_size(std::string_view text, std::size_t max_bytes);

} // namespace ptc
