// Tools that an agent has by naming their family (AgentOptions::builtin_tools).
#pragma once
#include "ptc/agent.h"

namespace ptc {

/// Adds the tools of the families to `tools`; a host's own tool of the same name stands. invalid_request: there is no
/// such family.
Result<void> add_builtin_tools(const std::vector<std::string>& families, std::vector<AgentTool>& tools);

} // namespace ptc
