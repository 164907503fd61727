#include "subagent/providers/provider_exchange.h"
#include "frontend/work.h"
#include "runtime/clock.h"
#include <algorithm>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

/// The path, of which the base URL may have the version already: "/v1" is often written there, and others have
/// "/v1beta".
std::string url_of(const ProviderClient& client, const ProviderCall& call) {
    std::string path = client.row->wire->path(call);
    const bool has_version = client.base_url.ends_with("/v1") || client.base_url.ends_with("/v1beta");
    if (has_version && path.starts_with("/v1/")) path.erase(0, 3);
    return client.base_url + path;
}

/// Of times that hosts give: as long as libcurl can wait, and sums of which do not overflow.
constexpr std::chrono::milliseconds kLongestWait = std::chrono::hours(24 * 20);
std::chrono::milliseconds bounded(std::chrono::milliseconds wait) {
    return std::clamp(wait, std::chrono::milliseconds(0), kLongestWait);
}

HttpPost http_request(const ProviderClient& client, const ProviderCall& call, std::string body,
                      Clock::time_point deadline) {
    HttpPost http;
    http.url = url_of(client, call);
    http.headers = client.row->wire->headers(call, client.key);
    http.headers.emplace_back("Content-Type", "application/json");
    http.headers.emplace_back("Accept", call.is_stream ? "text/event-stream" : "application/json");
    http.body = std::move(body);
    http.deadline = deadline;
    http.connect_timeout = bounded(client.options.connect_timeout);
    if (call.is_stream) http.idle_timeout = bounded(client.options.idle_timeout);
    http.ca_file = client.options.ca_file;
    http.is_direct = client.is_direct;
    http.stop = call.request.stop;
    http.is_unwanted = call.request.is_unwanted;
    return http;
}

} // namespace

ProviderExchange::ProviderExchange(const ProviderClient& client, const LlmRequest& request)
    : client_(client), names_(request), call_{client.options, request, names_, request.on_text || request.on_delta},
      arrival_(*client.row->wire, call_, client.key),
      deadline_(Clock::now() + bounded(std::min(request.time_left.value_or(kLongestWait), client.options.timeout))) {}

std::variant<HttpPost, LlmError> ProviderExchange::post() {
    if (std::optional<LlmError> refused = why_no_attachments(call_, *client_.row->wire))
        return cleaned(std::move(*refused), client_.key);
    Result<std::string> body = client_.row->wire->body(call_);
    if (!body.ok()) return cleaned(provider_error(ProviderFault::InvalidRequest, body.error().message), client_.key);
    return http_request(client_, call_, std::move(body).value(), deadline_);
}

bool ProviderExchange::take(const HttpHead& head, std::string_view bytes) {
    const work::Scope reading(work_until(deadline_));
    return arrival_.take(head, bytes);
}

LlmResult ProviderExchange::finish(const HttpOutcome& outcome) {
    const work::Scope reading(work_until(deadline_));
    return accounted(arrival_.finish(outcome, std::chrono::system_clock::now()));
}

LlmResult ProviderExchange::accounted(LlmResult result) const {
    if (auto* reply = std::get_if<LlmReply>(&result))
        reply->model = client_.options.provider + ":" + client_.options.model;
    if (!client_.options.prices) return result;
    TokenUsage& usage =
        std::holds_alternative<LlmError>(result) ? std::get<LlmError>(result).usage : std::get<LlmReply>(result).usage;
    usage.cost_usd = client_.options.prices->cost_usd(usage);
    return result;
}

LlmResult ProviderModel::operator()(const LlmRequest& request) const {
    ProviderExchange exchange(*client, request);
    std::variant<HttpPost, LlmError> post = exchange.post();
    if (auto* error = std::get_if<LlmError>(&post)) return std::move(*error);
    return exchange.finish(
        client->http.post(std::get<HttpPost>(std::move(post)),
                          [&](const HttpHead& head, auto bytes) { return exchange.take(head, bytes); }));
}

} // namespace ptc
