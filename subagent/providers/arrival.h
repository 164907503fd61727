// A reply on its way: bytes of HTTP in, a LlmReply or why there is none out.
#pragma once
#include "subagent/providers/secret.h"
#include "subagent/providers/wire.h"

namespace ptc {

/// Of one call. Bytes come from a server that may be broken or hostile, and be cut anywhere.
class ReplyArrival {
public:
    /// All of them outlive it. `key` is taken out of whatever arrives.
    ReplyArrival(const WireFormat& wire, const ProviderCall& call, std::string_view key);
    ReplyArrival(const ReplyArrival&) = delete; // sink_ knows where it is
    ReplyArrival& operator=(const ReplyArrival&) = delete;

    /// The next bytes of the body; an HttpSink.
    bool take(const HttpHead& head, std::string_view bytes);
    /// At the end; once. Without `key`.
    LlmResult finish(const std::variant<HttpHead, HttpFault>& outcome, std::chrono::system_clock::time_point now);

private:
    LlmResult read(const std::variant<HttpHead, HttpFault>& outcome, std::chrono::system_clock::time_point now);
    [[nodiscard]] bool is_whole() const;
    void fail(ProviderFault fault, std::string message);
    bool on_event(const SseEvent& event);
    void end_stream();
    void read_body(const HttpHead& head);

    const ProviderCall& call_;
    std::string_view key_;
    std::unique_ptr<ReplyReader> reader_;
    SseReader events_;
    void show(const LlmDelta& delta);
    void show_whole(const LlmReply& reply);

    /// Of each text that arrives in pieces: a kind, and of arguments which call.
    std::map<std::pair<LlmDelta::Kind, std::size_t>, SecretFilter> filters_;
    ReplySink sink_; ///< into them; shows nothing when nobody reads along
    std::string body_;
    std::size_t bytes_ = 0;
    bool is_stream_ = false;
    bool is_over_ = false;
    std::optional<LlmError> error_;
};

} // namespace ptc
