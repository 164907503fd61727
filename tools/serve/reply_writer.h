// Replies as the protocols of clients have them: OpenAI's chat completions, and its responses.
#pragma once
#include "tools/serve/chat_wire.h"
#include <memory>
#include <string>
#include <string_view>

namespace ptc {

/// Writes one reply: `whole`, or as a stream `begin`, `text` any number of times, and `end` or `error`.
class ReplyWriter {
public:
    virtual ~ReplyWriter() = default;
    [[nodiscard]] virtual std::string whole(std::string_view content, const TokenUsage& tokens) = 0;
    [[nodiscard]] virtual std::string begin() = 0;
    [[nodiscard]] virtual std::string text(std::string_view delta) = 0;
    /// `content` is all of the text.
    [[nodiscard]] virtual std::string end(std::string_view content, const TokenUsage& tokens) = 0;
    [[nodiscard]] virtual std::string error(const WireError& error) = 0;
};
std::unique_ptr<ReplyWriter> chat_writer(ChatReply head, bool wants_usage);
std::unique_ptr<ReplyWriter> responses_writer(ChatReply head);

} // namespace ptc
