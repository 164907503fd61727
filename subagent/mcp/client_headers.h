// Arguments that servers want to see in headers as well (`x-mcp-header` in a tool's input schema, since 2026-07-28).
#pragma once
#include "ptc/datum.h"
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc::mcp {

/// What is wrong with the headers that a schema asks for: such a tool is not offered. "" when nothing is.
std::string header_problem(std::string_view input_schema);

/// An argument that is a header, too.
struct ParameterHeader {
    std::string name;
    std::optional<std::string> value; ///< none: it is not given, or null, or no header can say it
};
[[nodiscard]] bool has_headers(std::string_view input_schema);
/// All that the schema asks for.
std::vector<ParameterHeader> parameter_headers(std::string_view input_schema, const Datum& arguments);
/// Those that go with `arguments`, as they are sent.
std::vector<std::pair<std::string, std::string>> sent_headers(std::string_view input_schema, const Datum& arguments);

} // namespace ptc::mcp
