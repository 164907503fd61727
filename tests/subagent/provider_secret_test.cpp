#include "subagent/providers/secret.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

constexpr std::string_view kKey = "sk-sk-123";

/// What is shown of `text` when it comes in pieces of `size` bytes.
std::string shown(std::string_view text, std::size_t size) {
    std::string out;
    SecretFilter filter([&out](std::string_view part) { out += part; }, kKey);
    for (std::size_t at = 0; at < text.size(); at += size)
        filter.feed(text.substr(at, size));
    filter.finish();
    return out;
}

TEST(SecretFilter, FindsTheKeyWhereverTheTextIsCut) {
    for (const std::string_view text : {"sk-sk-123", "a sk-sk-123 b", "sk-sk-sk-123", "sk-sk-12sk-sk-123s",
                                        "sk-sk-123sk-sk-123", "sk-sk-12", "s", ""})
        for (std::size_t size = 1; size <= 12; ++size)
            EXPECT_EQ(shown(text, size), without_secret(std::string(text), kKey)) << text << " in pieces of " << size;
}

TEST(SecretFilter, WithoutAKeyAllIsShownAtOnce) {
    std::string out;
    SecretFilter filter([&out](std::string_view part) { out += part; }, "");
    filter.feed("text");
    EXPECT_EQ(out, "text");
}

TEST(Secret, IsTakenOutOfCallsThatWerePutTogether) {
    LlmReply reply;
    reply.tool_calls.push_back(
        {"c1", "find", Datum::object({{"names", Datum(Datum::List{Datum("of sk-sk-123")})}, {"n", 1}})});
    reply.provider_state = R"({"text":"sk-sk-123"})";
    reply = cleaned(std::move(reply), kKey);
    EXPECT_EQ(reply.tool_calls[0].arguments.to_json(), R"({"names":["of [key]"],"n":1})");
    EXPECT_EQ(reply.provider_state, R"({"text":"[key]"})");
}

TEST(Secret, ManyOfThemTakeLinearTime) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i)
        text += kKey;
    EXPECT_EQ(without_secret(std::move(text), kKey).size(), 5'000'000u);
}

} // namespace
} // namespace ptc
