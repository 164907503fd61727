// A model's answer as bytes, for checkpoints that keep what was paid for. A member is written behind those that were
// there before it, so that answers of older files, which end earlier, are still read.
#include "subagent/agent/reply_bytes.h"
#include "subagent/engine/datum_bytes.h"

namespace ptc {
namespace {

void write_usage(ByteWriter& out, const TokenUsage& usage) {
    for (const std::int64_t n : {usage.input, usage.output, usage.cache_read, usage.cache_creation})
        out.integer(n);
    out.fixed(usage.cost_usd);
}

TokenUsage read_usage(ByteReader& in) {
    TokenUsage usage;
    for (std::int64_t* n : {&usage.input, &usage.output, &usage.cache_read, &usage.cache_creation})
        *n = in.integer();
    usage.cost_usd = in.fixed<double>();
    return usage;
}

} // namespace

void write_reply(ByteWriter& out, const LlmResult& result) {
    const auto* error = std::get_if<LlmError>(&result);
    out.byte(error != nullptr);
    if (error) {
        out.text(error->kind);
        out.text(error->message);
        out.integer(error->http_status);
        out.integer(error->retry_after ? error->retry_after->count() : -1);
        out.byte(error->is_permanent);
        write_usage(out, error->usage);
        return;
    }
    const auto& reply = std::get<LlmReply>(result);
    out.text(reply.text);
    out.size(reply.tool_calls.size());
    for (const ToolCall& call : reply.tool_calls) {
        out.text(call.id);
        out.text(call.name);
        write_datum(out, call.arguments);
        out.text(call.problem);
    }
    write_usage(out, reply.usage);
    out.text(reply.provider_state);
    out.text(reply.reasoning);
    out.text(reply.model);
    out.size(reply.failures.size());
    for (const ModelFailure& failure : reply.failures) {
        out.text(failure.model);
        out.text(failure.kind);
        out.text(failure.message);
        write_usage(out, failure.usage);
    }
}

LlmResult read_reply(ByteReader& in) {
    if (in.byte() != 0) {
        LlmError error;
        error.kind = in.text();
        error.message = in.text();
        error.http_status = static_cast<int>(in.integer());
        const std::int64_t after = in.integer();
        if (after >= 0) error.retry_after = std::chrono::milliseconds(after);
        error.is_permanent = in.byte() != 0;
        error.usage = read_usage(in);
        return error;
    }
    LlmReply reply;
    reply.text = in.text();
    for (std::size_t n = in.count(4); n > 0 && in.ok(); --n) {
        ToolCall& call = reply.tool_calls.emplace_back();
        call.id = in.text();
        call.name = in.text();
        call.arguments = read_datum(in);
        call.problem = in.text();
    }
    reply.usage = read_usage(in);
    reply.provider_state = in.text();
    if (in.left() == 0) return reply; // written before replies had these
    reply.reasoning = in.text();
    reply.model = in.text();
    for (std::size_t n = in.count(4); n > 0 && in.ok(); --n) {
        ModelFailure& failure = reply.failures.emplace_back();
        failure.model = in.text();
        failure.kind = in.text();
        failure.message = in.text();
        failure.usage = read_usage(in);
    }
    return reply;
}

void write_approval(ByteWriter& out, const ApprovalAnswer& answer) {
    out.byte(answer.is_approved);
    out.text(answer.reason);
    out.byte(answer.arguments.has_value());
    if (answer.arguments) write_datum(out, *answer.arguments);
    if (!answer.by.empty()) out.text(answer.by); // last: others that read it stop before it
}

ApprovalAnswer read_approval(ByteReader& in) {
    ApprovalAnswer answer;
    answer.is_approved = in.byte() != 0;
    answer.reason = in.text();
    if (in.byte() != 0) answer.arguments = read_datum(in);
    if (in.left() > 0) answer.by = in.text();
    return answer;
}

} // namespace ptc
