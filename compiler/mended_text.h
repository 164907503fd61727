// What is wrong with a text beside its syntax.
#pragma once
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <functional>

namespace ptc {

/// `found` has the syntax errors of `source`. If each of them has edits, the text is read as the edits mend it, and
/// what `look` finds in that text is added behind them, with the spans and edits that it has in the text as it stands.
/// Nothing is added when the mended text still does not read.
void add_errors_behind_syntax(const Source& source, Diagnostics& found,
                              const std::function<void(const Source& mended, Diagnostics& behind)>& look);

} // namespace ptc
