// Tools that an agent has by naming their family (AgentOptions::builtin_tools).
#pragma once
#include "ptc/tool.h"
#include <string_view>
#include <vector>

namespace ptc {

/// The tools of a family; empty when there is no such family.
std::vector<Tool> builtin_tools(std::string_view family);

} // namespace ptc
