#include "subagent/agent/mission_state.h"
#include <algorithm>

namespace ptc {

PendingUse::PendingUse() = default;
PendingUse::PendingUse(PendingUse&&) noexcept = default;
PendingUse& PendingUse::operator=(PendingUse&&) noexcept = default;
PendingUse::~PendingUse() = default;

bool waits_for_approval(const AgentState& state) {
    using Phase = AgentState::Phase;
    if (state.phase == Phase::Question) return true;
    if (state.phase != Phase::Program && state.phase != Phase::Native) return false;
    const auto is_idle = [](const PendingUse& use) {
        return use.answer || use.same_as || use.awaits_approval || (use.child && waits_for_approval(*use.child));
    };
    return std::ranges::all_of(state.pending, is_idle);
}

AgentState::AgentState() = default;
AgentState::~AgentState() = default;

} // namespace ptc
