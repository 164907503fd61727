// What tasks came to, across turns, failures and missions, and how far a plan is (AgentOptions::journaling, ::plan).
#include "tests/subagent/missions.h"
#include <ptc/mission.h>

namespace ptc {
namespace {

/// An agent whose tool `n` counts its calls.
struct Counting {
    std::shared_ptr<int> calls = std::make_shared<int>(0);
    AgentOptions options{
        .prompt = "Do it.",
        .tools = {host_tool("n", "() -> :int",
                            [calls = calls](const Datum&) -> Result<Datum> { return Datum(++*calls); })},
        .max_turns = 6,
        .journaling = true};

    [[nodiscard]] Step run(std::vector<std::string> texts, Datum tasks = {}) const {
        return run(programs(std::move(texts)), std::move(tasks));
    }
    [[nodiscard]] Step run(const Model& model, Datum tasks = {}) const {
        return agent(options)->run({.model = ModelRef(model.llm()), .tasks = std::move(tasks)});
    }
};

TEST(MissionJournal, DoesATaskOnceInAllTurns) {
    const Counting counting;
    const Step step = counting.run({"(task \"a\" (tool/n))", "(return [(task \"a\" (tool/n)) (task :a (tool/n))])"});
    EXPECT_EQ(step.value, json("[1, 2]")); // the keyword is another id
    EXPECT_EQ(*counting.calls, 2);
    EXPECT_EQ(step.tasks, json(R"({":a": 2, "a": 1})"));
}

TEST(MissionJournal, KeepsWhatTasksCameToWhenTheProgramFails) {
    const Counting counting;
    const Step step = counting.run({"(task \"a\" (tool/n)) (def x 1) (/ 1 0)", "(return [(task \"a\" (tool/n)) x])",
                                    "(return (task \"a\" (tool/n)))"});
    EXPECT_EQ(step.value, Datum(1));
    EXPECT_EQ(*counting.calls, 1);
    EXPECT_FALSE(step.trace[0].ok); // and nothing of its definitions is there
    EXPECT_FALSE(step.trace[1].ok);
}

TEST(MissionJournal, KeepsNothingOfATaskThatFails) {
    const Counting counting;
    const Step step = counting.run({"(task \"a\" (do (tool/n) (fail {:reason :no :message \"m\"})))"});
    EXPECT_EQ(reason_of(step), "no");
    EXPECT_EQ(step.tasks, json("{}"));
    EXPECT_EQ(counting.run({"(try (task \"a\" (/ 1 0)) (catch Exception e 0))", "(return (task \"a\" 5))"}).value,
              Datum(5));
}

TEST(MissionJournal, GoesOnInALaterMission) {
    const Counting counting;
    const Step first = counting.run({"(return (task \"a\" {:b [1 nil \"x\" :k]}))"});
    const Model second =
        programs({"(task \"c\" 2) (return [(task \"a\" (tool/n)) (task-reset \"c\") (task \"c\" 3)])"});
    const Step step = counting.run(second, first.tasks);
    EXPECT_EQ(step.value.to_json(), R"([{"b":[1,null,"x","k"]},null,3])");
    EXPECT_EQ(*counting.calls, 0);
    EXPECT_NE(second.last_message(1).find("## Tasks that are done\n- a: {:b [1 nil \"x\" :k]}"), std::string::npos)
        << second.last_message(1);
    EXPECT_NE(second.seen->requests[0].system.find("(task \"charge-order-42\" expression)"), std::string::npos);
    EXPECT_EQ(step.tasks.size(), 2u);
}

TEST(MissionJournal, GivesAtOnceWhatItCanSay) {
    const Counting counting;
    const std::string program = "(task \"d\" (LocalDate/parse \"2026-01-02\"))";
    const Step step = counting.run({"(def a (string? " + program + "))", "(return [a (string? " + program + ")])"});
    EXPECT_EQ(step.value, json("[true, true]"));
}

TEST(MissionJournal, IsNotWrittenByBranches) {
    const Counting counting;
    const Step step = counting.run({"(task \"a\" 7)", "(pmap (fn [i] (task (str \"b\" i) i)) [1 2])",
                                    "(return (pmap (fn [i] (task \"a\" i)) [1 2]))"});
    EXPECT_EQ(step.value, json("[7, 7]"));
    EXPECT_EQ(step.tasks, json(R"({"a": 7})"));
}

TEST(MissionJournal, OfAnAgentWithoutOneIsNotThere) {
    Counting counting;
    counting.options.journaling = false;
    const Model model = programs({"(task \"a\" (tool/n))", "(return (task \"a\" (tool/n)))"});
    EXPECT_EQ(counting.run(model).value, Datum(2));
    EXPECT_EQ(model.seen->requests[0].system.find("## Journal"), std::string::npos);
    EXPECT_TRUE(counting.run({"(return 1)"}).tasks.is_nil());
    EXPECT_EQ(reason_of(counting.run({"(return 1)"}, json(R"({"a": 1})"))), "invalid_request");
    counting.options.journaling = true;
    EXPECT_EQ(reason_of(counting.run({"(return 1)"}, json("[1]"))), "invalid_request");
}

TEST(MissionJournal, IsBounded) {
    Counting counting;
    counting.options.memory_limit = 2000;
    const Step step =
        counting.run({"(task \"a\" (apply str (repeat 900 \"x\")))", "(task \"b\" (apply str (repeat 900 \"x\")))",
                      "(task \"a\" 1) (task-reset \"a\") (task \"c\" (apply str (repeat 1200 \"x\")))",
                      "(task \"b\" (apply str (repeat 900 \"x\")))", "(task (apply str (repeat 1001 \"i\")) 1)"});
    ASSERT_EQ(step.trace.size(), 6u);
    EXPECT_TRUE(step.trace[0].ok && step.trace[1].ok);
    EXPECT_FALSE(step.trace[2].ok); // `b` and `c` are too much
    EXPECT_NE(step.trace[2].message.find("more than the journal keeps"), std::string::npos);
    EXPECT_TRUE(step.trace[3].ok);
    EXPECT_NE(step.trace[4].message.find("The id of a task has more than 1000 bytes"), std::string::npos);
    EXPECT_EQ(step.tasks.size(), 1u); // `a` was forgotten, though the program failed
}

TEST(MissionJournal, ShowsNoModelWhatIsFirewalled) {
    const Counting counting;
    const Model model = programs({"(return (task \"_t\" 1))"});
    (void)counting.run(model, json(R"({"_t": "secret-one", "t": {"_p": "secret-two", "q": "secret-two!"}})"));
    const std::string& shown = model.last_message(1);
    EXPECT_EQ(shown.find("secret-one"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("secret-two"), std::string::npos) << shown;
}

TEST(MissionJournal, IsInSnapshots) {
    const Counting counting;
    const Model model =
        programs({"(task \"a\" (tool/n)) (step-done \"s\" \"half\")", "(return (task \"a\" (tool/n)))"});
    const AgentPtr made = agent(counting.options);
    MissionOptions options{.model = ModelRef(model.llm())};
    Mission mission(made, options);
    mission.start();
    // Saved and restored before each answer.
    for (int answers = 0; !mission.is_done() && answers < 10; ++answers) {
        mission = std::move(*made->restore(mission.save().value(), options).value());
        const Needs needs = mission.take_needs();
        for (const ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need));
        for (const LlmNeed& need : needs.llm)
            mission.answer(need.id, (*need.model)(need.request));
    }
    ASSERT_TRUE(mission.is_done());
    const Step& step = mission.step();
    EXPECT_EQ(step.value, Datum(1));
    EXPECT_EQ(*counting.calls, 1);
    EXPECT_EQ(step.done_steps, json(R"({"s": "half"})"));
}

TEST(MissionPlan, IsReadAndReportedToTheModel) {
    Counting counting;
    counting.options.journaling = false;
    counting.options.plan = {{"a", "Fetch rows"}, {"b", "Send mail"}};
    const Model model = programs({"(step-done \"a\" \"fetched 3\")", "(step-done \"b\" \"sent\") (/ 1 0)",
                                  "(step-done \"x\" \"beside\")", "(return 1)"});
    const Step step = counting.run(model);
    EXPECT_NE(model.last_message(1).find("## Plan\n- [ ] a: Fetch rows\n- [ ] b: Send mail"), std::string::npos);
    EXPECT_NE(model.last_message(2).find("## Progress\n- [x] a: Fetch rows - fetched 3\n- [ ] b: Send mail"),
              std::string::npos)
        << model.last_message(2);
    EXPECT_EQ(model.last_message(3).find("## Progress"), std::string::npos); // it failed
    EXPECT_EQ(model.last_message(4).find("sent"), std::string::npos);
    EXPECT_NE(model.seen->requests[0].system.find("(step-done id"), std::string::npos);
    EXPECT_EQ(model.seen->requests[0].system.find("(task "), std::string::npos);
    EXPECT_TRUE(step.tasks.is_nil());
    EXPECT_EQ(step.done_steps.find("a")->text() ? *step.done_steps.find("a")->text() : "", "fetched 3");
    EXPECT_EQ(step.done_steps.find("b"), nullptr);
}

} // namespace
} // namespace ptc
