#include "subagent/agent/agent_core.h"
#include "subagent/agent/program_name.h"

namespace ptc {

MissionEvent AgentCore::event(MissionEvent::Kind kind) const {
    MissionEvent event{.kind = kind, .run = state.run, .parent = state.parent, .agent = options().name};
    event.depth = state.depth;
    event.turn = state.turn;
    return event;
}

void AgentCore::warn(BoundaryWarnings& warnings, std::string_view what, const std::vector<Fault>& faults) const {
    constexpr std::string_view kMark = "- "; // of a line about a fault
    for (const Fault& fault : faults) {
        const std::string line = without_firewalled_faults(std::string(kMark) + fault_text(fault));
        warnings.add({std::string(what), hidden(line.substr(kMark.size()))});
    }
}

std::string AgentCore::written_name(std::string_view key) const {
    return is_program_name(key) || hidden(key) != key ? std::string(key) : program_name(key);
}

Fail because(MissionReason reason, std::string message, Datum details) {
    return Fail{
        .reason = std::string(reason_name(reason)), .message = std::move(message), .details = std::move(details)};
}

} // namespace ptc
