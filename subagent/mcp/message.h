// JSON-RPC 2.0 messages, as both sides of the protocol read and write them.
#pragma once
#include "ptc/datum.h"
#include "subagent/mcp/protocol.h"
#include <string>
#include <string_view>
#include <variant>

namespace ptc::mcp {

struct RpcError {
    int code = static_cast<int>(ErrorCode::InternalError);
    std::string message{};
    Datum data{}; ///< nil: none
};
/// With the code's own message when there is no other.
RpcError rpc_error(ErrorCode code, std::string message = {}, Datum data = {});

enum class MessageKind { Request, Notification, Result, Error };

struct Message {
    MessageKind kind = MessageKind::Request;
    Datum id{};           ///< a text or an integer; nil of notifications, and of errors about what could not be read
    std::string method{}; ///< of requests and notifications
    Datum params{};       ///< of the same: a map, or nil
    Datum result{};       ///< a map
    std::string list{};   ///< JSON of what MessageLimits::list_apart names; in `result` it is an empty list then
    RpcError error{};
    /// A member of `params._meta`; null when there is none.
    [[nodiscard]] const Datum* meta(std::string_view key) const;
};

struct MessageLimits {
    std::size_t max_bytes = std::size_t{8} << 20;
    std::size_t max_depth = 128; ///< of brackets
    bool cuts_depth = false;     ///< what is deeper becomes null, and the message stays one
    std::size_t max_id_bytes = 512;
    /// A list of a result which is not read with it, as it may be large: its items are, one at a time (visit_items,
    /// read_item). "": all is read.
    std::string_view list_apart{};
    ImportLimits reading{};
};

/// Whether a request may have this id, or this token for its progress, which goes into each notification of it.
bool is_message_id(const Datum& id, const MessageLimits& limits = {});
/// What it must be: "must be a text of ..".
std::string message_id_rule(const MessageLimits& limits = {});

/// What is no message, with what can be answered to it.
struct BadMessage {
    RpcError error;
    Datum id{};               ///< of the request, when it could be read
    bool is_response = false; ///< to a request of ours, whose id that is: it is answered by nothing
};

/// Reads one message, whole: a list of several (a batch, which revisions before 2025-06-18 have) is none. Costs what
/// reading the JSON costs; brackets are counted before anything is made of them.
std::variant<Message, BadMessage> read_message(std::string_view json, const MessageLimits& limits = {});

/// An item of a list that was left apart: what is nested deeper in the message than it may be is null.
Result<Datum> read_item(std::string_view json, const MessageLimits& limits);

/// The id of what is no message: of the object that it begins as, of which nothing else is read. Nil: it has none.
Datum find_message_id(std::string_view json, const MessageLimits& limits = {});

// One line without its end.
std::string write_request(const Datum& id, std::string_view method, const Datum& params);
std::string write_notification(std::string_view method, const Datum& params);
/// `result_json` is JSON of an object.
std::string write_result(const Datum& id, std::string_view result_json);
std::string write_error(const Datum& id, const RpcError& error);

} // namespace ptc::mcp
