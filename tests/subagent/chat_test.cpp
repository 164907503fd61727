// Conversations: what goes on from one message to the next, and what does not.
#include "ptc/chat.h"
#include "tests/subagent/missions.h"

namespace ptc {
namespace {

TEST(Chat, EachMessageIsARunThatKnowsWhatWasSaid) {
    Model model({LlmReply{.text = "Paris."}, LlmReply{.text = "Rome."}});
    Chat chat(agent({.prompt = "unused", .output = AgentOutput::Text}), {.model = ModelRef(model.llm())});
    EXPECT_EQ(chat.say("Capital of France?").value, Datum("Paris."));
    const Step second = chat.say("And of Italy?");
    EXPECT_EQ(second.value, Datum("Rome."));
    EXPECT_EQ(second.usage.turns, 1u);
    const std::vector<Message>& sent = model.seen->requests.at(1).messages;
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0].content, "Capital of France?");
    EXPECT_EQ(sent[1].role, Message::Role::Assistant);
    EXPECT_EQ(sent[2].content, "And of Italy?");
    EXPECT_EQ(chat.messages().size(), 4u);
}

TEST(Chat, MemoryOfProgramsGoesOnAndTheirResultsDoNot) {
    Model model({LlmReply{.text = fenced("(def seen 5) (return {:n seen})")},
                 LlmReply{.text = fenced("(return {:n (inc seen) :last (nil? *1)})")}});
    Chat chat(agent({.prompt = "unused"}), {.model = ModelRef(model.llm())});
    ASSERT_TRUE(chat.say("Remember five.").ok);
    const Step step = chat.say("Add one.");
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, json(R"({"last": true, "n": 6})"));
    EXPECT_EQ(*chat.memory().find("seen"), Datum(5));
}

TEST(Chat, CachesDoNotOutliveAMessage) {
    int runs = 0;
    AgentTool find(host_tool("find", "() -> :int", [&runs](const Datum&) -> Result<Datum> { return Datum(++runs); }));
    find.cache = true;
    Model model({LlmReply{.text = fenced("(return (+ (tool/find) (tool/find)))")},
                 LlmReply{.text = fenced("(return (tool/find))")}});
    Chat chat(agent({.prompt = "unused", .tools = {find}}), {.model = ModelRef(model.llm())});
    EXPECT_EQ(chat.say("a").value, Datum(2));
    EXPECT_EQ(chat.say("b").value, Datum(2));
    EXPECT_EQ(runs, 2);
}

TEST(Chat, ARunThatFailsLeavesItAsItWas) {
    Model model({LlmReply{.text = fenced("(def a 1) (return a)")},
                 LlmReply{.text = fenced("(def a 2) (fail {:reason :no :message \"No.\"})")},
                 LlmReply{.text = fenced("(return a)")}});
    Chat chat(agent({.prompt = "unused"}), {.model = ModelRef(model.llm())});
    ASSERT_TRUE(chat.say("one").ok);
    EXPECT_EQ(chat.say("two").fail->reason, "no");
    EXPECT_EQ(chat.messages().size(), 2u);
    EXPECT_EQ(chat.say("three").value, Datum(1));
    for (const Message& message : model.seen->requests.back().messages)
        EXPECT_NE(message.content, "two");
}

TEST(Chat, RunsOfATextAgentStreamWhatTheModelSays) {
    const Llm model = [](const LlmRequest& request) -> LlmResult {
        for (const char* part : {"Hel", "lo"})
            if (request.on_text) request.on_text(part);
        return LlmReply{.text = "Hello"};
    };
    std::string shown;
    Chat chat(agent({.prompt = "unused", .output = AgentOutput::Text}),
              {.model = ModelRef(model), .on_text = [&shown](std::string_view part) { shown += part; }});
    EXPECT_EQ(chat.say("Hi").value, Datum("Hello"));
    EXPECT_EQ(shown, "Hello");
}

} // namespace
} // namespace ptc
