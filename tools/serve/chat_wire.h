// The wire of OpenAI's chat completions, from the server's side: requests read, replies written. No network here.
#pragma once
#include "ptc/limits.h"
#include "ptc/llm.h"
#include "ptc/step.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// An error as the wire has it: {"error": {"message", "type", "code", "param"}}.
struct WireError {
    int status = 400;
    std::string type = "invalid_request_error";
    std::string code{};  ///< "" is null
    std::string param{}; ///< "" is null
    std::string message{};
};
std::string error_object(const WireError& error); ///< what is behind "error"
std::string error_json(const WireError& error);

/// What a client asks for.
struct ChatRequest {
    std::string model;
    std::vector<Message> history{};        ///< what was said before, by users and assistants
    std::string message{};                 ///< the user's last one
    std::vector<Attachment> attachments{}; ///< images and files of it
    bool is_stream = false;
    bool wants_usage = false;  ///< of a stream
    bool wants_object = false; ///< response_format json_object: the content must be a JSON object
    std::string schema_json{}; ///< response_format json_schema: what the content must be; "" for anything
    Datum repeated{};          ///< members that the reply of responses repeats, as they came
};

/// The body of POST /v1/chat/completions, which anybody may have written. Members that are not known here are ignored,
/// as are those that tell a model how to write (temperature, max_tokens, ..), where they are what they should be: the
/// agent decides that. What would change the meaning of the reply and cannot be had is an error: tools of the client,
/// more than one choice, where to stop, probabilities, sound. Images (`image_url`) and files (`file` with
/// `file_data`) of the user go to the agent's model, in front of the texts of their message.
///
/// The text of system and developer messages goes before the user's text that follows, or after the last one: what a
/// client sends is never the agent's own system text.
std::variant<ChatRequest, WireError> read_chat_request(std::string_view body);

// Parts of reading that the wire of responses has as well; each gives an error, or none.

/// The JSON of a body, and what of it all requests have: `model`, `stream`, and no tools.
std::variant<Datum, WireError> read_body(std::string_view body, ChatRequest& request);
/// What the content must be: {"type": "text"}, json_object or json_schema; null for nothing. `param` is where it
/// stands.
std::optional<WireError> read_format(const Datum* format, const std::string& param, ChatRequest& request);
/// Messages: the last user's is the mission's, earlier ones are history. `param` is the list's name.
std::optional<WireError> read_conversation(const Datum::List& rows, const std::string& param, ChatRequest& request);

/// What all parts of a reply have.
struct ChatReply {
    std::string id; ///< "chatcmpl-..", "resp_.."
    std::string model;
    std::int64_t created = 0; ///< seconds since 1970
    Datum repeated{};         ///< ChatRequest::repeated
};
std::string completion_json(const ChatReply& reply, std::string_view content, const TokenUsage& tokens);

/// Chunks of a stream, each a JSON object for a `data:` line. With `wants_usage` they have a usage of null, as the last
/// one has it.
std::string role_chunk(const ChatReply& reply, bool wants_usage);
std::string content_chunk(const ChatReply& reply, std::string_view delta, bool wants_usage);
std::string last_chunk(const ChatReply& reply, bool wants_usage);
std::string usage_chunk(const ChatReply& reply, const TokenUsage& tokens);
/// "data: ..\n\n"
std::string sse_event(std::string_view json);
inline constexpr std::string_view kStreamEnd = "data: [DONE]\n\n";
inline constexpr std::string_view kStreamComment = ": the agent works\n\n";

std::string model_json(std::string_view name, std::int64_t created);
std::string models_json(const std::vector<std::string>& names, std::int64_t created);

/// The content of a reply: a text as it is, any other value as JSON. Firewalled values are not in it.
std::string content_of(const Datum& value);
/// The same in the shape of a client's schema (schema_fit.h), which may be closed: firewalled names are not in it
/// either.
std::string schema_content_of(const Datum& value, std::string_view schema_json);
/// A failed mission: its reason is the code, and the status says whose fault it is. `message` has no firewalled values.
WireError mission_error(std::string_view reason, std::string message);

} // namespace ptc
