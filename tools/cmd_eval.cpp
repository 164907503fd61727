// `ptcc eval`: one expression from the command line, or requests as lines of JSON, answered in order by one engine.
// Before either is read the process is confined, unless servers of --mcp have to be started and spoken with.
#include "subagent/engine/self_test.h"
#include "tools/agent/mcp_tools.h"
#include "tools/batch.h"
#include "tools/command.h"
#include "tools/eval_batch.h"
#include "tools/report.h"
#include "tools/run_options.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"help(With --batch, each line of standard input is a request, answered by a line on standard output, in order:
  {"id", "src", "context"?, "memory"?, "history"?, "signature"?, "limits"?}
  {"id", "outcome": "ok"|"return"|"fail"|"error", "value", "json", "error"?, "prints", "memory", "tool_calls", "warnings"?, "usage"}
Warnings are of a program that runs and reads what its data do not have, or looks like something else: objects like "error".
The wall-clock time of a request is 1000 ms, unless --timeout-ms or its "limits" say otherwise: for compiling and running, and
for the answer, which may always take a tenth of it and at least 20 ms. The texts of "value", "json" and "memory" are each no longer
than the heap may be, from a MiB to 16. The time runs while a request
of --jobs waits for a processor, too: more jobs than there are processors make none faster.

Examples:
  ptcc eval '(reduce + (range 10))' --stats
  echo '{"id": 1, "src": "(count data/xs)", "context": {"xs": [1, 2]}}' | ptcc eval --batch

An expression that starts with - follows --, as in: ptcc eval -- -5)help";

struct Options {
    std::string expression;
    bool batch = false;
    bool test_tools = false;
    std::string mcp;
    std::vector<std::string> data;
    std::vector<std::string> preludes;
    Limits limits = terminal_limits();
    Limits batch_limits{}; ///< a host waits for each answer: the library's
    Clock clock;
    std::optional<std::uint64_t> seed{};
    ReportOptions report;
    bool requires_sandbox = false;
    std::size_t jobs = 1;
};

int evaluate_expression(const Options& options, const Engine& engine, Console& console) {
    auto data = load_data(options.data);
    if (!data.ok()) return console.usage_error(data.error());
    RunOptions run_options;
    run_options.data = std::move(data).value();
    run_options.want_json = options.report.json;
    print_to(console, &run_options);
    const Outcome outcome = engine.run(options.expression, run_options);
    return report_outcome(outcome, Source("expression", options.expression), options.report, console);
}

int serve(const Options& options, const Engine& engine, Console& console) {
    if (const Result<void> tested = self_test(); !tested.ok()) return console.usage_error(tested.error());
    LineReader reader(0);
    const Result<void> served = answer_lines(
        reader, console.out, [&](const InputLine& line) { return answer_request(engine, options.batch_limits, line); },
        options.jobs);
    return served.ok() ? kSuccess : console.usage_error(served.error());
}

int run(const Options& options, bool has_expression, Console& console) {
    if (options.batch == has_expression) return console.usage_error("eval takes an expression or --batch.");
    if (options.batch && (!options.data.empty() || options.report.json || options.report.stats)) {
        return console.usage_error(
            "With --batch, data comes in the requests' `context`, JSON and usage in the answers.");
    }
    if (!options.batch && options.jobs != 1) return console.usage_error("--jobs goes with --batch.");
    auto tools = command_tools(options.mcp, options.test_tools, options.requires_sandbox, console);
    if (!tools.ok()) return console.usage_error(tools.error());
    if (options.mcp.empty()) { // servers have to be started, and spoken with
        const Result<void> confined = confine_command(options.requires_sandbox, {}, options.data, options.preludes);
        if (!confined.ok()) return console.usage_error(confined.error());
    }
    auto preludes = load_preludes(options.preludes);
    if (!preludes.ok()) return console.usage_error(preludes.error());
    const Engine engine({.tools = std::move(tools).value(),
                         .limits = options.batch ? options.batch_limits : options.limits,
                         .preludes = std::move(preludes).value(),
                         .warnings = false,
                         .clock_millis = options.clock,
                         .seed = options.seed});
    if (const int code = report_preludes(engine, false, console)) return code;
    return options.batch ? serve(options, engine, console) : evaluate_expression(options, engine, console);
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    const DeclaredOption expression = line.text("EXPR", &options->expression, "The program's text");
    line.flag("--batch", &options->batch, "Answers requests, one JSON object a line, until the input ends");
    line.number("--jobs", &options->jobs, "With --batch: so many requests are answered at once")
        .range(std::size_t{1}, std::size_t{256})
        .show_default();
    line.flag("--test-tools", &options->test_tools, "Registers the tools echo, add, boom and users");
    add_mcp_option(line, &options->mcp);
    add_data_option(line, &options->data);
    add_prelude_option(line, &options->preludes);
    line.flag("--json", &options->report.json, "Prints the value as JSON");
    line.flag("--stats", &options->report.stats, "Writes fuel, peak memory and time to standard error");
    add_clock_option(line, &options->clock);
    add_seed_option(line, &options->seed);
    add_sandbox_option(line, &options->requires_sandbox);
    add_limit_options(line, &options->limits, &options->batch_limits);
    return [options, expression](Console& console) { return run(*options, expression.is_given(), console); };
}

} // namespace

const Command kEvalCommand{"eval", "Evaluates an expression, or a batch of requests.", declare};

} // namespace ptc
