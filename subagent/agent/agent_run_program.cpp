// Programs of replies: run until they end or wait for tools, and then what they gave goes into the trace, into memory
// and data, and as a text to the model. A program of a mission ends it with (return v) or (fail v), a judgment's with
// its value; beside an answer in text it never does (requirement 221).
#include "frontend/quoted.h"
#include "frontend/work.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/eval_report.h"
#include "subagent/agent/held_results.h"
#include "subagent/agent/outcome_facts.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMostPrinted = 20'000; ///< bytes of printed lines in a trace

/// Requirement 204: what to say of a program that calls a tool which only the model itself may call; "" for others.
std::string native_only_advice(const AgentCore& core, const Outcome& outcome) {
    if (outcome.error->reason != Reason::UnknownTool) return "";
    for (const AgentTool& tool : core.options().tools) {
        const bool is_meant = outcome.error->message.find(quoted(tool.tool.name)) != std::string::npos;
        if (is_meant && core.impl().exposure_of(tool) == Exposure::Native)
            return quoted(tool.tool.name) + " is called natively, not from programs.";
    }
    return "";
}

/// What a program defined: what is told of it, and its firewalled values.
struct SeenDefinitions {
    explicit SeenDefinitions(std::optional<ShownDefinitions> to_be_shown) : shown(std::move(to_be_shown)) {}
    void add(const Definition& one) {
        if (!one.value.ok()) secrets.is_full = true; // it may hold what nobody could look for
        if (one.value.ok() && one.value.value()) learn_secrets(secrets, *one.value.value(), is_firewalled(one.name));
        if (std::optional<std::string> line = stored_line(one)) lines.push_back(std::move(*line));
        if (shown) shown->add(one);
    }
    std::vector<std::string> lines{};
    Secrets secrets{};
    std::optional<ShownDefinitions> shown; ///< to a model that has called
};

std::string warnings_text(const std::vector<ToolRecord>& calls) {
    std::vector<Fault> warnings;
    for (const ToolRecord& call : calls)
        warnings.insert(warnings.end(), call.warnings.begin(), call.warnings.end());
    return warnings.empty() ? "" : without_firewalled_faults(validation_warnings_text(warnings));
}

/// What became of definitions that are too large.
std::string moved_text(const std::vector<NewData>& moved, bool is_first) {
    std::string text = is_first ? "" : "\n";
    for (const NewData& one : moved)
        text += "`" + one.definition + "` is too large for a definition; it is data/" + one.name + " from now on. ";
    return text + "Define what you need of it: counts, sums, a selection.";
}

/// "a list of 5000, [{id :int}]", and a program that reads a part of it.
std::pair<std::string, std::string> part_of(const std::string& name, const Datum& value) {
    const std::string type = shown_type_text(value), whole = "data/" + name;
    if (const std::string* text = value.text())
        return {"a text of " + std::to_string(text->size()) + " bytes", "(subs " + whole + " 0 1000)"};
    const std::string size = std::to_string(value.size());
    if (value.map()) return {"a map of " + size + ", " + type, "(keys " + whole + ")"};
    if (!value.list()) return {type, whole};
    return {"a list of " + size + ", " + type, "(take 5 " + whole + ")"};
}

/// The first that failed of the last `count` calls, as a sentence: one that was not made can be made again. "": none.
std::string failed_call(const std::vector<ToolUse>& calls, std::size_t count) {
    const auto last = calls.end() - static_cast<std::ptrdiff_t>(std::min(count, calls.size()));
    const auto found = std::find_if(last, calls.end(), [](const ToolUse& call) { return !call.error.empty(); });
    return found == calls.end() ? "" : " The call of `" + found->name + "` failed: " + found->error;
}

} // namespace

void AgentRun::run_program(const std::string& code) {
    state_.program = code;
    const Guards::Decision decision = guards_.decide(GuardPoint::BeforeProgram, state_.program);
    state_.current.program = core_.hidden(state_.program);
    if (decision.question) return ask_somebody(GuardPoint::BeforeProgram, state_.program, *decision.question);
    if (decision.refusal) return refuse(*decision.refusal);
    start_program();
}

void AgentRun::start_program() {
    MissionEvent starts = core_.event(MissionEvent::Kind::ProgramStart);
    starts.text = *state_.current.program;
    core_.env.emit(starts);
    journal_.end_program(false); // what one reported that was given up
    advance(sandbox_.start());
}

void AgentRun::refuse(const std::string& why) {
    const Feedback feedback = conversation_.feedback();
    fail_turn(MissionReason::GuardRefused, why,
              failure_text(feedback, told_reason(feedback, MissionReason::GuardRefused), why));
}

void AgentRun::advance(RunState state) {
    while (auto* waiting = std::get_if<Suspended>(&state)) {
        if (state_.current.tool_calls.empty()) { // else what they gave would be lost
            const std::optional<std::string> why = sandbox_.why_memory_exceeded();
            if (why && work::is_over()) return end_by_time();
            if (why) return refuse_call(*why, waiting->calls[0].name);
        }
        std::vector<PendingUse> uses;
        for (std::size_t i = 0; i < waiting->calls.size(); ++i)
            uses.push_back(program_use(std::move(waiting->calls[i]), i));
        state_.phase = Phase::Program;
        tools_.ask(std::move(uses), conversation_.model());
        if (!tools_.all_answered()) return;
        std::optional<RunState> next = resume_program();
        if (!next) return;
        state = std::move(*next);
    }
    on_outcome(std::move(std::get<Outcome>(state)));
}

/// Call `i` of those that the program waits for.
PendingUse AgentRun::program_use(ToolCall call, std::size_t i) const {
    PendingUse use;
    use.tool = std::move(call.name);
    use.arguments = std::move(call.arguments);
    const AgentTool* tool = core_.impl().find_tool(use.tool);
    // A function that was defined before can call what its server has taken away since.
    if (!tool) use.answer = Error(Reason::ToolError, "It is not there any more.");
    const bool may_be_asked = tool && (tool->tool.approval || guards_.look_at(GuardPoint::BeforeTool));
    if (!may_be_asked) return use;
    const LineColumn place = sandbox_.call_position(i).value_or(LineColumn{0, 0});
    use.line = place.line;
    use.column = place.column;
    return use;
}

/// Goes on with the program, whose tools have all answered; none when that ended the turn.
std::optional<RunState> AgentRun::resume_program() {
    tools_.record();
    if (tools_.is_handed_over()) {
        finish_handover();
        return std::nullopt;
    }
    if (tools_.has_agents()) state_.waited_for_others += core_.env.now() - state_.asked_at;
    const bool is_over = limits_.is_late() || core_.env.is_interrupted();
    if (!is_over) sandbox_.hold(state_.pending);
    std::vector<ToolAnswer> answers = tools_.take_answers();
    if (is_over) {
        end_by_time();
        return std::nullopt;
    }
    const Millis used = sandbox_.time_used();
    const Millis most = core_.options().timeout;
    if (used < most) return sandbox_.resume(std::move(answers));
    sandbox_.abandon();
    const std::string message = "The program and its tools took " + std::to_string(used.count()) +
                                " ms, more than the limit of " + std::to_string(most.count()) + " ms." +
                                failed_call(state_.current.tool_calls, answers.size());
    const Feedback feedback = conversation_.feedback();
    fail_turn(MissionReason::Timeout, message,
              failure_text(feedback, told_reason(feedback, MissionReason::Timeout), message));
    return std::nullopt;
}

// ---- Outcomes

void AgentRun::on_outcome(Outcome outcome) {
    Turn& turn = state_.current;
    turn.fuel = outcome.usage.fuel;
    turn.duration = outcome.usage.duration;
    turn.peak_heap_bytes = outcome.usage.peak_heap_bytes;
    state_.step.usage.peak_heap_bytes = std::max(state_.step.usage.peak_heap_bytes, outcome.usage.peak_heap_bytes);
    std::size_t printed = 0;
    for (const std::string& line : outcome.prints) {
        printed += line.size();
        if (printed <= kMostPrinted) turn.prints.push_back(core_.hidden(line));
    }
    for (const ToolRecord& call : outcome.tool_calls)
        core_.warn(turn.warnings, call.name, call.warnings);
    core_.warn(turn.warnings, "result", outcome.result_warnings);
    if (outcome.kind != Outcome::Kind::Error) sandbox_.drop_held();
    switch (outcome.kind) {
    case Outcome::Kind::Error: return on_program_error(outcome);
    case Outcome::Kind::Fail: return on_program_fail(outcome);
    case Outcome::Kind::Ok:
    case Outcome::Kind::Return: return on_value(std::move(outcome));
    }
}

/// What the tools gave for which the program had no room: each has done what it does.
void AgentRun::keep_results(Outcome& outcome) {
    const bool is_stopped = !core_.env.tape && core_.env.options.stop.stop_requested();
    if (state_.held.empty() || is_stopped || work::is_over()) return; // nobody will read it
    const std::vector<KeptCalls> kept = sandbox_.keep_held();
    const std::vector<HeldCall>& all = state_.held;
    std::string text;
    bool has_several = false, has_failed = false;
    for (const KeptCalls& one : kept) {
        const std::string& name = one.data.name;
        const auto [what, program] = part_of(name, *sandbox_.newest_data(name));
        text += "What " + (all.size() == 1 ? "the tool" : calls_text(one.calls, all)) + " gave is data/" + name +
                " from now on: " + what + ". Read a part of it, as " + program +
                ", and do not call the tool again for it. ";
        if (one.calls.size() == 1) continue;
        has_several = true;
        has_failed = has_failed || std::ranges::any_of(one.calls, [&](std::size_t i) {
                         return all[i].state == HeldCall::State::Failed;
                     });
    }
    if (has_several) text += "Of several calls of a tool it is a list, in their order";
    if (has_several) text += has_failed ? ", with nil for one that failed. " : ". ";
    text += unkept_text(all) + "What the program defined is not there.";
    std::string& hint = outcome.error->hint;
    hint = kept.empty() && !hint.empty() ? hint + " " + text : std::move(text);
}

void AgentRun::on_program_error(Outcome& outcome) {
    sandbox_.note_error(outcome);
    if (outcome.error->reason == Reason::MemoryExceeded) keep_results(outcome);
    sandbox_.drop_held();
    if (const std::optional<std::string> why = sandbox_.take_refusal()) return refuse(*why);
    const MissionReason reason = mission_reason_of(outcome);
    state_.is_result_refused = outcome.is_result_refused;
    Feedback feedback = conversation_.feedback();
    feedback.prints = state_.current.prints;
    if (reason == MissionReason::MemoryExceeded) feedback.calls.clear(); // keep_results says more of them
    std::string message = without_firewalled_faults(outcome.error->message);
    std::string shown = without_firewalled_faults(rendered_error(state_.program, outcome));
    if (const std::string advice = native_only_advice(core_, outcome); !advice.empty()) {
        (message += " ") += advice;
        (shown += advice) += "\n";
    }
    const std::string text = failure_text(feedback, told_reason(feedback, reason), shown);
    fail_turn(reason, message, text, Datum::object({{"language_reason", reason_name(outcome.error->reason)}}));
}

void AgentRun::on_program_fail(const Outcome& outcome) {
    Fail fail = fail_of(outcome);
    state_.current.reason =
        core_.is_combined() ? std::string(reason_name(MissionReason::Failed)) : core_.hidden(fail.reason);
    state_.current.message = core_.hidden(fail.message);
    end_turn(false);
    if (!core_.is_combined()) return finish(std::move(fail));
    const std::string text = failure_text(conversation_.feedback(), fail.reason, fail.message);
    conversation_.answer_eval_error("", fail.message, text, &*outcome.datum);
    next_turn();
}

void AgentRun::on_value(Outcome outcome) {
    const auto nothing_seen = [this] {
        return SeenDefinitions(state_.eval_call ? std::optional(conversation_.shown_definitions()) : std::nullopt);
    };
    SeenDefinitions changed = nothing_seen();
    const auto see = [&changed](const Definition& one) { changed.add(one); };
    std::vector<NewData> moved;
    const std::optional<std::string> why = sandbox_.why_memory_exceeded(outcome.changed_names, see);
    if (why && work::is_over()) { // what could not be measured in time is not too large for that
        sandbox_.take_back(outcome.changed_names);
        return end_by_time();
    }
    // What tools gave is not lost for it.
    const bool is_moved = why && !outcome.tool_calls.empty() && sandbox_.move_to_data(outcome.changed_names, moved);
    if (const std::optional<std::string> refusal = sandbox_.take_refusal()) {
        sandbox_.take_back(outcome.changed_names);
        return refuse(*refusal);
    }
    if (why && !is_moved)
        return outcome.tool_calls.empty() ? end_by_memory(*why, outcome) : refuse_definitions(*why, outcome);
    if (!why) sandbox_.keep();
    const bool has_progress = journal_.end_program(true);
    const Datum& value = *outcome.datum;
    learn_secrets(state_.secrets, value);
    const bool is_kept = outcome.kind == Outcome::Kind::Ok;    // requirement 226
    const bool has_own_keys = is_kept && !core_.is_judgment(); // whose value is the result
    const Preview shown = preview(value, result_limits(preview_limits(core_.options().prompt_limit), has_own_keys));
    state_.current.result = core_.hidden(shown.text);
    if (!core_.is_combined() && (outcome.kind == Outcome::Kind::Return || core_.is_judgment())) {
        if (std::optional<std::string> question = sandbox_.take_question())
            return ask_somebody(GuardPoint::Result, std::move(*outcome.datum), std::move(*question));
        end_turn(true);
        return finish(std::nullopt, std::move(*outcome.datum));
    }
    Feedback feedback = conversation_.feedback();
    feedback.result = shown.text;
    feedback.type = shown_type_text(value);
    feedback.is_cut = shown.is_cut;
    feedback.prints = outcome.prints;
    if (is_moved) { // the others alone are definitions
        std::vector<std::string> left = outcome.changed_names;
        std::erase_if(left, [&](const std::string& name) {
            return std::ranges::find(moved, name, &NewData::definition) != moved.end();
        });
        changed = nothing_seen();
        sandbox_.see_definitions(left, see);
    }
    learn_secrets(state_.secrets, changed.secrets);
    feedback.stored = std::move(changed.lines);
    feedback.warnings = warnings_text(outcome.tool_calls);
    if (is_moved) feedback.warnings += moved_text(moved, feedback.warnings.empty());
    feedback.new_data = std::move(moved);
    if (const std::string seen = core_.hidden(sandbox_.warnings(outcome)); !seen.empty())
        feedback.warnings += (feedback.warnings.empty() ? "" : "\n") + seen;
    if (!sandbox_.keep_result(value, feedback.new_data)) {
        if (work::is_over()) return end_by_time();
        const std::string message = "The result is too large to become data.";
        return fail_turn(MissionReason::MemoryExceeded, message,
                         failure_text(feedback, told_reason(feedback, MissionReason::MemoryExceeded), message));
    }
    feedback.paging = paging_text(shown, is_kept, feedback.new_data);
    if (has_progress) feedback.progress = core_.hidden(journal_.progress_text());
    end_turn(true);
    if (state_.eval_call)
        conversation_.answer_eval_value(value, is_kept, feedback, *changed.shown, sandbox_.names());
    else
        conversation_.say(core_.hidden(success_text(feedback)));
    next_turn();
}

/// The mission ends here: its time is over, or its host has stopped it.
void AgentRun::end_by_time() {
    sandbox_.abandon();
    state_.current.reason =
        reason_name(core_.env.is_interrupted() ? MissionReason::Interrupted : MissionReason::MissionTimeout);
    end_turn(false);
    next_turn(); // which finds that there is none
}

/// How to go on with less.
constexpr std::string_view kDefineLess = "Define less: a count, a sum, a selection, or a function that computes it.";

void AgentRun::refuse_call(const std::string& why, const std::string& tool) {
    sandbox_.abandon();
    const Feedback feedback = conversation_.feedback();
    const std::string message = why + " So " + quoted(tool) + " was not called, and nothing of them is kept.";
    fail_turn(MissionReason::MemoryExceeded, message,
              failure_text(feedback, told_reason(feedback, MissionReason::MemoryExceeded),
                           message + "\n" + std::string(kDefineLess)));
}

void AgentRun::end_by_memory(const std::string& why, const Outcome& outcome) {
    sandbox_.take_back(outcome.changed_names);
    state_.current.reason = reason_name(MissionReason::MemoryExceeded);
    state_.current.message = why;
    end_turn(false);
    finish(because(MissionReason::MemoryExceeded, why));
}

void AgentRun::refuse_definitions(const std::string& why, const Outcome& outcome) {
    sandbox_.take_back(outcome.changed_names);
    Feedback feedback = conversation_.feedback();
    feedback.prints = state_.current.prints;
    std::string message = why + " Nothing of them is kept.";
    learn_secrets(state_.secrets, *outcome.datum);
    if (sandbox_.remember(*outcome.datum))
        message += " The tools need not be called again for the program's value: it is *1 of the next program.";
    fail_turn(MissionReason::MemoryExceeded, message,
              failure_text(feedback, told_reason(feedback, MissionReason::MemoryExceeded),
                           message + "\n" + std::string(kDefineLess)));
}

} // namespace ptc
