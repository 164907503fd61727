// Agents whose tools change while missions run (AgentOptions::tool_feed).
#pragma once
#include "subagent/agent/agent_impl.h"

namespace ptc {

/// The same agent with the tools that its feed has now, made once for all missions that ask; `agent` itself when none
/// have changed, or the new ones make no agent. Waits for the feed where they have. For a mission that `begins`, so it
/// is where more is known of them (ToolFeed::hints).
AgentPtr with_fed_tools(const AgentPtr& agent, bool begins, const std::stop_token& stop);
/// The same agent with `tools` in place of those of its feed; null when they make no agent.
AgentPtr with_tools(const AgentPtr& agent, std::vector<Tool> tools);
[[nodiscard]] std::vector<Tool> fed_tools(const Agent& agent);

} // namespace ptc
