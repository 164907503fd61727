#include "tools/report.h"
#include "frontend/render.h"
#include "subagent/engine/engine_impl.h"
#include "tools/run_options.h"

namespace ptc {
namespace {

int report_value(const Outcome& outcome, const ReportOptions& options, Console& console) {
    if (options.json && !outcome.json) {
        console.message("ptcc: the value has no JSON form: it holds a function, a number that JSON lacks, or a "
                        "collection as key.\n");
        return kFailed;
    }
    const std::string& text = options.json ? *outcome.json : outcome.value;
    if (outcome.kind == Outcome::Kind::Fail) {
        console.message("fail: " + text + "\n");
        return kFailed;
    }
    console.out.line(text);
    return kSuccess;
}

int report_error(const Outcome& outcome, const Source& source, Console& console) {
    if (outcome.diagnostics.empty())
        report_diagnostics(source, {{Severity::Error, *outcome.error}}, false, console);
    else
        report_diagnostics(source, outcome.diagnostics, false, console);
    return kFailed;
}

} // namespace

void report_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool warnings,
                        Console& console) {
    RenderOptions options;
    options.color = console.err.has_color();
    for (const Diagnostic& diagnostic : diagnostics) {
        if (warnings || diagnostic.severity == Severity::Error)
            console.message(render_text(source, diagnostic, options));
    }
}

int report_outcome(const Outcome& outcome, const Source& source, const ReportOptions& options, Console& console) {
    const int code = outcome.kind == Outcome::Kind::Error ? report_error(outcome, source, console)
                                                          : report_value(outcome, options, console);
    if (options.stats) console.message(usage_text(outcome.usage) + "\n");
    return code;
}

std::vector<std::pair<Source, Diagnostics>> prelude_errors(const Engine& engine, bool any_tool) {
    std::vector<std::pair<Source, Diagnostics>> found;
    for (const Compiled& bad : impl_of(engine).bad_preludes) {
        Diagnostics diagnostics = bad.diagnostics;
        if (any_tool) diagnostics.change([](const Diagnostic& d) { return d.error.reason != Reason::InvalidPrelude; });
        if (diagnostics.has_errors()) found.emplace_back(bad.source, std::move(diagnostics));
    }
    return found;
}

int report_preludes(const Engine& engine, bool any_tool, Console& console) {
    const auto errors = prelude_errors(engine, any_tool);
    for (const auto& [source, diagnostics] : errors)
        report_diagnostics(source, diagnostics.all(), false, console);
    return errors.empty() ? kSuccess : kFailed;
}

void print_to(Console& console, RunOptions* options) {
    options->on_print = [&console](std::string_view line) {
        console.out.line(line);
        console.out.flush();
    };
}

} // namespace ptc
