// Tools that their host may change while missions run.
#pragma once
#include "ptc/tool.h"
#include <cstdint>
#include <stop_token>
#include <vector>

namespace ptc {

/// Where an agent's tools come from beside those that it was made with: servers, say, that change what they offer
/// (McpClient::feed). Both functions are called on the threads that run missions, several at once; an exception counts
/// as no change.
struct ToolFeed {
    /// Another number when `tools` may give others than before. Called before each turn: it must not wait.
    SharedFunction<std::uint64_t()> version{};
    /// Another number when their descriptions may say more than before: missions that begin then have that; those that
    /// run stay with what they know, so that their prompts do not change. Null: never.
    SharedFunction<std::uint64_t()> hints{};
    /// All of them as they are now. A mission waits for it, between two turns, where `version` has changed.
    SharedFunction<std::vector<Tool>(const std::stop_token& stop)> tools{};
};

} // namespace ptc
