// One call of a provider's model: what is sent, and what the answer comes to. Who moves the bytes is another matter:
// the caller's thread (ProviderModel), or a loop of many calls (ProviderExchanges).
#pragma once
#include "subagent/providers/arrival.h"
#include "subagent/providers/http_client.h"

namespace ptc {

/// A model, all that calls of it need, found once.
struct ProviderClient {
    ProviderOptions options;
    const ProviderRow* row = nullptr;
    std::string base_url;
    std::string key;
    bool is_direct = false; ///< to this machine, past any proxy
    HttpClient http;
};

/// A call on the caller's thread; also how it is known which model a Llm is (provider_model).
struct ProviderModel {
    std::shared_ptr<ProviderClient> client;
    LlmResult operator()(const LlmRequest& request) const;
};

/// `client` and `request` outlive it.
class ProviderExchange {
public:
    ProviderExchange(const ProviderClient& client, const LlmRequest& request);
    ProviderExchange(const ProviderExchange&) = delete; // its parts know each other
    ProviderExchange& operator=(const ProviderExchange&) = delete;

    /// What to send, once; or why nothing can be sent.
    [[nodiscard]] std::variant<HttpPost, LlmError> post();
    /// The next bytes of the answer; an HttpSink.
    bool take(const HttpHead& head, std::string_view bytes);
    /// At the end, once: the reply or the error, with what it cost.
    [[nodiscard]] LlmResult finish(const HttpOutcome& outcome);

private:
    [[nodiscard]] LlmResult accounted(LlmResult result) const;

    const ProviderClient& client_;
    const ToolNames names_;
    const ProviderCall call_;
    ReplyArrival arrival_;
    std::chrono::steady_clock::time_point deadline_;
};

} // namespace ptc
