// Tools that a turn waits for: answered from the cache, by the host, or by agents.
#include "ptc/cache_key.h"
#include "subagent/agent/agent_run.h"
#include <algorithm>

namespace ptc {
namespace {

/// FNV-1a: the same on every machine.
std::string hash_text(std::string_view key) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : key)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4)
        text += "0123456789abcdef"[(hash >> shift) & 15];
    return text;
}

} // namespace

void AgentRun::ask_tools(std::vector<PendingUse> uses) {
    state_.pending = std::move(uses);
    state_.asked_at = env_.now();
    children_.clear();
    children_.resize(state_.pending.size());
    for (std::size_t i = 0; i < state_.pending.size(); ++i) {
        if (!state_.pending[i].answer) ask_tool(i);
    }
    settle_children();
}

void AgentRun::ask_tool(std::size_t index) {
    PendingUse& use = state_.pending[index];
    const AgentTool& tool = *agent_->impl().find_tool(use.tool);
    use.asked_at = env_.now();
    if (tool.cache) {
        use.cache_key =
            tool.tool.pass_input ? input_cache_key(use.tool, use.arguments) : cache_key(use.tool, use.arguments);
        const auto found = state_.tool_cache.find(use.cache_key);
        if (found != state_.tool_cache.end()) {
            use.is_cached = true;
            use.answer = found->second;
            return;
        }
        for (std::size_t i = 0; i < index; ++i) {
            if (state_.pending[i].cache_key != use.cache_key || state_.pending[i].same_as) continue;
            use.is_cached = true;
            use.same_as = i;
            return;
        }
    }
    env_.emit(tool_event(MissionEvent::Kind::ToolStart, use));
    if (Agent::Impl::agent_of(tool, *agent_)) {
        use.child = std::make_unique<AgentState>();
        children_[index] =
            std::make_unique<AgentRun>(Agent::Impl::agent_of(tool, *agent_)->shared_from_this(), env_, *use.child);
        return start_child(use, tool);
    }
    use.need = ++env_.totals.last_need;
    ++state_.step.usage.tool_calls;
    need_tool(use);
}

void AgentRun::need_tool(const PendingUse& use) {
    const AgentTool& tool = *agent_->impl().find_tool(use.tool);
    env_.needs.tools.push_back({use.need, &tool.tool, use.arguments, env_.key_of(use.need), state_.run});
}

void AgentRun::start_child(PendingUse& use, const AgentTool& tool) {
    const auto index = static_cast<std::size_t>(&use - state_.pending.data());
    use.child->depth = state_.depth + 1;
    use.child->parent = state_.run;
    RunInputs inputs;
    inputs.context = use.arguments;
    inputs.caller = &state_;
    children_[index]->begin(std::move(inputs), tool.model, model_);
}

/// Children that are done have answered.
void AgentRun::settle_children() {
    for (std::size_t i = 0; i < children_.size(); ++i) {
        PendingUse& use = state_.pending[i];
        if (!children_[i] || use.answer || !children_[i]->is_done()) continue;
        Step& step = children_[i]->step();
        MissionUsage& usage = state_.step.usage;
        usage.turns += step.usage.turns;
        usage.llm_calls += step.usage.llm_calls;
        usage.tool_calls += step.usage.tool_calls;
        usage.tokens += step.usage.tokens;
        usage.fuel += step.usage.fuel;
        usage.peak_heap_bytes = std::max(usage.peak_heap_bytes, step.usage.peak_heap_bytes);
        // What a child kept from its model it keeps from ours, too.
        if (step.ok)
            settle(use, std::move(step.value));
        else
            settle(use, Error(Reason::ToolError,
                              without_secrets(use.child->secrets, step.fail->reason + ": " + step.fail->message)));
        children_[i].reset();
        use.child.reset();
    }
}

void AgentRun::settle(PendingUse& use, ToolAnswer answer) {
    if (const Datum* value = std::get_if<Datum>(&answer)) {
        learn_secrets(state_.secrets, *value);
        if (!use.cache_key.empty()) state_.tool_cache.insert_or_assign(use.cache_key, *value);
    }
    use.took = env_.now() - use.asked_at;
    use.answer = std::move(answer);
}

bool AgentRun::all_answered() const {
    return std::ranges::all_of(state_.pending, [](const PendingUse& use) { return use.answer || use.same_as; });
}

MissionEvent AgentRun::tool_event(MissionEvent::Kind kind, const PendingUse& use) const {
    MissionEvent told = event(kind);
    told.tool = use.tool;
    told.arguments = public_view(use.arguments, state_.secrets);
    told.layer = state_.phase == Phase::Native ? Exposure::Native : Exposure::PtcLisp;
    told.is_cached = use.is_cached;
    told.duration = use.took;
    if (!use.cache_key.empty()) told.cache_key_hash = hash_text(use.cache_key);
    return told;
}

/// Into the trace, and to whoever watches, in the order of the program.
void AgentRun::note_uses() {
    for (PendingUse& use : state_.pending) {
        if (use.same_as) use.answer = state_.pending[*use.same_as].answer;
        ToolUse record;
        record.name = use.tool;
        MissionEvent made = tool_event(MissionEvent::Kind::ToolCall, use);
        record.arguments = made.arguments;
        record.is_cached = use.is_cached;
        record.duration = use.took;
        if (const Datum* value = std::get_if<Datum>(&*use.answer)) {
            const Preview shown = preview(*value, preview_limits(options().prompt_limit));
            record.result = hidden(shown.text);
            made.is_cut = shown.is_cut;
            if (!use.cache_key.empty() && env_.options.on_event) {
                made.is_full_result_cached =
                    state_.phase == Phase::Native && shows_preview(*agent_->impl().find_tool(use.tool));
                made.retained_bytes = compact_size(*value);
            }
        } else
            record.error = hidden(std::get<Error>(*use.answer).message);
        made.ok = record.error.empty();
        made.message = record.error;
        made.result = record.result;
        state_.current.tool_calls.push_back(std::move(record));
        env_.emit(made);
    }
}

/// Goes on with the program, whose tools have all answered; none when that ended the turn.
std::optional<ptc::RunState> AgentRun::resume_program() {
    note_uses();
    const bool has_agents = std::ranges::any_of(state_.pending, [&](const PendingUse& use) {
        return Agent::Impl::agent_of(*agent_->impl().find_tool(use.tool), *agent_) != nullptr;
    });
    if (has_agents) state_.waited_for_agents += env_.now() - state_.asked_at;
    std::vector<ToolAnswer> answers;
    for (PendingUse& use : state_.pending)
        answers.push_back(std::move(*use.answer));
    state_.pending.clear();
    children_.clear();
    if (is_late() || env_.is_interrupted()) {
        session_->abandon();
        state_.current.reason =
            reason_name(env_.is_interrupted() ? MissionReason::Interrupted : MissionReason::MissionTimeout);
        end_turn(false);
        next_turn(); // which tells why there is none
        return std::nullopt;
    }
    const Millis used = env_.now() - state_.program_started - state_.waited_for_agents;
    if (used >= options().timeout) {
        session_->abandon();
        const std::string message = "The program and its tools took " + std::to_string(used.count()) +
                                    " ms, more than the limit of " + std::to_string(options().timeout.count()) + " ms.";
        fail_turn(MissionReason::Timeout, message,
                  failure_text(feedback(), reason_name(MissionReason::Timeout), message));
        return std::nullopt;
    }
    return session_->resume(std::move(answers));
}

/// Everything that the turn waited for is there.
void AgentRun::go_on() {
    if (state_.phase == Phase::Native) return finish_native_calls();
    if (std::optional<ptc::RunState> next = resume_program()) advance(std::move(*next));
}

} // namespace ptc
