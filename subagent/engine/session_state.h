// What a session has: its sandbox, and the run under way. As plain data, so that it can be saved (session_snapshot.h).
// What values of the VM may refer to stands in front of it, so that it goes after it.
#pragma once
#include "ptc/engine.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/printed.h"
#include "subagent/engine/said_task.h"
#include "vm/snapshot/graph_reader.h"
#include "vm/vm.h"
#include <atomic>
#include <chrono>

namespace ptc {

/// Collects what a program prints, and gives it the host's clock.
class Services : public HostServices {
public:
    explicit Services(const EngineOptions& options) : options_(options) {}
    /// The options are borrowed for the run.
    void start(std::uint64_t max_bytes, const RunOptions& run) {
        printed.start(max_bytes, &run.on_print);
        clock_ = run.clock_millis ? &run.clock_millis : &options_.clock_millis;
        budget_ = &run.budget;
        journal_ = run.journal;
        random_ = options_.seed;
    }
    bool print(std::string_view line) override { return printed.line(line); }
    bool print_part(std::string_view text) override { return printed.part(text); }
    bool begin_capture() override {
        printed.begin_capture();
        return true;
    }
    std::string end_capture() override { return printed.end_capture(); }
    std::int64_t now_millis() override {
        using namespace std::chrono;
        if (!*clock_) return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
        try {
            last_time_ = (*clock_)();
        } catch (...) { // stands still
        }
        return last_time_;
    }
    std::optional<std::uint64_t> random_bits() override { // SplitMix64
        if (!random_) return std::nullopt;
        std::uint64_t z = *random_ += 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    Result<Value> budget(Heap& heap, ShapeTable&) override {
        if (!budget_ || !*budget_) return Value();
        try {
            return from_datum(heap, (*budget_)());
        } catch (...) {
            return Error(Reason::RuntimeError, "The host cannot tell the budget.");
        }
    }
    void step_done(std::string_view id, std::string_view summary) override {
        if (journal_) journal_->step_done(id, summary);
    }
    bool has_task(std::string_view id) override { return journal_ && journal_->find(id); }
    Result<Value> task_value(Heap& heap, ShapeTable&, std::string_view id) override {
        const Datum* kept = journal_ ? journal_->find(id) : nullptr;
        return kept ? from_datum(heap, *kept, Opaques::AsValues) : Value();
    }
    [[nodiscard]] bool has_journal() const override { return journal_ && journal_->keeps_tasks(); }
    Result<std::unique_ptr<SaidTask>> say_task(Heap& heap, std::string_view id, const Value& value) override {
        return has_journal() ? ptc::say_task(heap, id, value) : std::unique_ptr<SaidTask>();
    }
    Result<Value> value_of(Heap& heap, const SaidTask& said) override { return value_of_said(heap, said); }
    Result<void> keep_task(std::string_view id, std::unique_ptr<SaidTask> said) override {
        return journal_ ? journal_->keep(id, take_datum(std::move(said))) : Result<void>();
    }
    void forget_task(std::string_view id) override {
        if (journal_) journal_->forget(id);
    }
    /// Goes on where a snapshot was taken.
    void resume(std::int64_t last_time, std::optional<std::uint64_t> random) {
        last_time_ = last_time;
        random_ = random;
    }
    [[nodiscard]] std::int64_t last_time() const { return last_time_; }
    [[nodiscard]] std::optional<std::uint64_t> random() const { return random_; }
    Printed printed;

private:
    const EngineOptions& options_;
    const Clock* clock_ = nullptr;
    const SharedFunction<Datum()>* budget_ = nullptr;
    TaskJournal* journal_ = nullptr;
    std::int64_t last_time_ = 0;          ///< that the host's clock gave
    std::optional<std::uint64_t> random_; ///< where the random numbers of the run stand
};

/// A tool call that the run waits for.
struct AskedTool {
    const Tool* tool; ///< null: nobody knows it
    ToolCall call;
    std::optional<Result<Datum>> answer{};
    std::vector<Fault> warnings{}; ///< of its arguments
    [[nodiscard]] bool is_for_host() const { return !tool || tool->approval || !tool->is_callable(); }
};

struct SessionState {
    explicit SessionState(const Engine& e)
        : engine(impl_of(e)), services(engine.options), vm(services, &engine.pool, &engine.workers) {}

    EngineImpl& engine;
    Services services;
    std::atomic<bool> interrupted{false};
    // Values of the session may refer to these: they outlive the VM.
    std::vector<ProgramPtr> programs;
    std::vector<std::shared_ptr<const DataSet>> data;
    std::shared_ptr<FrozenStore> store{}; ///< of a session that was restored
    /// So may what died when the time of a run was over, which the next run gives back (Heap::give_back_the_rest).
    std::vector<ProgramPtr> dying_programs;
    std::vector<std::shared_ptr<const DataSet>> dying_data;
    Vm vm;

    // The run under way.
    ProgramPtr program; ///< null: none
    RunOptions options;
    Limits limits;
    std::vector<ToolRecord> tool_calls;
    std::size_t record_bytes = 0; ///< of `tool_calls`, charged to the heap
    std::vector<Fault> result_warnings;
    bool is_result_refused = false;

    // The last run, when it is not settled (RunOptions::may_undo).
    bool is_unsettled = false;
    ProgramPtr kept_for_atoms; ///< the unsettled run's, where `programs` has it for what it put into atoms alone
    std::vector<Value> former_history; ///< *1 *2 *3 before it

    std::vector<Diagnostic> warnings; ///< of the program, when it was given as text
    std::vector<AskedTool> asked;
    Meter::Clock::time_point started;        ///< compiling included, where the run did it
    Meter::Clock::duration compiling_took{}; ///< of that
    Meter::Clock::time_point suspended_at;

    /// For what the host looks at between two runs: as much as the largest trees take, which integers of millions of
    /// digits reach soon.
    static constexpr std::int64_t kMaxViewing = 32'000'000;
    Meter viewing;

    // For one snapshot after the other.
    IndexCache indexes;
    std::unordered_map<ProgramPtr, std::string> program_bytes; ///< owns: another program may not get its address

    static std::size_t bytes_of(const ToolRecord& record) {
        return sizeof record + record.name.size() + record.arguments_json.size() + record.result_json.size();
    }
};

} // namespace ptc
