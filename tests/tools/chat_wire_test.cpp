// Requests of chat completions read, and replies written: which message is the mission's, what is refused with its
// place, and which status a failure has. Clients themselves are in tests/wire.
#include "tools/serve/chat_service.h"
#include "tools/serve/chat_wire.h"
#include "tools/serve/http_access.h"
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace ptc {
namespace {

ChatRequest read(std::string_view body) {
    auto request = read_chat_request(body);
    const auto* error = std::get_if<WireError>(&request);
    EXPECT_FALSE(error) << error->message;
    return error ? ChatRequest{} : std::get<ChatRequest>(std::move(request));
}

WireError refusal(std::string_view body) {
    auto request = read_chat_request(body);
    EXPECT_TRUE(std::holds_alternative<WireError>(request)) << body;
    return std::holds_alternative<WireError>(request) ? std::get<WireError>(request) : WireError{};
}

std::string with_messages(const std::string& messages) { return R"({"model":"a","messages":)" + messages + "}"; }

TEST(ChatWire, TheLastMessageIsTheMissionsAndEarlierOnesAreItsHistory) {
    const ChatRequest request = read(with_messages(
        R"([{"role":"user","content":"one"},{"role":"assistant","content":"ONE"},{"role":"user","content":"two"}])"));
    EXPECT_EQ(request.message, "two");
    ASSERT_EQ(request.history.size(), 2u);
    EXPECT_EQ(request.history[0].content, "one");
    EXPECT_EQ(request.history[1].role, Message::Role::Assistant);
    EXPECT_FALSE(request.is_stream);
}

TEST(ChatWire, SystemMessagesGoToTheUsersBesideThem) {
    EXPECT_EQ(read(with_messages(R"([{"role":"system","content":"be brief"},{"role":"user","content":"hi"}])")).message,
              "be brief\n\nhi");
    EXPECT_EQ(
        read(with_messages(R"([{"role":"user","content":"hi"},{"role":"developer","content":"in French"}])")).message,
        "hi\n\nin French");
    const ChatRequest request = read(with_messages(
        R"([{"role":"assistant","content":"A"},{"role":"assistant","content":"B"},{"role":"system","content":"s"},{"role":"user","content":"x"},{"role":"user","content":"y"}])"));
    ASSERT_EQ(request.history.size(), 1u);
    EXPECT_EQ(request.history[0].content, "A\n\nB");
    EXPECT_EQ(request.message, "s\n\nx\n\ny");
}

TEST(ChatWire, PartsOfTextAreJoined) {
    EXPECT_EQ(
        read(with_messages(R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])"))
            .message,
        "ab");
    EXPECT_EQ(
        read(
            with_messages(
                R"([{"role":"user","content":"x"},{"role":"assistant","content":null},{"role":"user","content":"y"}])"))
            .history.size(),
        2u);
}

TEST(ChatWire, WhatCannotBeHadIsRefusedWithItsPlace) {
    const std::string user = R"("messages":[{"role":"user","content":"x"}])";
    const auto param = [&](const std::string& members) {
        return refusal("{\"model\":\"a\"," + user + "," + members + "}").param;
    };
    EXPECT_EQ(param(R"("tools":[{}])"), "tools");
    EXPECT_EQ(param(R"("functions":[{}])"), "functions");
    EXPECT_EQ(param(R"("n":2)"), "n");
    EXPECT_EQ(param(R"("n":"1")"), "n");
    EXPECT_EQ(param(R"("audio":{})"), "audio");
    EXPECT_EQ(param(R"("stream":"yes")"), "stream");
    EXPECT_EQ(param(R"("stream_options":7)"), "stream_options");
    EXPECT_EQ(param(R"("stream_options":{"include_usage":7})"), "stream_options.include_usage");
    EXPECT_EQ(param(R"("response_format":{"type":"json_schema"})"), "response_format");
    EXPECT_EQ(refusal(with_messages(R"([{"role":"user","content":"x"},{"role":"assistant","content":"y"}])")).param,
              "messages");
    EXPECT_EQ(refusal(with_messages(R"([{"role":"system","content":"x"}])")).param, "messages");
    EXPECT_EQ(refusal(with_messages(R"([{"role":"user","content":""}])")).param, "messages");
    EXPECT_EQ(refusal(with_messages(R"([7])")).param, "messages");
    EXPECT_EQ(refusal(with_messages(R"([{"role":"user","content":7}])")).param, "messages[0].content");
    EXPECT_EQ(refusal(with_messages(R"([{"role":"user","content":"x"},{"role":"assistant","tool_calls":[]}])")).param,
              "messages[1].role");
    EXPECT_EQ(refusal("{").code, "invalid_json");
    EXPECT_EQ(refusal(std::string(2000, '[')).code, "invalid_json");
    EXPECT_TRUE(read("{\"model\":\"a\"," + user + R"(,"response_format":{"type":"json_object"}})").wants_object);
    const ChatRequest lenient =
        read("{\"model\":\"a\"," + user + R"(,"tools":[],"n":1,"top_p":"x","stream":null,"store":true})");
    EXPECT_EQ(lenient.message, "x");
}

TEST(ChatWire, TextIsAsItIsAndOtherValuesAreJson) {
    EXPECT_EQ(content_of(Datum("as \"it\" is")), "as \"it\" is");
    EXPECT_EQ(content_of(Datum()), "null");
    EXPECT_EQ(content_of(Datum::object({{"n", 1}, {"_pin", "1234"}})), R"({"n":1,"_pin":"<Firewalled>"})");
}

TEST(ChatWire, EachReasonHasAStatus) {
    for (const MissionReason reason : mission_reasons()) {
        const WireError error = mission_error(reason_name(reason), "");
        const bool may_be_repeated = reason == MissionReason::LlmError || reason == MissionReason::Interrupted;
        EXPECT_EQ(error.status >= 500, may_be_repeated) << error.code;
        EXPECT_NE(error.type, "invalid_request_error") << error.code;
    }
    EXPECT_EQ(mission_error("llm_error", "").status, 502);
    EXPECT_EQ(mission_error("store_unavailable", "").status, 503);
    EXPECT_EQ(mission_error("mission_timeout", "").status, 400);
    EXPECT_EQ(mission_error("a reason of a program", "").status, 400);
}

TEST(ChatWire, ChunksAreJsonWhateverIsInThem) {
    const ChatReply reply{.id = "x", .model = "\"a\"", .created = 7};
    const std::string odd = "line\n\"quoted\" \x01 \xff";
    for (const std::string& chunk : {role_chunk(reply, true), content_chunk(reply, odd, false), last_chunk(reply, true),
                                     usage_chunk(reply, {.input = 1}), completion_json(reply, odd, {})}) {
        EXPECT_TRUE(Datum::from_json(chunk).ok()) << chunk;
        EXPECT_EQ(chunk.find('\n'), std::string::npos);
    }
}

TEST(ChatWire, SecretsAreTheSameOnlyWhenTheyAre) {
    EXPECT_TRUE(same_secret("abc", "abc"));
    EXPECT_FALSE(same_secret("abc", "abd"));
    EXPECT_FALSE(same_secret("abc", "abcd"));
    EXPECT_FALSE(same_secret("", "a"));
}

} // namespace
} // namespace ptc
