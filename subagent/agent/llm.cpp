#include "ptc/llm.h"
#include <algorithm>

namespace ptc {

std::string_view role_name(Message::Role role) {
    switch (role) {
    case Message::Role::User: return "user";
    case Message::Role::Assistant: return "assistant";
    case Message::Role::Tool: return "tool";
    }
    return "user";
}

TokenUsage& TokenUsage::operator+=(const TokenUsage& other) {
    input += other.input;
    output += other.output;
    cache_read += other.cache_read;
    cache_creation += other.cache_creation;
    cost_usd += other.cost_usd;
    return *this;
}

std::string LlmError::kind_name() const {
    if (!kind.empty()) return kind;
    if (http_status == 429) return "rate_limit";
    if (http_status == 408 || http_status == 504) return "timeout";
    if (http_status >= 500) return "server_error";
    if (http_status >= 400) return "client_error";
    return "error";
}

bool RetryPolicy::allows(const LlmError& error, unsigned attempt) const {
    if (attempt >= max_attempts || error.retry_after > longest_wait) return false;
    if (!retryable_errors) return !error.is_permanent;
    return std::ranges::find(*retryable_errors, error.kind_name()) != retryable_errors->end();
}

std::chrono::milliseconds RetryPolicy::delay(unsigned attempt, const LlmError& error, double random) const {
    double factor = 1;
    if (backoff == Backoff::Linear) factor = attempt;
    if (backoff == Backoff::Exponential) factor = static_cast<double>(std::uint64_t{1} << std::min(attempt - 1, 40u));
    const double full =
        std::min(static_cast<double>(base_delay.count()) * factor, static_cast<double>(max_delay.count()));
    const double chosen = jitter ? full * (0.5 + 0.5 * std::clamp(random, 0.0, 1.0)) : full;
    const std::chrono::milliseconds ours(static_cast<std::int64_t>(chosen));
    return error.retry_after ? std::max(ours, *error.retry_after) : ours;
}

std::optional<RetryPolicy::Backoff> backoff_named(std::string_view name) {
    if (name == "exponential") return RetryPolicy::Backoff::Exponential;
    if (name == "linear") return RetryPolicy::Backoff::Linear;
    if (name == "constant") return RetryPolicy::Backoff::Constant;
    return std::nullopt;
}

} // namespace ptc
