// What the reader is given beside the text, its limits, and what it can give beside forms, the tokens.
#pragma once
#include "frontend/form.h"
#include "frontend/vocabulary.h"
#include <cstdint>

namespace ptc {

struct ReadLimits {
    std::uint32_t max_bytes = 1u << 20; ///< of source text
    std::uint32_t max_nesting = 512;    ///< brackets within brackets
    std::uint32_t max_forms = 1u << 20; ///< nodes in all
    /// What names mean, for guesses about brackets that are missing; null: nothing is known of any.
    const Vocabulary* vocabulary = nullptr;
};

/// A piece of text that is no blank: what a formatter has to know and Forms do not hold.
struct SyntaxToken {
    enum Kind : std::uint8_t { Open, Close, Atom, Comment, Discard, Quote, Metadata } kind;
    FormKind form; ///< of an Atom; of the collection that an Open or Close delimits
    Span span;     ///< of an Atom with its prefix, of a Comment without the newline
};

} // namespace ptc
