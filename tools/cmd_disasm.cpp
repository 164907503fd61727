#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include "tools/run_options.h"
#include "vm/disassembler.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(FILE is source text, bytecode that `ptcc build` wrote, or - for standard input. Bytecode is verified before it is shown.

Examples:
  ptcc disasm report.ptcb
  echo '(fn [x] (+ x 1))' | ptcc disasm -)";

struct Options {
    std::string file;
    std::vector<std::string> preludes;
    std::int64_t timeout_ms = kUnhurriedMs;
};

int run(const Options& options, Console& console) {
    auto preludes = load_preludes(options.preludes);
    if (!preludes.ok()) return console.usage_error(preludes.error());
    const Engine engine(
        {.limits = unhurried(options.timeout_ms), .preludes = std::move(preludes).value(), .warnings = false});
    if (const int code = report_preludes(engine, true, console)) return code;
    const Result<Compiled> compiled = load_program(engine, options.file, {.any_tool = true});
    if (!compiled.ok()) return console.usage_error(compiled.error());
    if (!compiled.value()) {
        report_diagnostics(compiled.value().source, compiled.value().diagnostics.all(), false, console);
        return kFailed;
    }
    console.out.write(disassemble(*compiled.value().program));
    return kSuccess;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.text("FILE", &options->file, "The program").required();
    add_prelude_option(line, &options->preludes);
    add_unhurried_option(line, &options->timeout_ms);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kDisasmCommand{"disasm", "Shows a program's instructions.", declare};

} // namespace ptc
