#include "tools/outcome_json.h"
#include "frontend/utf8.h"
#include "frontend/work.h"
#include <algorithm>

namespace ptc {
namespace {

/// The members of an error's or a warning's object.
void add_error(JsonObject& json, const Source& source, const Error& error) {
    json.text("reason", reason_name(error.reason)).text("message", error.message);
    if (error.has_span) {
        const LineColumn at = source.position(error.span.begin);
        json.number("line", at.line).number("column", at.column);
    } else {
        json.raw("line", "null").raw("column", "null");
    }
    json.text_or_null("hint", error.hint);
    if (error.has_span) json.number("offset", error.span.begin).number("length", error.span.size());
    if (!error.edits.empty()) {
        json.raw("edits", json_array(error.edits, [](const Edit& edit) {
                     return JsonObject()
                         .number("offset", edit.span.begin)
                         .number("length", edit.span.size())
                         .text("text", edit.text)
                         .finish();
                 }));
    }
}

std::string error_json(const Source& source, const Error& error) {
    JsonObject json;
    add_error(json, source, error);
    return json.finish();
}

/// What is wrong with values is a text, what is wrong with the program an object as errors are.
std::string warnings_json(const Source& source, const Outcome& outcome) {
    std::string json;
    for (const Fault& warning : outcome.result_warnings)
        json += (json.empty() ? "" : ",") + json_string(fault_text(warning));
    for (const Diagnostic& warning : outcome.warnings)
        json += (json.empty() ? "" : ",") + error_json(source, warning.error);
    return "[" + json + "]";
}

std::string warnings_json(const std::vector<Fault>& warnings) {
    return json_array(warnings, [](const Fault& warning) { return json_string(fault_text(warning)); });
}

std::string tool_call_json(const ToolRecord& record) {
    JsonObject json;
    json.text("name", record.name).raw("args", record.arguments_json);
    json.raw("result", record.result_json.empty() ? "null" : record.result_json);
    if (!record.warnings.empty()) json.raw("warnings", warnings_json(record.warnings));
    return json.finish();
}

std::string usage_json(const Usage& usage) {
    return JsonObject()
        .number("fuel", usage.fuel)
        .number("peak_heap_bytes", static_cast<std::int64_t>(usage.peak_heap_bytes))
        .number("duration_us", usage.duration.count())
        .finish();
}

} // namespace

std::string json_text_in_time(std::string_view text) {
    constexpr std::size_t kPiece = 256 * 1024, kBytesOfUnit = 10;
    std::string out = "\"";
    while (!text.empty() && work::charge(std::min(kPiece, text.size()) / kBytesOfUnit + 1)) {
        const std::string_view whole = utf8::prefix(text, kPiece);
        const std::string_view piece = whole.empty() ? text.substr(0, kPiece) : whole; // of no characters at all
        append_json_escaped(out, piece);
        text.remove_prefix(piece.size());
    }
    return out += '"';
}

void add_outcome(JsonObject& json, const Outcome& outcome, const Source& source, std::string_view memory) {
    json.text("outcome", outcome.kind_name());
    if (outcome.error)
        json.raw("value", "null");
    else
        json.raw("value", json_text_in_time(outcome.value));
    json.raw("json", outcome.json ? *outcome.json : "null");
    if (outcome.error) json.raw("error", error_json(source, *outcome.error));
    json.raw("prints", json_array(outcome.prints, json_text_in_time));
    if (!memory.empty()) json.raw("memory", memory);
    json.raw("tool_calls", json_array(outcome.tool_calls, tool_call_json));
    if (!outcome.result_warnings.empty() || !outcome.warnings.empty())
        json.raw("warnings", warnings_json(source, outcome));
    json.raw("usage", usage_json(outcome.usage));
}

} // namespace ptc
