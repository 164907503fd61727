// All that a mission knows while it waits, as plain data: what a checkpoint has to keep, beside the sandbox of each
// agent (its definitions, its last results, the program that waits).
#pragma once
#include "ptc/agent.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/mission_memory.h"
#include "subagent/agent/tool_cache.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

struct AgentState;
using Millis = std::chrono::milliseconds;

/// A call that a program, or a reply with native calls, waits for.
struct PendingUse {
    std::uint64_t need = 0; ///< id of the ToolNeed; 0: nobody is asked
    std::string tool;
    Datum arguments;
    std::string call_id{};                ///< of a native call
    std::string cache_key{};              ///< "" when the tool is not cached
    std::optional<std::size_t> same_as{}; ///< the same call earlier in this round, whose answer is this one's too
    std::optional<ToolAnswer> answer{};
    std::vector<Attachment> attachments{}; ///< that came with it
    bool is_cached = false;
    Millis asked_at{0};
    Millis took{0};
    bool awaits_approval = false; ///< `need` is of the ApprovalNeed
    std::uint32_t line = 0;       ///< of a call that needs approval: where in the program; 0: not known
    std::uint32_t column = 0;
    std::string problem{};             ///< why its last approval could not be followed
    unsigned changes = 0;              ///< approvals that could not be followed
    std::unique_ptr<AgentState> child; ///< of the agent that answers

    PendingUse();
    PendingUse(PendingUse&&) noexcept;
    PendingUse& operator=(PendingUse&&) noexcept;
    ~PendingUse();
};

/// A call of the program that runs, which was answered (held_results.h).
struct HeldCall {
    enum class State : std::uint8_t {
        Held,
        Failed,    ///< `why`
        NoRoom,    ///< it was made, as are the next three, and what it gave is lost: it is more than may be held
        Unfit,     ///< it does not fit the signature of its tool
        Unchecked, ///< there was no time, or no fuel, to see whether it fits
        Refused,   ///< a guard keeps it back: `why`
    };
    std::string tool;
    State state = State::Held;
    Datum result{};          ///< of Held
    std::uint64_t bytes = 0; ///< of `result`, as definitions are measured
    std::string why{};
};

/// What a guard asks about that is no call: the agent waits for somebody's decision.
struct PendingQuestion {
    std::uint64_t need = 0;  ///< id of the ApprovalNeed
    GuardPoint point{};      ///< BeforeModel, AfterModel, BeforeProgram or Result
    Datum value;             ///< what passes, what is firewalled included
    std::size_t message = 0; ///< of BeforeModel and AfterModel: which of the messages
    std::string problem{};   ///< what is asked, or why the last answer could not be followed
    unsigned changes = 0;    ///< answers that could not be followed
};

/// What an agent and all that it called have used up.
struct TreeUse {
    std::size_t turns = 0;
    TokenUsage tokens{};
};

/// One agent at work.
struct AgentState {
    enum class Phase : std::uint8_t {
        New,
        Model,    ///< waits for a reply
        Program,  ///< its program waits for tools
        Native,   ///< native calls wait for tools
        Done,     ///< `step` is complete
        Question, ///< waits for somebody's decision: `question`
    };
    Phase phase = Phase::New;
    std::uint64_t run = 0;    ///< its number in the mission
    std::uint64_t parent = 0; ///< of the run that called it
    unsigned depth = 0;
    bool is_handed_over = false; ///< it took over from its caller, with the data of the mission
    Millis started{0};
    std::optional<Millis> deadline{};

    // What it has
    std::string instructions{};      ///< of a chat: the agent's prompt, which is no message then
    std::string context_signature{}; ///< types of the context, beside those of the agent's parameters
    Datum context;                   ///< a map: the data that it was given
    std::vector<Datum> results;      ///< maps that turns gave, oldest first: data, too
    std::map<std::string, std::string, std::less<>>
        moved{};                            ///< of these, definitions that were too large, by data/NAME
    std::vector<std::string> former_data{}; ///< names of what earlier missions of the conversation had
    MemoryUse memory;
    Secrets secrets;
    ToolCache tool_cache;
    // The journal (mission_journal.h)
    std::map<std::string, Datum, std::less<>> tasks{};
    std::uint64_t task_bytes = 0;
    std::map<std::string, std::string, std::less<>> done_steps{};
    std::map<std::string, std::string, std::less<>> new_steps{}; ///< of the program that runs
    std::vector<Message> messages;
    std::size_t head_messages = 0; ///< of them, those in front of the first turn
    std::size_t cut_turns = 0;     ///< which a message behind those stands for
    /// Of an agent whose tools may change: those that its system text lists, as they were before the first turn, and
    /// all that its model was told of, with a hash of what was said.
    std::optional<std::vector<std::string>> listed_tools{};
    std::map<std::string, std::string, std::less<>> known_tools{};

    // How far it is, and how far it may go. `caller` is no part of snapshots: whoever makes or reads a called agent
    // sets it.
    AgentState* caller = nullptr; ///< the agent that called it, which outlives it
    TreeUse tree{};
    std::size_t turn = 0;
    std::size_t retries = 0; ///< of `turn`, those beyond max_turns
    std::size_t failures_in_row = 0;
    std::size_t native_calls = 0;
    std::size_t last_turn = 0; ///< of `tree`, as the next two
    std::optional<std::int64_t> last_token{};
    std::optional<double> last_cost{};

    // The turn under way
    unsigned attempt = 1;
    std::uint64_t model_need = 0; ///< id of the LlmNeed; 0 for none
    Millis model_delay{0};        ///< of the LlmNeed
    Turn current;
    bool is_result_refused = false; ///< the last turn returned what does not fit
    std::string program{};          ///< the one that runs
    Millis program_started{0};
    Millis model_asked_at{0};
    Millis asked_at{0};          ///< when the program began to wait
    Millis approval_asked_at{0}; ///< while approvals are open: since when
    Millis waited_for_others{0}; ///< agents and approvals; does not count as the program's time
    std::vector<PendingUse> pending;
    std::vector<HeldCall> held; ///< in the order in which they were made
    std::optional<PendingQuestion> question{};
    std::vector<Attachment> attached;       ///< what tools gave for the message that the turn ends with
    std::optional<std::string> eval_call{}; ///< id of the lisp_eval call whose program runs

    Step step; ///< its trace grows; the rest is there at the end

    AgentState();
    AgentState(const AgentState&) = delete;
    AgentState& operator=(const AgentState&) = delete;
    ~AgentState();
};

/// What the agents of a mission share.
struct MissionTotals {
    std::uint64_t last_need = 0;
    std::uint64_t last_run = 0;
    std::size_t turns = 0;
    std::size_t llm_calls = 0;
    TokenUsage tokens{};
    unsigned max_depth = 3;
    bool is_interrupted = false;
};

/// Whether an agent that is at work, and those that it called, wait for approvals and for nothing else.
[[nodiscard]] bool waits_for_approval(const AgentState& state);

struct MissionState {
    MissionTotals totals;
    AgentState root;
};

} // namespace ptc
