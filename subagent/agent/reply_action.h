// What a model's reply asks for. Decided from the reply and the agent's options alone; nothing is run here.
#pragma once
#include "subagent/agent/agent_core.h"
#include <optional>
#include <string>

namespace ptc {

struct ReplyAction {
    enum class Kind : std::uint8_t {
        RunProgram,  ///< `text` is the program
        CallTools,   ///< the reply's native calls
        ReadAnswer,  ///< `text` is an answer in data
        RefuseCalls, ///< none of the reply's calls can be made: `reason`, `message`
        NoProgram,   ///< there is no program where one must be
        LostProgram, ///< there is one where programs are not looked for
    };
    Kind kind;
    std::string text{};
    std::optional<std::string> eval_call{}; ///< of RunProgram: id of the lisp_eval call that has it
    std::string_view reason{};
    std::string message{};
};

[[nodiscard]] ReplyAction action_for(const AgentCore& core, const LlmReply& reply);

/// Providers refuse a conversation in which two calls have one id: the later ones of a reply get others.
void make_ids_unique(LlmReply& reply);

} // namespace ptc
