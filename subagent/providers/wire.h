// What the protocols of providers have in common. Each is one file: a request becomes a body, a reply or its events a
// LlmReply; neither knows the network.
#pragma once
#include "ptc/providers.h"
#include "subagent/providers/provider_errors.h"
#include "subagent/providers/sse.h"
#include "subagent/providers/tool_names.h"
#include <functional>
#include <memory>

namespace ptc {

/// One call of a model.
struct ProviderCall {
    const ProviderOptions& options;
    const LlmRequest& request;
    const ToolNames& names;
    bool is_stream = false;
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// What is shown of a reply while it arrives: pieces that are not empty. Shows nothing when `show` is empty.
struct ReplySink {
    std::function<void(LlmDelta delta)> show{};
    void text(std::string_view piece) const { tell({.text = piece}); }
    void reasoning(std::string_view piece) const { tell({.kind = LlmDelta::Kind::Reasoning, .text = piece}); }
    void arguments(std::size_t call, std::string_view tool, std::string_view piece) const {
        tell({.kind = LlmDelta::Kind::ToolArguments, .text = piece, .call = call, .tool = tool});
    }

private:
    void tell(const LlmDelta& delta) const {
        if (show && !delta.text.empty()) show(delta);
    }
};

/// Reads one reply, whole or event by event. What it gets is untrusted: any JSON, any events, in any order.
class ReplyReader {
public:
    virtual ~ReplyReader() = default;
    /// The body of a reply that is not streamed. An error ends the call.
    virtual std::optional<LlmError> read_whole(const Datum& body) = 0;
    /// The data of an event of a stream. `sink` gets what can be shown of it.
    virtual std::optional<LlmError> read_event(const Datum& data, const ReplySink& sink) = 0;
    /// The reply is complete, though its usage may follow; a stream that ends before was cut off.
    [[nodiscard]] virtual bool is_done() const = 0;
    /// Nothing follows at all.
    [[nodiscard]] virtual bool is_over() const { return false; }
    virtual LlmResult finish() = 0;
};

/// A row of media_types.def: which protocols take the type.
struct MediaRow {
    std::string_view type;
    bool openai;
    bool anthropic;
    bool gemini;
};

/// A protocol.
struct WireFormat {
    /// What follows the base URL.
    std::string (*path)(const ProviderCall& call);
    /// Of a call whose body was made, which checks the options in them.
    HttpHeaders (*headers)(const ProviderCall& call, const std::string& key);
    /// invalid_request: an option that the client writes itself.
    Result<std::string> (*body)(const ProviderCall& call);
    std::unique_ptr<ReplyReader> (*reader)(const ProviderCall& call);
    bool MediaRow::*takes; ///< its column of media_types.def
    bool has_file_urls;    ///< files may be at an address, as images may
};
extern const WireFormat kOpenAiWire;
extern const WireFormat kAnthropicWire;
extern const WireFormat kGeminiWire;

/// A provider's row (provider_table.cpp).
struct ProviderRow {
    std::string_view name;
    const WireFormat* wire;
    std::string_view base_url;
    std::string_view base_url_variable;
    std::string_view key_variables[2]; ///< "" where there is none
    bool is_openai = false;            ///< OpenAI itself, which renamed an option that the others have kept
};
const ProviderRow* find_provider_row(std::string_view name);

/// Why an image or a file of the request cannot go to this model by this protocol; none if all can.
std::optional<LlmError> why_no_attachments(const ProviderCall& call, const WireFormat& wire);

// ---- Parts of protocols.

/// "data:image/png;base64,.."
std::string data_url(const Attachment& attachment);
/// One that is read as a text: text/.. and application/json.
bool is_text_file(const Attachment& attachment);

/// ProviderOptions::options and LlmRequest::options as one map; each member is taken once.
class CallOptions {
public:
    explicit CallOptions(const ProviderCall& call);
    /// The member, which is then written no more; null when it is not given.
    const Datum* take(std::string_view name);
    /// The number that is given as "max_tokens", or in ProviderOptions; null when neither is.
    Datum take_max_tokens(const ProviderCall& call);
    Datum take_temperature(const ProviderCall& call);
    /// The host's own members win over what LlmRequest::effort and tool_choice would become.
    [[nodiscard]] bool has(std::string_view name) const;
    /// What is left, as `,"name":value` each. invalid_request if one of them is among `own`.
    Result<std::string> rest(std::initializer_list<std::string_view> own) const;

private:
    Datum::Map members_;
    std::vector<std::unique_ptr<Datum>> taken_;
};

/// LlmRequest::effort in the words of each protocol (request_words.def).
struct EffortWords {
    std::string_view openai;    ///< reasoning_effort
    std::string_view anthropic; ///< output_config.effort; "": `thinking` is disabled
    std::string_view gemini;    ///< generationConfig.thinkingConfig.thinkingLevel
};
const EffortWords& words_of(ReasoningEffort effort);
/// LlmRequest::tool_choice in the words of each protocol; a chosen tool is named beside them.
struct ChoiceWords {
    std::string_view openai;    ///< tool_choice
    std::string_view anthropic; ///< tool_choice.type
    std::string_view gemini;    ///< toolConfig.functionCallingConfig.mode
};
const ChoiceWords& words_of(ToolChoice::Mode mode);
/// True if there is a choice to be sent. invalid_request: a tool is chosen that the request has not.
Result<bool> has_tool_choice(const ProviderCall& call);

/// What a provider asks of a schema that it is to enforce.
struct SchemaRules {
    bool needs_all_required = false;       ///< each property must be required
    std::string_view unsupported[16] = {}; ///< keywords that the provider refuses
};
/// True if all its objects are closed, and it keeps the rules.
bool is_strict_schema(std::string_view schema_json, const SchemaRules& rules);
/// For providers that take no schema, or not this one: what the system text says instead.
std::string schema_instruction(std::string_view schema_json);

/// A call, whose arguments came as a text: ToolCall::problem when that is no JSON object; "" is an empty one.
ToolCall read_call(std::string id, std::string name, const std::string& arguments);
/// Why a reply that was read to its end is none: `error`, or that it is empty. With what it has used.
std::optional<LlmError> problem_of(const LlmReply& reply, std::optional<LlmError> error);
/// More calls or parts than a reply may have; it is not cut, for half of a reply looks like all of it.
LlmError too_many_parts();

/// Of a JSON object: the integer at `name`, 0 when there is none or it is negative.
std::int64_t count_at(const Datum& object, std::string_view name);
/// The text at `name`, "" when there is none.
std::string text_at(const Datum& object, std::string_view name);
/// `object` with `value` at `name`.
Datum with_member(const Datum& object, std::string_view name, Datum value);
/// An id for a call that came without: the same for the same place in the conversation.
std::string made_up_id(const LlmRequest& request, std::size_t index);
bool is_made_up_id(std::string_view id);

/// LlmReply::provider_state: what provider and model want back, and what it is.
std::string pack_state(const ProviderOptions& options, const Datum& content);
/// It again; none when it is another provider's or model's, or nothing of ours.
std::optional<Datum> unpack_state(const ProviderOptions& options, const std::string& state);

constexpr std::size_t kMaxCalls = 1000; ///< of one reply

} // namespace ptc
