// ptcc: one program, a command for each thing that people do with PTC-Lisp.
#include "frontend/suggest.h"
#include "tools/command.h"
#include "tools/io.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace {

using namespace ptc;

constexpr Command (*kCommands[])(CLI::App&) = {
    check_command,    explain_command, fmt_command,    run_command,       eval_command,
    repl_command,     build_command,   disasm_command, reference_command, signature_command,
    scenario_command, agent_command,   trace_command,  serve_command,     conformance_command,
};

constexpr const char* kFooter =
    R"(Exit codes: 0 success; 1 the program failed or a check found errors; 2 wrong usage, or input or output that
cannot be read or written.

Examples:
  ptcc eval '(map inc [1 2 3])'
  ptcc run report.ptc --data orders=orders.json --stats

`ptcc COMMAND --help` has more.)";

constexpr const char* kTryHelp = "Try `ptcc --help`, or `ptcc COMMAND --help`.";

/// What CLI11 would only call a missing command. "" when `word` is a command or an option.
std::string unknown_command(const CLI::App& app, const std::string& word) {
    if (word.empty() || word[0] == '-') return "";
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string near = did_you_mean(suggest(word, candidates));
    return "There is no command `" + word + "`." + (near.empty() ? "" : " " + near);
}

int run_chosen(const std::vector<Command>& commands, Console& console) {
    for (const Command& command : commands) {
        if (command.options->parsed()) return command.run(console);
    }
    return kUsage;
}

/// Nothing counts as done whose output was lost. A reader that has seen enough needs no message.
int finish(int code, Console& console) {
    if (console.out.flush()) return code;
    if (console.out.error_number() != EPIPE) {
        console.usage_error(std::string("Cannot write the output: ") + std::strerror(console.out.error_number()) + ".");
    }
    return kUsage;
}

} // namespace

int main(int argc, char** argv) {
    ignore_broken_pipes();
    Console console;
    CLI::App app("Checks, compiles and runs PTC-Lisp programs.", "ptcc");
    app.set_version_flag("--version", "ptcc " PTC_VERSION);
    app.footer(kFooter);
    app.require_subcommand(1);
    std::vector<Command> commands;
    for (const auto declare : kCommands)
        commands.push_back(declare(app));
    if (const std::string unknown = unknown_command(app, argc > 1 ? argv[1] : ""); !unknown.empty()) {
        return console.usage_error(unknown + "\n" + kTryHelp);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) { // --help, --version
        std::ostringstream text;
        app.exit(asked, text, text);
        console.out.write(text.str());
        return finish(kSuccess, console);
    } catch (const CLI::ParseError& error) {
        return console.usage_error(std::string(error.what()) + "\n" + kTryHelp);
    }
    return finish(run_chosen(commands, console), console);
}
