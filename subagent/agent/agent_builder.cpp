#include "ptc/agent_builder.h"
#include <utility>

namespace ptc {

AgentBuilder::AgentBuilder(std::string prompt) { options_.prompt = std::move(prompt); }
AgentBuilder::AgentBuilder(AgentOptions options) : options_(std::move(options)) {}
AgentBuilder::AgentBuilder(const AgentBuilder&) = default;
AgentBuilder::AgentBuilder(AgentBuilder&&) noexcept = default;
AgentBuilder& AgentBuilder::operator=(const AgentBuilder&) = default;
AgentBuilder& AgentBuilder::operator=(AgentBuilder&&) noexcept = default;
AgentBuilder::~AgentBuilder() = default;

#define PTC_AGENT_OPTION(member)                                                                                       \
    AgentBuilder& AgentBuilder::member(decltype(AgentOptions::member) value) {                                         \
        options_.member = std::move(value);                                                                            \
        return *this;                                                                                                  \
    }
#include "ptc/agent_options.def"
#undef PTC_AGENT_OPTION

AgentBuilder& AgentBuilder::tool(AgentTool tool) {
    options_.tools.push_back(std::move(tool));
    return *this;
}

AgentBuilder& AgentBuilder::prelude(std::string file_name, std::string text) {
    options_.preludes.push_back({std::move(file_name), std::move(text)});
    return *this;
}

Result<AgentPtr> AgentBuilder::create() const { return Agent::create(options_); }

} // namespace ptc
