// Answers in text, and tools that the model calls by its provider's means.
#include "subagent/agent/agent_run.h"
#include "subagent/agent/answer.h"
#include "subagent/agent/native_preview.h"
#include "subagent/engine/tool_calls.h"
#include <algorithm>

namespace ptc {
namespace {

Datum error_content(const Error& error) {
    return Datum::object({{"status", "error"}, {"reason", Datum(reason_name(error.reason))}, {"error", error.message}});
}

} // namespace

void AgentRun::on_answer_text(const std::string& text) {
    if (text.empty())
        return fail_turn(MissionReason::NoProgram, "The reply is empty.",
                         wrong_answer_text(feedback(), "It is empty."));
    Result<Datum> answer = read_answer(text, *agent_->impl().signature, mode());
    if (answer.ok()) {
        state_.current.result = hidden(preview(answer.value(), preview_limits(options().prompt_limit)).text);
        end_turn(true);
        return finish(std::nullopt, std::move(answer).value());
    }
    const bool is_json = answer.error().reason != Reason::InvalidJson;
    const MissionReason reason = is_json ? MissionReason::ValidationError : MissionReason::InvalidAnswer;
    state_.is_result_refused = true;
    const std::string message = without_firewalled_faults(answer.error().message);
    fail_turn(reason, message, wrong_answer_text(feedback(), message));
}

void AgentRun::on_native_calls(const LlmReply& reply) {
    std::vector<PendingUse> uses;
    for (const ToolCall& call : reply.tool_calls) {
        PendingUse use;
        use.call_id = call.id;
        use.tool = call.name;
        use.arguments = call.arguments;
        check_native_call(use, call.problem);
        uses.push_back(std::move(use));
    }
    state_.phase = Phase::Native;
    ask_tools(std::move(uses));
    if (all_answered()) go_on();
}

/// Refuses what cannot be called; coerces its arguments otherwise.
void AgentRun::check_native_call(PendingUse& use, const std::string& problem) {
    const Agent::Impl& agent = agent_->impl();
    const AgentTool* tool = agent.find_native_tool(use.tool);
    if (!tool) {
        const bool is_programs = agent.find_tool(use.tool) && options().transport == Transport::ToolCall;
        use.answer =
            Error(Reason::UnknownTool, is_programs ? "`" + use.tool + "` is called from programs, with lisp_eval."
                                                   : "There is no tool `" + use.tool + "`.");
        return;
    }
    use.tool = tool->tool.name;
    if (options().max_tool_calls && state_.native_calls >= *options().max_tool_calls) {
        use.answer = Error(Reason::ToolCallsExceeded, "The limit of " + std::to_string(*options().max_tool_calls) +
                                                          " tool calls is reached. Answer without tools.");
        return;
    }
    ++state_.native_calls;
    if (!problem.empty()) {
        use.answer = Error(Reason::InvalidToolArgs, problem);
        return;
    }
    Result<Datum> arguments = arguments_for(tool->tool, agent.compiled_signature_of(*tool), use.arguments, mode());
    if (arguments.ok())
        use.arguments = std::move(arguments).value();
    else
        use.answer = Error(*arguments.take_error());
}

/// Requirement 210: of a tool that programs can call as well, and whose results are kept, the model reads a preview.
bool AgentRun::shows_preview(const AgentTool& tool) const {
    return is_combined() && tool.cache && agent_->impl().exposure_of(tool) == Exposure::Both;
}

/// What the model reads of a call: its result, or a preview of it when programs have all of it.
Datum AgentRun::native_content(const PendingUse& use) {
    if (const Error* error = std::get_if<Error>(&*use.answer)) return error_content(*error);
    const Datum& result = std::get<Datum>(*use.answer);
    const AgentTool& tool = *agent_->impl().find_tool(use.tool);
    if (!shows_preview(tool)) return public_view(result);
    std::string problem;
    Datum shown =
        native_preview(use.tool, use.arguments, result, tool.native_result.value_or(NativeResult{}), &problem);
    if (!problem.empty()) {
        MissionEvent fallback = event(MissionEvent::Kind::PreviewFallback);
        fallback.ok = false;
        fallback.tool = use.tool;
        fallback.reason = problem;
        env_.emit(fallback);
    }
    return shown;
}

void AgentRun::finish_native_calls() {
    note_uses();
    bool ok = true;
    for (const PendingUse& use : state_.pending) {
        answer_call(use.call_id, native_content(use), !std::holds_alternative<Datum>(*use.answer));
        ok = ok && std::holds_alternative<Datum>(*use.answer);
    }
    state_.pending.clear();
    children_.clear();
    if (!ok) state_.current.reason = reason_name(MissionReason::ToolError);
    end_turn(ok);
    next_turn();
}

} // namespace ptc
