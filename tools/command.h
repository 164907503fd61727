// What a command of ptcc is: a file cmd_NAME.cpp with one function that declares its options and says how it runs.
#pragma once
#include "tools/io.h"
#include <functional>

namespace CLI {
class App;
}

namespace ptc {

struct Command {
    CLI::App* options;                ///< tells whether it was chosen
    std::function<int(Console&)> run; ///< gives the exit code
};

Command check_command(CLI::App& app);
Command explain_command(CLI::App& app);
Command fmt_command(CLI::App& app);
Command build_command(CLI::App& app);
Command disasm_command(CLI::App& app);
Command reference_command(CLI::App& app);
Command run_command(CLI::App& app);
Command eval_command(CLI::App& app);
Command repl_command(CLI::App& app);
Command conformance_command(CLI::App& app);
Command signature_command(CLI::App& app);
Command scenario_command(CLI::App& app);
Command agent_command(CLI::App& app);
Command trace_command(CLI::App& app);
Command serve_command(CLI::App& app);

} // namespace ptc
