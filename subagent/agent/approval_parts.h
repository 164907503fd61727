// What requests for approval have in common: of calls (tool_approval.cpp), and of what guards ask about
// (agent_run_question.cpp).
#pragma once
#include "ptc/approval.h"
#include "subagent/agent/agent_core.h"
#include <string>
#include <string_view>

namespace ptc {

/// Who asks, and what the turn under way has done so far.
[[nodiscard]] ApprovalRequest begin_request(const AgentCore& core);

/// A text of at most `most` bytes, whole characters.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t most);

/// What a request shows of arguments without firewalled values; `is_cut`, which may be null, when that is a preview.
[[nodiscard]] Datum bounded_arguments(Datum arguments, bool* is_cut);

/// `changed` with what is hidden in it as it was in `former`, of which the one who changed it has seen `shown`. Where
/// it hides a part of a text that is no longer the one shown, nobody knows what is meant: `is_lost`.
[[nodiscard]] Datum with_firewalled(const Datum& changed, const Datum& shown, const Datum& former, bool& is_lost);

} // namespace ptc
