// One agent of a mission at work: the loop of turns as a state machine.
#pragma once
#include "frontend/bytes.h"
#include "subagent/agent/compaction.h"
#include "subagent/agent/conversation.h"
#include "subagent/agent/guards.h"
#include "subagent/agent/reply_action.h"
#include "subagent/agent/run_limits.h"
#include "subagent/agent/sandbox.h"
#include "subagent/agent/tool_round.h"
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// What a run begins with.
struct RunInputs {
    Datum context{};
    std::string context_signature{};
    Memory memory{};
    Datum tasks{};
    Datum done_steps{};
    std::vector<Message> history{};
    std::vector<std::string> former_data{};
    std::string user_message{};            ///< instead of the prompt
    std::vector<Attachment> attachments{}; ///< beside it
    const AgentState* caller = nullptr;    ///< the agent that calls: its limits hold below it too
};

/// Owns the parts below, which have the mechanisms, and decides what happens when: it begins, takes replies and
/// answers, and writes the phase, the turn under way (`current`), the counts of turns and the Step. Borrows the state,
/// which snapshots keep, and the mission around it; both outlive it.
class AgentRun {
public:
    AgentRun(AgentPtr agent, MissionEnv& env, AgentState& state);
    AgentRun(const AgentRun&) = delete;
    AgentRun& operator=(const AgentRun&) = delete;

    /// `model` is this agent's; without one it uses `callers`, which may be null. Both outlive it.
    void begin(RunInputs inputs, const ModelRef& model, const Llm* callers);
    /// What `begin` does before the first turn: everything that needs no model. False: it is done, and failed.
    bool prepare(RunInputs inputs);
    /// False when nobody here, or below, waits for it.
    bool take(Arrival& arrival);
    void interrupt();
    void forget_attempts() { state_.attempt = 1; }

    /// Everything that is needed to go on, its agents as tools included.
    [[nodiscard]] Result<void> save(ByteWriter& out) const;
    /// Into a run that was just made. What it waits for is needed again. `model` and `callers` as in `begin`.
    [[nodiscard]] Result<void> restore(ByteReader& in, const ModelRef& model, const Llm* callers);
    [[nodiscard]] bool is_done() const { return state_.phase == AgentState::Phase::Done; }
    [[nodiscard]] Step& step() { return state_.step; }

private:
    using Phase = AgentState::Phase;
    [[nodiscard]] std::optional<Fail> why_not_ready(RunInputs inputs);
    [[nodiscard]] Result<void> restore_shared_data();

    // Turns (agent_run.cpp). All but the first two end in a next turn, or the end.
    void end_turn(bool ok);
    void emit_turn_start() const;
    void next_turn();
    void begin_turn();
    /// The tools that there are now, for programs and in the conversation.
    void renew_tools();
    [[nodiscard]] AgentPtr newest_agent();
    /// What guards say of what the model is to read next, of the messages in front of `end`; false when that ended the
    /// mission, or somebody is asked.
    [[nodiscard]] bool may_ask(std::size_t end);
    /// Another agent has taken over, and is done: so is this one.
    void finish_handover();
    /// The turn failed. The model reads `text` and has another turn, unless there is none.
    void fail_turn(MissionReason reason, std::string message, std::string text, Datum details = {});
    void finish(std::optional<Fail> fail, Datum value = {});
    void emit_end() const;

    // Replies (agent_run_reply.cpp)
    void on_reply(LlmResult result);
    void on_model_error(const LlmError& error);
    /// The reply is not done, `calls` of it included.
    void refuse_reply(MissionReason reason, const std::string& why, const std::vector<ToolCall>& calls);
    void count_failure(const ModelFailure& failure);
    void act(const ReplyAction& action, const LlmReply& reply);
    void call_tools(const LlmReply& reply);
    void finish_native_calls();
    [[nodiscard]] Result<Datum> checked_answer(const Datum& answer) const;
    /// `question` is what a guard asks about it; null where nobody can be asked.
    [[nodiscard]] Result<Datum> guarded_answer(Datum answer, std::optional<std::string>* question = nullptr) const;
    /// An answer that comes from elsewhere, as the signature and the guards want it.
    [[nodiscard]] Result<Datum> fitting_answer(const Datum& answer) const;
    void read_answer_text(const std::string& text);

    // Questions of guards about what is no call (agent_run_question.cpp)
    void ask(PendingQuestion question);
    void ask_somebody(GuardPoint point, Datum value, std::string question, std::size_t message = 0);
    void need_somebody();
    [[nodiscard]] ApprovalRequest request_of(const PendingQuestion& question) const;
    void take_decision(ApprovalAnswer answer);
    void follow(PendingQuestion question);
    [[nodiscard]] LlmReply approved_reply(std::size_t message, std::string text);
    void deny(const PendingQuestion& question, const std::string& reason);
    [[nodiscard]] Datum shown_value(const PendingQuestion& question) const;
    [[nodiscard]] Result<Datum> changed_value(const PendingQuestion& question, const Datum& arguments);
    [[nodiscard]] MissionEvent question_event(MissionEvent::Kind kind, const PendingQuestion& question) const;

    // Programs (agent_run_program.cpp)
    void run_program(const std::string& code);
    void start_program();
    /// A guard refused the program, or what it gave.
    void refuse(const std::string& why);
    void advance(RunState state);
    [[nodiscard]] PendingUse program_use(ToolCall call, std::size_t i) const;
    [[nodiscard]] std::optional<RunState> resume_program();
    void on_outcome(Outcome outcome);
    void on_program_error(Outcome& outcome);
    void keep_results(Outcome& outcome);
    void on_program_fail(const Outcome& outcome);
    void on_value(Outcome outcome);
    void end_by_time();
    /// The program defined too much: the mission ends (scenario sc-077), but where tools gave what would be lost. There
    /// the model reads why, and the program's value is *1.
    void end_by_memory(const std::string& why, const Outcome& outcome);
    void refuse_definitions(const std::string& why, const Outcome& outcome);
    void refuse_call(const std::string& why, const std::string& tool);

    AgentCore core_; ///< the agent changes in `renew_tools`
    const Guards guards_;
    AgentState& state_;
    RunLimits limits_;
    Conversation conversation_;
    const Compactor compactor_;
    MissionJournal journal_;
    Sandbox sandbox_;
    ToolRound tools_;
};

} // namespace ptc
