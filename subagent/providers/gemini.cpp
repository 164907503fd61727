// Google's generateContent: a WireFormat (wire.h), the request from an LlmRequest and the reply from events or a whole
// body, which look alike. The path names the model. Calls may come without ids: made-up ones serve missions and are
// never sent back. Parts with signatures of thoughts are kept as they came (provider_state), as later requests need
// them.
#include "frontend/base64.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "subagent/providers/wire.h"
#include <algorithm>

namespace ptc {
namespace {

/// Instead of a signature that is not there: a conversation that another model began (Google's documentation of thought
/// signatures). Models before 3 know no signatures of calls.
constexpr std::string_view kNoSignature = "skip_thought_signature_validator";

std::string path(const ProviderCall& call) {
    const std::string& given = call.options.model;
    const std::string model = given.find('/') == std::string::npos ? "models/" + given : given;
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string out = "/v1/";
    for (const char c : model) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              std::string_view("-_./").find(c) != std::string_view::npos;
        if (is_plain)
            out += c;
        else
            (out += '%') += {kHex[byte >> 4], kHex[byte & 15]};
    }
    return out + (call.is_stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

HttpHeaders headers(const ProviderCall&, const std::string& key) {
    if (key.empty()) return {};
    return {{"x-goog-api-key", key}};
}

// ---- The request

std::string text_part(std::string_view text) { return JsonObject().text("text", text).finish(); }

bool wants_signatures(const std::string& model) {
    constexpr std::string_view kFamily = "gemini-";
    const std::size_t at = model.find(kFamily);
    const char version =
        at == std::string::npos || at + kFamily.size() >= model.size() ? '0' : model[at + kFamily.size()];
    return version >= '3' && version <= '9';
}

std::string call_part(const ToolCall& call, bool is_signed, const ToolNames& names) {
    JsonObject function;
    if (!is_made_up_id(call.id)) function.text("id", call.id);
    function.text("name", names.sent(call.name)).raw("args", call.arguments.to_json());
    JsonObject out;
    out.raw("functionCall", function.finish());
    if (is_signed) out.text("thoughtSignature", kNoSignature);
    return out.finish();
}

/// The name of the tool that call `id` of an earlier message called.
std::string name_of_call(const LlmRequest& request, const std::string& id) {
    for (const Message& message : request.messages)
        for (const ToolCall& call : message.tool_calls)
            if (call.id == id) return call.name;
    return "unknown";
}

std::string attachment_part(const Attachment& one) {
    JsonObject data;
    if (!one.media_type.empty()) data.text("mimeType", one.media_type);
    if (!one.bytes) return JsonObject().raw("fileData", data.text("fileUri", one.url).finish()).finish();
    return JsonObject().raw("inlineData", data.text("data", base64(*one.bytes)).finish()).finish();
}

/// Models before 3 read no images within results: those stand behind the result.
bool has_parts_in_results(const std::string& model) { return wants_signatures(model); }

/// Results are objects with the text of one of two members; what stands at an address is never within one.
void add_result(const Message& message, const ProviderCall& call, std::vector<std::string>& parts) {
    std::vector<std::string> within;
    std::vector<std::string> behind;
    for (const Attachment& one : message.attachments) {
        const bool is_within = one.bytes && has_parts_in_results(call.options.model);
        (is_within ? within : behind).push_back(attachment_part(one));
    }
    JsonObject function;
    if (!is_made_up_id(message.tool_call_id)) function.text("id", message.tool_call_id);
    function.text("name", call.names.sent(name_of_call(call.request, message.tool_call_id)))
        .raw("response", JsonObject().text(message.is_error ? "error" : "output", message.content).finish());
    if (!within.empty()) function.raw("parts", json_array(within, [](const std::string& part) { return part; }));
    parts.push_back(JsonObject().raw("functionResponse", function.finish()).finish());
    parts.insert(parts.end(), behind.begin(), behind.end());
}

/// What the model wrote, as it came, but for ids of calls: those are the message's, which the results have.
void add_state(const Datum::List& state, const std::vector<ToolCall>& calls, std::vector<std::string>& parts) {
    std::size_t next = 0;
    for (Datum part : state) {
        const Datum* function = part.find("functionCall");
        if (function && function->map() && next < calls.size()) {
            const std::string& id = calls[next++].id;
            Datum named = is_made_up_id(id) ? *function : with_member(*function, "id", Datum(id));
            const Datum* arguments = named.find("args");
            if (arguments && !arguments->map()) named = with_member(named, "args", Datum(Datum::Map()));
            part = with_member(part, "functionCall", std::move(named));
        }
        parts.push_back(part.to_json());
    }
}

void add_parts(const Message& message, const ProviderCall& call, std::vector<std::string>& parts) {
    if (message.role == Message::Role::Tool) return add_result(message, call, parts);
    if (const auto state = unpack_state(call.options, message.provider_state)) {
        return add_state(*state->list(), message.tool_calls, parts);
    }
    for (const Attachment& one : message.attachments)
        parts.push_back(attachment_part(one));
    if (!message.content.empty()) parts.push_back(text_part(message.content));
    bool is_first = true; // only the first call of a reply is signed
    for (const ToolCall& made : message.tool_calls)
        parts.push_back(
            call_part(made, std::exchange(is_first, false) && wants_signatures(call.options.model), call.names));
}

struct Content {
    std::string_view role;
    std::vector<std::string> parts;
};

std::string contents_json(const ProviderCall& call) {
    std::vector<Content> contents;
    for (const Message& message : call.request.messages) {
        std::vector<std::string> parts;
        add_parts(message, call, parts);
        if (parts.empty()) continue;
        const std::string_view role = message.role == Message::Role::Assistant ? "model" : "user";
        if (contents.empty() || contents.back().role != role) contents.push_back({role, {}});
        contents.back().parts.insert(contents.back().parts.end(), parts.begin(), parts.end());
    }
    const auto same = [](const std::string& part) { return part; };
    return json_array(contents, [&](const Content& content) {
        return JsonObject().raw("parts", json_array(content.parts, same)).text("role", content.role).finish();
    });
}

std::string tools_json(const ProviderCall& call) {
    const std::string functions = json_array(call.request.tools, [&](const ToolSchema& tool) {
        JsonObject out;
        out.text("name", call.names.sent(tool.name));
        if (!tool.description.empty()) out.text("description", tool.description);
        if (!tool.input_schema_json.empty()) out.raw("parametersJsonSchema", tool.input_schema_json);
        return out.finish();
    });
    return "[" + JsonObject().raw("functionDeclarations", functions).finish() + "]";
}

/// `generationConfig`: the host's members, and ours over them.
std::string generation_config(CallOptions& options, const ProviderCall& call, bool is_enforced) {
    std::vector<std::pair<std::string, std::string>> members;
    const auto set = [&members](const std::string& name, std::string json) {
        std::erase_if(members, [&](const auto& member) { return member.first == name; });
        members.emplace_back(name, std::move(json));
    };
    if (const Datum* given = options.take("generationConfig"); given && given->map()) {
        for (const auto& [key, value] : *given->map())
            if (key.text()) set(*key.text(), value.to_json());
    }
    if (const Datum most = options.take_max_tokens(call); !most.is_nil()) set("maxOutputTokens", most.to_json());
    if (const Datum heat = options.take_temperature(call); !heat.is_nil()) set("temperature", heat.to_json());
    if (const auto effort = call.request.effort) {
        const bool is_given = std::ranges::any_of(members, [](const auto& m) { return m.first == "thinkingConfig"; });
        JsonObject config;
        if (*effort != ReasoningEffort::None) config.boolean("includeThoughts", true);
        config.text("thinkingLevel", words_of(*effort).gemini);
        if (!is_given) set("thinkingConfig", config.finish());
    }
    if (is_enforced) {
        set("responseMimeType", R"("application/json")");
        set("responseJsonSchema", call.request.schema_json);
    }
    if (members.empty()) return {};
    JsonObject out;
    for (const auto& [name, json] : members)
        out.raw(name, json);
    return out.finish();
}

std::string tool_config(const ProviderCall& call) {
    const ToolChoice& choice = call.request.tool_choice;
    JsonObject config;
    config.text("mode", words_of(choice.mode).gemini);
    if (choice.mode == ToolChoice::Mode::Tool)
        config.raw("allowedFunctionNames", "[" + json_string(call.names.sent(choice.tool)) + "]");
    return JsonObject().raw("functionCallingConfig", config.finish()).finish();
}

Result<std::string> body(const ProviderCall& call) {
    CallOptions options(call);
    const LlmRequest& request = call.request;
    // Models before 3 refuse an enforced schema beside tools.
    const bool is_enforced = !request.schema_json.empty() && request.tools.empty();
    std::string system = request.system;
    if (!request.schema_json.empty() && !is_enforced)
        system += (system.empty() ? "" : "\n\n") + schema_instruction(request.schema_json);
    JsonObject out;
    if (!system.empty())
        out.raw("systemInstruction",
                JsonObject().raw("parts", "[" + text_part(system) + "]").text("role", "user").finish());
    if (!request.tools.empty()) out.raw("tools", tools_json(call));
    out.raw("contents", contents_json(call));
    if (const std::string config = generation_config(options, call, is_enforced); !config.empty())
        out.raw("generationConfig", config);
    if (!options.has("toolConfig") && PTC_TRY(has_tool_choice(call))) out.raw("toolConfig", tool_config(call));
    out.more(PTC_TRY(options.rest({"contents", "systemInstruction", "tools", "model"})));
    return out.finish();
}

// ---- The reply

/// Why a reply ended; every other reason than these is a bad reply.
struct FinishReason {
    std::string_view name;
    ProviderFault fault;
};
constexpr FinishReason kRefusals[] = {
    {"MAX_TOKENS", ProviderFault::Length},        {"SAFETY", ProviderFault::ContentFilter},
    {"RECITATION", ProviderFault::ContentFilter}, {"LANGUAGE", ProviderFault::ContentFilter},
    {"BLOCKLIST", ProviderFault::ContentFilter},  {"PROHIBITED_CONTENT", ProviderFault::ContentFilter},
    {"SPII", ProviderFault::ContentFilter},
};

/// A part of the reply: as it came, or plain text, which may come in many pieces.
struct Part {
    Datum given;
    std::string text;
};

class GeminiReader final : public ReplyReader {
public:
    explicit GeminiReader(const ProviderCall& call) : call_(call) {}
    std::optional<LlmError> read_whole(const Datum& body) override { return read_event(body, {}); }
    std::optional<LlmError> read_event(const Datum& data, const ReplySink& sink) override;
    [[nodiscard]] bool is_done() const override { return !finish_reason_.empty(); }
    LlmResult finish() override;

private:
    void read_usage(const Datum* usage);
    std::optional<LlmError> stop_error() const;
    std::optional<LlmError> read_part(const Datum& part, const ReplySink& sink);
    std::optional<LlmError> add_call(const Datum& function);
    std::string state();

    const ProviderCall& call_;
    LlmReply reply_;
    std::vector<Part> parts_;
    std::string finish_reason_;
    std::string finish_message_;
    bool has_signature_ = false;
    std::size_t calls_ = 0; ///< that were shown
};

std::optional<LlmError> GeminiReader::read_event(const Datum& data, const ReplySink& sink) {
    if (auto error = error_in(data)) return error;
    read_usage(data.find("usageMetadata"));
    if (const Datum* feedback = data.find("promptFeedback")) {
        if (const std::string why = text_at(*feedback, "blockReason"); !why.empty())
            return provider_error(ProviderFault::ContentFilter, "The prompt was blocked: " + why + ".");
    }
    const Datum* candidates = data.find("candidates");
    if (!candidates || !candidates->list() || candidates->list()->empty()) return std::nullopt;
    const Datum& candidate = candidates->list()->front();
    const Datum* content = candidate.find("content");
    const Datum* parts = content ? content->find("parts") : nullptr;
    if (parts && parts->list())
        for (const Datum& part : *parts->list())
            if (auto error = read_part(part, sink)) return error;
    if (std::string reason = text_at(candidate, "finishReason"); !reason.empty()) finish_reason_ = std::move(reason);
    if (std::string why = text_at(candidate, "finishMessage"); !why.empty()) finish_message_ = std::move(why);
    return std::nullopt;
}

void GeminiReader::read_usage(const Datum* usage) {
    if (!usage) return;
    reply_.usage.input = count_at(*usage, "promptTokenCount") + count_at(*usage, "toolUsePromptTokenCount");
    reply_.usage.output = count_at(*usage, "candidatesTokenCount") + count_at(*usage, "thoughtsTokenCount");
    reply_.usage.cache_read = count_at(*usage, "cachedContentTokenCount");
}

std::optional<LlmError> GeminiReader::read_part(const Datum& part, const ReplySink& sink) {
    if (!part.map()) return std::nullopt;
    if (parts_.size() >= 100 * kMaxCalls) return too_many_parts();
    const Datum* thought = part.find("thought");
    const std::string text = text_at(part, "text");
    const bool is_signed = part.find("thoughtSignature") != nullptr;
    has_signature_ = has_signature_ || is_signed;
    const bool is_plain = part.map()->size() == 1 && part.find("text");
    if (!(thought && *thought == Datum(true))) {
        reply_.text += text;
        sink.text(text);
    } else {
        reply_.reasoning += text;
        sink.reasoning(text);
    }
    if (const Datum* function = part.find("functionCall"); function && calls_ < kMaxCalls) {
        const Datum* arguments = function->find("args");
        sink.arguments(calls_++, call_.names.received(text_at(*function, "name")),
                       arguments && arguments->map() ? arguments->to_json() : "{}");
    }
    if (is_plain && !parts_.empty() && parts_.back().given.is_nil())
        parts_.back().text += text;
    else
        parts_.push_back(is_plain ? Part{{}, text} : Part{part, {}});
    return std::nullopt;
}

std::optional<LlmError> GeminiReader::stop_error() const {
    if (finish_reason_ == "STOP") return std::nullopt;
    if (finish_reason_.empty())
        return provider_error(ProviderFault::BadReply, "The reply has no finishReason: it is not complete.");
    const auto* row = std::ranges::find(kRefusals, finish_reason_, &FinishReason::name);
    if (row != std::end(kRefusals) && row->fault == ProviderFault::Length)
        return provider_error(row->fault, "The reply was cut at its highest number of tokens (max_tokens).");
    const std::string why =
        "The model stopped: " + finish_reason_ + (finish_message_.empty() ? "." : ": " + finish_message_);
    return provider_error(row != std::end(kRefusals) ? row->fault : ProviderFault::BadReply, why);
}

std::optional<LlmError> GeminiReader::add_call(const Datum& function) {
    const std::string name = text_at(function, "name");
    if (name.empty()) return provider_error(ProviderFault::BadReply, "The reply has a tool call without a name.");
    if (reply_.tool_calls.size() == kMaxCalls) return too_many_parts();
    const Datum* given = function.find("args");
    std::string id = text_at(function, "id");
    if (id.empty()) id = made_up_id(call_.request, reply_.tool_calls.size());
    reply_.tool_calls.push_back(
        read_call(std::move(id), call_.names.received(name), given && !given->is_nil() ? given->to_json() : ""));
    return std::nullopt;
}

/// The parts as they came.
std::string GeminiReader::state() {
    Datum::List parts;
    for (Part& part : parts_)
        parts.push_back(part.given.is_nil() ? Datum::object({{"text", std::move(part.text)}}) : std::move(part.given));
    return pack_state(call_.options, Datum(std::move(parts)));
}

LlmResult GeminiReader::finish() {
    std::optional<LlmError> error = stop_error();
    for (const Part& part : parts_) {
        const Datum* function = part.given.find("functionCall");
        if (!error && function) error = add_call(*function);
    }
    if (std::optional<LlmError> problem = problem_of(reply_, std::move(error))) return std::move(*problem);
    if (has_signature_) reply_.provider_state = state();
    return std::move(reply_);
}

std::unique_ptr<ReplyReader> reader(const ProviderCall& call) { return std::make_unique<GeminiReader>(call); }

} // namespace

const WireFormat kGeminiWire{path, headers, body, reader, &MediaRow::gemini, true};

} // namespace ptc
