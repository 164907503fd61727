// The four combinations of output and transport, and what a reply means in each:
//
//   output    transport   calls of lisp_eval    other calls   text alone
//   PtcLisp   Content     -                     -             the program in it
//   PtcLisp   ToolCall    one is the program    refused       an answer, if it is JSON alone and the result no text
//                                                             (never with `only_return_ends`)
//   Text      -           -                     made          the answer
//   Text      ToolCall    one is the program    made          the answer
//
// A call of lisp_eval must be the only call of its reply.
#include "subagent/agent/reply_action.h"
#include "frontend/reader/model_text.h"
#include "subagent/agent/response.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

/// The native tool whose argument is a program.
constexpr std::string_view kEvalTool = "lisp_eval";

using Kind = ReplyAction::Kind;

ReplyAction refuse(std::string_view reason, std::string message) {
    return {.kind = Kind::RefuseCalls, .reason = reason, .message = std::move(message)};
}

bool is_eval(const ToolCall& call) { return call.name == kEvalTool; }

/// A reply with a call of lisp_eval.
ReplyAction eval_action(const LlmReply& reply) {
    if (reply.tool_calls.size() > 1) {
        if (!std::ranges::all_of(reply.tool_calls, is_eval))
            return refuse("mixed_with_lisp_eval", "Call lisp_eval alone, without other tools beside it.");
        return refuse("multiple_tool_calls", "Call lisp_eval once in a turn.");
    }
    const ToolCall& call = reply.tool_calls[0];
    if (!call.problem.empty()) return refuse("args_error", call.problem);
    const Datum* program = call.arguments.find("program");
    const bool is_blank =
        !program || !program->text() || program->text()->find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank) return refuse("args_error", "lisp_eval needs its argument `program`: the text of a program.");
    return {.kind = Kind::RunProgram, .text = with_plain_signs(*program->text()), .eval_call = call.id};
}

/// JSON without words around it.
bool is_json(const std::string& text) {
    const std::string_view all = trimmed(text);
    return !all.empty() && Datum::from_json(all).ok();
}

/// A reply without calls, where programs come as calls. Data and nothing else are an answer; talk is none, nor what it
/// quotes.
ReplyAction text_beside_eval(const AgentCore& core, const std::string& text) {
    const Type& returns = core.agent->signature().returns;
    const bool is_distinct_from_talk = !returns.is(TypeKind::Any) && !returns.is(TypeKind::String);
    if (find_program(text)) return {.kind = Kind::LostProgram};
    if (is_distinct_from_talk && !core.options().only_return_ends && is_json(text))
        return {.kind = Kind::ReadAnswer, .text = text};
    return {.kind = Kind::NoProgram}; // requirements 121 and 126
}

} // namespace

ReplyAction action_for(const AgentCore& core, const LlmReply& reply) {
    const AgentOptions& options = core.options();
    const bool has_eval = options.transport == Transport::ToolCall;
    if (has_eval && std::ranges::any_of(reply.tool_calls, is_eval)) return eval_action(reply);
    if (options.output == AgentOutput::Text) {
        if (!reply.tool_calls.empty()) return {.kind = Kind::CallTools};
        return {.kind = Kind::ReadAnswer, .text = reply.text};
    }
    if (has_eval && !reply.tool_calls.empty()) return refuse("unknown_tool", "The only tool is lisp_eval.");
    if (has_eval) return text_beside_eval(core, reply.text);
    const std::optional<ReplyProgram> program = find_program(reply.text);
    if (!program) return {.kind = Kind::NoProgram};
    return {.kind = Kind::RunProgram, .text = program->text()};
}

void make_ids_unique(LlmReply& reply) {
    std::set<std::string> ids;
    for (ToolCall& call : reply.tool_calls) {
        if (ids.insert(call.id).second) continue;
        std::size_t n = 2;
        while (!ids.insert(call.id + "-" + std::to_string(n)).second)
            ++n;
        call.id += "-" + std::to_string(n);
        reply.provider_state.clear(); // it has the ids as they came
    }
}

} // namespace ptc
