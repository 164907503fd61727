// An agent at work as bytes: its state, its sandbox, and the agents that answer its tools.
#include "subagent/agent/agent_run.h"
#include "subagent/agent/mission_snapshot.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>

namespace ptc {

Result<void> AgentRun::save(ByteWriter& out) const {
    write_state(out, state_, env_.now());
    if (is_done()) return {};
    out.text(PTC_TRY(session_->save(data_sets())));
    for (std::size_t i = 0; i < state_.pending.size(); ++i) {
        const bool has_child = i < children_.size() && children_[i] != nullptr;
        out.byte(has_child);
        if (has_child) PTC_CHECK(children_[i]->save(out));
    }
    return {};
}

Result<void> AgentRun::restore(ByteReader& in, const ModelRef& model, const Llm* callers) {
    read_state(in, state_, env_.now());
    if (!in.ok() || state_.phase == Phase::New) return bad_snapshot("the state of an agent is malformed");
    if (is_done()) return {};
    // A level of the C++ stack for a level of agents.
    if (state_.depth > env_.totals.max_depth) return bad_snapshot("agents call agents more deeply than allowed");
    PTC_CHECK(restore_state());
    if (!resolve_model(model, callers)) return Error(Reason::InvalidRequest, state_.step.fail->message);
    PTC_CHECK(restore_session(in));
    PTC_CHECK(restore_pending(in));
    if (state_.phase == Phase::Model) need_model();
    return {};
}

/// What follows from the state; and the agent's own limits hold, whatever the state says.
Result<void> AgentRun::restore_state() {
    const Millis now = env_.now();
    if (!read_context_types()) return Error(Reason::InvalidSnapshot, state_.step.fail->message);
    if (!state_.context.map()) return bad_snapshot("the state of an agent is malformed");
    Result<std::shared_ptr<const DataSet>> context = DataSet::from_datum(state_.context);
    if (!context.ok()) return context.take_error();
    context_data_ = std::move(context).value();
    for (const Datum& result : state_.results) {
        Result<std::shared_ptr<const DataSet>> data = DataSet::from_datum(result);
        if (!data.ok()) return data.take_error();
        result_data_.push_back(std::move(data).value());
    }
    state_.started = std::min(state_.started, now);
    const auto at_most = [](auto& limit, const auto& most) {
        if (!limit || *limit > most) limit = most;
    };
    if (options().mission_timeout) at_most(state_.deadline, now + *options().mission_timeout);
    if (options().token_limit) at_most(state_.last_token, env_.totals.tokens.total() + *options().token_limit);
    if (options().max_cost_usd) at_most(state_.last_cost, env_.totals.tokens.cost_usd + *options().max_cost_usd);
    state_.last_turn = std::min(state_.last_turn, env_.totals.turns + options().turn_budget);
    state_.retries = std::min(state_.retries, options().retry_turns);
    return {};
}

Result<void> AgentRun::restore_session(ByteReader& in) {
    RunOptions run = program_options();
    std::unique_ptr<Session> session = PTC_TRY(Session::restore(*agent_->impl().engine, in.raw(), run));
    session_ = std::move(*session);
    const std::optional<Suspended> waiting = session_->waiting();
    if (waiting.has_value() != (state_.phase == Phase::Program)) return bad_snapshot("an agent waits for nothing");
    if (!waiting) return {};
    const bool is_fit = std::ranges::equal(waiting->calls, state_.pending, {}, &ToolCall::name, &PendingUse::tool);
    return is_fit ? Result<void>() : bad_snapshot("an agent waits for other tools than its program");
}

Result<void> AgentRun::restore_pending(ByteReader& in) {
    children_.resize(state_.pending.size());
    for (std::size_t i = 0; i < state_.pending.size(); ++i) {
        PendingUse& use = state_.pending[i];
        const AgentTool* tool = agent_->impl().find_tool(use.tool);
        const bool is_error = use.answer && std::holds_alternative<Error>(*use.answer);
        if (!tool && (state_.phase == Phase::Program || !is_error)) return bad_snapshot("there is no such tool");
        if (in.byte() == 0) {
            const bool is_asked = use.need != 0 || use.answer || use.same_as;
            if (!is_asked || (tool && !use.answer && use.need != 0 && Agent::Impl::agent_of(*tool, *agent_)))
                return bad_snapshot("a tool was never asked");
            if (tool && use.need != 0 && !use.answer) need_tool(use);
            continue;
        }
        const Agent* called = tool ? Agent::Impl::agent_of(*tool, *agent_) : nullptr;
        if (!called || use.answer) return bad_snapshot("an agent answers who did not ask it");
        use.child = std::make_unique<AgentState>();
        children_[i] = std::make_unique<AgentRun>(called->shared_from_this(), env_, *use.child);
        PTC_CHECK(children_[i]->restore(in, tool->model, model_));
        if (children_[i]->is_done() || use.child->depth != state_.depth + 1)
            return bad_snapshot("an agent answers who did not ask it");
    }
    if (!state_.pending.empty() && all_answered()) return bad_snapshot("an agent waits for nothing");
    return {};
}

} // namespace ptc
