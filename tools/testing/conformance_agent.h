// Conformance rows about signatures, validation, templates, cache keys, replies and tools.
#pragma once
#include "ptc/datum.h"
#include <string>

namespace ptc {

// Each gives what is different from what the row expects, "" when it holds.
std::string signature_row_difference(const Datum& row);
std::string validation_row_difference(const Datum& row);
std::string template_row_difference(const Datum& row);
std::string cache_key_row_difference(const Datum& row);
std::string response_row_difference(const Datum& row);
std::string tool_row_difference(const Datum& row); // conformance_tools.cpp

} // namespace ptc
