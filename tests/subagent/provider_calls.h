// Calls of providers without a network, for tests: a request to a body, bytes to a reply.
#pragma once
#include "subagent/providers/arrival.h"
#include "tests/subagent/missions.h"

namespace ptc {

inline const ProviderRow& row_of(const ProviderOptions& options) { return *find_provider_row(options.provider); }

inline Result<std::string> body_of(const ProviderOptions& options, const LlmRequest& request) {
    const ToolNames names(request);
    return row_of(options).wire->body({options, request, names, request.on_text || request.on_delta});
}
inline Datum body_json(const ProviderOptions& options, const LlmRequest& request) {
    const Result<std::string> body = body_of(options, request);
    EXPECT_TRUE(body.ok()) << body.error().message;
    return body.ok() ? json(body.value()) : Datum();
}

/// What a server sent.
struct Sent {
    std::string body;
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers{{"content-type", "application/json"}};
    std::size_t piece = 1u << 20;     ///< bytes that arrive at once
    std::optional<HttpFault> fault{}; ///< how it ended, if not well
    std::string key{};
};

inline Sent events(std::string body) {
    return {.body = std::move(body), .headers = {{"content-type", "text/event-stream; charset=utf-8"}}};
}

inline LlmResult reply_to(const ProviderOptions& options, const LlmRequest& request, const Sent& sent) {
    const ToolNames names(request);
    const ProviderCall call{options, request, names, request.on_text || request.on_delta};
    ReplyArrival arrival(*row_of(options).wire, call, sent.key);
    const HttpHead head{sent.status, sent.headers};
    for (std::size_t at = 0; at < sent.body.size(); at += sent.piece)
        if (!arrival.take(head, std::string_view(sent.body).substr(at, sent.piece))) break;
    using Ended = std::variant<HttpHead, HttpFault>;
    return arrival.finish(sent.fault ? Ended(*sent.fault) : Ended(head), {});
}

inline const LlmReply& reply_in(const LlmResult& result) {
    static const LlmReply none;
    const auto* error = std::get_if<LlmError>(&result);
    EXPECT_EQ(error, nullptr) << error->kind << ": " << error->message;
    return error ? none : std::get<LlmReply>(result);
}
inline const LlmError& error_of(const LlmResult& result) {
    static const LlmError none;
    const auto* error = std::get_if<LlmError>(&result);
    EXPECT_NE(error, nullptr) << std::get<LlmReply>(result).text;
    return error ? *error : none;
}

} // namespace ptc
