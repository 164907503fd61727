// Reads of data that will not be there.
#pragma once
#include "compiler/check/check_report.h"
#include "frontend/form.h"
#include <span>
#include <string>
#include <vector>

namespace ptc {

/// Warns of each data/NAME that is none of `names`: it is nil. Names are compared as look-ups do, with underscores for
/// hyphens. Linear in the forms, which do not nest deeper for it.
void check_data_names(std::span<const Form> top_level, const std::vector<std::string>& names, WarningSink& report);

} // namespace ptc
