// The protocol over standard input and output: a message a line.
#pragma once
#include "tools/io.h"
#include "tools/mcp/server.h"

namespace ptc::mcp {

/// Answers what standard input says, until it ends; then the requests under way have `grace` to be answered. When
/// `stop` is requested, they are cancelled. Gives the exit code.
int serve_stdio(Server& server, Console& console, const MessageLimits& limits, std::chrono::milliseconds grace,
                const std::stop_token& stop);

} // namespace ptc::mcp
