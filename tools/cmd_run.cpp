#include "subagent/engine/engine_impl.h"
#include "tools/agent/mcp_tools.h"
#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include "tools/run_options.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(FILE is source text, bytecode that `ptcc build` wrote, or - for standard input. Prints and the value go to standard
output; errors, (fail ..) and statistics to standard error.

Examples:
  ptcc run report.ptc --data orders=orders.json --data customers=customers.json
  ptcc run report.ptcb --fuel 1000000 --json --stats)";

struct Options {
    std::string file;
    std::vector<std::string> data;
    std::vector<std::string> preludes;
    bool test_tools = false;
    std::string mcp;
    Limits limits = terminal_limits();
    Clock clock;
    std::optional<std::uint64_t> seed{};
    ReportOptions report;
    bool requires_sandbox = false;
};

int run(const Options& options, Console& console) {
    auto tools = command_tools(options.mcp, options.test_tools, options.requires_sandbox, console);
    if (!tools.ok()) return console.usage_error(tools.error());
    if (options.mcp.empty()) { // servers have to be started, and spoken with
        const Result<void> confined =
            confine_command(options.requires_sandbox, {options.file}, options.data, options.preludes);
        if (!confined.ok()) return console.usage_error(confined.error());
    }
    auto data = load_data(options.data);
    if (!data.ok()) return console.usage_error(data.error());
    auto preludes = load_preludes(options.preludes);
    if (!preludes.ok()) return console.usage_error(preludes.error());
    const Engine engine({.tools = std::move(tools).value(),
                         .limits = options.limits,
                         .preludes = std::move(preludes).value(),
                         .warnings = false,
                         .clock_millis = options.clock,
                         .seed = options.seed});
    if (const int code = report_preludes(engine, false, console)) return code;
    Meter::Clock::duration took{};
    Result<Compiled> compiled = load_program(engine, options.file, {.took = &took});
    if (!compiled.ok()) return console.usage_error(compiled.error());
    const ProgramPtr program = compiled.value().program;
    if (!program) {
        report_diagnostics(compiled.value().source, compiled.value().diagnostics.all(), false, console);
        return kFailed;
    }
    RunOptions run_options;
    run_options.data = std::move(data).value();
    run_options.limits = rest_of(options.limits, took);
    run_options.want_json = options.report.json;
    print_to(console, &run_options);
    return report_outcome(engine.run(program, run_options), program->source, options.report, console);
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.text("FILE", &options->file, "The program").required();
    add_data_option(line, &options->data);
    add_prelude_option(line, &options->preludes);
    line.flag("--json", &options->report.json, "Prints the value as JSON");
    line.flag("--stats", &options->report.stats, "Writes fuel, peak memory and time to standard error");
    add_mcp_option(line, &options->mcp);
    line.flag("--test-tools", &options->test_tools, "Registers the tools echo, add, boom and users");
    add_clock_option(line, &options->clock);
    add_seed_option(line, &options->seed);
    add_sandbox_option(line, &options->requires_sandbox);
    add_limit_options(line, &options->limits);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kRunCommand{"run", "Runs a program and prints its value.", declare};

} // namespace ptc
