// Text to forms (spec section 2). The grammar is Boost.Spirit X3, in reader_grammar.cpp.
#pragma once
#include "frontend/form.h"
#include "frontend/reader/syntax_token.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"

namespace ptc {

/// Reads every top-level form. Reports all syntax errors that it can recover from to `diagnostics` (reason parse_error;
/// also invalid UTF-8, size and nesting breaches); the forms are only meaningful when it reported none. Linear in the
/// text's size for any text. Texts and numbers are unescaped and converted; symbols are not resolved.
/// When `tokens` is given, every token of the text is appended to it in order; they too are only meaningful without
/// errors.
Forms read_forms(const Source& source, const ReadLimits& limits, Diagnostics& diagnostics,
                 std::vector<SyntaxToken>* tokens = nullptr);

/// The same of a part of the text, if it is valid UTF-8 that reads well: errors are reported without suggestions. The
/// spans are those of the whole text.
Forms read_part(const Source& source, Span part, const ReadLimits& limits, Diagnostics& diagnostics);

} // namespace ptc
