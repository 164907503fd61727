// Parts of the clients of providers: errors, waits, names, keys, addresses, options, state; the catalogue and its
// prices.
#include "subagent/providers/http_client.h"
#include "tests/subagent/provider_calls.h"
#include <set>

namespace ptc {
namespace {

using Millis = std::chrono::milliseconds;
const auto kNow = std::chrono::system_clock::from_time_t(784'111'777); // Sun, 06 Nov 1994 08:49:37 GMT

Environment variables(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}
std::string why_not(const ProviderOptions& options, std::map<std::string, std::string> environment = {}) {
    const Result<Llm> llm = provider_llm(options, variables(std::move(environment)));
    return llm.ok() ? "" : llm.error().message;
}
HttpHead head(int status, std::vector<std::pair<std::string, std::string>> headers = {}) {
    return {status, std::move(headers)};
}

ToolSchema tool_named(std::string name) {
    ToolSchema tool;
    tool.name = std::move(name);
    return tool;
}

TEST(ProviderErrors, WaitsInAllTheirForms) {
    EXPECT_EQ(retry_after(head(429, {{"retry-after", "2"}}), kNow), Millis(2000));
    EXPECT_EQ(retry_after(head(429, {{"retry-after", "0.25"}}), kNow), Millis(250));
    EXPECT_EQ(retry_after(head(429, {{"retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"}}), kNow), Millis(10'000));
    EXPECT_EQ(retry_after(head(429, {{"retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"}}), kNow), Millis(0));
    EXPECT_EQ(retry_after(head(429, {{"retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"}}), kNow), std::chrono::hours(1));
    EXPECT_EQ(retry_after(head(429, {{"retry-after-ms", "1500"}, {"retry-after", "9"}}), kNow), Millis(1500));
    EXPECT_EQ(retry_after(head(429, {{"retry-after", "99999999"}}), kNow), std::chrono::hours(1));
    for (const char* wrong : {"", "soon", "-3", "1e300", "nan", "12 monkeys"})
        EXPECT_EQ(retry_after(head(429, {{"retry-after", wrong}}), kNow), std::nullopt) << wrong;
}

TEST(ProviderErrors, GooglesWaitIsInTheBody) {
    const LlmError error = http_error(
        head(429), R"({"error":{"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"34.5s"}]}})",
        kNow);
    EXPECT_EQ(error.kind, "rate_limit");
    EXPECT_EQ(error.retry_after, Millis(34'500));
}

TEST(ProviderErrors, TheServerMaySayWhetherToTryAgain) {
    EXPECT_TRUE(http_error(head(500, {{"x-should-retry", "false"}}), "", kNow).is_permanent);
    EXPECT_FALSE(http_error(head(400, {{"x-should-retry", "true"}}), "", kNow).is_permanent);
}

TEST(ProviderErrors, TheRequestsNumberIsToldForSupport) {
    EXPECT_EQ(http_error(head(500, {{"request-id", "req_1"}}), "{}", kNow).message, "HTTP status 500. (request req_1)");
}

TEST(ProviderErrors, WordsTellWhatCodesDoNot) {
    const auto kind = [](const char* message) {
        return http_error(head(400),
                          R"({"error":{"type":"invalid_request_error","message":")" + std::string(message) + "\"}}",
                          kNow)
            .kind;
    };
    EXPECT_EQ(kind("prompt is too long: 300000 tokens > 200000 maximum"), "context_length");
    EXPECT_EQ(kind("Your credit balance is too low to access the API."), "quota");
    EXPECT_EQ(kind("messages: at least one message is required"), "invalid_request");
}

TEST(ProviderNames, OthersThanProvidersTakeGoThereAndBack) {
    LlmRequest request;
    for (const char* name : {"plain", "crm/find-user", "crm.find-user", "9lives", ""})
        request.tools.push_back(tool_named(name));
    request.tools.push_back(tool_named(std::string(300, 'x')));
    request.messages.push_back({.role = Message::Role::Assistant, .tool_calls = {{"1", "old?", {}}}});
    const ToolNames names(request);
    EXPECT_EQ(names.sent("plain"), "plain");
    std::set<std::string> sent;
    for (const ToolSchema& tool : request.tools) {
        const std::string name = names.sent(tool.name);
        EXPECT_TRUE(sent.insert(name).second) << name;
        EXPECT_LE(name.size(), 64u);
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"),
                  std::string::npos);
        EXPECT_FALSE(name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '-') << name;
        EXPECT_EQ(names.received(name), tool.name);
    }
    EXPECT_EQ(names.received(names.sent("old?")), "old?");
    EXPECT_EQ(names.received("made_up"), "made_up");
    EXPECT_EQ(ToolNames(LlmRequest{.tools = {tool_named("crm/find-user")}}).sent("crm/find-user"),
              names.sent("crm/find-user"));
}

TEST(ProviderKeys, ComeFromTheEnvironment) {
    EXPECT_EQ(why_not({.model = "m"}), "The provider `openai` needs a key: set OPENAI_API_KEY.");
    EXPECT_EQ(why_not({.model = "m"}, {{"OPENAI_API_KEY", "k\n"}}), "");
    EXPECT_EQ(why_not({.provider = "gemini", .model = "m"}),
              "The provider `gemini` needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY.");
    EXPECT_EQ(why_not({.provider = "gemini", .model = "m"}, {{"GOOGLE_API_KEY", "k"}}), "");
    EXPECT_EQ(why_not({.model = "m", .key_variable = "MINE"}, {{"OPENAI_API_KEY", "k"}}),
              "The provider `openai` needs a key: set MINE.");
    EXPECT_EQ(why_not({.model = "m", .key_variable = "MINE"}, {{"MINE", "k"}}), "");
}

TEST(ProviderKeys, ThisMachineNeedsNone) {
    EXPECT_EQ(why_not({.provider = "ollama", .model = "m"}), "");
    EXPECT_EQ(why_not({.model = "m"}, {{"OPENAI_BASE_URL", "http://localhost:8000/v1"}}), "");
    EXPECT_NE(why_not({.model = "m", .base_url = "https://example.com/v1"}), "");
}

TEST(ProviderKeys, AreOneLineOfText) {
    const std::string why = why_not({.model = "m", .api_key = "secret\r\nX-Evil: 1"});
    EXPECT_NE(why, "");
    EXPECT_EQ(why.find("secret"), std::string::npos);
}

TEST(ProviderAddresses, PlainHttpStaysOnThisMachine) {
    const std::map<std::string, std::string> key = {{"OPENAI_API_KEY", "k"}};
    const auto why = [&](const char* url, bool allow = false) {
        return why_not({.model = "m", .base_url = url, .allow_plain_http = allow}, key);
    };
    for (const char* url :
         {"http://127.0.0.1:1/v1", "http://[::1]:1/v1", "http://LOCALHOST/v1", "https://example.com/v1"})
        EXPECT_EQ(why(url), "") << url;
    for (const char* url : {"http://example.com/v1", "http://127.evil.example/v1", "http://127.0.0.1.example.com/v1",
                            "http://0.0.0.0/v1"})
        EXPECT_NE(why(url).find("plain http"), std::string::npos) << url;
    EXPECT_EQ(why("http://example.com/v1", true), "");
    for (const char* url : {"ftp://127.0.0.1/", "file:///etc/passwd", "nonsense", "https://user:word@example.com/v1",
                            "https://example.com/v1?x=1", "https://example.com/v1#x"})
        EXPECT_NE(why(url), "") << url;
    EXPECT_EQ(why("https://user:word@example.com/v1").find("word"), std::string::npos);
}

TEST(ProviderOptions, AreMembersOfTheBodyAndTheAgentsWin) {
    const ProviderOptions options{.model = "m", .max_tokens = 10, .options = json(R"({"seed":1,"top_p":0.5})")};
    const LlmRequest request{.options = json(R"({"seed":2,"max_tokens":20})")};
    EXPECT_EQ(json(body_json(options, request).to_json()),
              json(R"({"model":"m","messages":[],"max_completion_tokens":20,"seed":2,"top_p":0.5})"));
    const ProviderOptions local{.provider = "ollama", .model = "m", .max_tokens = 10};
    EXPECT_TRUE(body_json(local, {}).find("max_tokens"));
}

TEST(ProviderOptions, DoNotReplaceWhatTheClientWrites) {
    for (const char* provider : {"openai", "anthropic", "gemini"}) {
        const LlmRequest request{.options = json(R"({"tools":[]})")};
        const Result<std::string> body = body_of({.provider = provider, .model = "m"}, request);
        ASSERT_FALSE(body.ok()) << provider;
        EXPECT_NE(body.error().message.find("`tools`"), std::string::npos);
    }
}

TEST(StructuredOutput, IsStrictWhenTheSchemaAllowsIt) {
    LlmRequest request{
        .schema_json =
            R"({"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false})"};
    const auto strict = [&] {
        return body_json({.model = "m"}, request).find("response_format")->find("json_schema")->find("strict") !=
               nullptr;
    };
    EXPECT_FALSE(strict());
    request.schema_json =
        R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false})";
    EXPECT_TRUE(strict());
    request.schema_json =
        R"({"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false})";
    EXPECT_FALSE(strict());
}

TEST(StructuredOutput, IsAskedForInWordsWhereItCannotBeEnforced) {
    const LlmRequest request{
        .system = "Be brief.",
        .schema_json =
            R"({"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false})"};
    const Datum anthropic = body_json({.provider = "anthropic", .model = "m"}, request);
    EXPECT_FALSE(anthropic.find("output_config"));
    EXPECT_NE(anthropic.find("system")->text()->find("\"minimum\":1"), std::string::npos);
    LlmRequest tools = request;
    tools.tools.push_back(tool_named("t"));
    EXPECT_FALSE(body_json({.provider = "gemini", .model = "m"}, tools).find("generationConfig"));
    EXPECT_TRUE(body_json({.provider = "gemini", .model = "m"}, request).find("generationConfig"));
}

/// The reply as a message of the next request, whose body is given.
Datum after(const ProviderOptions& options, const LlmReply& reply, const ProviderOptions& next) {
    LlmRequest request;
    request.messages.push_back({.content = "q"});
    request.messages.push_back({.role = Message::Role::Assistant,
                                .content = reply.text,
                                .tool_calls = reply.tool_calls,
                                .provider_state = reply.provider_state});
    for (const ToolCall& call : reply.tool_calls)
        request.messages.push_back({.role = Message::Role::Tool, .content = "r", .tool_call_id = call.id});
    EXPECT_EQ(options.provider, next.provider);
    return body_json(next, request);
}

TEST(ProviderState, AnthropicsReasoningComesBackAsItCame) {
    const ProviderOptions options{.provider = "anthropic", .model = "m"};
    const std::string stream =
        "data: "
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\","
        "\"signature\":\"\"}}\n\n"
        "data: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}"
        "\n\n"
        "data: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}}"
        "\n\n"
        "data: "
        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"tu_1\","
        "\"name\":\"t\",\"input\":{}}}\n\n"
        "data: "
        "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
        "\\\"a\\\":1}\"}}\n\n"
        "data: "
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\n"
        "data: {\"type\":\"message_stop\"}\n\n";
    const LlmReply reply = reply_in(reply_to(options, {}, events(stream)));
    EXPECT_EQ(reply.text, "");
    const Datum body = after(options, reply, options);
    const Datum expected = json(
        R"([{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"tool_use","id":"tu_1","name":"t","input":{"a":1}}])");
    EXPECT_EQ(*(*body.find("messages")->list())[1].find("content"), expected);
    // Another model does not know the signature.
    const Datum other = after(options, reply, {.provider = "anthropic", .model = "another"});
    EXPECT_EQ(other.to_json().find("thinking"), std::string::npos);
}

TEST(ProviderState, GooglesSignaturesComeBackOrAreReplaced) {
    const ProviderOptions options{.provider = "gemini", .model = "gemini-3.8-flash"};
    const std::string body =
        R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":{}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]})";
    const LlmReply reply = reply_in(reply_to(options, {}, {.body = body}));
    EXPECT_NE(after(options, reply, options).to_json().find(R"("thoughtSignature":"c2ln")"), std::string::npos);
    const auto elsewhere = [&](const char* model) {
        return after(options, reply, {.provider = "gemini", .model = model}).to_json();
    };
    EXPECT_NE(elsewhere("gemini-4-pro").find("skip_thought_signature_validator"), std::string::npos);
    EXPECT_EQ(elsewhere("gemini-2.5-pro").find("thoughtSignature"), std::string::npos);
}

TEST(ProviderCalls, WithoutAnIdGetOneThatTheProviderNeverSees) {
    const ProviderOptions options{.provider = "gemini", .model = "gemini-2.5-pro"};
    const std::string body =
        R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"t"}}]},"finishReason":"STOP"}]})";
    LlmRequest request;
    request.messages.push_back({.role = Message::Role::Assistant, .tool_calls = {{"ptc_call_1", "t", json("{}")}}});
    const LlmReply reply = reply_in(reply_to(options, request, {.body = body}));
    EXPECT_EQ(reply.tool_calls.at(0).id, "ptc_call_2");
    EXPECT_EQ(after(options, reply, options).to_json().find("ptc_call"), std::string::npos);
}

TEST(ModelCatalog, TellsProvidersAliasesAndUnknownNamesApart) {
    const ModelCatalog& catalog = ModelCatalog::builtin();
    const ProviderOptions sonnet = catalog.find("sonnet").value();
    EXPECT_EQ(sonnet.provider, "anthropic");
    EXPECT_EQ(catalog.find("model:sonnet").value().model, sonnet.model);
    EXPECT_EQ(catalog.find("anthropic:" + sonnet.model).value().prices->usual.output, sonnet.prices->usual.output);
    EXPECT_EQ(catalog.find("openrouter:a/b:free").value().model, "a/b:free");
    EXPECT_FALSE(catalog.find("openai:unknown").value().prices);
    EXPECT_NE(catalog.find("sonet").error().message.find("`sonnet`"), std::string::npos);
    EXPECT_TRUE(catalog.is_spec("ollama:x") && catalog.is_spec("model:x") && catalog.is_spec("opus"));
    EXPECT_FALSE(catalog.is_spec("cmd:x") || catalog.is_spec("x"));
}

TEST(ModelCatalog, IsReadFromAFile) {
    const Result<ModelCatalog> catalog = ModelCatalog::from_json(
        R"({"mine":{"provider":"openai","model":"m","base_url":"http://127.0.0.1:8000/v1","key_variable":"K","max_tokens":9,"temperature":0.5,
            "timeout_ms":1000,"options":{"seed":1},"prices":{"input":1,"output":2,"cache_read":0.1,"long_prompt":1000,"above":{"input":2,"output":4}}}})");
    ASSERT_TRUE(catalog.ok()) << catalog.error().message;
    const ProviderOptions mine = catalog.value().find("mine").value();
    EXPECT_EQ(mine.base_url, "http://127.0.0.1:8000/v1");
    EXPECT_EQ(mine.max_tokens, 9);
    EXPECT_EQ(mine.timeout, Millis(1000));
    EXPECT_EQ(mine.options, json(R"({"seed":1})"));
    EXPECT_EQ(mine.prices->above->output, 4);
    EXPECT_TRUE(catalog.value().find("sonnet").ok());
}

TEST(ModelCatalog, SaysWhatIsWrongWithAFile) {
    const auto why = [](const char* text) {
        const Result<ModelCatalog> catalog = ModelCatalog::from_json(text);
        return catalog.ok() ? "" : catalog.error().message;
    };
    EXPECT_NE(why("[]"), "");
    EXPECT_NE(why("{"), "");
    EXPECT_NE(why(R"({"a":1})").find("`a` is not an object"), std::string::npos);
    EXPECT_NE(why(R"({"a":{"provider":"nobody","model":"m"}})").find("`nobody`"), std::string::npos);
    EXPECT_NE(why(R"({"a":{"provider":"openai"}})").find("no `model`"), std::string::npos);
    EXPECT_NE(why(R"({"a":{"provider":"openai","model":"m","api_key":"k"}})").find("environment"), std::string::npos);
    EXPECT_NE(why(R"({"a":{"provider":"openai","model":"m","max_tokens":-1}})").find("`max_tokens`"),
              std::string::npos);
    EXPECT_NE(why(R"({"a":{"provider":"openai","model":"m","prices":{"input":1}}})").find("`output`"),
              std::string::npos);
    EXPECT_NE(why(R"({"a":{"provider":"openai","model":"m","prices":{"input":1,"output":1,"above":{}}}})")
                  .find("`long_prompt`"),
              std::string::npos);
    EXPECT_NE(why(R"({"a:b":{"provider":"openai","model":"m"}})").find("colon"), std::string::npos);
}

TEST(ModelPrices, CountCachesAndLongPrompts) {
    const ModelPrices prices{.usual = {1, 10, 0.1, 2}, .long_prompt = 1'000'000, .above = TokenPrices{2, 20, {}, {}}};
    EXPECT_DOUBLE_EQ(
        prices.cost_usd({.input = 1'000'000, .output = 100'000, .cache_read = 500'000, .cache_creation = 100'000}),
        0.4 * 1 + 0.5 * 0.1 + 0.1 * 2 + 0.1 * 10);
    EXPECT_DOUBLE_EQ(prices.cost_usd({.input = 2'000'000, .output = 100'000, .cache_read = 500'000}), 2 * 2 + 0.1 * 20);
    EXPECT_DOUBLE_EQ(prices.cost_usd({.input = 10, .cache_read = 99}), 10 * 0.1 / 1e6); // a server that cannot count
}

TEST(ModelPrices, OfTheCatalogAreDatedAndWhole) {
    for (const std::string& name : ModelCatalog::builtin().names()) {
        const ModelPrices prices = ModelCatalog::builtin().find(name).value().prices.value();
        EXPECT_EQ(prices.as_of.size(), 10u) << name;
        EXPECT_LT(*prices.usual.cache_read, prices.usual.input) << name;
        EXPECT_GT(prices.usual.output, prices.usual.input) << name;
        EXPECT_EQ(prices.above.has_value(), prices.long_prompt > 0) << name;
    }
}

std::vector<std::string> events_in(std::string_view bytes, std::size_t piece, std::size_t limit = 1000) {
    std::vector<std::string> out;
    SseReader reader(limit);
    const auto visit = [&out](const SseEvent& event) {
        out.push_back(event.name + "|" + event.data);
        return true;
    };
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        if (!reader.feed(bytes.substr(at, piece), visit)) {
            out.emplace_back("too long");
            return out;
        }
    reader.finish(visit);
    return out;
}

TEST(SseReader, ReadsWhateverEndsLinesAndWhereverBytesAreCut) {
    using Texts = std::vector<std::string>;
    const std::map<std::string, Texts> cases = {
        {"data: a\n\ndata:b\r\n\r\ndata:  c\r\r", {"|a", "|b", "| c"}},
        {"event: e\ndata: 1\ndata: 2\n\n", {"e|1\n2"}},
        {": comment\nid: 7\nretry: 9\nunknown\ndata\n\n", {"|"}},
        {"event: lonely\n\ndata: x\n\n", {"|x"}},
        {"\xEF\xBB\xBF"
         "data: bom\n\n",
         {"|bom"}},
        {"data: end", {"|end"}},
        {"\n\n\n", {}},
        {"data: a\n\r\n", {"|a"}},
    };
    for (const auto& [bytes, expected] : cases)
        for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
            EXPECT_EQ(events_in(bytes, piece), expected) << bytes << " in pieces of " << piece;
}

TEST(SseReader, AnEventHasALimit) {
    EXPECT_EQ(events_in("data: 0123456789\n\n", 3, 16).at(0), "|0123456789");
    EXPECT_EQ(events_in("data: 0123456789A\n\n", 3, 16).at(0), "too long");
    EXPECT_EQ(events_in("data: 01234\ndata: 01234\n\n", 3, 14).at(0), "too long");
}

} // namespace
} // namespace ptc
