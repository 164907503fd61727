#include "subagent/engine/engine_impl.h"
#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include "tools/run_options.h"
#include "vm/program_file.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Names of tools are accepted as they are, unless --tools gives those that there are. What a program uses of a prelude is in
the bytecode by name only: it is run with the same --prelude. The output is written as a whole or not at all.

Examples:
  ptcc build report.ptc -o report.ptcb && ptcc run report.ptcb --data orders=orders.json
  ptcc build report.ptc -o report.ptcb --tools tools.json)";

struct Options {
    std::string file;
    std::string output;
    std::string tools;
    std::vector<std::string> preludes;
    std::int64_t timeout_ms = kUnhurriedMs;
};

int run(const Options& options, Console& console) {
    auto tools = load_tools(options.tools);
    if (!tools.ok()) return console.usage_error(tools.error());
    auto preludes = load_preludes(options.preludes);
    if (!preludes.ok()) return console.usage_error(preludes.error());
    const Engine engine({.tools = std::move(tools).value(),
                         .limits = unhurried(options.timeout_ms),
                         .preludes = std::move(preludes).value()});
    if (const int code = report_preludes(engine, options.tools.empty(), console)) return code;
    const Result<Compiled> compiled = load_program(engine, options.file, {.any_tool = options.tools.empty()});
    if (!compiled.ok()) return console.usage_error(compiled.error());
    report_diagnostics(compiled.value().source, compiled.value().diagnostics.all(), true, console);
    if (!compiled.value()) return kFailed;
    const Result<void> written =
        write_file(options.output, write_program(*compiled.value().program, impl_of(engine).shared));
    return written.ok() ? kSuccess : console.usage_error(written.error());
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.text("FILE", &options->file, "The program, - for standard input").required();
    line.text("-o,--output", &options->output, "The bytecode file, by custom NAME.ptcb").required();
    line.text("--tools", &options->tools, "The tools that there are: {\"name\": {\"signature\": \"..\"}}")
        .value_name("FILE");
    add_prelude_option(line, &options->preludes);
    add_unhurried_option(line, &options->timeout_ms);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kBuildCommand{"build", "Compiles a program to a bytecode file.", declare};

} // namespace ptc
