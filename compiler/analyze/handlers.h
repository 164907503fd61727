// The functions that analyse special forms, one a row of special_forms.def.
#pragma once
#include "compiler/analyze/context.h"
#include <cstddef>

namespace ptc {

struct Analyzer;

/// `list` is the whole form; its head means the special form.
using Handler = Node* (*)(Analyzer& a, const Form& list, Tail tail);

#define PTC_SPECIAL_FORM(name, handler, ...) Node* handler(Analyzer& a, const Form& list, Tail tail);
#include "compiler/language/special_forms.def"

/// Of this row of the table.
Handler handler_of(std::size_t row);

} // namespace ptc
