// An event of a mission as lines for a terminal. Live missions and traces read back use the same JSON members, so both
// look alike; text that models and tools wrote is freed of control characters before it is shown.
#include "tools/trace/event_text.h"
#include "frontend/visible_text.h"
#include "tools/members.h"
#include "tools/number_text.h"
#include <algorithm>
#include <cstdio>

namespace ptc {
namespace {

constexpr std::size_t kBriefBytes = 100;
constexpr std::size_t kMostLevels = 40;
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kRed = "\x1b[31m";

std::string counted(std::int64_t n, const char* thing) { return grouped_text(n) + " " + thing + (n == 1 ? "" : "s"); }

std::string time_text(const Datum& event) {
    const std::int64_t micros = integer_of(event, "duration_us");
    char text[40];
    if (micros < 1'000'000)
        std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(micros) / 1e3);
    else
        std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(micros) / 1e6);
    return text;
}

std::string tokens_text(const Datum& object) {
    const Datum* tokens = object.find("tokens");
    if (!tokens) return "";
    const std::int64_t input = integer_of(*tokens, "input");
    const std::int64_t output = integer_of(*tokens, "output");
    if (input + output == 0) return "";
    const std::int64_t cached = integer_of(*tokens, "cache_read");
    std::string text = ", " + grouped_text(input) + (cached > 0 ? " (" + grouped_text(cached) + " cached)" : "") +
                       " + " + counted(output, "token");
    double cost = 0;
    if (const Datum* found = tokens->find("cost_usd"); found && found->to_double(&cost) && cost > 0) {
        char dollars[40];
        std::snprintf(dollars, sizeof dollars, ", $%.4f", cost);
        text += dollars;
    }
    return text;
}

/// Where a text of at most `most` bytes ends that cuts no character.
std::string_view cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80)
        --most;
    return text.substr(0, most);
}

class Writer {
public:
    Writer(const EventTextOptions& options, std::size_t level) : options_(options), level_(level) {}

    /// `text`, each line of it indented; in brief one line of it.
    void lines(std::size_t indent, std::string_view text, const char* style = "") {
        const std::string shown = printable(text);
        std::string_view rest = shown;
        if (options_.is_brief) {
            const std::string_view first = cut(rest.substr(0, rest.find('\n')), kBriefBytes);
            return line(indent, std::string(first) + (first.size() < rest.size() ? " …" : ""), style);
        }
        while (true) {
            const std::size_t end = rest.find('\n');
            line(indent, rest.substr(0, end), style);
            if (end == std::string_view::npos || end + 1 == rest.size()) return;
            rest.remove_prefix(end + 1);
        }
    }
    std::string take() { return std::move(out_); }

private:
    void line(std::size_t indent, std::string_view text, const char* style) {
        const bool styled = options_.color && *style != '\0';
        out_.append((std::min(level_, kMostLevels) * 2 + indent) * 2, ' ');
        if (styled) out_ += style;
        out_ += text;
        if (styled) out_ += "\x1b[0m";
        out_ += '\n';
    }
    const EventTextOptions& options_;
    std::size_t level_;
    std::string out_;
};

std::string turn_name(const Datum& event) { return "turn " + std::to_string(integer_of(event, "turn")); }

std::string arguments_text(const Datum& event) {
    const Datum* arguments = event.find("arguments");
    if (!arguments || (arguments->map() && arguments->map()->empty())) return "";
    std::string text = " " + (arguments->text() ? *arguments->text() : arguments->to_json());
    if (event.find("arguments_bytes"))
        text += " (" + counted(integer_of(event, "arguments_bytes"), "byte") + " in all)";
    return text;
}

/// A call, or what a guard asks about.
std::string call_text(const Datum& event) {
    const std::string point = text_of(event, "point");
    return (point.empty() ? "tool/" + text_of(event, "tool") : point) + arguments_text(event);
}

std::string failure_text(const Datum& event) {
    const std::string reason = text_of(event, "reason");
    const std::string message = text_of(event, "message");
    return reason + (reason.empty() || message.empty() ? "" : ": ") + message;
}

void write_tool_call(Writer& out, const Datum& event, bool is_brief) {
    const std::string how = is_true(event.find("cached")) ? "cached" : time_text(event);
    const bool ok = is_true(event.find("ok"));
    out.lines(1, (is_brief ? "tool/" + text_of(event, "tool") : call_text(event)) + "  (" + how + ")");
    if (!ok)
        out.lines(2, "! " + failure_text(event), kRed);
    else if (!is_brief)
        out.lines(2, "-> " + text_of(event, "result"), kDim);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string place_text(const Datum& event) {
    const std::int64_t line = integer_of(event, "line");
    if (line == 0) return "";
    return " (line " + std::to_string(line) + ", column " + std::to_string(integer_of(event, "column")) + ")";
}

void write_approval(Writer& out, const Datum& event) {
    if (!is_true(event.find("ok")))
        out.lines(1, "! not approved: " + text_of(event, "message"), kRed);
    else if (is_true(event.find("changed_arguments")))
        out.lines(1, "approved as " + call_text(event));
    else
        out.lines(1, "approved");
}

/// What was coerced or let through.
void write_warnings(Writer& out, const Datum& event, std::size_t indent) {
    for (const Datum& warning : items_of(event, "warnings")) {
        const std::int64_t times = integer_of(warning, "times");
        out.lines(indent, "~ " + text_of(warning, "of") + ": " + text_of(warning, "text") +
                              (times > 1 ? " (" + std::to_string(times) + " times)" : ""));
    }
}

void write_turn_stop(Writer& out, const Datum& event, bool is_brief) {
    const bool ok = is_true(event.find("ok"));
    if (!is_brief) {
        for (const Datum& line : items_of(event, "prints"))
            out.lines(1, "| " + (line.text() ? *line.text() : line.to_json()), kDim);
        write_warnings(out, event, 1);
    }
    if (ok)
        out.lines(1, text_of(event, "result").empty() ? "ok" : "=> " + text_of(event, "result"));
    else
        out.lines(1, "! " + failure_text(event), kRed);
    if (!is_brief && event.find("program"))
        out.lines(1,
                  grouped_text(integer_of(event, "fuel")) + " units of fuel, " +
                      counted(integer_of(event, "peak_heap_bytes"), "byte") + " at the peak, " + time_text(event),
                  kDim);
}

void write_mission_stop(Writer& out, const Datum& event, bool is_brief) {
    const bool ok = is_true(event.find("ok"));
    if (ok)
        out.lines(0, "returned" + (is_brief ? "" : " " + text_of(event, "result")), kBold);
    else
        out.lines(0, "failed: " + failure_text(event), kRed);
    const Datum* usage = event.find("usage");
    if (!usage || is_brief) return;
    out.lines(0,
              counted(integer_of(*usage, "turns"), "turn") + ", " +
                  counted(integer_of(*usage, "llm_calls"), "model call") + ", " +
                  counted(integer_of(*usage, "tool_calls"), "tool call") + tokens_text(*usage) + ", " +
                  grouped_text(integer_of(*usage, "fuel")) + " units of fuel, " +
                  counted(integer_of(*usage, "peak_heap_bytes"), "byte") + " at the peak, " + time_text(event),
              kDim);
}

} // namespace

std::string event_text(const Datum& event, const EventTextOptions& options, std::size_t level) {
    Writer out(options, level);
    const std::string name = text_of(event, "event");
    const bool is_brief = options.is_brief;
    if (name == "mission_start") {
        out.lines(0, text_of(event, "agent") + "  " + text_of(event, "signature"), kBold);
        if (!is_brief) out.lines(1, text_of(event, "prompt"), kDim);
    } else if (name == "turn_start") {
        if (is_brief) out.lines(0, turn_name(event) + ": the model is asked", kDim);
    } else if (name == "llm_reply") {
        const std::string model = text_of(event, "model");
        out.lines(0,
                  turn_name(event) + ": " + (model.empty() ? "the model" : model) + " answered (" + time_text(event) +
                      tokens_text(event) + ")",
                  kBold);
        if (!is_brief) out.lines(1, text_of(event, "reasoning"), kDim);
    } else if (name == "llm_retry") {
        const std::string model = text_of(event, "model");
        out.lines(0,
                  turn_name(event) + ": " + (model.empty() ? "the model is called again, " : model + " failed, ") +
                      failure_text(event),
                  kRed);
    } else if (name == "program_start") {
        if (!is_brief) out.lines(1, text_of(event, "program"));
    } else if (name == "tool_call") {
        write_tool_call(out, event, is_brief);
    } else if (name == "compaction") {
        out.lines(1, "~ " + first_line(text_of(event, "text")), kDim);
    } else if (name == "approval_request") {
        out.lines(1, "? " + call_text(event) + place_text(event) + " waits for approval");
        if (event.find("message")) out.lines(2, text_of(event, "message"), kRed);
    } else if (name == "approval_answer") {
        write_approval(out, event);
    } else if (name == "guard") {
        out.lines(1, "guard " + text_of(event, "guard") + " at " + text_of(event, "point") + ": " + failure_text(event),
                  is_true(event.find("ok")) ? kDim : kRed);
    } else if (name == "turn_stop") {
        write_turn_stop(out, event, is_brief);
    } else if (name == "mission_stop") {
        write_mission_stop(out, event, is_brief);
    }
    return out.take();
}

std::string open_call_text(const Datum& tool_start, const EventTextOptions& options, std::size_t level) {
    Writer out(options, level);
    out.lines(1, call_text(tool_start) + "  (no answer)", kRed);
    return out.take();
}

std::string note_text(std::string_view note, const EventTextOptions& options, std::size_t level) {
    Writer out(options, level);
    out.lines(0, "(" + std::string(note) + ")", kRed);
    return out.take();
}

} // namespace ptc
