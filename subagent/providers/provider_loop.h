// Calls of providers' models over a HttpLoop: of one model (ModelLoop), or of any number (ProviderCalls).
#pragma once
#include "ptc/model_loop.h"
#include "subagent/providers/provider_exchange.h"

namespace ptc {

/// The model behind a Llm of provider_llm; null for another.
const ProviderModel* provider_model(const Llm& model);

/// Exchanges under way. Belongs to one thread at a time; `http` outlives it.
class ProviderExchanges {
public:
    explicit ProviderExchanges(HttpLoop& http) : http_(http) {}
    ~ProviderExchanges(); ///< what is under way is aborted
    ProviderExchanges(const ProviderExchanges&) = delete;
    ProviderExchanges& operator=(const ProviderExchanges&) = delete;

    /// `request` lives until the call is done or cancelled. The error, if nothing can be sent.
    std::optional<LlmError> start(std::uint64_t id, std::shared_ptr<ProviderClient> client, const LlmRequest& request);
    void cancel(std::uint64_t id);
    /// Waits for at most `timeout` until calls are done, or the HttpLoop is woken.
    std::vector<ModelLoop::Done> wait(std::chrono::milliseconds timeout);

private:
    struct Call {
        std::shared_ptr<ProviderClient> client;
        ProviderExchange exchange;
        std::optional<LlmError> thrown{}; ///< by the host's own sink
        Call(std::shared_ptr<ProviderClient> given, const LlmRequest& request)
            : client(std::move(given)), exchange(*client, request) {}
    };
    [[nodiscard]] static LlmResult result_of(Call& call, const HttpOutcome& outcome);

    HttpLoop& http_;
    std::map<std::uint64_t, std::unique_ptr<Call>> calls_;
};

/// Gives loops for one model's calls, with connections that earlier ones left.
struct ProviderLoopMaker {
    std::shared_ptr<ProviderClient> client;
    std::unique_ptr<ModelLoop> operator()() const;
};

} // namespace ptc
