// How far an agent may still go: turns, retries, time, tokens and money, its own and those of the mission.
#pragma once
#include "subagent/agent/agent_core.h"
#include <optional>

namespace ptc {

/// Owns nothing: counts and marks are fields of AgentState and MissionTotals, so that snapshots have them. Writes the
/// marks (`started`, `deadline`, `last_turn`, `last_token`, `last_cost`), in `begin` and `tighten`, and what is used
/// up: `tree`, also of the agents that called this one, and the mission's turns and tokens.
class RunLimits {
public:
    explicit RunLimits(const AgentCore& core) : core_(core) {}

    /// Sets the marks; of the deadline the nearer of the agent's own and its caller's, which may be null.
    void begin(const AgentState* caller);
    void count_turn();
    void count(const TokenUsage& used);
    /// After a snapshot was read: the agent's own limits hold, whatever its bytes say.
    void tighten();

    /// Of the agent's time, or of the thread's work::Scope, nothing is left.
    [[nodiscard]] bool is_late() const;
    /// The last turn's result did not fit, and there is a further turn for that.
    [[nodiscard]] bool may_retry() const;
    /// Turns that may follow the one under way.
    [[nodiscard]] std::size_t turns_left() const;
    /// Why no tokens or money are left, if none are.
    [[nodiscard]] std::optional<Fail> why_over_budget() const;
    /// Why there is no further turn, if there is none.
    [[nodiscard]] std::optional<Fail> why_no_turn() const;
    /// What (budget/remaining) gives to the program of the turn under way.
    [[nodiscard]] Datum remaining() const;

private:
    [[nodiscard]] std::size_t budget_left() const;
    const AgentCore& core_;
};

} // namespace ptc
