// A reply on its way: bytes of HTTP in, a LlmReply or why there is none out.
#pragma once
#include "subagent/providers/secret.h"
#include "subagent/providers/wire.h"

namespace ptc {

/// Of one call. Bytes come from a server that may be broken or hostile, and be cut anywhere.
class Arrival {
public:
    /// All of them outlive it. `key` is taken out of whatever arrives.
    Arrival(const WireFormat& wire, const ProviderCall& call, std::string_view key);
    Arrival(const Arrival&) = delete; // sink_ knows where it is
    Arrival& operator=(const Arrival&) = delete;

    /// The next bytes of the body; an HttpSink.
    bool take(const HttpHead& head, std::string_view bytes);
    /// At the end; once.
    LlmResult finish(const std::variant<HttpHead, HttpFault>& outcome, std::chrono::system_clock::time_point now);

private:
    void fail(ProviderFault fault, std::string message);
    bool on_event(const SseEvent& event);
    void end_stream();
    void read_body(const HttpHead& head);

    const ProviderCall& call_;
    std::string_view key_;
    std::unique_ptr<ReplyReader> reader_;
    SseReader events_;
    SecretFilter told_;
    TextSink sink_; ///< into it; empty when nobody reads along
    std::string body_;
    std::size_t bytes_ = 0;
    bool is_stream_ = false;
    bool is_over_ = false;
    std::optional<LlmError> error_;
};

} // namespace ptc
