// What judges a mission of an evaluation. A grader is a row of JSON with one member that says its kind (kGraders in
// grader.cpp); tools/README.md has them.
#pragma once
#include "ptc/ptc.h"
#include "subagent/agent/firewall.h"
#include <functional>
#include <string>
#include <vector>

namespace ptc {

struct Grade {
    std::string grader; ///< its kind, or the name that its row gives
    bool passed = false;
    std::string note{};       ///< why not, or what a judge says. Holds no firewalled values
    TokenUsage tokens{};      ///< of a judge
    bool was_stopped = false; ///< the judge was interrupted
};

/// A mission that is over, and what it was about.
struct GradedMission {
    const Step& step;
    const std::string& prompt;
    const Datum& context;   ///< a map
    const Datum& expected;  ///< what the case expects; nil for nothing
    const Secrets& secrets; ///< what is firewalled in all of these
    /// Runs a judge; `number` tells the judges of a case apart. Fails when it cannot be repeated.
    std::function<Result<Step>(const AgentPtr& judge, const Datum& context, const Datum& llm, std::size_t number)> ask;
    std::function<void(const TokenUsage&)> paid{}; ///< what a judge has used

    /// As JSON, for judges.
    [[nodiscard]] std::string shown(const Datum& value) const;
};

/// Immutable: several missions may be graded at the same time.
class Grader {
public:
    using Grading = std::function<Grade(const GradedMission& mission)>;
    /// invalid_request: a row that is none, a signature or a program that does not compile, a template that is wrong.
    static Result<Grader> create(const Datum& row, std::size_t number);
    [[nodiscard]] Grade grade(const GradedMission& mission) const;
    /// Whether a mission that fails can pass.
    [[nodiscard]] bool takes_failures() const { return takes_failures_; }
    /// Of a judge: the model that its row names, nil when it names none. None for what is no judge.
    [[nodiscard]] const std::optional<Datum>& judge_llm() const { return judge_llm_; }

private:
    std::string name_;
    Grading grading_;
    bool takes_failures_ = false;
    std::optional<Datum> judge_llm_{};
};

/// The mission came to an end that was wanted: for cases whose graders all want a result.
Grade grade_of_end(const Step& step);

/// {"ok", "result"?, "reason"?, "message"?, "turns", "llm_calls", "tool_calls": [{"name", "arguments", "error"?}],
/// "input_tokens", "output_tokens", "cost_usd"}: what programs that grade read as data/step.
Datum step_facts(const Step& step);

} // namespace ptc
