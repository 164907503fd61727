// The wire of OpenAI's responses, from the server's side: requests read. Replies are in reply_writer.h.
#pragma once
#include "tools/serve/chat_wire.h"

namespace ptc {

/// The body of POST /v1/responses, as `read_chat_request` reads that of a chat: `instructions` and messages of the
/// system go before the user's text, `input` is a text or a list of messages. Nothing is kept between requests, so
/// `previous_response_id` and `conversation` are errors, as are tools of the client.
std::variant<ChatRequest, WireError> read_responses_request(std::string_view body);

} // namespace ptc
