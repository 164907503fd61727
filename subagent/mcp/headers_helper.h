// Headers that a program of the user's prints, as other clients have it (`headersHelper`): tokens that do not live
// long.
#pragma once
#include "subagent/mcp/client_transport.h"
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ptc::mcp {

using HeaderPairs = std::vector<std::pair<std::string, std::string>>;

/// Whether a header can be sent as it is.
bool is_header(std::string_view name, std::string_view value);

/// What McpServer::headers_command prints: an object of texts, on at most 64 KiB. Waits for McpServer::headers_timeout
/// at most, and for `terms`. A failure says why there are none, and nothing of what was printed.
std::variant<HeaderPairs, Failure> helped_headers(const McpServer& server, const CallTerms& terms);

} // namespace ptc::mcp
