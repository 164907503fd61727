// Models made of others: one that goes on to the next when a model fails, and one that chooses by the request. Each is
// a Llm like any other, for agents, registries and each other. Where their parts have loops (ptc/model_loop.h) they
// need no thread either: Agent::run and ProviderCalls (ptc/providers.h) go from one part to the next.
//
//   auto llm = ptc::fallback({{"big", big}, {"other", other}});
//   auto routed = ptc::route({{.name = "small", .call = small, .from_depth = 1}, {.name = "big", .call = llm}});
//
// A reply has the usage of the model that gave it, and its name (LlmReply::model), which events and traces show. What
// models used up that failed before is in LlmReply::failures: a mission counts it, and emits an LlmRetry for each.
#pragma once
#include "ptc/llm.h"

namespace ptc {

/// One of the models of a fallback.
struct FallbackModel {
    std::string name{}; ///< in events
    Llm call{};
    /// Kinds of errors (LlmError::kind_name) of the model before after which this one is asked; of the first it means
    /// nothing. Empty: fallback_kinds().
    std::vector<std::string> on{};
    /// Beside the kind, a condition of the host's: false, and this one is passed over. Of the first it means nothing.
    /// Called on the thread that makes the call, by several at once where missions share the model.
    SharedFunction<bool(const LlmRequest& request, const LlmError& error)> when{};
    std::optional<std::chrono::milliseconds> timeout{}; ///< of a call of this one; the request's may be shorter
};

/// "rate_limit", "overloaded", "server_error", "timeout", "network", "bad_reply", "context_length", "content_filter",
/// "quota", "model_not_found", "too_large".
const std::vector<std::string>& fallback_kinds();

/// Asks the first model, and after an error the next one that is for it. With the error of all: the first that can get
/// better, so that the mission's RetryPolicy begins again from the first model, else the last. What a model showed
/// before it failed is void: LlmRequest::on_delta gets a Restart. A model that throws has failed by "exception", a
/// condition that throws is not met. Nobody else is asked when the call is no longer wanted, or no time is left.
/// Without any model calls fail: invalid_request.
Llm fallback(std::vector<FallbackModel> models);

/// One of the models of a route, and which requests are for it: all that is given holds.
struct RouteModel {
    std::string name{}; ///< in events
    Llm call{};
    std::vector<std::string> agents{}; ///< names of agents; empty: all
    unsigned from_depth = 0;           ///< levels below the root
    std::optional<unsigned> to_depth{};
    std::size_t from_turn = 0; ///< of the agent
    std::optional<std::size_t> to_turn{};
    std::size_t from_bytes = 0; ///< of the prompt (prompt_bytes)
    std::optional<std::size_t> to_bytes{};
    SharedFunction<bool(const LlmRequest& request)> when{}; ///< the host's own condition; called as FallbackModel::when

    [[nodiscard]] bool takes(const LlmRequest& request) const;
};

/// Texts, calls and results of the conversation, the system text too: some four times the tokens.
std::size_t prompt_bytes(const LlmRequest& request);

/// Asks the first model that takes the request. None: invalid_request.
Llm route(std::vector<RouteModel> models);

} // namespace ptc
