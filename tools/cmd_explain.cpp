#include "frontend/work.h"
#include "tools/command.h"
#include "tools/explanation.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include "tools/run_options.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Nothing is run. Reports which tools the program can call, what it reads, writes and prints, which functions it
defines, and the most fuel that a run can use, or the place because of which no such bound is known: often something
done to data whose size only --data gives. FILE is source text, bytecode, or - for standard input.
--format json writes one line: {"tools", "data", "memory", "history", "defines", "prints", "clock", "mission":
[{"name", "line", "column", "offset", "length"}], "functions": [{"name", "least_arguments", "most_arguments"?, ..}], "deterministic",
"fuel": {"bound": n} or {"bound": null, "why", "line", "column", "offset", "length"}}.

Examples:
  ptcc explain report.ptc --tools tools.json --data orders=orders.json
  cat report.ptc | ptcc explain - --format json)";

struct Options {
    std::string file;
    std::string tools;
    std::vector<std::string> data;
    std::vector<std::string> preludes;
    std::string format = "text";
    std::int64_t timeout_ms = kUnhurriedMs;
};

int run(const Options& options, Console& console) {
    auto tools = load_tools(options.tools);
    if (!tools.ok()) return console.usage_error(tools.error());
    const auto data = load_data(options.data);
    if (!data.ok()) return console.usage_error(data.error());
    auto preludes = load_preludes(options.preludes);
    if (!preludes.ok()) return console.usage_error(preludes.error());
    const Engine engine({.tools = std::move(tools).value(),
                         .limits = unhurried(options.timeout_ms),
                         .preludes = std::move(preludes).value()});
    if (const int code = report_preludes(engine, options.tools.empty(), console)) return code;
    Meter::Clock::duration took{};
    const auto compiled = load_program(engine, options.file, {.any_tool = options.tools.empty(), .took = &took});
    if (!compiled.ok()) return console.usage_error(compiled.error());
    const ProgramPtr program = compiled.value().program;
    if (!program) {
        report_diagnostics(compiled.value().source, compiled.value().diagnostics.all(), false, console);
        return kFailed;
    }
    const work::Scope scope(unhurried_time(rest_of(unhurried(options.timeout_ms), took).timeout.count()));
    const Explanation explanation = explain(*program, data.value());
    console.out.write(options.format == "json" ? explanation_json(explanation) + "\n" : explanation_text(explanation));
    return kSuccess;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.text("FILE", &options->file, "The program").required();
    line.text("--tools", &options->tools, "The tools that there are: {\"name\": {\"signature\": \"..\"}}")
        .value_name("TOOLS.json");
    add_data_option(line, &options->data);
    add_prelude_option(line, &options->preludes);
    add_unhurried_option(line, &options->timeout_ms);
    line.text("--format", &options->format, "What to write").one_of({"text", "json"}).show_default();
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kExplainCommand{"explain", "Reports what a program can do, and its most fuel, without running it.",
                              declare};

} // namespace ptc
