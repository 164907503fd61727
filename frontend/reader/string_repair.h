// Finds out where a quote is missing in a text that ends inside a string.
#pragma once
#include "frontend/vocabulary.h"
#include <cstdint>
#include <string_view>

namespace ptc {

struct MissingQuote {
    std::uint32_t insert_at = 0;
    /// The quote that the missing one belongs to: before `insert_at` when the string is not closed, else not opened.
    std::uint32_t partner = 0;
};

/// The likeliest place; names that `vocabulary`, which may be null, knows are no likely text. `unterminated_at` is
/// where the last string starts as the text stands; as a missing quote turns all strings behind it inside out, the
/// cause may be far in front of it.
MissingQuote find_missing_quote(std::string_view text, const Vocabulary* vocabulary, std::uint32_t unterminated_at);

} // namespace ptc
