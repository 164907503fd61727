// Reading is in two steps: the JSON as any other is read, within the limits of its length and depth, then what a
// message must have. A request that cannot be carried out is answered with its own id wherever that could be read.
#include "subagent/mcp/message.h"
#include "subagent/mcp/json_parts.h"
#include <algorithm>
#include <utility>

namespace ptc::mcp {
namespace {

BadMessage bad(ErrorCode code, std::string message, Datum id = {}) {
    return {rpc_error(code, std::move(message)), std::move(id)};
}

using Read = std::variant<Message, BadMessage>;

Read read_call(const Datum& json, const Datum* id, const Datum& known) {
    const Datum& method = json["method"];
    if (!method.text()) return bad(ErrorCode::InvalidRequest, "`method` must be a text.", known);
    const Datum* params = json.find("params");
    if (params && !params->map()) return bad(ErrorCode::InvalidRequest, "`params` must be an object.", known);
    Message message{
        .kind = id ? MessageKind::Request : MessageKind::Notification, .id = known, .method = *method.text()};
    if (params) message.params = *params;
    return message;
}

BadMessage bad_response(std::string message, const Datum& id) {
    return {rpc_error(ErrorCode::InvalidRequest, std::move(message)), id, true};
}

Read read_error(const Datum& error, const Datum& id) {
    std::int64_t code = 0;
    if (!error.map() || !error["code"].to_int64(&code) || !std::in_range<int>(code) || !error["message"].text())
        return bad_response("`error` must have an integer `code` and a text `message`.", id);
    return Message{.kind = MessageKind::Error,
                   .id = id,
                   .error = {static_cast<int>(code), *error["message"].text(), error["data"]}};
}

Read read_object(const Datum& json, const MessageLimits& limits) {
    const Datum* id = json.find("id");
    const Datum known = id && is_message_id(*id, limits) ? *id : Datum();
    const Datum* result = json.find("result");
    const Datum* error = json.find("error");
    const std::string* version = json["jsonrpc"].text();
    if (!version || *version != "2.0") return bad(ErrorCode::InvalidRequest, "`jsonrpc` must be \"2.0\".", known);
    // An error about what its sender could not read has no id, or null.
    if (id && known.is_nil() && !(error && id->is_nil()))
        return bad(ErrorCode::InvalidRequest, "`id` " + message_id_rule(limits));
    if (json.find("method")) {
        if (result || error)
            return bad(ErrorCode::InvalidRequest, "A message is a request or a response, not both.", known);
        return read_call(json, id, known);
    }
    if (!result == !error)
        return bad(ErrorCode::InvalidRequest, "A message has a `method`, a `result` or an `error`.", known);
    if (error) return read_error(*error, known);
    if (!id) return bad(ErrorCode::InvalidRequest, "A result must have the `id` of its request.");
    if (!result->map()) return bad_response("`result` must be an object.", known);
    return Message{.kind = MessageKind::Result, .id = known, .result = *result};
}

/// With all that it says as values.
Read read_whole(std::string_view json, const MessageLimits& limits) {
    const bool is_deep = is_deeper(json, limits.max_depth);
    if (is_deep && !limits.cuts_depth)
        return bad(ErrorCode::InvalidRequest,
                   "The message is nested deeper than " + std::to_string(limits.max_depth) + " levels.",
                   find_message_id(json, limits));
    const std::string cut = is_deep ? without_deeper(json, limits.max_depth) : std::string();
    const Result<Datum> read = Datum::from_json(is_deep ? std::string_view(cut) : json, limits.reading);
    if (!read.ok()) {
        const bool is_json = read.error().reason != Reason::InvalidJson;
        return bad(is_json ? ErrorCode::InvalidRequest : ErrorCode::ParseError, read.error().message,
                   is_json ? find_message_id(json, limits) : Datum());
    }
    if (read.value().list()) return bad(ErrorCode::InvalidRequest, "Messages come one at a time, not as a list.");
    if (!read.value().map()) return bad(ErrorCode::InvalidRequest, "A message is a JSON object.");
    return read_object(read.value(), limits);
}

std::string begin(const Datum* id) {
    std::string out = R"({"jsonrpc":"2.0")";
    if (id) out += R"(,"id":)" + id->to_json();
    return out;
}

std::string write_call(const Datum* id, std::string_view method, const Datum& params) {
    std::string out = begin(id) + R"(,"method":)" + Datum(method).to_json();
    if (!params.is_nil()) out += R"(,"params":)" + params.to_json();
    return out + "}";
}

} // namespace

bool is_message_id(const Datum& id, const MessageLimits& limits) {
    if (const std::string* text = id.text()) return text->size() <= limits.max_id_bytes;
    return id.get_if<std::int64_t>() != nullptr;
}

std::string message_id_rule(const MessageLimits& limits) {
    return "must be a text of at most " + std::to_string(limits.max_id_bytes) + " bytes or an integer of 64 bits.";
}

RpcError rpc_error(ErrorCode code, std::string message, Datum data) {
    const int number = static_cast<int>(code);
    if (message.empty()) message = error_message(number);
    return {number, std::move(message), std::move(data)};
}

const Datum* Message::meta(std::string_view key) const { return params["_meta"].find(key); }

Datum find_message_id(std::string_view json, const MessageLimits& limits) {
    Datum id;
    std::size_t begin = 0;    // of the member, then of its value
    bool is_id_value = false; // what begins there
    visit_structure(json, [&](std::size_t i, std::size_t depth) {
        const std::string_view text = trimmed_json(json.substr(begin, i - begin));
        if (depth == 0 && json[i] != '{' && json[i] != '}') return false;
        if (depth == 1 && json[i] == ':') {
            is_id_value = text == "\"id\"";
            begin = i + 1;
        } else if (depth == 0 || (depth == 1 && json[i] == ',')) {
            if (is_id_value && text.size() <= limits.max_id_bytes + 2) {
                const Result<Datum> read = Datum::from_json(text);
                if (read.ok() && is_message_id(read.value(), limits)) id = read.value();
            }
            if (is_id_value) return false;
            begin = i + 1;
        }
        return true;
    });
    return id;
}

std::variant<Message, BadMessage> read_message(std::string_view json, const MessageLimits& limits) {
    if (json.size() > limits.max_bytes)
        return bad(ErrorCode::InvalidRequest,
                   "The message is longer than " + std::to_string(limits.max_bytes) + " bytes.");
    const std::string_view list =
        limits.list_apart.empty() ? "" : find_member(find_member(json, "result"), limits.list_apart);
    if (!list.starts_with('[')) return read_whole(json, limits);
    const auto at = static_cast<std::size_t>(list.data() - json.data());
    const std::string rest = std::string(json.substr(0, at)).append("[]").append(json.substr(at + list.size()));
    Read read = read_whole(rest, limits);
    if (auto* message = std::get_if<Message>(&read)) message->list = list;
    return read;
}

Result<Datum> read_item(std::string_view json, const MessageLimits& limits) {
    constexpr std::size_t kAround = 3; // levels: the message, its result, the list
    const std::size_t most = limits.max_depth - std::min(kAround, limits.max_depth);
    if (!is_deeper(json, most)) return Datum::from_json(json, limits.reading);
    return Datum::from_json(without_deeper(json, most), limits.reading);
}

std::string write_request(const Datum& id, std::string_view method, const Datum& params) {
    return write_call(&id, method, params);
}

std::string write_notification(std::string_view method, const Datum& params) {
    return write_call(nullptr, method, params);
}

std::string write_result(const Datum& id, std::string_view result_json) {
    std::string out = begin(&id) + R"(,"result":)";
    out += result_json;
    return out += "}";
}

std::string write_error(const Datum& id, const RpcError& error) {
    std::string out = begin(id.is_nil() ? nullptr : &id) + R"(,"error":{"code":)" + std::to_string(error.code);
    out += R"(,"message":)" + Datum(error.message).to_json();
    if (!error.data.is_nil()) out += R"(,"data":)" + error.data.to_json();
    return out += "}}";
}

} // namespace ptc::mcp
