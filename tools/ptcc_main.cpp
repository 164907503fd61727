// ptcc: one program, a command for each thing that people do with PTC-Lisp.
#include "frontend/suggest.h"
#include "runtime/value.h"
#include "tools/command.h"
#include "tools/io.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace ptc {
namespace {

#define PTC_COMMAND(name) &name,
constexpr const Command* kCommands[] = {
#include "tools/commands.def"
#include <ptc/version.h>
};
#undef PTC_COMMAND

constexpr ProgramHelp kHelp{
    .name = "ptcc",
    .summary = "Checks, compiles and runs PTC-Lisp programs.",
    .footer =
        R"(Exit codes: 0 success; 1 the program failed or a check found errors; 2 wrong usage, or input or output that
cannot be read or written.

Examples:
  ptcc eval '(map inc [1 2 3])'
  ptcc run report.ptc --data orders=orders.json --stats

`ptcc COMMAND --help` has more.)",
    .version = PTC_VERSION,
};

constexpr const char* kTryHelp = "Try `ptcc --help`, or `ptcc COMMAND --help`.";

/// What a parser would only call a missing command. "" when `word` is a command or an option.
std::string unknown_command(std::string_view word) {
    if (word.empty() || word[0] == '-') return "";
    std::vector<std::string_view> names;
    for (const Command* command : kCommands)
        names.emplace_back(command->name);
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    const std::string near = did_you_mean(suggest(word, names));
    return "There is no command `" + std::string(word) + "`." + (near.empty() ? "" : " " + near);
}

/// Nothing counts as done whose output was lost. A reader that has seen enough needs no message.
int finish(int code, Console& console) {
    if (console.out.flush()) return code;
    if (console.out.error_number() != EPIPE) {
        console.usage_error(std::string("Cannot write the output: ") + std::strerror(console.out.error_number()) + ".");
    }
    return kUsage;
}

int run(int argc, char** argv) {
    Console console;
    if (const std::string unknown = unknown_command(argc > 1 ? argv[1] : ""); !unknown.empty())
        return console.usage_error(unknown + "\n" + kTryHelp);
    const ParsedCommandLine parsed = parse_command_line(argc, argv, kHelp, kCommands);
    if (!parsed.error.empty()) return console.usage_error(parsed.error + "\n" + kTryHelp);
    console.out.write(parsed.help);
    return finish(parsed.action ? parsed.action(console) : kSuccess, console);
}

} // namespace
} // namespace ptc

int main(int argc, char** argv) {
#ifndef NDEBUG
    if (std::getenv("PTC_FORCE_SHARING") != nullptr) ptc::may_update_in_place = false;
#endif
    ptc::ignore_broken_pipes();
    return ptc::run(argc, argv);
}
