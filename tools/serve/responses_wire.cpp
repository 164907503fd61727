// Requests of OpenAI's responses read, and its replies written. What differs from chat completions: items in place of
// messages, parts with types of their own, and a stream that tells the life of each item by events with numbers.
#include "tools/serve/responses_wire.h"
#include "frontend/json_writer.h"
#include "tools/members.h"
#include "tools/serve/reply_writer.h"
#include "tools/serve/request_faults.h"

namespace ptc {
namespace {

/// A message's content with the types that the parts of a chat have.
Datum chat_content(const Datum& content) {
    if (!content.list()) return content;
    Datum::List parts;
    for (const Datum& part : *content.list()) {
        const std::string type = text_of(part, "type");
        const bool is_text = type == "input_text" || type == "output_text";
        parts.push_back(is_text && part.find("text") ? Datum::object({{"type", "text"}, {"text", *part.find("text")}})
                                                     : part);
    }
    return Datum(std::move(parts));
}

/// The items as messages of a chat. Reasoning of earlier replies is left out.
Read read_input(const Datum& body, Datum::List& messages) {
    if (const Datum* instructions = body.find("instructions"); is_given(instructions)) {
        if (!instructions->text()) return invalid("instructions", "`instructions` must be a text.");
        messages.push_back(Datum::object({{"role", "system"}, {"content", *instructions}}));
    }
    const Datum* input = body.find("input");
    if (input && input->text()) {
        messages.push_back(Datum::object({{"role", "user"}, {"content", *input}}));
        return std::nullopt;
    }
    if (!input || !input->list()) return invalid("input", "`input` must be a text or a list of messages.");
    for (const Datum& item : *input->list()) {
        const std::string type = text_of(item, "type");
        if (type == "reasoning") continue;
        if (type == "item_reference")
            return invalid("input",
                           "Nothing is kept here between requests: send the items themselves (`store: false`).",
                           "unsupported_item");
        if (!type.empty() && type != "message")
            return invalid("input", "The agent calls its tools by itself: its conversations have messages only.",
                           "unsupported_item");
        const Datum* content = item.find("content");
        messages.push_back(Datum::object({{"role", item.find("role") ? *item.find("role") : Datum()},
                                          {"content", content ? chat_content(*content) : Datum()}}));
    }
    return std::nullopt;
}

Datum members_of(const Datum& body, std::initializer_list<const char*> names) {
    Datum::Map members;
    for (const char* name : names)
        if (const Datum* value = body.find(name)) members.emplace_back(name, *value);
    return Datum(std::move(members));
}

Read refuse_unsupported(const Datum& body) {
    for (const char* member : {"previous_response_id", "conversation", "prompt"}) {
        if (is_given(body.find(member)))
            return invalid(member, "Nothing is kept here between requests: send the whole conversation as `input`.",
                           "unsupported_parameter");
    }
    if (is_true(body.find("background")))
        return invalid("background", "Replies are made while the client waits.", "unsupported_parameter");
    return std::nullopt;
}

constexpr const char* kOpen = "in_progress";
constexpr const char* kDone = "completed";

class ResponsesWriter final : public ReplyWriter {
public:
    explicit ResponsesWriter(ChatReply head) : head_(std::move(head)), item_("msg_" + head_.id) {}

    std::string whole(std::string_view content, const TokenUsage& tokens) override {
        return response(kDone, "[" + item(kDone, "[" + part(content) + "]") + "]", usage(tokens));
    }
    std::string begin() override {
        // One after the other: they are numbered as they are written.
        std::string out = event("response.created", body(response(kOpen, "[]", "null")));
        out += event("response.in_progress", body(response(kOpen, "[]", "null")));
        out +=
            event("response.output_item.added", JsonObject().number("output_index", 0).raw("item", item(kOpen, "[]")));
        return out += event("response.content_part.added", place().raw("part", part("")));
    }
    std::string text(std::string_view delta) override {
        return event("response.output_text.delta", place().text("delta", delta).raw("logprobs", "[]"));
    }
    std::string end(std::string_view content, const TokenUsage& tokens) override {
        std::string out = event("response.output_text.done", place().text("text", content).raw("logprobs", "[]"));
        out += event("response.content_part.done", place().raw("part", part(content)));
        out += event("response.output_item.done",
                     JsonObject().number("output_index", 0).raw("item", item(kDone, "[" + part(content) + "]")));
        return out += event("response.completed", body(whole(content, tokens)));
    }
    std::string error(const WireError& error) override {
        // The protocol has the three members. Clients look for an `error` within, as in replies, and end quietly
        // without one.
        return event("error", JsonObject()
                                  .text_or_null("code", error.code)
                                  .text("message", error.message)
                                  .text_or_null("param", error.param)
                                  .raw("error", error_object(error)));
    }

private:
    static JsonObject body(const std::string& response) { return std::move(JsonObject().raw("response", response)); }
    [[nodiscard]] JsonObject place() const {
        return std::move(JsonObject().text("item_id", item_).number("output_index", 0).number("content_index", 0));
    }
    static std::string part(std::string_view text) {
        return JsonObject()
            .text("type", "output_text")
            .text("text", text)
            .raw("annotations", "[]")
            .raw("logprobs", "[]")
            .finish();
    }
    [[nodiscard]] std::string item(const char* status, const std::string& content) const {
        return JsonObject()
            .text("id", item_)
            .text("type", "message")
            .text("status", status)
            .text("role", "assistant")
            .raw("content", content)
            .finish();
    }
    static std::string usage(const TokenUsage& tokens) {
        return JsonObject()
            .number("input_tokens", tokens.input)
            .raw("input_tokens_details", JsonObject()
                                             .number("cached_tokens", tokens.cache_read)
                                             .number("cache_write_tokens", tokens.cache_creation)
                                             .finish())
            .number("output_tokens", tokens.output)
            .raw("output_tokens_details", R"({"reasoning_tokens":0})")
            .number("total_tokens", tokens.total())
            .finish();
    }
    [[nodiscard]] std::string response(const char* status, const std::string& output, const std::string& usage) const {
        return JsonObject()
            .text("id", head_.id)
            .text("object", "response")
            .number("created_at", head_.created)
            .text("status", status)
            .raw("error", "null")
            .raw("incomplete_details", "null")
            .raw("instructions", repeated("instructions", "null"))
            .raw("max_output_tokens", repeated("max_output_tokens", "null"))
            .raw("metadata", repeated("metadata", "{}"))
            .text("model", head_.model)
            .raw("output", output)
            .boolean("parallel_tool_calls", true)
            .raw("temperature", repeated("temperature", "null"))
            .raw("text", repeated("text", R"({"format":{"type":"text"}})"))
            .text("tool_choice", "auto")
            .raw("tools", "[]")
            .raw("top_p", repeated("top_p", "null"))
            .raw("usage", usage)
            .finish();
    }
    [[nodiscard]] std::string repeated(const char* member, const char* otherwise) const {
        const Datum* given = head_.repeated.find(member);
        return is_given(given) ? given->to_json() : otherwise;
    }
    std::string event(const char* type, JsonObject members) {
        members.text("type", type).number("sequence_number", sequence_++);
        return "event: " + std::string(type) + "\n" + sse_event(members.finish());
    }

    const ChatReply head_;
    const std::string item_;
    std::int64_t sequence_ = 0;
};

class ChatWriter final : public ReplyWriter {
public:
    ChatWriter(ChatReply head, bool wants_usage) : head_(std::move(head)), wants_usage_(wants_usage) {}

    std::string whole(std::string_view content, const TokenUsage& tokens) override {
        return completion_json(head_, content, tokens);
    }
    std::string begin() override { return sse_event(role_chunk(head_, wants_usage_)); }
    std::string text(std::string_view delta) override { return sse_event(content_chunk(head_, delta, wants_usage_)); }
    std::string end(std::string_view, const TokenUsage& tokens) override {
        std::string out = sse_event(last_chunk(head_, wants_usage_));
        if (wants_usage_) out += sse_event(usage_chunk(head_, tokens));
        return out + std::string(kStreamEnd);
    }
    std::string error(const WireError& error) override { return sse_event(error_json(error)); }

private:
    const ChatReply head_;
    const bool wants_usage_;
};

} // namespace

std::unique_ptr<ReplyWriter> chat_writer(ChatReply head, bool wants_usage) {
    return std::make_unique<ChatWriter>(std::move(head), wants_usage);
}

std::unique_ptr<ReplyWriter> responses_writer(ChatReply head) {
    return std::make_unique<ResponsesWriter>(std::move(head));
}

std::variant<ChatRequest, WireError> read_responses_request(std::string_view body) {
    ChatRequest request;
    const std::variant<Datum, WireError> json = read_body(body, request);
    if (const auto* error = std::get_if<WireError>(&json)) return *error;
    const Datum& members = std::get<Datum>(json);
    if (Read error = refuse_unsupported(members)) return *error;
    const Datum* text = members.find("text");
    if (Read error = read_format(text ? text->find("format") : nullptr, "text.format", request)) return *error;
    Datum::List messages;
    if (Read error = read_input(members, messages)) return *error;
    if (Read error = read_conversation(messages, "input", request)) return *error;
    request.repeated =
        members_of(members, {"instructions", "max_output_tokens", "metadata", "temperature", "text", "top_p"});
    return request;
}

} // namespace ptc
