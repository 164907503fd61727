// A text as brackets and atoms with their places in the layout: what bracket_repair.cpp reasons about.
#pragma once
#include "frontend/vocabulary.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ptc {

struct BracketToken {
    enum Kind : std::uint8_t { Open, Close, Symbol, Keyword, Literal } kind = Literal;
    char closer = 0; ///< of an Open: the character that closes it; of a Close: itself
    bool is_first_on_line = false;
    bool is_short_fn = false;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t line = 0;
    std::int32_t column = 0;       ///< in bytes, from 0; of the first token of its line that is not a prefix
    std::optional<KnownHead> head; ///< of a Symbol
};

/// `vocabulary` says what names in head position are; null: nothing is known of any.
/// Strings, comments and characters are skipped as the reader does it; prefixes such as ' and #_ are no tokens.
std::vector<BracketToken> scan_brackets(std::string_view text, const Vocabulary* vocabulary = nullptr);
/// One token after the other, as long as `take` gives true: for texts whose tokens are many.
void scan_brackets(std::string_view text, const Vocabulary* vocabulary,
                   const std::function<bool(const BracketToken&)>& take);

/// Gives the tokens that name a function which the text defines itself its arity as their head.
void find_own_functions(std::string_view text, std::vector<BracketToken>& tokens);

} // namespace ptc
