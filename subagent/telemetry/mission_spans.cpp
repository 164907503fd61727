// Which span an event begins or ends. Calls of the model have no event when they begin: one begins with the turn, or
// with the failure of the one before it, and lasts as long as its reply says. Calls of tools that have the same name
// and are under way at the same time end in the order in which they began: events do not say which is which. So do
// approvals.
#include "subagent/telemetry/mission_spans.h"
#include "ptc/providers.h"
#include "subagent/engine/random_id.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

using otlp::Attributes;
using otlp::Time;
using otlp::TraceSpan;
using Kind = MissionEvent::Kind;

constexpr std::string_view kAbandoned = "abandoned"; ///< of spans whose mission was destroyed

void add_text(Attributes& attributes, const char* name, const std::string& text) {
    if (!text.empty()) attributes.emplace_back(name, text);
}

void add_usage(Attributes& attributes, const TokenUsage& tokens) {
    attributes.emplace_back("gen_ai.usage.input_tokens", tokens.input);
    attributes.emplace_back("gen_ai.usage.output_tokens", tokens.output);
    if (tokens.cache_read) attributes.emplace_back("gen_ai.usage.cache_read.input_tokens", tokens.cache_read);
    if (tokens.cache_creation)
        attributes.emplace_back("gen_ai.usage.cache_creation.input_tokens", tokens.cache_creation);
    if (tokens.cost_usd > 0) attributes.emplace_back("ptc.cost_usd", tokens.cost_usd);
}

/// Another one than was asked, when that is a fallback or a route. Models of providers say "PROVIDER:MODEL".
void add_answering_model(Attributes& attributes, const std::string& model) {
    const std::size_t colon = model.find(':');
    const std::string provider = model.substr(0, colon);
    if (colon == std::string::npos || !find_provider(provider))
        return add_text(attributes, "gen_ai.response.model", model);
    std::erase_if(attributes, [](const auto& one) { return one.first == "gen_ai.provider.name"; });
    add_text(attributes, "gen_ai.provider.name", provider);
    add_text(attributes, "gen_ai.response.model", model.substr(colon + 1));
}

/// What a failure is called: the words of missions and programs. A program may fail for reasons that it made up, out of
/// what it read, and a host's model for any.
std::string type_of(const MissionEvent& event) {
    static const std::set<std::string, std::less<>> known = [] {
        std::set<std::string, std::less<>> names = {"exception", "client_error", std::string(kAbandoned)};
        for (const MissionReason reason : mission_reasons())
            names.emplace(reason_name(reason));
#define PTC_PROVIDER_ERROR(Name, kind, is_permanent, meaning) names.emplace(kind);
#include "subagent/providers/provider_errors.def"
#undef PTC_PROVIDER_ERROR
        return names;
    }();
    return known.contains(event.reason) || reason_named(event.reason) ? event.reason : "_OTHER";
}

std::string approval_name(const MissionEvent& event) {
    return "approval " + (event.point.empty() ? event.tool : event.point);
}

} // namespace

MissionSpans::MissionSpans(MissionTelemetry about, bool has_content, SpanSink sink)
    : about_(std::move(about)), has_content_(has_content), sink_(std::move(sink)), trace_id_(random_id(32)) {}

Attributes MissionSpans::model_attributes(std::string_view operation, const std::string& model) const {
    Attributes attributes = {{"gen_ai.operation.name", Datum(operation)}};
    add_text(attributes, "gen_ai.provider.name", about_.provider);
    add_text(attributes, "gen_ai.request.model", model);
    return attributes;
}

TraceSpan MissionSpans::open(std::string name, std::string_view operation, const std::string& parent, Time now) const {
    TraceSpan span{.trace_id = trace_id_,
                   .id = random_id(16),
                   .parent = parent,
                   .name = std::move(name),
                   .start = now,
                   .end = now,
                   .attributes = {},
                   .message = {}};
    if (!operation.empty()) span.attributes.emplace_back("gen_ai.operation.name", Datum(operation));
    return span;
}

void MissionSpans::close(TraceSpan span, const MissionEvent& event, Time now) {
    span.end = now;
    if (!event.ok) {
        span.is_error = true;
        const std::string type = type_of(event);
        span.message = has_content_ ? event.message : type;
        span.attributes.emplace_back("error.type", type);
    }
    sink_.span(span);
}

const std::string& MissionSpans::innermost(const Run& run) {
    if (!run.tools.empty()) return run.tools.back().id;
    return run.program ? run.program->id : run.span.id;
}

void MissionSpans::begin_run(const MissionEvent& event, Time now) {
    const auto parent = runs_.find(event.parent);
    const std::string within = parent == runs_.end() ? std::string() : innermost(parent->second);
    const std::string name = event.agent.empty() ? "invoke_agent" : "invoke_agent " + event.agent;
    Run run{.span = open(name, "invoke_agent", within, now), .asked = now, .program = {}, .tools = {}, .approvals = {}};
    Attributes& attributes = run.span.attributes;
    add_text(attributes, "gen_ai.provider.name", about_.provider);
    add_text(attributes, "gen_ai.request.model", about_.model);
    add_text(attributes, "gen_ai.agent.name", event.agent);
    add_text(attributes, "gen_ai.conversation.id", about_.id);
    add_text(attributes, "ptc.signature", event.signature);
    if (has_content_ && event.kind == Kind::MissionStart) add_text(attributes, "ptc.prompt", event.text);
    runs_.insert_or_assign(event.run, std::move(run));
}

void MissionSpans::end_run(const MissionEvent& event, Time now) {
    const auto at = runs_.find(event.run);
    if (at == runs_.end()) return;
    Run run = std::move(at->second);
    runs_.erase(at);
    for (TraceSpan& open_one : run.approvals)
        close(std::move(open_one), event, now);
    for (TraceSpan& tool : run.tools)
        close(std::move(tool), event, now);
    if (run.program) close(std::move(*run.program), event, now);
    add_usage(run.span.attributes, event.usage ? event.usage->tokens : event.tokens);
    if (event.usage) run.span.attributes.emplace_back("ptc.turns", static_cast<std::int64_t>(event.usage->turns));
    if (has_content_ && event.ok) add_text(run.span.attributes, "ptc.result", event.result);
    close(std::move(run.span), event, now);
}

void MissionSpans::end_chat(Run& run, const MissionEvent& event, Time now) {
    const bool is_reply = event.kind == Kind::LlmReply;
    // Those of a fallback are told when it is over, not how long they took: their time is in that of the reply.
    const bool is_of_fallback = !is_reply && !event.model.empty();
    const std::string& asked = is_of_fallback ? event.model : about_.model;
    TraceSpan span = open(asked.empty() ? "chat" : "chat " + asked, "", innermost(run),
                          is_reply ? std::max(run.asked, now - event.duration) : run.asked);
    span.kind = otlp::SpanKind::Client;
    span.attributes = model_attributes("chat", asked);
    if (is_reply) add_answering_model(span.attributes, event.model);
    Attributes measured = span.attributes;
    add_text(span.attributes, "gen_ai.agent.name", event.agent);
    add_text(span.attributes, "gen_ai.conversation.id", about_.id);
    span.attributes.emplace_back("ptc.turn", static_cast<std::int64_t>(event.turn));
    MissionEvent ending;
    ending.kind = event.kind;
    ending.ok = is_reply;
    ending.reason = event.reason;
    ending.message = event.message;
    if (is_reply) {
        add_usage(span.attributes, event.tokens);
        if (has_content_) add_text(span.attributes, "ptc.reply", event.text);
        sink_.tokens(measured, event.tokens);
    } else {
        measured.emplace_back("error.type", type_of(event));
    }
    if (is_of_fallback) return close(span, ending, span.start);
    sink_.duration(measured, now - span.start);
    close(std::move(span), ending, now);
    run.asked = now;
}

void MissionSpans::begin_program(Run& run, const MissionEvent& event, Time now) {
    run.program = open("run_program", "", innermost(run), now);
    add_text(run.program->attributes, "gen_ai.agent.name", event.agent);
    run.program->attributes.emplace_back("ptc.turn", static_cast<std::int64_t>(event.turn));
    if (has_content_) add_text(run.program->attributes, "ptc.program", event.text);
}

void MissionSpans::end_program(Run& run, const MissionEvent& event, Time now) {
    run.asked = now;
    if (!run.program) return;
    TraceSpan span = std::move(*run.program);
    run.program.reset();
    if (event.record) {
        span.attributes.emplace_back("ptc.fuel", static_cast<std::int64_t>(event.record->fuel));
        span.attributes.emplace_back("ptc.peak_heap_bytes", static_cast<std::int64_t>(event.record->peak_heap_bytes));
        sink_.fuel(static_cast<std::uint64_t>(event.record->fuel));
        if (has_content_) add_text(span.attributes, "ptc.result", event.record->result);
    }
    close(std::move(span), event, now);
}

void MissionSpans::begin_tool(Run& run, const MissionEvent& event, Time now) {
    // Calls of one program are beside each other, also where they are under way together.
    const std::string& within = run.program ? run.program->id : run.span.id;
    TraceSpan span = open("execute_tool " + event.tool, "execute_tool", within, now);
    span.attributes.emplace_back("gen_ai.tool.name", event.tool);
    span.attributes.emplace_back("gen_ai.tool.type", "function");
    span.attributes.emplace_back("ptc.exposure_layer", event.layer == Exposure::Native ? "native" : "ptc_lisp");
    if (has_content_) span.attributes.emplace_back("gen_ai.tool.call.arguments", event.arguments.to_json());
    run.tools.push_back(std::move(span));
}

void MissionSpans::end_tool(Run& run, const MissionEvent& event, Time now) {
    const std::string name = "execute_tool " + event.tool;
    auto at = std::ranges::find_if(run.tools, [&](const TraceSpan& span) { return span.name == name; });
    // Calls that a cache answers, and those that were not approved, do not begin.
    const bool has_begun = !event.is_cached && event.reason != reason_name(Reason::ApprovalDenied);
    if (!has_begun || at == run.tools.end()) {
        begin_tool(run, event, now);
        at = run.tools.end() - 1;
    }
    TraceSpan span = std::move(*at);
    run.tools.erase(at);
    if (event.is_cached) span.attributes.emplace_back("ptc.cached", true);
    if (has_content_ && event.ok) add_text(span.attributes, "gen_ai.tool.call.result", event.result);
    close(std::move(span), event, now);
}

/// A wait: the span of the call begins when it is made.
void MissionSpans::begin_approval(Run& run, const MissionEvent& event, Time now) {
    TraceSpan span = open(approval_name(event), "", run.program ? run.program->id : run.span.id, now);
    add_text(span.attributes, "gen_ai.tool.name", event.tool);
    add_text(span.attributes, "ptc.guard.point", event.point);
    if (has_content_) span.attributes.emplace_back("gen_ai.tool.call.arguments", event.arguments.to_json());
    run.approvals.push_back(std::move(span));
}

void MissionSpans::end_approval(Run& run, const MissionEvent& event, Time now) {
    const auto at = std::ranges::find(run.approvals, approval_name(event), &TraceSpan::name);
    if (at == run.approvals.end()) return; // it was asked for before the mission was taken up again
    TraceSpan span = std::move(*at);
    run.approvals.erase(at);
    span.attributes.emplace_back("ptc.approval.changed", event.has_changed_arguments);
    close(std::move(span), event, now);
}

void MissionSpans::note_guard(const Run& run, const MissionEvent& event, Time now) {
    TraceSpan span = open("guard " + event.guard, "", innermost(run), now);
    span.attributes.emplace_back("ptc.guard.point", event.point);
    span.attributes.emplace_back("ptc.guard.verdict", event.reason);
    add_text(span.attributes, "gen_ai.tool.name", event.tool);
    if (has_content_) add_text(span.attributes, "ptc.guard.message", event.message);
    sink_.span(span);
}

void MissionSpans::take(const MissionEvent& event, Time now) {
    if (event.kind == Kind::MissionStart) return begin_run(event, now);
    if (event.kind == Kind::MissionStop) return end_run(event, now);
    if (!runs_.contains(event.run)) begin_run(event, now); // a mission that was taken up again
    Run& run = runs_.at(event.run);
    switch (event.kind) {
    case Kind::TurnStart: run.asked = now; return;
    case Kind::Guard: return note_guard(run, event, now);
    case Kind::LlmReply:
    case Kind::LlmRetry: return end_chat(run, event, now);
    case Kind::ProgramStart: return begin_program(run, event, now);
    case Kind::TurnStop: return end_program(run, event, now);
    case Kind::ToolStart: return begin_tool(run, event, now);
    case Kind::ToolCall: return end_tool(run, event, now);
    case Kind::ApprovalRequest: return begin_approval(run, event, now);
    case Kind::ApprovalAnswer: return end_approval(run, event, now);
    case Kind::PreviewFallback:
    case Kind::Compaction:
    case Kind::MissionStart:
    case Kind::MissionStop: return;
    }
}

void MissionSpans::abandon(Time now) {
    MissionEvent event;
    event.kind = Kind::MissionStop;
    event.ok = false;
    event.reason = kAbandoned;
    while (!runs_.empty()) { // those that others called end first
        event.run = runs_.rbegin()->first;
        end_run(event, now);
    }
}

} // namespace ptc
