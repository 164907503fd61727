// Any bytes as what a provider sends. The first byte chooses the protocol, whether it is a stream, how it is cut, and
// the status; the rest is the body. A reply is a reply or an error whose kind is known; where the bytes are cut changes
// nothing; no key comes through; and what comes of a reply can be sent back.
#include "subagent/providers/arrival.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/fuzz_check.h"

PTC_FUZZ_GRAMMAR(ptc::fuzz::json_grammar, 1)

using namespace ptc;

namespace {

constexpr std::string_view kKey = "sk-key-1";

LlmResult arrive(const ProviderOptions& options, const LlmRequest& request, const HttpHead& head, std::string_view body,
                 std::size_t piece) {
    const ToolNames names(request);
    const ProviderCall call{options, request, names, true};
    ReplyArrival arrival(*find_provider_row(options.provider)->wire, call, kKey);
    for (std::size_t at = 0; at < body.size(); at += piece)
        if (!arrival.take(head, body.substr(at, piece))) break;
    return arrival.finish(head, {});
}

bool is_same(const LlmResult& a, const LlmResult& b) {
    const auto* left = std::get_if<LlmReply>(&a);
    const auto* right = std::get_if<LlmReply>(&b);
    if (!left || !right) return !left && !right && std::get<LlmError>(a).kind == std::get<LlmError>(b).kind;
    return left->text == right->text && left->tool_calls == right->tool_calls &&
           left->provider_state == right->provider_state && left->usage.input == right->usage.input;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0 || size > 90'000) return 0; // below the limit of replies, which counts whole pieces
    const std::uint8_t how = data[0];
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    constexpr const char* kProviders[] = {"openai", "anthropic", "gemini", "openrouter"};
    const ProviderOptions options{.provider = kProviders[how & 3], .model = "gemini-3-x", .max_reply_bytes = 100'000};
    const HttpHead head{(how & 8) ? 429 : 200,
                        {{"content-type", (how & 4) ? "text/event-stream" : "application/json"}}};
    std::string told;
    LlmRequest request;
    request.on_text = [&told](std::string_view text) { told += text; };
    std::map<std::pair<LlmDelta::Kind, std::size_t>, std::string> shown;
    request.on_delta = [&shown](const LlmDelta& delta) { shown[{delta.kind, delta.call}] += delta.text; };
    const LlmResult whole = arrive(options, request, head, body, 1u << 20);
    FUZZ_CHECK(told.find(kKey) == std::string::npos);
    for (const auto& [of, text] : shown)
        FUZZ_CHECK(text.find(kKey) == std::string::npos);
    const LlmResult cut = arrive(options, request, head, body, 1 + (how >> 4));
    FUZZ_CHECK(is_same(whole, cut));
    if (const auto* error = std::get_if<LlmError>(&whole)) {
        FUZZ_CHECK(!error->kind.empty() && !error->message.empty() && error->message.size() < 700);
        FUZZ_CHECK(error->message.find(kKey) == std::string::npos);
        return 0;
    }
    const auto& reply = std::get<LlmReply>(whole);
    FUZZ_CHECK(!reply.text.empty() || !reply.tool_calls.empty());
    FUZZ_CHECK(reply.text.find(kKey) == std::string::npos && reply.reasoning.find(kKey) == std::string::npos);
    LlmRequest next;
    next.messages.push_back({.role = Message::Role::Assistant,
                             .content = reply.text,
                             .tool_calls = reply.tool_calls,
                             .provider_state = reply.provider_state});
    for (const ToolCall& call : reply.tool_calls) {
        FUZZ_CHECK(!call.id.empty() && call.arguments.map());
        FUZZ_CHECK(call.problem.empty() || call.arguments.map()->empty());
        FUZZ_CHECK(call.problem.find(kKey) == std::string::npos &&
                   call.arguments.to_json().find(kKey) == std::string::npos);
        next.messages.push_back({.role = Message::Role::Tool, .content = "r", .tool_call_id = call.id});
    }
    const ToolNames names(next);
    const Result<std::string> sent = find_provider_row(options.provider)->wire->body({options, next, names, false});
    FUZZ_CHECK(sent.ok() && Datum::from_json(sent.value()).ok());
    return 0;
}
