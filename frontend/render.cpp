// A diagnostic as text is its message, the source line with carets under the span, labels in the same way, and the
// hint; as JSON the same facts as members. Lines are cut around the span and control characters made harmless, so that
// no text of an author can disturb a terminal or a prompt.
#include "frontend/render.h"
#include "frontend/json_text.h"
#include "frontend/utf8.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

struct Colors {
    std::string_view error, warning, mark, dim, bold, reset;
};
constexpr Colors kPlain{};
constexpr Colors kAnsi{"\x1b[1;31m", "\x1b[1;33m", "\x1b[31m", "\x1b[2m", "\x1b[1m", "\x1b[0m"};

std::string_view severity_name(Severity severity) { return severity == Severity::Error ? "error" : "warning"; }

/// Part of a line that is shown, in bytes.
struct Window {
    std::size_t begin;
    std::size_t end;
};

Window window_around(std::string_view line, std::size_t at, std::size_t max) {
    if (line.size() <= max) return {0, line.size()};
    const std::size_t before = max / 3;
    std::size_t begin = at > before ? at - before : 0;
    begin = std::min(begin, line.size() - max);
    std::size_t end = begin + max;
    while (begin > 0 && utf8::is_continuation(static_cast<unsigned char>(line[begin])))
        --begin;
    while (end < line.size() && utf8::is_continuation(static_cast<unsigned char>(line[end])))
        ++end;
    return {begin, end};
}

/// A source line with control characters made harmless; each byte of one keeps one column.
std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7F ? ' ' : c;
    }
    return out;
}

/// `  3 | text` and `    | ^^^ note` for one span, up to the end of its first line.
void append_excerpt(std::string& out, const Source& source, Span span, std::string_view note,
                    const RenderOptions& options, const Colors& colors, bool is_primary) {
    const LineColumn at = source.position(span.begin);
    const std::string_view line = source.line_at(span.begin);
    const std::size_t line_begin = static_cast<std::size_t>(line.data() - source.text().data());
    const std::size_t begin = std::min<std::size_t>(span.begin - line_begin, line.size());
    const std::size_t end = std::clamp<std::size_t>(span.end - line_begin, begin, line.size());
    const Window window = window_around(line, begin, options.max_columns);
    const std::string number = std::to_string(at.line);
    const std::string_view cut_before = window.begin > 0 ? "..." : "";
    out += std::string(colors.dim) + "  " + number + " | " + std::string(colors.reset) + std::string(cut_before);
    out += printable(line.substr(window.begin, window.end - window.begin));
    out += window.end < line.size() ? "...\n" : "\n";
    out += std::string(colors.dim) + "  " + std::string(number.size(), ' ') + " | " + std::string(colors.reset);
    out.append(cut_before.size() + utf8::count(line.substr(window.begin, begin - window.begin)), ' ');
    const std::size_t shown = std::min(end, window.end) - std::min(begin, window.end);
    const std::size_t width = std::max<std::size_t>(1, utf8::count(line.substr(begin, shown)));
    out += std::string(colors.mark) + std::string(width, is_primary ? '^' : '-') + std::string(colors.reset);
    if (!note.empty()) out.append(" ").append(note);
    out += "\n";
}

void append_field(std::string& out, std::string_view name, std::size_t value) {
    out.append(",\"").append(name).append("\":").append(std::to_string(value));
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(",\"").append(name).append("\":");
    append_json_string(out, value);
}

} // namespace

std::string render_text(const Source& source, const Diagnostic& diagnostic, const RenderOptions& options) {
    const Colors& colors = options.color ? kAnsi : kPlain;
    const Error& error = diagnostic.error;
    std::string out(colors.bold);
    out += source.name();
    if (error.has_span) {
        const LineColumn at = source.position(error.span.begin);
        out.append(":").append(std::to_string(at.line)).append(":").append(std::to_string(at.column));
    }
    if (!source.name().empty() || error.has_span) out += ": ";
    out += colors.reset;
    out += diagnostic.severity == Severity::Error ? colors.error : colors.warning;
    out += std::string(severity_name(diagnostic.severity)) + "[" + std::string(reason_name(error.reason)) + "]: ";
    out += std::string(colors.reset) + error.message + "\n";
    if (error.has_span) {
        const auto same = std::find_if(error.labels.begin(), error.labels.end(),
                                       [&](const Label& label) { return label.span == error.span; });
        append_excerpt(out, source, error.span, same == error.labels.end() ? "" : same->text, options, colors, true);
    }
    for (const Label& label : error.labels) {
        if (!error.has_span || !(label.span == error.span))
            append_excerpt(out, source, label.span, label.text, options, colors, false);
    }
    if (!error.hint.empty()) out += "  hint: " + error.hint + "\n";
    for (const TraceEntry& entry : error.trace) {
        const LineColumn at = source.position(entry.span.begin);
        out += "  in " + entry.function + " at " + std::to_string(at.line) + ":" + std::to_string(at.column) + "\n";
    }
    return out;
}

std::string render_text(const Source& source, const Diagnostics& diagnostics, const RenderOptions& options) {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics.all())
        out += render_text(source, diagnostic, options);
    if (diagnostics.dropped() > 0)
        out += "There is more: at least " + std::to_string(diagnostics.dropped()) + " not shown.\n";
    return out;
}

std::string render_json(const Source& source, const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    std::string out = "{\"file\":";
    append_json_string(out, source.name());
    append_field(out, "severity", severity_name(diagnostic.severity));
    append_field(out, "reason", reason_name(error.reason));
    append_field(out, "message", error.message);
    const LineColumn at = error.has_span ? source.position(error.span.begin) : LineColumn{0, 0};
    append_field(out, "line", at.line);
    append_field(out, "column", at.column);
    append_field(out, "offset", error.has_span ? error.span.begin : 0);
    append_field(out, "length", error.has_span ? error.span.size() : 0);
    if (!error.hint.empty()) append_field(out, "hint", error.hint);
    if (!error.edits.empty()) {
        out += ",\"edits\":[";
        for (const Edit& edit : error.edits) {
            if (&edit != error.edits.data()) out += ",";
            out += "{\"offset\":" + std::to_string(edit.span.begin);
            append_field(out, "length", edit.span.size());
            append_field(out, "text", edit.text);
            out += "}";
        }
        out += "]";
    }
    return out + "}";
}

std::string render_json(const Source& source, const Diagnostics& diagnostics) {
    std::string out = "{\"diagnostics\":[";
    for (const Diagnostic& diagnostic : diagnostics.all()) {
        if (&diagnostic != diagnostics.all().data()) out += ",";
        out += render_json(source, diagnostic);
    }
    out += "]";
    if (diagnostics.dropped() > 0) append_field(out, "dropped", diagnostics.dropped());
    return out + "}";
}

} // namespace ptc
