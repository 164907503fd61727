// What a config file keeps secret of a server must not come back in what is said of its failures: people and models
// read that.
#pragma once
#include "ptc/mcp_client.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc::mcp {

/// Where a text was cut: what may be a part of a secret there is left out.
enum class CutAt : std::uint8_t { Nowhere, Front, End };

/// `text` with `[NAME]` for values of its environment and of its headers that have at least 6 bytes (of `Bearer KEY`
/// the KEY, too), and `[argument]` for what its command is given, where that has secrets (McpServer::program).
std::string without_secrets(std::string_view text, const McpServer& server, CutAt cut = CutAt::Nowhere);

} // namespace ptc::mcp
