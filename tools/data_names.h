// What `ptcc check --data` adds: reads of data that will not be there.
#pragma once
#include "ptc/diagnostic.h"
#include <string>
#include <vector>

namespace ptc {

/// Warns of each data/NAME and ctx/NAME in `source` whose NAME is not among `names`; it would be nil. Hyphens and
/// underscores are the same, as in the lookup itself. Nothing for a text that cannot be read.
void check_data_names(const Source& source, const std::vector<std::string>& names, Diagnostics& diagnostics);

} // namespace ptc
