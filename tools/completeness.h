// Whether a text that is being typed can be whole.
#pragma once
#include <string_view>

namespace ptc {

/// Whether more lines are needed: a string or a bracket is open. A text with a bracket that closes nothing is whole:
/// more lines would not mend it.
bool needs_more_lines(std::string_view text);

} // namespace ptc
