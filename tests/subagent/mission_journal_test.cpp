// What tasks came to, across turns, failures and missions, and how far a plan is (AgentOptions::journaling, ::plan).
#include "tests/subagent/missions.h"
#include <algorithm>
#include <mutex>
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

/// An agent whose tool `pay` notes what it was called with, and fails for 13 before it does anything.
struct Paying {
    std::shared_ptr<std::vector<std::int64_t>> paid = std::make_shared<std::vector<std::int64_t>>();
    std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>(); ///< calls of branches come on several threads
    AgentOptions options{.prompt = "Pay.",
                         .tools = {host_tool("pay", "(n :int) -> :int",
                                             [paid = paid, mutex = mutex](const Datum& arguments) -> Result<Datum> {
                                                 const auto n = arguments["n"].as<std::int64_t>().value();
                                                 if (n == 13) return Error(Reason::ToolError, "no card");
                                                 const std::scoped_lock lock(*mutex);
                                                 paid->push_back(n);
                                                 return Datum(n * 10);
                                             })},
                         .max_turns = 6,
                         .journaling = true};
    [[nodiscard]] Step run(std::vector<std::string> texts) const {
        return agent(options)->run({.model = ModelRef(programs(std::move(texts)).llm())});
    }
    [[nodiscard]] std::vector<std::int64_t> sorted() const {
        std::vector<std::int64_t> all = *paid;
        std::ranges::sort(all);
        return all;
    }
};

constexpr const char* kPayAll = "(pmap (fn [n] (task (str \"pay-\" n) (tool/pay {:n n}))) [1 2 3])";

TEST(MissionJournal, ValuesComeBackAsWhatTheyAre) {
    const Counting counting;
    const std::string value = "{:k :paid :set #{:a \"b\"} 1 {nil [2.0 2 123456789012345678901234567890]} "
                              ":times [(LocalDate/parse \"2026-01-02\") (Instant/parse \"2026-01-02T03:04:05.678Z\") "
                              "(LocalDateTime/parse \"2026-01-02T03:04:05.000000007\") (Duration/ofNanos -1500001) "
                              "(ZonedDateTime/parse \"2026-01-02T03:04:05+02:00\") (LocalTime/parse \"03:04\") "
                              "(YearMonth/parse \"2026-01\") (Period/parse \"P1Y-2M3D\") DayOfWeek/MONDAY] "
                              ":symbols ['a 'b/c] :list (list 1 2)}";
    const std::string keep = "(task \"a\" " + value + ")";
    const std::string check = "(return (let [t (task \"a\" 0)] [(= t " + value +
                              ") (set? (:set t)) (keyword? (:k t)) " +
                              "(re-find (task \"re\" #\"b\\\"+\") \"ab\\\"\\\"\")]))";
    const Step first = counting.run({"(= 1 (:x " + keep + "))", check});
    EXPECT_EQ(first.value, json(R"([true, true, true, "b\"\""])")) << reason_of(first);
    EXPECT_EQ(counting.run({check}, first.tasks).value, first.value);
}

TEST(MissionJournal, AValueThatIsNoDataIsAnError) {
    const Counting counting;
    const Step step = counting.run({"(task \"a\" {:f (fn [x] x)})", "(task \"b\" [(atom 1)])",
                                    "(return (pmap (fn [i] (task \"c\" inc)) [1]))", "(return (task \"a\" 5))"});
    ASSERT_EQ(step.trace.size(), 4u);
    EXPECT_NE(step.trace[0].message.find("What the task `a` came to cannot be kept: `#fn[x]`"), std::string::npos)
        << step.trace[0].message;
    EXPECT_FALSE(step.trace[1].ok);
    EXPECT_NE(step.trace[2].message.find("What the task `c` came to cannot be kept"), std::string::npos);
    EXPECT_EQ(step.value, Datum(5));
}

TEST(MissionJournal, BranchesKeepWhatTheyDo) {
    const Paying paying;
    const Step step =
        paying.run({kPayAll, "(return [" + std::string(kPayAll) + " (task \"pay-2\" (tool/pay {:n 2}))])"});
    EXPECT_EQ(step.value, json("[[10, 20, 30], 20]"));
    EXPECT_EQ(paying.sorted(), (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(step.tasks, json(R"({"pay-1": 10, "pay-2": 20, "pay-3": 30})"));
}

// All of the calls were made when the second one fails.
TEST(MissionJournal, BranchesKeepWhatTheyDoBehindOneThatFails) {
    const std::string failing = "(pmap (fn [n] (task (str \"pay-\" n) (tool/pay {:n n}))) [1 13 3 4 5])";
    for (const std::uint32_t lanes : {1, 2, 64}) {
        Paying paying;
        paying.options.limits.parallel_lanes = lanes;
        const Step step =
            paying.run({failing, "(return (mapv (fn [n] (task (str \"pay-\" n) (tool/pay {:n n}))) [1 3 4 5]))"});
        EXPECT_FALSE(step.trace[0].ok);
        EXPECT_NE(step.trace[0].message.find("no card"), std::string::npos) << step.trace[0].message;
        EXPECT_EQ(step.value, json("[10, 30, 40, 50]"));
        EXPECT_EQ(paying.sorted(), (std::vector<std::int64_t>{1, 3, 4, 5}));
    }
}

TEST(MissionJournal, BranchesSeeTheirOwnTasksAtOnceAndThoseOfOthersAfterTheNextCall) {
    for (const std::uint32_t lanes : {1, 2, 64}) {
        Paying paying;
        paying.options.limits.parallel_lanes = lanes;
        const Step step =
            paying.run({"(return (pmap (fn [n] [(task (str \"own-\" n) n) (task (str \"own-\" n) :again) "
                        "(task (str \"own-\" (dec n)) :mine) (pmap (fn [_] (task (str \"own-\" n) :inner)) [0]) "
                        "(do (tool/pay {:n n}) (task (str \"own-\" (- n 2)) :late))]) [1 2 3]))"});
        EXPECT_EQ(step.value.to_json(),
                  "[[1,1,\"mine\",[1],\"late\"],[2,2,\"mine\",[2],\"mine\"],[3,3,\"mine\",[3],1]]");
        EXPECT_EQ(step.tasks["own-1"], Datum(1)); // what the second branch had was too late
        EXPECT_EQ(step.tasks["own-3"], Datum(3));
    }
}

/// What a branch gets for a task that another one does.
constexpr const char* kSecond = "Another branch does the task `s` at the same time.";

TEST(MissionJournal, BranchesDoNotDoTheSameTaskTwice) {
    for (const std::uint32_t lanes : {1, 2, 64}) {
        Paying paying;
        paying.options.limits.parallel_lanes = lanes;
        const Step step = paying.run(
            {"(pmap (fn [n] (task \"s\" (tool/pay {:n n}))) [1 2 3])", "(return (task \"s\" (tool/pay {:n 9})))"});
        EXPECT_NE(step.trace[0].message.find(kSecond), std::string::npos) << step.trace[0].message;
        EXPECT_EQ(step.value, Datum(10));
        EXPECT_EQ(*paying.paid, std::vector<std::int64_t>{1});
    }
}

struct Doubled {
    const char* program;
    const char* value;
    std::vector<std::int64_t> paid;
};
const Doubled kDoubled[] = {
    // In one round, in program order.
    {"(pmap (fn [n] (try (task \"s\" (tool/pay {:n n})) (catch Exception e (ex-message e)))) [1 2 3])",
     R"([10, "Another branch does the task `s` at the same time.", "Another branch does the task `s` at the same time."])",
     {1}},
    // The second one has made its call before the first one comes to it.
    {"(pmap (fn [n] (try (when (= n 1) (tool/pay {:n 5})) (task \"s\" [(tool/pay {:n n}) (tool/pay {:n n})]) "
     "(catch Exception e :no))) [1 2])",
     R"(["no", [20, 20]])",
     {2, 2, 5}},
    // One without a call has done it already.
    {"(pmap (fn [n] (try (task \"s\" (if (= n 2) :done (tool/pay {:n n}))) (catch Exception e :no))) [1 2])",
     R"(["no", "done"])",
     {}},
    // A task that was given up is nobody's.
    {"(pmap (fn [n] (when (= n 1) (try (task \"s\" (/ 1 0)) (catch Exception e 0))) "
     "(if (= n 1) (tool/pay {:n 8}) (task \"s\" (tool/pay {:n n})))) [1 2])",
     "[80, 20]",
     {2, 8}},
    // Calls of branches inside of a task are its own.
    {"(pmap (fn [n] (try (task \"s\" (pmap (fn [y] (try (+ (tool/pay {:n y}) (tool/pay {:n y})) "
     "(catch Exception e 0))) [n (inc n)])) (catch Exception e :no))) [1 3])",
     R"([[20, 40], "no"])",
     {1, 1, 2, 2}},
};

TEST(MissionJournal, BranchesMayGoOnWithoutATaskOfAnother) {
    for (const Doubled& doubled : kDoubled) {
        for (const std::uint32_t lanes : {1, 2, 64}) {
            Paying paying;
            paying.options.limits.parallel_lanes = lanes;
            const Step step = paying.run({"(return " + std::string(doubled.program) + ")"});
            EXPECT_EQ(step.value.to_json(), json(doubled.value).to_json()) << reason_of(step) << doubled.program;
            EXPECT_EQ(paying.sorted(), doubled.paid) << doubled.program;
        }
    }
}

/// With `is_restored`, saved and restored before each answer.
Step run_by_hand(const AgentPtr& made, const Model& model, bool is_restored) {
    const MissionOptions options{.model = ModelRef(model.llm())};
    Mission mission(made, options);
    mission.start();
    for (int rounds = 0; !mission.is_done() && rounds < 20; ++rounds) {
        if (is_restored) mission = std::move(*made->restore(mission.save().value(), options).value());
        const Needs needs = mission.take_needs();
        for (const ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need));
        for (const LlmNeed& need : needs.llm)
            mission.answer(need.id, (*need.model)(need.request));
    }
    EXPECT_TRUE(mission.is_done());
    return mission.take_step();
}

TEST(MissionJournal, OfBranchesIsInSnapshots) {
    for (const Doubled& doubled : kDoubled) {
        const Paying paying;
        const AgentPtr made = agent(paying.options);
        const std::string program = "(return " + std::string(doubled.program) + ")";
        const Step whole = run_by_hand(made, programs({program}), false);
        const Step restored = run_by_hand(made, programs({program}), true);
        EXPECT_EQ(whole.value.to_json(), json(doubled.value).to_json()) << program;
        EXPECT_EQ(restored.value, whole.value) << program;
        EXPECT_EQ(restored.tasks, whole.tasks) << program;
        EXPECT_EQ(restored.usage.fuel, whole.usage.fuel) << program;
        EXPECT_EQ(paying.paid->size(), 2 * doubled.paid.size()) << program;
    }
}

TEST(MissionJournal, BranchesForgetTasksAndReportNoSteps) {
    const Paying paying;
    const Step step =
        paying.run({"(task \"a\" 1) (pmap (fn [_] (step-done \"s\" \"x\") (task-reset \"a\") (task \"b\" 2)) [1])",
                    "(return [(task \"a\" 3) (task \"b\" 4)])"});
    EXPECT_EQ(step.value, json("[3, 2]"));
    EXPECT_EQ(step.done_steps, json("{}"));
}

TEST(MissionJournal, AReturnInsideOfATaskIsWhatItComesTo) {
    const Paying paying;
    const Step first = paying.run({"(task \"outer\" (let [x 1] (task \"ret\" (do (tool/pay {:n x}) "
                                   "(run! (fn [y] (when (= y 2) (return {:early y}))) [1 2 3])))))"});
    EXPECT_EQ(first.value, json(R"({"early": 2})"));
    EXPECT_EQ(first.tasks["ret"]["early"], Datum(2));
    EXPECT_EQ(first.tasks["outer"]["early"], Datum(2));
    const Step second =
        agent(paying.options)
            ->run({.model = ModelRef(programs({"(return [(task \"ret\" (do (tool/pay {:n 1}) (return 0)))])"}).llm()),
                   .tasks = first.tasks});
    EXPECT_EQ(second.value, json(R"([{"early": 2}])"));
    EXPECT_EQ(*paying.paid, std::vector<std::int64_t>{1});
    // A return of another task, or of none, is not theirs; nor is one in a branch, which is an error.
    EXPECT_EQ(paying.run({"(task \"a\" 1) (return (task \"b\" 2))"}).tasks, json(R"({"a": 1, "b": 2})"));
    EXPECT_EQ(paying.run({"(task \"a\" (pmap (fn [_] (return 1)) [1]))", "(return 2)"}).tasks, json("{}"));
}

TEST(MissionJournal, TellsOfEachChangeBeforeTheNextCall) {
    const Paying paying;
    auto told = std::make_shared<std::vector<std::string>>();
    MissionOptions options{
        .model = ModelRef(programs({"(task \"a\" (tool/pay {:n 1})) (task-reset \"a\") "
                                    "(pmap (fn [n] (task (str n) (tool/pay {:n n})) (tool/pay {:n n})) [2 3]) "
                                    "(step-done \"s\" \"lost\") (/ 1 0)",
                                    "(step-done \"s\" \"kept\") (return 1)"})
                              .llm()),
        .tasks = json(R"({"given": 1})")};
    options.on_journal = [told, paid = paying.paid](const JournalChange& change) {
        using Kind = JournalChange::Kind;
        const char* const kind = change.kind == Kind::Kept        ? "kept "
                                 : change.kind == Kind::Forgotten ? "forgotten "
                                                                  : "step ";
        told->push_back(kind + std::string(change.id) + (change.value ? " " + change.value->to_json() : "") +
                        " after " + std::to_string(paid->size()));
        return Result<void>();
    };
    (void)agent(paying.options)->run(options);
    EXPECT_EQ(*told, (std::vector<std::string>{"kept a 10 after 1", "forgotten a after 1", "kept 2 20 after 3",
                                               "kept 3 30 after 3", "step s \"kept\" after 5"}));
}

TEST(MissionJournal, WhatTheHostCannotKeepEndsTheProgram) {
    for (const char* program : {"(try (task \"a\" (tool/pay {:n 1})) (catch Exception e 0)) (tool/pay {:n 2})",
                                "(pmap (fn [_] (task \"a\" (tool/pay {:n 1}))) [1]) (tool/pay {:n 2})"}) {
        const Paying paying;
        MissionOptions options{.model = ModelRef(programs({program, "(return (task \"a\" (tool/pay {:n 3})))"}).llm())};
        options.on_journal = [](const JournalChange&) -> Result<void> { return Error(Reason::ToolError, "disk full"); };
        const Step step = agent(paying.options)->run(options);
        EXPECT_NE(step.trace[0].message.find("The journal is not kept: disk full"), std::string::npos);
        EXPECT_EQ(step.value, Datum(10)); // this mission knows
        EXPECT_EQ(*paying.paid, std::vector<std::int64_t>{1});
    }
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

TEST(MissionJournal, ShowsKeysAsATurnDoes) {
    const Counting counting;
    const Model model = programs({"(task \"t\" 0)", "(return 1)"});
    (void)counting.run(model, json(R"({"t": {"amount": 30}})"));
    EXPECT_NE(model.last_message(1).find("- t: {\"amount\" 30}"), std::string::npos) << model.last_message(1);
    EXPECT_NE(model.last_message(2).find("{\"amount\" 30}"), std::string::npos) << model.last_message(2);
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

TEST(MissionPlan, GoesOnInALaterMission) {
    Counting counting;
    counting.options.plan = {{"a", "Fetch rows"}, {"b", "Send mail"}};
    const Step first = counting.run({"(step-done \"a\" \"fetched 3\") (return 1)"});
    const Model model = programs({"(step-done \"b\" \"sent\") (return 1)"});
    const Step second = agent(counting.options)->run({.model = ModelRef(model.llm()), .done_steps = first.done_steps});
    EXPECT_NE(model.last_message(1).find("## Plan\n- [x] a: Fetch rows - fetched 3\n- [ ] b: Send mail"),
              std::string::npos)
        << model.last_message(1);
    EXPECT_EQ(second.done_steps, json(R"({"a": "fetched 3", "b": "sent"})"));
    for (const char* steps : {"[1]", R"({"a": 1})", R"({"": "x"})"})
        EXPECT_EQ(reason_of(agent(counting.options)->run({.model = ModelRef(model.llm()), .done_steps = json(steps)})),
                  "invalid_request");
    counting.options.plan.clear();
    counting.options.journaling = false;
    EXPECT_EQ(reason_of(agent(counting.options)->run({.model = ModelRef(model.llm()), .done_steps = first.done_steps})),
              "invalid_request");
}

} // namespace
} // namespace ptc
