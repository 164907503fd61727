// Where an agent's programs run: a session, its data, and what the programs leave behind for the turns after them.
#pragma once
#include "frontend/bytes.h"
#include "subagent/agent/guards.h"
#include "subagent/agent/held_results.h"
#include "subagent/agent/mission_journal.h"
#include "subagent/agent/mission_memory.h"
#include "subagent/agent/run_limits.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptc {

/// Owns the session and the imported data: the context, and what turns gave (requirement 119). Writes `results`,
/// `memory` (their measure), the secrets among both, and the time at which the program began, of the state.
class Sandbox {
public:
    Sandbox(const AgentCore& core, const RunLimits& limits, const Guards& guards, MissionJournal& journal)
        : core_(core), limits_(limits), guards_(guards), journal_(journal), held_(core) {}

    /// An empty session. Nothing else may be called before this or `restore`.
    void open();
    /// What earlier programs defined, or a map of names, becomes definitions.
    [[nodiscard]] std::optional<Fail> define(const Memory& memory);
    /// data/NAME of the context of the state. memory_exceeded when it is too large.
    [[nodiscard]] Result<void> import_context();

    /// Runs `program` of the state until it ends or waits for tools.
    [[nodiscard]] RunState start();
    [[nodiscard]] RunState resume(std::vector<ToolAnswer> answers);
    void abandon() {
        session_->abandon();
        held_.drop();
    }
    /// Copies what these calls gave until the program ends: `keep_held` makes it data, if the program cannot have it.
    void hold(const std::vector<PendingUse>& uses) { held_.hold(uses); }
    void drop_held() { held_.drop(); }
    /// What is held becomes data of later turns, data/TOOL-result for each tool: what its call gave, or, of several
    /// calls, a list of that in their order (nil where one failed). All data of turns together are no more than
    /// AgentOptions::tool_cache allows. `held` of the state says what became of each call.
    [[nodiscard]] std::vector<KeptCalls> keep_held();
    /// Where the suspended program makes call `i`.
    [[nodiscard]] std::optional<LineColumn> call_position(std::size_t i) const { return session_->call_position(i); }
    /// How long the program and its tools have taken; agents that it called, and approvals, do not count.
    [[nodiscard]] Millis time_used() const;
    /// Why a guard refused what the program that just ended gave, though it was no result, or what of its definitions
    /// was to become data.
    [[nodiscard]] std::optional<std::string> take_refusal() { return std::exchange(refusal_, std::nullopt); }
    /// What a guard asks about the result that the program that just ended gave.
    [[nodiscard]] std::optional<std::string> take_question() { return std::exchange(question_, std::nullopt); }
    /// The program ended with an error: the tape keeps where the clock ended it.
    void note_error(const Outcome& outcome) const;

    /// What `program` of the state, which has run, seems not to mean.
    [[nodiscard]] std::string warnings(const Outcome& outcome) const;

    [[nodiscard]] std::vector<std::string> names() const { return session_->names(); }
    /// All definitions that are small enough to leave the sandbox: Step::memory.
    [[nodiscard]] Memory memory() const;
    /// Measures what a program defined, and gives it to `see`; why it is too much, if it is. It is not kept yet:
    /// `keep`, `move_to_data` or `take_back` comes next.
    [[nodiscard]] std::optional<std::string> why_memory_exceeded(const std::vector<std::string>& changed,
                                                                 const SeeDefinition& see);
    /// Gives these to `see`, as many as may be looked at.
    void see_definitions(const std::vector<std::string>& names, const SeeDefinition& see) const;
    /// The same of what the suspended program has defined so far.
    [[nodiscard]] std::optional<std::string> why_memory_exceeded() const;
    /// What the program that just ended well defined stays, or goes, and its value as *1 with it.
    void keep() { session_->settle(true); }
    void take_back(const std::vector<std::string>& changed);
    /// Keeps it, but for the largest of these names: they become data of later turns, until the rest is within the
    /// limit; those are added to `new_data`. False when that cannot be, or a guard refuses it: then it is to be taken
    /// back.
    [[nodiscard]] bool move_to_data(const std::vector<std::string>& changed, std::vector<NewData>& new_data);
    /// Makes a value that no program gave *1 of the next one. False when there is no room.
    [[nodiscard]] bool remember(const Datum& value) { return session_->push_history(value).ok(); }
    /// What the newest of the turns' data has under a name; null for nothing.
    [[nodiscard]] const Datum* newest_data(std::string_view name) const;
    /// Adds the entries of a map to the data of later turns, and what they are to `new_data`; in a conversation
    /// (requirements 202 to 208) none that has the name of what was given. Other values add nothing. False when the
    /// value is too large.
    [[nodiscard]] bool keep_result(const Datum& value, std::vector<NewData>& new_data);

    // Snapshots
    [[nodiscard]] Result<void> save(ByteWriter& out) const;
    /// The data of a state that was just read.
    [[nodiscard]] Result<void> restore_data();
    /// Between programs: what they defined goes on in the engine of another agent, which differs in its tools alone.
    [[nodiscard]] Result<void> move_to(const Engine& engine);
    /// The session; a program that waits in it must wait for the pending uses of the state.
    [[nodiscard]] Result<void> restore(ByteReader& in);

private:
    class Stop;
    /// The newest first: data/NAME is looked up in this order.
    [[nodiscard]] std::vector<std::shared_ptr<const DataSet>> data_sets() const;
    [[nodiscard]] RunOptions run_options();
    /// That `program` of the state reads data which earlier missions of the conversation had, and this one has not.
    [[nodiscard]] std::optional<Outcome> reads_gone_data() const;
    void measure(const std::vector<std::string>& names, MemoryUse& use, const SeeDefinition& see = {}) const;
    /// What guards say of what the program gave.
    [[nodiscard]] Result<std::optional<Datum>> accept(bool is_return, const Datum& value);
    [[nodiscard]] std::optional<Fail> define_names(const Memory& memory);
    [[nodiscard]] std::optional<std::string> why_too_much(const MemoryUse& use) const;
    /// Names of the context and of data sets.
    [[nodiscard]] bool is_given(std::string_view name) const;
    [[nodiscard]] bool is_data_of_turn(std::string_view name) const;
    /// `name` as programs write it, with a number behind it while it is among `taken` or would hide what was given or
    /// is data of a turn, but for what `definition` was before: made anew, that takes its former place.
    [[nodiscard]] std::string free_name(std::string_view name, const std::vector<NewData>& taken,
                                        std::string_view definition = {}) const;
    /// What calls of one tool gave becomes data; none, and `held` says why, where guards or the room do not allow it.
    [[nodiscard]] std::optional<KeptCalls> keep_calls(std::vector<std::size_t> calls);
    /// Why guards refuse data of these names that is no value of a program; else `data` is what they leave.
    [[nodiscard]] std::optional<std::string> why_refused(const std::vector<std::string>& names, Datum& data);
    /// Makes one layer of the data of turns, without what newer ones hide. False, and nothing changes, when that cannot
    /// be.
    [[nodiscard]] bool merge_results();
    /// Bytes of the data of turns, as definitions are measured.
    [[nodiscard]] std::uint64_t result_bytes() const;

    const AgentCore& core_;
    const RunLimits& limits_;
    const Guards& guards_;
    MissionJournal& journal_;
    std::optional<std::string> refusal_{};
    std::optional<std::string> question_{};
    std::optional<Session> session_;
    std::shared_ptr<const DataSet> context_data_;
    std::vector<std::shared_ptr<const DataSet>> result_data_; ///< of `results` of the state
    std::size_t taped_program_ = 0;                           ///< number of the program that runs, for the tape
    HeldResults held_;
};

} // namespace ptc
