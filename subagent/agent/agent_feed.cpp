// An agent never changes: when its feed gives other tools, a mission goes on with another agent that differs in these
// alone. The missions of one agent share it: whoever comes first asks the feed and makes it, and the others find it.
#include "subagent/agent/agent_feed.h"

namespace ptc {
AgentPtr with_fed_tools(const AgentPtr& agent, bool begins, const std::stop_token& stop) {
    const AgentImpl& impl = impl_of(*agent);
    const ToolFeed& feed = impl.options.tool_feed;
    if (!feed.tools) return agent;
    const auto is_newest = [begins](const std::optional<FeedState>& now, const AgentImpl& one) {
        return begins ? *now == one.feed_state : now->version == one.feed_state.version;
    };
    std::optional<FeedState> state = state_of_feed(feed);
    if (!state || is_newest(state, impl)) return agent;
    const std::scoped_lock lock(impl.fed->mutex);
    AgentPtr newest = impl.fed->newest.lock();
    state = state_of_feed(feed);
    if (!state || (newest && is_newest(state, impl_of(*newest)))) return newest ? newest : agent;
    std::optional<std::vector<Tool>> fed = tools_of_feed(feed, stop);
    if (!fed || stop.stop_requested()) return agent;
    AgentOptions options = impl.options;
    put_fed_tools(options, std::move(*fed));
    Result<AgentPtr> made = AgentAccess::make(std::move(options), *state, impl.fed);
    if (!made.ok()) return agent;
    impl.fed->newest = made.value();
    // Missions that begin later find it, too: to make it is dear where tools are many.
    const std::shared_ptr<AgentPtr> kept = impl.fed->kept.lock();
    if (kept && kept != impl_of(*made.value()).newest) *kept = made.value();
    return std::move(made).value();
}

AgentPtr with_tools(const AgentPtr& agent, std::vector<Tool> tools) {
    const AgentImpl& impl = impl_of(*agent);
    AgentOptions options = impl.options;
    put_fed_tools(options, std::move(tools));
    Result<AgentPtr> made = AgentAccess::make(std::move(options), impl.feed_state, impl.fed);
    return made.ok() ? std::move(made).value() : nullptr;
}

std::vector<Tool> fed_tools(const Agent& agent) {
    std::vector<Tool> tools;
    for (const AgentTool& tool : agent.options().tools) {
        if (tool.is_fed) tools.push_back(tool.tool);
    }
    return tools;
}

} // namespace ptc
