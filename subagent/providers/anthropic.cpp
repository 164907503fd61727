// Anthropic's messages: a WireFormat (wire.h), the request from an LlmRequest and the reply from events or a whole
// body. Messages become turns of alternating roles, in which all results of one turn's calls stand together. Replies
// are read block by block; those with signed reasoning are kept as they came (provider_state), as they must come back
// unchanged. A reply that ends for any reason but a known one is an error, not half an answer.
#include "frontend/base64.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "subagent/providers/wire.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kVersion = "2026-10-21";
constexpr std::int64_t kMaxTokens = 16'384; ///< Anthropic wants a number; models that reason use some of it for that

/// What structured output refuses (its documentation, "JSON Schema limitations").
constexpr SchemaRules kEnforced{.unsupported = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                                                "multipleOf", "minLength", "maxLength", "pattern", "minItems",
                                                "maxItems", "uniqueItems", "patternProperties", "oneOf", "not"}};

std::string path(const ProviderCall&) { return "/v1/messages"; }

std::string text_of(const Datum* option) { return option && option->text() ? *option->text() : std::string(); }

HttpHeaders headers(const ProviderCall& call, const std::string& key) {
    HttpHeaders out;
    CallOptions options(call);
    const std::string version = text_of(options.take("anthropic_version"));
    // As the official client has done it since this version; servers that know only older ones know only the older
    // header.
    const bool is_bearer = version.empty() || version >= kVersion;
    if (!key.empty()) out.emplace_back(is_bearer ? "Authorization" : "x-api-key", (is_bearer ? "Bearer " : "") + key);
    out.emplace_back("anthropic-version", version.empty() ? kVersion : version);
    if (std::string beta = text_of(options.take("anthropic_beta")); !beta.empty())
        out.emplace_back("anthropic-beta", std::move(beta));
    return out;
}

// ---- The request

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::string text_block(std::string_view text) { return JsonObject().text("type", "text").text("text", text).finish(); }

constexpr std::string_view kCacheMark = R"({"type":"ephemeral"})";

/// A block, of which a copy with a mark says: what stands up to here is worth keeping (at most 4 in a request).
std::string marked(std::string block) {
    block.pop_back();
    return block + R"(,"cache_control":)" + std::string(kCacheMark) + "}";
}

/// The system text: of a mission that goes on with all of it in the cache, of every mission with the part that all
/// missions of the agent have.
void write_system(JsonObject& out, const LlmRequest& request, const std::string& instruction) {
    const std::string& text = request.system;
    const std::string more = text.empty() || instruction.empty() ? instruction : "\n\n" + instruction;
    const std::size_t shared = std::min(request.shared_system, text.size());
    if (shared == 0 && !request.is_continued) {
        if (!text.empty() || !more.empty()) out.text("system", text + more);
        return;
    }
    std::vector<std::string> blocks;
    if (shared > 0) blocks.push_back(marked(text_block(std::string_view(text).substr(0, shared))));
    const std::string rest = text.substr(shared) + more;
    if (!is_blank(rest)) blocks.push_back(request.is_continued ? marked(text_block(rest)) : text_block(rest));
    if (blocks.empty()) return;
    out.raw("system", json_array(blocks, [](const std::string& block) { return block; }));
}

/// Blocks of one role, which messages of that role in a row share: roles must alternate, and all results of one turn's
/// calls must be in one message.
struct Turn {
    std::string_view role;
    std::vector<std::string> blocks;
    std::string text; ///< when one text is all there is
};

/// Signed reasoning must come back as it came, among its neighbours; but a blank text is refused, and calls have the
/// ids that their results have.
void add_state(const Datum::List& state, const std::vector<ToolCall>& calls, std::vector<std::string>& blocks) {
    std::size_t next = 0;
    for (const Datum& block : state) {
        const std::string type = text_at(block, "type");
        if (type == "text" && is_blank(text_at(block, "text"))) continue;
        if (type == "tool_use" && next < calls.size())
            blocks.push_back(with_member(block, "id", Datum(plain_name(calls[next++].id))).to_json());
        else
            blocks.push_back(block.to_json());
    }
}

std::string source_json(const Attachment& one) {
    JsonObject source;
    if (!one.bytes) return source.text("type", "url").text("url", one.url).finish();
    if (is_text_file(one))
        return source.text("type", "text").text("media_type", "text/plain").text("data", *one.bytes).finish();
    return source.text("type", "base64").text("media_type", one.media_type).text("data", base64(*one.bytes)).finish();
}

std::string attachment_block(const Attachment& one) {
    const bool is_image = one.kind == Attachment::Kind::Image;
    JsonObject block;
    block.text("type", is_image ? "image" : "document").raw("source", source_json(one));
    if (!is_image && !one.name.empty()) block.text("title", one.name);
    return block.finish();
}

/// A text, or a list of blocks.
void write_result(JsonObject& block, const Message& message) {
    if (message.attachments.empty()) {
        block.text("content", message.content);
        return;
    }
    std::vector<std::string> blocks;
    if (!is_blank(message.content)) blocks.push_back(text_block(message.content));
    for (const Attachment& one : message.attachments)
        blocks.push_back(attachment_block(one));
    block.raw("content", json_array(blocks, [](const std::string& json) { return json; }));
}

void add_blocks(const Message& message, const ProviderCall& call, std::vector<std::string>& blocks) {
    if (message.role == Message::Role::Tool) {
        JsonObject block;
        block.text("type", "tool_result").text("tool_use_id", plain_name(message.tool_call_id));
        write_result(block, message);
        if (message.is_error) block.boolean("is_error", true);
        return blocks.push_back(block.finish());
    }
    if (const auto state = unpack_state(call.options, message.provider_state))
        return add_state(*state->list(), message.tool_calls, blocks);
    for (const Attachment& one : message.attachments)
        blocks.push_back(attachment_block(one));
    if (!is_blank(message.content)) blocks.push_back(text_block(message.content)); // a blank text is refused
    for (const ToolCall& made : message.tool_calls)
        blocks.push_back(JsonObject()
                             .text("type", "tool_use")
                             .text("id", plain_name(made.id))
                             .text("name", call.names.sent(made.name))
                             .raw("input", made.arguments.to_json())
                             .finish());
}

std::vector<Turn> turns_of(const ProviderCall& call) {
    std::vector<Turn> turns;
    for (const Message& message : call.request.messages) {
        std::vector<std::string> blocks;
        add_blocks(message, call, blocks);
        if (blocks.empty()) continue;
        const std::string_view role = message.role == Message::Role::Assistant ? "assistant" : "user";
        const bool is_new = turns.empty() || turns.back().role != role;
        if (is_new) turns.push_back({role, {}, {}});
        Turn& turn = turns.back();
        const bool is_plain = message.role != Message::Role::Tool && message.tool_calls.empty() && blocks.size() == 1 &&
                              blocks[0] == text_block(message.content);
        turn.text = is_new && is_plain ? message.content : std::string();
        turn.blocks.insert(turn.blocks.end(), blocks.begin(), blocks.end());
    }
    return turns;
}

/// How many blocks before a mark the provider looks for what it has kept.
constexpr std::size_t kLookBack = 18;

/// Marks the end of the conversation; and where the request before this one ended, when that is too far off.
void mark_ends(std::vector<Turn>& turns) {
    const auto mark = [](Turn& turn) { turn.blocks.back() = marked(std::move(turn.blocks.back())); };
    for (Turn& turn : turns)
        turn.text.clear(); // blocks, marked or not: a turn is written in one way in all requests
    if (turns.empty() || turns.back().role != "user") return;
    mark(turns.back());
    if (turns.size() < 3) return;
    const std::size_t between = turns.back().blocks.size() + turns[turns.size() - 2].blocks.size();
    if (between > kLookBack) mark(turns[turns.size() - 3]);
}

std::string turn_json(const Turn& turn) {
    JsonObject out;
    out.text("role", turn.role);
    if (!turn.text.empty()) return out.text("content", turn.text).finish();
    return out.raw("content", json_array(turn.blocks, [](const std::string& block) { return block; })).finish();
}

std::string tool_json(const ToolSchema& tool, const ToolNames& names) {
    JsonObject out;
    out.text("name", names.sent(tool.name));
    if (!tool.description.empty()) out.text("description", tool.description);
    return out.raw("input_schema", tool.input_schema_json.empty() ? R"({"type":"object"})" : tool.input_schema_json)
        .finish();
}

/// `output_config`: the host's members, the effort, and the schema when it can be enforced, which is the one `format`
/// then.
std::string output_config(const Datum* given, std::string_view effort, std::string_view schema) {
    JsonObject out;
    if (!effort.empty() && !(given && given->find("effort"))) out.text("effort", effort);
    if (given && given->map()) {
        for (const auto& [key, value] : *given->map())
            if (key.text() && (*key.text() != "format" || schema.empty())) out.raw(*key.text(), value.to_json());
    }
    if (!schema.empty()) out.raw("format", JsonObject().text("type", "json_schema").raw("schema", schema).finish());
    return out.finish();
}

std::string tool_choice_json(const ProviderCall& call) {
    const ToolChoice& choice = call.request.tool_choice;
    JsonObject out;
    out.text("type", words_of(choice.mode).anthropic);
    if (choice.mode == ToolChoice::Mode::Tool) out.text("name", call.names.sent(choice.tool));
    return out.finish();
}

bool is_header_text(const Datum* value) {
    return !value ||
           (value->text() && std::ranges::all_of(*value->text(), [](char c) { return c > 0x20 && c < 0x7F; }));
}

Result<std::string> body(const ProviderCall& call) {
    CallOptions options(call);
    if (!is_header_text(options.take("anthropic_version")) || !is_header_text(options.take("anthropic_beta")))
        return Error(Reason::InvalidRequest, "`anthropic_version` and `anthropic_beta` are texts without blanks.");
    const LlmRequest& request = call.request;
    const bool is_enforced = !request.schema_json.empty() && is_strict_schema(request.schema_json, kEnforced);
    JsonObject out;
    const Datum most = options.take_max_tokens(call);
    out.text("model", call.options.model)
        .raw("max_tokens", most.is_nil() ? std::to_string(kMaxTokens) : most.to_json());
    // In the order in which the provider caches them: what changes least first.
    if (!request.tools.empty())
        out.raw("tools",
                json_array(request.tools, [&](const ToolSchema& tool) { return tool_json(tool, call.names); }));
    const bool is_asked = !request.schema_json.empty() && !is_enforced;
    write_system(out, request, is_asked ? schema_instruction(request.schema_json) : "");
    std::vector<Turn> turns = turns_of(call);
    if (request.is_continued) mark_ends(turns);
    out.raw("messages", json_array(turns, turn_json));
    const Datum* config = options.take("output_config");
    const std::string_view effort = request.effort ? words_of(*request.effort).anthropic : std::string_view();
    if (config || is_enforced || !effort.empty())
        out.raw("output_config", output_config(config, effort, is_enforced ? request.schema_json : ""));
    const bool has_choice = PTC_TRY(has_tool_choice(call));
    const bool must_call = has_choice && request.tool_choice.mode != ToolChoice::Mode::None;
    if (has_choice && !options.has("tool_choice")) out.raw("tool_choice", tool_choice_json(call));
    if (request.effort && !must_call && !options.has("thinking"))
        out.raw("thinking",
                effort.empty() ? R"({"type":"disabled"})" : R"({"type":"adaptive","display":"summarized"})");
    if (const Datum heat = options.take_temperature(call); !heat.is_nil()) out.raw("temperature", heat.to_json());
    if (call.is_stream) out.boolean("stream", true);
    out.more(PTC_TRY(options.rest({"model", "messages", "system", "tools", "stream"})));
    return out.finish();
}

// ---- The reply

/// Why a reply ends that is an answer.
constexpr std::string_view kWhole[] = {"end_turn", "tool_use", "stop_sequence"};

struct Block {
    Datum start;       ///< as it began, or whole
    std::string text;  ///< of a text or of reasoning
    std::string input; ///< JSON of a call, as it arrives
    std::string signature;
    std::size_t call = 0; ///< of a call: which of the reply's
};

class AnthropicReader final : public ReplyReader {
public:
    explicit AnthropicReader(const ProviderCall& call) : call_(call) {}
    std::optional<LlmError> read_whole(const Datum& body) override;
    std::optional<LlmError> read_event(const Datum& data, const ReplySink& sink) override;
    [[nodiscard]] bool is_done() const override { return is_over_ || !stop_reason_.empty(); }
    [[nodiscard]] bool is_over() const override { return is_over_; }
    LlmResult finish() override;

private:
    void read_usage(const Datum* usage);
    void read_stop(const Datum& from);
    std::optional<LlmError> start_block(std::int64_t index, const Datum& block, const ReplySink& sink);
    void read_delta(Block& block, const Datum& delta, const ReplySink& sink);
    std::optional<LlmError> stop_error() const;
    std::optional<LlmError> add_call(const Block& block);
    [[nodiscard]] std::string state() const;

    const ProviderCall& call_;
    LlmReply reply_;
    std::map<std::int64_t, Block> blocks_;
    std::string stop_reason_;
    std::string explanation_; ///< of a refusal
    std::int64_t plain_input_ = 0;
    std::size_t calls_ = 0; ///< that have begun
    bool is_over_ = false;
};

std::optional<LlmError> AnthropicReader::read_whole(const Datum& body) {
    if (auto error = error_in(body)) return error;
    const Datum* content = body.find("content");
    if (!content || !content->list()) return provider_error(ProviderFault::BadReply, "The reply has no content.");
    for (const Datum& item : *content->list()) {
        if (blocks_.size() == kMaxCalls) return too_many_parts();
        Block& block = blocks_[static_cast<std::int64_t>(blocks_.size())];
        block.start = item;
    }
    read_stop(body);
    read_usage(body.find("usage"));
    return std::nullopt;
}

std::optional<LlmError> AnthropicReader::read_event(const Datum& data, const ReplySink& sink) {
    if (auto error = error_in(data)) return error;
    const std::string type = text_at(data, "type");
    std::int64_t index = 0;
    if (const Datum* given = data.find("index")) (void)given->to_int64(&index);
    if (type == "message_start") {
        if (const Datum* message = data.find("message")) read_usage(message->find("usage"));
    } else if (type == "content_block_start") {
        if (const Datum* block = data.find("content_block")) return start_block(index, *block, sink);
    } else if (type == "content_block_delta") {
        const auto found = blocks_.find(index);
        const Datum* delta = data.find("delta");
        if (found == blocks_.end())
            return provider_error(ProviderFault::BadReply, "The reply has a part of a block that never began.");
        if (delta) read_delta(found->second, *delta, sink);
    } else if (type == "message_delta") {
        if (const Datum* delta = data.find("delta")) read_stop(*delta);
        read_usage(data.find("usage"));
    } else if (type == "message_stop") {
        is_over_ = true;
    }
    return std::nullopt; // ping, content_block_stop, and what may come to be
}

std::optional<LlmError> AnthropicReader::start_block(std::int64_t index, const Datum& block, const ReplySink& sink) {
    if (blocks_.size() >= kMaxCalls) return too_many_parts();
    Block& begun = blocks_[index];
    begun.start = block;
    if (text_at(block, "type") == "tool_use") begun.call = calls_++;
    sink.text(text_at(block, "text"));
    sink.reasoning(text_at(block, "thinking"));
    return std::nullopt;
}

void AnthropicReader::read_delta(Block& block, const Datum& delta, const ReplySink& sink) {
    const std::string type = text_at(delta, "type");
    if (type == "text_delta") {
        const std::string text = text_at(delta, "text");
        block.text += text;
        sink.text(text);
    } else if (type == "input_json_delta") {
        const std::string piece = text_at(delta, "partial_json");
        block.input += piece;
        sink.arguments(block.call, call_.names.received(text_at(block.start, "name")), piece);
    } else if (type == "thinking_delta") {
        const std::string thought = text_at(delta, "thinking");
        block.text += thought;
        sink.reasoning(thought);
    } else if (type == "signature_delta") {
        block.signature += text_at(delta, "signature");
    }
}

/// Later numbers replace earlier ones, and those that are null nothing.
void AnthropicReader::read_usage(const Datum* usage) {
    if (!usage) return;
    const auto read = [usage](const char* name, std::int64_t& count) {
        const Datum* found = usage->find(name);
        if (found && !found->is_nil()) count = count_at(*usage, name);
    };
    TokenUsage& sum = reply_.usage;
    read("input_tokens", plain_input_);
    read("cache_read_input_tokens", sum.cache_read);
    read("cache_creation_input_tokens", sum.cache_creation);
    read("output_tokens", sum.output);
    sum.input = plain_input_ + sum.cache_read + sum.cache_creation;
}

void AnthropicReader::read_stop(const Datum& from) {
    if (std::string reason = text_at(from, "stop_reason"); !reason.empty()) stop_reason_ = std::move(reason);
    if (const Datum* details = from.find("stop_details")) explanation_ = text_at(*details, "explanation");
}

std::optional<LlmError> AnthropicReader::stop_error() const {
    if (stop_reason_ == "refusal")
        return provider_error(ProviderFault::ContentFilter,
                              "The model refused" + (explanation_.empty() ? "." : ": " + explanation_));
    if (stop_reason_ == "max_tokens")
        return provider_error(ProviderFault::Length, "The reply was cut at its highest number of tokens (max_tokens).");
    if (stop_reason_ == "model_context_window_exceeded")
        return provider_error(ProviderFault::ContextLength, "The reply was cut: the model's context is full.");
    // Such as pause_turn, which asks for another request, and which only tools of Anthropic's own bring about.
    if (std::ranges::find(kWhole, stop_reason_) == std::end(kWhole))
        return provider_error(ProviderFault::BadReply,
                              "The reply is not complete (stop_reason: `" + stop_reason_ + "`).");
    return std::nullopt;
}

std::optional<LlmError> AnthropicReader::add_call(const Block& block) {
    const std::string name = text_at(block.start, "name");
    const std::string id = text_at(block.start, "id");
    if (name.empty()) return provider_error(ProviderFault::BadReply, "The reply has a tool call without a name.");
    const Datum* input = block.start.find("input");
    const bool is_given = block.input.empty() && input && !input->is_nil();
    reply_.tool_calls.push_back(read_call(id.empty() ? made_up_id(call_.request, reply_.tool_calls.size()) : id,
                                          call_.names.received(name), is_given ? input->to_json() : block.input));
    return std::nullopt;
}

/// The blocks as they came, when there is reasoning among them.
std::string AnthropicReader::state() const {
    Datum::List blocks;
    bool has_reasoning = false;
    std::size_t calls = 0;
    for (const auto& [index, block] : blocks_) {
        const std::string type = text_at(block.start, "type");
        if (type == "thinking") {
            has_reasoning = true;
            blocks.push_back(Datum::object({{"type", "thinking"},
                                            {"thinking", text_at(block.start, "thinking") + block.text},
                                            {"signature", text_at(block.start, "signature") + block.signature}}));
        } else if (type == "redacted_thinking") {
            has_reasoning = true;
            blocks.push_back(Datum::object({{"type", type}, {"data", text_at(block.start, "data")}}));
        } else if (type == "text") {
            blocks.push_back(Datum::object({{"type", type}, {"text", text_at(block.start, "text") + block.text}}));
        } else if (type == "tool_use" && calls < reply_.tool_calls.size()) {
            const ToolCall& call = reply_.tool_calls[calls++];
            blocks.push_back(Datum::object(
                {{"type", type}, {"id", call.id}, {"name", text_at(block.start, "name")}, {"input", call.arguments}}));
        }
    }
    return has_reasoning ? pack_state(call_.options, Datum(std::move(blocks))) : std::string();
}

LlmResult AnthropicReader::finish() {
    std::optional<LlmError> error = stop_error();
    for (const auto& [index, block] : blocks_) {
        if (error) break;
        const std::string type = text_at(block.start, "type");
        if (type == "text") reply_.text += text_at(block.start, "text") + block.text;
        if (type == "thinking") reply_.reasoning += text_at(block.start, "thinking") + block.text;
        if (type == "tool_use") error = add_call(block);
    }
    if (std::optional<LlmError> problem = problem_of(reply_, std::move(error))) return std::move(*problem);
    reply_.provider_state = state();
    return std::move(reply_);
}

std::unique_ptr<ReplyReader> reader(const ProviderCall& call) { return std::make_unique<AnthropicReader>(call); }

} // namespace

const WireFormat kAnthropicWire{path, headers, body, reader, &MediaRow::anthropic, true};

} // namespace ptc
