// What tasks of a mission came to, and how far its plan is (AgentOptions::journaling and ::plan): the journal that its
// programs see, and what models read of both.
#pragma once
#include "subagent/agent/agent_core.h"
#include <string>
#include <string_view>

namespace ptc {

/// Borrows the mission and the state, of which it writes `tasks`, `done_steps`, `new_steps`, and the secrets of what is
/// kept. What tasks came to is there at once, and stays when the program fails; what programs report of the plan counts
/// once they have ended well. Each change is told to the host (MissionOptions::on_journal).
class MissionJournal final : public TaskJournal {
public:
    explicit MissionJournal(const AgentCore& core) : core_(core) {}

    /// Whether programs have a journal.
    [[nodiscard]] bool is_on() const { return core_.options().journaling || !core_.options().plan.empty(); }
    /// What earlier missions kept, and the steps that they reported: a map each, or nil.
    [[nodiscard]] std::optional<Fail> begin(const Datum& tasks, const Datum& done_steps);
    /// The program ended, well or not: its reports count, or never were. Whether any do.
    bool end_program(bool ok);

    /// Behind the prompt: which tasks are done, and the plan; "" for neither.
    [[nodiscard]] std::string head_text() const;
    /// The plan, with what was reported; "" when nobody has reported anything.
    [[nodiscard]] std::string progress_text() const;
    /// For the Step.
    [[nodiscard]] Datum tasks() const;
    [[nodiscard]] Datum done_steps() const;

    [[nodiscard]] bool keeps_tasks() const override { return core_.options().journaling; }
    [[nodiscard]] const Datum* find(std::string_view id) const override;
    Result<void> keep(std::string_view id, Datum value) override;
    void forget(std::string_view id) override;
    void step_done(std::string_view id, std::string_view summary) override;

private:
    [[nodiscard]] std::optional<Fail> begin_tasks(const Datum& tasks);
    [[nodiscard]] std::optional<Fail> begin_steps(const Datum& done_steps);
    Result<void> note(std::string_view id, Datum value);
    Result<void> tell(const JournalChange& change) const;
    [[nodiscard]] std::string plan_line(const PlanStep& step) const;

    const AgentCore& core_;
};

} // namespace ptc
