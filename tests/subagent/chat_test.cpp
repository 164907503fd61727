// Conversations: what goes on from one message to the next, and what does not.
#include "ptc/chat.h"
#include "tests/subagent/missions.h"
#include <algorithm>
#include <ptc/mission.h>

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

TEST(Chat, ThePromptOfTheAgentIsItsInstructions) {
    const auto system_of = [](AgentOptions options, std::string answer) {
        options.prompt = "Help {{who}} in short words.";
        Model model({LlmReply{.text = answer}, LlmReply{.text = answer}});
        Chat chat(agent(std::move(options)), {.model = ModelRef(model.llm()), .context = json(R"({"who": "Ann"})")});
        EXPECT_TRUE(chat.say("Hello.").ok);
        EXPECT_TRUE(chat.say("And now?").ok);
        EXPECT_EQ(model.last_message(2), "And now?");
        EXPECT_EQ(model.seen->requests[0].system, model.seen->requests[1].system);
        return model.seen->requests[1].system;
    };
    const std::string instructions = "## Instructions\nHelp Ann in short words.";
    const AgentOptions text{.output = AgentOutput::Text};
    const AgentOptions both{.output = AgentOutput::Text, .transport = Transport::ToolCall};
    const AgentOptions whole{.system_prompt = {.whole = "Mine."}, .output = AgentOutput::Text};
    EXPECT_NE(system_of(text, "Hi.").find(instructions), std::string::npos);
    EXPECT_NE(system_of(both, "Hi.").find(instructions), std::string::npos);
    EXPECT_NE(system_of({}, fenced("(return 1)")).find(instructions), std::string::npos);
    EXPECT_EQ(system_of(whole, "Hi."), "Mine.\n\n" + instructions);
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

TEST(Chat, DataThatAnEarlierMessageHadIsAnErrorThatSaysWhatToDo) {
    int calls = 0;
    AgentOptions options{.prompt = "unused", .signature = "(limit :int?) -> :any", .memory_limit = 10'000};
    options.tools = {host_tool("rows", "() -> [:int]", [&calls](const Datum&) -> Result<Datum> {
        ++calls;
        return Datum(Datum::List(20'000, Datum(7)));
    })};
    const Model model = programs({"(def all (tool/rows)) {:limit 5 :total 3}", "(return (count data/all))",
                                  "(tool/rows) (return (count data/all))",
                                  "(return [data/limit data/given data/other])", "{:all 4}", "(return data/all)"});
    Chat chat(agent(options), {.model = ModelRef(model.llm()), .context = json(R"({"given": 1})")});
    EXPECT_EQ(chat.say("One.").value, Datum(20'000));
    const Step second = chat.say("Two.");
    ASSERT_EQ(model.calls(), 4U);
    EXPECT_EQ(second.value.to_json(), "[null,1,null]"); // a parameter, what is given, and what never was: as ever
    EXPECT_EQ(second.trace.at(0).reason, "analysis_error");
    EXPECT_EQ(calls, 1);
    EXPECT_NE(model.last_message(4).find("`data/all` was data of an earlier message, and is not there any more"),
              std::string::npos)
        << model.last_message(4);
    EXPECT_NE(model.last_message(4).find("What later messages need is to be defined"), std::string::npos);
    EXPECT_EQ(chat.say("Three.").value, Datum(4)); // made again
}

TEST(Chat, DataThatAnEarlierMessageHadAreFoundUnderBothSpellings) {
    const Model model = programs({"{:all-rows 4}", "(return 1)", "(return data/all_rows)", "(return 2)"});
    Chat chat(agent({.prompt = "unused"}), {.model = ModelRef(model.llm())});
    EXPECT_EQ(chat.say("One.").value, Datum(1));
    EXPECT_EQ(chat.say("Two.").value, Datum(2));
    EXPECT_NE(model.last_message(4).find("was data of an earlier message"), std::string::npos) << model.last_message(4);
}

TEST(Chat, MemoryGoesOnAsTheMachineHasIt) {
    Model model({LlmReply{.text = fenced(R"clj(
(defn sq [n] (* n n))
(def half (let [by 2] (fn [n] (/ n by))))
(def day (LocalDate/parse "2024-01-31"))
(def down (sorted-map-by > 1 :a 2 :b))
(def words #{:a :b})
(return 1))clj")},
                 LlmReply{.text = fenced("(def cube (fn [n] (* n (sq n)))) (return 2)")},
                 LlmReply{.text = fenced("(return [(cube 3) (half 8) (str (.plusDays day 1)) (keys (assoc down 3 :c)) "
                                         "(words :a) (fn? sq)])")}});
    Chat chat(agent({.prompt = "unused"}), {.model = ModelRef(model.llm())});
    ASSERT_TRUE(chat.say("Define.").ok);
    ASSERT_TRUE(chat.say("Define more.").ok);
    const Step step = chat.say("Use them.");
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value.to_json(), R"([27,4.0,"2024-02-01",[3,2,1],"a",true])");
}

TEST(Memory, GoesOnInOtherAgentsAsAMapSaysIt) {
    const Step first = agent({.prompt = "x"})->run(programs({"(defn f [n] n) (def n 4) (return 1)"}).llm());
    ASSERT_FALSE(first.memory.machine.empty());
    MissionOptions options;
    const Model model = programs({"(return [n (string? f)])"});
    options.model = ModelRef(model.llm());
    options.memory = first.memory;
    const PreludeSource prelude{"p.ptc", "(ns p \"P.\" {:visibility :prompt}) (defn g \"Gives n.\" [n] n)"};
    EXPECT_EQ(agent({.prompt = "x", .preludes = {prelude}})->run(options).value.to_json(), "[4,true]");
}

TEST(Memory, KeepsWhatIsFirewalledUnderAnyName) {
    const Tool login = host_tool("login", "() -> {_token :string}", [](const Datum&) {
        return Result<Datum>(Datum::object({{"_token", "SECRETTOKEN-12345"}}));
    });
    const AgentPtr made = agent({.prompt = "x", .tools = {login}});
    for (const char* keeps : {"(def f (let [t (:_token (tool/login {}))] (fn [] t)))",
                              "(def s (:_token (tool/login {}))) (def f (fn [] s))"}) {
        const Step first = made->run(programs({keeps, "(return 1)"}).llm());
        ASSERT_TRUE(first.ok);
        for (const bool has_machine : {true, false}) {
            MissionOptions options;
            const Model model = programs({has_machine ? "(println (f))" : "(println s)", "(return 1)"});
            options.model = ModelRef(model.llm());
            options.memory = first.memory;
            if (!has_machine) options.memory.machine.clear();
            EXPECT_TRUE(made->run(options).ok);
            for (const LlmRequest& request : model.seen->requests) {
                std::string sent = request.system;
                for (const Message& message : request.messages)
                    sent += message.content;
                EXPECT_EQ(sent.find("SECRETTOKEN"), std::string::npos) << sent;
            }
        }
    }
}

TEST(Memory, IsAMapAloneWhereThatSaysAll) {
    const Step step =
        agent({.prompt = "x"})->run(programs({"(def a {:b [1 2.5 \"x\" #{nil true}]}) (return 1)"}).llm());
    EXPECT_EQ(step.memory.machine, "");
    EXPECT_NE(step.memory.find("a"), nullptr);
}

TEST(Memory, SurvivesACheckpointOfTheFinishedMission) {
    const AgentPtr made = agent({.prompt = "x"});
    const auto mission_with = [&](Memory memory, std::string program) {
        MissionOptions options;
        options.model = ModelRef(programs({}).llm());
        options.memory = std::move(memory);
        Mission mission(made, options);
        mission.start();
        mission.answer(mission.take_needs().llm[0].id, LlmReply{.text = fenced(program)});
        return made->restore(mission.save().value(), options).value()->take_step();
    };
    const Step first = mission_with({}, "(defn sq [n] (* n n)) (return 1)");
    EXPECT_EQ(mission_with(first.memory, "(return (sq 5))").value, Datum(25));

    // What of it is firewalled is known behind it, too.
    const Step hidden = mission_with(Memory(json(R"({"_token":"SECRETTOKEN-12345"})")),
                                     "(def f (let [t _token] (fn [] t))) (return 1)");
    ASSERT_TRUE(hidden.ok);
    MissionOptions next;
    const Model model = programs({"(println (f))", "(return 1)"});
    next.model = ModelRef(model.llm());
    next.memory = hidden.memory;
    static_cast<Datum&>(next.memory) = json("{}"); // its names do not say it
    EXPECT_TRUE(made->run(next).ok);
    EXPECT_EQ(model.last_message(2).find("SECRETTOKEN"), std::string::npos) << model.last_message(2);
}

TEST(Memory, OfChangedBytesIsRefusedOrAMap) {
    const AgentPtr made = agent({.prompt = "x"});
    const Step first = made->run(programs({"(defn sq [n] (* n n)) (return 1)"}).llm());
    for (std::size_t i = 0; i < first.memory.machine.size(); i += 7) {
        MissionOptions options;
        options.model = ModelRef(programs({"(return (string? sq))"}).llm());
        options.memory = first.memory;
        options.memory.machine[i] = static_cast<char>(options.memory.machine[i] ^ 1);
        const Step step = made->run(options);
        EXPECT_TRUE(!step.ok || step.value == Datum(true));
    }
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

// ---- Long conversations

std::string words(std::size_t n) { return "word " + std::to_string(n) + std::string(200, 'x'); }

TEST(Chat, OfHundredsOfMessagesStaysWithinAFixedPrompt) {
    constexpr std::size_t kMessages = 300;
    std::size_t most = 0, shared = 0, all = 0, short_turns = 0;
    std::string before;
    const Llm model = [&](const LlmRequest& request) -> LlmResult {
        std::string body = request.system;
        for (const Message& message : request.messages)
            body += std::string(role_name(message.role)) + message.content + "\n";
        most = std::max(most, body.size());
        all += body.size();
        shared += static_cast<std::size_t>(std::ranges::mismatch(body, before).in1 - body.begin());
        before = body;
        short_turns += request.messages.size() < 4;
        return LlmReply{.text = fenced("(def n (inc (or n 0))) (return n)")};
    };
    const AgentPtr made =
        agent({.prompt = "Help.", .compaction = Compaction{.trigger_turns = 12, .keep_recent_turns = 4}});
    MissionOptions mission;
    mission.model = ModelRef(model);
    mission.memory = Memory(Datum::object({{"n", 0}}));
    Chat chat(made, mission);
    for (std::size_t i = 1; i <= kMessages; ++i) {
        const Step step = chat.say(words(i));
        ASSERT_EQ(step.value, Datum(static_cast<std::int64_t>(i))) << reason_of(step);
    }
    EXPECT_LT(most, 16'000U);
    EXPECT_GT(static_cast<double>(shared) / static_cast<double>(all), 0.75); // it is cut every eighth message
    EXPECT_GT(chat.journal().size(), kMessages - 13);
    EXPECT_EQ(chat.journal().at(6).turn, 7U);
    EXPECT_EQ(chat.journal().at(6).text.substr(0, 6), "word 7");
    const std::string& notice = chat.messages().front().content;
    EXPECT_NE(notice.find("What programs defined is still there: n."), std::string::npos) << notice;
    EXPECT_NE(notice.find("\nmessage " + std::to_string(chat.journal().back().turn) + ": word"), std::string::npos);
    EXPECT_LT(notice.size(), 6'000U);
}

TEST(Chat, IsCutByTokensOrAsTheHostDecides) {
    const auto say = [](Compaction how, std::size_t messages) {
        const Llm model = [](const LlmRequest&) { return LlmResult(LlmReply{.text = "Fine."}); };
        Chat chat(agent({.prompt = "x", .output = AgentOutput::Text, .compaction = std::move(how)}), {.model = model});
        for (std::size_t i = 1; i <= messages; ++i)
            EXPECT_TRUE(chat.say(words(i)).ok);
        return chat;
    };
    const Chat short_one = say({.trigger_turns = std::nullopt, .trigger_tokens = 500}, 40);
    EXPECT_LT(short_one.messages().size(), 24U);
    EXPECT_GT(short_one.journal().size(), 25U);
    std::vector<std::size_t> turns;
    Compaction decided;
    decided.decide = [&turns](const ConversationSize& size) -> std::optional<std::size_t> {
        turns.push_back(size.turns);
        if (size.turns < 3) return std::nullopt;
        return 1;
    };
    EXPECT_EQ(say(decided, 5).messages().size(), 3U); // the notice and a message with its answer
    EXPECT_EQ(turns, (std::vector<std::size_t>{1, 2, 3, 2, 3}));
}

TEST(Chat, ARunThatFailsCutsNothing) {
    const AgentPtr made = agent({.prompt = "x",
                                 .output = AgentOutput::Text,
                                 .compaction = Compaction{.trigger_turns = 2, .keep_recent_turns = 1}});
    std::size_t calls = 0;
    const Llm model = [&calls](const LlmRequest&) -> LlmResult {
        if (++calls == 3) return LlmError{.kind = "down", .is_permanent = true};
        return LlmReply{.text = "Fine."};
    };
    Chat chat(made, {.model = model});
    EXPECT_TRUE(chat.say("one").ok);
    EXPECT_TRUE(chat.say("two").ok);
    EXPECT_FALSE(chat.say("three").ok);
    EXPECT_EQ(chat.messages().size(), 4U);
    EXPECT_TRUE(chat.journal().empty());
    EXPECT_TRUE(chat.say("four").ok);
    EXPECT_EQ(chat.messages().size(), 3U);
    EXPECT_EQ(chat.journal().size(), 2U);
    EXPECT_EQ(chat.journal()[0].text, "one => Fine.");
}

} // namespace
} // namespace ptc
