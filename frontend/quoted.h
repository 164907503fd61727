// Texts in backticks, as messages show names and pieces of programs.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

/// `text`
[[nodiscard]] std::string quoted(std::string_view text);
/// A name, cut behind 60 bytes: `a-very-long-name…`
[[nodiscard]] std::string quoted_name(std::string_view name);
/// A text on one line: control characters become blanks, what nobody sees is spelled out (visible_text.h), and it is
/// cut behind `max_bytes`: `a long text…`
[[nodiscard]] std::string quoted_excerpt(std::string_view text, std::size_t max_bytes = 60);
/// A piece of a program: control characters become blanks, and behind 40 bytes it says how many more there are.
[[nodiscard]] std::string quoted_token(std::string_view token);
[[nodiscard]] inline std::string quoted_token(char c) { return quoted_token(std::string_view(&c, 1)); }

/// Texts as a message lists them, the first `most` of them: `a, b and 3 more`.
template <class Texts> [[nodiscard]] std::string first_of(const Texts& texts, std::size_t most) {
    std::string list;
    std::size_t count = 0;
    for (const auto& text : texts) {
        if (count == most) return list + " and " + std::to_string(texts.size() - most) + " more";
        list.append(count++ == 0 ? "" : ", ").append(text);
    }
    return list;
}

} // namespace ptc
