// What a session has: its sandbox, and the run under way. As plain data, so that it can be saved (session_snapshot.h).
// What values of the VM may refer to stands in front of it, so that it goes after it.
#pragma once
#include "ptc/engine.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/engine_impl.h"
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
        lines.clear();
        left_ = max_bytes;
        on_print_ = &run.on_print;
        clock_ = run.clock_millis ? &run.clock_millis : &options_.clock_millis;
        budget_ = &run.budget;
    }
    bool print(std::string_view line) override {
        if (line.size() + 1 > left_) return false;
        left_ -= line.size() + 1;
        lines.emplace_back(line);
        if (*on_print_) (*on_print_)(line);
        return true;
    }
    std::int64_t now_millis() override {
        using namespace std::chrono;
        if (!*clock_) return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
        try {
            last_time_ = (*clock_)();
        } catch (...) { // stands still
        }
        return last_time_;
    }
    Result<Value> budget(Heap& heap, ShapeTable&) override {
        if (!budget_ || !*budget_) return Value();
        try {
            return from_datum(heap, (*budget_)());
        } catch (...) {
            return Error(Reason::RuntimeError, "The host cannot tell the budget.");
        }
    }
    /// Goes on with lines that were printed before; false when they are more than is allowed.
    bool resume(std::vector<std::string> printed, std::int64_t last_time) {
        for (const std::string& line : printed) {
            if (line.size() + 1 > left_) return false;
            left_ -= line.size() + 1;
        }
        lines = std::move(printed);
        last_time_ = last_time;
        return true;
    }
    [[nodiscard]] std::int64_t last_time() const { return last_time_; }
    std::vector<std::string> lines;

private:
    const EngineOptions& options_;
    std::uint64_t left_ = 0;
    const std::function<void(std::string_view)>* on_print_ = nullptr;
    const Clock* clock_ = nullptr;
    const std::function<Datum()>* budget_ = nullptr;
    std::int64_t last_time_ = 0; ///< that the host's clock gave
};

/// A tool call that the run waits for.
struct AskedTool {
    const Tool* tool; ///< null: nobody knows it
    ToolCall call;
    std::optional<Result<Datum>> answer{};
    std::vector<Fault> warnings{}; ///< of its arguments
    [[nodiscard]] bool is_for_host() const { return !tool || !tool->is_callable(); }
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
    Vm vm;

    // The run under way.
    ProgramPtr program; ///< null: none
    RunOptions options;
    Limits limits;
    std::vector<ToolRecord> tool_calls;
    std::size_t record_bytes = 0; ///< of `tool_calls`, charged to the heap
    std::vector<Fault> result_warnings;
    bool is_result_refused = false;
    std::vector<Diagnostic> warnings; ///< of the program, when it was given as text
    std::vector<AskedTool> asked;
    Meter::Clock::time_point started;
    Meter::Clock::time_point suspended_at;

    // For one snapshot after the other.
    IndexCache indexes;
    std::unordered_map<const Program*, std::string> program_bytes;

    static std::size_t bytes_of(const ToolRecord& record) {
        return sizeof record + record.name.size() + record.arguments_json.size() + record.result_json.size();
    }
};

} // namespace ptc
