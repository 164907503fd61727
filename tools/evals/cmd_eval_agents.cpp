// `ptcc eval-agents`: runs the missions of a folder several times, grades them, and reports rates with their
// confidence, costs, and what changed since an earlier report.
#include "subagent/engine/self_test.h"
#include "tools/agent/agent_setup.h"
#include "tools/agent/approval_prompt.h"
#include "tools/agent/mcp_tools.h"
#include "tools/command.h"
#include "tools/evals/suite_report.h"
#include "tools/interrupt.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"help(DIR has suite.json, {"agent": {..} or "FILE", "tools"?, "data"?: {"NAME": "FILE"}, "llm"?, "runs"?, ..}, which all
cases share, and the cases: the lines of cases.jsonl, and the files of cases/. A case is {"id": "..", "prompt"?, "context"?:
{..}, "expect"?: VALUE, "grade"?: [..], "agent"?: {..}, "runs"?, "min_rate"?}. A grader is {"exact": VALUE, "tolerance"?},
{"signature": "{total :float}"}, {"program": "(..)"} over data/result, data/expected, data/context and data/step, {"judge":
"template with {{task}}, {{context}}, {{result}}, {{expected}}"}, or {"fails": "REASON"}. tools/README.md has all members.
Options of agents given here stand above those of the files; SPECs are those of `ptcc agent`.

Each rate has its 95 % interval (Wilson). --record FOLDER keeps a recording of each run, and replays those that are there;
with --replay FOLDER no model and no tool is called. Recordings hold all that was said, firewalled values, too.

Exit codes: 0 every case passed as often as it must (min_rate, 1 without one), or, with --before, no case passed less
often than before; 1 otherwise; 2 wrong usage, or a file that cannot be read or written. SIGINT and SIGTERM end the runs
that are under way: the report has those that came to their end ("runs_stopped" says how many did not), and the process ends
by the signal.

Examples:
  ptcc eval-agents evals --llm anthropic:claude-opus-5 --runs 5 --jobs 4 --record evals/recordings
  ptcc eval-agents evals --replay evals/recordings --format json > before.json
  ptcc eval-agents evals --llm gpt-luna --before before.json --html report.html)help";

struct Options {
    std::string folder;
    std::string mcp;
    EvalRequest request;
    EvalRunOptions run;
    std::string replay;
    std::string before;
    std::string html;
    std::string format = "text";
    std::string approve;
};

/// A line for each run, for who watches.
void show_run(const EvalCase& of, const EvalRun& run, Console& console) {
    const std::string why = failure_text(run);
    console.err.write((run.passed ? "passed  " : "failed  ") + of.id + " run " + std::to_string(run.number) +
                      (why.empty() ? "" : ": " + why) + "\n");
    console.err.flush();
}

bool is_good(const SuiteReport& report) {
    if (report.comparison) return report.comparison->count(CaseChange::Kind::Worse) == 0;
    return report.held() == report.cases.size();
}

int run(Options& options, Console& console) {
    if (const Result<void> tested = self_test(); !tested.ok()) return console.usage_error(tested.error());
    std::string before;
    if (!options.before.empty()) { // before anything is paid
        Result<std::string> text = read_file(options.before, kMaxDataBytes);
        if (!text.ok()) return console.usage_error(text.error());
        before = std::move(text).value();
        const Result<EvalComparison> read = compare_reports(options.before, before, {});
        if (!read.ok()) return console.usage_error(read.error());
    }
    const Result<EvalSuite> suite = read_suite(options.folder, options.request);
    if (!suite.ok()) return console.usage_error(suite.error());
    options.run.agent = options.request.agent;
    const Result<std::shared_ptr<McpClient>> upstream =
        connect_mcp(options.mcp, console, {.approve = options.approve, .uses_catalog = false});
    if (!upstream.ok()) return console.usage_error(upstream.error());
    if (upstream.value()) options.run.tools = upstream.value()->tools();
    options.run.only_replays = !options.replay.empty();
    if (options.run.only_replays) options.run.recordings = options.replay;
    if (!options.approve.empty()) options.run.approve = approver_of(options.approve, false, console);
    const EndSignals signals;
    options.run.stop = signals.stop();
    if (console.err.is_terminal())
        options.run.on_run = [&console](const EvalCase& of, const EvalRun& one) { show_run(of, one, console); };
    Result<std::vector<EvalCaseRuns>> runs = run_suite(suite.value(), options.run);
    if (!runs.ok()) return console.usage_error(runs.error());
    SuiteReport report = report_of(suite.value().name, std::move(runs).value());
    if (!options.before.empty()) report.comparison = compare_reports(options.before, before, report).value();
    if (!options.html.empty()) {
        const Result<void> written = write_private_file(options.html, "the page", report_html(report));
        if (!written.ok()) return console.usage_error(written.error());
    }
    console.out.write(options.format == "json" ? report_json(report) + "\n" : report_text(report));
    if (EndSignals::came()) { // with a report of what was run so far
        console.out.flush();
        EndSignals::end_process();
    }
    return is_good(report) ? kSuccess : kFailed;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.text("DIR", &options->folder, "The folder of the evaluation").required();
    line.texts("--case", &options->request.only, "Only this case; can be repeated").value_name("ID");
    line.number("--runs", &options->request.runs, "Runs of each case [as the cases say, or 1]")
        .range(std::size_t{1}, std::size_t{10'000});
    line.number("--jobs", &options->run.jobs, "Runs at the same time")
        .range(std::size_t{1}, std::size_t{256})
        .show_default();
    line.text("--judge-llm", &options->run.judge_llm, "The model of judges").value_name("SPEC");
    const DeclaredOption record =
        line.text("--record", &options->run.recordings, "Records each run, and replays what is recorded")
            .value_name("FOLDER")
            .not_empty();
    line.text("--replay", &options->replay, "Replays recordings, and calls no model and no tool")
        .value_name("FOLDER")
        .not_empty()
        .excludes(record);
    line.text("--trace", &options->run.traces, "Writes a trace of each run, for `ptcc trace`")
        .value_name("FOLDER")
        .not_empty();
    line.text("--before", &options->before, "An earlier report, in JSON: says what changed").value_name("FILE.json");
    line.text("--html", &options->html, "Writes a page that needs nothing else, too").value_name("OUT.html");
    line.text("--format", &options->format, "text or json [text]").one_of({"text", "json"});
    add_approve_option(line, &options->approve,
                       "Calls of tools that need approval: ask reads the answers from standard input [never]");
    add_agent_options(line, &options->request.agent);
    add_mcp_option(line, &options->mcp);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kEvalAgentsCommand{"eval-agents", "Runs missions with expected results, and says how often they pass.",
                                 declare};

} // namespace ptc
