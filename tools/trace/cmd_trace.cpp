// `ptcc trace`: reads a trace, or replays a recording to get its events, and shows them as a tree or a page; `trace
// diff` compares two.
#include "frontend/try.h"
#include "frontend/work.h"
#include "tools/agent/agent_recording.h"
#include "tools/command.h"
#include "tools/program_source.h"
#include "tools/trace/trace_diff.h"
#include "tools/trace/trace_tree.h"
#include <algorithm>
#include <ptc/recording.h>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(FILE is what `ptcc agent --trace` or a ptc::TraceFile wrote, or - for standard input; the trace of a mission that is
still under way, or that was killed, shows how far it came. Agents that were called stand below the calls. What `ptcc agent
--record` wrote is replayed to be shown. A trace called diff is ./diff.

Examples:
  ptcc trace mission.jsonl
  ptcc trace mission.jsonl --brief
  ptcc trace mission.jsonl --html mission.html
  ptcc trace diff monday.jsonl tuesday.jsonl)";

constexpr const char* kDiffFooter =
    R"(Each agent at work is compared with the same one in the other trace, whatever went on beside it; times, durations
and the numbers of runs do not count. Of the first event that differs both sides are shown.

Exit codes: 0 the same; 1 different; 2 wrong usage, or a file that cannot be read.

Examples:
  ptcc trace diff monday.jsonl tuesday.jsonl
  ptcc trace diff before.rec after.rec --format json)";

struct Options {
    std::string file;
    bool is_brief = false;
    std::string html;
    std::string a;
    std::string b;
    std::string format = "text";
    std::int64_t timeout_ms = kUnhurriedMs;
};

constexpr std::string_view kRecordingStart = "{\"ptc_recording\"";

/// The events of a recorded mission, as a trace; as far as the recording goes.
Result<std::string> trace_of_recording(std::string text, Meter::Clock::time_point deadline) {
    const std::shared_ptr<const Recording> recording = PTC_TRY(Recording::parse(std::move(text)));
    ReplayedAgent replayed = PTC_TRY(replayed_agent(recording->note(), {}));
    std::string events;
    replayed.mission.on_event = [&events](const MissionEvent& event) { events += event_json(event) + "\n"; };
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Meter::Clock::now());
    const Result<Step> step =
        recording->replay(replayed.agent, std::move(replayed.mission), std::max(left, std::chrono::milliseconds(1)));
    // Of one that is not complete, what there is of it; unless it was not gone through.
    if (!step.ok() && (recording->is_complete() || step.error().reason == Reason::Timeout)) return step.error();
    return events;
}

Result<TraceTree> read_tree(const std::string& path, Meter::Clock::time_point deadline) {
    std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    const auto named = [&path](Error error) {
        error.message = path + ":" + error.message;
        return error;
    };
    const bool is_recording = text.starts_with(kRecordingStart);
    if (is_recording) {
        Result<std::string> events = trace_of_recording(std::move(text), deadline);
        if (!events.ok()) return named(events.error());
        text = std::move(events).value();
    }
    Result<TraceTree> tree = read_trace(text);
    if (!tree.ok()) return named(tree.error());
    if (is_recording) std::ranges::fill(tree.value().lines, std::size_t{0}); // they are of no file
    return tree;
}

Meter::Clock::time_point deadline_of(const Options& options) {
    return Meter::Clock::now() + std::chrono::milliseconds(options.timeout_ms);
}

/// A trace may be written by anybody, and be dear in any way.
int took_too_long(const Options& options, Console& console) {
    return console.usage_error("Reading and showing took longer than " + std::to_string(options.timeout_ms) +
                               " ms; `--timeout-ms` allows more.");
}

bool is_late(const Result<TraceTree>& tree) {
    return work::is_over() || (!tree.ok() && tree.error().reason == Reason::Timeout);
}

int show(const Options& options, Console& console) {
    if (options.file.empty()) return console.usage_error("FILE is required, or `diff A B`.");
    const Meter::Clock::time_point deadline = deadline_of(options);
    const work::Scope scope(work_until(deadline));
    const Result<TraceTree> tree = read_tree(options.file, deadline);
    if (is_late(tree)) return took_too_long(options, console);
    if (!tree.ok()) return console.usage_error(tree.error());
    const std::string shown =
        options.html.empty()
            ? trace_text(tree.value(), {.is_brief = options.is_brief, .color = console.out.has_color()})
            : trace_html(tree.value());
    if (work::is_over()) return took_too_long(options, console);
    if (!options.html.empty()) {
        const Result<void> written = write_private_file(options.html, "the page", shown);
        return written.ok() ? kSuccess : console.usage_error(written.error());
    }
    console.out.write(shown);
    return kSuccess;
}

int compare(const Options& options, Console& console) {
    const Meter::Clock::time_point deadline = deadline_of(options);
    const work::Scope scope(work_until(deadline));
    const Result<TraceTree> a = read_tree(options.a, deadline);
    if (is_late(a)) return took_too_long(options, console);
    if (!a.ok()) return console.usage_error(a.error());
    const Result<TraceTree> b = read_tree(options.b, deadline);
    if (is_late(b)) return took_too_long(options, console);
    if (!b.ok()) return console.usage_error(b.error());
    const TraceComparison comparison = compare_traces(a.value(), b.value());
    if (work::is_over()) return took_too_long(options, console);
    console.out.write(options.format == "json" ? comparison_json(comparison) : comparison_text(comparison));
    return comparison.difference ? kFailed : kSuccess;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.text("FILE", &options->file, "The trace, or a recording");
    line.flag("--brief", &options->is_brief, "One line for each call of a model or tool, and for each result");
    line.text("--html", &options->html, "Writes a page that needs nothing else, instead").value_name("OUT.html");
    add_unhurried_option(line, &options->timeout_ms);
    CommandLine diff = line.subcommand("diff", "Says where two traces part.");
    diff.footer(kDiffFooter);
    diff.text("A", &options->a, "A trace, or a recording").required();
    diff.text("B", &options->b, "Another one").required();
    add_unhurried_option(diff, &options->timeout_ms);
    diff.text("--format", &options->format, "text or json [text]").one_of({"text", "json"});
    return [options, diff](Console& console) {
        return diff.is_chosen() ? compare(*options, console) : show(*options, console);
    };
}

} // namespace

const Command kTraceCommand{"trace", "Shows what happened in a mission.", declare};

} // namespace ptc
