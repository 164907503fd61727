// An agent at work. A turn is one call of the model and what its reply asks for: a program to run, tools to call, or an
// answer to read. Nothing here waits: whatever needs the outside (a reply, a tool) puts a need into the mission and
// returns; `take` goes on from where the phase says when the answer comes. So a mission is plain data between two
// answers (AgentState), and any number of agents can wait at the same time.
//
//   next_turn -> Model --reply--> program -> Program --answers--> .. -> value, error or fail
//                                 native calls -> Native --answers--> results to the model
//                                 text -> answer
//   and each of these ends the turn: next_turn again, or finish -> Done
//
// Where a guard asks somebody (Question), the agent goes on with the answer from where it stood.
//
// This file has the turns themselves, agent_run_reply.cpp the replies, agent_run_program.cpp the programs.
#include "subagent/agent/agent_run.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "subagent/agent/agent_feed.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/context_check.h"
#include "subagent/agent/eval_report.h"
#include "subagent/agent/mission_snapshot.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace ptc {
namespace {

/// AgentOptions::float_precision, in every number of a result.
Datum rounded(const Datum& value, unsigned decimals) {
    if (const double* x = value.get_if<double>()) {
        const double scale = std::pow(10.0, decimals);
        const double scaled = *x * scale;
        return std::isfinite(scaled) ? Datum(std::round(scaled) / scale) : value;
    }
    if (const auto* items = value.list()) {
        Datum::List out;
        for (const Datum& item : *items)
            out.push_back(rounded(item, decimals));
        return Datum(std::move(out));
    }
    if (const auto* entries = value.map()) {
        Datum::Map out;
        for (const auto& [key, item] : *entries)
            out.emplace_back(key, rounded(item, decimals));
        return Datum(std::move(out));
    }
    return value;
}

/// The first name of a model, of an agent that is a tool at any depth, that is not registered. `seen` bounds the walk.
std::optional<Fail> unknown_model(const Agent& agent, const ModelRegistry& registry, std::set<const Agent*>& seen) {
    if (!seen.insert(&agent).second) return std::nullopt;
    for (const AgentTool& tool : agent.options().tools) {
        const Agent* called = AgentImpl::agent_of(tool, agent);
        if (!called) continue;
        if (!tool.model.call && !tool.model.name.empty() && !registry.contains(tool.model.name))
            return because(MissionReason::ModelNotFound, "No model is registered as `" + tool.model.name +
                                                             "`, which the agent " + quoted(tool.tool.name) +
                                                             " is to use.");
        if (std::optional<Fail> fail = unknown_model(*called, registry, seen)) return fail;
    }
    return std::nullopt;
}

} // namespace

AgentRun::AgentRun(AgentPtr agent, MissionEnv& env, AgentState& state)
    : core_{std::move(agent), env, state}, guards_(core_), state_(state), limits_(core_), conversation_(core_, limits_),
      compactor_(core_), journal_(core_), sandbox_(core_, limits_, guards_, journal_), tools_(core_, guards_) {}

// ---- The beginning

void AgentRun::begin(RunInputs inputs, const ModelRef& model, const Llm* callers) {
    MissionTotals& totals = core_.env.totals;
    state_.run = ++totals.last_run;
    MissionEvent starts = core_.event(MissionEvent::Kind::MissionStart);
    starts.signature = signature_text(core_.agent->signature());
    starts.text = inputs.user_message.empty() ? core_.options().prompt : inputs.user_message;
    core_.env.emit(starts);
    if (state_.depth > totals.max_depth)
        return finish(because(MissionReason::MaxDepthExceeded,
                              "Agents call agents more than " + std::to_string(totals.max_depth) + " levels deep."));
    if (!prepare(std::move(inputs))) return;
    if (std::optional<Fail> fail = conversation_.choose_model(model, callers)) return finish(std::move(fail));
    std::set<const Agent*> seen;
    if (state_.depth == 0) { // before anything is paid, though perhaps nobody would call the agent
        if (std::optional<Fail> fail = unknown_model(*core_.agent, core_.env.options.registry, seen))
            return finish(std::move(fail));
    }
    next_turn();
}

bool AgentRun::prepare(RunInputs inputs) {
    std::optional<Fail> why = why_not_ready(std::move(inputs));
    if (why && work::is_over()) why = because(MissionReason::MissionTimeout, "The mission takes longer than allowed.");
    if (why) finish(std::move(why));
    return !is_done();
}

std::optional<Fail> AgentRun::why_not_ready(RunInputs inputs) {
    limits_.begin(inputs.caller);
    if (inputs.caller) learn_secrets(state_.secrets, inputs.caller->secrets); // under whatever name they come
    state_.messages = std::move(inputs.history);
    state_.former_data = std::move(inputs.former_data);
    state_.step.signature = signature_text(core_.agent->signature());
    sandbox_.open();
    state_.context_signature = inputs.context_signature;
    if (std::optional<Fail> fail = conversation_.read_context_types()) return fail;
    if (std::optional<Fail> fail = take_context(core_, std::move(inputs.context))) return fail;
    if (state_.depth == 0) {
        if (std::optional<Fail> fail = take_shared_data(core_)) return fail;
    }
    if (std::optional<Fail> fail = check_strictness(core_)) return fail;
    if (std::optional<Fail> fail = sandbox_.define(inputs.memory)) return fail;
    if (std::optional<Fail> fail = journal_.begin(inputs.tasks, inputs.done_steps)) return fail;
    if (std::optional<Fail> fail = conversation_.write_prompt(inputs.user_message, std::move(inputs.attachments)))
        return fail;
    state_.messages.back().content += journal_.head_text();
    state_.head_messages = state_.messages.size();
    const Result<void> imported = sandbox_.import_context();
    if (!imported.ok()) return because(MissionReason::MemoryExceeded, imported.error().message);
    return std::nullopt;
}

// ---- Turns

void AgentRun::next_turn() {
    if (std::optional<Fail> why = limits_.why_no_turn()) {
        if (!state_.step.trace.empty() && !state_.step.trace.back().ok) {
            const Turn& last = state_.step.trace.back();
            why->details =
                Datum::object({{"last_error", Datum::object({{"reason", last.reason}, {"message", last.message}})}});
        }
        return finish(std::move(why));
    }
    renew_tools();
    if (may_ask(state_.messages.size())) begin_turn();
}

void AgentRun::begin_turn() {
    if (state_.turn >= core_.options().max_turns) ++state_.retries;
    ++state_.turn;
    limits_.count_turn();
    ++state_.step.usage.turns;
    state_.current = Turn{.number = state_.turn};
    state_.attempt = 1;
    state_.is_result_refused = false;
    compactor_.compact([this] { return conversation_.make_system_text().text.size(); },
                       [this] { return sandbox_.names(); });
    emit_turn_start();
    conversation_.ask(Millis(0));
}

AgentPtr AgentRun::newest_agent() {
    const auto ask = [this] { return with_fed_tools(core_.agent, state_.turn == 0, core_.env.stopping.get_token()); };
    if (!core_.env.tape) return ask();
    AgentPtr newest = core_.agent;
    const auto changed =
        core_.env.tape->changed_tools(state_.run, state_.turn, [&]() -> std::optional<std::vector<Tool>> {
            newest = ask();
            return newest == core_.agent ? std::nullopt : std::optional(fed_tools(*newest));
        });
    if (changed && newest == core_.agent) newest = with_tools(core_.agent, *changed); // repeated
    return newest ? newest : core_.agent;
}

void AgentRun::renew_tools() {
    AgentPtr newest = newest_agent();
    // What cannot go on there stays where it is, with the tools that it knows.
    if (newest != core_.agent && sandbox_.move_to(*impl_of(*newest).engine).ok()) core_.agent = std::move(newest);
    conversation_.tell_tools();
}

bool AgentRun::may_ask(std::size_t end) {
    for (std::size_t i = end; i-- > 0;) {
        Message& message = state_.messages[i];
        if (message.role == Message::Role::Assistant) break;
        const Guards::Decision decision =
            guards_.decide(GuardPoint::BeforeModel, message.content, &message.attachments);
        if (decision.question) {
            ask_somebody(GuardPoint::BeforeModel, message.content, *decision.question, i);
            return false;
        }
        if (!decision.refusal) continue;
        finish(because(MissionReason::GuardRefused, *decision.refusal));
        return false;
    }
    return true;
}

void AgentRun::emit_turn_start() const {
    MissionEvent starts = core_.event(MissionEvent::Kind::TurnStart);
    if (core_.env.options.on_event) { // else nobody reads the texts
        starts.text = core_.hidden(conversation_.new_text());
        if (state_.turn == 1) starts.system = core_.hidden(conversation_.make_system_text().text);
    }
    core_.env.emit(starts);
}

void AgentRun::end_turn(bool ok) {
    state_.current.ok = ok;
    state_.failures_in_row = ok ? 0 : state_.failures_in_row + 1;
    MissionEvent stop = core_.event(MissionEvent::Kind::TurnStop);
    stop.ok = ok;
    stop.reason = state_.current.reason;
    stop.message = state_.current.message;
    stop.tokens = state_.current.tokens;
    stop.duration = state_.current.duration;
    state_.step.warnings.add(state_.current.warnings);
    const BoundaryWarnings warnings = state_.current.warnings;
    stop.warnings = &warnings;
    state_.step.usage.fuel += state_.current.fuel;
    state_.step.trace.push_back(std::move(state_.current));
    state_.current = {};
    stop.record = &state_.step.trace.back();
    core_.env.emit(stop);
}

void AgentRun::fail_turn(MissionReason reason, std::string message, std::string text, Datum details) {
    state_.current.reason = reason_name(reason);
    state_.current.message = core_.hidden(message);
    end_turn(false);
    if (state_.eval_call)
        conversation_.answer_eval_error(reason_name(reason), message, text);
    else
        conversation_.say(core_.hidden(text));
    // What a judgment fails by is its failure, and so is a result that was never right.
    const std::size_t most = core_.options().max_turns;
    const bool is_last = state_.turn >= most && !limits_.may_retry();
    const bool is_whole_failure = (most == 1 && !core_.is_combined()) || state_.is_result_refused;
    if (is_last && is_whole_failure && reason != MissionReason::NoProgram && !limits_.is_late())
        return finish(because(reason, std::move(message), std::move(details)));
    next_turn();
}

void AgentRun::finish_handover() {
    Step other = tools_.take_handover();
    if (state_.phase == Phase::Program) sandbox_.abandon();
    const std::string who = quoted(state_.pending.front().tool); // it stands alone in its round
    const std::string call_id = state_.pending.front().call_id;
    const bool is_native = state_.phase == Phase::Native;
    tools_.end();
    std::optional<Result<Datum>> answer;
    if (other.ok) answer = fitting_answer(std::move(other.value));
    if (answer && !answer->ok()) { // its result is this agent's, which goes on as after any result that is refused
        const std::string why =
            who + " took over, and its result is refused. " + without_firewalled_faults(answer->error().message);
        state_.is_result_refused = true;
        const std::string_view reason = reason_name(MissionReason::ValidationError);
        if (is_native) conversation_.answer_call(call_id, eval_refusal(reason, why), true);
        const std::string text = is_native ? "" : failure_text(conversation_.feedback(), reason, why);
        return fail_turn(MissionReason::ValidationError, why, text);
    }
    const Datum handed_over = Datum::object({{"status", "handed_over"}});
    if (is_native)
        conversation_.answer_call(call_id, handed_over, false);
    else if (state_.eval_call)
        conversation_.answer_eval(handed_over, false);
    else
        conversation_.say("[" + who + " took over.]");
    if (answer) {
        Datum value = std::move(*answer).value();
        conversation_.note_answer(value);
        state_.step.handed_over = std::move(other.handed_over);
        end_turn(true);
        return finish(std::nullopt, std::move(value));
    }
    state_.current.reason = core_.hidden(other.fail->reason);
    state_.current.message = core_.hidden(other.fail->message);
    end_turn(false);
    finish(std::move(other.fail));
}

void AgentRun::finish(std::optional<Fail> fail, Datum value) {
    Step& step = state_.step;
    const std::optional<unsigned>& decimals = core_.options().float_precision;
    step.ok = !fail;
    step.fail = std::move(fail);
    if (step.ok) step.value = decimals ? rounded(value, *decimals) : std::move(value);
    step.memory = sandbox_.memory();
    step.data_names = data_names(state_.results);
    if (core_.options().journaling) step.tasks = journal_.tasks();
    if (journal_.is_on()) step.done_steps = journal_.done_steps();
    if (state_.eval_call)
        conversation_.answer_eval(
            Datum::object({{"status", step.ok ? "ok" : "error"}, {"message", "The mission has ended."}}), !step.ok);
    step.messages = state_.messages;
    step.usage.duration = std::chrono::duration_cast<std::chrono::microseconds>(core_.env.now() - state_.started);
    state_.phase = Phase::Done;
    state_.model_need = 0;
    state_.question.reset();
    emit_end();
}

void AgentRun::emit_end() const {
    const Step& step = state_.step;
    MissionEvent stop = core_.event(MissionEvent::Kind::MissionStop);
    stop.ok = step.ok;
    if (step.fail) {
        stop.reason = core_.hidden(step.fail->reason);
        stop.message = core_.hidden(step.fail->message);
    }
    stop.tokens = step.usage.tokens;
    stop.duration = step.usage.duration;
    stop.usage = &step.usage;
    stop.warnings = &step.warnings;
    if (step.ok && core_.env.options.on_event) {
        const Preview shown = preview(step.value, preview_limits(core_.options().prompt_limit));
        stop.result = core_.hidden(shown.text);
        stop.is_cut = shown.is_cut;
    }
    core_.env.emit(stop);
}

// ---- From outside

void AgentRun::interrupt() {
    if (is_done()) return;
    tools_.interrupt();
    if (state_.phase == Phase::Program) sandbox_.abandon();
    finish(because(MissionReason::Interrupted, "The host stopped the mission."));
}

bool AgentRun::take(Arrival& arrival) {
    if (is_done()) return false;
    if (state_.model_need == arrival.id && arrival.reply) {
        state_.model_need = 0;
        on_reply(std::move(*arrival.reply));
        return true;
    }
    if (state_.question && state_.question->need == arrival.id) {
        if (arrival.approval) take_decision(std::move(*arrival.approval));
        return arrival.approval.has_value();
    }
    if (!tools_.take(arrival)) return false;
    if (!tools_.all_answered()) return true;
    if (state_.phase == Phase::Native)
        finish_native_calls();
    else if (std::optional<RunState> next = resume_program())
        advance(std::move(*next));
    return true;
}

// ---- Snapshots

Result<void> AgentRun::save(ByteWriter& out) const {
    write_state(out, state_, core_.env.now(), core_.env.attachments);
    if (is_done()) return {};
    PTC_CHECK(sandbox_.save(out));
    return tools_.save(out);
}

/// Looked at anew, as nothing of them is in the bytes: what the root of the mission reads, and what all of its agents
/// keep from their models.
Result<void> AgentRun::restore_shared_data() {
    if (state_.depth == 0) {
        BoundaryWarnings known = state_.step.warnings; // theirs are among them
        const std::optional<Fail> fail = take_shared_data(core_);
        state_.step.warnings = std::move(known);
        return fail ? Result<void>(Error(Reason::InvalidRequest, fail->message)) : Result<void>();
    }
    for (const auto& set : core_.env.options.data)
        state_.secrets.shared.push_back(secrets_of(*set));
    return {};
}

Result<void> AgentRun::restore(ByteReader& in, const ModelRef& model, const Llm* callers) {
    read_state(in, state_, core_.env.now(), core_.env.attachments);
    if (core_.env.attachments.has_missed())
        return bad_snapshot(
            "an attachment is missing, or a long text, among those that were kept beside it, or is another one");
    if (!in.ok() || state_.phase == Phase::New) return bad_snapshot("the state of an agent is malformed");
    if (is_done()) {
        if (state_.secrets.empty()) return {};
        Step& step = state_.step;
        step.memory.secrets = std::make_shared<const Secrets>(state_.secrets);
        if (step.handed_over) step.handed_over->memory.secrets = step.memory.secrets;
        return {};
    }
    // A level of the C++ stack for a level of agents.
    if (state_.depth > core_.env.totals.max_depth) return bad_snapshot("agents call agents more deeply than allowed");
    if (std::optional<Fail> fail = conversation_.read_context_types())
        return Error(Reason::InvalidSnapshot, fail->message);
    if (!state_.context.map()) return bad_snapshot("the state of an agent is malformed");
    PTC_CHECK(restore_shared_data());
    PTC_CHECK(sandbox_.restore_data());
    limits_.tighten();
    if (std::optional<Fail> fail = conversation_.choose_model(model, callers))
        return Error(Reason::InvalidRequest, fail->message);
    PTC_CHECK(sandbox_.restore(in));
    PTC_CHECK(tools_.restore(in, conversation_.model()));
    if (state_.phase == Phase::Model) conversation_.ask_again();
    if (state_.phase == Phase::Question) need_somebody();
    return {};
}

} // namespace ptc
