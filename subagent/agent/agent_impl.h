#pragma once
#include "ptc/agent.h"
#include "ptc/template.h"
#include <memory>
#include <mutex>

namespace ptc {

struct FedAgents;

/// What the two numbers of a feed were.
struct FeedState {
    std::uint64_t version = 0;
    std::uint64_t hints = 0;
    friend bool operator==(const FeedState&, const FeedState&) = default;
};

/// An agent, ready to run: everything is parsed and compiled. Immutable.
struct Agent::Impl {
    AgentOptions options;
    SignaturePtr signature; ///< never null
    Template prompt;
    std::string card;               ///< language_card
    std::unique_ptr<Engine> engine; ///< its tools are those that programs may call, all of them answered by the mission
    FeedState feed_state{};         ///< of AgentOptions::tool_feed, when its tools were taken
    std::shared_ptr<FedAgents> fed{};   ///< never null
    std::shared_ptr<AgentPtr> newest{}; ///< of the agent that hosts have: the last one of FedAgents lives as long as it
    std::vector<ToolSchema>
        native_tools; ///< the schemas, for the provider, of the tools that the model may call by itself

    [[nodiscard]] const AgentTool* find_tool(std::string_view name) const;
    /// The one that the model calls by this name, hyphens being underscores on the wire; null for none.
    [[nodiscard]] const AgentTool* find_native_tool(std::string_view name) const;
    [[nodiscard]] const CompiledSignature* compiled_signature_of(const AgentTool& tool) const;
    /// As the mission's program or model may call it: a tool's own, or its agent's signature; null for none.
    [[nodiscard]] const Signature* signature_of(const AgentTool& tool) const;
    [[nodiscard]] std::string_view description_of(const AgentTool& tool) const;
    [[nodiscard]] Exposure exposure_of(const AgentTool& tool) const;
    /// Whether prompts, or requests, list it: with the family "tool_search" the others are found.
    [[nodiscard]] bool is_listed(const AgentTool& tool) const;
    /// Whether the model calls tools that it has found, with `call_tool`.
    [[nodiscard]] bool is_searched() const;
    /// The agent behind a tool, null for a host's. `self` is this agent.
    [[nodiscard]] static const Agent* agent_of(const AgentTool& tool, const Agent& self) {
        return tool.is_self ? &self : tool.agent.get();
    }
    std::vector<SignaturePtr> signatures; ///< of options.tools; null for those without
};

/// Of an agent and those that were made of it when its feed gave other tools: the last one, for all missions.
struct FedAgents {
    std::mutex mutex{}; ///< held while one is made
    std::weak_ptr<const Agent> newest{};
    std::weak_ptr<AgentPtr> kept{}; ///< Agent::Impl::newest
};

/// What the feed says; none: it threw.
std::optional<FeedState> state_of_feed(const ToolFeed& feed);
std::optional<std::vector<Tool>> tools_of_feed(const ToolFeed& feed, const std::stop_token& stop);
/// Puts these tools behind the others, in place of those that the feed gave before.
void put_fed_tools(AgentOptions& options, std::vector<Tool> fed);

/// The way in for the library's own files; hosts have none.
struct AgentAccess {
    using Impl = Agent::Impl;
    /// As Agent::create, with the tools of the feed among those of `options` already.
    static Result<AgentPtr> make(AgentOptions options, FeedState feed_state, std::shared_ptr<FedAgents> fed);
    static const Impl& impl(const Agent& agent) { return *agent.impl_; }
};
using AgentImpl = AgentAccess::Impl;
inline const AgentImpl& impl_of(const Agent& agent) { return AgentAccess::impl(agent); }

/// A handoff of the agent; null when it has none of this name.
const AgentTool* handoff_named(const Agent& agent, std::string_view name);

} // namespace ptc
