// What tools learn of the mission that calls them.
#include "tests/subagent/missions.h"
#include <mutex>
#include <ptc/mission.h>
#include <ptc/typed_tool.h>
#include <thread>

namespace ptc {
namespace {

struct User {
    std::string name;
};

AgentPtr greeter() {
    return agent(
        {.name = "greeter",
         .prompt = "Greet.",
         .tools = {tool("greet", "Greets the user.", {"word"}, [](std::string word, const ToolContext& context) {
             const auto* user = context.host<std::shared_ptr<const User>>();
             return word + " " + (user ? (*user)->name : "nobody") + " " + context.mission + " " + context.agent + " " +
                    std::to_string(context.run) + "/" + std::to_string(context.turn) + " " + context.key;
         })}});
}

MissionOptions options(const Model& model) {
    MissionOptions made;
    made.model = ModelRef(model.llm());
    return made;
}

TEST(ToolContext, SaysWhoCallsForWhom) {
    const AgentPtr made = greeter();
    EXPECT_EQ(made->options().tools[0].tool.signature, "(word :string) -> :string"); // it is no parameter
    for (const std::string name : {"Ann", "Bo"}) {
        MissionOptions mission = options(programs({"1", "(return (tool/greet {:word \"Hello\"}))"}));
        mission.id = "m-" + name;
        mission.host_value = std::make_shared<const User>(User{name});
        EXPECT_EQ(made->run(mission).value, Datum("Hello " + name + " m-" + name + " greeter 1/2 m-" + name + "/3"));
    }
    EXPECT_EQ(made->run(options(programs({"(return (tool/greet {:word \"Hi\"}))"}))).value,
              Datum("Hi nobody  greeter 1/1 "));
}

TEST(ToolContext, SaysUntilWhen) {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    const Tool look = tool("look", "Looks.", [&](const ToolContext& context) { deadline = context.deadline; });
    const auto left = [&] {
        return std::chrono::duration_cast<std::chrono::seconds>(*deadline - std::chrono::steady_clock::now()).count();
    };
    const auto run = [&](AgentOptions made, MissionOptions mission) {
        deadline.reset();
        made.prompt = "x";
        made.tools = {look};
        EXPECT_TRUE(agent(std::move(made))->run(std::move(mission)).ok);
    };
    const auto calling = [] { return options(programs({"(tool/look) (return 1)"})); };
    run({.timeout = std::chrono::seconds(5000), .mission_timeout = std::chrono::seconds(9000)}, calling());
    EXPECT_GT(left(), 4000);
    EXPECT_LE(left(), 5000);
    run({.timeout = std::chrono::seconds(9000), .mission_timeout = std::chrono::seconds(5000)}, calling());
    EXPECT_GT(left(), 4000);
    EXPECT_LE(left(), 5000);
    MissionOptions fake = calling();
    fake.clock = FakeTime().clock();
    run({}, fake);
    EXPECT_FALSE(deadline.has_value());
}

TEST(ToolContext, StopsToolsUnderWay) {
    std::stop_source source;
    bool was_stopped = false;
    const AgentPtr made = agent({.prompt = "x", .tools = {tool("wait", "Waits.", [&](const ToolContext& context) {
                                                    EXPECT_FALSE(context.stop.stop_requested());
                                                    source.request_stop(); // as another thread would
                                                    was_stopped = context.stop.stop_requested();
                                                })}});
    MissionOptions mission = options(programs({"(tool/wait) (return 1)", "(return 2)"}));
    mission.stop = source.get_token();
    EXPECT_EQ(reason_of(made->run(mission)), "interrupted");
    EXPECT_TRUE(was_stopped);
}

TEST(ToolContext, StopsWithTheMissionThatAsked) {
    const AgentPtr made = agent({.prompt = "x", .tools = {tool("wait", "Waits.", [](const ToolContext&) {})}});
    for (const bool is_interrupted : {true, false}) {
        auto mission = std::make_unique<Mission>(made, options(programs({})));
        mission->start();
        mission->answer(mission->take_needs().llm[0].id, LlmReply{.text = fenced("(tool/wait)")});
        const ToolNeed need = mission->take_needs().tools.at(0);
        EXPECT_FALSE(need.context.stop.stop_requested());
        if (is_interrupted)
            mission->interrupt();
        else
            mission.reset();
        EXPECT_TRUE(need.context.stop.stop_requested());
    }
}

TEST(ToolContext, TellsHowFarTheyAre) {
    const AgentPtr made = agent({.prompt = "x", .tools = {tool("count", "Counts.", [](const ToolContext& context) {
                                                    for (int i = 1; i <= 3; ++i)
                                                        context.report(Datum(i));
                                                    return 3;
                                                })}});
    MissionOptions mission = options(programs({"(return (pmap (fn [_] (tool/count)) [1 2]))"}));
    std::mutex mutex;
    std::vector<std::string> said;
    mission.on_progress = [&](const ToolProgress& progress) {
        const std::scoped_lock lock(mutex);
        said.push_back(progress.tool + progress.state.to_json() + " " + std::to_string(progress.turn));
        throw std::runtime_error("nobody minds");
    };
    EXPECT_EQ(made->run(mission).value.to_json(), "[3,3]");
    EXPECT_EQ(std::ranges::count(said, "count3 1"), 2);
    EXPECT_EQ(said.size(), 6u);
}

TEST(ToolContext, IsThereAfterACheckpoint) {
    const AgentPtr made = greeter();
    MissionOptions mission = options(programs({}));
    mission.id = "m";
    Mission first(made, mission);
    first.start();
    first.answer(first.take_needs().llm[0].id, LlmReply{.text = fenced("(return (tool/greet {:word \"Hello\"}))")});
    mission.host_value = std::make_shared<const User>(User{"Ann"});
    const auto second = made->restore(first.save().value(), mission).value();
    const ToolNeed need = second->take_needs().tools.at(0);
    second->answer(need.id, call_tool(need));
    EXPECT_EQ(second->step().value, Datum("Hello Ann m greeter 1/1 m/2"));
}

TEST(ToolContext, SessionsGiveTheirHostsValue) {
    const Engine engine({.tools = {tool("who", "Says.", [](const ToolContext& context) {
                             return *context.host<std::string>() + (context.deadline ? " in time" : "");
                         })}});
    EXPECT_EQ(engine.run("(tool/who)", {.host_value = std::string("Ann")}).value, "\"Ann in time\"");
    const std::vector<Tool> tools = {tool("who", "Says.", [](const ToolContext& context) { return context.mission; })};
    EXPECT_EQ(dispatch(tools, {.name = "who", .arguments = {}}, ValidationMode::Enabled, {.mission = "m"}).output,
              Datum("m"));
}

} // namespace
} // namespace ptc
