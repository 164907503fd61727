// What is read of configurations, schemas, results and challenges, and what catalogues make of names. The client at
// work is in tests/mcp_client.
#include "frontend/work.h"
#include "ptc/mcp_client.h"
#include "ptc/schema_reader.h"
#include "ptc/signature.h"
#include "runtime/signature/field_names.h"
#include "runtime/signature/malli.h"
#include "subagent/mcp/catalog.h"
#include "subagent/mcp/client_headers.h"
#include "subagent/mcp/client_oauth.h"
#include "subagent/mcp/client_values.h"
#include "subagent/mcp/json_parts.h"
#include "subagent/mcp/key_shapes.h"
#include "subagent/mcp/learnt_types.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace ptc {
namespace {

Datum json(std::string_view text) { return Datum::from_json(text).value(); }

std::optional<std::string> variable(const std::string& name) {
    return name == "A" ? std::optional<std::string>("a value") : std::nullopt;
}

TEST(McpConfig, VariablesAreReplacedWhereverTextsAre) {
    const auto config = read_mcp_config(R"({"mcpServers": {"s": {"command": "${A}", "args": ["x${A}y", "${B:-c}"],
        "env": {"K": "${env:A}", "N": 7}, "cwd": "${A}"}, "t": {"url": "http://${B:-h}/", "headers": {"H": "Bearer ${A}"}}}})",
                                        variable);
    ASSERT_TRUE(config.ok());
    const McpServer& s = config.value().servers[0];
    EXPECT_EQ(s.command, (std::vector<std::string>{"a value", "xa valuey", "c"}));
    EXPECT_EQ(s.environment, (std::vector<std::pair<std::string, std::string>>{{"K", "a value"}, {"N", "7"}}));
    EXPECT_EQ(s.folder, "a value");
    EXPECT_EQ(config.value().servers[1].url, "http://h/");
    EXPECT_EQ(config.value().servers[1].headers[0].second, "Bearer a value");
}

TEST(McpConfig, WhatOtherClientsWriteIsRead) {
    const auto server = [](const std::string& members) {
        const auto read = read_mcp_config(R"({"mcpServers": {"s": {)" + members + "}}}", variable);
        EXPECT_TRUE(read.ok()) << members;
        return read.ok() ? read.value().servers[0] : McpServer();
    };
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    using Names = std::vector<std::string>;
    EXPECT_EQ(server(R"("command": "x", "env": {"K": "$A", "M": "a$", "N": "$NONE $5 $A."})").environment,
              (Pairs{{"K", "a value"}, {"M", "a$"}, {"N", "$NONE $5 a value."}}));
    EXPECT_EQ(server(R"("url": "http://h/", "headers": {"Authorization": "Bearer $A"})").headers[0].second,
              "Bearer a value");
    EXPECT_EQ(server(R"("command": "x", "args": ["$A"])").command, (Names{"x", "$A"}));
    EXPECT_EQ(server(R"("command": ["x", "${A}"], "environment": {"K": "v"})").command, (Names{"x", "a value"}));
    EXPECT_EQ(server(R"("command": "x", "includeTools": ["a", "b"], "excludeTools": ["b"])").only_tools,
              (Names{"a", "b"}));
    EXPECT_EQ(server(R"("command": "x", "disabledTools": ["b"])").hidden_tools, Names{"b"});
    EXPECT_EQ(server(R"("command": "x", "timeout": 60, "autoApprove": [])").timeout, std::chrono::seconds(60));
    EXPECT_EQ(server(R"("command": "x", "timeout": 90000, "alwaysAllow": [])").timeout, std::chrono::seconds(90));
    EXPECT_EQ(server(R"("command": "x", "includeTools": [])").only_tools, Names());
    EXPECT_EQ(server(R"("command": "x")").only_tools, std::nullopt);
    EXPECT_EQ(server(R"("command": ["x", "y"], "args": ["z"])").command, (Names{"x", "y", "z"}));
    const McpServer older = server(R"("command": {"path": "${A}", "args": ["y"], "env": {"K": "$A"}}, "settings": {})");
    EXPECT_EQ(older.command, (Names{"a value", "y"}));
    EXPECT_EQ(older.environment, (Pairs{{"K", "a value"}}));
    EXPECT_FALSE(read_mcp_config(R"({"mcpServers": {"s": {"command": {"args": ["y"]}}}})", variable).ok());
    // What a variable says is said to the end.
    const auto strange = [](const std::string&) { return std::optional<std::string>("a${B}$C${"); };
    const auto twice = read_mcp_config(R"({"mcpServers": {"s": {"command": "x", "env": {"K": "$A-${A}"}}}})", strange);
    ASSERT_TRUE(twice.ok());
    EXPECT_EQ(twice.value().servers[0].environment[0].second, "a${B}$C${-a${B}$C${");
    for (const char* config :
         {R"({"context_servers": {"s": {"command": "x"}}})", R"({"mcp": {"s": {"command": ["x"]}}})",
          R"({"mcp": {"servers": {"s": {"command": "x"}}}})"})
        EXPECT_EQ(read_mcp_config(config, variable).value().servers[0].command, Names{"x"}) << config;
}

TEST(McpConfig, AFileOfTheEnvironmentComesBeforeItsMembers) {
    const std::string path = ::testing::TempDir() + "mcp_config_test.env";
    std::ofstream(path) << "# a comment\nA = one\nexport B=\"two # words\" # and a "
                           "comment\n\nC='x\n=none\nnone\r\nD=four # five\r\nE=a#b";
    const auto config =
        read_mcp_config(R"({"servers": {"s": {"command": "x", "envFile": ")" + path + R"(", "env": {"A": "1"}}}})");
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(config.value().servers[0].environment,
              (std::vector<std::pair<std::string, std::string>>{
                  {"A", "one"}, {"B", "two # words"}, {"C", "'x"}, {"D", "four"}, {"E", "a"}, {"A", "1"}}));
    std::filesystem::remove(path);
    EXPECT_NE(read_mcp_config(R"({"servers": {"s": {"command": "x", "envFile": "/none/of.env"}}})")
                  .error()
                  .message.find("`envFile`"),
              std::string::npos);
}

TEST(McpConfig, ValuesInAFileOfTheEnvironmentMayHaveQuotesAndLines) {
    const std::string path = ::testing::TempDir() + "mcp_config_lines.env";
    const auto read = [&](std::string_view text) {
        std::ofstream(path) << text;
        const auto config = read_mcp_config(R"({"servers": {"s": {"command": "x", "envFile": ")" + path + R"("}}})");
        std::filesystem::remove(path);
        return config.value().servers[0].environment;
    };
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(read("KEY=\"-----BEGIN\r\nline # two = 2\r\n-----END\" # a key\r\nA=1"),
              (Pairs{{"KEY", "-----BEGIN\nline # two = 2\n-----END"}, {"A", "1"}}));
    EXPECT_EQ(read("K='a\nb'\nL=`c\n\"d'`\n"), (Pairs{{"K", "a\nb"}, {"L", "c\n\"d'"}}));
    // A quote behind a backslash closes nothing, and stays as it is written.
    EXPECT_EQ(read(R"(J="{\"a\": \"b#c\"}" # said
B=2)"),
              (Pairs{{"J", R"({\"a\": \"b#c\"})"}, {"B", "2"}}));
    EXPECT_EQ(read(R"(N="a\nb\rc\t"
M='a\nb')"),
              (Pairs{{"N", "a\nb\rc\\t"}, {"M", R"(a\nb)"}}));
    // What is never closed, or has more behind it, ends with its line.
    EXPECT_EQ(
        read("A=\"open\nB=2\nC='x' y\nD=it's\nE: five\nexport F=\"\"\n\"G\"=7"),
        (Pairs{{"A", "\"open"}, {"B", "2"}, {"C", "'x' y"}, {"D", "it's"}, {"E", "five"}, {"F", ""}, {"\"G\"", "7"}}));
    EXPECT_EQ(read("#A=1\n  # \"\nB=2#3\n=4\n\n"), (Pairs{{"B", "2"}}));
}

TEST(McpConfig, AServerThatIsWrongIsLeftOut) {
    const auto config = read_mcp_config(
        R"({"mcpServers": {"a": {"command": "x"}, "b": {"url": "http://h/", "type": "sse"}, "c": {"command": "${NONE}"}}})",
        variable);
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(config.value().servers.size(), 1u);
    ASSERT_EQ(config.value().notices.size(), 2u);
    EXPECT_NE(config.value().notices[1].find("has no variable `NONE`. It is left out."), std::string::npos);
    EXPECT_FALSE(read_mcp_config(R"({"mcpServers": {"c": {"command": "${NONE}"}}})", variable).ok());
}

TEST(McpConfig, ApprovalIsOfAllOfSomeOrOfAllButSome) {
    const auto server = [](const std::string& approval) {
        return read_mcp_config(R"({"mcpServers": {"a": {"command": "x", "approval": )" + approval + "}}}")
            .value()
            .servers[0];
    };
    EXPECT_TRUE(server("true").approval);
    EXPECT_EQ(server(R"(["w"])").tools_to_approve, std::vector<std::string>{"w"});
    EXPECT_FALSE(server(R"(["w"])").approval);
    EXPECT_EQ(server(R"({"except": ["r"]})").tools_not_to_approve, std::vector<std::string>{"r"});
    EXPECT_TRUE(server(R"({"except": ["r"]})").approval);
    EXPECT_FALSE(read_mcp_config(R"({"mcpServers": {"a": {"command": "x", "approval": {"all": []}}}})").ok());
}

TEST(McpConfig, NamesThatAreOneInProgramsGetNumbers) {
    const auto names = [](const char* servers) {
        const auto config = read_mcp_config(std::string(R"({"mcpServers": )") + servers + "}");
        std::string text;
        for (const McpServer& server : config.value().servers)
            text += server.name + "=" + server.program_name + ";";
        return text;
    };
    EXPECT_EQ(names(R"({"my server": {"command": "x"}, "my-server": {"command": "y"}, "my.server": {"command": "z"}})"),
              "my server=my-server-2;my-server=my-server;my.server=my-server-3;");
    // Whoever is left out.
    EXPECT_EQ(
        names(R"({"my server": {"command": "x", "disabled": true}, "my-server": {}, "my.server": {"command": "z"}})"),
        "my.server=my-server-3;");
    EXPECT_EQ(names(R"({"a b": {"command": "x"}, "a-b": {"command": "y"}, "a-b-2": {"command": "z"}})"),
              "a b=a-b-3;a-b=a-b;a-b-2=a-b-2;");
}

TEST(McpConfig, ATimeoutIsOfTheStartToo) {
    const auto config =
        read_mcp_config(R"({"mcpServers": {"a": {"command": "x", "timeout": 1500}, "b": {"command": "x"}}})");
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(config.value().servers[0].connect_timeout, std::chrono::milliseconds(1500));
    EXPECT_EQ(config.value().servers[1].connect_timeout, std::nullopt);
}

TEST(McpClient, ASilentServerIsWaitedForAsLongAsItsOwnTimeoutSays) {
    McpServer silent{.name = "s", .command = {"sleep", "7200"}};
    silent.connect_timeout = std::chrono::milliseconds(50);
    McpOptions options;
    options.servers = {silent};
    options.connect_timeout = std::chrono::hours(1);
    const auto client = McpClient::connect(std::move(options)); // hangs by the other timeout
    ASSERT_TRUE(client.ok());
    ASSERT_EQ(client.value()->problems().size(), 1u);
    EXPECT_NE(client.value()->problems()[0].find("`s` is not there"), std::string::npos);
}

std::string signature_of(const std::string& input, const std::string& output, std::vector<std::string>& notices) {
    mcp::Listing listing;
    listing.tools.push_back({.name = "t", .description = {}, .input_schema = input, .output_schema = output});
    return mcp::catalog_of("s", std::move(listing), notices)[0].signature;
}

TEST(McpCatalog, WhatNoSignatureSaysTakesNoOtherCheckAway) {
    std::string choices;
    for (int i = 0; i < 3000; ++i)
        choices += (i ? ",\"choice-" : "\"choice-") + std::to_string(i) + "\"";
    const std::string longest = R"({"type": "string", "enum": [)" + choices + "]}";
    std::vector<std::string> notices;
    EXPECT_EQ(signature_of(R"({"type": "object", "properties": {"n": {"type": "integer"}, "level": )" + longest +
                               R"(}, "required": ["n"]})",
                           R"({"type": "object", "properties": {"x": {"type": "string"}}})", notices),
              "(level :any?, n :int) -> {x :string?}");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_NE(notices[0].find("so of `level` nothing is checked"), std::string::npos) << notices[0];
    notices.clear();
    EXPECT_EQ(signature_of(R"({"type": "object", "properties": {"n": {"type": "integer"}}})", "17", notices),
              "(n :int?) -> :any");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_NE(notices[0].find("so of the result nothing is checked"), std::string::npos) << notices[0];
}

TEST(McpCatalog, WhatIsTooLongTogetherLosesTheLongestChecksFirst) {
    std::string choices;
    for (int i = 0; i < 600; ++i)
        choices += (i ? ",\"choice-" : "\"choice-") + std::to_string(i) + "\"";
    std::string properties = R"("n": {"type": "integer"})";
    for (int i = 0; i < 5; ++i)
        properties += ", \"p" + std::to_string(i) + R"(": {"type": "string", "enum": [)" + choices + "]}";
    std::vector<std::string> notices;
    const std::string text = signature_of(R"({"type": "object", "properties": {)" + properties + "}}", "", notices);
    EXPECT_LE(text.size(), std::size_t{16} << 10);
    EXPECT_NE(text.find("n :int?"), std::string::npos);
    EXPECT_NE(text.find("choice-599"), std::string::npos) << "one of them fits";
    EXPECT_NE(text.find(":any?"), std::string::npos);
    EXPECT_EQ(notices.size(), 1u);
}

TEST(McpCatalog, ParametersThatNoSignatureNamesAreWrittenInAnotherWay) {
    std::vector<std::string> notices;
    EXPECT_EQ(
        signature_of(R"({"type": "object", "required": ["user id", "n"], "properties": {"user id": {"type": "string"},
                               "$top": {"type": "integer"}, "2fa": {}, "n": {"type": "integer"}, "//": {}}})",
                     "", notices),
        "(top :int?, _2fa :any?, n :int, user-id :string) -> :any");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(
        notices[0],
        "Programs write parameters of `t` so: `$top` is `top`, `2fa` is `_2fa`, `user id` is `user-id`. No signature "
        "of `t` can name `//`: programs use the name as a text, and nothing is checked there.");
    notices.clear();
    EXPECT_EQ(
        signature_of(R"({"properties": {"a b": {"type": "string"}, "a/b": {"type": "int"}, "a-b": {}}})", "", notices),
        "(a_b_2 :string?, a-b :any?, a_b_3 :any?) -> :any");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices[0], "Programs write parameters of `t` so: `a b` is `a_b_2`, `a/b` is `a_b_3`.");
}

TEST(McpCatalog, FieldsThatNoSignatureNamesAreLeftOutAloneAndTold) {
    const std::string row = R"({"type": "object", "required": ["n", "user id"],
                                "properties": {"n": {"type": "integer"}, "user id": {"type": "string"}}})";
    mcp::Listing listing;
    listing.tools.push_back(
        {.name = "t",
         .description = {},
         .input_schema = R"({"properties": {"filter": )" + row + "}}",
         .output_schema = R"({"type": "object", "properties": {"items": {"type": "array", "items": )" + row +
                          R"(}, "@id": {"type": "string"}}})"});
    std::vector<std::string> notices;
    const mcp::CatalogTool tool = mcp::catalog_of("s", std::move(listing), notices)[0];
    EXPECT_EQ(tool.signature, "(filter {n :int}?) -> {items [{n :int}]?}");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices[0], "No signature of `t` can name `user id` of `filter`, `user id` of `items[]`, `@id` of the "
                          "result: programs use the name as a text, and nothing is checked there.");
    const std::vector<UnwrittenField> unwritten = {{"items[]", "user id"}, {"", "@id"}};
    EXPECT_EQ(mcp::described("s", tool).unwritten, unwritten);
}

TEST(McpCatalog, PartsAndAlternativesOfArgumentsGiveTheirParameters) {
    std::vector<std::string> notices;
    const std::string a =
        R"({"properties": {"a": {"type": "string"}, "c": {"type": "boolean"}}, "required": ["a", "c"]})";
    const std::string b = R"({"properties": {"b": {"type": "integer"}, "c": {"type": "boolean"}}, "required": ["c"]})";
    EXPECT_EQ(signature_of(R"({"type": "object", "allOf": [)" + a + "," + b + "]}", "", notices),
              "(a :string, c :bool, b :int?) -> :any");
    EXPECT_EQ(signature_of(R"({"type": "object", "oneOf": [)" + a + "," + b + "]}", "", notices),
              "(a :any?, c :bool, b :any?) -> :any");
    EXPECT_TRUE(notices.empty());
    EXPECT_EQ(
        signature_of(R"({"properties": {"x": {"type": "string"}}, "required": ["x"], "oneOf": [)" + a + "," + b + "]}",
                     "", notices),
        "(x :string, a :any?, c :any?, b :any?) -> :any");
    EXPECT_EQ(
        signature_of(
            R"({"allOf": [{"properties": {"$a": {"type": "integer"}}}, {"properties": {"%a": {"type": "string"}}}]})",
            "", notices),
        "(a :int?, a_2 :string?) -> :any");
    notices.clear();
    EXPECT_EQ(signature_of(R"({"properties": {"-": {}, "ok": {"type": "integer"}}})", "", notices),
              "(ok :int?) -> :any");
    notices.clear();
    EXPECT_EQ(signature_of(R"({"type": "object", "anyOf": [)" + a + R"(, {"type": "string"}]})", "", notices), "");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices[0], "The parameters of `t` make no signature, so nothing is checked of them.");
    notices.clear();
    EXPECT_EQ(signature_of(R"({"type": "object"})", "", notices), "");
    EXPECT_TRUE(notices.empty());
}

TEST(McpCatalog, AToolWithoutParametersKeepsTheTypeOfItsResults) {
    const std::string output =
        R"({"type": "object", "properties": {"temp": {"type": "number"}}, "required": ["temp"]})";
    std::vector<std::string> notices;
    for (const char* input : {R"({"type": "object"})", R"({"type": "object", "additionalProperties": false})"}) {
        const std::string text = signature_of(input, output, notices);
        const Result<Signature> signature = parse_signature(text);
        ASSERT_TRUE(signature.ok()) << text;
        EXPECT_EQ(type_text(signature.value().returns), "{temp :float}") << text;
    }
    EXPECT_TRUE(notices.empty());
}

TEST(McpCatalog, WhatIsSaidOfParametersIsAmongTheDetails) {
    mcp::Listing listing;
    const std::string schema = R"({"type": "object", "properties": {"to": {"description": "Who gets it"}, "plain": {},
        "user id": {"description": "Of\nthe  sender"}, "lines": {"type": "array", "items": {"properties":
        {"sku": {"description": "Of the article"}}}}}})";
    listing.tools.push_back({.name = "send",
                             .description = std::string(299, 'a') + " end of it",
                             .input_schema = schema,
                             .output_schema = {}});
    listing.tools.push_back(
        {.name = "none", .description = "Short.", .input_schema = R"({"type": "object"})", .output_schema = {}});
    std::vector<std::string> notices;
    const std::vector<mcp::CatalogTool> tools = mcp::catalog_of("s", std::move(listing), notices);
    EXPECT_EQ(tools[0].details, "In full: \"" + std::string(299, 'a') +
                                    " end of it\"\nThe server s says of its parameters:\n  lines[].sku: \"Of the "
                                    "article\"\n  to: \"Who gets it\"\n  user-id: \"Of the sender\"");
    EXPECT_EQ(tools[1].details, "");
    EXPECT_EQ(mcp::described("s", tools[0]).details, tools[0].details);
    // Hostile ones are bounded.
    mcp::Listing large;
    std::string properties;
    for (int i = 0; i < 5000; ++i)
        properties +=
            (i ? ",\"p" : "\"p") + std::to_string(i) + R"(": {"description": ")" + std::string(900, 'x') + "\"}";
    large.tools.push_back({.name = "t",
                           .description = {},
                           .input_schema = R"({"properties": {)" + properties + "}}",
                           .output_schema = {}});
    EXPECT_LE(mcp::catalog_of("s", std::move(large), notices)[0].details.size(), 7000u);
}

TEST(McpCatalog, WhatNobodySeesInDescriptionsIsSpelledOut) {
    mcp::Listing listing;
    listing.tools.push_back({.name = "t",
                             .description = "a\u202Eb\u2066c\u200Ed\u061Ce\U000E0041f\u200Bg",
                             .input_schema = R"({"properties":{"x":{"description":"h\u202Ei"}}})",
                             .output_schema = {}});
    std::vector<std::string> notices;
    const mcp::CatalogTool tool = mcp::catalog_of("s", std::move(listing), notices)[0];
    EXPECT_EQ(mcp::described("s", tool).description,
              R"(The server s says of it: "a\\u202eb\\u2066c\\u200ed\\u061ce\\udb40\\udc41f\\u200bg")");
    EXPECT_NE(tool.details.find(R"(x: "h\\u202ei")"), std::string::npos) << tool.details;
}

TEST(McpCatalog, WhoIsCalledAsItIsListedKeepsItsName) {
    mcp::Listing listing;
    for (const char* name : {"read file", "read-file"})
        listing.tools.push_back(
            {.name = name, .description = {}, .input_schema = R"({"type": "object"})", .output_schema = {}});
    std::vector<std::string> notices;
    const std::vector<mcp::CatalogTool> tools = mcp::catalog_of("My Server", std::move(listing), notices);
    EXPECT_EQ(tools[0].name, "My-Server.read-file-2");
    EXPECT_EQ(tools[1].name, "My-Server.read-file");
    ASSERT_GE(notices.size(), 1u);
    EXPECT_EQ(notices[0], "The server `My Server` is `My-Server` in programs.");
}

TEST(McpCatalog, WhatAnotherProcessHasLearntIsAdded) {
    const auto catalog = [](const char* of_a, const char* of_b) {
        mcp::Catalog made;
        for (const auto& [name, type] : {std::pair("a", of_a), std::pair("b", of_b)}) {
            mcp::CatalogTool tool{.listed = std::make_shared<const mcp::ListedTool>(mcp::ListedTool{
                                      .name = name, .description = {}, .input_schema = {}, .output_schema = {}}),
                                  .name = std::string("s.") + name,
                                  .signature = ""};
            if (*type) tool.learnt = parse_signature(type).value().returns;
            made["s"].tools.push_back(std::move(tool));
        }
        return made;
    };
    mcp::Catalog mine = catalog("{x :int}", "");
    const auto type = [](const char* text) { return parse_signature(text).value().returns; };
    mcp::add_learnt(
        mine, {{"s", {{"a", {type("{x :int, y :int}")}}, {"b", {type("{z :int}")}}, {"gone", {type("{k :int}")}}}},
               {"t", {}}});
    EXPECT_EQ(type_text(*mine["s"].tools[0].learnt), "{x :int, y :int?}");
    EXPECT_EQ(type_text(*mine["s"].tools[1].learnt), "{z :int}");
    EXPECT_EQ(type_text(mine["s"].apart.at("gone").type), "{k :int}");
    mcp::add_learnt(mine, {});
    EXPECT_EQ(type_text(*mine["s"].tools[1].learnt), "{z :int}");
}

TEST(McpCatalog, WhatWasLearntOfToolsThatAreGoneIsKeptForAWhile) {
    const Type type = parse_signature("{x :int}").value().returns;
    mcp::LearntOfServer apart;
    mcp::set_apart(apart, "a", {type});
    for (int i = 0; i < 20; ++i)
        mcp::count_missed(apart);
    EXPECT_EQ(apart.size(), 1u);
    mcp::Catalog catalog{{"s", {.tools = {}, .apart = apart}}};
    const std::string path = std::filesystem::path(testing::TempDir()) / "ptc-apart.json";
    ASSERT_TRUE(mcp::write_catalog_file(path, catalog).ok());
    const mcp::LearntTypes read = mcp::read_learnt_types(path);
    EXPECT_EQ(read.at("s").at("a").missed, 20u);
    EXPECT_EQ(type_text(read.at("s").at("a").type), "{x :int}");
    mcp::count_missed(apart);
    EXPECT_TRUE(apart.empty());
    mcp::Catalog mine{{"s", {}}};
    mcp::add_learnt(mine, read); // as if this process had given it up
    EXPECT_TRUE(mine["s"].apart.empty());
    for (int i = 0; i < 2000; ++i)
        mcp::set_apart(apart, "t" + std::to_string(i), {type});
    EXPECT_EQ(apart.size(), 1000u);
    std::filesystem::remove(path);
}

TEST(McpCatalog, SchemasThatDoubleAreBounded) {
    std::string references;
    for (int i = 0; i < 25; ++i)
        references += R"({"$ref": "#/$defs/b"},)";
    references.pop_back();
    const std::string long_name = "$" + std::string(40'000, 'x');
    const std::string schema =
        R"({"allOf": [)" + references + R"(], "$defs": {"b": {"properties": {"$v": {}, ")" + long_name + R"(": {}}}}})";
    std::vector<std::string> notices;
    EXPECT_EQ(signature_of(schema, "", notices), "(v :any?) -> :any");
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices[0], "Programs write parameters of `t` so: `$v` is `v`.");
    std::string definitions;
    for (int i = 0; i < 15; ++i)
        definitions += "\"d" + std::to_string(i) + R"(": {"anyOf": [{"$ref": "#/$defs/d)" + std::to_string(i + 1) +
                       R"("}, {"$ref": "#/$defs/d)" + std::to_string(i + 1) + R"("}]},)";
    mcp::Listing listing;
    for (int i = 0; i < 200; ++i)
        listing.tools.push_back(
            {.name = "t" + std::to_string(i),
             .description = {},
             .input_schema = R"({"$ref": "#/$defs/d0", "$defs": {)" + definitions + R"("d15": {"type": "string"}}})",
             .output_schema = {}});
    notices.clear();
    mcp::catalog_of("s", std::move(listing), notices);
    EXPECT_TRUE(std::ranges::any_of(notices, [](const std::string& notice) {
        return notice.find("are not read, as those before say too much") != std::string::npos;
    }));
}

TEST(McpCatalog, NamesBecomeWritableAndStayApart) {
    EXPECT_EQ(mcp::program_name_part("get-sum", true), "get-sum");
    EXPECT_EQ(mcp::program_name_part("a..b.", true), "a.-b-");
    EXPECT_EQ(mcp::program_name_part("my server", false), "my-server");
    EXPECT_EQ(mcp::program_name_part("a.b", false), "a-b");
    EXPECT_EQ(mcp::program_name_part("9", false), "_9");
    EXPECT_EQ(mcp::program_name_part("", true), "-");
}

Datum lone_text(const std::string& text) {
    return Datum::object({{"content", Datum(Datum::List{Datum::object({{"type", "text"}, {"text", text}})})}});
}

TEST(McpValues, StructuredContentComesFirstAndALoneTextMayBeJson) {
    const auto value = [](std::string_view text, bool keeps = false) {
        return mcp::value_of_result(json(text), keeps).value();
    };
    EXPECT_EQ(value(R"({"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}})"), json(R"({"a":1})"));
    EXPECT_EQ(value(R"({"content":[{"type":"text","text":" [1,2] "}]})"), json("[1,2]"));
    EXPECT_EQ(value(R"({"content":[{"type":"text","text":" [1,2] "}]})", true), Datum(" [1,2] "));
    EXPECT_EQ(value(R"({"content":[{"type":"text","text":"12"}]})"), Datum("12"));
    EXPECT_EQ(value(R"({"content":[{"type":"text","text":"{a"}]})"), Datum("{a"));
    EXPECT_EQ(value(R"({"content":[]})"), Datum());
    EXPECT_EQ(value(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})").size(), 2u);
    for (const char* text :
         {"", " ", "[a](b)", "{} {}", "[1,]", "[NaN]", "{'a':1}", "[01]", "[1.]", "1e999", "\"[1]\""})
        EXPECT_EQ(mcp::value_of_result(lone_text(text), false).value(), Datum(text)) << text;
    EXPECT_FALSE(mcp::value_of_result(json(R"({})"), false).ok());
    EXPECT_EQ(mcp::value_of_result(json(R"({"isError":true,"content":[{"type":"text","text":"no\n# Go"}]})"), false)
                  .error()
                  .message,
              "The tool failed, and says: `no # Go`");
}

TEST(McpValues, JsonInATextOfWhichNoValueCanBeMadeIsAnErrorAndNoText) {
    std::string many = "[0";
    for (int i = 0; i < 4'000'001; ++i)
        many += ",0";
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    for (const std::string& text : {std::string(R"({"rows":[1e999]})"), many + "]", deep}) {
        const Result<Datum> read = mcp::value_of_result(lone_text(text), false);
        ASSERT_FALSE(read.ok()) << text.substr(0, 40);
        EXPECT_EQ(read.error().reason, Reason::ToolError);
        EXPECT_NE(read.error().message.find("no value can be made"), std::string::npos) << read.error().message;
        EXPECT_EQ(mcp::value_of_result(lone_text(text), true).value(), Datum(text)); // where texts are kept
    }
}

TEST(McpValues, JsonIsWhatItsGrammarSays) {
    for (const char* yes :
         {"{}", " [ ] ", R"({"a":[1,-0.5e+9,true,false,null,"\u00e4\n\""],"b":{}})", "1e999", "[[],[{}]]"})
        EXPECT_TRUE(mcp::is_json(yes)) << yes;
    for (const char* no :
         {"",     "{",    "[1",         "[1]]",      "{]",          "[1 2]", "{1:2}", R"({"a"})", R"({"a":})",   "[01]",
          "[+1]", "[.5]", "[\"a\nb\"]", R"(["\x"])", R"(["\u12"])", "[tru]", "[1,]",  "{,}",      R"({"a":1,})", "nul"})
        EXPECT_FALSE(mcp::is_json(no)) << no;
}

TEST(McpValues, ArgumentsGetTheNamesOfTheSchema) {
    const char* const schema = R"({"properties":{"user-id":{},"rows":{"items":{"properties":{"first-name":{}}}}}})";
    EXPECT_EQ(mcp::arguments_as_named(schema, json(R"({"user_id":1,"rows":[{"first_name":"x"}],"other_one":2})")),
              json(R"({"user-id":1,"rows":[{"first-name":"x"}],"other_one":2})"));
    const char* const unwritable = R"({"properties":{"user id":{},"$top":{},"top":{}}})";
    EXPECT_EQ(mcp::arguments_as_named(unwritable, json(R"({"user_id":1,"top":2})")), json(R"({"user id":1,"top":2})"));
    EXPECT_EQ(mcp::arguments_as_named(unwritable, json(R"({"user id":1,"$top":2})")),
              json(R"({"user id":1,"$top":2})"));
    // The name that is nearest, and none twice; further inside keys may be data.
    const char* const near = R"({"properties":{"$user_id":{},"user-id":{},"a b":{},"f":{"properties":{"$set":{}}}}})";
    EXPECT_EQ(mcp::arguments_as_named(near, json(R"({"user_id":1,"f":{"set":2}})")),
              json(R"({"user-id":1,"f":{"set":2}})"));
    EXPECT_EQ(mcp::arguments_as_named(near, json(R"({"a_b":1,"a b":2})")), json(R"({"a_b":1,"a b":2})"));
    const char* const escaped = R"({"$ref":"#/$defs/A~1B","$defs":{"A/B":{"properties":{"$top":{}}}}})";
    EXPECT_EQ(mcp::arguments_as_named(escaped, json(R"({"top":1})")), json(R"({"$top":1})"));
}

/// A tool whose results have this schema, and one of its results.
mcp::CatalogTool tool_of_results(const std::string& schema, std::vector<std::string>& notices) {
    mcp::Listing listing;
    listing.tools.push_back({.name = "t", .description = {}, .input_schema = "{}", .output_schema = schema});
    return mcp::catalog_of("s", std::move(listing), notices)[0];
}
Datum named(const mcp::CatalogTool& tool, const char* value) {
    const SignaturePtr signature = compile_signature(tool.signature).value();
    const Type& type = signature_of(*signature).returns;
    return json(tool.twin_keys->with_names_apart(json(value), type, tool.result_names).value().to_json());
}

TEST(McpValues, FieldsThatAreOneButForHyphensGetOtherNames) {
    std::vector<std::string> notices;
    const mcp::CatalogTool tool =
        tool_of_results(R"({"type":"object","properties":{"user-id":{"type":"integer"},"user_id":{}}})", notices);
    EXPECT_NE(tool.signature.find("[:user_id_2 {:optional true} :int]"), std::string::npos) << tool.signature;
    EXPECT_EQ(notices, std::vector<std::string>{"Results of `t` have fields that differ by hyphens alone; programs "
                                                "read them so: `user-id` is `user_id_2`."});
    for (const char* const value : {R"({"user-id":2})", R"({"user-id":2,"user_id":1})"})
        EXPECT_EQ(named(tool, value)["user_id_2"], Datum(2)) << value;
    // Where a field is alone with its name it keeps it.
    const mcp::CatalogTool nested = tool_of_results(
        R"({"properties":{"owner":{"properties":{"user-id":{"type":"integer"}}},"rows":{"items":{"anyOf":[)"
        R"({"properties":{"user-id":{"type":"string"}}},{"properties":{"user_id":{"type":"string"}}}]}}}})",
        notices);
    EXPECT_EQ(type_text(signature_of(*compile_signature(nested.signature).value()).returns),
              "{owner {user-id :int?}?, rows [{user_id_2 :string?}|{user_id :string?}]?}");
    EXPECT_EQ(named(nested, R"({"owner":{"user-id":1},"rows":[{"user-id":"x"},{"user_id":"y"}]})"),
              json(R"({"owner":{"user-id":1},"rows":[{"user_id_2":"x"},{"user_id":"y"}]})"));
}

TEST(McpValues, AKeyThatNoSchemaHasIsCalledTheSameInAllResults) {
    std::vector<std::string> notices;
    const mcp::CatalogTool tool = tool_of_results(R"({"properties":{"n":{}}})", notices);
    EXPECT_EQ(named(tool, R"({"user-id":2})"), json(R"({"user-id":2})"));
    EXPECT_EQ(named(tool, R"({"rows":[{"a-b":1},{"a_b":2},{"a-b":3,"a_b":4,"a_b_2":5}]})"),
              json(R"({"rows":[{"a_b_3":1},{"a_b":2},{"a_b_3":3,"a_b":4,"a_b_2":5}]})"));
    EXPECT_EQ(named(tool, R"({"a-b":1})"), json(R"({"a_b_3":1})"));
    EXPECT_EQ(named(tool, R"({"a_b_3":1,"a-b":2})"), json(R"({"a_b_3_2":1,"a_b_3":2})"));
    // It is never read as one that is declared.
    const mcp::CatalogTool declared = tool_of_results(R"({"properties":{"user-id":{}}})", notices);
    EXPECT_EQ(named(declared, R"({"user_id":1})"), json(R"({"user_id_2":1})"));
    EXPECT_EQ(named(declared, R"({"user-id":1,"user_id":2})"), json(R"({"user-id":1,"user_id_2":2})"));
    // In the time that there is.
    std::string rows;
    for (int i = 0; i < 1000; ++i)
        rows += std::string(i ? "," : "") + R"({"a-b":1})";
    const Datum many = json("{\"rows\":[" + rows + "]}");
    const SignaturePtr signature = compile_signature(tool.signature).value();
    const work::Scope none([] { return false; });
    EXPECT_FALSE(tool.twin_keys->with_names_apart(many, signature_of(*signature).returns).ok());
}

/// All 2^bits names of words with hyphens or underscores between them.
static std::vector<std::string> names_of_hyphens(unsigned bits) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < 1u << bits; ++i) {
        std::string name = "a";
        for (unsigned bit = 0; bit < bits; ++bit)
            name += (i >> bit & 1) != 0 ? "-a" : "_a";
        names.push_back(std::move(name));
    }
    return names;
}

TEST(McpValues, NamesApartCostWhatTheyAre) {
    for (const unsigned bits : {6u, 14u}) {
        std::vector<std::string> names = names_of_hyphens(bits);
        const std::size_t all = names.size();
        names.push_back(std::string(names.front()) + "_7"); // one that is there
        std::size_t tried = 0;
        EXPECT_EQ(names_apart(std::move(names), &tried).size(), all - 1);
        EXPECT_EQ(tried, all);
    }
}

TEST(McpValues, NamesAreLookedForBehindReferencesAndInAllParts) {
    const char* const schema = R"({"$defs":{"N":{"properties":{"own-id":{},"kids":{"items":{"$ref":"#/$defs/N"}}}}},)"
                               R"("allOf":[{"properties":{"the-tree":{"$ref":"#/$defs/N"}}}],)"
                               R"("anyOf":[{"$ref":"#"},{"properties":{"a-b":{}}}]})";
    EXPECT_EQ(mcp::arguments_as_named(schema, json(R"({"the_tree":{"own_id":1,"kids":[{"own_id":2}]},"a_b":3})")),
              json(R"({"the-tree":{"own-id":1,"kids":[{"own-id":2}]},"a-b":3})"));
}

TEST(McpHeaders, SchemasThatAskForWhatCannotBeAreRefused) {
    const auto problem = [](const std::string& properties) {
        return mcp::header_problem(R"({"type":"object","properties":{)" + properties + "}}");
    };
    EXPECT_EQ(
        problem(
            R"("a":{"type":"string","x-mcp-header":"A"},"b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"C"}}})"),
        "");
    EXPECT_NE(problem(R"("a":{"type":"number","x-mcp-header":"A"})"), "");
    EXPECT_NE(problem(R"("a":{"type":"string","x-mcp-header":""})"), "");
    EXPECT_NE(problem(R"("a":{"type":"string","x-mcp-header":"A\r\nB: c"})"), "");
    EXPECT_NE(problem(R"("a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"})"), "");
    EXPECT_NE(problem(R"("a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}})"), "");
    EXPECT_NE(problem(R"("a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]})"), "");
}

TEST(McpHeaders, ValuesAreWrittenAsHeadersTakeThem) {
    const char* const schema =
        R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"n":{"type":"integer","x-mcp-header":"N"},
        "o":{"type":"object","properties":{"b":{"type":"boolean","x-mcp-header":"B"}}}}})";
    using Headers = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(mcp::sent_headers(schema, json(R"({"a":"x","n":null,"o":{"b":false}})")),
              (Headers{{"Mcp-Param-A", "x"}, {"Mcp-Param-B", "false"}}));
    EXPECT_EQ(mcp::sent_headers(schema, json(R"({"a":"é","n":9007199254740993})")),
              (Headers{{"Mcp-Param-A", "=?base64?w6k=?="}}));
}

TEST(McpCatalog, WhatNobodySeesInChoicesIsSpelledOut) {
    std::vector<std::string> notices;
    const std::string text = signature_of(
        R"({"properties": {"a": {"enum": ["x\u202ey", "\udb40\udc41", "\u00fcb"]}, "b": {"const": "\u200b"}}})", "",
        notices);
    EXPECT_EQ(text, R"((a :enum["x\u202ey" "\udb40\udc41" "üb"]?, b :enum["\u200b"]?) -> :any)");
    EXPECT_TRUE(notices.empty());
    const Signature read = parse_signature(text).value();
    EXPECT_EQ(read.params[0].type.choices.at(0), Choice(std::string("x\u202Ey"))) << "it is what it was";
}

TEST(McpHeaders, TheLeastIntegerIsNoHeader) {
    const char* const schema = R"({"properties":{"n":{"type":"integer","x-mcp-header":"N"}}})";
    EXPECT_TRUE(mcp::sent_headers(schema, json(R"({"n":-9223372036854775808})")).empty());
}

TEST(McpOAuth, ChallengesAreReadWithAndWithoutQuotes) {
    const char* const challenge =
        R"(Bearer error="insufficient_scope", xscope="no", scope="a \"b\" c",resource_metadata=https://x/y, z=1)";
    EXPECT_EQ(mcp::challenge_parameter(challenge, "error"), "insufficient_scope");
    EXPECT_EQ(mcp::challenge_parameter(challenge, "scope"), R"(a "b" c)");
    EXPECT_EQ(mcp::challenge_parameter(challenge, "resource_metadata"), "https://x/y");
    EXPECT_EQ(mcp::challenge_parameter(challenge, "nothing"), "");
    EXPECT_EQ(mcp::challenge_parameter("Bearer scope=\"open", "scope"), "open");
}

TEST(McpLearning, NamesThatNoSignatureWritesAreLearntToo) {
    const Type row = mcp::learn(json(R"({"title":"x","first name":"y","@id":3,"owner":{"$ref":"#","id":1}})"));
    EXPECT_EQ(mcp::shown_type(row),
              R"({"@id" :int, "first name" :string, owner {"$ref" :string, id :int}, title :string})");
    EXPECT_EQ(mcp::names_only(row).fields.size(), 4u);
    // A file has them as they are.
    for (const char* value : {R"({"a":1,"b c":[{"d":1,"e f":null}]})", R"([{"a":1,"b c":{}}])", R"({"a":[1.5]})"}) {
        const Type type = mcp::merged(mcp::learn(json(value)), mcp::learn(Datum()));
        const std::optional<Type> back = mcp::read_learnt(json(mcp::learnt_json(type)));
        ASSERT_TRUE(back) << mcp::learnt_json(type);
        EXPECT_EQ(*back, type) << mcp::learnt_json(type);
    }
    EXPECT_EQ(mcp::learnt_json(mcp::learn(json(R"({"a":[1]})"))), R"("{a [:int]}")");
    for (const char* wrong : {"1", "{}", R"({"fields":[[1,":int"]]})", R"({"items":":nothing"})", R"("{a :int")",
                              R"({"items":":int","fields":[]})"})
        EXPECT_FALSE(mcp::read_learnt(json(wrong))) << wrong;
    // Mostly such names: a map from keys to values.
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"({"@id":1,"first name":"x","title":"y"})"))),
              R"({"@id" :int, "first name" :string, title :string})");
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"({"a/b.txt":1,"c/d.txt":2,"size":3})"))), ":map");
    const Type years = mcp::learn(json(R"({"2023":{"n":1},"2024":{"n":2},"note":"x"})"));
    EXPECT_EQ(mcp::shown_type(years), ":map");
    EXPECT_TRUE(mcp::names_only(years).is(TypeKind::Any));
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"({"not a name":1})"))), ":map");
    // Which one result alone does not decide for good.
    EXPECT_EQ(mcp::shown_type(mcp::merged(mcp::learn(json(R"({"a b":1})")), mcp::learn(json(R"({"a b":1,"n":1})")))),
              R"({"a b" :int, n :int?})");
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"({"user-id":1,"user_id":2.5})"))), "{user-id :float}");
    EXPECT_EQ(mcp::shown_type(mcp::learn(json("{\"n\":1,\"\u202Ex\":\"y\"}"))), R"({n :int, "\\u202ex" :string})");
}

TEST(McpLearning, KeysThatAreDataAreNoFields) {
    const auto shown = [](const char* value) { return mcp::shown_type(mcp::learn(json(value))); };
    const auto both = [](const char* a, const char* b) {
        return mcp::shown_type(mcp::merged(mcp::learn(json(a)), mcp::learn(json(b))));
    };
    EXPECT_EQ(shown(R"({"alice_smith":{"age":1,"city":"x"},"bob_jones":{"age":2,"city":"y"}})"), ":map");
    EXPECT_EQ(shown(R"({"people":{"alice_smith":{"age":1},"bob_jones":{"age":2,"pet":null}},"total":2})"),
              "{people :map, total :int}");
    EXPECT_EQ(shown(R"({"alice":[{"id":1}],"bob":[{"id":2}],"carol":[]})"), ":map");
    EXPECT_EQ(shown(R"({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6.5})"), ":map");
    EXPECT_EQ(shown(R"({"alice":{"rome":{"n":1},"oslo":{"n":2}},"bob":{"bern":{"n":1},"lima":{"n":2}}})"), ":map");
    // Others each time.
    EXPECT_EQ(both(R"({"alice":{"age":1}})", R"({"bob":{"age":2}})"), ":map");
    EXPECT_EQ(both(R"({"alice":3,"bob":4})", R"({"carol":3,"dave":4,"bob":1})"), ":map");
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"([{"n":1,"by":{"alice":1}},{"n":1,"by":{"bob":1}}])"))),
              "[{by :map, n :int}]");
    EXPECT_EQ(both(R"({"Ann":3,"Bob":4})", R"({"Ann":3,"Bob":4})"), ":map"); // as names of persons are spelled
    EXPECT_EQ(both(R"({"total":2,"Ann Smith":{"n":1}})", R"({"total":1,"Bob Jones":{"n":2}})"), "{total :int, ..}");
    // What a call asks for.
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"({"de":"Hallo","fr":"Salut"})"), json(R"({"to":"DE, fr"})"))), ":map");
    EXPECT_EQ(mcp::learnt_json(mcp::learn(json(R"({"acme":{"n":1}})"), json(R"({"symbols":["ACME"]})"))), R"(":map")");
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"({"name":"x","email":"y"})"), json(R"({"fields":["name","email"]})"))),
              "{email :string, name :string, ..}");
    // Records.
    EXPECT_EQ(shown(R"({"total":3,"count":5})"), "{count :int, total :int}");
    EXPECT_EQ(shown(R"({"data":{"id":1}})"), "{data {id :int}}");
    EXPECT_EQ(shown(R"({"user":{"login":"x","id":1},"repo":{"stars":1,"forks":2}})"),
              "{repo {forks :int, stars :int}, user {id :int, login :string}}");
    EXPECT_EQ(both(R"({"id":1,"title":"x"})", R"({"id":1,"owner":{"id":1}})"),
              "{id :int, title :string?, owner {id :int}?}");
}

TEST(McpLearning, KeysThatAreTheSameInTwoCallsAreFields) {
    const auto after = [](std::initializer_list<const char*> arguments) {
        std::optional<Type> known;
        for (const char* of_call : arguments) {
            const Type type = mcp::learn(json(R"({"sea":[{"id":1}],"land":[{"id":2}]})"), json(of_call));
            EXPECT_TRUE(mcp::names_only(type).is(TypeKind::Any));
            known = known ? mcp::merged(*known, *mcp::read_learnt(json(mcp::learnt_json(type)))) : type;
        }
        return mcp::shown_type(*known);
    };
    EXPECT_EQ(after({R"({"a":1})"}), ":map");
    EXPECT_EQ(after({R"({"a":1})", R"({"a":1})"}), ":map"); // the same call
    EXPECT_EQ(after({R"({"a":1})", R"({"a":2})"}), "{land [{id :int}], sea [{id :int}]}");
    EXPECT_EQ(after({"{}", "{}"}), ":map"); // polled
    EXPECT_EQ(after({"{}", R"({"a":1})"}), "{land [{id :int}], sea [{id :int}]}");
    // Rows of one result.
    EXPECT_EQ(mcp::shown_type(mcp::learn(json(R"([{"sea":1,"land":2},{"sea":3,"land":4}])"), json(R"({"a":1})"))),
              "[{land :int, sea :int}]");
}

TEST(McpLearning, AnswersToDifferentQuestionsMakeNoFields) {
    const auto rows = [](const char* value, const char* query) {
        return mcp::learn(json(value), Datum::object({{"sql", query}}));
    };
    const Type counts = rows(R"([{"count":1,"total":2}])", "select count(*) as count, sum(x) total from t");
    EXPECT_EQ(mcp::shown_type(counts), "[{count :int, total :int, ..}]");
    EXPECT_EQ(type_text(mcp::names_only(counts)), "[:any]"); // the query says which there are
    const Type people = rows(R"([{"name":"x","age":2}])", "select * from people");
    EXPECT_EQ(type_text(mcp::names_only(people)), "[{age :any?, name :any?}]");
    const Type both = mcp::merged(counts, people);
    EXPECT_EQ(mcp::shown_type(both), "[:map]");
    EXPECT_EQ(mcp::shown_type(mcp::merged(both, people)), "[:map]");
    const Type failed =
        mcp::merged(mcp::learn(json(R"({"id":1,"name":"x"})")), mcp::learn(json(R"({"error":"no","code":404})")));
    EXPECT_TRUE(mcp::names_only(failed).is(TypeKind::Any));
}

TEST(McpLearning, KeysThatLookLikeSecretsAreNeverShown) {
    for (const char* key : {"sk_live_SECRETVALabc", "ann.smith@mail.example", "550e8400-e29b-41d4-a716-446655440000",
                            "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "d41d8cd98f00b204e9800998ecf8427e",
                            "ghp_16C7e42F292c6912E7", "AKIAIOSFODNN7EXAMPLE", "4111 1111 1111 1111", "user_123456789",
                            "a1B2c3D4e5F6g7H8i9"}) {
        const Datum value = Datum::object({{"created_at", "x"}, {key, Datum::object({{"scope", "all"}})}});
        EXPECT_EQ(mcp::shown_type(mcp::learn(value)), ":map") << key;
        EXPECT_EQ(mcp::learnt_json(mcp::learn(Datum::object({{key, 1}}))), R"(":map")") << key;
        const Type before = Type::record({{key, Type(TypeKind::Int)}, {"id", Type(TypeKind::Int)}}); // of an older file
        EXPECT_EQ(mcp::shown_type(before), ":map") << key;
    }
    for (const char* key : {"created_at", "address_line_2", "averageTemperatureOfLast24Hours", "sha256", "utf8_text",
                            "@id", "feedback_decade", "deadbeef_cafe", "sk_count", "pm2_5", "base64EncodedContents",
                            "md5_of_message_body", "co2_per_kwh_2024"})
        EXPECT_FALSE(mcp::is_like_a_secret(key)) << key;
}

TEST(McpLearning, WhatWasNotLookedAtIsNotSaidToBeAbsent) {
    const std::string key(61, 'k'), longer(201, 'k');
    const auto learnt = [](const std::string& value) { return mcp::learn(json(value.c_str())); };
    EXPECT_EQ(mcp::shown_type(learnt(R"({"a":1,")" + key + R"(":"x"})")), "{a :int, " + key + " :string}");
    const Type with_longer = learnt(R"({"a":1,"b":"x",")" + longer + R"(":1})");
    EXPECT_EQ(mcp::shown_type(with_longer), "{a :int, b :string, ..}");
    EXPECT_TRUE(mcp::names_only(with_longer).is(TypeKind::Any));
    EXPECT_EQ(mcp::read_learnt(json(mcp::learnt_json(with_longer).c_str())), with_longer);
    const auto rows = [](int count) {
        std::string text = "[";
        for (int i = 0; i < count; ++i)
            text += R"({"id":1,"name":"x"},)";
        return text + R"({"id":1,"name":"x","last":1}])";
    };
    EXPECT_EQ(type_text(mcp::names_only(learnt(rows(150)))), "[{id :any?, name :any?, last :any?}]");
    const Type many = learnt(rows(3000));
    EXPECT_EQ(mcp::shown_type(many), "[{id :int, name :string, ..}]");
    EXPECT_EQ(type_text(mcp::names_only(many)), "[:any]");
    EXPECT_EQ(mcp::shown_type(mcp::merged(many, many)), mcp::shown_type(many));
}

TEST(McpLearning, TypesHoldForAllThatWasSeen) {
    const auto both = [](const char* a, const char* b) {
        return type_text(mcp::merged(mcp::learn(json(a)), mcp::learn(json(b))));
    };
    EXPECT_EQ(both(R"({"a":1})", R"({"a":2.5,"b":"x"})"), "{a :float, b :string?}");
    EXPECT_EQ(both(R"({"a":null})", R"({"a":"x"})"), "{a :string?}");
    EXPECT_EQ(both("[1]", R"(["x"])"), "[:any]");
    EXPECT_EQ(both(R"({"a":1})", "3"), ":any");
    // Of what was a map and a text and nothing, one more map does not make a record.
    EXPECT_EQ(type_text(mcp::learn(json(R"([{"k":1},"x",null,{"z":1}])"))), "[:any]");
    EXPECT_EQ(both(R"([{"v":{"k":1}},{"v":"x"},{"v":null},{}])", R"([{"v":{"z":1}}])"), "[{v :any}]");
    EXPECT_EQ(both(R"([{"v":{"k":1}},{"v":"x"},{}])", R"([{"v":null},{"v":{"z":1}}])"), "[{v :any}]");
    // What is empty says nothing of what it may hold, in either order.
    EXPECT_EQ(both(R"({"items":[]})", R"({"items":[{"id":1}]})"), "{items [{id :int}]}");
    EXPECT_EQ(both(R"({"items":[{"id":1}]})", R"({"items":[]})"), "{items [{id :int}]}");
    EXPECT_EQ(both("{}", R"({"total":1})"), "{total :int?}");
    EXPECT_EQ(both(R"({"owner":{"name":"a"}})", R"({"owner":{}})"), "{owner {name :string?}}");
    EXPECT_EQ(both("[]", "[]"), "[:any?]");
    EXPECT_EQ(type_text(mcp::names_only(mcp::learn(json(R"({"a":{},"b":[]})")))), "{a :any?, b [:any]?}");
    // What is too long to be shown is shown as deep as there is room.
    const Type deep = mcp::learn(json(R"({"id":1,"user":{"login":"x","plan":{"name":"y"}}})"));
    EXPECT_EQ(mcp::shown_type(deep, 100), "{id :int, user {login :string, plan {name :string}}}");
    EXPECT_EQ(mcp::shown_type(deep, 45), "{id :int, user {login :string, plan :map}}");
    EXPECT_EQ(mcp::shown_type(deep, 25), "{id :int, user :map}");
    EXPECT_EQ(mcp::shown_type(deep, 10), "");
    // Each of its levels has as many fields as a record may have.
    std::string wide = "1";
    for (int level = 0; level < 3; ++level) {
        std::string fields;
        for (int i = 0; i < 30; ++i)
            fields += (i ? ",\"f" : "\"f") + std::to_string(i) + "\":" + wide;
        wide = "{" + fields + "}";
    }
    EXPECT_LT(type_text(mcp::learn(json(wide))).size(), 10'000u);
    EXPECT_LT(type_text(mcp::merged(mcp::learn(json(wide)), mcp::learn(json(R"({"other":)" + wide + "}")))).size(),
              10'000u);
    EXPECT_EQ(type_text(mcp::names_only(mcp::learn(json(R"([{"a":1}])")))), "[{a :any?}]");
}

} // namespace
} // namespace ptc
