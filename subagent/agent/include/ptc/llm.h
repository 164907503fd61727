// Models, as missions call them: a function from a request to a reply. No provider is known here: a host may give a
// callback of its own, and those for providers are made in ptc/providers.h. What failed is a value with a kind, which
// the retry policy goes by.
#pragma once
#include "ptc/attachment.h"
#include "ptc/shared_function.h"
#include "ptc/tool_call.h"
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ptc {

struct Message {
    enum class Role : std::uint8_t { User, Assistant, Tool };
    Role role = Role::User;
    std::string content{};
    std::vector<ToolCall> tool_calls{}; ///< of an assistant
    std::string tool_call_id{};         ///< of a tool: which call this answers
    bool is_error = false;              ///< of a tool: the call failed, `content` says why
    std::string provider_state{};       ///< of an assistant: LlmReply::provider_state
    /// Images and files, read in front of `content`; of a tool, behind it. Assistants have none.
    std::vector<Attachment> attachments{};
    friend bool operator==(const Message&, const Message&) = default;
};
std::string_view role_name(Message::Role role); ///< "user", "assistant", "tool"

/// Text of a reply as it arrives. Only on the thread of the call.
using TextSink = SharedFunction<void(std::string_view delta)>;

/// How long a model is to reason before it answers; each provider has words of its own for it.
enum class ReasoningEffort : std::uint8_t { None, Minimal, Low, Medium, High, Max };
std::optional<ReasoningEffort> reasoning_effort_named(std::string_view name); ///< "none", "minimal", .. "max"
std::string_view reasoning_effort_name(ReasoningEffort effort);

/// Whether a model calls tools.
struct ToolChoice {
    enum class Mode : std::uint8_t { Auto, None, Required, Tool };
    Mode mode = Mode::Auto;
    std::string tool{}; ///< of Tool: the one to call
    friend bool operator==(const ToolChoice&, const ToolChoice&) = default;
};
std::optional<ToolChoice> tool_choice_named(std::string_view text); ///< "auto", "none", "required", "tool:NAME"
std::string tool_choice_name(const ToolChoice& choice);

/// A piece of a reply, as it arrives.
struct LlmDelta {
    enum class Kind : std::uint8_t {
        Text,
        Reasoning,
        ToolArguments, ///< JSON, in pieces that end anywhere
        Restart,       ///< what was shown of this reply is void: it begins again, with another model
    };
    Kind kind = Kind::Text;
    std::string_view text{};
    std::size_t call = 0;    ///< of ToolArguments: which of the reply's calls, from 0
    std::string_view tool{}; ///< of ToolArguments: what it calls
};
std::string_view delta_name(LlmDelta::Kind kind); ///< "text", "reasoning", "tool_arguments", "restart"
/// Only on the thread of the call.
using DeltaSink = SharedFunction<void(const LlmDelta& delta)>;

struct LlmRequest {
    std::string system{};
    std::size_t shared_system = 0; ///< bytes of `system` from its start that all missions of the agent have
    std::vector<Message> messages{};
    std::string prompt{};      ///< of them, the text that began the mission: its prompt, or a chat's message
    bool is_continued = false; ///< goes on from an earlier request, or later ones may from it: worth caching
    std::size_t turn = 0;      ///< of this agent, from 1
    unsigned attempt = 1;      ///< of this turn: retries send the same request again
    std::string agent{};       ///< the name of the agent that asks
    unsigned depth = 0;        ///< 0 for the root of the mission
    std::vector<ToolSchema> tools{};
    std::string schema_json{};                            ///< what the text must be, as JSON Schema; "" for any text
    std::optional<std::chrono::milliseconds> time_left{}; ///< a reply that takes longer comes too late
    Datum options{};                                      ///< AgentOptions::llm_options, handed on as they are
    std::string key{};                                    ///< of the call: the same when it is made again after a crash
    std::optional<ReasoningEffort> effort{};              ///< none: the model's own
    ToolChoice tool_choice{};
    TextSink on_text{};   ///< may be empty; a callback that cannot stream ignores it
    DeltaSink on_delta{}; ///< as on_text, of all that arrives
    /// Stops when the mission is interrupted or gone, so that nobody waits for the reply any more: the call should end
    /// at once, with any error.
    std::stop_token stop{};
    /// True when nobody waits for the reply any more: a call should end soon then, with any error. May be empty; asked
    /// on the thread of the call.
    SharedFunction<bool()> is_unwanted{};
};

/// Whatever a provider calls them: `input` is the whole prompt, also what came from a cache or went into one; `output`
/// is all that the model wrote, its reasoning too.
struct TokenUsage {
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::int64_t cache_read = 0;     ///< of `input`: read from the provider's cache
    std::int64_t cache_creation = 0; ///< of `input`: written to it
    double cost_usd = 0;
    [[nodiscard]] std::int64_t total() const { return input + output; }
    TokenUsage& operator+=(const TokenUsage& other);
};

/// A model that failed before another one answered (ptc/model_choice.h).
struct ModelFailure {
    std::string model{};
    std::string kind{}; ///< LlmError::kind_name
    std::string message{};
    TokenUsage usage{}; ///< what it used up all the same; not in LlmReply::usage
};

struct LlmReply {
    std::string text{};
    std::vector<ToolCall> tool_calls{};
    TokenUsage usage{};
    /// What the provider wants to get back with this message in later requests, such as signed reasoning: text that
    /// only the callback understands. Missions keep it and show it to nobody.
    std::string provider_state{};
    std::string reasoning{}; ///< what the model shows of it; no part of `text`, and never sent back as text
    std::string model{};     ///< which model answered, as "PROVIDER:MODEL" or by its name in a fallback or route
    std::vector<ModelFailure> failures{};
};

/// Why there is no reply. Exceptions of a callback become one of the kind "exception".
struct LlmError {
    std::string kind{}; ///< "timeout", "rate_limit", ..; "" takes the kind of the HTTP status
    std::string message{};
    int http_status = 0;
    std::optional<std::chrono::milliseconds> retry_after{}; ///< the provider's wish
    bool is_permanent = false; ///< the same request cannot succeed: a wrong key, a prompt that is too long
    TokenUsage usage{};        ///< what was used up all the same, by a reply that was cut or refused

    /// `kind`, else of the status: "rate_limit" (429), "timeout" (408, 504), "server_error", "client_error"; else
    /// "error".
    [[nodiscard]] std::string kind_name() const;
};

using LlmResult = std::variant<LlmReply, LlmError>;
/// Called on the thread that runs the mission; when agents run in parallel, on threads of the agent, several at once.
/// One that has loops (ptc/model_loop.h), as models of providers have, is not called but started, without a thread.
using Llm = SharedFunction<LlmResult(const LlmRequest&)>;
using ModelRegistry = std::map<std::string, Llm, std::less<>>;

/// A model: a callback, or a name to be looked up in the registry of the mission. Neither: the caller's.
struct ModelRef {
    std::string name{};
    Llm call{};
    ModelRef();
    ModelRef(Llm callback);
    template <class F>
    requires(std::is_convertible_v<F, Llm> && !std::is_same_v<std::remove_cvref_t<F>, Llm>) ModelRef(F&& callback)
        : ModelRef(Llm(std::forward<F>(callback))) {}
    ModelRef(std::string registered);
    ModelRef(const char* registered);
    [[nodiscard]] bool is_given() const;
};

/// How calls that fail are repeated (requirements 149 to 151).
struct RetryPolicy {
    enum class Backoff : std::uint8_t { Exponential, Linear, Constant };
    unsigned max_attempts = 3; ///< the first one included
    Backoff backoff = Backoff::Exponential;
    std::chrono::milliseconds base_delay{500};
    std::chrono::milliseconds max_delay{30'000};
    /// LlmError::retry_after is waited for in full; a provider that wants more than this is not called again.
    std::chrono::milliseconds longest_wait{600'000};
    bool jitter = true;                                         ///< waits between half of the delay and all of it
    std::optional<std::vector<std::string>> retryable_errors{}; ///< LlmError::kind_name; none: all but permanent ones

    [[nodiscard]] bool allows(const LlmError& error, unsigned attempt) const;
    /// Before attempt number `attempt` + 1. `random` is from 0 to 1.
    [[nodiscard]] std::chrono::milliseconds delay(unsigned attempt, const LlmError& error, double random) const;
};
std::optional<RetryPolicy::Backoff> backoff_named(std::string_view name); ///< "exponential", "linear", "constant"

} // namespace ptc
