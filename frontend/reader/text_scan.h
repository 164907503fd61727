// Steps over program text for guesses that look at bytes and not at tokens: lines, strings, where a token may begin.
#pragma once
#include "frontend/work.h"
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ptc {

inline bool is_one_of(std::string_view chars, char c) { return chars.find(c) != std::string_view::npos; }
inline bool starts_token(std::string_view text, std::size_t at) {
    return at == 0 || is_one_of(" \t\r\n,()[]{}", text[at - 1]);
}
inline std::size_t line_begin(std::string_view text, std::size_t at) {
    return at == 0 ? 0 : text.rfind('\n', at - 1) + 1; // npos + 1 is 0
}
inline std::size_t line_end(std::string_view text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

/// Behind the string that begins at `at`; the text's end when it is not closed.
inline std::size_t skip_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

/// Calls `visit(at)` for each byte that stands in no string and no character; it gives the place to go on from, which
/// is how comments are skipped. Ends early where the time for the work is over.
template <class Visit> void walk_code(std::string_view text, Visit visit) {
    constexpr std::size_t kBetweenLooks = 4096, kBytesOfUnit = 100;
    for (std::size_t at = 0, looked = 0; at < text.size();) {
        if (at - looked >= kBetweenLooks) {
            looked = at;
            if (!work::charge(kBetweenLooks / kBytesOfUnit)) return;
        }
        if (text[at] == '"')
            at = skip_string(text, at);
        else if (text[at] == '\\')
            at += 2;
        else
            at = visit(at);
    }
}

} // namespace ptc
