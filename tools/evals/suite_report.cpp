// The numbers of an evaluation. A rate of few runs says little, so each has its interval: Wilson's, which holds for
// small numbers and for rates of 0 and 1, where the usual one has no width. Two reports are compared case by case; a
// rate that fell is a regression, and clear when the intervals have nothing in common.
#include "tools/evals/suite_report.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/visible_text.h"
#include "subagent/agent/firewall.h"
#include "subagent/engine/invalid_request.h"
#include "tools/members.h"
#include "tools/number_text.h"
#include "tools/trace/event_text.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ptc/version.h>

namespace ptc {
namespace {

constexpr std::int64_t kFormat = 1;       ///< of the JSON
constexpr std::size_t kMostOutcome = 200; ///< bytes of a result in a line

/// The members that are means, by their names in the JSON.
struct MeanRow {
    const char* name;
    double EvalNumbers::*value;
};
constexpr MeanRow kMeans[] = {
    {"turns", &EvalNumbers::turns},
    {"tool_calls", &EvalNumbers::tool_calls},
    {"input_tokens", &EvalNumbers::input_tokens},
    {"output_tokens", &EvalNumbers::output_tokens},
    {"cost_usd", &EvalNumbers::cost_usd},
    {"duration_us", &EvalNumbers::duration_us},
    {"judge_cost_usd", &EvalNumbers::judge_cost_usd},
};

std::string number_json(double value) { return Datum(value).to_json(); }

std::string numbers_json(const EvalNumbers& numbers) {
    const PassRate rate = numbers.rate();
    JsonObject means;
    for (const MeanRow& row : kMeans)
        means.raw(row.name, number_json(numbers.*row.value));
    return JsonObject()
        .number("runs", static_cast<std::int64_t>(numbers.runs))
        .number("passed", static_cast<std::int64_t>(numbers.passed))
        .raw("rate", number_json(rate.rate))
        .raw("low", number_json(rate.low))
        .raw("high", number_json(rate.high))
        .raw("means", means.finish())
        .finish();
}

/// Null for an object that has no such numbers.
std::optional<EvalNumbers> read_numbers(const Datum& row) {
    const std::int64_t runs = integer_of(row, "runs");
    const std::int64_t passed = integer_of(row, "passed");
    const Datum* means = row.find("means");
    if (runs < 1 || passed < 0 || passed > runs || !means || !means->map()) return std::nullopt;
    EvalNumbers numbers;
    numbers.runs = static_cast<std::size_t>(runs);
    numbers.passed = static_cast<std::size_t>(passed);
    for (const MeanRow& mean : kMeans) {
        const Datum* value = means->find(mean.name);
        if (value) (void)value->to_double(&(numbers.*mean.value));
    }
    return numbers;
}

std::string run_json(const EvalRun& run) {
    JsonObject out;
    out.number("run", static_cast<std::int64_t>(run.number)).boolean("passed", run.passed);
    if (!run.error.empty()) return out.text("error", run.error).finish();
    out.boolean("replayed", run.is_replayed);
    if (run.step.ok) out.raw("return", public_view(run.step.value).to_json());
    if (run.step.fail)
        out.raw("fail",
                JsonObject().text("reason", run.step.fail->reason).text("message", run.step.fail->message).finish());
    out.raw("grades", json_array(run.grades, [](const Grade& grade) {
                JsonObject row;
                row.text("grader", grade.grader).boolean("passed", grade.passed);
                if (!grade.note.empty()) row.text("note", grade.note);
                return row.finish();
            }));
    const MissionUsage& usage = run.step.usage;
    return out.number("turns", static_cast<std::int64_t>(usage.turns))
        .number("tool_calls", static_cast<std::int64_t>(usage.tool_calls))
        .number("input_tokens", usage.tokens.input)
        .number("output_tokens", usage.tokens.output)
        .number("cache_read_tokens", usage.tokens.cache_read)
        .raw("cost_usd", number_json(usage.tokens.cost_usd))
        .number("duration_us", usage.duration.count())
        .number("fuel", usage.fuel)
        .finish();
}

std::string comparison_json(const EvalComparison& comparison) {
    return JsonObject()
        .text("before", comparison.before)
        .number("worse", static_cast<std::int64_t>(comparison.count(CaseChange::Kind::Worse)))
        .number("better", static_cast<std::int64_t>(comparison.count(CaseChange::Kind::Better)))
        .raw("cases", json_array(comparison.cases,
                                 [](const CaseChange& change) {
                                     JsonObject row;
                                     row.text("id", change.id).text("change", change_name(change.kind));
                                     row.boolean("clear", change.is_clear);
                                     if (change.before.runs > 0) row.raw("before", numbers_json(change.before));
                                     if (change.now.runs > 0) row.raw("now", numbers_json(change.now));
                                     return row.finish();
                                 }))
        .finish();
}

std::string decimal_text(double value, const char* format) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string in_percent(double rate) { return std::to_string(std::lround(rate * 100)); }

/// "2.0 turns, 1,234 tokens, $0.0012, 12 ms"
std::string means_text(const EvalNumbers& numbers) {
    const auto tokens = static_cast<std::int64_t>(std::llround(numbers.input_tokens + numbers.output_tokens));
    std::string out = decimal_text(numbers.turns, "%.1f turns");
    if (tokens > 0) out += ", " + grouped_text(tokens) + " tokens";
    if (numbers.cost_usd > 0) out += ", " + dollars_text(numbers.cost_usd);
    if (numbers.judge_cost_usd > 0) out += " and " + dollars_text(numbers.judge_cost_usd) + " for judges";
    return out + ", " + duration_text(std::llround(numbers.duration_us));
}

std::string change_text(const CaseChange& change) {
    std::string out = "  " + std::string(change_name(change.kind)) + " " + change.id;
    if (change.before.runs > 0) out += ": " + rate_text(change.before) + ", " + means_text(change.before);
    if (change.before.runs > 0 && change.now.runs > 0) out += "\n    -> ";
    if (change.before.runs == 0) out += ": ";
    if (change.now.runs > 0) out += rate_text(change.now) + ", " + means_text(change.now);
    if (change.kind == CaseChange::Kind::Worse && !change.is_clear) out += " (may be chance)";
    return out + "\n";
}

std::string comparison_text(const EvalComparison& comparison) {
    std::string out = "compared with " + comparison.before + ": ";
    out += std::to_string(comparison.count(CaseChange::Kind::Worse)) + " worse, " +
           std::to_string(comparison.count(CaseChange::Kind::Better)) + " better, " +
           std::to_string(comparison.count(CaseChange::Kind::Same)) + " the same, " +
           std::to_string(comparison.count(CaseChange::Kind::New)) + " new, " +
           std::to_string(comparison.count(CaseChange::Kind::Gone)) + " gone\n";
    for (const CaseChange& change : comparison.cases) {
        if (change.kind != CaseChange::Kind::Same) out += change_text(change);
    }
    return out;
}

CaseChange change_of(const std::string& id, const std::optional<EvalNumbers>& before,
                     const std::optional<EvalNumbers>& now) {
    CaseChange change{.id = id};
    if (before) change.before = *before;
    if (now) change.now = *now;
    if (!before || !now) {
        change.kind = before ? CaseChange::Kind::Gone : CaseChange::Kind::New;
        return change;
    }
    const PassRate a = before->rate(), b = now->rate();
    if (b.rate < a.rate) change.kind = CaseChange::Kind::Worse;
    if (b.rate > a.rate) change.kind = CaseChange::Kind::Better;
    change.is_clear = b.high < a.low || b.low > a.high;
    return change;
}

} // namespace

PassRate pass_rate(std::size_t passed, std::size_t runs) {
    if (runs == 0) return {};
    constexpr double kZ = 1.959963984540054; // 95 %, two-sided
    const auto n = static_cast<double>(runs);
    const double rate = static_cast<double>(passed) / n;
    const double scale = 1 + kZ * kZ / n;
    const double center = (rate + kZ * kZ / (2 * n)) / scale;
    const double half = kZ / scale * std::sqrt(rate * (1 - rate) / n + kZ * kZ / (4 * n * n));
    // At the ends rounding would leave a trace of what is exactly 0 or 1.
    return {rate, passed == 0 ? 0 : center - half, passed == runs ? 1 : center + half};
}

EvalNumbers numbers_of(const std::vector<EvalRun>& runs) {
    EvalNumbers out;
    for (const EvalRun& run : runs) {
        if (!run.was_run) continue;
        ++out.runs;
        out.passed += run.passed ? 1 : 0;
        if (!run.has_mission()) continue;
        ++out.missions;
        const MissionUsage& usage = run.step.usage;
        out.turns += static_cast<double>(usage.turns);
        out.tool_calls += static_cast<double>(usage.tool_calls);
        out.input_tokens += static_cast<double>(usage.tokens.input);
        out.output_tokens += static_cast<double>(usage.tokens.output);
        out.cost_usd += usage.tokens.cost_usd;
        out.duration_us += static_cast<double>(usage.duration.count());
        for (const Grade& grade : run.grades)
            out.judge_cost_usd += grade.tokens.cost_usd;
    }
    for (const MeanRow& row : kMeans)
        out.*row.value /= static_cast<double>(std::max<std::size_t>(1, out.missions));
    return out;
}

bool holds(const EvalCaseRuns& one) { return numbers_of(one.runs).rate().rate >= one.of->min_rate; }

std::size_t SuiteReport::held() const { return static_cast<std::size_t>(std::ranges::count_if(cases, holds)); }

std::size_t EvalComparison::count(CaseChange::Kind kind) const {
    return static_cast<std::size_t>(std::ranges::count(cases, kind, &CaseChange::kind));
}

const char* change_name(CaseChange::Kind kind) {
    switch (kind) {
    case CaseChange::Kind::Same: return "same";
    case CaseChange::Kind::Better: return "better";
    case CaseChange::Kind::Worse: return "worse";
    case CaseChange::Kind::New: return "new";
    case CaseChange::Kind::Gone: return "gone";
    }
    return "";
}

SuiteReport report_of(std::string name, std::vector<EvalCaseRuns> cases) {
    SuiteReport report{.name = std::move(name), .cases = std::move(cases)};
    for (EvalCaseRuns& one : report.cases)
        report.stopped += std::erase_if(one.runs, [](const EvalRun& run) { return !run.was_run; });
    std::erase_if(report.cases, [](const EvalCaseRuns& one) { return one.runs.empty(); });
    for (const EvalCaseRuns& one : report.cases) {
        const EvalNumbers numbers = numbers_of(one.runs);
        report.all.runs += numbers.runs;
        report.all.passed += numbers.passed;
        report.all.missions += numbers.missions;
        for (const MeanRow& row : kMeans)
            report.all.*row.value += numbers.*row.value * static_cast<double>(numbers.missions);
    }
    for (const MeanRow& row : kMeans)
        report.all.*row.value /= static_cast<double>(std::max<std::size_t>(1, report.all.missions));
    return report;
}

Result<EvalComparison> compare_reports(const std::string& file, std::string_view before, const SuiteReport& now) {
    const Result<Datum> json = Datum::from_json(before);
    if (!json.ok()) return invalid_request(file + ": " + json.error().message);
    if (integer_of(json.value(), "ptc_eval") != kFormat)
        return invalid_request(file + ": this is no report of `ptcc eval-agents --format json`.");
    EvalComparison out{.before = file, .cases = {}};
    const auto number_of_case = [&now](const std::string& id) -> std::optional<EvalNumbers> {
        const auto found = std::ranges::find(now.cases, id, [](const EvalCaseRuns& one) { return one.of->id; });
        return found == now.cases.end() ? std::nullopt : std::optional(numbers_of(found->runs));
    };
    const Datum* cases = json.value().find("cases");
    if (!cases || !cases->list()) return invalid_request(file + ": the report has no `cases`.");
    std::vector<std::string> known;
    for (const Datum& row : items_of(json.value(), "cases")) {
        const std::string id = text_of(row, "id");
        const std::optional<EvalNumbers> numbers = read_numbers(row);
        if (id.empty() || !numbers) return invalid_request(file + ": a case has no `id`, or no numbers.");
        out.cases.push_back(change_of(id, numbers, number_of_case(id)));
        known.push_back(id);
    }
    for (const EvalCaseRuns& one : now.cases) {
        if (std::ranges::find(known, one.of->id) == known.end())
            out.cases.push_back(change_of(one.of->id, std::nullopt, numbers_of(one.runs)));
    }
    return out;
}

std::string report_json(const SuiteReport& report) {
    JsonObject out;
    out.number("ptc_eval", kFormat).text("ptcc", PTC_VERSION).text("name", report.name);
    out.number("cases_held", static_cast<std::int64_t>(report.held()));
    if (report.stopped > 0) out.number("runs_stopped", static_cast<std::int64_t>(report.stopped));
    out.raw("all", numbers_json(report.all));
    out.raw("cases", json_array(report.cases, [](const EvalCaseRuns& one) {
                const std::string numbers = numbers_json(numbers_of(one.runs));
                return JsonObject()
                    .text("id", one.of->id)
                    .boolean("holds", holds(one))
                    .raw("min_rate", number_json(one.of->min_rate))
                    .more("," + numbers.substr(1, numbers.size() - 2))
                    .raw("results", json_array(one.runs, run_json))
                    .finish();
            }));
    if (report.comparison) out.raw("comparison", comparison_json(*report.comparison));
    return out.finish();
}

std::string rate_text(const EvalNumbers& numbers) {
    const PassRate rate = numbers.rate();
    return std::to_string(numbers.passed) + " of " + std::to_string(numbers.runs) + ", " + in_percent(rate.rate) +
           " % [" + in_percent(rate.low) + ", " + in_percent(rate.high) + "]";
}

std::string dollars_text(double dollars) { return decimal_text(dollars, dollars < 0.01 ? "$%.6f" : "$%.4f"); }

std::string failure_text(const EvalRun& run) {
    if (run.passed) return "";
    if (!run.error.empty()) return run.error;
    std::string out;
    for (const Grade& grade : run.grades) {
        if (!grade.passed)
            out += (out.empty() ? "" : "; ") + grade.grader + (grade.note.empty() ? " says no" : ": " + grade.note);
    }
    return out.empty() ? "it was not run" : out;
}

std::string outcome_text(const EvalRun& run) {
    if (!run.error.empty()) return "";
    if (run.step.fail) return run.step.fail->reason + ": " + run.step.fail->message;
    std::string json = public_view(run.step.value).to_json();
    if (json.size() <= kMostOutcome) return json;
    json.resize(kMostOutcome);
    return json += "…";
}

namespace {

/// What models, tools and graders said, in one line that is theirs alone.
std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return printable(text);
}

} // namespace

std::string report_text(const SuiteReport& report) {
    std::string out;
    for (const EvalCaseRuns& one : report.cases) {
        const EvalNumbers numbers = numbers_of(one.runs);
        out += (holds(one) ? "ok      " : "FAILED  ") + one.of->id + ": " + rate_text(numbers) + ", " +
               means_text(numbers) + "\n";
        for (const EvalRun& run : one.runs) {
            if (!run.passed)
                out += "          run " + std::to_string(run.number) + ": " + one_line(failure_text(run)) + "\n";
        }
    }
    if (report.comparison) out += comparison_text(*report.comparison);
    if (report.stopped > 0)
        out += "stopped: " + std::to_string(report.stopped) + " runs were not made, or not to their end\n";
    out += one_line(report.name) + ": " + std::to_string(report.held()) + " of " + std::to_string(report.cases.size()) +
           " cases hold; runs that passed: " + rate_text(report.all) + "; a run: " + means_text(report.all) + "\n";
    return out;
}

} // namespace ptc
