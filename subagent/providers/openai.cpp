// Chat completions of OpenAI, which many servers speak: OpenRouter, Ollama, vLLM, llama.cpp, .. A WireFormat (wire.h),
// the request from an LlmRequest and the reply from events or a whole body. Servers differ in details (names of
// options, calls without index or id, arguments as objects), so reading takes what any of them writes, and the names of
// options go by the provider's row.
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "subagent/providers/wire.h"

namespace ptc {
namespace {

constexpr SchemaRules kStrict{.needs_all_required = true};

std::string path(const ProviderCall&) { return "/chat/completions"; }

HttpHeaders headers(const ProviderCall&, const std::string& key) {
    if (key.empty()) return {};
    return {{"Authorization", "Bearer " + key}};
}

std::string call_json(const ToolCall& call, const ToolNames& names) {
    return JsonObject()
        .text("id", call.id)
        .text("type", "function")
        .raw("function",
             JsonObject().text("name", names.sent(call.name)).text("arguments", call.arguments.to_json()).finish())
        .finish();
}

std::string text_part(std::string_view text) { return JsonObject().text("type", "text").text("text", text).finish(); }

/// Texts go as texts: only PDFs are files in chats.
std::string attachment_part(const Attachment& one) {
    if (one.kind == Attachment::Kind::Image)
        return JsonObject()
            .text("type", "image_url")
            .raw("image_url", JsonObject().text("url", one.bytes ? data_url(one) : one.url).finish())
            .finish();
    if (is_text_file(one)) return text_part("File " + one.name + " (" + one.media_type + "):\n" + *one.bytes);
    const std::string name = one.name.empty() ? "file" : one.name;
    return JsonObject()
        .text("type", "file")
        .raw("file", JsonObject().text("filename", name).text("file_data", data_url(one)).finish())
        .finish();
}

std::string parts_json(const Message& message, std::string_view text) {
    std::vector<std::string> parts;
    for (const Attachment& one : message.attachments)
        parts.push_back(attachment_part(one));
    if (!text.empty()) parts.push_back(text_part(text));
    return json_array(parts, [](const std::string& part) { return part; });
}

std::string message_json(const Message& message, const ProviderCall& call) {
    JsonObject out;
    out.text("role", role_name(message.role));
    if (message.role == Message::Role::Tool) out.text("tool_call_id", message.tool_call_id);
    const bool calls = !message.tool_calls.empty();
    if (calls && message.content.empty())
        out.raw("content", "null");
    else if (message.role == Message::Role::User && !message.attachments.empty())
        out.raw("content", parts_json(message, message.content));
    else
        out.text("content", message.content);
    if (calls)
        out.raw("tool_calls",
                json_array(message.tool_calls, [&](const ToolCall& made) { return call_json(made, call.names); }));
    // OpenRouter's signed reasoning, which belongs to the calls.
    if (const auto details = unpack_state(call.options, message.provider_state))
        out.raw("reasoning_details", details->to_json());
    return out.finish();
}

std::string messages_json(const ProviderCall& call) {
    std::string out = "[";
    if (!call.request.system.empty())
        out += JsonObject().text("role", "system").text("content", call.request.system).finish();
    const auto add = [&out](const std::string& json) { (out += out.size() > 1 ? "," : "") += json; };
    const std::vector<Message>& messages = call.request.messages;
    std::vector<std::string> beside; // what tools gave beside their results
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const bool is_tool = messages[i].role == Message::Role::Tool;
        add(message_json(messages[i], call));
        if (is_tool && !messages[i].attachments.empty())
            beside.push_back(
                parts_json(messages[i], "This came with the result of the call " + messages[i].tool_call_id + "."));
        // Results of tools are texts, and stand together: the user shows what else there is behind the last one.
        if (is_tool && i + 1 < messages.size() && messages[i + 1].role == Message::Role::Tool) continue;
        for (const std::string& parts : std::exchange(beside, {}))
            add(JsonObject().text("role", "user").raw("content", parts).finish());
    }
    return out += ']';
}

std::string tool_json(const ToolSchema& tool, const ToolNames& names) {
    JsonObject function;
    function.text("name", names.sent(tool.name));
    if (!tool.description.empty()) function.text("description", tool.description);
    if (!tool.input_schema_json.empty()) function.raw("parameters", tool.input_schema_json);
    return JsonObject().text("type", "function").raw("function", function.finish()).finish();
}

std::string response_format(const std::string& schema) {
    JsonObject format;
    format.text("name", "answer").raw("schema", schema);
    if (is_strict_schema(schema, kStrict)) format.boolean("strict", true);
    return JsonObject().text("type", "json_schema").raw("json_schema", format.finish()).finish();
}

/// The option has two names: OpenAI's own models take only the newer one, other servers know only the older. A host
/// that gives the newer one means it.
void write_max_tokens(CallOptions& options, const ProviderCall& call, JsonObject& out) {
    const ProviderRow* row = find_provider_row(call.options.provider);
    const Datum* newer = options.take("max_completion_tokens");
    const Datum most = options.take_max_tokens(call);
    if (newer)
        out.raw("max_completion_tokens", newer->to_json());
    else if (!most.is_nil())
        out.raw(row && row->is_openai ? "max_completion_tokens" : "max_tokens", most.to_json());
}

/// OpenRouter marks the end of the conversation for models that keep nothing unasked. All others that speak this
/// protocol keep beginnings by themselves, or not at all.
void write_cache_control(CallOptions& options, const ProviderCall& call, JsonObject& out) {
    const ProviderRow* row = find_provider_row(call.options.provider);
    const bool is_routed = row && row->name == "openrouter" && call.options.model.starts_with("anthropic/");
    const Datum* given = options.take("cache_control");
    if (given)
        out.raw("cache_control", given->to_json());
    else if (is_routed && call.request.is_continued)
        out.raw("cache_control", R"({"type":"ephemeral"})");
}

std::string tool_choice_json(const ProviderCall& call) {
    const ToolChoice& choice = call.request.tool_choice;
    const std::string_view word = words_of(choice.mode).openai;
    if (choice.mode != ToolChoice::Mode::Tool) return json_string(word);
    return JsonObject()
        .text("type", word)
        .raw("function", JsonObject().text("name", call.names.sent(choice.tool)).finish())
        .finish();
}

Result<std::string> body(const ProviderCall& call) {
    CallOptions options(call);
    const LlmRequest& request = call.request;
    JsonObject out;
    out.text("model", call.options.model);
    if (!request.tools.empty())
        out.raw("tools",
                json_array(request.tools, [&](const ToolSchema& tool) { return tool_json(tool, call.names); }));
    out.raw("messages", messages_json(call));
    write_cache_control(options, call, out);
    if (!options.has("tool_choice") && PTC_TRY(has_tool_choice(call))) out.raw("tool_choice", tool_choice_json(call));
    if (request.effort && !options.has("reasoning_effort"))
        out.text("reasoning_effort", words_of(*request.effort).openai);
    if (!request.schema_json.empty()) out.raw("response_format", response_format(request.schema_json));
    write_max_tokens(options, call, out);
    if (const Datum heat = options.take_temperature(call); !heat.is_nil()) out.raw("temperature", heat.to_json());
    if (call.is_stream) out.boolean("stream", true).raw("stream_options", R"({"include_usage":true})");
    out.more(PTC_TRY(options.rest({"model", "messages", "tools", "stream", "stream_options", "response_format", "n"})));
    return out.finish();
}

/// The text of a message or a delta: one text, or a list of parts, of which reasoning is not shown.
std::string content_text(const Datum& message) {
    const Datum* content = message.find("content");
    if (!content || !content->list()) return text_at(message, "content");
    std::string out;
    for (const Datum& part : *content->list()) {
        if (part.text()) out += *part.text();
        if (text_at(part, "type") == "text") out += text_at(part, "text");
    }
    return out;
}

/// What OpenRouter says a reply cost; 0 for what is no price.
double cost_at(const Datum& usage) {
    constexpr double kMost = 1e9;
    double cost = 0;
    const Datum* given = usage.find("cost");
    return given && given->to_double(&cost) && cost >= 0 && cost < kMost ? cost : 0;
}

struct PartialCall {
    std::size_t number = 0; ///< in the order in which they began
    std::string id;
    std::string name;
    std::string arguments;
};

/// OpenAI shows none; other servers do under one of two names.
std::string reasoning_text(const Datum& message) {
    std::string text = text_at(message, "reasoning_content");
    return text.empty() ? text_at(message, "reasoning") : text;
}

class OpenAiReader final : public ReplyReader {
public:
    explicit OpenAiReader(const ProviderCall& call) : call_(call) {}

    std::optional<LlmError> read_whole(const Datum& body) override {
        is_whole_ = true;
        return read(body, "message", {});
    }
    std::optional<LlmError> read_event(const Datum& data, const ReplySink& sink) override {
        return read(data, "delta", sink);
    }
    [[nodiscard]] bool is_done() const override { return !finish_reason_.empty(); }
    LlmResult finish() override;

private:
    std::optional<LlmError> read(const Datum& chunk, const char* part, const ReplySink& sink);
    void read_usage(const Datum& usage);
    [[nodiscard]] bool read_calls(const Datum::List& calls, const ReplySink& sink);
    PartialCall* place_of(const Datum& call);

    const ProviderCall& call_;
    LlmReply reply_;
    std::string refusal_;
    std::string finish_reason_;
    std::map<std::int64_t, PartialCall> calls_;
    Datum::List reasoning_details_;
    bool is_whole_ = false;
    bool has_choice_ = false;
};

std::optional<LlmError> OpenAiReader::read(const Datum& chunk, const char* part, const ReplySink& sink) {
    if (auto error = error_in(chunk)) return error;
    if (const Datum* usage = chunk.find("usage"); usage && usage->map()) read_usage(*usage);
    const Datum* choices = chunk.find("choices");
    if (!choices || !choices->list() || choices->list()->empty())
        return std::nullopt; // the last event has the usage only
    const Datum& choice = choices->list()->front();
    if (auto error = error_in(choice)) return error;
    if (std::string reason = text_at(choice, "finish_reason"); !reason.empty()) finish_reason_ = std::move(reason);
    const Datum* message = choice.find(part);
    if (!message || !message->map()) return std::nullopt;
    has_choice_ = true;
    const std::string text = content_text(*message);
    reply_.text += text;
    sink.text(text);
    const std::string thought = reasoning_text(*message);
    reply_.reasoning += thought;
    sink.reasoning(thought);
    refusal_ += text_at(*message, "refusal");
    if (const Datum* calls = message->find("tool_calls"); calls && calls->list() && !read_calls(*calls->list(), sink))
        return too_many_parts();
    // A stream has them in pieces that only OpenRouter can put together.
    if (const Datum* details = message->find("reasoning_details"); details && details->list() && is_whole_)
        reasoning_details_ = *details->list();
    return std::nullopt;
}

void OpenAiReader::read_usage(const Datum& usage) {
    reply_.usage.input = count_at(usage, "prompt_tokens");
    reply_.usage.output = count_at(usage, "completion_tokens"); // with the reasoning
    if (const Datum* details = usage.find("prompt_tokens_details")) {
        reply_.usage.cache_read = count_at(*details, "cached_tokens");
        reply_.usage.cache_creation = count_at(*details, "cache_write_tokens");
    }
    reply_.usage.cost_usd = cost_at(usage);
}

/// Which call a part belongs to: by `index`; servers that leave it out begin a call with its id.
PartialCall* OpenAiReader::place_of(const Datum& call) {
    std::int64_t index = 0;
    const Datum* given = call.find("index");
    if (!given || is_whole_ || !given->to_int64(&index)) {
        const std::string id = text_at(call, "id");
        const bool is_new = calls_.empty() || is_whole_ || (!id.empty() && id != calls_.rbegin()->second.id);
        index = calls_.empty() ? 0 : calls_.rbegin()->first + (is_new ? 1 : 0);
    }
    const bool is_known = calls_.contains(index);
    if (is_known) return &calls_[index];
    if (calls_.size() >= kMaxCalls) return nullptr;
    const std::size_t number = calls_.size();
    PartialCall& made = calls_[index];
    made.number = number;
    return &made;
}

/// False when there are too many.
bool OpenAiReader::read_calls(const Datum::List& calls, const ReplySink& sink) {
    for (const Datum& part : calls) {
        PartialCall* made = place_of(part);
        if (!made) return false;
        if (made->id.empty()) made->id = text_at(part, "id");
        const Datum* function = part.find("function");
        if (!function) continue;
        if (made->name.empty()) made->name = text_at(*function, "name");
        const Datum* arguments = function->find("arguments");
        if (!arguments) continue;
        // Some servers give the object itself.
        const std::string piece = arguments->text()     ? *arguments->text()
                                  : arguments->is_nil() ? ""
                                                        : arguments->to_json();
        made->arguments += piece;
        sink.arguments(made->number, call_.names.received(made->name), piece);
    }
    return true;
}

LlmResult OpenAiReader::finish() {
    const auto failed = [this](ProviderFault fault, std::string message) {
        LlmError error = provider_error(fault, std::move(message));
        error.usage = reply_.usage;
        return error;
    };
    if (!has_choice_) return failed(ProviderFault::BadReply, "The reply has no choice.");
    if (!refusal_.empty()) return failed(ProviderFault::ContentFilter, "The model refused: " + refusal_);
    if (finish_reason_ == "content_filter")
        return failed(ProviderFault::ContentFilter, "The provider's filter cut the reply.");
    if (finish_reason_ == "length")
        return failed(ProviderFault::Length, "The reply was cut at its highest number of tokens (max_tokens).");
    if (finish_reason_.empty() || finish_reason_ == "error")
        return failed(ProviderFault::BadReply, "The reply is not complete (finish_reason: `" + finish_reason_ + "`).");
    for (auto& [index, made] : calls_) {
        if (made.name.empty()) return failed(ProviderFault::BadReply, "The reply has a tool call without a name.");
        if (made.id.empty()) made.id = made_up_id(call_.request, reply_.tool_calls.size());
        reply_.tool_calls.push_back(read_call(made.id, call_.names.received(made.name), made.arguments));
    }
    if (reply_.text.empty() && reply_.tool_calls.empty()) return failed(ProviderFault::BadReply, "The reply is empty.");
    if (!reasoning_details_.empty())
        reply_.provider_state = pack_state(call_.options, Datum(std::move(reasoning_details_)));
    return std::move(reply_);
}

std::unique_ptr<ReplyReader> reader(const ProviderCall& call) { return std::make_unique<OpenAiReader>(call); }

} // namespace

const WireFormat kOpenAiWire{path, headers, body, reader, &MediaRow::openai, false};

} // namespace ptc
