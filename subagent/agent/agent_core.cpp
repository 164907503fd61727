#include "subagent/agent/agent_core.h"

namespace ptc {

MissionEvent AgentCore::event(MissionEvent::Kind kind) const {
    MissionEvent event{.kind = kind, .run = state.run, .parent = state.parent, .agent = options().name};
    event.depth = state.depth;
    event.turn = state.turn;
    return event;
}

Fail because(MissionReason reason, std::string message, Datum details) {
    return Fail{
        .reason = std::string(reason_name(reason)), .message = std::move(message), .details = std::move(details)};
}

} // namespace ptc
