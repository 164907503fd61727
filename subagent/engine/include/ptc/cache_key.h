// One key for every spelling of the same tool call.
#pragma once
#include "ptc/datum.h"
#include <string>
#include <string_view>

namespace ptc {

/// The arguments in their normal form: text keys with underscores in order at every level, and floats without a
/// fraction as integers (1.0 is 1, -0.0 is 0). Values keep their types otherwise: a keyword, a text and a date of the
/// same name differ.
Datum canonical_arguments(const Datum& arguments);
/// The same for tools with Tool::pass_input or Tool::keeps_keys: names count as they are written.
Datum canonical_input(const Datum& arguments);

/// Equal for two calls exactly when they name the same tool and their arguments have the same normal form. The tool's
/// name counts as it is written.
std::string cache_key(std::string_view tool, const Datum& arguments);
/// The same with the arguments of a tool with Tool::pass_input.
std::string input_cache_key(std::string_view tool, const Datum& arguments);

} // namespace ptc
