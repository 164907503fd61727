// Programs of this kind that start each other by config files of MCP servers: how deep, and whether one starts itself.
#pragma once
#include "ptc/mcp_client.h"
#include <string>

namespace ptc {

/// Of the environment: how many programs of this kind stand above, each of which started the next as a server.
inline constexpr const char* kNestingVariable = "PTC_MCP_DEPTH";

/// invalid_request in a process that was started so deep that it may have no servers of its own.
Result<void> check_mcp_nesting();

/// Takes away the servers that are this very program with the very file `path`, which has them, with a notice: clients
/// name `ptcc mcp` in the file that `ptcc mcp` reads. The others' environment says how deep they are.
void keep_from_nesting(McpConfig& config, const std::string& path);

} // namespace ptc
