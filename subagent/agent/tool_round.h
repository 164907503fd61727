// The tools that a turn waits for: answered from the cache, by the host, or by agents.
#pragma once
#include "frontend/bytes.h"
#include "subagent/agent/guards.h"
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ptc {

class AgentRun;
struct RunInputs;

/// The answer to a need, on its way to the agent that waits for it.
struct Arrival {
    std::uint64_t id;
    std::optional<LlmResult> reply{};
    std::optional<ToolAnswer> answer{};
    std::optional<ApprovalAnswer> approval{};
};

/// Owns the agents that answer tools, one beside each pending use of the state. Writes `pending`, `tool_cache`,
/// `native_calls`, `secrets` and the usage of the state.
class ToolRound {
public:
    ToolRound(const AgentCore& core, const Guards& guards);
    ~ToolRound();
    ToolRound(const ToolRound&) = delete;
    ToolRound& operator=(const ToolRound&) = delete;

    /// A call that a model made by its provider's means; with its answer already if it may not be made.
    [[nodiscard]] PendingUse native_use(const ToolCall& made);

    /// Begins a round: each use without an answer is looked up in the cache, approved where it needs that, and then
    /// given to an agent, or needed from the host. `model` is for agents without one of their own; it may be null, and
    /// outlives the round.
    void ask(std::vector<PendingUse> uses, const Llm* model);
    /// False when nobody in this round waits for it.
    bool take(Arrival& arrival);
    [[nodiscard]] bool all_answered() const;
    /// Interrupts the agents that still work.
    void interrupt();

    // A round that is answered
    /// Into the trace, and to whoever watches, in the order of the uses.
    void record();
    /// Whether agents answered.
    [[nodiscard]] bool has_agents() const;
    /// Whether an agent took over and is done.
    [[nodiscard]] bool is_handed_over() const { return handed_over_.has_value(); }
    /// What it came to.
    [[nodiscard]] Step take_handover();
    /// What the model reads of a native call: its result, or a preview of it when it is long. `remember` makes a long
    /// result *1 of the next program, and is not called for what programs have from a cache; of several results the
    /// last is *1.
    [[nodiscard]] std::vector<Datum> native_contents(const std::function<bool(const Datum&)>& remember) const;
    /// The answers, in order. The round is over.
    [[nodiscard]] std::vector<ToolAnswer> take_answers();
    void end();

    // Snapshots: the agents at work, beside the pending uses of a state that was read already.
    [[nodiscard]] Result<void> save(ByteWriter& out) const;
    [[nodiscard]] Result<void> restore(ByteReader& in, const Llm* model);

private:
    [[nodiscard]] const AgentTool& tool_of(const PendingUse& use) const { return *core_.impl().find_tool(use.tool); }
    [[nodiscard]] std::optional<Error> why_refused(PendingUse& use, const std::string& problem);
    void ask_tool(std::size_t index);
    void make_call(std::size_t index);

    // Approvals (tool_approval.cpp)
    void ask_approval(std::size_t index);
    void need_approval(const PendingUse& use);
    [[nodiscard]] ApprovalRequest approval_request(const PendingUse& use) const;
    void take_approval(std::size_t index, ApprovalAnswer answer);
    /// The arguments that it is approved with, as the tool gets them.
    [[nodiscard]] Result<Datum> changed_arguments(const PendingUse& use, const Datum& changed);
    void deny(PendingUse& use, std::string why);
    [[nodiscard]] bool has_open_approvals() const;
    /// How long the program has been waiting for those that are open.
    [[nodiscard]] Millis approval_wait() const;
    [[nodiscard]] MissionEvent approval_event(MissionEvent::Kind kind, const PendingUse& use) const;

    [[nodiscard]] bool find_answer(std::size_t index);
    void need_tool(const PendingUse& use);
    [[nodiscard]] ToolContext context_for(const PendingUse& use) const;
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> time_over() const;
    AgentRun& add_child(std::size_t index, const Agent& called);
    [[nodiscard]] Result<void> restore_use(ByteReader& in, std::size_t index, const Llm* model);
    [[nodiscard]] bool has_changed_since_approval(const PendingUse& use) const;
    [[nodiscard]] static const Tool& refusing_tool();
    void settle(PendingUse& use, ToolAnswer answer);
    void take_attached(PendingUse& use, ToolAnswer& answer) const;
    void hide_attached(PendingUse& use, ToolAnswer& answer) const;
    void settle_children();
    [[nodiscard]] bool shows_preview(const PendingUse& use) const;
    [[nodiscard]] Datum cached_content(const PendingUse& use) const;
    [[nodiscard]] MissionEvent tool_event(MissionEvent::Kind kind, const PendingUse& use) const;

    /// What an agent that takes over has from the one that calls.
    void give(RunInputs& inputs, AgentState& child, const Handoff& handoff) const;
    /// Guards change the arguments, or answer with their refusal. True: they want the call to be approved.
    [[nodiscard]] bool guard_call(PendingUse& use);
    void guard_answer(PendingUse& use, ToolAnswer& answer) const;

    const AgentCore& core_;
    const Llm* model_ = nullptr; ///< for agents without one of their own
    const Guards& guards_;
    std::optional<Step> handed_over_{};
    std::vector<std::unique_ptr<AgentRun>> children_; ///< beside the pending uses; null where no agent is at work
};

} // namespace ptc
