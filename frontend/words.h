// Lists that are written as one text, as columns of tables are.
#pragma once
#include <algorithm>
#include <string_view>

namespace ptc {

/// Whether `word` is one of `words`, which blanks part.
inline bool has_word(std::string_view words, std::string_view word) {
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find(' ', at), words.size());
        if (words.substr(at, end - at) == word) return true;
        at = end + 1;
    }
    return false;
}

} // namespace ptc
