// Handoffs: an agent gives its work to another one for good.
#include "tests/subagent/missions.h"
#include <algorithm>

namespace ptc {
namespace {

AgentOptions front(AgentOptions other, Handoff handoff = {}, std::string signature = "") {
    other.name = "billing";
    AgentOptions options{.prompt = "Help.", .signature = std::move(signature)};
    options.name = "front";
    options.handoffs = {agent(std::move(other))->as_tool("billing")};
    options.handoffs[0].handoff = handoff;
    return options;
}

struct Ran {
    Step step;
    std::vector<MissionEvent> events{};
};

Ran run(const AgentOptions& options, const Model& model, MissionOptions mission = {}) {
    Ran ran;
    mission.model = ModelRef(model.llm());
    mission.on_event = [&](const MissionEvent& event) { ran.events.push_back(event); };
    ran.step = agent(options)->run(mission);
    return ran;
}

TEST(Handoff, TheOthersResultIsTheMissions) {
    const Model model =
        programs({"(def n 1) (println \"hm\") (tool/billing) (return :never)", "(+ 1 2)", "(return {:paid true})"});
    const Ran ran = run(front({.prompt = "Pay."}), model);
    ASSERT_TRUE(ran.step.ok);
    EXPECT_EQ(ran.step.value.to_json(), "{\"paid\":true}");
    EXPECT_EQ(ran.step.usage.turns, 3U);
    EXPECT_EQ(ran.step.usage.llm_calls, 3U);
    EXPECT_EQ(ran.step.trace.size(), 1U);
    EXPECT_EQ(std::ranges::count_if(
                  ran.events, [](const MissionEvent& event) { return event.is_handoff && event.tool == "billing"; }),
              2);
    EXPECT_TRUE(std::ranges::any_of(ran.events, [](const MissionEvent& event) {
        return event.kind == MissionEvent::Kind::MissionStart && event.agent == "billing" && event.parent == 1;
    }));
}

TEST(Handoff, TheModelIsToldThatItTakesOver) {
    const Model model = programs({"(return 1)"});
    (void)run(front({.prompt = "Pay.", .description = "Pays bills."}), model);
    EXPECT_NE(model.seen->requests[0].system.find("Pays bills. Takes over: its answer is the result."),
              std::string::npos);
}

TEST(Handoff, TheConversationGoesOverAsTexts) {
    const Model model = programs({"(+ 40 2)", "(tool/billing)", "(return 1)"});
    (void)run(front({.prompt = "Pay now."}), model);
    const std::vector<Message>& messages = model.seen->requests[2].messages;
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[0].content, "Help.");
    EXPECT_NE(messages[2].content.find("42"), std::string::npos);
    EXPECT_EQ(messages[3].content, fenced("(tool/billing)"));
    EXPECT_EQ(messages[4].content, "Pay now.");
    const Model alone = programs({"(tool/billing {:summary \"A refund of 5.\"})", "(return 1)"});
    (void)run(front({.prompt = "Pay: {{summary}}", .signature = "(summary :string) -> :any"}, {.conversation = false}),
              alone);
    ASSERT_EQ(alone.seen->requests[1].messages.size(), 1U);
    EXPECT_EQ(alone.last_message(2), "Pay: A refund of 5.");
}

TEST(Handoff, DataGoOverToo) {
    MissionOptions mission;
    mission.context = json("{\"a\":1,\"_key\":\"hunter2\"}");
    mission.data = {DataSet::from_json("b", "2").value()};
    const std::vector<std::string> replies = {"{:c 3}", "(tool/billing)", "(return [data/a data/b data/c data/_key])"};
    const Model model = programs(replies);
    EXPECT_EQ(run(front({.prompt = "Pay."}), model, mission).step.value.to_json(), "[1,2,3,\"hunter2\"]");
    for (const LlmRequest& request : model.seen->requests)
        EXPECT_EQ(request.system.find("hunter2"), std::string::npos);
    EXPECT_EQ(run(front({.prompt = "Pay."}, {.context = false}), programs(replies), mission).step.value.to_json(),
              "[null,null,null,null]");
}

TEST(Handoff, TheResultMustFitTheFirstAgentsSignature) {
    const std::vector<std::string> replies = {"(tool/billing)", "(return {:n 7})"};
    EXPECT_EQ(run(front({.prompt = "Pay."}, {}, "() -> {n :int}"), programs(replies)).step.value.to_json(),
              "{\"n\":7}");
    // One that does not is refused as the first agent's own would be, which goes on while it has turns.
    AgentOptions options = front({.prompt = "Pay."}, {}, "() -> {m :int}");
    const Model again = programs({"(tool/billing)", "(return {:n 7})", "(return {:m 8})"});
    EXPECT_EQ(run(options, again).step.value.to_json(), "{\"m\":8}");
    EXPECT_NE(again.last_message(3).find("`billing` took over, and its result is refused."), std::string::npos);
    options.max_turns = 1;
    EXPECT_EQ(reason_of(run(options, programs(replies)).step), "validation_error");
}

TEST(Handoff, AResultThatAGuardRefusesIsTheFirstAgentsToMend) {
    AgentOptions options = front({.prompt = "Pay."});
    options.guards.push_back({.name = "small", .points = {GuardPoint::Result}, .check = [](const Guarded& seen) {
                                  return seen.value == Datum(7) ? Verdict::refuse("Seven is too much.")
                                                                : Verdict::allow();
                              }});
    const Model model = programs({"(tool/billing)", "(return 7)", "(return 6)"});
    const Ran ran = run(options, model);
    EXPECT_EQ(ran.step.value, Datum(6));
    EXPECT_EQ(ran.step.trace[0].reason, "validation_error");
    EXPECT_NE(model.last_message(3).find("Seven is too much."), std::string::npos);
    const Model native(std::vector<LlmResult>{LlmReply{.tool_calls = {{"a", "billing", json("{}")}}},
                                              LlmReply{.text = fenced("(return 7)")}, LlmReply{.text = "6"}});
    options.output = AgentOutput::Text;
    options.signature = "() -> :int";
    EXPECT_EQ(run(options, native).step.value, Datum(6));
    const Message& answer = native.seen->requests[2].messages.back();
    EXPECT_EQ(answer.role, Message::Role::Tool);
    EXPECT_TRUE(answer.is_error);
}

TEST(Handoff, WhatItAnswersIsInTheConversation) {
    const Model model = programs({"(tool/billing)", "(return {:paid true})", "(return 1)"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    Chat chat(agent(front({.prompt = "Pay."})), options);
    ASSERT_TRUE(chat.say("Pay my bill.").ok);
    ASSERT_TRUE(chat.say("And?").ok);
    const std::vector<Message>& messages = model.seen->requests[2].messages;
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[1].content, fenced("(tool/billing)"));
    EXPECT_EQ(messages[2].content, "[`billing` took over.]");
    EXPECT_EQ(messages[3].role, Message::Role::Assistant);
    EXPECT_EQ(messages[3].content, "{\"paid\":true}");
    EXPECT_EQ(messages[4].content, "And?");
}

TEST(Handoff, TheNextMessageOfAChatIsForWhoTookOver) {
    const Model model = programs(
        {"(def a 1) (tool/billing)", "(defn fee [x] (* 2 x)) (return 1)", "(return (fee 21))", "(return (fee 4))"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    const AgentPtr first = agent(front({.prompt = "Pay."}));
    Chat chat(first, options);
    const Step handed = chat.say("Pay my bill.");
    ASSERT_TRUE(handed.ok);
    ASSERT_TRUE(handed.handed_over);
    EXPECT_EQ(handed.handed_over->path, std::vector<std::string>{"billing"});
    EXPECT_EQ(first->answering(handed)->options().name, "billing");
    EXPECT_EQ(chat.agent()->options().name, "billing");
    const Step next = chat.say("How much is it?");
    EXPECT_EQ(next.value, Datum(42)) << reason_of(next); // by what it has defined
    EXPECT_FALSE(next.handed_over);
    EXPECT_EQ(model.seen->requests[2].agent, "billing");
    EXPECT_NE(model.seen->requests[2].system.find("Pay."), std::string::npos);
    EXPECT_EQ(model.seen->requests[2].messages.front().content, "Pay my bill.");
    chat.give_to(first);
    EXPECT_EQ(chat.say("And now?").value, Datum(8));
    EXPECT_EQ(model.seen->requests[3].agent, "front");
    EXPECT_EQ(model.seen->requests[3].messages.front().content, "Pay my bill.");
}

TEST(Handoff, OneWithoutTheConversationKnowsWhatWasSaidSince) {
    const Model model = programs({"(return 0)", "(tool/billing {:name \"Ann\"})", "(return 1)", "(return 2)"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    options.context = json(R"({"secret": 7})");
    Chat chat(agent(front({.prompt = "Pay for {{name}}.", .signature = "(name :string) -> :int"},
                          {.conversation = false, .context = false})),
              options);
    ASSERT_TRUE(chat.say("Hello.").ok);
    ASSERT_TRUE(chat.say("Pay my bill.").ok);
    const Step next = chat.say("Thanks.");
    EXPECT_EQ(next.value, Datum(2)) << reason_of(next);
    const LlmRequest& request = model.seen->requests[3];
    EXPECT_EQ(request.messages.front().content, "Pay my bill.");
    EXPECT_NE(request.system.find("Pay for Ann."), std::string::npos) << request.system;
    EXPECT_EQ(request.system.find("secret"), std::string::npos);
}

TEST(Handoff, AModelOfItsOwnGoesOnWithIt) {
    const Model one = programs({"(tool/billing)"}), other = programs({"(return 1)", "(return 2)"});
    AgentOptions options = front({.prompt = "Pay."});
    options.handoffs[0].model = ModelRef(other.llm());
    MissionOptions mission;
    mission.model = ModelRef(one.llm());
    Chat chat(agent(std::move(options)), mission);
    ASSERT_TRUE(chat.say("Pay my bill.").ok);
    EXPECT_EQ(chat.say("And?").value, Datum(2));
}

TEST(Handoff, AModelThatIsNotRegisteredIsFoundFirst) {
    AgentOptions options = front({.prompt = "Pay."});
    options.handoffs[0].model = "cheap";
    const Model model = programs({"(return 1)"});
    const Ran ran = run(options, model);
    EXPECT_EQ(reason_of(ran.step), "model_not_found");
    EXPECT_EQ(ran.step.fail->message, "No model is registered as `cheap`, which the agent `billing` is to use.");
    EXPECT_EQ(model.calls(), 0U);
    AgentOptions above{.prompt = "x", .tools = {agent(options)->as_tool("front")}};
    EXPECT_EQ(reason_of(run(above, model).step), "model_not_found"); // at any depth
    MissionOptions mission;
    mission.registry["cheap"] = model.llm();
    EXPECT_TRUE(run(options, model, mission).step.ok);
}

TEST(Handoff, ItsFailureIsTheMissionsUnlessItNeverBegan) {
    const Ran failed =
        run(front({.prompt = "Pay."}), programs({"(tool/billing)", "(fail {:reason :no_money :message \"None.\"})"}));
    EXPECT_EQ(reason_of(failed.step), "no_money");
    AgentOptions options = front({.prompt = "Pay."});
    options.max_depth = 0;
    const Ran deep = run(options, programs({"(tool/billing)", "(return 1)"}));
    EXPECT_EQ(deep.step.value, Datum(1));
    EXPECT_EQ(deep.step.trace[0].reason, "tool_error");
}

TEST(Handoff, TurnsAreShared) {
    AgentOptions options = front({.prompt = "Pay."});
    options.turn_budget = 3;
    const Ran ran = run(options, programs({"(tool/billing)", "1", "2", "(return 3)"}));
    EXPECT_EQ(reason_of(ran.step), "turn_budget_exhausted");
    EXPECT_EQ(ran.step.usage.turns, 3U);
}

TEST(Handoff, ItStandsAlone) {
    const Model model = programs({"(pmap (fn [_] (tool/billing)) [1 2])", "(return 1)"});
    const Ran ran = run(front({.prompt = "Pay."}), model);
    EXPECT_EQ(ran.step.value, Datum(1));
    EXPECT_NE(model.last_message(2).find("call it alone"), std::string::npos);
}

TEST(Handoff, ModelsThatAnswerInTextCallItThemselves) {
    AgentOptions options = front({.prompt = "Pay.", .signature = "() -> :string", .output = AgentOutput::Text});
    options.output = AgentOutput::Text;
    options.signature = "() -> :string";
    const Model model(std::vector<LlmResult>{
        LlmReply{.text = "One moment.", .tool_calls = {{"a", "billing", json("{}")}}}, LlmReply{.text = "Paid."}});
    const Ran ran = run(options, model);
    EXPECT_EQ(ran.step.value, Datum("Paid."));
    EXPECT_EQ(ran.step.messages[2].role, Message::Role::Tool);
    EXPECT_EQ(ran.step.messages.back().content, "Paid.");
    EXPECT_EQ(model.seen->requests[1].messages.size(), 3U); // Help., One moment., Pay.
    EXPECT_TRUE(model.seen->requests[1].messages[1].tool_calls.empty());
}

TEST(Handoff, ACheckpointAtAnyPointGoesOn) {
    const AgentPtr first = agent(front({.prompt = "Pay."}));
    MissionOptions given;
    given.model = ModelRef(programs({}).llm());
    given.data = {DataSet::from_json("b", "2").value()};
    const std::vector<std::string> replies = {fenced("(tool/billing)"), fenced("(def x data/b)"),
                                              fenced("(return (+ x data/b))")};
    Mission mission(first, given);
    mission.start();
    std::size_t calls = 0;
    for (int step = 0; step < 20 && !mission.is_done(); ++step) {
        const Result<std::string> bytes = mission.save();
        ASSERT_TRUE(bytes.ok());
        Result<std::unique_ptr<Mission>> again = first->restore(bytes.value(), given);
        ASSERT_TRUE(again.ok()) << again.error().message;
        mission = std::move(*again.value());
        for (const LlmNeed& need : mission.take_needs().llm)
            mission.answer(need.id, LlmResult(LlmReply{.text = replies.at(calls++)}));
    }
    ASSERT_TRUE(mission.is_done());
    Result<std::unique_ptr<Mission>> ended = first->restore(mission.save().value(), given);
    ASSERT_TRUE(ended.ok()) << ended.error().message;
    mission = std::move(*ended.value());
    ASSERT_TRUE(mission.step().handed_over);
    EXPECT_EQ(first->answering(mission.step())->options().name, "billing");
    EXPECT_EQ(mission.step().handed_over->memory, Datum::object({{"x", 2}}));
    EXPECT_EQ(mission.step().value, Datum(4));
    EXPECT_EQ(mission.step().usage.turns, 3U);
}

TEST(Handoff, AnAgentMadeAnewFromItsOptionsHasIt) {
    const AgentPtr first = agent(front({.prompt = "Pay."}));
    EXPECT_TRUE(Agent::create(first->options()).ok());
    AgentOptions wrong{.prompt = "x"};
    wrong.handoffs = {host_tool("t", "() -> :int", {})};
    EXPECT_NE(refusal(wrong).find("needs an agent"), std::string::npos);
}

} // namespace
} // namespace ptc
