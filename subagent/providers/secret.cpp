#include "subagent/providers/secret.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxMessage = 500;

/// On one line, without control characters, cut between two characters.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    if (text.size() <= kMaxMessage) return text;
    std::size_t end = kMaxMessage;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return text.substr(0, end) + "..";
}

/// How many bytes at the end of `text` may be the beginning of `secret`, and are not all of it.
std::size_t begun_length(std::string_view text, std::string_view secret) {
    if (secret.empty()) return 0;
    std::size_t length = std::min(text.size(), secret.size() - 1);
    while (length > 0 && !text.ends_with(secret.substr(0, length)))
        --length;
    return length;
}

} // namespace

std::string without_secret(std::string text, std::string_view secret) {
    std::size_t found = secret.empty() ? std::string::npos : text.find(secret);
    if (found == std::string::npos) return text;
    std::string out;
    std::size_t from = 0;
    for (; found != std::string::npos; found = text.find(secret, from)) {
        out.append(text, from, found - from).append("[key]");
        from = found + secret.size();
    }
    return out.append(text, from);
}

LlmError cleaned(LlmError error, std::string_view secret) {
    error.message = one_line(without_secret(std::move(error.message), secret));
    return error;
}

// Events of streams are cleaned as they come; this is for what was put together from several of them, or was written
// with escapes.
LlmReply cleaned(LlmReply reply, std::string_view secret) {
    reply.text = without_secret(std::move(reply.text), secret);
    reply.provider_state = without_secret(std::move(reply.provider_state), secret);
    for (ToolCall& call : reply.tool_calls) {
        call.id = without_secret(std::move(call.id), secret);
        call.name = without_secret(std::move(call.name), secret);
        const std::string arguments = call.arguments.to_json();
        if (secret.empty() || arguments.find(secret) == std::string::npos) continue;
        Result<Datum> clean = Datum::from_json(without_secret(arguments, secret));
        call.arguments = clean.ok() ? std::move(clean).value() : Datum(Datum::Map());
    }
    return reply;
}

void SecretFilter::feed(std::string_view text) {
    waiting_ = without_secret(waiting_.append(text), secret_);
    const std::size_t held = begun_length(waiting_, secret_);
    const std::size_t ready = waiting_.size() - held;
    if (ready > 0) sink_(std::string_view(waiting_).substr(0, ready));
    waiting_.erase(0, ready);
}

void SecretFilter::finish() {
    if (!waiting_.empty()) sink_(waiting_);
    waiting_.clear();
}

} // namespace ptc
