// Events of a mission as lines of JSON: ptc/trace.h lists the members of each. A line is written when the event
// happens, so a trace of a process that crashed is whole up to there.
#include "ptc/trace.h"
#include "frontend/try.h"
#include "subagent/agent/line_file.h"
#include "subagent/agent/preview.h"
#include <chrono>
#include <ctime>

namespace ptc {
namespace {

using Kind = MissionEvent::Kind;

/// Members in the order in which they are added.
class Members {
public:
    void add(const char* name, Datum value) { entries_.emplace_back(Datum(name), std::move(value)); }
    void add(const char* name, std::uint64_t count) { add(name, Datum(static_cast<std::int64_t>(count))); }
    void add_text(const char* name, const std::string& text) {
        if (!text.empty()) add(name, Datum(text));
    }
    void add(const char* name, std::chrono::microseconds duration) {
        add(name, Datum(static_cast<std::int64_t>(duration.count())));
    }
    Datum finish() { return Datum(std::move(entries_)); }

private:
    Datum::Map entries_;
};

Datum tokens_of(const TokenUsage& tokens) {
    return Datum::object({{"input", tokens.input},
                          {"output", tokens.output},
                          {"cache_read", tokens.cache_read},
                          {"cache_creation", tokens.cache_creation},
                          {"cost_usd", tokens.cost_usd}});
}

std::string_view layer_name(Exposure layer) { return layer == Exposure::Native ? "native" : "ptc_lisp"; }

void add_arguments(Members& out, const Datum& arguments) {
    const std::size_t bytes = arguments.to_json().size();
    if (bytes <= kMaxTracedArguments) return out.add("arguments", arguments);
    out.add("arguments", Datum(preview(arguments, {}).text));
    out.add("arguments_bytes", bytes);
}

void add_ending(Members& out, const MissionEvent& event) {
    out.add("ok", Datum(event.ok));
    out.add_text("reason", event.reason);
    out.add_text("message", event.message);
}

void add_result(Members& out, const MissionEvent& event) {
    if (!event.ok) return;
    out.add("result", Datum(event.result));
    out.add("result_preview_truncated", Datum(event.is_cut));
}

Datum use_of(const ToolUse& use) {
    Members out;
    out.add("tool", Datum(use.name));
    add_arguments(out, use.arguments);
    if (use.error.empty())
        out.add("result", Datum(use.result));
    else
        out.add("message", Datum(use.error));
    out.add("cached", Datum(use.is_cached));
    out.add("duration_us", use.duration);
    return out.finish();
}

void add_warnings(Members& out, const BoundaryWarnings* warnings) {
    if (!warnings || warnings->empty()) return;
    Datum::List shown;
    for (const BoundaryWarning& warning : warnings->all)
        shown.push_back(Datum::object({{"of", Datum(warning.what)},
                                       {"text", Datum(warning.text)},
                                       {"times", static_cast<std::int64_t>(warning.times)}}));
    out.add("warnings", Datum(std::move(shown)));
    if (warnings->more > 0) out.add("more_warnings", std::uint64_t{warnings->more});
}

void add_turn(Members& out, const Turn& turn) {
    if (turn.program) out.add("program", Datum(*turn.program));
    out.add_text("result", turn.result);
    out.add("prints", Datum(Datum::List(turn.prints.begin(), turn.prints.end())));
    Datum::List uses;
    for (const ToolUse& use : turn.tool_calls)
        uses.push_back(use_of(use));
    out.add("tool_calls", Datum(std::move(uses)));
    out.add("tokens", tokens_of(turn.tokens));
    out.add("fuel", Datum(turn.fuel));
    out.add("peak_heap_bytes", turn.peak_heap_bytes);
}

Datum usage_of(const MissionUsage& usage) {
    Members out;
    out.add("turns", std::uint64_t{usage.turns});
    out.add("llm_calls", std::uint64_t{usage.llm_calls});
    out.add("tool_calls", std::uint64_t{usage.tool_calls});
    out.add("tokens", tokens_of(usage.tokens));
    out.add("fuel", Datum(usage.fuel));
    out.add("peak_heap_bytes", usage.peak_heap_bytes);
    return out.finish();
}

void add_tool(Members& out, const MissionEvent& event) {
    out.add("tool", Datum(event.tool));
    add_arguments(out, event.arguments);
    out.add("exposure_layer", Datum(layer_name(event.layer)));
    if (event.is_handoff) out.add("handoff", Datum(true));
}

void add_payload(Members& out, const MissionEvent& event) {
    switch (event.kind) {
    case Kind::MissionStart: out.add("signature", Datum(event.signature)); return out.add("prompt", Datum(event.text));
    case Kind::TurnStart: out.add_text("told", event.text); return out.add_text("system", event.system);
    case Kind::LlmReply:
        out.add("text", Datum(event.text));
        out.add_text("reasoning", event.reasoning);
        out.add_text("model", event.model);
        out.add("tokens", tokens_of(event.tokens));
        return out.add("duration_us", event.duration);
    case Kind::Guard:
        out.add("guard", Datum(event.guard));
        out.add("point", Datum(event.point));
        out.add_text("tool", event.tool);
        return add_ending(out, event);
    case Kind::LlmRetry:
        out.add_text("model", event.model);
        out.add("reason", Datum(event.reason));
        return out.add("message", Datum(event.message));
    case Kind::PreviewFallback: out.add("tool", Datum(event.tool)); return out.add("reason", Datum(event.reason));
    case Kind::ProgramStart: return out.add("program", Datum(event.text));
    case Kind::ToolStart: return add_tool(out, event);
    case Kind::ToolCall:
        add_tool(out, event);
        add_ending(out, event);
        add_result(out, event);
        out.add("cached", Datum(event.is_cached));
        out.add_text("cache_key_hash", event.cache_key_hash);
        if (!event.cache_key_hash.empty()) {
            out.add("full_result_cached", Datum(event.is_full_result_cached));
            out.add("retained_bytes", std::uint64_t{event.retained_bytes});
        }
        return out.add("duration_us", event.duration);
    case Kind::Compaction: return out.add("text", Datum(event.text));
    case Kind::ApprovalRequest:
        add_tool(out, event);
        out.add_text("point", event.point);
        if (event.line > 0) {
            out.add("line", std::uint64_t{event.line});
            out.add("column", std::uint64_t{event.column});
        }
        return out.add_text("message", event.message);
    case Kind::ApprovalAnswer:
        add_tool(out, event);
        out.add_text("point", event.point);
        add_ending(out, event);
        return out.add("changed_arguments", Datum(event.has_changed_arguments));
    case Kind::TurnStop:
        add_ending(out, event);
        if (event.record) add_turn(out, *event.record);
        add_warnings(out, event.warnings);
        return out.add("duration_us", event.duration);
    case Kind::MissionStop:
        add_ending(out, event);
        add_result(out, event);
        if (event.usage) out.add("usage", usage_of(*event.usage));
        add_warnings(out, event.warnings);
        return out.add("duration_us", event.duration);
    }
}

std::string utc_now() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    char text[48];
    std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>(millis));
    return text;
}

} // namespace

std::string event_json(const MissionEvent& event) {
    Members out;
    out.add("event", Datum(event_name(event.kind)));
    out.add("run", event.run);
    if (event.parent > 0) out.add("parent", event.parent);
    out.add("agent", Datum(event.agent));
    out.add("depth", std::uint64_t{event.depth});
    if (event.turn > 0) out.add("turn", std::uint64_t{event.turn});
    add_payload(out, event);
    return out.finish().to_json();
}

Result<std::shared_ptr<TraceFile>> TraceFile::create(const std::string& path) {
    const int fd = PTC_TRY(LineFile::create(path, "the trace"));
    return std::shared_ptr<TraceFile>(new TraceFile(std::make_unique<LineFile>(fd)));
}

Result<std::shared_ptr<TraceFile>> TraceFile::append(const std::string& path) {
    const int fd = PTC_TRY(LineFile::append(path, "the trace"));
    return std::shared_ptr<TraceFile>(new TraceFile(std::make_unique<LineFile>(fd)));
}

TraceFile::TraceFile(std::unique_ptr<LineFile> file) : file_(std::move(file)) {}
TraceFile::~TraceFile() = default;

void TraceFile::write(const MissionEvent& event) {
    file_->write(R"({"time":")" + utc_now() + "\"," + event_json(event).substr(1));
}

int TraceFile::error_number() const { return file_->error_number(); }

} // namespace ptc
