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
#include <utility>

namespace ptc {

class AgentBuilder {
public:
    explicit AgentBuilder(std::string prompt) { options_.prompt = std::move(prompt); }
    /// From options that are there, to change some.
    explicit AgentBuilder(AgentOptions options) : options_(std::move(options)) {}

    // A function for each member of AgentOptions, which replaces it: `max_turns(3)`, `timeout(2s)`, `tools({a, b})`.
#define PTC_AGENT_OPTION(member)                                                                                       \
    AgentBuilder& member(decltype(AgentOptions::member) value) {                                                       \
        options_.member = std::move(value);                                                                            \
        return *this;                                                                                                  \
    }
#include "ptc/agent_options.def"
#undef PTC_AGENT_OPTION

    /// One more tool.
    AgentBuilder& tool(AgentTool tool) {
        options_.tools.push_back(std::move(tool));
        return *this;
    }
    /// One more prelude.
    AgentBuilder& prelude(std::string file_name, std::string text) {
        options_.preludes.push_back({std::move(file_name), std::move(text)});
        return *this;
    }

    [[nodiscard]] const AgentOptions& options() const { return options_; }
    /// As Agent::create; the builder may be used again.
    [[nodiscard]] Result<AgentPtr> create() const { return Agent::create(options_); }

private:
    AgentOptions options_;
};

} // namespace ptc
