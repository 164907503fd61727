// Programs of replies: run, and what they gave told to the model.
#include "subagent/agent/agent_run.h"
#include "subagent/agent/eval_report.h"
#include "subagent/agent/outcome_facts.h"
#include <algorithm>

namespace ptc {
namespace {

/// Layers of data beyond this are made one.
constexpr std::size_t kMostResults = 16;
constexpr std::size_t kKeptPreview = 2000; ///< bytes of a trace's printed lines

} // namespace

Datum AgentRun::budget() const {
    const auto count = [](std::size_t n) { return Datum(static_cast<std::int64_t>(n)); };
    const auto map = [](std::initializer_list<std::pair<const char*, Datum>> entries) {
        Datum::Map out;
        for (const auto& [name, value] : entries)
            out.emplace_back(Datum::Keyword{name}, value);
        return Datum(std::move(out));
    };
    // The turn under way is not used up yet.
    const std::size_t used = env_.totals.turns - 1;
    const TokenUsage& tokens = env_.totals.tokens;
    return map({{"turns", count(state_.last_turn - std::min(state_.last_turn, used))},
                {"work-turns", count(options().max_turns - std::min(options().max_turns, state_.turn - 1))},
                {"retry-turns", count(options().retry_turns - state_.retries)},
                {"depth", map({{"current", count(state_.depth)}, {"max", count(env_.totals.max_depth)}})},
                {"tokens", map({{"input", tokens.input},
                                {"output", tokens.output},
                                {"total", tokens.total()},
                                {"cache-creation", tokens.cache_creation},
                                {"cache-read", tokens.cache_read}})},
                {"llm-requests", count(env_.totals.llm_calls)}});
}

/// The newest first.
std::vector<std::shared_ptr<const DataSet>> AgentRun::data_sets() const {
    std::vector<std::shared_ptr<const DataSet>> data(result_data_.rbegin(), result_data_.rend());
    data.push_back(context_data_);
    return data;
}

ptc::RunOptions AgentRun::program_options() {
    ptc::RunOptions run;
    run.data = data_sets();
    Limits limits = options().limits;
    limits.timeout = options().timeout;
    if (state_.deadline) limits.timeout = std::clamp(*state_.deadline - env_.now(), Millis(1), limits.timeout);
    if (env_.tape) {
        const MissionTape::ProgramTime time = env_.tape->begin_program();
        taped_program_ = time.number;
        limits.timeout_after_fuel = time.timeout_after_fuel;
        if (!time.has_clock) limits.timeout = Millis(0);
        run.clock_millis = [tape = env_.tape] { return tape->wall_millis(); };
    }
    run.limits = limits;
    run.want_datum = true;
    if (!is_combined()) run.signature = agent_->impl().signature;
    run.only_returns = !is_judgment();
    run.validation = mode();
    run.budget = [this] { return budget(); };
    return run;
}

void AgentRun::run_program(const std::string& code) {
    state_.program = code;
    state_.current.program = hidden(code);
    MissionEvent starts = event(MissionEvent::Kind::ProgramStart);
    starts.text = *state_.current.program;
    env_.emit(starts);
    state_.program_started = env_.now();
    state_.waited_for_agents = Millis(0);
    advance(session_->start(state_.program, program_options()));
}

void AgentRun::advance(ptc::RunState state) {
    while (auto* waiting = std::get_if<Suspended>(&state)) {
        std::vector<PendingUse> uses;
        for (ToolCall& call : waiting->calls) {
            PendingUse use;
            use.tool = std::move(call.name);
            use.arguments = std::move(call.arguments);
            uses.push_back(std::move(use));
        }
        state_.phase = Phase::Program;
        ask_tools(std::move(uses));
        if (!all_answered()) return;
        std::optional<ptc::RunState> next = resume_program();
        if (!next) return;
        state = std::move(*next);
    }
    on_outcome(std::move(std::get<Outcome>(state)));
}

void AgentRun::on_outcome(Outcome outcome) {
    Turn& turn = state_.current;
    turn.fuel = outcome.usage.fuel;
    turn.duration = outcome.usage.duration;
    turn.peak_heap_bytes = outcome.usage.peak_heap_bytes;
    state_.step.usage.peak_heap_bytes = std::max(state_.step.usage.peak_heap_bytes, outcome.usage.peak_heap_bytes);
    std::size_t kept = 0;
    for (const std::string& line : outcome.prints) {
        kept += line.size();
        if (kept <= kKeptPreview * 10) turn.prints.push_back(hidden(line));
    }
    switch (outcome.kind) {
    case Outcome::Kind::Error: return on_program_error(outcome);
    case Outcome::Kind::Fail: return on_program_fail(outcome);
    case Outcome::Kind::Ok:
    case Outcome::Kind::Return: return on_value(std::move(outcome));
    }
}

/// Requirement 204: a program that calls a tool which only the model itself may call.
std::string AgentRun::native_only_advice(const Outcome& outcome) const {
    if (outcome.error->reason != Reason::UnknownTool) return "";
    for (const AgentTool& tool : options().tools) {
        const bool is_meant = outcome.error->message.find("`" + tool.tool.name + "`") != std::string::npos;
        if (is_meant && agent_->impl().exposure_of(tool) == Exposure::Native)
            return "`" + tool.tool.name + "` is called natively, not from programs.";
    }
    return "";
}

void AgentRun::on_program_error(const Outcome& outcome) {
    if (env_.tape && outcome.error->reason == Reason::Timeout)
        env_.tape->program_timed_out(taped_program_, outcome.usage.fuel);
    const MissionReason reason = mission_reason_of(outcome);
    state_.is_result_refused = outcome.is_result_refused;
    Feedback told = feedback();
    told.prints = state_.current.prints;
    std::string message = without_firewalled_faults(outcome.error->message);
    std::string shown = without_firewalled_faults(rendered_error(state_.program, outcome));
    if (const std::string advice = native_only_advice(outcome); !advice.empty()) {
        (message += " ") += advice;
        (shown += advice) += "\n";
    }
    const std::string text = failure_text(told, reason_name(reason), shown);
    fail_turn(reason, message, text, Datum::object({{"language_reason", reason_name(outcome.error->reason)}}));
}

void AgentRun::on_program_fail(const Outcome& outcome) {
    Fail fail = fail_of(outcome);
    if (is_combined()) { // requirement 221
        state_.current.reason = reason_name(MissionReason::Failed);
        state_.current.message = hidden(fail.message);
        end_turn(false);
        answer_eval_error("", fail.message, failure_text(feedback(), fail.reason, fail.message), &*outcome.datum);
        return next_turn();
    }
    state_.current.reason = hidden(fail.reason);
    state_.current.message = hidden(fail.message);
    end_turn(false);
    finish(std::move(fail));
}

bool AgentRun::keep_memory(const std::vector<Definition>& changed) {
    state_.memory.update(changed);
    if (!options().memory_limit || state_.memory.total <= *options().memory_limit) return true;
    const std::string message = "What the programs defined is " + std::to_string(state_.memory.total) +
                                " bytes large, more than the limit of " + std::to_string(*options().memory_limit) + ".";
    state_.current.reason = reason_name(MissionReason::MemoryExceeded);
    state_.current.message = message;
    end_turn(false);
    fail(MissionReason::MemoryExceeded, message);
    return false;
}

void AgentRun::tell_memory(const std::vector<Definition>& changed, Feedback& told) {
    for (const auto& [name, value] : changed) {
        if (!value.ok() || !value.value()) continue;
        learn_secrets(state_.secrets, *value.value(), is_firewalled(name));
        told.stored.push_back(name + " " + shown_type_text(*value.value()));
    }
}

void AgentRun::rebuild_data() {
    Datum::Map all;
    for (const Datum& result : state_.results) {
        for (const auto& [key, value] : *result.map()) {
            const auto at = std::ranges::find(all, key, [](const auto& entry) -> const Datum& { return entry.first; });
            if (at == all.end())
                all.emplace_back(key, value);
            else
                at->second = value;
        }
    }
    state_.results = {Datum(std::move(all))};
    result_data_.clear();
}

/// Requirement 119: the whole result of a turn is data for the next ones.
bool AgentRun::keep_result(const Datum& value, Feedback& told) {
    if (!value.map() || value.map()->empty()) return true;
    Datum::Map named;
    for (const auto& [key, item] : *value.map()) {
        const std::string_view name = key_name(key);
        if (name.empty()) continue;
        named.emplace_back(Datum(name), item);
        told.new_data.push_back("data/" + std::string(name));
    }
    state_.results.push_back(Datum(std::move(named)));
    if (state_.results.size() > kMostResults) rebuild_data();
    Result<std::shared_ptr<const DataSet>> data = DataSet::from_datum(state_.results.back());
    if (!data.ok()) {
        state_.results.pop_back();
        return false;
    }
    result_data_.push_back(std::move(data).value());
    return true;
}

void AgentRun::on_value(Outcome outcome) {
    const std::vector<Definition> changed = definitions_of(*session_, outcome.changed_names);
    if (!keep_memory(changed)) return;
    const Datum& value = *outcome.datum;
    learn_secrets(state_.secrets, value);
    const bool is_end = !is_combined() && (outcome.kind == Outcome::Kind::Return || is_judgment());
    const bool is_kept = outcome.kind == Outcome::Kind::Ok; // requirement 226
    const Preview shown = preview(value, preview_limits(options().prompt_limit));
    state_.current.result = hidden(shown.text);
    if (is_end) {
        end_turn(true);
        return finish(std::nullopt, std::move(*outcome.datum));
    }
    Feedback told = feedback();
    told.result = shown.text;
    told.type = shown_type_text(value);
    told.is_cut = shown.is_cut;
    told.paging = paging_text(shown, is_kept);
    told.prints = outcome.prints;
    tell_memory(changed, told);
    std::vector<Fault> warnings;
    for (const ToolRecord& record : outcome.tool_calls)
        warnings.insert(warnings.end(), record.warnings.begin(), record.warnings.end());
    if (!warnings.empty()) told.warnings = without_firewalled_faults(validation_warnings_text(warnings));
    if (!keep_result(value, told))
        return fail_turn(
            MissionReason::MemoryExceeded, "The result is too large to become data.",
            failure_text(told, reason_name(MissionReason::MemoryExceeded), "The result is too large to become data."));
    end_turn(true);
    if (state_.eval_call)
        answer_eval_value(value, is_kept, told, changed);
    else
        say(hidden(success_text(told)));
    next_turn();
}

} // namespace ptc
