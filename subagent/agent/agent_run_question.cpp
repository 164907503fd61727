// What guards ask about that is no call: what the model is to read, its reply, a program, a result. The agent waits for
// somebody's decision (Phase::Question) and goes on from where it stood: the message is sent, the reply done, the
// program run, the result given. All that it needs for that is in PendingQuestion, so that a checkpoint can wait for
// days. An approval with another value that cannot be followed is asked for again, a few times, as one of a call is
// (tool_approval.cpp).
#include "frontend/try.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/approval_parts.h"
#include "subagent/agent/eval_report.h"

namespace ptc {
namespace {

/// What is asked about, as the beginning of a sentence.
std::string_view subject_of(GuardPoint point) {
    if (point == GuardPoint::BeforeModel) return "What the model was to read";
    if (point == GuardPoint::AfterModel) return "The reply";
    return point == GuardPoint::BeforeProgram ? "The program" : "The result";
}

} // namespace

// ---- Asking

void AgentRun::ask_somebody(GuardPoint point, Datum value, std::string question, std::size_t message) {
    ask({.point = point, .value = std::move(value), .message = message, .problem = std::move(question)});
}

void AgentRun::ask(PendingQuestion question) {
    question.need = ++core_.env.totals.last_need;
    state_.phase = Phase::Question;
    state_.question = std::move(question);
    MissionEvent asked = question_event(MissionEvent::Kind::ApprovalRequest, *state_.question);
    asked.message = state_.question->problem;
    core_.env.emit(asked);
    need_somebody();
}

void AgentRun::need_somebody() {
    core_.env.needs.approvals.push_back({state_.question->need, request_of(*state_.question)});
}

Datum AgentRun::shown_value(const PendingQuestion& question) const {
    return question.value.text() ? Datum(core_.hidden(*question.value.text()))
                                 : public_view(question.value, state_.secrets);
}

ApprovalRequest AgentRun::request_of(const PendingQuestion& question) const {
    ApprovalRequest request = begin_request(core_);
    request.point = guard_point_name(question.point);
    request.arguments = bounded_arguments(Datum::object({{"value", shown_value(question)}}), &request.is_cut);
    if (question.point == GuardPoint::Result && state_.current.program)
        request.program = cut_text(*state_.current.program, ApprovalRequest::kMaxProgram);
    request.problem = question.problem;
    return request;
}

MissionEvent AgentRun::question_event(MissionEvent::Kind kind, const PendingQuestion& question) const {
    MissionEvent event = core_.event(kind);
    event.point = guard_point_name(question.point);
    event.arguments = Datum::object({{"value", shown_value(question)}});
    return event;
}

// ---- Decisions

void AgentRun::take_decision(ApprovalAnswer answer) {
    PendingQuestion question = std::move(*state_.question);
    state_.question.reset();
    question.problem.clear();
    const bool is_changed = answer.is_approved && answer.arguments;
    if (is_changed) {
        Result<Datum> value = changed_value(question, *answer.arguments);
        if (value.ok())
            question.value = std::move(value).value();
        else
            question.problem = "The changed value does not fit. " + without_firewalled_faults(value.error().message);
    }
    const std::string reason = cut_text(answer.reason, ApprovalAnswer::kMaxReason);
    MissionEvent given = question_event(MissionEvent::Kind::ApprovalAnswer, question);
    given.ok = answer.is_approved && question.problem.empty();
    given.has_changed_arguments = is_changed && given.ok;
    if (!given.ok) {
        given.reason = reason_name(question.problem.empty() ? Reason::ApprovalDenied : Reason::InvalidRequest);
        given.message = core_.hidden(question.problem.empty() ? reason : question.problem);
    }
    core_.env.emit(given);
    if (!answer.is_approved) return deny(question, reason);
    if (question.problem.empty()) return follow(std::move(question));
    if (++question.changes >= ApprovalRequest::kMostChanges) return deny(question, question.problem);
    ask(std::move(question));
}

/// The value that it is approved with. Guards look at it as at the one before; who answers has answered their question.
Result<Datum> AgentRun::changed_value(const PendingQuestion& question, const Datum& arguments) {
    const Datum* given = arguments.map() ? arguments.find("value") : nullptr;
    if (!given) return Error(Reason::InvalidRequest, "They have no `value`.");
    const bool is_result = question.point == GuardPoint::Result;
    bool is_lost = false;
    Datum value = with_firewalled(*given, shown_value(question), question.value, is_lost);
    if (is_lost) return Error(Reason::InvalidRequest, "A text in which a part is <Firewalled> cannot be changed.");
    if (is_result) value = PTC_TRY(checked_answer(value));
    if (!is_result && !value.text()) return Error(Reason::InvalidRequest, "It must be a text."); // guards rely on it
    std::vector<Attachment>* attachments =
        question.point == GuardPoint::BeforeModel ? &state_.messages[question.message].attachments : nullptr;
    const Guards::Decision decision = guards_.decide(question.point, value, {}, nullptr, attachments);
    if (decision.refusal && !decision.question) return Error(Reason::InvalidRequest, *decision.refusal);
    if (is_result && decision.is_changed) value = PTC_TRY(checked_answer(value));
    if (!is_result && !value.text()) return Error(Reason::InvalidRequest, "It must be a text.");
    return value;
}

void AgentRun::follow(PendingQuestion question) {
    if (question.point == GuardPoint::Result) {
        end_turn(true);
        return finish(std::nullopt, std::move(question.value));
    }
    std::string text = *question.value.text();
    if (question.point == GuardPoint::BeforeModel) {
        state_.messages[question.message].content = std::move(text);
        if (limits_.why_no_turn()) return next_turn(); // which says why
        if (may_ask(question.message)) begin_turn();
        return;
    }
    const bool is_over = limits_.is_late() || core_.env.is_interrupted();
    if (question.point == GuardPoint::AfterModel) {
        const LlmReply reply = approved_reply(question.message, std::move(text));
        if (!is_over) return act(action_for(core_, reply), reply);
    } else {
        state_.program = std::move(text);
        state_.current.program = core_.hidden(state_.program);
        if (!is_over) return start_program();
    }
    state_.current.reason =
        reason_name(core_.env.is_interrupted() ? MissionReason::Interrupted : MissionReason::MissionTimeout);
    end_turn(false);
    next_turn(); // which finds that there is none
}

/// The reply that a message keeps, with this text, which may be another one.
LlmReply AgentRun::approved_reply(std::size_t message, std::string text) {
    Message& kept = state_.messages[message];
    if (text != kept.content) {
        kept.provider_state = {}; // it has the reply as it was
        kept.content = std::move(text);
        state_.current.reply = core_.hidden(kept.content);
    }
    return {.text = kept.content, .tool_calls = kept.tool_calls, .provider_state = kept.provider_state};
}

void AgentRun::deny(const PendingQuestion& question, const std::string& reason) {
    const std::string message =
        std::string(subject_of(question.point)) + " was not approved" + (reason.empty() ? "." : ": " + reason);
    if (question.point == GuardPoint::BeforeModel) return finish(because(MissionReason::ApprovalDenied, message));
    if (question.point == GuardPoint::AfterModel)
        return refuse_reply(MissionReason::ApprovalDenied, message,
                            std::vector<ToolCall>(state_.messages[question.message].tool_calls));
    state_.is_result_refused = question.point == GuardPoint::Result;
    Feedback feedback = conversation_.feedback();
    feedback.keeps_definitions = question.point == GuardPoint::Result;
    fail_turn(MissionReason::ApprovalDenied, message,
              state_.current.program
                  ? failure_text(feedback, told_reason(feedback, MissionReason::ApprovalDenied), message)
                  : wrong_answer_text(feedback, message));
}

} // namespace ptc
