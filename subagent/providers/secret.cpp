// The key is replaced wherever it appears in what a server sends. Text that arrives in pieces can have the key across
// two of them, so the end of a piece that may begin the key is held back until the next one shows what it is.
#include "subagent/providers/secret.h"
#include "frontend/utf8.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxMessage = 500;
constexpr std::string_view kShown = "[key]";
constexpr char32_t kReplacement = 0xFFFD;

/// In UTF-8, on one line, without control characters, cut between two characters.
std::string one_line(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() <= kMaxMessage;) {
        const utf8::Decoded c = utf8::decode(text, at);
        const bool is_control = c.valid && (c.code_point < 0x20 || (c.code_point >= 0x7F && c.code_point < 0xA0));
        utf8::append(out, !c.valid ? kReplacement : is_control ? U' ' : c.code_point);
        at += c.size;
    }
    if (out.size() <= kMaxMessage) return out;
    return std::string(utf8::prefix(out, kMaxMessage)) + "..";
}

/// How many bytes at the end of `text` may be the beginning of `secret`, and are not all of it.
std::size_t begun_length(std::string_view text, std::string_view secret) {
    if (secret.empty()) return 0;
    std::size_t length = std::min(text.size(), secret.size() - 1);
    while (length > 0 && !text.ends_with(secret.substr(0, length)))
        --length;
    return length;
}

/// What is said of a failure. The body it comes from may end within the secret: bodies of errors are not read whole.
std::string clean_message(std::string text, std::string_view secret) {
    text = without_secret(std::move(text), secret);
    if (const std::size_t begun = begun_length(text, secret); begun >= kMinKeyBytes)
        text.replace(text.size() - begun, begun, kShown);
    return one_line(text);
}

/// JSON nests only as deep as its reader allows.
Datum clean_data(const Datum& value, std::string_view secret) {
    if (const std::string* text = value.text()) return Datum(without_secret(*text, secret));
    if (const Datum::List* list = value.list()) {
        Datum::List items;
        for (const Datum& item : *list)
            items.push_back(clean_data(item, secret));
        return Datum(std::move(items));
    }
    if (const Datum::Map* map = value.map()) {
        Datum::Map entries;
        for (const auto& [key, item] : *map)
            entries.emplace_back(clean_data(key, secret), clean_data(item, secret));
        return Datum(std::move(entries));
    }
    const std::string number = value.to_json(); // a key may be one
    return number.find(secret) == std::string::npos ? value : Datum(kShown);
}

/// The state is JSON, in which the secret may be written with escapes.
void clean_state(std::string& state, std::string_view secret) {
    const Result<Datum> read = Datum::from_json(state);
    if (!read.ok()) return;
    const Datum clean = clean_data(read.value(), secret);
    if (!(clean == read.value())) state = clean.to_json();
}

} // namespace

std::string without_secret(std::string text, std::string_view secret) {
    std::size_t found = secret.size() < kMinKeyBytes ? std::string::npos : text.find(secret);
    if (found == std::string::npos) return text;
    std::string out;
    std::size_t from = 0;
    for (; found != std::string::npos; found = text.find(secret, from)) {
        out.append(text, from, found - from).append(kShown);
        from = found + secret.size();
    }
    return out.append(text, from);
}

LlmError cleaned(LlmError error, std::string_view secret) {
    error.message = clean_message(std::move(error.message), secret);
    return error;
}

LlmReply cleaned(LlmReply reply, std::string_view secret) {
    for (ToolCall& call : reply.tool_calls)
        if (!call.problem.empty()) call.problem = clean_message(std::move(call.problem), secret);
    if (secret.size() < kMinKeyBytes) return reply;
    reply.text = without_secret(std::move(reply.text), secret);
    reply.reasoning = without_secret(std::move(reply.reasoning), secret);
    clean_state(reply.provider_state, secret);
    for (ToolCall& call : reply.tool_calls) {
        call.id = without_secret(std::move(call.id), secret);
        call.name = without_secret(std::move(call.name), secret);
        call.arguments = clean_data(call.arguments, secret);
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
