// Approvals of calls (ptc/approval.h), a part of ToolRound. A use that needs one is asked for first, under a number of
// its own, and `awaits_approval` as long as that is open; the answer begins the call, or is its answer when it is
// denied. An approval that cannot be followed (its arguments do not fit) is asked for again, a few times. While
// approvals are open the program's time does not pass: what they took is added to `waited_for_others` when the last one
// is answered. In a round with agents all of the round's time is.
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "ptc/trace.h"
#include "subagent/agent/agent_run.h"
#include "subagent/agent/approval_parts.h"
#include "subagent/agent/preview.h"
#include "subagent/agent/tool_round.h"
#include "subagent/engine/tool_calls.h"
#include <algorithm>

namespace ptc {

// ---- What requests have in common

std::string cut_text(std::string_view text, std::size_t most) {
    return text.size() <= most ? std::string(text) : std::string(utf8::prefix(text, most)) + "…";
}

Datum bounded_arguments(Datum arguments, bool* is_cut) {
    if (arguments.to_json().size() <= ApprovalRequest::kMaxArguments) return arguments;
    if (is_cut) *is_cut = true;
    return Datum(preview(arguments, {}).text);
}

Datum with_firewalled(const Datum& changed, const Datum& shown, const Datum& former, bool& is_lost) {
    if (changed.text()) {
        if (changed == shown || *changed.text() == kFirewalled) return former;
        is_lost |= changed.text()->find(kFirewalled) != std::string::npos && former != changed;
        return changed;
    }
    static const Datum kNothing;
    if (const auto* entries = changed.map()) {
        Datum::Map out;
        for (const auto& [key, value] : *entries) {
            const Datum* was = former.map() ? former.find(key_name(key)) : nullptr;
            const Datum* seen = shown.map() ? shown.find(key_name(key)) : nullptr;
            out.emplace_back(key, was ? with_firewalled(value, seen ? *seen : kNothing, *was, is_lost) : value);
        }
        return Datum(std::move(out));
    }
    const auto* items = changed.list();
    if (!items || !former.list()) return changed;
    Datum::List out;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const bool was_seen = shown.list() && i < shown.list()->size();
        out.push_back(i < former.list()->size() ? with_firewalled((*items)[i], was_seen ? (*shown.list())[i] : kNothing,
                                                                  (*former.list())[i], is_lost)
                                                : (*items)[i]);
    }
    return Datum(std::move(out));
}

ApprovalRequest begin_request(const AgentCore& core) {
    const AgentState& state = core.state;
    ApprovalRequest request;
    request.mission = core.env.options.id;
    request.agent = core.options().name;
    request.run = state.run;
    request.depth = state.depth;
    request.turn = state.turn;
    const std::vector<ToolUse>& calls = state.current.tool_calls;
    request.done_before = calls.size() - std::min(calls.size(), ApprovalRequest::kMostDone);
    request.done.assign(calls.begin() + static_cast<std::ptrdiff_t>(request.done_before), calls.end());
    for (ToolUse& one : request.done)
        one.arguments = bounded_arguments(std::move(one.arguments), nullptr);
    return request;
}

ApprovalAnswer ApprovalAnswer::approve() { return {.is_approved = true}; }
ApprovalAnswer ApprovalAnswer::approve_with(Datum changed) {
    return {.is_approved = true, .arguments = std::move(changed)};
}
ApprovalAnswer ApprovalAnswer::deny(std::string why) { return {.reason = std::move(why)}; }

// ---- Asking

void ToolRound::ask_approval(std::size_t index) {
    PendingUse& use = core_.state.pending[index];
    if (!has_open_approvals()) core_.state.approval_asked_at = core_.env.now();
    use.need = ++core_.env.totals.last_need;
    use.awaits_approval = true;
    MissionEvent asked = approval_event(MissionEvent::Kind::ApprovalRequest, use);
    asked.message = use.problem;
    core_.env.emit(asked);
    need_approval(use);
}

void ToolRound::need_approval(const PendingUse& use) {
    core_.env.needs.approvals.push_back({use.need, approval_request(use)});
}

ApprovalRequest ToolRound::approval_request(const PendingUse& use) const {
    const AgentState& state = core_.state;
    ApprovalRequest request = begin_request(core_);
    request.tool = use.tool;
    request.description = core_.impl().description_of(tool_of(use));
    request.arguments = bounded_arguments(public_view(use.arguments, state.secrets), &request.is_cut);
    if (state.phase != AgentState::Phase::Native && state.current.program)
        request.program = cut_text(*state.current.program, ApprovalRequest::kMaxProgram);
    request.line = use.line;
    request.column = use.column;
    request.problem = use.problem;
    return request;
}

bool ToolRound::has_open_approvals() const {
    return std::ranges::any_of(core_.state.pending, &PendingUse::awaits_approval);
}

Millis ToolRound::approval_wait() const {
    return has_open_approvals() ? core_.env.now() - core_.state.approval_asked_at : Millis(0);
}

// ---- Answers

void ToolRound::take_approval(std::size_t index, ApprovalAnswer answer) {
    PendingUse& use = core_.state.pending[index];
    const Millis waited = approval_wait();
    use.awaits_approval = false;
    if (!has_open_approvals() && !has_agents()) core_.state.waited_for_others += waited;
    answer.reason = cut_text(answer.reason, ApprovalAnswer::kMaxReason);
    use.problem.clear();
    std::optional<Datum> changed;
    if (answer.is_approved && answer.arguments) {
        Result<Datum> arguments = changed_arguments(use, *answer.arguments);
        if (arguments.ok())
            changed = std::move(arguments).value();
        else
            use.problem = "The changed arguments do not fit. " + without_firewalled_faults(arguments.error().message);
    }
    if (changed) use.arguments = std::move(*changed);
    MissionEvent given = approval_event(MissionEvent::Kind::ApprovalAnswer, use);
    given.ok = answer.is_approved && use.problem.empty();
    given.has_changed_arguments = answer.is_approved && answer.arguments && given.ok;
    if (!given.ok) {
        given.reason = reason_name(use.problem.empty() ? Reason::ApprovalDenied : Reason::InvalidRequest);
        given.message = core_.hidden(use.problem.empty() ? answer.reason : use.problem);
    }
    core_.env.emit(given);
    if (!answer.is_approved) return deny(use, answer.reason);
    if (!use.problem.empty()) {
        if (++use.changes >= ApprovalRequest::kMostChanges) return deny(use, use.problem);
        return ask_approval(index);
    }
    use.need = 0;
    if (given.has_changed_arguments && tool_of(use).cache && find_answer(index)) return;
    make_call(index);
}

Result<Datum> ToolRound::changed_arguments(const PendingUse& use, const Datum& changed) {
    if (!changed.map()) return Error(Reason::InvalidRequest, "They are no map.");
    const AgentTool& tool = tool_of(use);
    bool is_lost = false;
    const Datum whole =
        with_firewalled(changed, public_view(use.arguments, core_.state.secrets), use.arguments, is_lost);
    if (is_lost) return Error(Reason::InvalidRequest, "A text in which a part is <Firewalled> cannot be changed.");
    std::vector<Fault> warnings;
    Datum arguments =
        PTC_TRY(arguments_for(tool.tool, core_.impl().compiled_signature_of(tool), whole, core_.mode(), &warnings));
    const Guards::Decision decision = guards_.decide(GuardPoint::BeforeTool, arguments, use.tool);
    if (decision.refusal && !decision.question) return Error(Reason::InvalidRequest, *decision.refusal);
    if (decision.is_changed)
        arguments = PTC_TRY(
            arguments_for(tool.tool, core_.impl().compiled_signature_of(tool), arguments, core_.mode(), &warnings));
    core_.warn(core_.state.current.warnings, use.tool, warnings);
    return arguments;
}

void ToolRound::deny(PendingUse& use, std::string why) { use.answer = Error(Reason::ApprovalDenied, std::move(why)); }

MissionEvent ToolRound::approval_event(MissionEvent::Kind kind, const PendingUse& use) const {
    MissionEvent event = tool_event(kind, use);
    event.line = use.line;
    event.column = use.column;
    return event;
}

} // namespace ptc
