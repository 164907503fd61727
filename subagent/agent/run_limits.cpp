// Limits of an agent at work. Turns, tokens and money of a tree are counted at each agent for itself and all below it
// (TreeUse): an agent may go on while there is something left at it and at all that called it. So a limit holds for
// everything below the agent that has it, what others beside it use up is not its own, and nothing has to be handed
// back when a call ends. Of the points in time at which they must stop an agent that is called gets the nearer one.
#include "subagent/agent/run_limits.h"
#include "frontend/work.h"
#include <algorithm>

namespace ptc {

void RunLimits::begin(const AgentState* caller) {
    AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    state.started = core_.env.now();
    if (options.mission_timeout) state.deadline = state.started + *options.mission_timeout;
    state.last_turn = options.turn_budget;
    state.last_token = options.token_limit;
    state.last_cost = options.max_cost_usd;
    if (caller && caller->deadline && (!state.deadline || *caller->deadline < *state.deadline))
        state.deadline = caller->deadline;
}

void RunLimits::count_turn() {
    ++core_.env.totals.turns;
    for (AgentState* one = &core_.state; one; one = one->caller)
        ++one->tree.turns;
}

void RunLimits::count(const TokenUsage& used) {
    core_.env.totals.tokens += used;
    for (AgentState* one = &core_.state; one; one = one->caller)
        one->tree.tokens += used;
}

void RunLimits::tighten() {
    const auto at_most = [](auto& limit, const auto& most) {
        if (!limit || *limit > most) limit = most;
    };
    AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    const TreeUse& tree = state.tree;
    const Millis now = core_.env.now();
    state.started = std::min(state.started, now);
    if (options.mission_timeout) at_most(state.deadline, now + *options.mission_timeout);
    if (options.token_limit) at_most(state.last_token, tree.tokens.total() + *options.token_limit);
    if (options.max_cost_usd) at_most(state.last_cost, tree.tokens.cost_usd + *options.max_cost_usd);
    state.last_turn = std::min(state.last_turn, tree.turns + options.turn_budget);
    state.retries = std::min(state.retries, options.retry_turns);
}

bool RunLimits::is_late() const {
    return (core_.state.deadline && core_.env.now() >= *core_.state.deadline) || work::is_over();
}

bool RunLimits::may_retry() const {
    return core_.state.is_result_refused && core_.state.retries < core_.options().retry_turns;
}

/// Of the agent, and of all that called it.
std::size_t RunLimits::budget_left() const {
    std::size_t left = SIZE_MAX;
    for (const AgentState* one = &core_.state; one; one = one->caller)
        left = std::min(left, one->last_turn - std::min(one->last_turn, one->tree.turns));
    return left;
}

std::size_t RunLimits::turns_left() const {
    const AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    const std::size_t own = options.max_turns > state.turn ? options.max_turns - state.turn : 0;
    const std::size_t retries = state.is_result_refused ? options.retry_turns - state.retries : 0;
    return std::min(budget_left(), own > 0 ? own : retries);
}

std::optional<Fail> RunLimits::why_over_budget() const {
    for (const AgentState* one = &core_.state; one; one = one->caller) {
        if (one->last_token && one->tree.tokens.total() > *one->last_token)
            return because(MissionReason::BudgetExceeded, "The mission has used more tokens than it may.");
        if (one->last_cost && one->tree.tokens.cost_usd > *one->last_cost)
            return because(MissionReason::BudgetExceeded, "The mission has cost more than it may.");
    }
    return std::nullopt;
}

std::optional<Fail> RunLimits::why_no_turn() const {
    const AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    if (core_.env.is_interrupted()) return because(MissionReason::Interrupted, "The host stopped the mission.");
    if (is_late()) return because(MissionReason::MissionTimeout, "The mission takes longer than allowed.");
    const auto& most_failures = options.max_consecutive_failures;
    if (most_failures && state.failures_in_row >= *most_failures)
        return because(MissionReason::ConsecutiveFailures,
                       std::to_string(*most_failures) + " turns in a row failed, which is as many as may.");
    if (std::optional<Fail> over = why_over_budget()) return over;
    if (state.turn >= options.max_turns && !may_retry())
        return because(MissionReason::MaxTurnsExceeded,
                       "The mission has had its " + std::to_string(state.turn) + " turns and has not returned.");
    if (budget_left() == 0)
        return because(MissionReason::TurnBudgetExhausted,
                       "The turns that the agents of the mission share are used up.");
    return std::nullopt;
}

Datum RunLimits::remaining() const {
    const auto number = [](std::size_t n) { return Datum(static_cast<std::int64_t>(n)); };
    const auto map = [](std::initializer_list<std::pair<const char*, Datum>> entries) {
        Datum::Map out;
        for (const auto& [name, value] : entries)
            out.emplace_back(Datum::Keyword{name}, value);
        return Datum(std::move(out));
    };
    const AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    const MissionTotals& totals = core_.env.totals;
    // The turn under way is not used up yet.
    return map({{"turns", number(budget_left() + 1)},
                {"work-turns", number(options.max_turns - std::min(options.max_turns, state.turn - 1))},
                {"retry-turns", number(options.retry_turns - state.retries)},
                {"depth", map({{"current", number(state.depth)}, {"max", number(totals.max_depth)}})},
                {"tokens", map({{"input", totals.tokens.input},
                                {"output", totals.tokens.output},
                                {"total", totals.tokens.total()},
                                {"cache-creation", totals.tokens.cache_creation},
                                {"cache-read", totals.tokens.cache_read}})},
                {"llm-requests", number(totals.llm_calls)}});
}

} // namespace ptc
