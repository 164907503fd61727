// Scripted missions: an agent, a model that answers from a list, and what must come of it. The members of a row are in
// tests/conformance/README.md.
#pragma once
#include "ptc/ptc.h"
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
    /// Makes the functions of tools from their rows, instead of scripted_tool.
    std::function<Result<KeyedToolFunction>(const std::string& name, const Datum& row)> make_tool{};
};

/// A model that gives the replies of a list, in order.
class Script {
public:
    Script(Datum::List replies, std::shared_ptr<ScenarioLog> log)
        : replies_(std::move(replies)), log_(std::move(log)) {}
    LlmResult reply(const LlmRequest& request);

private:
    Datum::List replies_;
    std::size_t next_ = 0;
    std::shared_ptr<ScenarioLog> log_;
};
Llm scripted(Datum::List replies, const std::shared_ptr<ScenarioLog>& log);

/// The function of a tool whose row says what it does.
KeyedToolFunction without_key(ToolFunction function);
ToolFunction scripted_tool(const std::string& name, const Datum& row, const std::shared_ptr<ScenarioLog>& log);

/// {"max_attempts"?, "backoff"?, "base_delay"?, "retryable_errors"?: [..]}. invalid_request names what is wrong.
Result<RetryPolicy> read_retry(const Datum& row, std::chrono::milliseconds base_delay);

/// An agent's options as rows write them. invalid_request names the member that is wrong.
Result<AgentOptions> read_agent(const Datum& row, const std::shared_ptr<ScenarioLog>& log);

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

/// One line: id, whether it holds, and what came of it.
std::string scenario_json(const Datum& row);

} // namespace ptc
