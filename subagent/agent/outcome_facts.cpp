#include "subagent/agent/outcome_facts.h"
#include "frontend/render.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/preview.h"

namespace ptc {
namespace {

/// The text of a fail's member; "" for none.
std::string member_text(const Datum& value, std::string_view name) {
    const Datum* member = value.find(name);
    if (!member || member->is_nil()) return "";
    const std::string_view text = key_name(*member);
    return text.empty() ? preview(*member, {}).text : std::string(text);
}

} // namespace

MissionReason mission_reason_of(const Outcome& outcome) {
    const Reason reason = outcome.error->reason;
    const bool is_compiled = outcome.diagnostics.empty();
    // A text that a running program reads is no part of it.
    const bool is_its_text = reason != Reason::ParseError || !is_compiled;
    if (const auto known = is_its_text ? mission_reason_of(reason) : std::nullopt) return *known;
    return is_compiled ? MissionReason::EvalError : MissionReason::AnalysisError;
}

std::string rendered_error(const std::string& program, const Outcome& outcome) {
    const Source source("program", program);
    std::string out;
    for (const Diagnostic& diagnostic : outcome.diagnostics) {
        if (diagnostic.severity == Severity::Error) out += render_text(source, diagnostic);
    }
    if (out.empty()) out = render_text(source, Diagnostic{Severity::Error, *outcome.error});
    return out;
}

std::string rendered_warnings(const std::string& program, const std::vector<Diagnostic>& warnings) {
    constexpr std::size_t kMost = 4;
    const Source source("program", program);
    std::string out;
    std::size_t shown = 0;
    for (const Diagnostic& warning : warnings) {
        const Error& error = warning.error;
        const bool matters = error.reason == Reason::UnknownField || error.reason == Reason::UnboundVar ||
                             error.reason == Reason::NeverEqual || error.reason == Reason::SuspiciousForm ||
                             error.reason == Reason::UnusedValue || error.reason == Reason::NotCallable;
        const bool is_public = (error.message + error.hint).find("`_") == std::string::npos;
        if (matters && is_public && shown++ < kMost) out += render_text(source, warning);
    }
    return out;
}

Fail fail_of(const Outcome& outcome) {
    const Datum& value = *outcome.datum;
    Fail fail;
    if (value.map()) {
        fail.reason = member_text(value, "reason");
        fail.message = member_text(value, "message");
        if (const std::string op = member_text(value, "op"); !op.empty()) fail.op = op;
        if (const Datum* details = value.find("details")) fail.details = *details;
    } else if (value.get_if<Datum::Keyword>()) {
        fail.reason = key_name(value);
    }
    if (fail.reason.empty()) fail.reason = reason_name(MissionReason::Failed);
    if (fail.message.empty()) fail.message = value.text() ? *value.text() : preview(value, {}).text;
    return fail;
}

} // namespace ptc
