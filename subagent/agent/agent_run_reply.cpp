// Replies of the model: repeated when the call failed, else done what they ask for (reply_action.h). Every path ends
// the turn or waits for tools.
#include "frontend/try.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/answer.h"
#include "subagent/agent/eval_report.h"

namespace ptc {

// Requirements 149 to 151: such failures cost attempts, never turns.
void AgentRun::on_model_error(const LlmError& error) {
    MissionEnv& env = core_.env;
    limits_.count(error.usage);
    state_.step.usage.tokens += error.usage;
    const RetryPolicy policy = env.options.retry.value_or(core_.options().retry);
    const std::string why = error.kind_name() + (error.message.empty() ? "" : ": " + error.message);
    if (env.is_interrupted()) { // which may be why it failed
        state_.current.reason = reason_name(MissionReason::Interrupted);
        state_.current.message = core_.hidden(why);
        end_turn(false);
        return next_turn();
    }
    if (limits_.why_over_budget()) { // attempts that fail cost, too
        state_.current.reason = reason_name(MissionReason::LlmError);
        state_.current.message = core_.hidden(why);
        end_turn(false);
        return next_turn(); // which finds that there is none
    }
    if (policy.allows(error, state_.attempt)) {
        const Millis delay = policy.delay(state_.attempt, error, env.random());
        if (!state_.deadline || env.now() + delay < *state_.deadline) {
            MissionEvent retry = core_.event(MissionEvent::Kind::LlmRetry);
            retry.ok = false;
            retry.reason = error.kind_name();
            retry.message = core_.hidden(error.message);
            env.emit(retry);
            ++state_.attempt;
            return conversation_.ask(delay);
        }
    }
    state_.current.reason = reason_name(MissionReason::LlmError);
    state_.current.message = why;
    end_turn(false);
    if (limits_.is_late()) return next_turn();
    finish(
        because(MissionReason::LlmError,
                "The model could not be called, " + std::to_string(state_.attempt) +
                    (state_.attempt == 1 ? " attempt" : " attempts") + ". Last: " + why,
                Datum::object({{"kind", error.kind_name()}, {"attempts", static_cast<std::int64_t>(state_.attempt)}})));
}

/// Of a model before the one that answered.
void AgentRun::count_failure(const ModelFailure& failure) {
    limits_.count(failure.usage);
    state_.step.usage.tokens += failure.usage;
    MissionEvent retry = core_.event(MissionEvent::Kind::LlmRetry);
    retry.ok = false;
    retry.reason = failure.kind;
    retry.message = core_.hidden(failure.message);
    retry.model = failure.model;
    core_.env.emit(retry);
}

void AgentRun::on_reply(LlmResult result) {
    if (const auto* error = std::get_if<LlmError>(&result)) return on_model_error(*error);
    LlmReply& reply = std::get<LlmReply>(result);
    make_ids_unique(reply);
    const Guards::Decision decision = guards_.decide(GuardPoint::AfterModel, reply.text);
    if (decision.is_changed) reply.provider_state = {}; // it has the reply as it was
    for (const ModelFailure& failure : reply.failures)
        count_failure(failure);
    limits_.count(reply.usage);
    state_.step.usage.tokens += reply.usage;
    state_.current.tokens = reply.usage;
    state_.current.reply = core_.hidden(reply.text);
    MissionEvent arrived = core_.event(MissionEvent::Kind::LlmReply);
    arrived.text = state_.current.reply;
    arrived.reasoning = core_.hidden(reply.reasoning);
    arrived.model = reply.model;
    arrived.tokens = reply.usage;
    arrived.duration = core_.env.now() - state_.model_asked_at;
    core_.env.emit(arrived);
    state_.messages.push_back({.role = Message::Role::Assistant,
                               .content = reply.text,
                               .tool_calls = reply.tool_calls,
                               .provider_state = reply.provider_state});
    const bool is_late = limits_.is_late();
    if (is_late || core_.env.is_interrupted()) { // whoever stopped it wants nothing of the reply done
        state_.current.reason = reason_name(is_late ? MissionReason::MissionTimeout : MissionReason::Interrupted);
        end_turn(false);
        return next_turn(); // which finds that there is none
    }
    if (decision.question)
        return ask_somebody(GuardPoint::AfterModel, reply.text, *decision.question, state_.messages.size() - 1);
    if (decision.refusal) return refuse_reply(MissionReason::GuardRefused, *decision.refusal, reply.tool_calls);
    act(action_for(core_, reply), reply);
}

void AgentRun::refuse_reply(MissionReason reason, const std::string& why, const std::vector<ToolCall>& calls) {
    for (const ToolCall& call : calls) // requirement 225: every call has its answer
        conversation_.answer_call(call.id, eval_refusal(reason_name(reason), why), true);
    const std::string text = failure_text(conversation_.feedback(), reason_name(reason), why);
    fail_turn(reason, why, calls.empty() ? text : "");
}

void AgentRun::act(const ReplyAction& action, const LlmReply& reply) {
    switch (action.kind) {
    case ReplyAction::Kind::RunProgram: state_.eval_call = action.eval_call; return run_program(action.text);
    case ReplyAction::Kind::CallTools: return call_tools(reply);
    case ReplyAction::Kind::ReadAnswer: return read_answer_text(action.text);
    case ReplyAction::Kind::RefuseCalls:
        for (const ToolCall& call : reply.tool_calls) // requirement 225: every call has its answer
            conversation_.answer_call(call.id, eval_refusal(action.reason, action.message), true);
        return fail_turn(MissionReason::NoProgram, action.message, "");
    case ReplyAction::Kind::NoProgram:
        return fail_turn(MissionReason::NoProgram, "The reply has no program.",
                         reminder_text(conversation_.feedback()));
    case ReplyAction::Kind::LostProgram:
        return fail_turn(MissionReason::NoProgram, "The reply has a program in its text, which is not run.",
                         "Programs in text are not run. Call the tool lisp_eval with the program as its argument "
                         "`program`.");
    }
}

void AgentRun::call_tools(const LlmReply& reply) {
    std::vector<PendingUse> uses;
    for (const ToolCall& call : reply.tool_calls)
        uses.push_back(tools_.native_use(call));
    state_.phase = Phase::Native;
    tools_.ask(std::move(uses), conversation_.model());
    if (tools_.all_answered()) finish_native_calls();
}

void AgentRun::finish_native_calls() {
    tools_.record();
    if (tools_.is_handed_over()) return finish_handover();
    bool ok = true;
    const std::vector<Datum> contents =
        tools_.native_contents([this](const Datum& result) { return sandbox_.remember(result); });
    for (std::size_t i = 0; i < contents.size(); ++i) {
        PendingUse& use = state_.pending[i];
        const bool is_error = !std::holds_alternative<Datum>(*use.answer);
        state_.attached = std::move(use.attachments);
        conversation_.answer_call(use.call_id, contents[i], is_error);
        ok = ok && !is_error;
    }
    tools_.end();
    if (!ok) state_.current.reason = reason_name(MissionReason::ToolError);
    end_turn(ok);
    next_turn();
}

Result<Datum> AgentRun::guarded_answer(Datum answer, std::optional<std::string>* question) const {
    const Guards::Decision decision = guards_.decide(GuardPoint::Result, answer);
    if (question) *question = decision.question;
    if (decision.refusal && !(question && decision.question)) return Error(Reason::ValidationError, *decision.refusal);
    return decision.is_changed ? checked_answer(answer) : std::move(answer);
}

Result<Datum> AgentRun::checked_answer(const Datum& answer) const {
    Validation checked = PTC_TRY(
        validate(*core_.impl().signature, Direction::Output, answer, {.mode = core_.mode(), .is_json_text = true}));
    if (!checked.ok) return Error(Reason::ValidationError, validation_errors_text(checked.errors));
    return std::move(checked.data);
}

Result<Datum> AgentRun::fitting_answer(const Datum& answer) const {
    return guarded_answer(PTC_TRY(checked_answer(answer)));
}

void AgentRun::read_answer_text(const std::string& text) {
    if (text.empty())
        return fail_turn(MissionReason::NoProgram, "The reply is empty.",
                         wrong_answer_text(conversation_.feedback(), "It is empty."));
    std::vector<Fault> warnings;
    Result<Datum> answer = read_answer(text, *core_.impl().signature, core_.mode(), &warnings);
    core_.warn(state_.current.warnings, "result", warnings);
    std::optional<std::string> question;
    if (answer.ok() && guards_.look_at(GuardPoint::Result))
        answer = guarded_answer(std::move(answer).value(), &question);
    if (answer.ok()) {
        const Preview shown = preview(answer.value(), preview_limits(core_.options().prompt_limit));
        state_.current.result = core_.hidden(shown.text);
        if (question) return ask_somebody(GuardPoint::Result, std::move(answer).value(), std::move(*question));
        end_turn(true);
        return finish(std::nullopt, std::move(answer).value());
    }
    const bool is_json = answer.error().reason != Reason::InvalidJson;
    const MissionReason reason = is_json ? MissionReason::ValidationError : MissionReason::InvalidAnswer;
    state_.is_result_refused = true;
    const std::string message = without_firewalled_faults(answer.error().message);
    fail_turn(reason, message, wrong_answer_text(conversation_.feedback(), message));
}

} // namespace ptc
