// What people see of a run.
#pragma once
#include "ptc/ptc.h"
#include "tools/io.h"

namespace ptc {

struct ReportOptions {
    bool json = false;  ///< the value as JSON instead of EDN
    bool stats = false; ///< fuel, peak and time on standard error
};

/// The errors, or with `warnings` all diagnostics, of `source` on standard error.
void report_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool warnings,
                        Console& console);

/// The value on standard output, or on standard error why there is none. `source` is what the error's positions refer
/// to. Gives the exit code.
int report_outcome(const Outcome& outcome, const Source& source, const ReportOptions& options, Console& console);

/// What is wrong with the engine's preludes, on standard error. Gives the exit code. With `any_tool` no tool is
/// missing.
int report_preludes(const Engine& engine, bool any_tool, Console& console);

/// The errors of its preludes, text by text.
std::vector<std::pair<Source, Diagnostics>> prelude_errors(const Engine& engine, bool any_tool);

/// Makes prints appear on standard output as they come.
void print_to(Console& console, RunOptions* options);

} // namespace ptc
