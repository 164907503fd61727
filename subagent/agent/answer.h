// A model's text as a value of a signature's type.
#pragma once
#include "ptc/signature.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// The JSON value in a text: all of it, what a ```json block holds, or the first object or array with words around it.
std::optional<Datum> find_json(std::string_view text);

/// The answer that `text` gives: itself for `:any` and `:string`; JSON for lists and maps (also a list in {"items":
/// ..}); coerced for numbers, booleans and points in time. validation_error when it does not fit, invalid_json when it
/// has no JSON. `mode` is as for results of programs. What was let through is added to `warnings`, if
/// there are any.
Result<Datum> read_answer(std::string_view text, const CompiledSignature& signature, ValidationMode mode,
                          std::vector<Fault>* warnings = nullptr);

} // namespace ptc
