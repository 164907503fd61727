// Our requests and what we read from replies, against what the official clients wrote and read (tests/wire/golden). The
// files are made by the clients (tests/wire/README.md), so neither side of a comparison is written by hand; where we
// differ on purpose, the row is named here with the reason.
#include "tests/subagent/provider_calls.h"
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

namespace ptc {
namespace {

struct Row {
    std::string provider;
    Datum json;
    [[nodiscard]] std::string name() const { return text_at(json, "name"); }
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.provider << "." << row.name(); }

std::vector<Row> rows_of(const char* kind) {
    std::vector<Row> rows;
    for (const char* provider : {"openai", "anthropic", "gemini"}) {
        std::ifstream in(std::string(PTC_TEST_DATA) + "/wire/golden/" + provider + "." + kind + ".json");
        std::ostringstream text;
        text << in.rdbuf();
        const Datum read = json(text.str());
        for (const Datum& row : *read.list())
            rows.push_back({provider, row});
    }
    return rows;
}

std::string row_name(const testing::TestParamInfo<Row>& info) { return info.param.provider + "_" + info.param.name(); }

LlmRequest request_of(const Datum& conversation) {
    LlmRequest request;
    request.system = text_at(conversation, "system");
    for (const Datum& given : *conversation.find("messages")->list()) {
        const std::string role = text_at(given, "role");
        Message message{.content = text_at(given, "content"),
                        .tool_call_id = text_at(given, "tool_call_id"),
                        .is_error = given.find("is_error") != nullptr};
        message.role = role == "user"   ? Message::Role::User
                       : role == "tool" ? Message::Role::Tool
                                        : Message::Role::Assistant;
        if (const Datum* calls = given.find("tool_calls"))
            for (const Datum& call : *calls->list())
                message.tool_calls.push_back({text_at(call, "id"), text_at(call, "name"), *call.find("arguments")});
        request.messages.push_back(std::move(message));
    }
    for (const Datum& tool : *conversation.find("tools")->list())
        request.tools.push_back(
            {text_at(tool, "name"), text_at(tool, "description"), tool.find("input_schema")->to_json(), ""});
    if (const Datum* schema = conversation.find("schema")) request.schema_json = schema->to_json();
    if (conversation.find("stream")) request.on_text = [](std::string_view) {};
    return request;
}

/// The conversation's options under the names that the provider has for them.
Datum options_of(const std::string& provider, const Datum& conversation) {
    const Datum* given = conversation.find("options");
    if (!given) return {};
    if (provider == "openai") return *given;
    if (provider == "anthropic") // whose API has no temperature and no top_p
        return Datum::object({{"max_tokens", *given->find("max_tokens")}, {"stop_sequences", *given->find("stop")}});
    const Datum config = Datum::object({{"stopSequences", *given->find("stop")}, {"topP", *given->find("top_p")}});
    return Datum::object({{"max_tokens", *given->find("max_tokens")},
                          {"temperature", *given->find("temperature")},
                          {"generationConfig", config}});
}

/// Members that say nothing: Google's client sends an empty configuration.
Datum without_empty_config(const Datum& body) {
    Datum::Map members = *body.map();
    std::erase_if(members,
                  [](const auto& m) { return *m.first.text() == "generationConfig" && m.second.map()->empty(); });
    return Datum(std::move(members));
}

class GoldenRequest : public testing::TestWithParam<Row> {};

TEST_P(GoldenRequest, IsWhatTheOfficialClientSends) {
    const Row& row = GetParam();
    const Datum& conversation = *row.json.find("conversation");
    const Datum& expected = *row.json.find("request");
    const LlmRequest request = request_of(conversation);
    ProviderOptions options{.provider = row.provider, .model = text_at(conversation, "model")};
    options.options = options_of(row.provider, conversation);
    if (row.provider == "anthropic") options.max_tokens = 1024;
    // Through JSON, so that members are in order.
    EXPECT_EQ(json(body_json(options, request).to_json()), without_empty_config(*expected.find("body")));
    const ToolNames names(request);
    const ProviderCall call{options, request, names, request.on_text != nullptr};
    const std::string path = (row.provider == "openai" ? "/v1" : "") + row_of(options).wire->path(call);
    EXPECT_EQ(path, text_at(expected, "path"));
}

TEST_P(GoldenRequest, HasTheHeadersThatTheProviderAsksFor) {
    const Row& row = GetParam();
    const Datum& expected = *row.json.find("request")->find("headers");
    const ProviderOptions options{.provider = row.provider, .model = "m"};
    const LlmRequest request;
    const ToolNames names(request);
    for (const auto& [name, value] :
         row_of(options).wire->headers({options, request, names}, "test-key-" + row.provider)) {
        std::string lower = name;
        for (char& c : lower)
            c = static_cast<char>(std::tolower(c));
        EXPECT_EQ(value, text_at(expected, lower)) << lower;
    }
}

INSTANTIATE_TEST_SUITE_P(Provider, GoldenRequest, testing::ValuesIn(rows_of("requests")), row_name);

// ---- Replies

/// Replies that are errors for us: kind by row.
const std::map<std::string, std::string>& kinds() {
    static const std::map<std::string, std::string> all = {
        {"openai.empty_text", "bad_reply"},
        {"openai.arguments_cut_off", "length"},
        {"openai.refusal", "content_filter"},
        {"openai.length", "length"},
        {"openai.content_filter", "content_filter"},
        {"openai.stream_refusal", "content_filter"},
        {"openai.stream_length", "length"},
        {"openai.stream_cut_off", "network"},
        {"openai.stream_error", "server_error"},
        {"openai.stream_malformed", "bad_reply"},
        {"openai.bad_request", "invalid_request"},
        {"openai.bad_key", "authentication"},
        {"openai.forbidden", "permission"},
        {"openai.no_such_model", "model_not_found"},
        {"openai.rate_limit", "rate_limit"},
        {"openai.no_money", "quota"},
        {"openai.server_error", "server_error"},
        {"openai.overloaded", "overloaded"},
        {"openai.gateway_page", "server_error"},
        {"openai.error_is_text", "model_not_found"},
        {"openai.error_of_another_shape", "context_length"},
        {"openai.error_without_body", "server_error"},
        {"anthropic.empty", "bad_reply"},
        {"anthropic.length", "length"},
        {"anthropic.refusal", "content_filter"},
        {"anthropic.context_full", "context_length"},
        {"anthropic.stream_length", "length"},
        {"anthropic.stream_refusal", "content_filter"},
        {"anthropic.stream_cut_off", "network"},
        {"anthropic.stream_error", "overloaded"},
        {"anthropic.stream_malformed", "bad_reply"},
        {"anthropic.bad_request", "invalid_request"},
        {"anthropic.bad_key", "authentication"},
        {"anthropic.forbidden", "permission"},
        {"anthropic.no_such_model", "model_not_found"},
        {"anthropic.too_large", "too_large"},
        {"anthropic.rate_limit", "rate_limit"},
        {"anthropic.server_error", "server_error"},
        {"anthropic.overloaded", "overloaded"},
        {"anthropic.gateway_page", "server_error"},
        {"gemini.length", "length"},
        {"gemini.without_content", "content_filter"},
        {"gemini.malformed_call", "bad_reply"},
        {"gemini.blocked_prompt", "content_filter"},
        {"gemini.stream_length", "length"},
        {"gemini.stream_blocked", "content_filter"},
        {"gemini.stream_cut_off", "network"},
        {"gemini.stream_error", "overloaded"},
        {"gemini.stream_malformed", "bad_reply"},
        {"gemini.bad_request", "invalid_request"},
        {"gemini.bad_key", "authentication"},
        {"gemini.forbidden", "permission"},
        {"gemini.no_such_model", "model_not_found"},
        {"gemini.rate_limit", "rate_limit"},
        {"gemini.server_error", "server_error"},
        {"gemini.overloaded", "overloaded"},
        {"gemini.gateway_page", "server_error"},
    };
    return all;
}

/// Why it stopped and what it cost was told, and only the event is missing that says so: Anthropic's client has an
/// error here, we a reply that need not be paid again.
constexpr std::string_view kWholeForUs = "anthropic.stream_cut_off_at_the_end";

Sent sent_in(const Datum& row) {
    Sent sent{.body = text_at(row, "body"), .headers = {}};
    std::int64_t status = 0;
    (void)row.find("status")->to_int64(&status);
    sent.status = static_cast<int>(status);
    for (const auto& [name, value] : *row.find("headers")->map())
        sent.headers.emplace_back(*name.text(), *value.text());
    return sent;
}

/// A client's arguments: OpenAI's has them as text, and for none it may be "".
Datum arguments_of(const Datum& call) {
    const Datum* given = call.find("arguments");
    if (!given || (given->text() && given->text()->empty())) return Datum(Datum::Map());
    return given->text() ? json(*given->text()) : *given;
}

void expect_same(const LlmReply& reply, const Datum& client, const std::string& provider) {
    EXPECT_EQ(reply.text, text_at(client, "text"));
    const Datum::List& calls = *client.find("tool_calls")->list();
    ASSERT_EQ(reply.tool_calls.size(), calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
        EXPECT_EQ(reply.tool_calls[i].name, text_at(calls[i], "name"));
        EXPECT_EQ(reply.tool_calls[i].arguments, arguments_of(calls[i]));
        const std::string id = text_at(calls[i], "id");
        EXPECT_EQ(reply.tool_calls[i].id, id.empty() ? "ptc_call_" + std::to_string(i + 1) : id);
    }
    const Datum* tokens = client.find("tokens");
    const Datum none = Datum::object({});
    const Datum& counted = tokens && !tokens->is_nil() ? *tokens : none;
    const std::int64_t cached = count_at(counted, "cache_read") + count_at(counted, "cache_creation");
    EXPECT_EQ(reply.usage.input, count_at(counted, "input") + (provider == "anthropic" ? cached : 0));
    EXPECT_EQ(reply.usage.output, count_at(counted, "output"));
    EXPECT_EQ(reply.usage.cache_read, count_at(counted, "cache_read"));
    EXPECT_EQ(reply.usage.cache_creation, count_at(counted, "cache_creation"));
}

class GoldenReply : public testing::TestWithParam<Row> {};

TEST_P(GoldenReply, MeansWhatTheOfficialClientReads) {
    const Row& row = GetParam();
    const ProviderOptions options{.provider = row.provider, .model = "m"};
    const auto kind = kinds().find(row.provider + "." + row.name());
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{7}, std::size_t{1}}) {
        std::vector<std::string> deltas;
        LlmRequest request;
        request.on_text = [&deltas](std::string_view text) { deltas.emplace_back(text); };
        Sent sent = sent_in(row.json);
        sent.piece = piece;
        const LlmResult result = reply_to(options, request, sent);
        if (kind != kinds().end()) {
            EXPECT_EQ(error_of(result).kind, kind->second) << error_of(result).message;
            continue;
        }
        if (row.provider + "." + row.name() == kWholeForUs) {
            EXPECT_EQ(reply_in(result).text, "Twelve");
            continue;
        }
        const Datum* client = row.json.find("client");
        ASSERT_TRUE(client && client->map()) << "an error to the client, a reply to us";
        expect_same(reply_in(result), *client, row.provider);
        if (const Datum* read = client->find("deltas")) {
            EXPECT_EQ(Datum::texts(deltas), *read);
        }
    }
}

/// What the official clients try again is not permanent for us, and the reverse.
TEST_P(GoldenReply, IsTriedAgainWhenTheOfficialClientDoes) {
    const Row& row = GetParam();
    const Datum* stream = row.json.find("stream");
    if (!row.json.find("error") || *stream == Datum(true)) return; // a stream that fails is theirs to begin anew
    const LlmError error =
        error_of(reply_to({.provider = row.provider, .model = "m"}, LlmRequest(), sent_in(row.json)));
    const bool is_money = error.kind == "quota"; // a 429 that no waiting ends
    EXPECT_EQ(error.is_permanent, is_money || count_at(row.json, "attempts") == 1) << error.kind;
}

INSTANTIATE_TEST_SUITE_P(Provider, GoldenReply, testing::ValuesIn(rows_of("replies")), row_name);

TEST(GoldenReplies, AllKindsAreOfRows) {
    std::set<std::string> names;
    for (const Row& row : rows_of("replies"))
        names.insert(row.provider + "." + row.name());
    for (const auto& [name, kind] : kinds())
        EXPECT_TRUE(names.contains(name)) << name;
}

} // namespace
} // namespace ptc
