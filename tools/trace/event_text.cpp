// An event of a mission as lines for a terminal. Live missions and traces read back use the same JSON members, so both
// look alike; text that models and tools wrote is freed of control characters before it is shown.
#include "tools/trace/event_text.h"
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

namespace {

/// Bytes of the character at the beginning of `text` if it acts on a terminal; 0 if it does not. Those are the controls
/// (C0, DEL, C1) and what changes the direction of the text around it, so that it reads otherwise than it is.
std::size_t acting_bytes(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7F) return 1;
    if (text.size() < 2) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if (first == 0xC2 && second >= 0x80 && second <= 0x9F) return 2;
    if (first == 0xD8 && second == 0x9C) return 2; // U+061C
    if (text.size() < 3 || first != 0xE2) return 0;
    const auto third = static_cast<unsigned char>(text[2]);
    const bool is_mark = second == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE));
    return is_mark || (second == 0x81 && third >= 0xA6 && third <= 0xA9) ? 3 : 0;
}

/// The code point of valid UTF-8 that `character` is.
std::uint32_t code_of(std::string_view character) {
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(character[i])}; };
    std::uint32_t code = character.size() == 1 ? byte(0) : byte(0) & (0x7Fu >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i)
        code = code << 6 | (byte(i) & 0x3F);
    return code;
}

/// Characters that nobody sees, and that tell two texts apart all the same: joiners and marks of no width, fillers,
/// tags.
constexpr std::pair<std::uint32_t, std::uint32_t> kInvisible[] = {
    {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180E}, {0x200B, 0x200D},
    {0x2060, 0x2065}, {0x206A, 0x206F}, {0x3164, 0x3164}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xE0000, 0xE0FFF}};

/// The same, or bytes of the character at the beginning of `text` if it is invisible.
std::size_t hidden_bytes(std::string_view text) {
    if (const std::size_t acting = acting_bytes(text)) return acting;
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0xC2) return 0;
    const std::size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() < bytes) return 0;
    const std::uint32_t code = code_of(text.substr(0, bytes));
    const auto holds = [code](const auto& range) { return range.first <= code && code <= range.second; };
    return std::ranges::any_of(kInvisible, holds) ? bytes : 0;
}

/// \u202e; of a character beyond the first plane both halves, as JSON has them.
std::string escape_of(std::string_view character) {
    const std::uint32_t code = code_of(character);
    char text[16];
    if (code < 0x10000)
        std::snprintf(text, sizeof text, "\\u%04x", code);
    else
        std::snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
    return text;
}

template <class Instead>
std::string without_acting(std::string_view text, Instead instead,
                           std::size_t (&bytes_of)(std::string_view) = acting_bytes) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t acting = bytes_of(text.substr(i));
        if (acting > 0)
            out += instead(text.substr(i, acting));
        else
            out += text[i];
        i += std::max<std::size_t>(acting, 1);
    }
    return out;
}

} // namespace

std::string printable(std::string_view text) {
    return without_acting(text, [](std::string_view) { return std::string_view("\xEF\xBF\xBD"); }); // U+FFFD
}

std::string spelled_out(std::string_view text) { return without_acting(text, escape_of, hidden_bytes); }

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
