// Missions that are kept: ptc/recording.h says what and why. The mission runs as usual, but asks a tape for time and
// chance (KeepingTape); the recorder writes what the tape gave since it was asked last, each call before it is made and
// each answer before the mission gets it.
#include "ptc/recording.h"
#include "frontend/try.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/line_file.h"
#include "subagent/agent/mission_calls.h"
#include "subagent/agent/taped_mission.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/recording/recording_lines.h"
#include <algorithm>
#include <cstring>
#include <mutex>

namespace ptc {
namespace {

/// Real time, looked at when an answer comes, and chance, kept as it falls.
class KeepingTape : public MissionTape {
public:
    explicit KeepingTape(const MissionOptions& options)
        : options_(options), began_(real_now()),
          started_ms_(std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count()) {
    }

    [[nodiscard]] std::int64_t started_ms() const { return started_ms_; }
    /// An answer is there.
    Millis tick() { return segment_.at = std::max(now(), real_now() - began_); }
    /// What happened since it was asked last.
    TapeSegment take() {
        polls_ = slices_ = 0;
        return std::exchange(segment_, TapeSegment::beginning_at(now()));
    }

    [[nodiscard]] Millis now() const override { return segment_.late ? segment_.late->at : segment_.at; }
    double random() override {
        return segment_.random.emplace_back(options_.clock.random ? options_.clock.random() : system_chance());
    }
    bool is_interrupted() override {
        if (is_interrupted_) return true;
        is_interrupted_ = options_.stop.stop_requested() || (options_.is_interrupted && options_.is_interrupted());
        if (is_interrupted_)
            segment_.interrupted_after = polls_;
        else
            ++polls_;
        return is_interrupted_;
    }
    [[nodiscard]] std::int64_t wall_millis() const override { return started_ms_ + segment_.at.count(); }
    ProgramTime begin_program() override { return {.number = ++programs_, .timeout = {}, .timeout_after_fuel = {}}; }
    [[nodiscard]] std::stop_token stop() const override { return {}; }
    bool goes_on(std::optional<Millis> deadline) override {
        if (!deadline) return true;
        if (segment_.late) return false;
        ++slices_;
        const Millis at = std::max(segment_.at, real_now() - began_);
        if (at >= *deadline) segment_.late = TapeSegment::Late{slices_, at};
        return !segment_.late;
    }
    std::optional<std::vector<Tool>>
    changed_tools(std::uint64_t run, std::size_t turn,
                  const std::function<std::optional<std::vector<Tool>>()>& ask) override {
        std::optional<std::vector<Tool>> changed = ask();
        if (changed) segment_.fed.push_back({run, turn, *changed});
        return changed;
    }
    void program_timed_out(std::size_t number, std::int64_t fuel) override { segment_.timeouts[number] = fuel; }

private:
    [[nodiscard]] Millis real_now() const { return options_.clock.now ? options_.clock.now() : system_now(); }
    const MissionOptions& options_;
    const Millis began_;
    const std::int64_t started_ms_;
    TapeSegment segment_{};
    std::uint64_t polls_ = 0;
    std::uint64_t slices_ = 0;
    std::size_t programs_ = 0;
    bool is_interrupted_ = false;
};

/// Writes a mission while it runs.
class Recorder {
public:
    Recorder(int fd, const MissionOptions& options) : tape_(options), file_(fd) {}
    KeepingTape& tape() { return tape_; }

    void begin(const Datum& note) { file_.write(header_line(tape_.started_ms(), note)); }
    /// What the mission came to need after it worked.
    void note(const Needs& needs) {
        note_chance();
        for (const LlmNeed& need : needs.llm)
            file_.write(calls_.line(need));
        for (const ToolNeed& need : needs.tools)
            file_.write(calls_.line(need));
        for (const ApprovalNeed& need : needs.approvals)
            file_.write(calls_.line(need));
    }
    void note(const MissionCalls::Answer& answer) {
        std::string members = std::visit([](const auto& result) { return answer_members(result); }, answer.result);
        file_.write(answer_line(answer.id, tape_.tick(), std::move(members))); // what it took counts
    }
    void end(const Step& step) {
        note_chance();
        file_.write(end_line(step));
    }
    [[nodiscard]] Result<void> check(const std::string& path) const {
        if (file_.error_number() == 0) return {};
        return invalid_request("Cannot write the recording `" + path + "`: " + std::strerror(file_.error_number()) +
                               ".");
    }

private:
    void note_chance() {
        const TapeSegment segment = tape_.take();
        if (segment.has_chance()) file_.write(chance_line(segment));
    }
    KeepingTape tape_;
    LineFile file_;
    CallLines calls_;
};

/// A keeper's callbacks as a journal of calls, and the first error that they gave.
class Keeping {
public:
    explicit Keeping(const MissionKeeper& keeper) : keeper_(keeper) {}

    [[nodiscard]] AnswerJournal journal() {
        AnswerJournal journal;
        if (keeper_.on_reply)
            journal.on_reply = [this](const LlmNeed& need, const LlmResult& result) {
                note(keeper_.on_reply(need, result));
            };
        if (keeper_.on_answer)
            journal.on_answer = [this](const ToolNeed& need, const ToolAnswer& answer) {
                note(keeper_.on_answer(need, answer));
            };
        if (keeper_.on_approval)
            journal.on_approval = [this](const ApprovalNeed& need, const ApprovalAnswer& answer) {
                note(keeper_.on_approval(need, answer));
            };
        return journal;
    }
    [[nodiscard]] Result<void> save(const Mission& mission, const Needs& needs) {
        const std::scoped_lock lock(mutex_);
        if (error_) return *error_;
        return keeper_.before_calls ? keeper_.before_calls(mission, needs) : Result<void>();
    }

private:
    void note(const Result<void>& result) {
        const std::scoped_lock lock(mutex_);
        if (!result.ok() && !error_) error_ = result.error();
    }
    const MissionKeeper& keeper_;
    std::mutex mutex_;
    std::optional<Error> error_;
};

} // namespace

Result<Step> record_mission(const AgentPtr& agent, MissionOptions options, const std::string& path, const Datum& note,
                            const MissionKeeper& keeper) {
    Keeping keeping(keeper);
    Recorder recorder(PTC_TRY(LineFile::create(path, "the recording")), options);
    recorder.begin(note);
    Mission mission(agent, options);
    TapedMission::attach(mission, recorder.tape());
    AnswerJournal journal = keeping.journal();
    journal.approve = options.approve;
    MissionCalls calls(impl_of(*impl_of(*agent).engine).callers, options.clock, std::move(journal));
    mission.start();
    while (!mission.is_done()) {
        Needs needs = mission.take_needs();
        recorder.note(needs);
        PTC_CHECK(recorder.check(path));
        if (!needs.empty()) PTC_CHECK(keeping.save(mission, needs));
        calls.add(std::move(needs));
        std::optional<MissionCalls::Answer> answer = calls.wait();
        if (!answer) break; // a mission that is not done needs something
        recorder.note(*answer);
        std::visit([&](auto& result) { mission.answer(answer->id, std::move(result)); }, answer->result);
    }
    recorder.end(mission.step());
    PTC_CHECK(recorder.check(path));
    PTC_CHECK(keeping.save(mission, {}));
    return mission.take_step();
}

} // namespace ptc
