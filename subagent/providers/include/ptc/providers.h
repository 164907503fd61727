// Models of providers, over HTTP: OpenAI and all that speak its protocol (OpenRouter, Ollama, vLLM, llama.cpp, ..),
// Anthropic, Google Gemini. Not part of <ptc/ptc.h>: link ptc::providers, which loads libcurl when the first model is
// made.
//
//   auto llm = ptc::provider_llm({.provider = "anthropic", .model = "claude-opus-5-5"});   // key: ANTHROPIC_API_KEY
//   if (!llm.ok()) ..                                                                      // no key, a wrong address
//   ptc::Step step = agent->run(llm.value());
//
// Or by names that a file explains, with prices, so that AgentOptions::max_cost_usd holds:
//
//   auto catalog = ptc::ModelCatalog::from_json(text);
//   auto llm = catalog.value().llm("cheap");
//
// Requests are made once: missions repeat them by RetryPolicy, which learns from an error what can get better
// (LlmError::is_permanent) and when (LlmError::retry_after). No key is ever part of an error, a reply or a trace, also
// when a server sends it back: in its place is "[key]". Keys of less than 8 characters are words ("EMPTY", as servers
// without keys are given) and are not looked for. A tool call whose arguments are no JSON object does not fail the
// reply: it has a ToolCall::problem.
#pragma once
#include "ptc/llm.h"
#include "ptc/needs.h"
#include "ptc/shared_function.h"
#include "ptc/signature.h"

namespace ptc {

/// US dollars for a million tokens.
struct TokenPrices {
    double input = 0; ///< what neither came from a cache nor went into one
    double output = 0;
    std::optional<double> cache_read{};  ///< none: as `input`
    std::optional<double> cache_write{}; ///< none: as `input`
};

/// What a model costs. Prices change: `as_of` says when these were right.
struct ModelPrices {
    TokenPrices usual{};
    std::int64_t long_prompt = 0; ///< prompts of more tokens than these cost `above`; 0: all cost the same
    std::optional<TokenPrices> above{};
    std::string as_of{}; ///< a date, "2026-11-05"
    /// Of one call.
    [[nodiscard]] double cost_usd(const TokenUsage& usage) const;
};

/// What a model reads beside texts.
struct ModelInputs {
    bool images = false;
    bool files = false;
};

struct ProviderOptions {
    std::string provider = "openai"; ///< one of provider_names()
    std::string model{};             ///< as the provider calls it
    /// "" is the provider's own, or that of the environment (Provider::base_url_variable). http only to this machine,
    /// unless `allow_plain_http`; without user, query and fragment.
    std::string base_url{};
    std::string api_key{};      ///< "": from the environment
    std::string key_variable{}; ///< of the environment; "": the provider's (Provider::key_variables)
    std::optional<std::int64_t>
        max_tokens{}; ///< of a reply; none: 16,384 at Anthropic, which wants one, else the provider's
    std::optional<double> temperature{}; ///< none: the provider's
    /// A map: further members of the request's body, as the provider names them ("reasoning_effort", "output_config",
    /// ..). LlmRequest::options are the same for one agent, and win. Members that the client writes itself (messages,
    /// tools, stream, ..) are refused: LlmError invalid_request. "max_tokens" and "temperature" have the meaning of the
    /// fields above.
    Datum options{};
    /// None: TokenUsage::cost_usd is what the provider reports (OpenRouter does), else 0, so that
    /// AgentOptions::max_cost_usd binds nothing: hosts with such a budget make sure that there are prices here.
    std::optional<ModelPrices> prices{};
    /// A request with an image or a file that the model does not read is refused before it is sent: LlmError
    /// unsupported_input. None: not known, so that the provider refuses it, or does not. What a protocol cannot carry
    /// (media_types.def) is refused in any case.
    std::optional<ModelInputs> takes{};
    std::chrono::milliseconds timeout{600'000};        ///< of a call; LlmRequest::time_left may be shorter
    std::chrono::milliseconds connect_timeout{10'000}; ///< of that
    std::chrono::milliseconds idle_timeout{120'000};   ///< between two parts of a streamed reply
    std::size_t max_reply_bytes = 32u << 20;           ///< longer replies are an LlmError too_large
    std::string ca_file{};         ///< PEM certificates to trust instead of the system's; they are always verified
    bool allow_plain_http = false; ///< to other machines
};

/// A provider, as the table of them has it.
struct Provider {
    std::string_view name;
    std::string_view base_url;
    std::string_view base_url_variable;
    std::vector<std::string_view> key_variables; ///< the first that is set; empty: none is needed
};
std::vector<std::string_view> provider_names(); ///< "openai", "anthropic", "gemini", "openrouter", "ollama"
std::optional<Provider> find_provider(std::string_view name);

/// The value of a variable; none when it is not set.
using Environment = SharedFunction<std::optional<std::string>(const std::string& name)>;

/// A model. May be called on several threads at once; connections are kept for later calls, and closed with the last
/// copy. A call ends by its deadline, min(LlmRequest::time_left, ProviderOptions::timeout), whatever the server does;
/// streams when LlmRequest::on_text is given; follows no redirect; heeds the proxy variables of libcurl, but for this
/// machine.
///
/// LlmError::kind of what fails, `*` when it is permanent: rate_limit, overloaded, server_error, timeout, network,
/// tls*, bad_reply (what came is no reply, or no whole one), too_large*, authentication*, permission*, quota*,
/// model_not_found*, not_found*, invalid_request*, unsupported_input* (an image or a
/// file that it does not take; nothing was sent), context_length*, content_filter* (also a model's refusal), length*
/// (cut at max_tokens), conflict, cancelled.
///
/// invalid_request: an unknown provider, no model, no key, an address that is not allowed. `environment`: the process's
/// when empty; asked here, never later.
Result<Llm> provider_llm(ProviderOptions options, const Environment& environment = {});

/// Models by short names, with what they cost.
class ModelCatalog {
public:
    /// Aliases of well-known models, with the prices that their providers published (builtin_models.def has the
    /// sources).
    static const ModelCatalog& builtin();
    /// The built-in ones and those of a JSON object, which win:
    /// {"NAME": {"provider", "model", "base_url"?, "key_variable"?, "ca_file"?, "max_tokens"?, "temperature"?,
    /// "timeout_ms"?, "options"?: {..}, "takes"?: ["image", "file"],
    ///   "prices"?: {"input", "output", "cache_read"?, "cache_write"?, "long_prompt"?, "above"?: {..}, "as_of"?}}, ..}
    /// invalid_request names what is wrong; a key in the file is wrong.
    static Result<ModelCatalog> from_json(std::string_view json);

    /// What a SPEC means: "PROVIDER:MODEL", "model:NAME", or "NAME". The former has the prices and `takes` of entries
    /// with the same provider and model, or of which it is a release ("-2026-09-22", "-20260922", "-latest" follows).
    /// invalid_request for an unknown name, with the nearest one.
    [[nodiscard]] Result<ProviderOptions> find(std::string_view spec) const;
    [[nodiscard]] Result<Llm> llm(std::string_view spec, const Environment& environment = {}) const;
    /// True if `spec` means a model here, known or not: it begins with "model:" or a provider's name and a colon, or is
    /// a name of the catalogue.
    [[nodiscard]] bool is_spec(std::string_view spec) const;
    [[nodiscard]] std::vector<std::string> names() const; ///< sorted

private:
    std::map<std::string, ProviderOptions, std::less<>> models_;
};

/// Calls of models, any number at once, on one thread: for hosts that run missions step by step (ptc/mission.h). The
/// host names each call by a number of its own, as ids of needs differ within one mission only.
///
///   ptc::ProviderCalls calls;
///   for (ptc::LlmNeed& need : mission.take_needs().llm) calls.start(++last, std::move(need));    // whose `last` is
///   for (ptc::ProviderCalls::Done& done : calls.wait(1s)) ..                                      // Mission::answer
///
/// Belongs to one thread at a time, but for `wake`. A call begins after LlmNeed::delay, as the mission's RetryPolicy
/// wants it, has the deadlines of provider_llm, and ends with `cancelled` as soon as its request stops
/// (LlmRequest::stop, is_unwanted). Keeps connections for later calls. Models made of others (ptc/model_choice.h) are
/// carried like their parts. A model that provider_llm has not made is called in `wait`, on this thread, which waits
/// for it.
class ProviderCalls {
public:
    ProviderCalls();
    ~ProviderCalls(); ///< what is under way is aborted
    ProviderCalls(const ProviderCalls&) = delete;
    ProviderCalls& operator=(const ProviderCalls&) = delete;

    /// True if a call of the model waits for nothing on this thread.
    [[nodiscard]] static bool takes(const Llm& model);
    /// `id` is not under way yet. The mission may be destroyed, which cancels its calls.
    void start(std::uint64_t id, LlmNeed need);
    /// Aborts the call, and closes its connection: it is never done.
    void cancel(std::uint64_t id);
    struct Done {
        std::uint64_t id;
        LlmResult result;
    };
    /// Waits until calls are done, `wake` is called, or the time is over; at once when none is under way. Texts of
    /// replies are shown (LlmRequest::on_text) in here.
    [[nodiscard]] std::vector<Done> wait(std::chrono::milliseconds timeout);
    void wake();                            ///< from any thread: `wait` returns, the next one if there is none
    [[nodiscard]] std::size_t size() const; ///< calls that are under way

    /// For a loop of the host's own, which looks at this instead of calling `wait` with a timeout: the descriptor can
    /// be read when `wait(0ms)` has something to do, and so it has at `due` (none: never). Not to be read or closed.
    [[nodiscard]] int descriptor() const;
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
