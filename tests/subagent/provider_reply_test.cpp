// Replies of servers that are odd, rude, or send the key back; what comes of them, and what is sent of it again. The
// bytes are given to the reader directly, without a server.
#include "frontend/json_writer.h"
#include "frontend/utf8.h"
#include "ptc/mission.h"
#include "subagent/agent/reply_bytes.h"
#include "tests/subagent/provider_calls.h"

namespace ptc {
namespace {

constexpr std::string_view kKey = "sk-secret-key-0123456789";
const ProviderOptions kOpenAi{.model = "m"};
const ProviderOptions kAnthropic{.provider = "anthropic", .model = "m"};
const ProviderOptions kGemini{.provider = "gemini", .model = "gemini-3.8-flash"};

/// A body of OpenAI's with `message` and further `members`.
Sent openai(const std::string& message, const std::string& members = "") {
    return {.body = R"({"choices":[{"message":)" + message + R"(,"finish_reason":"stop"}])" + members + "}"};
}
std::string call_with(const std::string& arguments) {
    return R"({"tool_calls":[{"id":"c1","function":{"name":"find","arguments":)" + json_string(arguments) + "}}]}";
}
std::string delta(const std::string& json, const char* reason = "null") {
    return R"(data: {"choices":[{"delta":)" + json + R"(,"finish_reason":)" + reason + "}]}\n\n";
}
std::string text_delta(std::string_view text, const char* reason = "null") {
    return delta(JsonObject().text("content", text).finish(), reason);
}

struct Told {
    std::string text{};
    LlmRequest request{};
    Told() {
        request.on_text = [this](std::string_view part) { text += part; };
    }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;
};

LlmResult with_key(const ProviderOptions& options, Sent sent, std::string_view key = kKey,
                   const LlmRequest& request = {}) {
    sent.key = key;
    return reply_to(options, request, sent);
}

// ---- Costs

TEST(ProviderCost, OfAServerIsAPriceOrNothing) {
    const auto cost = [](const char* told) {
        const std::string usage = R"(,"usage":{"prompt_tokens":1,"cost":)" + std::string(told) + "}";
        return reply_in(reply_to(kOpenAi, {}, openai(R"({"content":"a"})", usage))).usage.cost_usd;
    };
    EXPECT_EQ(cost("0.25"), 0.25);
    for (const char* wrong : {"-1.0", "1e308", "9000000000", "\"5\"", "null", "{}"})
        EXPECT_EQ(cost(wrong), 0) << wrong;
}

/// A budget is not gone round by a number that no counter holds.
TEST(ProviderTokens, AreAtMostWhatACounterHolds) {
    const auto tokens = [](const char* told) {
        const std::string usage = R"(,"usage":{"prompt_tokens":)" + std::string(told) + "}";
        return reply_in(reply_to(kOpenAi, {}, openai(R"({"content":"a"})", usage))).usage.input;
    };
    EXPECT_EQ(tokens("7"), 7);
    EXPECT_EQ(tokens("7.0"), 7);
    for (const char* large : {"1e300", "9223372036854775807", "100000000000000000000000"})
        EXPECT_EQ(tokens(large), std::int64_t{1} << 50) << large;
    for (const char* none : {"-1", "-1e300", "\"5\"", "null", "{}"})
        EXPECT_EQ(tokens(none), 0) << none;
}

TEST(ModelCatalog, AReleaseOfAModelHasItsPrices) {
    const ModelCatalog& catalog = ModelCatalog::builtin();
    const double output = catalog.find("gpt-sol").value().prices->usual.output;
    for (const char* model : {"gpt-6-sol", "gpt-6-sol-2026-09-22", "gpt-6-sol-20260922", "gpt-6-sol-latest"}) {
        const ProviderOptions found = catalog.find("openai:" + std::string(model)).value();
        EXPECT_EQ(found.model, model);
        ASSERT_TRUE(found.prices) << model;
        EXPECT_EQ(found.prices->usual.output, output) << model;
    }
    for (const char* other : {"openai:gpt-6-sol-mini", "openai:gpt-6-sol-2026-9-22", "openai:gpt-6-sol-2026-09-2x",
                              "anthropic:gpt-6-sol-2026-09-22", "openai:-latest", "openai:gpt-6-sol-latest-latest"})
        EXPECT_FALSE(catalog.find(other).value().prices) << other;
}

// ---- Keys that come back

TEST(ProviderKey, ThatIsAWordChangesNoReply) {
    for (const char* word : {"EMPTY", "x", "true", "content", "1"}) {
        const LlmReply reply =
            reply_in(with_key(kOpenAi, openai(R"({"content":"The list is EMPTY, true: fox 1, content."})"), word));
        EXPECT_EQ(reply.text, "The list is EMPTY, true: fox 1, content.") << word;
    }
    // A long one that is part of JSON itself.
    EXPECT_EQ(reply_in(with_key(kOpenAi, openai(R"({"content":"a"})"), "finish_reason")).text, "a");
}

TEST(ProviderKey, IsFoundInWhatCameInPieces) {
    Told told;
    const std::string body =
        text_delta("my sk-secret-ke") + text_delta("y-0123456789 ok") +
        delta(
            R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":"{\"a\":[\"sk-secret-ke"}}]})") +
        delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"y-0123456789\"]}"}}]})", R"("tool_calls")");
    const LlmReply reply = reply_in(with_key(kOpenAi, events(body), kKey, told.request));
    EXPECT_EQ(told.text, "my [key] ok");
    EXPECT_EQ(reply.text, "my [key] ok");
    EXPECT_EQ(reply.tool_calls.at(0).arguments, json(R"({"a":["[key]"]})"));
}

TEST(ProviderKey, IsFoundWhereItIsWrittenWithEscapes) {
    const std::string escaped = R"(\u0073k-secret-key-0123456789)";
    const std::string call = R"({"content":")" + escaped + R"(","tool_calls":[{"id":")" + escaped +
                             R"(","function":{"name":")" + escaped + R"(","arguments":{")" + escaped + R"(":[")" +
                             escaped + R"("]}}}]})";
    const LlmReply reply = reply_in(with_key(kOpenAi, openai(call)));
    EXPECT_EQ(reply.text, "[key]");
    EXPECT_EQ(reply.tool_calls.at(0), (ToolCall{"[key]", "[key]", json(R"({"[key]":["[key]"]})")}));
    const Sent error{.body = R"({"error":{"message":"bad )" + escaped + R"("}})", .status = 401};
    EXPECT_EQ(error_of(with_key(kOpenAi, error)).message, "bad [key]");
}

TEST(ProviderKey, IsNotInTheStateEither) {
    const std::string body =
        R"({"candidates":[{"content":{"parts":[{"text":"a \u0073k-\"quoted\"-key","thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]})";
    const LlmReply reply = reply_in(with_key(kGemini, {.body = body}, "sk-\"quoted\"-key"));
    EXPECT_EQ(reply.text, "a [key]");
    EXPECT_EQ(unpack_state(kGemini, reply.provider_state), json(R"([{"text":"a [key]","thoughtSignature":"c2ln"}])"));
}

TEST(ProviderKey, IsNotCutBeforeItIsFound) {
    for (std::size_t before = 430; before < 520; ++before) {
        const std::string text = std::string(before, '.') + std::string(kKey) + "{";
        const std::string problem = reply_in(with_key(kOpenAi, openai(call_with(text)))).tool_calls.at(0).problem;
        EXPECT_EQ(problem.find("sk-"), std::string::npos) << problem;
        const Sent error{.body = std::string(before, '.') + std::string(kKey), .status = 500};
        EXPECT_EQ(error_of(with_key(kOpenAi, error)).message.find("sk-"), std::string::npos) << before;
    }
    // Where the body of an error is no longer read: 64 KB, of which keys were most.
    std::string many;
    const std::string long_key(9'000, 'k');
    while (many.size() < 100'000)
        many += long_key + " ";
    EXPECT_EQ(error_of(with_key(kOpenAi, {.body = many, .status = 500}, long_key)).message.find("kk"),
              std::string::npos);
}

// ---- Messages

TEST(ProviderErrors, AreValidTextOnOneLineWhateverTheServerSends) {
    std::string bytes = "a\xff\xfe\n\x1b[31m \xE2\x98";
    for (int i = 0; i < 300; ++i)
        bytes += "\u2603\x80";
    const LlmError error = error_of(reply_to(kOpenAi, {}, {.body = bytes, .status = 400}));
    EXPECT_TRUE(error.message.starts_with("a\uFFFD\uFFFD  [31m \uFFFD")) << error.message;
    EXPECT_EQ(utf8::find_invalid(error.message), utf8::kValid);
    EXPECT_LE(error.message.size(), 502u);
    std::string snow;
    for (int i = 0; i < 400; ++i)
        snow += "\u2603";
    const LlmReply reply = reply_in(reply_to(kOpenAi, {}, openai(call_with(snow))));
    EXPECT_EQ(utf8::find_invalid(reply.tool_calls.at(0).problem), utf8::kValid);
}

TEST(ProviderErrors, AMemberThatTellsNothingIsNone) {
    for (const char* none : {"false", "\"\"", "null", "0", "[]"})
        EXPECT_EQ(
            reply_in(reply_to(kOpenAi, {}, openai(R"({"content":"a"})", R"(,"error":)" + std::string(none)))).text,
            "a");
    for (const char* told : {"\"no\"", R"({"message":"no"})"})
        EXPECT_EQ(
            error_of(reply_to(kOpenAi, {}, openai(R"({"content":"a"})", R"(,"error":)" + std::string(told)))).message,
            "no");
}

// ---- Ends of streams

TEST(ProviderStream, AReplyThatIsCompleteStands) {
    const std::string whole = text_delta("hello", R"("stop")");
    for (const char* tail : {R"(data: {"choices":[],"usage":{"prompt_)", "data: nonsense\n\ndata: {}\n\n",
                             "data: {\"error\":{\"message\":\"late\"}}\n\n", "garbage"})
        for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{1}}) {
            Told told;
            Sent sent = events(whole + tail);
            sent.piece = piece;
            EXPECT_EQ(reply_in(reply_to(kOpenAi, told.request, sent)).text, "hello") << tail;
            EXPECT_EQ(told.text, "hello");
            sent.fault = HttpFault{HttpFault::Kind::Network, "reset"};
            EXPECT_EQ(reply_in(reply_to(kOpenAi, told.request, sent)).text, "hello") << tail;
        }
    EXPECT_EQ(error_of(reply_to(kOpenAi, {}, events(text_delta("hel") + "data: nonsense\n\n"))).kind, "bad_reply");
}

std::string anthropic_events(const std::string& stop_reason) {
    return "data: "
           "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
           "data: "
           "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n"
           "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" +
           stop_reason + "\"},\"usage\":{\"output_tokens\":7}}\n\n";
}

TEST(ProviderStream, OfAnthropicIsCompleteWithItsReason) {
    for (const char* tail : {"", "event: message_stop\ndata: {\"type\":\"mess", "data: nonsense\n\n"}) {
        const LlmReply reply = reply_in(reply_to(kAnthropic, {}, events(anthropic_events("end_turn") + tail)));
        EXPECT_EQ(reply.text, "hi");
        EXPECT_EQ(reply.usage.output, 7);
    }
    for (const char* other : {"pause_turn", "something_new"}) {
        const LlmError error = error_of(reply_to(kAnthropic, {}, events(anthropic_events(other))));
        EXPECT_EQ(error.kind, "bad_reply");
        EXPECT_NE(error.message.find(other), std::string::npos);
        EXPECT_EQ(error.usage.output, 7);
    }
}

TEST(ProviderStream, APartOfABlockThatNeverBeganIsNotDropped) {
    const std::string body =
        "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    EXPECT_NE(
        error_of(reply_to(kAnthropic, {}, events(body + anthropic_events("end_turn")))).message.find("never began"),
        std::string::npos);
}

TEST(ProviderReply, IsNoneWithoutAWordThatItIsComplete) {
    EXPECT_EQ(error_of(reply_to(kOpenAi, {}, {.body = R"({"choices":[{"message":{"content":"a"}}]})"})).kind,
              "bad_reply");
    EXPECT_EQ(error_of(reply_to(kAnthropic, {}, {.body = R"({"content":[{"type":"text","text":"a"}]})"})).kind,
              "bad_reply");
    EXPECT_EQ(
        error_of(reply_to(kGemini, {}, {.body = R"({"candidates":[{"content":{"parts":[{"text":"a"}]}}]})"})).kind,
        "bad_reply");
}

TEST(ProviderReply, WithMoreCallsThanAnyIsRefusedAndNotCut) {
    const auto many = [](const std::string& item) {
        std::string out = item;
        for (std::size_t i = 0; i < kMaxCalls; ++i)
            out += "," + item;
        return out;
    };
    const std::string openai_call = many(R"({"id":"c","function":{"name":"f","arguments":"{}"}})");
    EXPECT_EQ(error_of(reply_to(kOpenAi, {}, openai(R"({"tool_calls":[)" + openai_call + "]}"))).kind, "bad_reply");
    const std::string block = many(R"({"type":"tool_use","id":"c","name":"f","input":{}})");
    const std::string anthropic = R"({"stop_reason":"tool_use","content":[)" + block + "]}";
    EXPECT_EQ(error_of(reply_to(kAnthropic, {}, {.body = anthropic})).kind, "bad_reply");
    const std::string part = many(R"({"functionCall":{"name":"f"}})");
    const std::string gemini = R"({"candidates":[{"finishReason":"STOP","content":{"parts":[)" + part + "]}}]}";
    EXPECT_EQ(error_of(reply_to(kGemini, {}, {.body = gemini})).kind, "bad_reply");
}

TEST(ProviderReply, TypesOfMediaHaveNoCase) {
    Sent sent = events(text_delta("hello", R"("stop")"));
    sent.headers = {{"content-type", "Text/Event-Stream; Charset=UTF-8"}};
    EXPECT_EQ(reply_in(reply_to(kOpenAi, {}, sent)).text, "hello");
}

TEST(ProviderReply, MayHaveItsTextInParts) {
    const std::string parts =
        R"([{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Four"},{"type":"text","text":"."}])";
    EXPECT_EQ(reply_in(reply_to(kOpenAi, {}, openai(R"({"content":)" + parts + "}"))).text, "Four.");
    Told told;
    const std::string stream = delta(R"({"content":)" + parts + "}", R"("stop")");
    EXPECT_EQ(reply_in(reply_to(kOpenAi, told.request, events(stream))).text, "Four.");
    EXPECT_EQ(told.text, "Four.");
}

// ---- Calls whose arguments cannot be read

/// The body of the next request, after `reply` and results of its calls.
Datum next_body(const ProviderOptions& options, const LlmReply& reply) {
    LlmRequest request;
    request.messages.push_back({.content = "q"});
    request.messages.push_back({.role = Message::Role::Assistant,
                                .content = reply.text,
                                .tool_calls = reply.tool_calls,
                                .provider_state = reply.provider_state});
    for (const ToolCall& call : reply.tool_calls)
        request.messages.push_back({.role = Message::Role::Tool, .content = "r", .tool_call_id = call.id});
    return body_json(options, request);
}

TEST(ToolArguments, ThatAreNoObjectSpoilOnlyTheirCall) {
    for (const char* arguments : {R"({"a":)", "[1]", "nonsense"}) {
        const std::string calls = R"({"tool_calls":[{"id":"1","function":{"name":"t","arguments":)" +
                                  json_string(arguments) +
                                  R"(}},{"id":"2","function":{"name":"t","arguments":"{\"a\":1}"}}]})";
        const LlmReply reply = reply_in(reply_to(kOpenAi, {}, openai(calls)));
        ASSERT_EQ(reply.tool_calls.size(), 2u);
        EXPECT_EQ(reply.tool_calls[0].arguments, Datum(Datum::Map()));
        EXPECT_TRUE(reply.tool_calls[0].problem.ends_with(arguments)) << reply.tool_calls[0].problem;
        EXPECT_EQ(reply.tool_calls[1], (ToolCall{"2", "t", json(R"({"a":1})")}));
        EXPECT_NE(next_body(kOpenAi, reply).to_json().find(R"("arguments":"{}")"), std::string::npos);
    }
}

TEST(ToolArguments, ThatAreNoObjectComeBackAsAnEmptyOne) {
    const std::string blocks =
        R"({"stop_reason":"tool_use","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"tool_use","id":"1","name":"t","input":[1]}]})";
    const LlmReply anthropic = reply_in(reply_to(kAnthropic, {}, {.body = blocks}));
    EXPECT_NE(anthropic.tool_calls.at(0).problem, "");
    EXPECT_NE(next_body(kAnthropic, anthropic).to_json().find(R"("input":{})"), std::string::npos);
    const std::string parts =
        R"({"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"name":"t","args":[1]},"thoughtSignature":"s"}]}}]})";
    const LlmReply gemini = reply_in(reply_to(kGemini, {}, {.body = parts}));
    EXPECT_NE(gemini.tool_calls.at(0).problem, "");
    EXPECT_NE(next_body(kGemini, gemini).to_json().find(R"("args":{})"), std::string::npos);
}

TEST(ToolArguments, ThatAreNoObjectAreTheModelsToMend) {
    int runs = 0;
    const Tool find = host_tool("find", "(q :string) -> :int", [&runs](const Datum&) -> Result<Datum> {
        ++runs;
        return Datum(4);
    });
    const std::string good = R"({\"q\":\"x\"})";
    const std::string calls = R"({"tool_calls":[{"id":"1","function":{"name":"find","arguments":"{\"q\":"}},)"
                              R"({"id":"2","function":{"name":"find","arguments":")" +
                              good + R"("}}]})";
    const LlmResult first = reply_to(kOpenAi, {}, openai(calls));
    Model model({first, LlmReply{.text = "4"}});
    const AgentPtr made =
        agent({.prompt = "x", .signature = ":int", .tools = {find}, .max_turns = 2, .output = AgentOutput::Text});
    // Between any two steps the mission goes on from bytes.
    MissionOptions options;
    options.model = ModelRef(model.llm());
    auto mission = std::make_unique<Mission>(made, options);
    mission->start();
    while (!mission->is_done()) {
        const Needs needs = mission->take_needs();
        for (const LlmNeed& need : needs.llm)
            mission->answer(need.id, options.model.call(need.request));
        for (const ToolNeed& need : needs.tools)
            mission->answer(need.id, ToolAnswer(need.tool->function(need.arguments).value()));
        const Result<std::string> bytes = mission->save();
        ASSERT_TRUE(bytes.ok()) << bytes.error().message;
        mission = std::move(made->restore(bytes.value(), options)).value();
    }
    const Step& step = mission->step();
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(step.usage.llm_calls, 2u);
    const std::vector<Message>& messages = model.seen->requests.at(1).messages;
    ASSERT_EQ(messages.size(), 4u);
    EXPECT_EQ(messages[1].tool_calls, reply_in(first).tool_calls);
    EXPECT_TRUE(messages[2].is_error && !messages[3].is_error);
    EXPECT_EQ(*json(messages[2].content).find("error"), Datum(messages[1].tool_calls[0].problem));
    EXPECT_EQ(messages[3].content, "4");
}

TEST(ToolArguments, ThatAreNoObjectAreKeptInSnapshotsOfReplies) {
    const LlmResult reply = reply_to(kOpenAi, {}, openai(call_with("[1]")));
    ByteWriter out;
    write_reply(out, reply);
    const std::string bytes = out.bytes();
    ByteReader in(bytes);
    EXPECT_EQ(reply_in(read_reply(in)).tool_calls, reply_in(reply).tool_calls);
    EXPECT_TRUE(in.ok());
}

// ---- What comes back with a message

TEST(ProviderState, OfAnthropicHasNoBlankTextAndTheIdsOfTheResults) {
    const std::string body =
        R"({"stop_reason":"tool_use","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"\n\n"},{"type":"tool_use","id":"tool.use:1","name":"t","input":{}},{"type":"tool_use","id":"tool.use:1","name":"t","input":{}}]})";
    LlmReply reply = reply_in(reply_to(kAnthropic, {}, {.body = body}));
    reply.tool_calls.at(1).id = "another"; // as missions make them unique
    const Datum sent = next_body(kAnthropic, reply);
    const Datum::List& messages = *sent.find("messages")->list();
    const Datum::List& blocks = *messages.at(1).find("content")->list();
    const Datum::List& results = *messages.at(2).find("content")->list();
    ASSERT_EQ(blocks.size(), 3u) << sent.to_json();
    EXPECT_EQ(text_at(blocks[1], "id"), text_at(results.at(0), "tool_use_id"));
    EXPECT_EQ(text_at(blocks[2], "id"), "another");
    EXPECT_EQ(text_at(results.at(1), "tool_use_id"), "another");
}

TEST(ProviderState, OfGoogleHasTheIdsOfTheResults) {
    const std::string body =
        R"({"candidates":[{"finishReason":"STOP","content":{"parts":[{"functionCall":{"id":"c","name":"t","args":{}},"thoughtSignature":"s"}]}}]})";
    LlmReply reply = reply_in(reply_to(kGemini, {}, {.body = body}));
    reply.tool_calls.at(0).id = "another";
    EXPECT_EQ(next_body(kGemini, reply).to_json().find(R"("id":"c")"), std::string::npos);
}

// ---- Options

HttpHeaders headers_of(const ProviderOptions& options, const LlmRequest& request) {
    const ToolNames names(request);
    return row_of(options).wire->headers({options, request, names}, "k");
}

TEST(ProviderOptions, OfTheRequestAreTheHeadersThatAreSent) {
    ProviderOptions options = kAnthropic;
    options.options = Datum::object({{"anthropic_beta", "a\r\nX-Injected: yes"}});
    EXPECT_FALSE(body_of(options, {}).ok());
    const LlmRequest request{.options = json(R"({"anthropic_beta":"b","anthropic_version":"2023-06-01"})")};
    EXPECT_TRUE(body_of(options, request).ok());
    EXPECT_EQ(headers_of(options, request),
              (HttpHeaders{{"x-api-key", "k"}, {"anthropic-version", "2023-06-01"}, {"anthropic-beta", "b"}}));
}

TEST(ProviderOptions, AreMembersOnce) {
    const auto count = [](const std::string& text, std::string_view word) {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at)
            ++found;
        return found;
    };
    const LlmRequest most{.options = json(R"({"max_completion_tokens":9})")};
    for (const char* provider : {"openai", "ollama"}) {
        const std::string body = body_of({.provider = provider, .model = "m", .max_tokens = 5}, most).value();
        EXPECT_EQ(count(body, "_tokens\""), 1u) << body;
        EXPECT_NE(body.find(R"("max_completion_tokens":9)"), std::string::npos);
    }
    LlmRequest schema{.options = json(R"({"output_config":{"effort":"low","format":{"type":"text"}}})")};
    schema.schema_json =
        R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false})";
    const std::string body = body_of(kAnthropic, schema).value();
    EXPECT_EQ(count(body, "\"format\":"), 1u) << body;
    EXPECT_NE(body.find(R"("effort":"low")"), std::string::npos);
    schema.schema_json.clear();
    EXPECT_EQ(count(body_of(kAnthropic, schema).value(), R"("format":{"type":"text"})"), 1u);
}

} // namespace
} // namespace ptc
