#include "tools/command.h"
#include "tools/trace_tree.h"
#include <CLI/CLI.hpp>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(FILE is what `ptcc agent --trace` or a ptc::TraceFile wrote, or - for standard input; the trace of a mission that is
still under way, or that was killed, shows how far it came. Agents that were called stand below the calls.

Examples:
  ptcc trace mission.jsonl
  ptcc trace mission.jsonl --brief
  ptcc trace mission.jsonl --html mission.html)";

int run(const std::string& path, bool is_brief, const std::string& html, Console& console) {
    const Result<std::string> text = read_file(path, kMaxDataBytes);
    if (!text.ok()) return console.usage_error(text.error());
    const Result<TraceTree> tree = read_trace(text.value());
    if (!tree.ok()) return console.usage_error(path + ":" + tree.error().message);
    if (!html.empty()) {
        const Result<void> written = write_file(html, trace_html(tree.value()));
        return written.ok() ? kSuccess : console.usage_error(written.error());
    }
    console.out.write(trace_text(tree.value(), {.is_brief = is_brief, .color = console.out.has_color()}));
    return kSuccess;
}

} // namespace

Command trace_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("trace", "Shows what happened in a mission.")->footer(kFooter);
    const auto file = std::make_shared<std::string>();
    const auto is_brief = std::make_shared<bool>(false);
    const auto html = std::make_shared<std::string>();
    command->add_option("FILE", *file, "The trace")->required();
    command->add_flag("--brief", *is_brief, "One line for each call of a model or tool, and for each result");
    command->add_option("--html", *html, "Writes a page that needs nothing else, instead")->type_name("OUT.html");
    return {command, [file, is_brief, html](Console& console) { return run(*file, *is_brief, *html, console); }};
}

} // namespace ptc
