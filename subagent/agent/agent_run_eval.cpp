// Programs as arguments of the native tool lisp_eval: alone (Output::PtcLisp), or beside an answer in text.
#include "subagent/agent/agent_run.h"
#include "subagent/agent/eval_report.h"
#include "subagent/agent/response.h"
#include <algorithm>

namespace ptc {
void AgentRun::answer_call(const std::string& id, const Datum& content, bool is_error) {
    state_.messages.push_back(
        {.role = Message::Role::Tool, .content = hidden(content.to_json()), .tool_call_id = id, .is_error = is_error});
}

/// The answer to the program under way, when a lisp_eval call gave it.
void AgentRun::answer_eval(const Datum& content, bool is_error) {
    answer_call(*state_.eval_call, content, is_error);
    state_.eval_call.reset();
}

void AgentRun::answer_eval_error(std::string_view reason, const std::string& message, const std::string& feedback,
                                 const Datum* result) {
    EvalReport report;
    report.value = result;
    report.reason = result ? "fail" : reason;
    report.message = message;
    report.feedback = feedback;
    answer_eval(render(report, preview_limits(options().prompt_limit)), true);
}

void AgentRun::answer_eval_value(const Datum& value, bool is_kept, const Feedback& told,
                                 const std::vector<Definition>& changed) {
    EvalReport report;
    report.value = &value;
    report.is_kept = is_kept;
    report.prints = told.prints;
    report.feedback = success_text(told);
    report.changed = &changed;
    report.names = session_->names();
    answer_eval(render(report, preview_limits(options().prompt_limit)), false);
}

/// True: the reply's calls were lisp_eval's, and are seen to.
bool AgentRun::on_eval_calls(const LlmReply& reply) {
    const auto is_eval = [](const ToolCall& call) { return call.name == kEvalTool; };
    if (options().transport != Transport::ToolCall || std::ranges::none_of(reply.tool_calls, is_eval)) return false;
    if (reply.tool_calls.size() > 1) {
        const bool is_mixed = !std::ranges::all_of(reply.tool_calls, is_eval);
        refuse_calls(reply, is_mixed ? "mixed_with_lisp_eval" : "multiple_tool_calls",
                     is_mixed ? "Call lisp_eval alone, without other tools beside it."
                              : "Call lisp_eval once in a turn.");
        return true;
    }
    if (const std::string& problem = reply.tool_calls[0].problem; !problem.empty()) {
        refuse_calls(reply, "args_error", problem);
        return true;
    }
    const Datum* program = reply.tool_calls[0].arguments.find("program");
    const bool is_blank =
        !program || !program->text() || program->text()->find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank) {
        refuse_calls(reply, "args_error", "lisp_eval needs its argument `program`: the text of a program.");
        return true;
    }
    state_.eval_call = reply.tool_calls[0].id;
    run_program(*program->text());
    return true;
}

/// Requirement 225: every call has its answer.
void AgentRun::refuse_calls(const LlmReply& reply, std::string_view reason, const std::string& message) {
    for (const ToolCall& call : reply.tool_calls)
        answer_call(call.id, eval_refusal(reason, message), true);
    fail_turn(MissionReason::NoProgram, message, "");
}

/// A reply without calls, where programs come as calls: an answer in data, unless it looks like a program.
void AgentRun::on_text_beside_eval(const std::string& text) {
    const Type& returns = agent_->signature().returns;
    const bool is_told_from_talk = !returns.is(TypeKind::Any) && !returns.is(TypeKind::String);
    if (!find_program(text) && is_told_from_talk) return on_answer_text(text);
    if (!find_program(text)) // requirements 121 and 126
        return fail_turn(MissionReason::NoProgram, "The reply has no program.", reminder_text(feedback()));
    fail_turn(MissionReason::NoProgram, "The reply has a program in its text, which is not run.",
              "Programs in text are not run. Call the tool lisp_eval with the program as its argument `program`.");
}

} // namespace ptc
