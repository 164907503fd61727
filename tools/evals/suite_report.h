// What an evaluation came to: numbers of each case and of all, as JSON and as text, compared with an earlier report.
#pragma once
#include "tools/evals/suite_run.h"

namespace ptc {

/// A rate and the interval that has the true one with 95 % confidence (Wilson's score interval).
struct PassRate {
    double rate = 0;
    double low = 0;
    double high = 1;
};
PassRate pass_rate(std::size_t passed, std::size_t runs);

/// The numbers of a case, or of all. Means are those of the runs that had a mission; judges are counted for themselves.
/// Runs that were stopped are not counted.
struct EvalNumbers {
    std::size_t runs = 0;
    std::size_t missions = 0; ///< of these
    std::size_t passed = 0;
    double turns = 0;
    double tool_calls = 0;
    double input_tokens = 0;
    double output_tokens = 0;
    double cost_usd = 0;
    double duration_us = 0;
    double judge_cost_usd = 0;
    [[nodiscard]] PassRate rate() const { return pass_rate(passed, runs); }
};

/// A case in two reports.
struct CaseChange {
    enum class Kind { Same, Better, Worse, New, Gone };
    std::string id;
    Kind kind = Kind::Same;
    EvalNumbers before{};
    EvalNumbers now{};
    /// The intervals of the two rates have nothing in common: chance is an unlikely reason.
    bool is_clear = false;
};
const char* change_name(CaseChange::Kind kind);

struct EvalComparison {
    std::string before; ///< the file
    std::vector<CaseChange> cases;
    [[nodiscard]] std::size_t count(CaseChange::Kind kind) const;
};

struct SuiteReport {
    std::string name;
    std::vector<EvalCaseRuns> cases;
    EvalNumbers all{};
    std::optional<EvalComparison> comparison{};
    std::size_t stopped = 0;                ///< runs that were not made, or not to their end, as a signal came
    [[nodiscard]] std::size_t held() const; ///< cases that reached their rate
};

EvalNumbers numbers_of(const std::vector<EvalRun>& runs);
bool holds(const EvalCaseRuns& one);
SuiteReport report_of(std::string name, std::vector<EvalCaseRuns> cases);
/// `before`: a report that was written earlier, its text. invalid_request when it is none.
Result<EvalComparison> compare_reports(const std::string& file, std::string_view before, const SuiteReport& now);

// Firewalled values of results are hidden in all of these.
std::string report_json(const SuiteReport& report);
std::string report_text(const SuiteReport& report);
/// A page that needs nothing else.
std::string report_html(const SuiteReport& report);

/// "3 of 5, 60 % [23, 88]"
std::string rate_text(const EvalNumbers& numbers);
std::string dollars_text(double dollars);
/// Why a run did not pass; "" when it did.
std::string failure_text(const EvalRun& run);
/// The result or the failure of a run, in a line.
std::string outcome_text(const EvalRun& run);

} // namespace ptc
