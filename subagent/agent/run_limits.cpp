// Limits of an agent at work. Those that agents share (turns of the tree, tokens, money, time) are kept as marks: the
// value of the mission's total at which this agent must stop. An agent that is called gets the nearer of its own mark
// and its caller's, so a limit holds for everything below the agent that has it, and nothing has to be handed back when
// a call ends.
#include "subagent/agent/run_limits.h"
#include <algorithm>

namespace ptc {

void RunLimits::begin(const AgentState* caller) {
    const auto nearest = [](auto& limit, const auto& callers) {
        if (callers && (!limit || *callers < *limit)) limit = callers;
    };
    AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    const MissionTotals& totals = core_.env.totals;
    state.started = core_.env.now();
    if (options.mission_timeout) state.deadline = state.started + *options.mission_timeout;
    state.last_turn = totals.turns + options.turn_budget;
    if (options.token_limit) state.last_token = totals.tokens.total() + *options.token_limit;
    if (options.max_cost_usd) state.last_cost = totals.tokens.cost_usd + *options.max_cost_usd;
    if (!caller) return;
    nearest(state.deadline, caller->deadline);
    nearest(state.last_token, caller->last_token);
    nearest(state.last_cost, caller->last_cost);
    state.last_turn = std::min(state.last_turn, caller->last_turn);
}

void RunLimits::tighten() {
    const auto at_most = [](auto& limit, const auto& most) {
        if (!limit || *limit > most) limit = most;
    };
    AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    const MissionTotals& totals = core_.env.totals;
    const Millis now = core_.env.now();
    state.started = std::min(state.started, now);
    if (options.mission_timeout) at_most(state.deadline, now + *options.mission_timeout);
    if (options.token_limit) at_most(state.last_token, totals.tokens.total() + *options.token_limit);
    if (options.max_cost_usd) at_most(state.last_cost, totals.tokens.cost_usd + *options.max_cost_usd);
    state.last_turn = std::min(state.last_turn, totals.turns + options.turn_budget);
    state.retries = std::min(state.retries, options.retry_turns);
}

bool RunLimits::is_late() const { return core_.state.deadline && core_.env.now() >= *core_.state.deadline; }

bool RunLimits::may_retry() const {
    return core_.state.is_result_refused && core_.state.retries < core_.options().retry_turns;
}

std::size_t RunLimits::turns_left() const {
    const AgentState& state = core_.state;
    const AgentOptions& options = core_.options();
    const std::size_t budget = state.last_turn - std::min(state.last_turn, core_.env.totals.turns);
    const std::size_t own = options.max_turns > state.turn ? options.max_turns - state.turn : 0;
    const std::size_t retries = state.is_result_refused ? options.retry_turns - state.retries : 0;
    return std::min(budget, own > 0 ? own : retries);
}

std::optional<Fail> RunLimits::why_over_budget() const {
    const TokenUsage& used = core_.env.totals.tokens;
    if (core_.state.last_token && used.total() > *core_.state.last_token)
        return because(MissionReason::BudgetExceeded, "The mission has used more tokens than it may.");
    if (core_.state.last_cost && used.cost_usd > *core_.state.last_cost)
        return because(MissionReason::BudgetExceeded, "The mission has cost more than it may.");
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
    if (core_.env.totals.turns >= state.last_turn)
        return because(MissionReason::TurnBudgetExhausted,
                       "The turns that the agents of the mission share are used up.");
    return std::nullopt;
}

Datum RunLimits::remaining() const {
    const auto count = [](std::size_t n) { return Datum(static_cast<std::int64_t>(n)); };
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
    const std::size_t used = totals.turns - 1;
    return map({{"turns", count(state.last_turn - std::min(state.last_turn, used))},
                {"work-turns", count(options.max_turns - std::min(options.max_turns, state.turn - 1))},
                {"retry-turns", count(options.retry_turns - state.retries)},
                {"depth", map({{"current", count(state.depth)}, {"max", count(totals.max_depth)}})},
                {"tokens", map({{"input", totals.tokens.input},
                                {"output", totals.tokens.output},
                                {"total", totals.tokens.total()},
                                {"cache-creation", totals.tokens.cache_creation},
                                {"cache-read", totals.tokens.cache_read}})},
                {"llm-requests", count(totals.llm_calls)}});
}

} // namespace ptc
