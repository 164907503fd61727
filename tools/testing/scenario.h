// Scripted missions: an agent, a model that answers from a list, and what must come of it. The members of a row are in
// tests/conformance/README.md.
#pragma once
#include "ptc/ptc.h"
#include "tools/agent/script.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ptc {

/// A host tool's call, as the tool saw it.
struct SeenCall {
    std::string name;
    Datum arguments;
};

/// What was observed while a scenario ran. Models and tools may be called on several threads.
struct ScenarioLog {
    std::mutex mutex;
    std::vector<LlmRequest> requests;
    std::vector<SeenCall> tool_calls;
    std::vector<MissionEvent> events;
    bool is_past_end = false;            ///< a model was called more often than its script says
    std::atomic<std::int64_t> millis{0}; ///< the clock: it moves when somebody sleeps
};

/// Writes all calls of scripted models and tools into `log`.
ScriptWatcher watcher_of(const std::shared_ptr<ScenarioLog>& log);

struct ScenarioRun {
    Step step; ///< of the last stage
    std::size_t llm_calls = 0;
    std::shared_ptr<ScenarioLog> log = std::make_shared<ScenarioLog>();
    /// "ok", "error", or "invalid": refused as a configuration error.
    [[nodiscard]] std::string_view status() const;
};
/// invalid_request: the row is no scenario.
Result<ScenarioRun> run_scenario(const Datum& row);

/// What is different from `expect`; "" when all of it holds.
std::string scenario_difference(const Datum& expect, const ScenarioRun& run);
/// Runs the row and compares.
std::string scenario_row_difference(const Datum& row);

struct ScenarioLine {
    bool holds = false; ///< all that was expected
    std::string json;   ///< id, whether it holds, and what came of it
};
ScenarioLine scenario_line(const Datum& row);

} // namespace ptc
