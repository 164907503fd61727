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

/// Makes prints appear on standard output as they come.
void print_to(Console& console, RunOptions* options);

} // namespace ptc
