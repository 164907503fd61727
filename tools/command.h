// The commands of ptcc. Each is a file cmd_NAME.cpp with a Command, and a row in commands.def.
#pragma once
#include "tools/io.h"
#include "tools/options.h"
#include <functional>
#include <span>
#include <string>

namespace ptc {

/// Runs a command whose options are parsed, and gives the exit code.
using Action = std::function<int(Console&)>;

struct Command {
    const char* name;
    const char* summary;
    /// Declares the options and gives what runs them. Called for the command that was given only.
    Action (*declare)(CommandLine& line);
};

/// What the help of the program says beside its commands.
struct ProgramHelp {
    const char* name;
    const char* summary;
    const char* footer;
    const char* version;
};

/// What a command line asks for: exactly one member is set.
struct ParsedCommandLine {
    Action action{};
    std::string help{};  ///< the text that --help or --version asked for
    std::string error{}; ///< what is wrong with the usage
};
ParsedCommandLine parse_command_line(int argc, char** argv, const ProgramHelp& help,
                                     std::span<const Command* const> commands);

#define PTC_COMMAND(name) extern const Command name;
#include "tools/commands.def"
#undef PTC_COMMAND

} // namespace ptc
