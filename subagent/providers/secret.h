// Keys in what servers send back: they are taken out before anybody sees them.
#pragma once
#include "ptc/llm.h"

namespace ptc {

/// Shorter ones are no secrets but words, such as the "EMPTY" that servers without keys are given: they are not looked
/// for, as they would be found in any text.
constexpr std::size_t kMinKeyBytes = 8;

/// `text` with "[key]" in place of `secret`, which may be "".
std::string without_secret(std::string text, std::string_view secret);

/// The error, the reply as hosts get them, put together and decoded: `secret` is nowhere in them, however it came. What
/// is wrong with a call or the reply is short, on one line, and UTF-8.
LlmError cleaned(LlmError error, std::string_view secret);
LlmReply cleaned(LlmReply reply, std::string_view secret);

/// Hands text on piece by piece, without `secret`, of which each piece may bring a part: what may be its beginning
/// waits for the next piece. `secret` must outlive it.
class SecretFilter {
public:
    SecretFilter(TextSink sink, std::string_view secret)
        : sink_(std::move(sink)), secret_(secret.size() < kMinKeyBytes ? std::string_view() : secret) {}
    void feed(std::string_view text);
    /// Nothing follows: what waits was no secret.
    void finish();

private:
    TextSink sink_;
    std::string_view secret_;
    std::string waiting_;
};

} // namespace ptc
