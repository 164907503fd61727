// The page of an evaluation: what came of all cases, what changed since an earlier report, and each case with its runs,
// in the frame, the style and the marks of a trace's page. All texts come from cases, programs and models: none gets
// into the page but through html_text or html_program.
#include "tools/evals/suite_report.h"
#include "tools/number_text.h"
#include "tools/trace/html_text.h"
#include "tools/trace/trace_page_parts.h"
#include <cmath>

namespace ptc {
namespace {

constexpr const char* kStyle = R"css(
.rate { display: inline-block; position: relative; width: 8rem; height: .7em; background: var(--line); border-radius: 3px; vertical-align: baseline; flex: none; }
.rate i { position: absolute; top: 0; bottom: 0; border-radius: 3px; background: var(--open); opacity: .55; }
.rate b { position: absolute; top: -2px; bottom: -2px; width: 3px; margin-left: -1px; background: var(--ink); }
table { border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: 10px; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .9rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; } th { color: var(--soft); font-weight: 500; font-size: .8rem; }
td.worse { color: var(--bad); font-weight: 600; } td.better { color: var(--ok); font-weight: 600; }
.grades { margin: .4rem 0 .4rem 1.2rem; padding: 0; } .grades .failed { color: var(--bad); }
)css";

std::string mark(bool ok) {
    return ok ? R"(<span class="mark" title="passed">✓</span>)" : R"(<span class="mark" title="failed">✗</span>)";
}
const char* verdict(bool ok) { return ok ? "ok" : "failed"; }

std::string fact(const char* name, const std::string& value) {
    return "<div><dt>" + std::string(name) + "</dt><dd>" + value + "</dd></div>";
}

std::string percent(double rate) { return std::to_string(std::lround(rate * 1000) / 10) + "%"; }

/// The interval as a bar, the rate as a line in it.
std::string rate_bar(const EvalNumbers& numbers) {
    const PassRate rate = numbers.rate();
    return "<span class=\"rate\" title=\"95 % interval\"><i style=\"left:" + percent(rate.low) +
           ";width:" + percent(rate.high - rate.low) + "\"></i><b style=\"left:" + percent(rate.rate) +
           "\"></b></span>";
}

std::string means(const EvalNumbers& numbers) {
    const auto whole = [](double value) { return grouped_text(std::llround(value)); };
    char turns[32];
    std::snprintf(turns, sizeof turns, "%.1f", numbers.turns);
    std::string out = "<dl>" + fact("runs", whole(static_cast<double>(numbers.runs))) + fact("turns", turns) +
                      fact("tokens in", whole(numbers.input_tokens)) +
                      fact("tokens out", whole(numbers.output_tokens)) +
                      fact("time", duration_text(std::llround(numbers.duration_us)));
    if (numbers.cost_usd > 0) out += fact("cost", dollars_text(numbers.cost_usd));
    if (numbers.judge_cost_usd > 0) out += fact("judges", dollars_text(numbers.judge_cost_usd));
    return out + "</dl>\n";
}

std::string turns_of(const EvalRun& run) {
    std::string out;
    for (const Turn& turn : run.step.trace) {
        out += "<details class=\"fold\"><summary>Turn " + std::to_string(turn.number) + "</summary>";
        if (turn.program)
            out += "<pre class=\"code\">" + html_program(*turn.program) + "</pre>";
        else
            out += "<pre class=\"reply\">" + html_text(turn.reply) + "</pre>";
        const std::string came =
            turn.ok ? html_program(turn.result)
                    : "<b class=\"reason\">" + html_text(turn.reason) + "</b> " + html_text(turn.message);
        out += "<pre>" + came + "</pre></details>\n";
    }
    return out;
}

std::string grades_of(const EvalRun& run) {
    std::string out;
    for (const Grade& grade : run.grades)
        out += "<li class=\"" + std::string(verdict(grade.passed)) + "\">" + mark(grade.passed) +
               html_text(grade.grader) + (grade.note.empty() ? "" : ": " + html_text(grade.note)) + "</li>";
    return out.empty() ? "" : "<ul class=\"grades\">" + out + "</ul>\n";
}

std::string run_html(const EvalRun& run) {
    const std::string gist =
        run.error.empty() ? "<code>" + html_program(outcome_text(run)) + "</code>" : html_text(run.error);
    return "<details class=\"call " + std::string(verdict(run.passed)) + "\"" + (run.passed ? "" : " open") +
           "><summary>" + mark(run.passed) + "<b>Run " + std::to_string(run.number) + "</b><span class=\"gist\">" +
           gist + "</span><span class=\"cost\">" + std::to_string(run.step.usage.turns) + " turns · " +
           duration_text(run.step.usage.duration.count()) + (run.is_replayed ? " · recorded" : "") +
           "</span></summary>\n<pre>" + (run.error.empty() ? html_program(outcome_text(run)) : html_text(run.error)) +
           "</pre>\n" + grades_of(run) + turns_of(run) + "</details>\n";
}

std::string case_html(const EvalCaseRuns& one) {
    const EvalNumbers numbers = numbers_of(one.runs);
    const bool ok = holds(one);
    std::string out = "<details class=\"turn " + std::string(verdict(ok)) + "\" id=\"c-" + html_text(one.of->id) +
                      "\"" + (ok ? "" : " open") + "><summary>" + mark(ok) + "<b>" + html_text(one.of->id) + "</b>" +
                      rate_bar(numbers) + "<span class=\"gist\">" + html_text(one.of->prompt()) +
                      "</span><span class=\"cost\">" + html_text(rate_text(numbers)) + "</span></summary>\n" +
                      means(numbers);
    for (const EvalRun& run : one.runs)
        out += run_html(run);
    return out + "</details>\n";
}

std::string comparison_html(const EvalComparison& comparison) {
    std::string rows;
    for (const CaseChange& change : comparison.cases) {
        if (change.kind == CaseChange::Kind::Same) continue;
        const auto side = [](const EvalNumbers& numbers) {
            return "<td>" + (numbers.runs == 0 ? std::string("–") : rate_bar(numbers) + " " + rate_text(numbers)) +
                   "</td>";
        };
        const bool may_be_chance = change.kind == CaseChange::Kind::Worse && !change.is_clear;
        rows += "<tr><td class=\"" + std::string(change_name(change.kind)) + "\">" + change_name(change.kind) +
                (may_be_chance ? " (may be chance)" : "") + "</td><td><a href=\"#c-" + html_text(change.id) + "\">" +
                html_text(change.id) + "</a></td>" + side(change.before) + side(change.now) + "</tr>\n";
    }
    return "<h2>Since " + html_text(comparison.before) + "</h2>\n" +
           (rows.empty()
                ? "<p class=\"note\">All rates are the same.</p>\n"
                : "<table><tr><th>change</th><th>case</th><th>before</th><th>now</th></tr>\n" + rows + "</table>\n");
}

} // namespace

std::string report_html(const SuiteReport& report) {
    const bool ok = report.held() == report.cases.size();
    std::string out = "<header class=\"" + std::string(verdict(ok)) + "\">\n<h1>" + mark(ok) + html_text(report.name) +
                      "</h1>\n<div class=\"outcome\">" + std::to_string(report.held()) + " of " +
                      std::to_string(report.cases.size()) + " cases hold; runs that passed: " + rate_bar(report.all) +
                      " " + rate_text(report.all) + "</div>\n" + means(report.all) + "</header>\n";
    if (report.comparison) out += comparison_html(*report.comparison);
    out += "<h2>Cases</h2>\n";
    for (const EvalCaseRuns& one : report.cases)
        out += case_html(one);
    return whole_page(html_text(report.name) + " – ptc evaluation", out, kStyle);
}

} // namespace ptc
