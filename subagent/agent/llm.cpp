#include "ptc/llm.h"
#include <algorithm>
#include <iterator>

namespace ptc {

ModelRef::ModelRef() = default;
ModelRef::ModelRef(Llm callback) : call(std::move(callback)) {}
ModelRef::ModelRef(std::string registered) : name(std::move(registered)) {}
ModelRef::ModelRef(const char* registered) : name(registered) {}
bool ModelRef::is_given() const { return call != nullptr || !name.empty(); }

namespace {

constexpr std::string_view kEfforts[] = {"none", "minimal", "low", "medium", "high", "max"};
constexpr std::string_view kChoices[] = {"auto", "none", "required", "tool"};
constexpr std::string_view kDeltas[] = {"text", "reasoning", "tool_arguments", "restart"};
constexpr std::string_view kToolPrefix = "tool:";

} // namespace

std::optional<ReasoningEffort> reasoning_effort_named(std::string_view name) {
    const auto* found = std::ranges::find(kEfforts, name);
    if (found == std::end(kEfforts)) return std::nullopt;
    return static_cast<ReasoningEffort>(found - std::begin(kEfforts));
}

std::string_view reasoning_effort_name(ReasoningEffort effort) { return kEfforts[static_cast<std::size_t>(effort)]; }

std::optional<ToolChoice> tool_choice_named(std::string_view text) {
    if (text.starts_with(kToolPrefix) && text.size() > kToolPrefix.size())
        return ToolChoice{ToolChoice::Mode::Tool, std::string(text.substr(kToolPrefix.size()))};
    const auto* found = std::ranges::find(kChoices, text);
    if (found == std::end(kChoices) || *found == "tool") return std::nullopt;
    return ToolChoice{static_cast<ToolChoice::Mode>(found - std::begin(kChoices)), {}};
}

std::string tool_choice_name(const ToolChoice& choice) {
    if (choice.mode == ToolChoice::Mode::Tool) return std::string(kToolPrefix) + choice.tool;
    return std::string(kChoices[static_cast<std::size_t>(choice.mode)]);
}

std::string_view delta_name(LlmDelta::Kind kind) { return kDeltas[static_cast<std::size_t>(kind)]; }

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
