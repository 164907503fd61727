#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/report.h"
#include "vm/disassembler.h"
#include <CLI/CLI.hpp>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(FILE is source text, bytecode that `ptcc build` wrote, or - for standard input. Bytecode is verified before it is shown.

Examples:
  ptcc disasm report.ptcb
  echo '(fn [x] (+ x 1))' | ptcc disasm -)";

int run(const std::string& file, Console& console) {
    const Engine engine({.warnings = false});
    const Result<Compiled> compiled = load_program(engine, file, {.any_tool = true});
    if (!compiled.ok()) return console.usage_error(compiled.error());
    if (!compiled.value()) {
        report_diagnostics(compiled.value().source, compiled.value().diagnostics.all(), false, console);
        return kFailed;
    }
    console.out.write(disassemble(*compiled.value().program));
    return kSuccess;
}

} // namespace

Command disasm_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("disasm", "Shows a program's instructions.")->footer(kFooter);
    const auto file = std::make_shared<std::string>();
    command->add_option("FILE", *file, "The program")->required();
    return {command, [file](Console& console) { return run(*file, console); }};
}

} // namespace ptc
