// What the protocols share: which schemas a provider can enforce, options merged into a request, arguments of calls as
// objects, ids for calls that have none, and the state that a provider wants back with a message.
#include "subagent/providers/wire.h"
#include "frontend/base64.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kMadeUp = "ptc_call_";

/// Schemas nest as deep as their JSON, which the reader bounds.
bool is_strict(const Datum& schema, const SchemaRules& rules);

bool are_strict(const Datum* schemas, const SchemaRules& rules) {
    if (!schemas) return true;
    if (const Datum::List* list = schemas->list())
        return std::ranges::all_of(*list, [&](const Datum& s) { return is_strict(s, rules); });
    if (const Datum::Map* map = schemas->map())
        return std::ranges::all_of(*map, [&](const auto& entry) { return is_strict(entry.second, rules); });
    return false;
}

bool is_closed(const Datum& schema, const SchemaRules& rules) {
    const Datum* more = schema.find("additionalProperties");
    if (!more || !(*more == Datum(false))) return false;
    const Datum* properties = schema.find("properties");
    const Datum* required = schema.find("required");
    const std::size_t count = properties && properties->map() ? properties->map()->size() : 0;
    const std::size_t wanted = required && required->list() ? required->list()->size() : 0;
    return !rules.needs_all_required || count == wanted;
}

bool is_strict(const Datum& schema, const SchemaRules& rules) {
    if (!schema.map()) return false;
    for (const std::string_view keyword : rules.unsupported)
        if (!keyword.empty() && schema.find(keyword)) return false;
    const Datum* type = schema.find("type");
    const bool is_object = (type && type->text() && *type->text() == "object") || schema.find("properties");
    if (is_object && !is_closed(schema, rules)) return false;
    if (!type && !schema.find("enum") && !schema.find("const") && !schema.find("anyOf") && !schema.find("$ref"))
        return false;
    const Datum* items = schema.find("items");
    return are_strict(schema.find("properties"), rules) && are_strict(schema.find("$defs"), rules) &&
           are_strict(schema.find("anyOf"), rules) && (!items || is_strict(*items, rules));
}

} // namespace

// ---- Images and files

namespace {

constexpr MediaRow kMedia[] = {
#define PTC_MEDIA(type, openai, anthropic, gemini) {type, openai, anthropic, gemini},
#include "subagent/providers/media_types.def"
#undef PTC_MEDIA
};

/// Why not; "" if it can go.
std::string refusal_of(const Attachment& one, const ProviderCall& call, const WireFormat& wire) {
    const bool is_image = one.kind == Attachment::Kind::Image;
    const std::string model = "The model " + quoted_excerpt(call.options.model, 100);
    const std::optional<ModelInputs>& takes = call.options.takes;
    if (takes && !(is_image ? takes->images : takes->files))
        return model + (is_image ? " takes no images." : " takes no files.");
    if (!one.url.empty() && !is_image && !wire.has_file_urls) return model + " takes no files at an address.";
    if (!one.url.empty() && one.media_type.empty()) return "";
    const auto row = std::ranges::find(kMedia, one.media_type, &MediaRow::type);
    const bool is_known = row != std::end(kMedia) && (*row).*wire.takes;
    const bool fits = is_known && one.media_type.starts_with("image/") == is_image;
    return fits ? "" : model + " takes no " + (is_image ? "images" : "files") + " of the type " + one.media_type + ".";
}

} // namespace

std::optional<LlmError> why_no_attachments(const ProviderCall& call, const WireFormat& wire) {
    for (const Message& message : call.request.messages) {
        const Result<void> allowed = check_attachments(message.attachments);
        if (!allowed.ok()) return provider_error(ProviderFault::InvalidRequest, allowed.error().message);
        for (const Attachment& one : message.attachments) {
            std::string why = refusal_of(one, call, wire);
            if (!why.empty()) return provider_error(ProviderFault::UnsupportedInput, std::move(why));
        }
    }
    return std::nullopt;
}

std::string data_url(const Attachment& attachment) {
    return "data:" + attachment.media_type + ";base64," + base64(*attachment.bytes);
}

bool is_text_file(const Attachment& attachment) {
    return attachment.bytes &&
           (attachment.media_type.starts_with("text/") || attachment.media_type == "application/json");
}

// ---- Options

CallOptions::CallOptions(const ProviderCall& call) {
    const auto add = [this](const Datum& options) {
        if (!options.map()) return;
        for (const auto& [key, value] : *options.map()) {
            const auto* keyword = key.get_if<Datum::Keyword>();
            const std::string name = key.text() ? *key.text() : keyword ? keyword->name : key.to_json();
            std::erase_if(members_, [&](const auto& member) { return *member.first.text() == name; });
            members_.emplace_back(Datum(name), value);
        }
    };
    add(call.options.options);
    add(call.request.options);
}

const Datum* CallOptions::take(std::string_view name) {
    const auto found = std::ranges::find(members_, name, [](const auto& member) { return *member.first.text(); });
    if (found == members_.end()) return nullptr;
    taken_.push_back(std::make_unique<Datum>(std::move(found->second)));
    members_.erase(found);
    return taken_.back().get();
}

Datum CallOptions::take_max_tokens(const ProviderCall& call) {
    const Datum* given = take("max_tokens");
    if (given) return *given;
    return call.options.max_tokens ? Datum(*call.options.max_tokens) : Datum();
}

Datum CallOptions::take_temperature(const ProviderCall& call) {
    const Datum* given = take("temperature");
    if (given) return *given;
    return call.options.temperature ? Datum(*call.options.temperature) : Datum();
}

bool CallOptions::has(std::string_view name) const {
    return std::ranges::any_of(members_, [&](const auto& member) { return *member.first.text() == name; });
}

Result<std::string> CallOptions::rest(std::initializer_list<std::string_view> own) const {
    std::string out;
    for (const auto& [key, value] : members_) {
        if (std::ranges::find(own, *key.text()) != own.end())
            return Error(Reason::InvalidRequest,
                         "The option `" + *key.text() + "` is not for models: the client writes it.");
        out += ',' + json_string(*key.text()) + ':' + value.to_json();
    }
    return out;
}

const EffortWords& words_of(ReasoningEffort effort) {
    static constexpr EffortWords kWords[] = {
#define PTC_EFFORT(Name, openai, anthropic, gemini) {openai, anthropic, gemini},
#define PTC_CHOICE(Name, openai, anthropic, gemini)
#include "subagent/providers/request_words.def"
#undef PTC_EFFORT
#undef PTC_CHOICE
    };
    return kWords[static_cast<std::size_t>(effort)];
}

const ChoiceWords& words_of(ToolChoice::Mode mode) {
    static constexpr ChoiceWords kWords[] = {
#define PTC_EFFORT(Name, openai, anthropic, gemini)
#define PTC_CHOICE(Name, openai, anthropic, gemini) {openai, anthropic, gemini},
#include "subagent/providers/request_words.def"
#undef PTC_EFFORT
#undef PTC_CHOICE
    };
    return kWords[static_cast<std::size_t>(mode)];
}

Result<bool> has_tool_choice(const ProviderCall& call) {
    const ToolChoice& choice = call.request.tool_choice;
    const std::vector<ToolSchema>& tools = call.request.tools;
    if (choice.mode == ToolChoice::Mode::Tool &&
        std::ranges::find(tools, choice.tool, &ToolSchema::name) == tools.end())
        return Error(Reason::InvalidRequest,
                     "The tool `" + choice.tool + "` is chosen, which the model does not have.");
    return choice.mode != ToolChoice::Mode::Auto && !tools.empty();
}

bool is_strict_schema(std::string_view schema_json, const SchemaRules& rules) {
    const Result<Datum> schema = Datum::from_json(schema_json);
    return schema.ok() && is_strict(schema.value(), rules);
}

std::string schema_instruction(std::string_view schema_json) {
    return "Your final answer is one JSON value and nothing else: no words around it, no code fence. It fits this JSON "
           "Schema:\n" +
           std::string(schema_json);
}

ToolCall read_call(std::string id, std::string name, const std::string& arguments) {
    ToolCall call{std::move(id), std::move(name), Datum(Datum::Map())};
    if (arguments.find_first_not_of(" \t\r\n") == std::string::npos) return call;
    Result<Datum> read = Datum::from_json(arguments);
    if (read.ok() && read.value().map()) {
        call.arguments = std::move(read).value();
        return call;
    }
    const std::string why = read.ok() ? "another value" : read.error().message;
    call.problem = "The arguments are no JSON object: " + why + ": " + arguments;
    return call;
}

std::optional<LlmError> problem_of(const LlmReply& reply, std::optional<LlmError> error) {
    if (!error && reply.text.empty() && reply.tool_calls.empty())
        error = provider_error(ProviderFault::BadReply, "The reply is empty.");
    if (error) error->usage = reply.usage;
    return error;
}

LlmError too_many_parts() {
    return provider_error(ProviderFault::BadReply, "The reply has too many tool calls or parts.");
}

std::int64_t count_at(const Datum& object, std::string_view name) {
    constexpr double kMost = static_cast<double>(std::int64_t{1} << 50);
    double count = 0;
    const Datum* found = object.find(name);
    return found && found->to_double(&count) && count > 0 ? static_cast<std::int64_t>(std::min(count, kMost)) : 0;
}

std::string text_at(const Datum& object, std::string_view name) {
    const Datum* found = object.find(name);
    return found && found->text() ? *found->text() : std::string();
}

Datum with_member(const Datum& object, std::string_view name, Datum value) {
    Datum::Map members;
    if (object.map())
        for (const auto& [key, member] : *object.map())
            if (!key.text() || *key.text() != name) members.emplace_back(key, member);
    members.emplace_back(Datum(name), std::move(value));
    return Datum(std::move(members));
}

std::string made_up_id(const LlmRequest& request, std::size_t index) {
    std::size_t before = 0;
    for (const Message& message : request.messages)
        before += message.tool_calls.size();
    return std::string(kMadeUp) + std::to_string(before + index + 1);
}

bool is_made_up_id(std::string_view id) { return id.starts_with(kMadeUp); }

std::string pack_state(const ProviderOptions& options, const Datum& content) {
    return JsonObject()
        .text("provider", options.provider)
        .text("model", options.model)
        .raw("content", content.to_json())
        .finish();
}

std::optional<Datum> unpack_state(const ProviderOptions& options, const std::string& state) {
    if (state.empty()) return std::nullopt;
    const Result<Datum> read = Datum::from_json(state);
    if (!read.ok() || text_at(read.value(), "provider") != options.provider ||
        text_at(read.value(), "model") != options.model)
        return std::nullopt;
    const Datum* content = read.value().find("content");
    return content && content->list() ? std::optional(*content) : std::nullopt;
}

} // namespace ptc
