// Text to forms (spec section 2). The grammar is Boost.Spirit X3, in reader_grammar.cpp.
#pragma once
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"

namespace ptc {

struct ReadLimits {
    std::uint32_t max_bytes = 1u << 20; ///< of source text
    std::uint32_t max_nesting = 512;    ///< brackets within brackets
    std::uint32_t max_forms = 1u << 20; ///< nodes in all
};

/// A piece of text that is no blank. What reading for a formatter needs and Forms do not tell.
struct SyntaxToken {
    enum Kind : std::uint8_t { Open, Close, Atom, Comment, Discard } kind;
    FormKind form; ///< of an Atom; of the collection that an Open or Close delimits
    Span span;     ///< of an Atom with its prefix, of a Comment without the newline
};

/// Reads every top-level form. Reports all syntax errors that it can recover from to `diagnostics` (reason parse_error;
/// also invalid UTF-8, size and nesting breaches); the forms are only meaningful when it reported none. Linear in the
/// text's size for any text. Texts and numbers are unescaped and converted; symbols are not resolved.
/// When `tokens` is given, every token of the text is appended to it in order; they too are only meaningful without
/// errors.
Forms read_forms(const Source& source, const ReadLimits& limits, Diagnostics& diagnostics,
                 std::vector<SyntaxToken>* tokens = nullptr);

} // namespace ptc
