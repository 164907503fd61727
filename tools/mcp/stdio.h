// The protocol over standard input and output: a message a line.
#pragma once
#include "tools/interrupt.h"
#include "tools/io.h"
#include "tools/mcp/server.h"

namespace ptc::mcp {

/// Answers what standard input says, until it ends; then the requests under way have `grace` to be answered. When
/// a signal ends it, they are cancelled. Gives the exit code: 1 when not all could be answered as they wanted.
int serve_stdio(Server& server, Console& console, const MessageLimits& limits, std::chrono::milliseconds grace,
                const EndSignals& signals);

} // namespace ptc::mcp
