// A person who agrees in a browser that a server may be used, and comes back to this process.
#pragma once
#include "ptc/mcp_client.h"
#include "tools/io.h"
#include <string>

namespace ptc {

/// Prints the address that is to be opened and waits a few minutes for the browser to come back to the request's
/// `redirect_uri`: to this machine alone, and only while somebody waits. tool_error when it does not, when that address
/// is another machine's, or when somebody else listens there.
Result<std::string> log_in(const McpAuthorization& request, Console& console);

/// Where tokens are kept: $XDG_STATE_HOME/ptc/mcp-tokens.json, or below ~/.local/state. "" without a home.
std::string mcp_token_file();

} // namespace ptc
