// The journal of a mission. Ids and values come from programs, so all of it is bounded: as much may be kept as may be
// defined, and texts for models are cut.
#include "subagent/agent/mission_journal.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "subagent/agent/compaction.h"
#include "subagent/agent/preview.h"
#include "subagent/agent/prompt.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMostTasks = 10'000;
constexpr std::size_t kMostSteps = 1000;       ///< reported, those beside the plan included
constexpr std::size_t kMostIdBytes = 1000;     ///< of a task or a step
constexpr std::size_t kMostSummaryBytes = 400; ///< of what was reported of a step
constexpr std::size_t kMostShownBytes = 8000;  ///< of all tasks, or all steps, in a text

/// Lines below a title, as many as there is room for.
class Lines {
public:
    explicit Lines(std::string_view title) : text_("\n\n## " + std::string(title)) {}
    void add(const std::string& line) {
        if (left_ > 0 || text_.size() + line.size() > kMostShownBytes)
            ++left_;
        else
            text_ += "\n- " + line;
    }
    [[nodiscard]] std::string text() const {
        return left_ == 0 ? text_ : text_ + "\n… and " + std::to_string(left_) + " more";
    }

private:
    std::string text_;
    std::size_t left_ = 0;
};

} // namespace

std::optional<Fail> MissionJournal::begin(const Datum& tasks, const Datum& done_steps) {
    std::optional<Fail> fail = begin_tasks(tasks);
    return fail ? fail : begin_steps(done_steps);
}

std::optional<Fail> MissionJournal::begin_steps(const Datum& done_steps) {
    if (done_steps.is_nil()) return std::nullopt;
    if (!is_on())
        return because(MissionReason::InvalidRequest,
                       "Steps are given to an agent that has neither a plan nor a journal.");
    if (!done_steps.map() || done_steps.size() > kMostSteps)
        return because(MissionReason::InvalidRequest, "The steps that are done must be a map of at most " +
                                                          std::to_string(kMostSteps) + " ids and texts.");
    for (const auto& [key, value] : done_steps.entries()) {
        const std::string_view id = key_name(key);
        if (id.empty() || id.size() > kMostIdBytes || !value.text())
            return because(MissionReason::InvalidRequest, "A step that is done is an id and a text.");
        core_.state.done_steps[std::string(id)] = utf8::prefix(*value.text(), kMostSummaryBytes);
    }
    return std::nullopt;
}

std::optional<Fail> MissionJournal::begin_tasks(const Datum& tasks) {
    if (tasks.is_nil()) return std::nullopt;
    if (!core_.options().journaling)
        return because(MissionReason::InvalidRequest, "Tasks are given to an agent that keeps no journal.");
    if (!tasks.map()) return because(MissionReason::InvalidRequest, "The tasks must be a map of ids and values.");
    for (const auto& [key, value] : tasks.entries()) {
        const std::string_view id = key_name(key);
        if (id.empty()) return because(MissionReason::InvalidRequest, "The id of a task must be a text.");
        const Result<void> kept = note(id, value);
        if (!kept.ok()) return because(MissionReason::MemoryExceeded, kept.error().message);
    }
    return std::nullopt;
}

bool MissionJournal::end_program(bool ok) {
    AgentState& state = core_.state;
    const bool has_news = ok && !state.new_steps.empty();
    for (auto& [id, summary] : state.new_steps) {
        if (!ok || (state.done_steps.size() >= kMostSteps && !state.done_steps.contains(id))) continue;
        const Datum text(summary);
        state.done_steps[id] = std::move(summary);
        (void)tell({JournalChange::Kind::StepDone, id, &text});
    }
    state.new_steps.clear();
    return has_news;
}

// ---- For programs

const Datum* MissionJournal::find(std::string_view id) const {
    const auto found = core_.state.tasks.find(id);
    return found == core_.state.tasks.end() ? nullptr : &found->second;
}

Result<void> MissionJournal::tell(const JournalChange& change) const {
    const auto& told = core_.env.options.on_journal;
    if (!told || core_.state.depth > 0) return {};
    try {
        const Result<void> kept = told(change);
        // A reason that no program catches.
        if (!kept.ok()) return Error(Reason::Interrupted, "The journal is not kept: " + kept.error().message);
    } catch (...) { // as of MissionOptions::on_event
    }
    return {};
}

Result<void> MissionJournal::keep(std::string_view id, Datum value) {
    if (!core_.options().journaling) return {};
    PTC_CHECK(note(id, std::move(value)));
    return tell({JournalChange::Kind::Kept, id, find(id)});
}

Result<void> MissionJournal::note(std::string_view id, Datum value) {
    AgentState& state = core_.state;
    if (id.size() > kMostIdBytes)
        return Error(Reason::LimitExceeded, "The id of a task has more than " + std::to_string(kMostIdBytes) +
                                                " bytes: " + quoted_excerpt(id, 40) + ".");
    const auto size = [](std::string_view name, const Datum& of) { return name.size() + compact_size(of); };
    const Datum* before = find(id);
    std::uint64_t bytes = state.task_bytes - (before ? size(id, *before) : 0) + size(id, value);
    const std::uint64_t most = core_.options().memory_limit.value_or(kMostDefined);
    if (bytes > most || (!before && state.tasks.size() == kMostTasks))
        return Error(Reason::LimitExceeded,
                     "What tasks came to is more than the journal keeps: " + std::to_string(kMostTasks) +
                         " values of " + std::to_string(most) + " bytes.");
    learn_secrets(state.secrets, value, is_firewalled(id));
    state.tasks.insert_or_assign(std::string(id), std::move(value));
    state.task_bytes = bytes;
    return {};
}

void MissionJournal::forget(std::string_view id) {
    const auto found = core_.state.tasks.find(id);
    if (found == core_.state.tasks.end()) return;
    core_.state.task_bytes -= id.size() + compact_size(found->second);
    core_.state.tasks.erase(found);
    (void)tell({JournalChange::Kind::Forgotten, id, nullptr}); // who cannot keep that does a task less
}

void MissionJournal::step_done(std::string_view id, std::string_view summary) {
    AgentState& state = core_.state;
    if (state.new_steps.size() >= kMostSteps || id.size() > kMostIdBytes) return;
    state.new_steps.insert_or_assign(std::string(id), std::string(utf8::prefix(summary, kMostSummaryBytes)));
}

// ---- For models

std::string MissionJournal::plan_line(const PlanStep& step) const {
    const auto found = core_.state.done_steps.find(step.id);
    const bool is_done = found != core_.state.done_steps.end();
    return (is_done ? "[x] " : "[ ] ") + step.id + ": " + journal_text(step.text) +
           (is_done ? " - " + journal_text(found->second) : "");
}

std::string MissionJournal::head_text() const {
    const AgentState& state = core_.state;
    std::string text;
    if (!state.tasks.empty()) {
        Lines lines("Tasks that are done");
        PreviewLimits limits = preview_limits(core_.options().prompt_limit);
        limits.bytes = std::min(limits.bytes, kMostSummaryBytes);
        limits.has_own_keys = true; // as what a turn gave
        for (const auto& [id, value] : state.tasks)
            lines.add(journal_text(id) + ": " +
                      (is_firewalled(id) ? std::string(kFirewalled) : preview(value, limits).text));
        text += core_.hidden(lines.text());
    }
    if (!core_.options().plan.empty()) {
        Lines lines("Plan");
        for (const PlanStep& step : core_.options().plan)
            lines.add(plan_line(step));
        text += core_.hidden(lines.text());
    }
    return text;
}

std::string MissionJournal::progress_text() const {
    const auto& done = core_.state.done_steps;
    if (done.empty()) return "";
    Lines lines("Progress");
    const std::vector<PlanStep>& plan = core_.options().plan;
    for (const PlanStep& step : plan)
        lines.add(plan_line(step));
    for (const auto& [id, summary] : done) {
        if (std::ranges::find(plan, id, &PlanStep::id) == plan.end())
            lines.add("[x] " + journal_text(id) + " (not in the plan) - " + journal_text(summary));
    }
    return lines.text();
}

Datum MissionJournal::tasks() const {
    Datum::Map map;
    for (const auto& [id, value] : core_.state.tasks)
        map.emplace_back(Datum(id), value);
    return Datum(std::move(map));
}

Datum MissionJournal::done_steps() const {
    Datum::Map map;
    for (const auto& [id, summary] : core_.state.done_steps)
        map.emplace_back(Datum(id), Datum(summary));
    return Datum(std::move(map));
}

} // namespace ptc
