#include "ptc/trace.h"
#include "subagent/agent/firewall.h"
#include "tests/subagent/missions.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ptc {
namespace {

std::vector<Datum> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<Datum> lines;
    for (std::string line; std::getline(file, line);)
        lines.push_back(json(line));
    return lines;
}

class TraceFiles : public testing::Test {
protected:
    void TearDown() override { std::filesystem::remove(path_); }
    std::string path_ = testing::TempDir() + "ptc_trace_" + std::to_string(::getpid()) + ".jsonl";
};

TEST_F(TraceFiles, EachEventIsInTheFileWhenTheNextThingHappens) {
    const auto trace = TraceFile::create(path_).value();
    std::vector<std::string> last;
    const Tool probe = host_tool("probe", "() -> :int", [&](const Datum&) -> Result<Datum> {
        last.push_back(*lines_of(path_).back().find("event")->text());
        return Datum(1);
    });
    const AgentPtr made = agent({.prompt = "x", .tools = {probe}});
    MissionOptions options;
    options.model = ModelRef([&](const LlmRequest&) -> LlmResult {
        last.push_back(*lines_of(path_).back().find("event")->text());
        return LlmReply{.text = fenced("(return (tool/probe))")};
    });
    options.on_event = [&](const MissionEvent& event) { trace->write(event); };
    EXPECT_TRUE(made->run(std::move(options)).ok);
    EXPECT_EQ(last, (std::vector<std::string>{"turn_start", "tool_start"}));
    EXPECT_EQ(*lines_of(path_).back().find("event")->text(), "mission_stop");
    EXPECT_EQ(trace->error_number(), 0);
}

TEST_F(TraceFiles, AFileThatCannotBeWrittenIsAnError) {
    EXPECT_FALSE(TraceFile::create("/nowhere/at/all").ok());
    const auto full = TraceFile::create("/dev/full").value();
    full->write({.kind = MissionEvent::Kind::TurnStart, .agent = "a"});
    EXPECT_EQ(full->error_number(), ENOSPC);
}

TEST(EventJson, LongArgumentsAreAPreviewThatTellsTheirSize) {
    MissionEvent event{.kind = MissionEvent::Kind::ToolStart, .run = 1, .agent = "a"};
    event.arguments = Datum::object({{"text", Datum(std::string(kMaxTracedArguments, 'x'))}});
    const Datum written = json(event_json(event));
    ASSERT_TRUE(written.find("arguments")->text());
    EXPECT_LT(written.find("arguments")->text()->size(), 2000u);
    std::int64_t bytes = 0;
    EXPECT_TRUE(written.find("arguments_bytes")->to_int64(&bytes));
    EXPECT_EQ(bytes, static_cast<std::int64_t>(event.arguments.to_json().size()));
}

TEST(EventJson, RunsOfChildrenNameTheirCaller) {
    const AgentPtr child = agent({.prompt = "y", .signature = "() -> :int"});
    const AgentPtr parent = agent({.prompt = "x", .tools = {child->as_tool("child")}});
    std::vector<std::pair<std::uint64_t, std::uint64_t>> starts;
    MissionOptions options;
    options.model = ModelRef(programs({"(return (+ (tool/child) (tool/child)))", "(return 1)", "(return 2)"}).llm());
    options.on_event = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::MissionStart) starts.emplace_back(event.run, event.parent);
    };
    EXPECT_TRUE(parent->run(std::move(options)).ok);
    EXPECT_EQ(starts, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 0}, {2, 1}, {3, 1}}));
}

TEST(EventJson, SecretsUnderOtherNamesAreHiddenInArguments) {
    Secrets secrets;
    learn_secrets(secrets, json(R"({"_ids": [1, 2], "_key": "hunter2-password", "_n": 123456789})"));
    EXPECT_EQ(public_view(json(R"({"to": [1, 2], "k": ["hunter2-password"], "n": 123456789, "m": [2, 1]})"), secrets),
              json(R"({"to": "<Firewalled>", "k": ["<Firewalled>"], "n": "<Firewalled>", "m": [2, 1]})"));
}

TEST(EventJson, BytesThatAreNoTextAreReplaced) {
    MissionEvent event{};
    event.kind = MissionEvent::Kind::LlmRetry;
    event.message = "boom\xff\xfe";
    const std::string text = event_json(event);
    EXPECT_TRUE(Datum::from_json(text).ok()) << text;
    EXPECT_NE(text.find("boom\xEF\xBF\xBD"), std::string::npos);
}

} // namespace
} // namespace ptc
