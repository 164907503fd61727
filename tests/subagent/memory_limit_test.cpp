// Definitions beyond AgentOptions::memory_limit end a mission, but where tools have to do with it: the program fails
// and the mission goes on, before a tool is called, and with what tools gave.
#include "tests/subagent/missions.h"
#include <ptc/mission.h>

namespace ptc {
namespace {

/// A tool that gives 500 rows, and how often it was called.
struct Search {
    std::shared_ptr<int> calls = std::make_shared<int>(0);
    [[nodiscard]] Tool tool() const {
        return host_tool("search", "() -> [:map]", [calls = calls](const Datum&) -> Result<Datum> {
            ++*calls;
            Datum::List rows;
            for (int i = 0; i < 500; ++i)
                rows.push_back(Datum::object({{"id", i}, {"note", "a text of some length"}}));
            return Datum(std::move(rows));
        });
    }
};

AgentPtr small(std::vector<AgentTool> tools = {}) {
    return agent({.prompt = "x", .tools = std::move(tools), .memory_limit = 10'000});
}

TEST(MemoryLimit, WithoutToolsEndsTheMission) {
    const Step step = small()->run(programs({"(def a 1)", "(def rows (range 50000)) (def a 2)", "(return a)"}).llm());
    EXPECT_EQ(reason_of(step), "memory_exceeded");
    EXPECT_EQ(step.memory.to_json(), R"({"a":1})");
    const AgentPtr judgment = agent({.prompt = "x", .max_turns = 1, .memory_limit = 1000});
    EXPECT_EQ(reason_of(judgment->run(programs({"(def a (range 5000)) 1"}).llm())), "memory_exceeded");
}

TEST(MemoryLimit, IsToldBeforeAToolIsCalled) {
    const Search search;
    const Model model = programs({"(def rows (range 50000)) (return (count (tool/search)))", "(return 1)"});
    const Step step = small({search.tool()})->run(model.llm());
    EXPECT_EQ(step.value, Datum(1));
    EXPECT_EQ(*search.calls, 0);
    const std::string& told = model.last_message(2);
    EXPECT_NE(told.find("So `search` was not called"), std::string::npos) << told;
    EXPECT_NE(told.find("Define less"), std::string::npos) << told;
}

TEST(MemoryLimit, AfterACallTheResultIsKept) {
    const Search search;
    // The program goes on although it has too much: what the first call gave would be lost.
    const Model model = programs({"(def n 1) (def rows (tool/search)) (def more (tool/search)) (count more)",
                                  "(return [n (count data/rows) (count data/more)])"});
    const Step step = small({search.tool()})->run(model.llm());
    EXPECT_EQ(step.value.to_json(), "[1,500,500]") << reason_of(step);
    EXPECT_EQ(*search.calls, 2);
}

TEST(MemoryLimit, WhatCannotBecomeDataIsTheLastResult) {
    const Search search;
    const std::string program = "(def n 1) (def rows (tool/search)) (def a (reduce (fn [v _] [v v]) [1] (range 40))) ";
    for (const std::string last : {"rows", "(return rows)"}) {
        const Model model = programs({program + last, "(return (:id (nth *1 9)))"});
        const Step step = small({search.tool()})->run(model.llm());
        EXPECT_EQ(step.value, Datum(9)) << reason_of(step);
        EXPECT_EQ(step.memory.to_json(), "{}");
        EXPECT_NE(model.last_message(2).find("it is *1 of the next program"), std::string::npos);
    }
}

TEST(MemoryLimit, BesideAnAnswerDataGetsANameOfItsOwn) {
    const auto eval = [](std::string program) {
        return LlmReply{
            .tool_calls = {
                {.id = "e", .name = "lisp_eval", .arguments = Datum::object({{"program", std::move(program)}})}}};
    };
    AgentTool tool(Search().tool());
    tool.expose = Exposure::PtcLisp;
    const AgentPtr made = agent({.prompt = "x",
                                 .tools = {tool},
                                 .memory_limit = 10'000,
                                 .output = AgentOutput::Text,
                                 .transport = Transport::ToolCall});
    const Model model(
        {eval("(def rows (tool/search)) 1"), eval("[(count data/rows-2) data/rows]"), LlmReply{.text = "done"}});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.context = Datum::object({{"rows", "given"}});
    EXPECT_TRUE(made->run(mission).ok);
    EXPECT_NE(model.last_message(2).find("it is data/rows-2"), std::string::npos) << model.last_message(2);
    EXPECT_NE(model.last_message(3).find(R"([500 \"given\"])"), std::string::npos) << model.last_message(3);
}

TEST(MemoryLimit, ACheckpointAtAnyPointGoesOn) {
    const Search search;
    const AgentPtr made = small({search.tool()});
    const std::vector<std::string> replies = {
        fenced("(def a 1)"), fenced("(def rows (range 50000)) (tool/search)"),
        fenced("(def b (reduce (fn [v _] [v v]) [1] (range 40))) (def a 3) (tool/search)"),
        fenced("(def n (count (tool/search))) (def c (reduce (fn [v _] [v v]) [1] (range 40))) n"),
        fenced("(return [a *1])")};
    Mission mission(made, {.model = ModelRef(programs({}).llm())});
    mission.start();
    std::size_t calls = 0;
    for (int step = 0; step < 20 && !mission.is_done(); ++step) {
        const Result<std::string> bytes = mission.save();
        ASSERT_TRUE(bytes.ok());
        auto again = made->restore(bytes.value(), {.model = ModelRef(programs({}).llm())});
        ASSERT_TRUE(again.ok()) << again.error().message;
        mission = std::move(**again);
        const Needs needs = mission.take_needs();
        for (const LlmNeed& need : needs.llm)
            mission.answer(need.id, LlmResult(LlmReply{.text = replies.at(calls++)}));
        for (const ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need));
    }
    ASSERT_TRUE(mission.is_done());
    EXPECT_EQ(mission.step().value.to_json(), "[1,500]") << reason_of(mission.step());
    EXPECT_EQ(*search.calls, 1);
}

// ---- Sessions

TEST(Settle, TakesBackWhatARunDefinedAndItsValue) {
    const Engine engine;
    Session session(engine);
    session.run("(def a 1) (def gone 1) :first");
    const RunOptions open{.may_undo = true};
    EXPECT_EQ(session.run("(def a 2) (def b 3) :second", open).changed_names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(session.unsettled_names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(session.run("[a b]").value, "[2 3]"); // whatever comes next keeps it
    session.run("(def a 4) (defn f [] a) :third", open);
    session.settle(false);
    EXPECT_EQ(session.names(), (std::vector<std::string>{"a", "b", "gone"}));
    EXPECT_EQ(session.run("[a *1]").value, "[2 [2 3]]");
    session.run("(def a 5)", open);
    session.settle(true);
    session.settle(false); // there is nothing to be settled any more
    EXPECT_EQ(session.run("a").value, "5");
}

} // namespace
} // namespace ptc
