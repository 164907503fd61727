// Agents whose programs come as calls of lisp_eval; names that programs can write; the start of missions.
#include "ptc/mission.h"
#include "tests/subagent/missions.h"

namespace ptc {
namespace {

LlmReply eval(std::string program, const std::string& id = "c") {
    LlmReply reply;
    reply.tool_calls = {{id, "lisp_eval", Datum::object({{"program", std::move(program)}})}};
    return reply;
}

AgentOptions by_call(std::string signature) {
    return {.prompt = "Go.", .signature = std::move(signature), .transport = Transport::ToolCall};
}

TEST(EvalTransport, TalkIsAnsweredByPointingAtLispEval) {
    for (const char* signature : {":any", ":string", "{n :int}", ":int", ":int|:string"}) {
        for (const char* talk : {"Let me look at it.", "I think of {\"n\": 1}, but wait.", ""}) {
            Model model({LlmReply{.text = talk}, eval("(return 7)"), eval("(return {:n 7})", "d"),
                         eval("(return \"7\")", "e")});
            const Step step = agent(by_call(signature))->run(model.llm());
            ASSERT_TRUE(step.ok) << signature;
            EXPECT_FALSE(step.trace.at(0).ok);
            EXPECT_EQ(step.trace.at(0).reason, "no_code_found") << signature << ": " << talk;
            EXPECT_NE(model.last_message(2).find("lisp_eval"), std::string::npos) << model.last_message(2);
        }
    }
}

TEST(EvalTransport, DataAloneThatDoNotFitAreAnsweredSoToo) {
    Model model({LlmReply{.text = R"({"n": "x"})"}, eval("(return {:n 7})")});
    ASSERT_TRUE(agent(by_call("{n :int}"))->run(model.llm()).ok);
    EXPECT_NE(model.last_message(2).find("(return value)"), std::string::npos) << model.last_message(2);
    EXPECT_NE(model.last_message(2).find("lisp_eval"), std::string::npos);
}

TEST(EvalTransport, TypographicQuotesAreRead) {
    Model model({eval("(return (count “abc”))")});
    EXPECT_EQ(agent(by_call(":int"))->run(model.llm()).value, Datum(3));
}

TEST(Judgment, MayHaveRetries) {
    Model model = programs({"{:n \"x\"}", "{:n 2}"});
    const AgentOptions options{.prompt = "Go.", .signature = "{n :int}", .max_turns = 1, .retry_turns = 2};
    const Step step = agent(options)->run(model.llm());
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, json(R"({"n": 2})"));
    EXPECT_NE(model.seen->requests[0].system.find("the value of your program is the result"), std::string::npos);
}

TEST(ProgramNames, OfToolsAreRefusedWithOneThatCanBeWritten) {
    const auto why = [](std::string name, std::optional<Exposure> expose) {
        AgentTool tool(host_tool(std::move(name), "() -> :int", {}));
        tool.expose = expose;
        const auto made = Agent::create({.prompt = "Go.", .tools = {tool}});
        return made.ok() ? "" : made.error().message + " " + made.error().hint;
    };
    EXPECT_EQ(why("a b", {}), "Programs cannot write the name of the tool `a b`. Call it `a-b`.");
    EXPECT_EQ(why("myapp::add", {}), "Programs cannot write the name of the tool `myapp::add`. Call it `myapp-add`.");
    EXPECT_EQ(why("zähle", {}), "Programs cannot write the name of the tool `zähle`. Call it `zahle`.");
    EXPECT_EQ(why("myapp::add", Exposure::Native), "");
    for (const char* fine : {"add", "add_up", "add-up!", "a.b", "2nd", "files/read"})
        EXPECT_EQ(why(fine, {}), "") << fine;
}

TEST(ProgramNames, OfDataBecomeSuchAsCanBeWritten) {
    Model model = programs({"{\"the sum\" (+ data/Total-sales data/uni)}", "(return data/the-sum)"});
    const AgentPtr plain = agent({.prompt = "Go."});
    const Step step = plain->run(model.llm(), json(R"({"Total sales": 3, "ünï": 4, "plain_name": 5})"));
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, Datum(7));
    EXPECT_NE(model.seen->requests[0].system.find("data/Total-sales :int = 3"), std::string::npos);
    EXPECT_NE(model.last_message(2).find("data/the-sum"), std::string::npos) << model.last_message(2);
    Model other = programs({"(return 1)"});
    EXPECT_EQ(reason_of(plain->run(other.llm(), json(R"({"a b": 3, "a-b": 4})"))), "invalid_request");
}

TEST(ProgramNames, AreNotMadeOfWhatIsFirewalled) {
    Model model = programs({"(frequencies [data/_token])", "(return 1)"});
    const AgentPtr plain = agent({.prompt = "Go."});
    ASSERT_TRUE(plain->run(model.llm(), json(R"({"_token": "key 4711 of mine"})")).ok);
    EXPECT_EQ(model.last_message(2).find("4711"), std::string::npos) << model.last_message(2);
}

TEST(Mission, StartsOnce) {
    Model model = programs({"(return 1)"});
    Mission mission(agent({.prompt = "Go."}), {.model = ModelRef(model.llm())});
    mission.start();
    mission.start();
    const Needs needs = mission.take_needs();
    ASSERT_EQ(needs.llm.size(), 1U);
    mission.answer(needs.llm[0].id, LlmReply{.text = fenced("(return 1)")});
    ASSERT_TRUE(mission.is_done());
    EXPECT_EQ(mission.step().usage.turns, 1U);
    mission.start();
    EXPECT_TRUE(mission.is_done());
    EXPECT_EQ(mission.step().value, Datum(1));
}

// Requirement 121; the default is that of the scenarios (sc-237).
TEST(EvalTransport, OnlyReturnEndsWhenThatIsWanted) {
    AgentOptions options{.prompt = "x", .signature = "() -> {n :int}", .transport = Transport::ToolCall};
    const LlmReply returns{.text = "", .tool_calls = {{"c", "lisp_eval", json("{\"program\":\"(return {:n 2})\"}")}}};
    const auto model = [&] { return Model(std::vector<LlmResult>{LlmReply{.text = "{\"n\": 1}"}, returns}); };
    EXPECT_EQ(agent(options)->run(model().llm()).value.to_json(), "{\"n\":1}");
    options.only_return_ends = true;
    const Step step = agent(options)->run(model().llm());
    EXPECT_EQ(step.value.to_json(), "{\"n\":2}");
    EXPECT_EQ(step.trace[0].reason, "no_code_found");
}

} // namespace
} // namespace ptc
