// An agent, option by option: AgentOptions without the order of its members.
//
//   auto agent = ptc::AgentBuilder("Find the best customer of {{year}}.")
//                    .signature("(year :int) -> {name :string, total :float}")
//                    .tool(orders_tool)
//                    .max_turns(3)
//                    .create();
#pragma once
#include "ptc/agent.h"
#include <string>

namespace ptc {

class AgentBuilder {
public:
    explicit AgentBuilder(std::string prompt);
    /// From options that are there, to change some.
    explicit AgentBuilder(AgentOptions options);
    AgentBuilder(const AgentBuilder&);
    AgentBuilder(AgentBuilder&&) noexcept;
    AgentBuilder& operator=(const AgentBuilder&);
    AgentBuilder& operator=(AgentBuilder&&) noexcept;
    ~AgentBuilder();

    // A function for each member of AgentOptions, which replaces it: `max_turns(3)`, `timeout(2s)`, `tools({a, b})`.
#define PTC_AGENT_OPTION(member) AgentBuilder& member(decltype(AgentOptions::member) value);
#include "ptc/agent_options.def"
#undef PTC_AGENT_OPTION

    /// One more tool.
    AgentBuilder& tool(AgentTool tool);
    /// One more prelude.
    AgentBuilder& prelude(std::string file_name, std::string text);

    [[nodiscard]] const AgentOptions& options() const { return options_; }
    /// As Agent::create; the builder may be used again.
    [[nodiscard]] Result<AgentPtr> create() const;

private:
    AgentOptions options_;
};

} // namespace ptc
