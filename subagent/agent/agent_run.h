// One agent of a mission at work: the loop of turns as a state machine. What it knows is in an AgentState.
#pragma once
#include "frontend/bytes.h"
#include "ptc/mission.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/mission_state.h"
#include "subagent/agent/mission_tape.h"
#include "subagent/agent/prompt.h"
#include <memory>
#include <vector>

namespace ptc {

/// What the agents of a mission share while it runs.
struct MissionEnv {
    const MissionOptions& options;
    MissionTotals& totals;
    Needs needs{};               ///< not handed out yet
    MissionTape* tape = nullptr; ///< instead of clock, chance and is_interrupted of the options

    [[nodiscard]] Millis now() const;
    [[nodiscard]] double random() const;
    [[nodiscard]] bool is_interrupted() const;
    void emit(const MissionEvent& event) const;
    /// What tells a call from all others, also after a crash; "" when the mission has no id.
    [[nodiscard]] std::string key_of(std::uint64_t need) const;
};

/// What a run begins with.
struct RunInputs {
    Datum context{};
    std::string context_signature{};
    Datum memory{};
    std::vector<Message> history{};
    std::string user_message{};         ///< instead of the prompt
    const AgentState* caller = nullptr; ///< the agent that calls: its limits hold below it too
};

/// A need's answer on its way to the agent that waits for it.
struct Arrival {
    std::uint64_t id;
    std::optional<LlmResult> reply{};
    std::optional<ToolAnswer> answer{};
};

/// The native tool whose argument is a program.
inline constexpr std::string_view kEvalTool = "lisp_eval";

class AgentRun {
public:
    /// `state` outlives it.
    AgentRun(AgentPtr agent, MissionEnv& env, AgentState& state);

    /// `model` is this agent's; without one it uses `callers`, which may be null. Both outlive it.
    void begin(RunInputs inputs, const ModelRef& model, const Llm* callers);
    /// What `begin` does before the first turn: everything that needs no model. False: it is done, and failed.
    bool prepare(RunInputs inputs);
    /// False when nobody below waits for it.
    bool take(Arrival& arrival);
    void interrupt();

    // Snapshots (agent_run_snapshot.cpp)
    /// Everything that is needed to go on, its agents as tools included.
    Result<void> save(ByteWriter& out) const;
    /// Into a run that was just made. What it waits for is needed again. `model` and `callers` as in `begin`.
    Result<void> restore(ByteReader& in, const ModelRef& model, const Llm* callers);
    [[nodiscard]] bool is_done() const { return state_.phase == AgentState::Phase::Done; }
    [[nodiscard]] Step& step() { return state_.step; }

private:
    using Phase = AgentState::Phase;
    [[nodiscard]] const AgentOptions& options() const { return agent_->options(); }
    [[nodiscard]] ValidationMode mode() const { return env_.options.validation.value_or(options().validation); }
    [[nodiscard]] bool is_judgment() const { return options().max_turns == 1 && options().retry_turns == 0; }
    /// Programs beside an answer in text: what they give is for the model alone.
    [[nodiscard]] bool is_combined() const {
        return options().output == AgentOutput::Text && options().transport == Transport::ToolCall;
    }
    [[nodiscard]] std::string hidden(std::string_view text) const;
    [[nodiscard]] MissionEvent event(MissionEvent::Kind kind) const;

    // Before the first turn (agent_run_start.cpp)
    bool check_context(const Datum& context);
    bool check_strictness();
    bool read_context_types();
    bool resolve_model(const ModelRef& model, const Llm* callers);
    void set_limits(const AgentState* caller);
    bool write_prompt(const std::string& user_message);
    bool fill_memory(const Datum& memory);
    bool fail_early(MissionReason reason, std::string message);

    // Turns (agent_run.cpp)
    void next_turn();
    [[nodiscard]] std::optional<Fail> why_over_budget() const;
    [[nodiscard]] std::optional<Fail> why_no_turn() const;
    [[nodiscard]] std::size_t turns_left() const;
    void tell_turn() const;
    void end_turn(bool ok);
    /// The model is told, and has another turn unless there is none.
    void fail_turn(MissionReason reason, std::string message, std::string text, Datum details = {});
    void finish(std::optional<Fail> fail, Datum value = {});
    void fail(MissionReason reason, std::string message, Datum details = {});
    [[nodiscard]] bool is_late() const;
    [[nodiscard]] Feedback feedback() const;
    void say(std::string text);

    // The model (agent_run_model.cpp)
    void ask_model(Millis delay);
    void need_model();
    [[nodiscard]] LlmRequest make_request() const;
    [[nodiscard]] std::string make_system_text() const;
    [[nodiscard]] std::vector<InventoryEntry> inventory(std::vector<Type>& types) const;
    void on_reply(LlmResult result);
    void on_model_error(const LlmError& error);
    void on_text(const LlmReply& reply);

    // Programs (agent_run_program.cpp)
    void run_program(const std::string& code);
    [[nodiscard]] ptc::RunOptions program_options();
    [[nodiscard]] std::vector<std::shared_ptr<const DataSet>> data_sets() const;
    void advance(ptc::RunState state);
    void on_outcome(Outcome outcome);
    void on_program_error(const Outcome& outcome);
    void on_program_fail(const Outcome& outcome);
    void on_value(Outcome outcome);
    bool keep_memory(const std::vector<Definition>& changed);
    [[nodiscard]] std::string native_only_advice(const Outcome& outcome) const;
    void tell_memory(const std::vector<Definition>& changed, Feedback& told);
    bool keep_result(const Datum& value, Feedback& told);
    [[nodiscard]] Datum budget() const;
    void rebuild_data();

    // Tools (agent_run_tools.cpp)
    void ask_tools(std::vector<PendingUse> uses);
    void ask_tool(std::size_t index);
    void need_tool(const PendingUse& use);
    void start_child(PendingUse& use, const AgentTool& tool);
    void settle(PendingUse& use, ToolAnswer answer);
    Result<void> restore_state();
    Result<void> restore_session(ByteReader& in);
    Result<void> restore_pending(ByteReader& in);
    void settle_children();
    [[nodiscard]] bool all_answered() const;
    [[nodiscard]] std::optional<ptc::RunState> resume_program();
    void go_on();
    void note_uses();
    [[nodiscard]] bool shows_preview(const AgentTool& tool) const;
    [[nodiscard]] MissionEvent tool_event(MissionEvent::Kind kind, const PendingUse& use) const;

    // Programs as native calls (agent_run_eval.cpp)
    bool on_eval_calls(const LlmReply& reply);
    void on_text_beside_eval(const std::string& text);
    void refuse_calls(const LlmReply& reply, std::string_view reason, const std::string& message);
    void answer_call(const std::string& id, const Datum& content, bool is_error);
    void answer_eval(const Datum& content, bool is_error);
    void answer_eval_error(std::string_view reason, const std::string& message, const std::string& feedback,
                           const Datum* result = nullptr);
    void answer_eval_value(const Datum& value, bool is_kept, const Feedback& told,
                           const std::vector<Definition>& changed);

    // Text (agent_run_text.cpp)
    void on_native_calls(const LlmReply& reply);
    void check_native_call(PendingUse& use, const std::string& problem);
    [[nodiscard]] Datum native_content(const PendingUse& use);
    void finish_native_calls();
    void on_answer_text(const std::string& text);

    AgentPtr agent_;
    MissionEnv& env_;
    AgentState& state_;
    const Llm* model_ = nullptr;
    std::size_t taped_program_ = 0; ///< number of the program that runs, for the tape
    std::optional<Session> session_;
    std::shared_ptr<const DataSet> context_data_;
    std::vector<std::shared_ptr<const DataSet>> result_data_; ///< of state_.results
    std::vector<Field> context_types_;
    std::vector<std::unique_ptr<AgentRun>> children_; ///< beside state_.pending; null for host tools
};

} // namespace ptc
