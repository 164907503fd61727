// Arguments that servers want to see in headers as well (`x-mcp-header` in a tool's input schema, since 2026-07-28).
#pragma once
#include "ptc/datum.h"
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc::mcp {

/// What is wrong with the headers that a schema asks for: such a tool is not offered. "" when nothing is.
std::string header_problem(std::string_view input_schema);

/// The headers that go with `arguments`: none of those that are not given, or null.
std::vector<std::pair<std::string, std::string>> parameter_headers(std::string_view input_schema,
                                                                   const Datum& arguments);

} // namespace ptc::mcp
