// Chat requests read from JSON that anybody may have written, and replies written as a client of OpenAI expects them. A
// member that changes the meaning of the reply and cannot be honoured is refused by name; everything else that is
// unknown is ignored.
#include "tools/serve/chat_wire.h"
#include "frontend/base64.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "ptc/type.h"
#include "subagent/agent/firewall.h"
#include "tools/members.h"
#include "tools/request_reading.h"
#include "tools/serve/request_faults.h"
#include "tools/serve/schema_fit.h"

namespace ptc {
namespace {

bool is_empty_list(const Datum& value) { return value.list() && value.list()->empty(); }

/// "messages[2]."
std::string row_name(const std::string& list, std::size_t i) { return list + "[" + std::to_string(i) + "]."; }

/// "data:image/png;base64,.." as its media type and its bytes.
Result<std::pair<std::string, std::string>> read_data_url(std::string_view url) {
    const Error wrong(Reason::InvalidRequest, "It is no data URL with base64.");
    constexpr std::string_view kScheme = "data:";
    constexpr std::string_view kEncoding = ";base64";
    const std::size_t comma = url.find(',');
    if (!url.starts_with(kScheme) || comma == std::string_view::npos) return wrong;
    std::string_view head = url.substr(kScheme.size(), comma - kScheme.size());
    if (!head.ends_with(kEncoding)) return wrong;
    head.remove_suffix(kEncoding.size());
    head = head.substr(0, head.find(';')); // no parameters
    std::optional<std::string> bytes = read_base64(url.substr(comma + 1));
    if (!bytes) return wrong;
    return std::pair(std::string(head), std::move(*bytes));
}

/// Parts of chats and of responses: {"type": "image_url", "image_url": {"url"} | "..."}, "input_image".
Result<Attachment> read_image(const Datum& part) {
    const Datum* given = part.find("image_url");
    const std::string url = given && given->text() ? *given->text() : given ? text_of(*given, "url") : "";
    if (url.empty())
        return Error(Reason::InvalidRequest, "An image is an `image_url`; there are no files to refer to.");
    if (!url.starts_with("data:")) return Attachment::image_at(url);
    auto [type, bytes] = PTC_TRY(read_data_url(url));
    return Attachment::image(std::move(bytes), std::move(type));
}

/// {"type": "file", "file": {"file_data", "filename"}}, and "input_file", which has these members itself or a file_url.
Result<Attachment> read_file(const Datum& part) {
    const Datum* inner = part.find("file");
    const Datum& file = inner ? *inner : part;
    const std::string data = text_of(file, "file_data");
    const std::string name = text_of(file, "filename");
    if (const std::string url = text_of(file, "file_url"); !url.empty() && data.empty())
        return Attachment::file_at(url, name, "application/pdf");
    if (data.empty()) return Error(Reason::InvalidRequest, "A file has `file_data`; there are no files to refer to.");
    if (data.starts_with("data:")) {
        auto [type, bytes] = PTC_TRY(read_data_url(data));
        return Attachment::file(std::move(bytes), name, std::move(type));
    }
    std::optional<std::string> bytes = read_base64(data);
    if (!bytes) return Error(Reason::InvalidRequest, "`file_data` is no base64.");
    return Attachment::file(std::move(*bytes), name);
}

/// What a message says, and what it shows.
struct Content {
    std::string text;
    std::vector<Attachment> attachments;
};

/// True if the part is an image or a file.
Read read_attached_part(const Datum& part, const std::string& type, const std::string& row, Content& out,
                        bool& is_one) {
    const bool is_image = type == "image_url" || type == "input_image";
    is_one = is_image || type == "file" || type == "input_file";
    if (!is_one) return std::nullopt;
    Result<Attachment> read = is_image ? read_image(part) : read_file(part);
    if (!read.ok()) return invalid(row, read.error().message, "unsupported_content");
    out.attachments.push_back(std::move(read).value());
    if (const Result<void> fine = check_attachments(out.attachments); !fine.ok())
        return invalid(row, fine.error().message, "unsupported_content");
    return std::nullopt;
}

/// A text, or a list of parts: texts, images, files.
Read read_content(const Datum* content, const std::string& row, Content& out) {
    if (!is_given(content)) return std::nullopt;
    if (content->text()) {
        out.text = *content->text();
        return std::nullopt;
    }
    if (!content->list()) return invalid(row + "content", "The content of a message is a text or a list of parts.");
    for (std::size_t i = 0; i < content->list()->size(); ++i) {
        const Datum& part = (*content->list())[i];
        const std::string type = text_of(part, "type");
        const std::string place = row + "content[" + std::to_string(i) + "]";
        bool is_attached = false;
        if (Read error = read_attached_part(part, type, place, out, is_attached)) return error;
        if (is_attached) continue;
        const Datum* text = part.find(type == "refusal" ? "refusal" : "text");
        if ((type != "text" && type != "refusal") || !text || !text->text())
            return invalid(place, "Parts are texts, images and files here, not " + quoted_excerpt(type, 50) + ".",
                           "unsupported_content");
        out.text += *text->text();
    }
    return std::nullopt;
}

void append_text(std::string& text, const std::string& more) {
    if (more.empty()) return;
    if (!text.empty()) text += "\n\n";
    text += more;
}

/// Builds the conversation message by message.
class Conversation {
public:
    explicit Conversation(std::string list) : list_(std::move(list)) {}

    Read add(const Datum& message, std::size_t i) {
        if (!message.map()) return invalid(list_, "Each message is an object.");
        const std::string row = row_name(list_, i);
        const std::string role = text_of(message, "role");
        Content content;
        if (Read error = read_content(message.find("content"), row, content)) return error;
        if (role != "user" && !content.attachments.empty())
            return invalid(row + "content", "Images and files are the user's.", "unsupported_content");
        if (role == "user" || role == "system" || role == "developer") {
            append_text(waiting_, content.text);
            attached_.insert(attached_.end(), content.attachments.begin(), content.attachments.end());
            has_user_ = has_user_ || role == "user";
            return std::nullopt;
        }
        if (role == "tool" || role == "function" || is_given(message.find("tool_calls")) ||
            is_given(message.find("function_call")))
            return invalid(row + "role",
                           "The agent calls its tools by itself: there are no tool calls in its conversations.",
                           "unsupported_role");
        if (role != "assistant")
            return invalid(row + "role", "The role of a message is system, developer, user or assistant.");
        flush();
        add_to_history(Message::Role::Assistant, content.text, {});
        return std::nullopt;
    }
    Read finish(ChatRequest& request) {
        if (waiting_.empty() && !attached_.empty()) waiting_ = kNoWords;
        if (!has_user_ || waiting_.empty())
            return invalid(list_, "The last message must be the user's, and not empty: it is what the agent answers.");
        request.message = std::move(waiting_);
        request.attachments = std::move(attached_);
        request.history = std::move(history_);
        return std::nullopt;
    }

private:
    /// What came before an assistant's message is history.
    void flush() {
        if (!waiting_.empty() || !attached_.empty())
            add_to_history(Message::Role::User, waiting_, std::exchange(attached_, {}));
        waiting_.clear();
        has_user_ = false;
    }
    /// Two messages of one side in a row are one: not all providers take them.
    void add_to_history(Message::Role role, const std::string& content, std::vector<Attachment> attachments) {
        if (history_.empty() || history_.back().role != role)
            history_.push_back({.role = role, .content = content});
        else
            append_text(history_.back().content, content);
        std::ranges::move(attachments, std::back_inserter(history_.back().attachments));
    }
    /// Of a message that shows something and says nothing.
    static constexpr const char* kNoWords = "See what is attached.";

    const std::string list_;
    std::vector<Message> history_;
    std::string waiting_; ///< of the user, and of system messages
    std::vector<Attachment> attached_;
    bool has_user_ = false;
};

Read read_messages(const Datum& body, ChatRequest& request) {
    const Datum* messages = body.find("messages");
    if (!messages || !messages->list()) return invalid("messages", "`messages` must be a list.");
    return read_conversation(*messages->list(), "messages", request);
}

Read read_flag(const Datum& object, const char* member, const std::string& param, bool& out) {
    const Datum* value = object.find(member);
    if (!is_given(value)) return std::nullopt;
    const bool* flag = value->get_if<bool>();
    if (!flag) return invalid(param, quoted(param) + " must be true or false.");
    out = *flag;
    return std::nullopt;
}

Read read_stream_options(const Datum& body, ChatRequest& request) {
    const Datum* options = body.find("stream_options");
    if (!is_given(options)) return std::nullopt;
    if (!options->map()) return invalid("stream_options", "`stream_options` must be an object.");
    return read_flag(*options, "include_usage", "stream_options.include_usage", request.wants_usage);
}

Read unsupported(std::string member, std::string why) {
    return invalid(std::move(member), std::move(why), "unsupported_parameter");
}

/// Tools of the client, which would change the meaning of a reply.
Read refuse_tools(const Datum& body) {
    for (const char* member : {"tools", "functions"}) {
        if (is_given(body.find(member)) && !is_empty_list(*body.find(member)))
            return unsupported(
                member, "Tools of clients are not called: an agent has its own tools, which it calls by itself.");
    }
    return std::nullopt;
}

/// Numbers that tell a model how to write: the agent decides that, but what is no such number is a mistake.
Read check_numbers(const Datum& body) {
    for (const char* member : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
        const Datum* value = body.find(member);
        std::int64_t count = 0;
        if (is_given(value) && (!value->to_int64(&count) || count < 1))
            return invalid(member, quoted(member) + " must be a whole number, at least 1.");
    }
    const Datum* temperature = body.find("temperature");
    const double* number = temperature ? temperature->get_if<double>() : nullptr;
    std::int64_t whole = 0;
    const bool is_number = number || (temperature && temperature->to_int64(&whole));
    const double value = number ? *number : static_cast<double>(whole);
    if (is_given(temperature) && !(is_number && value >= 0 && value <= 2))
        return invalid("temperature", "`temperature` must be a number from 0 to 2.");
    return std::nullopt;
}

/// What else would, and cannot be had in a chat.
Read read_chat_options(const Datum& body, ChatRequest& request) {
    std::int64_t choices = 1;
    const Datum* n = body.find("n");
    if (is_given(n) && (!n->to_int64(&choices) || choices != 1))
        return unsupported("n", "An agent gives one answer: `n` can only be 1.");
    if (is_given(body.find("audio"))) return unsupported("audio", "Agents answer in text.");
    if (const Datum* stop = body.find("stop"); is_given(stop) && !is_empty_list(*stop))
        return unsupported("stop", "An agent's answer is whole: it does not `stop` early.");
    if (is_true(body.find("logprobs"))) return unsupported("logprobs", "An agent's answer has no probabilities.");
    return read_format(body.find("response_format"), "response_format", request);
}

JsonObject chunk_start(const ChatReply& reply) {
    return std::move(JsonObject()
                         .text("id", reply.id)
                         .text("object", "chat.completion.chunk")
                         .number("created", reply.created)
                         .text("model", reply.model));
}

std::string chunk(const ChatReply& reply, const std::string& delta, const char* finish_reason, bool wants_usage) {
    JsonObject choice;
    choice.number("index", 0).raw("delta", delta).raw("logprobs", "null").raw("finish_reason", finish_reason);
    JsonObject out = chunk_start(reply);
    out.raw("choices", "[" + choice.finish() + "]");
    if (wants_usage) out.raw("usage", "null");
    return out.finish();
}

std::string usage_json(const TokenUsage& tokens) {
    return JsonObject()
        .number("prompt_tokens", tokens.input)
        .number("completion_tokens", tokens.output)
        .number("total_tokens", tokens.total())
        .raw("prompt_tokens_details", JsonObject().number("cached_tokens", tokens.cache_read).finish())
        .finish();
}

} // namespace

std::string error_object(const WireError& error) {
    return JsonObject()
        .text("message", error.message)
        .text("type", error.type)
        .text_or_null("param", error.param)
        .text_or_null("code", error.code)
        .finish();
}

std::string error_json(const WireError& error) { return JsonObject().raw("error", error_object(error)).finish(); }

std::optional<WireError> read_conversation(const Datum::List& rows, const std::string& param, ChatRequest& request) {
    Conversation conversation(param);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (Read error = conversation.add(rows[i], i)) return error;
    }
    return conversation.finish(request);
}

std::optional<WireError> read_format(const Datum* format, const std::string& param, ChatRequest& request) {
    if (!is_given(format)) return std::nullopt;
    const std::string type = text_of(*format, "type");
    if (type == "text") return std::nullopt;
    if (type == "json_object") {
        request.wants_object = true;
        return std::nullopt;
    }
    if (type != "json_schema")
        return unsupported(param, "The agent's own signature says what its answers are; " + quoted(param) +
                                      " can be text, json_object or json_schema, where they are such.");
    const Datum* inner = format->find("json_schema"); // of a chat; responses have the schema one level higher
    const Datum* schema = inner ? inner->find("schema") : format->find("schema");
    if (!is_given(schema)) return invalid(param, "The json_schema has no `schema`.");
    request.schema_json = schema->to_json();
    return std::nullopt;
}

std::variant<Datum, WireError> read_body(std::string_view body, ChatRequest& request) {
    Result<Datum> json = Datum::from_json(body, request_reading(body.size()));
    if (!json.ok() && json.error().reason == Reason::Timeout) return invalid("", json.error().message, "timeout");
    if (!json.ok()) return invalid("", "The body is no JSON: " + json.error().message, "invalid_json");
    if (!json.value().map()) return invalid("", "The body must be a JSON object.", "invalid_json");
    const Datum* model = json.value().find("model");
    if (!model || !model->text())
        return invalid("model", "`model` must be the name of an agent: GET /v1/models lists them.");
    request.model = *model->text();
    if (Read error = refuse_tools(json.value())) return *error;
    if (Read error = check_numbers(json.value())) return *error;
    if (Read error = read_flag(json.value(), "stream", "stream", request.is_stream)) return *error;
    return std::move(json).value();
}

std::variant<ChatRequest, WireError> read_chat_request(std::string_view body) {
    ChatRequest request;
    const std::variant<Datum, WireError> json = read_body(body, request);
    if (const auto* error = std::get_if<WireError>(&json)) return *error;
    for (const auto read : {read_chat_options, read_stream_options, read_messages}) {
        if (Read error = read(std::get<Datum>(json), request)) return *error;
    }
    return request;
}

std::string completion_json(const ChatReply& reply, std::string_view content, const TokenUsage& tokens) {
    const std::string message =
        JsonObject().text("role", "assistant").text("content", content).raw("refusal", "null").finish();
    const std::string choice = JsonObject()
                                   .number("index", 0)
                                   .raw("message", message)
                                   .raw("logprobs", "null")
                                   .text("finish_reason", "stop")
                                   .finish();
    return JsonObject()
        .text("id", reply.id)
        .text("object", "chat.completion")
        .number("created", reply.created)
        .text("model", reply.model)
        .raw("choices", "[" + choice + "]")
        .raw("usage", usage_json(tokens))
        .finish();
}

std::string role_chunk(const ChatReply& reply, bool wants_usage) {
    const std::string delta =
        JsonObject().text("role", "assistant").text("content", "").raw("refusal", "null").finish();
    return chunk(reply, delta, "null", wants_usage);
}

std::string content_chunk(const ChatReply& reply, std::string_view delta, bool wants_usage) {
    return chunk(reply, JsonObject().text("content", delta).finish(), "null", wants_usage);
}

std::string last_chunk(const ChatReply& reply, bool wants_usage) { return chunk(reply, "{}", "\"stop\"", wants_usage); }

std::string usage_chunk(const ChatReply& reply, const TokenUsage& tokens) {
    return chunk_start(reply).raw("choices", "[]").raw("usage", usage_json(tokens)).finish();
}

std::string sse_event(std::string_view json) { return "data: " + std::string(json) + "\n\n"; }

std::string model_json(std::string_view name, std::int64_t created) {
    return JsonObject()
        .text("id", name)
        .text("object", "model")
        .number("created", created)
        .text("owned_by", "ptcc")
        .finish();
}

std::string models_json(const std::vector<std::string>& names, std::int64_t created) {
    return JsonObject()
        .text("object", "list")
        .raw("data", json_array(names, [created](const std::string& name) { return model_json(name, created); }))
        .finish();
}

std::string content_of(const Datum& value) {
    if (value.text()) return *value.text();
    return public_view(value).to_json();
}

namespace {

Datum without_firewalled_names(const Datum& value) {
    if (const auto* items = value.list()) {
        Datum::List out;
        for (const Datum& item : *items)
            out.push_back(without_firewalled_names(item));
        return Datum(std::move(out));
    }
    if (!value.map()) return value;
    Datum::Map out;
    for (const auto& [key, item] : *value.map())
        if (!is_firewalled(key_name(key))) out.emplace_back(key, without_firewalled_names(item));
    return Datum(std::move(out));
}

} // namespace

std::string schema_content_of(const Datum& value, std::string_view schema_json) {
    Datum shown = without_firewalled_names(value);
    const Result<Datum> schema = Datum::from_json(schema_json);
    return content_of(schema.ok() ? shaped(std::move(shown), schema.value()) : shown);
}

WireError mission_error(std::string_view reason, std::string message) {
    const FailCause cause = cause_of(reason);
    const auto failed = [&](int status, const char* type) {
        return WireError{
            .status = status, .type = type, .code = std::string(reason), .param = {}, .message = std::move(message)};
    };
    if (cause == FailCause::Model) return failed(502, "upstream_error");
    if (cause == FailCause::Host || reason == reason_name(Reason::StoreUnavailable)) return failed(503, "server_error");
    // The one status that no client repeats by itself: a mission that ended may have had effects, and costs again.
    return failed(400, cause == FailCause::Time ? "timeout_error" : "mission_error");
}

} // namespace ptc
