// A text as brackets and atoms with their places in the layout: what bracket_repair.cpp reasons about.
#pragma once
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace ptc {

/// What is known of a name in head position, from the language's own forms: enough to tell `(filter f xs)` from
/// `(filter f)`.
struct KnownHead {
    enum Shape : std::uint8_t { Call, Binding, Function, Threading, Special } shape = Call;
    std::string_view name;
    std::uint8_t min_args = 0;
    std::uint8_t max_args = 255;
    std::uint8_t usual_args = 255; ///< more are allowed but unlikely
};

struct BracketToken {
    enum Kind : std::uint8_t { Open, Close, Symbol, Keyword, Literal } kind = Literal;
    char closer = 0; ///< of an Open: the character that closes it; of a Close: itself
    bool is_first_on_line = false;
    bool is_short_fn = false;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t line = 0;
    std::int32_t column = 0; ///< in bytes, from 0; of the first token of its line that is not a prefix
    const KnownHead* head = nullptr;
};

/// Strings, comments and characters are skipped as the reader does it; prefixes such as ' and #_ are no tokens.
std::vector<BracketToken> scan_brackets(std::string_view text);

/// The arities of the functions that the text defines itself. Tokens that name one get it as their head, which points
/// into the result: keep it as long as them.
std::deque<KnownHead> find_own_functions(std::string_view text, std::vector<BracketToken>& tokens);

} // namespace ptc
