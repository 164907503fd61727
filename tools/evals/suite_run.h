// Runs the cases of an evaluation, several at once, with models or on recordings.
#pragma once
#include "tools/evals/suite.h"
#include <stop_token>

namespace ptc {

/// A mission of a case, graded.
struct EvalRun {
    std::size_t number = 1;
    bool passed = false;
    Step step; ///< without the conversation
    std::vector<Grade> grades;
    /// Why there is no mission: the recording is another one's. "" when there is.
    std::string error{};
    bool is_replayed = false;
    bool was_run = false; ///< false: it was stopped before its end, and says nothing
    [[nodiscard]] bool has_mission() const { return was_run && error.empty(); }
};

struct EvalCaseRuns {
    const EvalCase* of;
    std::vector<EvalRun> runs;
};

struct EvalRunOptions {
    AgentArguments agent;      ///< of the command line: models, limits
    std::vector<Tool> tools{}; ///< of MCP servers, for all agents; the servers are the same for all runs
    std::string judge_llm;     ///< a SPEC: of judges that have none; "": that of the mission
    std::string recordings;    ///< a folder with ID.N.rec and ID.N.judge-K.rec; "" for none
    bool only_replays = false; ///< no model is called
    std::string traces;        ///< a folder for ID.N.jsonl; "" for none
    std::size_t jobs = 1;
    std::function<void(const EvalCase& of, const EvalRun& run)> on_run{}; ///< one after the other
    std::stop_token stop{};
    Approver approve{}; ///< of calls that need it, one after the other; none: they are denied
};

/// All runs of all cases, in their order whatever `jobs` is. Each run has an agent, models and tools of its own, so no
/// run knows of another one. With `recordings` a run whose recording is there is replayed, and no other is without
/// being recorded; interrupted ones and those whose model could not be called are not kept. `max_cost_usd` of an agent
/// bounds its mission and the judges of it together. invalid_request: an agent or a model, of a judge too, that cannot
/// be made, or a recording that is missing; found before the first run.
Result<std::vector<EvalCaseRuns>> run_suite(const EvalSuite& suite, const EvalRunOptions& options);

} // namespace ptc
