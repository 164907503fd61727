// Answers in text, and tools that the model calls by its provider's means.
#include "subagent/agent_run.h"
#include "subagent/answer.h"
#include <algorithm>

namespace ptc {
namespace {

/// What a model reads of a native call's answer.
std::string answer_text(const ToolAnswer& answer) {
    if (const Datum* value = std::get_if<Datum>(&answer)) return public_view(*value).to_json();
    return Datum::object({{"error", std::get<Error>(answer).message}}).to_json();
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
    for (const NativeCall& call : reply.tool_calls) {
        PendingUse use;
        use.call_id = call.id;
        use.tool = call.name;
        use.arguments = call.arguments;
        check_native_call(use);
        uses.push_back(std::move(use));
    }
    state_.phase = Phase::Native;
    ask_tools(std::move(uses));
    if (all_answered()) go_on();
}

/// Refuses what cannot be called; coerces its arguments otherwise.
void AgentRun::check_native_call(PendingUse& use) {
    const Agent::Impl& agent = agent_->impl();
    const AgentTool* tool = agent.find_native_tool(use.tool);
    if (!tool) {
        use.answer = Error(Reason::UnknownTool, "There is no tool `" + use.tool + "`.");
        return;
    }
    use.tool = tool->tool.name;
    if (options().max_tool_calls && state_.native_calls >= *options().max_tool_calls) {
        use.answer = Error(Reason::ToolCallsExceeded, "The limit of " + std::to_string(*options().max_tool_calls) +
                                                          " tool calls is reached. Answer without tools.");
        return;
    }
    ++state_.native_calls;
    const CompiledSignature* signature = agent.compiled_signature_of(*tool);
    if (!signature) return;
    ValidationOptions how;
    how.mode = tool->tool.validation.value_or(mode());
    how.is_json_text = true;
    Result<Validation> checked = validate(*signature, Direction::Input, use.arguments, how);
    if (!checked.ok())
        use.answer = Error(*checked.take_error());
    else if (!checked.value().ok)
        use.answer =
            Error(Reason::ValidationError, validation_errors_text(checked.value().errors, checked.value().more_errors));
    else
        use.arguments = std::move(checked.value().data);
}

void AgentRun::finish_native_calls() {
    note_uses();
    bool ok = true;
    for (const PendingUse& use : state_.pending) {
        Message message{
            .role = Message::Role::Tool, .content = hidden(answer_text(*use.answer)), .tool_call_id = use.call_id};
        ok = ok && std::holds_alternative<Datum>(*use.answer);
        state_.messages.push_back(std::move(message));
    }
    state_.pending.clear();
    children_.clear();
    if (!ok) state_.current.reason = reason_name(MissionReason::ToolError);
    end_turn(ok);
    next_turn();
}

} // namespace ptc
