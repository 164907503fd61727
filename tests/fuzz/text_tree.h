// Any bytes as nested forms, for mutators: as much of a tree as there is. Knows brackets, texts, comments and atoms
// only and nothing of what the product's readers know, so that what these refuse still has parts that can be changed.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace ptc::fuzz {

/// What separates the parts of a text.
struct Dialect {
    std::string_view blanks;
    char comment;              ///< up to the end of the line; '\0' for none
    std::string_view prefixes; ///< belong to the bracket or text right behind them
};
inline constexpr Dialect kLisp{" \t\r\n,\f", ';', "#'@^_`~?"};
inline constexpr Dialect kJson{" \t\r\n,:", '\0', ""};

struct TextForm {
    std::size_t begin = 0; ///< of its prefix, if it has one
    std::size_t end = 0;
    std::size_t inside = 0; ///< behind the opening bracket; 0 for an atom
    std::size_t parent = 0; ///< kNoForm at the top level
    std::size_t next = 0;   ///< the first form behind it and its parts
    [[nodiscard]] bool is_list() const { return inside != 0; }
};
inline constexpr std::size_t kNoForm = static_cast<std::size_t>(-1);

/// The forms of a text, each in front of its parts. A closing bracket without an opening one is an atom, an opening one
/// without a closing one reaches to the end. Linear; nothing recurses.
std::vector<TextForm> forms_of(std::string_view text, const Dialect& dialect);

} // namespace ptc::fuzz
