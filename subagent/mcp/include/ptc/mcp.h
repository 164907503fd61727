// The Model Context Protocol, which programs that offer tools and programs that let models use them speak with each
// other. Not part of <ptc/ptc.h>: link ptc::mcp. `ptcc mcp` is the server.
#pragma once
#include <string>
#include <vector>

namespace ptc {

/// The revisions of the protocol that are spoken, the newest first: "2026-07-28", ..
std::vector<std::string> mcp_revisions();

} // namespace ptc
