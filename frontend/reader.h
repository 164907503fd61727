// Text to forms (spec section 2). The grammar is Boost.Spirit X3, in reader_grammar.cpp.
#pragma once
#include "frontend/diagnostic.h"
#include "frontend/form.h"
#include "frontend/source.h"

namespace ptc {

struct ReadLimits {
    std::uint32_t max_bytes = 1u << 20;  ///< of source text
    std::uint32_t max_nesting = 512;     ///< brackets within brackets
    std::uint32_t max_forms = 1u << 20;  ///< nodes in all
};

/// Reads every top-level form. Reports all syntax errors that it can recover from to `diagnostics` (reason parse_error;
/// also invalid UTF-8, size and nesting breaches); the forms are only meaningful when it reported none. Linear in the
/// text's size for any text. Texts and numbers are unescaped and converted; symbols are not resolved.
Forms read_forms(const Source& source, const ReadLimits& limits, Diagnostics& diagnostics);

} // namespace ptc
