// The result of a mission, and what happened in it.
#pragma once
#include "ptc/datum.h"
#include "ptc/error.h"
#include "ptc/llm.h"
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Why missions fail, declared once in mission_reasons.def.
enum class MissionReason : std::uint8_t {
#define PTC_SHARED_REASON(Name, ...) Name,
#define PTC_MISSION_REASON(Name, ...) Name,
#include "ptc/mission_reasons.def"
#undef PTC_MISSION_REASON
#undef PTC_SHARED_REASON
};
std::string_view reason_name(MissionReason reason);
std::string_view reason_doc(MissionReason reason);
/// All of them, in the order of the table.
const std::vector<MissionReason>& mission_reasons();
/// The reason of such a text, if there is one: programs have others, too.
std::optional<MissionReason> mission_reason_named(std::string_view name);

/// By which a mission fails whose program failed by `reason`; none: by eval_error or analysis_error.
std::optional<MissionReason> mission_reason_of(Reason reason);

/// Where the cause of a failure is.
enum class FailCause : std::uint8_t {
    Mission, ///< in what model, programs and tools did: the same again may end the same way
    Time,    ///< it took longer than it may
    Model,   ///< its model could not be called
    Host,    ///< the host stopped it
    Setup,   ///< it was given no model, or one that is not there
};
/// Of Fail::reason; of a program's own reason Mission.
FailCause cause_of(std::string_view reason);
/// Whether the mission could go on, from a checkpoint, once somebody has mended what is wrong outside of it.
bool is_outside(FailCause cause);

/// A mission's failure.
struct Fail {
    std::string reason;              ///< a name of mission_reasons.def, or a program's own
    std::string message;             ///< whole sentences
    std::optional<std::string> op{}; ///< the tool or operation that failed, when a program says so
    Datum details{};                 ///< a map, or nil
};

/// What crossed a boundary (context, argument, tool result, mission result) though it did not fit as it came: it was
/// coerced, or, with ValidationMode::WarnOnly, let through. Holds no firewalled values.
struct BoundaryWarning {
    std::string what;      ///< "context", "result", or the tool's name
    std::string text;      ///< `limit: coerced string "10" to int`, with the path in front if there is one
    std::size_t times = 1; ///< in a turn, or a mission
    friend bool operator==(const BoundaryWarning&, const BoundaryWarning&) = default;
};

/// Equal ones are one; of different ones the first kMost are kept.
struct BoundaryWarnings {
    BoundaryWarnings(); // see Step
    BoundaryWarnings(const BoundaryWarnings& other);
    BoundaryWarnings(BoundaryWarnings&& other) noexcept;
    BoundaryWarnings& operator=(const BoundaryWarnings& other);
    BoundaryWarnings& operator=(BoundaryWarnings&& other) noexcept;
    ~BoundaryWarnings();

    static constexpr std::size_t kMost = 100;
    std::vector<BoundaryWarning> all{}; ///< in the order in which they came
    std::size_t more = 0;               ///< beyond `all`
    [[nodiscard]] bool empty() const { return all.empty(); }
    void add(BoundaryWarning warning);
    void add(const BoundaryWarnings& others);
};

/// A tool call of a turn.
struct ToolUse {
    std::string name;
    Datum arguments;        ///< as the tool received them, what is firewalled hidden
    std::string result{};   ///< a preview, what is firewalled hidden; "" when it failed
    std::string error{};    ///< why it failed
    bool is_cached = false; ///< answered without calling the tool
    std::chrono::microseconds duration{0};
};

/// One turn, as a trace keeps it. Holds no firewalled values: fit for logs.
struct Turn {
    std::size_t number = 0;               ///< from 1
    std::string reply{};                  ///< the model's text
    std::optional<std::string> program{}; ///< what was run; none: the reply has no program
    bool ok = false;
    std::string result{};  ///< a preview of what it gave
    std::string reason{};  ///< when it is not ok: a name of mission_reasons.def
    std::string message{}; ///< why it is not ok
    std::vector<std::string> prints{};
    std::vector<ToolUse> tool_calls{};
    BoundaryWarnings warnings{}; ///< of its tools' arguments and results, and of what it returned
    TokenUsage tokens{};
    std::int64_t fuel = 0;
    std::uint64_t peak_heap_bytes = 0;     ///< of the program
    std::chrono::microseconds duration{0}; ///< of the program
};

/// What a mission used, its children included.
struct MissionUsage {
    std::size_t turns = 0;
    std::size_t llm_calls = 0;  ///< retries included
    std::size_t tool_calls = 0; ///< of hosts' tools, made
    TokenUsage tokens{};
    std::int64_t fuel = 0;
    std::uint64_t peak_heap_bytes = 0; ///< of the hungriest program
    std::chrono::microseconds duration{0};
};

/// A turn that compaction cut.
struct JournalLine {
    std::size_t turn = 0;
    std::string text{}; ///< what it came to, at most some hundred bytes; without firewalled values
};

struct Secrets;

/// What programs defined, a map of names and values. What a Datum cannot say (functions, dates and times, sorted maps,
/// lists) is a text in it; `machine` has all of it as it was, for missions of agents with the same preludes.
class Memory : public Datum {
public:
    Memory() = default;
    Memory(Datum names) : Datum(std::move(names)) {}
    /// Session::save_names; "" when the map says all. A mission with other preludes goes by the map.
    std::string machine{};
    /// What of it is firewalled, under whatever names and in whatever functions it is kept; null for nothing. Whoever
    /// makes a Memory of the map alone has firewalled what its keys say.
    std::shared_ptr<const Secrets> secrets{};
};

/// Who has the conversation since an agent handed over (AgentOptions::handoffs), and what it goes on with.
struct Handover {
    std::vector<std::string>
        path{};      ///< names of handoffs, from the mission's agent on: Agent::answering finds the agent
    Memory memory{}; ///< what that agent's programs defined
    Datum context{}; ///< what it was given: arguments and, where its Handoff says so, the data of others
};

/// What Agent::run returns: the value or the failure, and the whole account.
struct Step {
    // In the body, as those of BoundaryWarnings: every file that has a Step, or options with one, would compile the
    // walks over turns and messages otherwise.
    Step();
    Step(const Step& other);
    Step(Step&& other) noexcept;
    Step& operator=(const Step& other);
    Step& operator=(Step&& other) noexcept;
    ~Step();

    bool ok = false;
    Datum value{};                         ///< what was returned: text keys with underscores; nil when not ok
    std::optional<Fail> fail{};            ///< when not ok
    Memory memory{};                       ///< what programs defined, at the end: a next mission can begin with it
    std::optional<Handover> handed_over{}; ///< another agent gave the result
    std::string signature{};               ///< the normal form of the agent's, "() -> :any" by default
    MissionUsage usage{};
    BoundaryWarnings warnings{}; ///< of its context, and of all turns
    std::vector<Turn> trace{};   ///< the agent's own turns
    /// Of the turns that compaction cut, the last kMostJournal of them.
    std::vector<JournalLine> journal{};
    static constexpr std::size_t kMostJournal = 10'000;
    /// Names behind data/ that its turns added, which end with it: MissionOptions::former_data of a mission that goes
    /// on with the conversation.
    std::vector<std::string> data_names{};
    Datum tasks{};      ///< of an agent with a journal: a map of ids and what they came to, those before included
    Datum done_steps{}; ///< of one with a journal or a plan: what was reported, a map of ids and summaries
    std::vector<Message> messages{}; ///< the conversation, the last reply included: history for a next mission
};

} // namespace ptc
