// MCP servers as a host uses them: from a config file to tools of an engine. The servers are programs of
// tests/mcp_client.
#include "tests/support/untimed.h"
#include <csignal>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <ptc/mcp_client.h>
#include <ptc/ptc.h>
#include <stdexcept>
#include <thread>

namespace ptc {
namespace {

McpServer fake(std::string behaviour) {
    return {.name = "f", .command = {"python3", PTC_TEST_DATA "/mcp_client/fake_server.py", std::move(behaviour)}};
}

/// Calls end with the program's time, and a busy machine may take a second to start a server.
EngineOptions options_with(std::vector<Tool> tools) { return {.tools = std::move(tools), .limits = test::untimed()}; }

std::shared_ptr<McpClient> client_of(std::string behaviour) {
    return McpClient::connect({.servers = {fake(std::move(behaviour))}}).value();
}

TEST(McpClient, ToolsOfAConfigFileAreToolsOfAnEngine) {
    const std::string config = R"({"mcpServers": {"f": {"command": "python3", "args": [")" PTC_TEST_DATA
                               R"(/mcp_client/fake_server.py", "friendly"]}}})";
    const McpConfig read = read_mcp_config(config).value();
    const auto upstream = McpClient::connect({.servers = read.servers}).value();
    EXPECT_TRUE(upstream->problems().empty());
    const Engine engine(options_with(upstream->tools()));
    EXPECT_EQ(engine.run(R"((tool/f.echo {:text "hello"}))").value, "\"hello\"");
}

TEST(McpClient, ToolsKeepTheConnectionsThatTheyNeed) {
    std::vector<Tool> tools = client_of("friendly")->tools();
    const Engine engine(options_with(std::move(tools)));
    EXPECT_EQ(engine.run(R"((tool/f.echo {:text "hello"}))").value, "\"hello\"");
}

TEST(McpClient, BranchesCallAtTheSameTime) {
    const auto upstream = client_of("friendly");
    EngineOptions options = options_with(upstream->tools());
    options.threads = 4;
    options.tool_threads = 8;
    const Engine engine(std::move(options));
    EXPECT_EQ(engine.run("(reduce + (pmap (fn [i] (count (tool/f.echo {:text (str i)}))) (range 100)))").value, "190");
}

TEST(McpClient, ToolsThatAServerChangesAreThereWhenAskedForAgain) {
    const auto upstream = client_of("changes");
    const std::size_t before = upstream->changes();
    EXPECT_EQ(upstream->tools().at(0).name, "f.echo");
    EXPECT_EQ(Engine(options_with(upstream->tools())).run(R"((tool/f.echo {:text "a"}))").value, "\"a\"");
    EXPECT_EQ(upstream->tools().at(0).name, "f.other0");
    EXPECT_GT(upstream->changes(), before);
}

TEST(McpClient, AnAgentHasWhatAServerChangesFromTheNextTurnOn) {
    const auto upstream = client_of("changes");
    const AgentPtr agent = Agent::create({.prompt = "Do it.", .tool_feed = upstream->feed()}).value();
    std::vector<std::string> systems;
    const Llm model = [&systems](const LlmRequest& request) -> LlmResult {
        systems.push_back(request.system);
        const bool is_first = request.turn == 1;
        return LlmReply{.text = is_first ? R"(```clojure
(tool/f.echo {:text "a"})
```)"
                                         : R"(```clojure
(return (tool/f.other0 {:text "b"}))
```)"};
    };
    const Step step = agent->run(model);
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, Datum("b"));
    ASSERT_EQ(systems.size(), 2u);
    EXPECT_EQ(systems[0], systems[1]);
}

TEST(McpClient, AClientThatFollowsItsServersTellsOfWhatChanges) {
    std::promise<void> told;
    McpOptions options{.servers = {fake("changes")}};
    options.follows = true;
    options.on_change = [&told, is_first = std::make_shared<std::atomic<bool>>(true)] {
        if (is_first->exchange(false)) told.set_value();
    };
    const auto upstream = McpClient::connect(options).value();
    EXPECT_EQ(Engine(options_with(upstream->tools())).run(R"((tool/f.echo {:text "a"}))").value, "\"a\"");
    told.get_future().wait();
    EXPECT_EQ(upstream->tools().at(0).name, "f.other0");
}

TEST(McpClient, ServersOfTheNewEraSayThatTheirToolsHaveChanged) {
    const auto upstream = client_of("modern_changes");
    EXPECT_EQ(Engine(options_with(upstream->tools())).run(R"((tool/f.echo {:text "a"}))").value, "\"done\"");
    EXPECT_EQ(upstream->tools().at(0).name, "f.other");
}

TEST(McpClient, AServerThatEndsIsAToolErrorAndIsStartedAgain) {
    const auto upstream = client_of("dies");
    const Engine engine(options_with(upstream->tools()));
    const Outcome died = engine.run(R"((tool/f.echo {:text "die"}))");
    ASSERT_TRUE(died.error);
    EXPECT_EQ(died.error->reason, Reason::ToolError);
    EXPECT_EQ(engine.run(R"((tool/f.echo {:text "b"}))").value, "\"b\"");
}

TEST(McpClient, AServerThatIsNotThereIsAProblemAndNoFailure) {
    const auto upstream = McpClient::connect({.servers = {{.name = "x", .command = {"/no/such/program"}}}}).value();
    ASSERT_EQ(upstream->problems().size(), 1u);
    EXPECT_TRUE(upstream->tools().empty());
    EXPECT_FALSE(McpClient::connect({.servers = {{.name = "x"}}}).ok());
    EXPECT_TRUE(upstream->await_start({}, {}, [own = std::make_unique<int>(0)](const auto&) {
        return *own == 0; // callables may own what they need
    }));
}

TEST(McpClient, ACatalogueIsReadWithoutTheServer) {
    const std::string file = std::filesystem::path(testing::TempDir()) / "ptc-mcp-catalog.json";
    std::filesystem::remove(file);
    std::vector<McpServer> servers = {fake("friendly")};
    EXPECT_FALSE(read_mcp_catalog(file, servers).ok());
    (void)McpClient::connect({.servers = servers, .catalog_file = file}).value();
    const std::vector<Tool> tools = read_mcp_catalog(file, servers).value();
    ASSERT_EQ(tools.size(), 1u);
    EXPECT_EQ(tools[0].signature, "(text :string) -> :any");
    EXPECT_FALSE(tools[0].is_callable());
    EXPECT_FALSE(tools[0].approval);
    servers[0].approval = true;
    EXPECT_TRUE(read_mcp_catalog(file, servers).value().at(0).approval);
    servers[0].hidden_tools = {"echo"};
    EXPECT_TRUE(read_mcp_catalog(file, servers).value().empty());
    std::filesystem::remove(file);
}

TEST(McpClient, WhileAPersonThinksTheTimeOfACallStandsStill) {
    McpServer server = fake("elicits");
    server.timeout = std::chrono::milliseconds(3000);
    const auto asked = [](const McpQuestion&) -> Result<Datum> {
        std::this_thread::sleep_for(std::chrono::milliseconds(4000));
        return Datum::object({{"action", "accept"}, {"content", Datum::object({{"which", "this"}})}});
    };
    const auto upstream = McpClient::connect({.servers = {server}, .elicit = asked}).value();
    EngineOptions options = options_with(upstream->tools());
    options.limits.timeout = server.timeout;
    EXPECT_EQ(Engine(std::move(options)).run(R"((get-in (tool/f.echo {:text "a"}) ["content" "which"]))").value,
              "\"this\"");
}

TEST(McpClient, WhoAnswersKnowsWhoAsksAndInWhichCall) {
    std::string server;
    const int* user = nullptr;
    const auto asked = [&](const McpQuestion& question) -> Result<Datum> {
        server = question.server;
        if (question.context) user = question.context->host<int>();
        return Datum::object({{"action", "decline"}});
    };
    const auto upstream = McpClient::connect({.servers = {fake("elicits")}, .elicit = asked}).value();
    RunOptions options;
    options.host_value = 7;
    (void)Engine(options_with(upstream->tools())).run(R"((tool/f.echo {:text "a"}))", options);
    EXPECT_EQ(server, "f");
    ASSERT_TRUE(user);
}

TEST(McpClient, AServerThatAsksWhereNobodyIsIsToldSo) {
    const auto upstream = client_of("elicits");
    EXPECT_EQ(Engine(options_with(upstream->tools())).run(R"((:message (tool/f.echo {:text "a"})))").value,
              "\"Nobody can be asked here.\"");
}

TEST(McpClient, ASecretIsForOneAuthorizationServer) {
    McpOptions options{
        .servers = {{.name = "a", .url = "http://127.0.0.1:1/"}, {.name = "b", .url = "http://127.0.0.1:1/"}},
        .client_id = "c",
        .client_secret = "s"};
    EXPECT_FALSE(McpClient::connect(options).ok());
    options.client_issuer = "https://issuer.example";
    EXPECT_TRUE(McpClient::connect(options).ok());
}

TEST(McpClient, WhatTheHostThrowsIsNoAnswer) {
    const auto thrown = [](const McpQuestion&) -> Result<Datum> { throw std::runtime_error("nobody is here"); };
    const auto upstream = McpClient::connect({.servers = {fake("elicits")}, .elicit = thrown}).value();
    EXPECT_EQ(Engine(options_with(upstream->tools())).run(R"((:action (tool/f.echo {:text "a"})))").value,
              "\"cancel\"");
}

TEST(McpClient, AServerThatClosesItsInputIsAToolErrorWhateverTheHostDoesWithSignals) {
    const auto before = std::signal(SIGPIPE, SIG_DFL);
    McpServer server = fake("closes_input");
    const auto upstream = McpClient::connect({.servers = {server}}).value();
    const Outcome outcome = Engine(options_with(upstream->tools())).run(R"((tool/f.echo {:text "a"}))");
    ASSERT_TRUE(outcome.error);
    EXPECT_NE(outcome.error->message.find("It has closed its input."), std::string::npos) << outcome.error->message;
    (void)std::signal(SIGPIPE, before);
}

TEST(McpClient, ProgressOfACallIsReported) {
    std::vector<Datum> seen;
    const auto upstream = client_of("tells");
    const std::vector<Tool> tools = upstream->tools();
    const ToolContext context{.progress = [&seen](Datum state) { seen.push_back(std::move(state)); }};
    const ToolResult result = dispatch(tools, {.name = "f.echo", .arguments = Datum::object({{"text", "a"}})},
                                       ValidationMode::Enabled, context);
    EXPECT_EQ(result.output, Datum("a"));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0]["message"], Datum("half"));
}

} // namespace
} // namespace ptc
