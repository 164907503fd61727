#include "subagent/agent/mission_state.h"

namespace ptc {

PendingUse::PendingUse() = default;
PendingUse::PendingUse(PendingUse&&) noexcept = default;
PendingUse& PendingUse::operator=(PendingUse&&) noexcept = default;
PendingUse::~PendingUse() = default;

AgentState::AgentState() = default;
AgentState::~AgentState() = default;

} // namespace ptc
