// An agent never changes: when its feed gives other tools, a mission goes on with another agent that differs in these
// alone. The missions of one agent share it: whoever comes first asks the feed and makes it, and the others find it.
#include "subagent/agent/agent_feed.h"

namespace ptc {
AgentPtr with_fed_tools(const AgentPtr& agent, const std::stop_token& stop) {
    const AgentImpl& impl = impl_of(*agent);
    const ToolFeed& feed = impl.options.tool_feed;
    if (!feed.tools) return agent;
    std::optional<std::uint64_t> version = feed_version(feed);
    if (!version || *version == impl.feed_version) return agent;
    const std::scoped_lock lock(impl.fed->mutex);
    AgentPtr newest = impl.fed->newest.lock();
    version = feed_version(feed);
    if (!version || (newest && impl_of(*newest).feed_version == *version)) return newest ? newest : agent;
    std::optional<std::vector<Tool>> fed = tools_of_feed(feed, stop);
    if (!fed || stop.stop_requested()) return agent;
    AgentOptions options = impl.options;
    put_fed_tools(options, std::move(*fed));
    Result<AgentPtr> made = AgentAccess::make(std::move(options), *version, impl.fed);
    if (!made.ok()) return agent;
    impl.fed->newest = made.value();
    return std::move(made).value();
}

AgentPtr with_tools(const AgentPtr& agent, std::vector<Tool> tools) {
    const AgentImpl& impl = impl_of(*agent);
    AgentOptions options = impl.options;
    put_fed_tools(options, std::move(tools));
    Result<AgentPtr> made = AgentAccess::make(std::move(options), impl.feed_version, impl.fed);
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
