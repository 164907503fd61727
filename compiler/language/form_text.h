// Forms back to text.
#pragma once
#include "frontend/form.h"
#include "ptc/source.h"
#include <string>

namespace ptc {

/// `form` in the spelling of its author, on one line unless a string in it has several: without comments, with one
/// space between the parts of a collection. `source` is the text that it was read from.
std::string form_text(const Source& source, const Form& form);

} // namespace ptc
