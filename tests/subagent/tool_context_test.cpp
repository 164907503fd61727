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
    using std::chrono::seconds;
    decltype(ToolContext::deadline) deadline;
    const Tool look = tool("look", "Looks.", [&](const ToolContext& context) { deadline = context.deadline; });
    const auto deadline_with = [&](seconds timeout, seconds mission_timeout, const MissionClock& clock) {
        const AgentPtr made =
            agent({.prompt = "x", .tools = {look}, .timeout = timeout, .mission_timeout = mission_timeout});
        MissionOptions mission = options(programs({"(tool/look) (return 1)"}));
        mission.clock = clock;
        EXPECT_TRUE(made->run(std::move(mission)).ok);
        return std::exchange(deadline, std::nullopt);
    };
    // The nearer of the two, whatever the clock says.
    const auto of_program = deadline_with(seconds(10'000), seconds(90'000), {});
    const auto of_mission = deadline_with(seconds(90'000), seconds(10'000), {});
    const auto far = deadline_with(seconds(90'000), seconds(90'000), {});
    ASSERT_TRUE(of_program && of_mission && far);
    for (const auto& near : {of_program, of_mission}) {
        EXPECT_GT(*far - *near, seconds(70'000));
        EXPECT_LT(*far - *near, seconds(90'000));
    }
    EXPECT_FALSE(deadline_with(seconds(10'000), seconds(10'000), FakeTime().clock()).has_value());
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
