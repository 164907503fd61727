// The loop of turns: what ends it, what a model is told, what costs what. Models are scripts and time is the test's
// own, so nothing here waits.
#include "tests/subagent/missions.h"

namespace ptc {
namespace {

TEST(Mission, SaysWhatItNeedsAndGoesOnWithTheAnswers) {
    Mission mission(agent({.prompt = "Add.", .tools = {host_tool("one", "() -> :int", {})}}),
                    {.model = programs({}).llm()});
    mission.start();
    Needs needs = mission.take_needs();
    ASSERT_EQ(needs.llm.size(), 1u);
    EXPECT_TRUE(mission.take_needs().empty()); // each need once
    mission.answer(needs.llm[0].id, LlmReply{.text = fenced("(return (+ 1 (tool/one)))")});
    needs = mission.take_needs();
    ASSERT_EQ(needs.tools.size(), 1u);
    EXPECT_EQ(needs.tools[0].tool->name, "one");
    EXPECT_FALSE(mission.is_done());
    mission.answer(needs.tools[0].id, ToolAnswer(Datum(41)));
    ASSERT_TRUE(mission.is_done());
    EXPECT_EQ(mission.step().value, Datum(42));
}

TEST(Mission, BranchesNeedTheirToolsTogetherAndTakeAnswersInAnyOrder) {
    Mission mission(agent({.prompt = "Map.", .tools = {host_tool("f", "(n :int) -> :int", {})}}),
                    {.model = programs({}).llm()});
    mission.start();
    mission.answer(mission.take_needs().llm[0].id,
                   LlmReply{.text = fenced("(return (pmap #(tool/f {:n %}) [1 2 3]))")});
    const Needs needs = mission.take_needs();
    ASSERT_EQ(needs.tools.size(), 3u);
    for (std::size_t i : {2u, 0u, 1u})
        mission.answer(needs.tools[i].id, ToolAnswer(Datum(static_cast<int>(10 * (i + 1)))));
    EXPECT_EQ(mission.step().value, json("[10,20,30]"));
}

TEST(Mission, AgentsInBranchesNeedTheirModelsTogether) {
    const AgentPtr child = agent({.prompt = "Twice {{n}}.", .signature = "(n :int) -> :int"});
    Mission mission(agent({.prompt = "Map.", .tools = {child->as_tool("dbl")}}), {.model = programs({}).llm()});
    mission.start();
    mission.answer(mission.take_needs().llm[0].id,
                   LlmReply{.text = fenced("(return (pmap #(tool/dbl {:n %}) [1 2]))")});
    const Needs needs = mission.take_needs();
    ASSERT_EQ(needs.llm.size(), 2u);
    EXPECT_EQ(needs.llm[1].request.depth, 1u);
    mission.answer(needs.llm[1].id, LlmReply{.text = fenced("(return (* 2 data/n))")});
    mission.answer(needs.llm[0].id, LlmReply{.text = fenced("(return (* 2 data/n))")});
    EXPECT_EQ(mission.step().value, json("[2,4]"));
    EXPECT_EQ(mission.step().usage.turns, 3u);
}

TEST(Mission, AnswersToNobodyAreIgnored) {
    Mission mission(agent({.prompt = "x"}), {.model = programs({}).llm()});
    mission.start();
    const std::uint64_t id = mission.take_needs().llm[0].id;
    mission.answer(id + 7, LlmReply{.text = fenced("(return 1)")});
    mission.answer(id, ToolAnswer(Datum(1)));
    EXPECT_FALSE(mission.is_done());
    mission.answer(id, LlmReply{.text = fenced("(return 2)")});
    mission.answer(id, LlmReply{.text = fenced("(return 3)")});
    EXPECT_EQ(mission.step().value, Datum(2));
}

TEST(Mission, CanBeInterruptedWhileItsProgramWaits) {
    Mission mission(agent({.prompt = "x", .tools = {host_tool("f", "", {})}}), {.model = programs({}).llm()});
    mission.start();
    mission.answer(mission.take_needs().llm[0].id, LlmReply{.text = fenced("(def a 1) (tool/f)")});
    mission.interrupt();
    EXPECT_EQ(reason_of(mission.step()), "interrupted");
}

TEST(Mission, BeginsNothingAfterAStop) {
    const LlmReply talk{.text = fenced("(return (tool/pay))"), .usage = {.input = 7}};
    const LlmReply native{.text = "", .tool_calls = {{"a", "pay", json("{}")}}, .usage = {.input = 7}};
    std::atomic<bool> is_stopped{false};
    for (const LlmReply& reply : {talk, native}) {
        for (const bool has_token : {true, false}) {
            const AgentPtr made =
                agent({.prompt = "x",
                       .tools = {host_tool("pay", "() -> :int", [](const Datum&) { return Datum(1); })},
                       .output = reply.tool_calls.empty() ? AgentOutput::PtcLisp : AgentOutput::Text});
            std::stop_source source;
            is_stopped = false;
            MissionOptions options{.model = ModelRef(Model(std::vector<LlmResult>{}).llm())};
            if (has_token)
                options.stop = source.get_token();
            else
                options.is_interrupted = [&] { return is_stopped.load(); };
            Mission mission(made, options);
            mission.start();
            const std::uint64_t asked = mission.take_needs().llm.at(0).id;
            source.request_stop();
            is_stopped = true;
            mission.answer(asked, reply);
            EXPECT_TRUE(mission.take_needs().empty());
            ASSERT_TRUE(mission.is_done());
            EXPECT_EQ(reason_of(mission.step()), "interrupted");
            EXPECT_EQ(mission.step().usage.tokens.input, 7); // what is paid is counted
        }
    }
}

TEST(Mission, CanBeDroppedAtAnyTime) {
    const AgentPtr child = agent({.prompt = "y"});
    Mission mission(agent({.prompt = "x", .tools = {child->as_tool("c")}}), {.model = programs({}).llm()});
    mission.start();
    mission.answer(mission.take_needs().llm[0].id, LlmReply{.text = fenced("(tool/c)")});
    EXPECT_EQ(mission.take_needs().llm.size(), 1u);
}

TEST(Loop, ThousandsOfAnswersFromTheCacheDoNotNest) {
    AgentTool cached(host_tool("f", "(n :int) -> :int", [](const Datum&) { return Datum(1); }));
    cached.cache = true;
    const AgentPtr a = agent({.prompt = "x", .tools = {cached}, .limits = {.max_tool_calls = 100'000}});
    const Step step = a->run(programs({"(return (reduce + (map (fn [_] (tool/f {:n 1})) (range 20000))))"}).llm());
    EXPECT_EQ(step.value, Datum(20'000)) << reason_of(step);
    EXPECT_EQ(step.usage.tool_calls, 1u);
}

TEST(Loop, SoftFailuresCostTurnsAndNeverRetries) {
    const Model model = programs({"(oops)", "(/ 1 0)", "(return 1)"});
    const Step step = agent({.prompt = "x", .retry = {.max_attempts = 1}})->run(model.llm());
    EXPECT_EQ(step.value, Datum(1));
    EXPECT_EQ(step.trace.size(), 3u);
    EXPECT_EQ(step.trace[0].reason, "analysis_error");
    EXPECT_EQ(step.trace[1].reason, "eval_error");
    EXPECT_NE(model.last_message(2).find("oops"), std::string::npos);
    EXPECT_NE(model.last_message(3).find("Nothing that this program defined is kept"), std::string::npos);
}

TEST(Loop, RetriesWaitLongerEachTimeAndCostNoTurns) {
    const FakeTime time;
    const Model model(std::vector<LlmResult>{LlmError{.http_status = 500}, LlmError{.kind = "timeout"},
                                             LlmReply{.text = fenced("(return 1)")}});
    const Step step = agent({.prompt = "x"})->run({.model = model.llm(), .clock = time.clock()});
    EXPECT_EQ(step.value, Datum(1));
    EXPECT_EQ(step.trace.size(), 1u);
    EXPECT_EQ(step.usage.llm_calls, 3u);
    EXPECT_EQ(*time.waits, (std::vector<std::int64_t>{500, 1000}));
    EXPECT_EQ(model.seen->requests[2].attempt, 3u);
    EXPECT_EQ(model.seen->requests[0].messages, model.seen->requests[2].messages);
}

TEST(Loop, ExceptionsOfAModelAreErrorsOfIt) {
    const FakeTime time;
    const Step step = agent({.prompt = "x"})
                          ->run({.model = Llm([](const LlmRequest&) -> LlmResult { throw std::runtime_error("down"); }),
                                 .clock = time.clock()});
    EXPECT_EQ(reason_of(step), "llm_error");
    EXPECT_NE(step.fail->message.find("down"), std::string::npos);
    EXPECT_EQ(step.usage.llm_calls, 3u);
}

TEST(Loop, WhatCannotGetBetterIsNotTriedAgain) {
    const FakeTime time;
    const Model model(std::vector<LlmResult>{LlmError{.kind = "authentication", .is_permanent = true}});
    const Step step = agent({.prompt = "x"})->run({.model = model.llm(), .clock = time.clock()});
    EXPECT_EQ(reason_of(step), "llm_error");
    EXPECT_EQ(model.calls(), 1u);
    EXPECT_TRUE(time.waits->empty());
}

TEST(Loop, WhatAProviderWantsBackComesBackWithItsMessageAlsoAfterASnapshot) {
    const AgentPtr a = agent({.prompt = "x"});
    const MissionOptions options{.model = Llm([](const LlmRequest&) -> LlmResult { return LlmError{}; })};
    Mission first(a, options);
    first.start();
    first.answer(first.take_needs().llm.at(0).id, LlmReply{.text = fenced("(+ 1 1)"), .provider_state = "signed"});
    const Result<std::string> bytes = first.save();
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    Result<std::unique_ptr<Mission>> second = a->restore(bytes.value(), options);
    ASSERT_TRUE(second.ok()) << second.error().message;
    const Needs needs = second.value()->take_needs();
    EXPECT_EQ(needs.llm.at(0).request.messages.at(1).provider_state, "signed");
    EXPECT_EQ(needs.llm.at(0).request.messages.at(2).provider_state, "");
}

TEST(Loop, ARetryThatWouldComeTooLateIsNotWaitedFor) {
    const FakeTime time;
    const Model model(std::vector<LlmResult>{LlmError{.kind = "rate_limit", .retry_after = std::chrono::seconds(20)}});
    const Step step = agent({.prompt = "x", .mission_timeout = std::chrono::seconds(10)})
                          ->run({.model = model.llm(), .clock = time.clock()});
    EXPECT_EQ(reason_of(step), "llm_error");
    EXPECT_TRUE(time.waits->empty());
}

TEST(Loop, TheModelIsToldHowMuchTimeIsLeft) {
    const FakeTime time;
    const Model model = programs({"(tool/slow)", "(return 1)"});
    const AgentPtr a = agent({.prompt = "x",
                              .tools = {host_tool("slow", "",
                                                  [&](const Datum&) {
                                                      *time.now += std::chrono::seconds(2);
                                                      return Datum(1);
                                                  })},
                              .mission_timeout = std::chrono::seconds(10)});
    EXPECT_TRUE(a->run({.model = model.llm(), .clock = time.clock()}).ok);
    EXPECT_EQ(model.seen->requests[1].time_left, std::chrono::seconds(8));
}

TEST(Loop, TimeOfAgentsAsToolsIsNotTheProgramsTime) {
    const FakeTime time;
    const AgentPtr child = agent({.prompt = "y"});
    const AgentPtr parent = agent({.prompt = "x", .tools = {child->as_tool("c")}, .timeout = std::chrono::minutes(1)});
    const auto slow = [&, n = 0](const LlmRequest&) mutable -> LlmResult {
        *time.now += std::chrono::minutes(3);
        return LlmReply{.text = fenced(n++ == 0 ? "(return (tool/c))" : "(return 5)")};
    };
    const Step step = parent->run({.model = Llm(slow), .clock = time.clock()});
    EXPECT_EQ(step.value, Datum(5)) << reason_of(step);
}

TEST(Loop, ConsecutiveFailuresEndIt) {
    const Step step = agent({.prompt = "x", .max_turns = 9, .max_consecutive_failures = 2})
                          ->run(programs({"(a)", "1", "(b)", "(c)", "(return 1)"}).llm());
    EXPECT_EQ(reason_of(step), "consecutive_failures_exceeded");
    EXPECT_EQ(step.trace.size(), 4u);
    EXPECT_EQ(*step.fail->details.find("last_error")->find("reason"), Datum("analysis_error"));
}

TEST(Loop, TalkInAMissionOfOneTurnIsNoProgram) {
    for (const std::size_t retries : {std::size_t{0}, std::size_t{2}}) { // which are for results
        const Model model({LlmReply{.text = "The answer is 5."}, LlmReply{.text = fenced("5")}});
        const Step step = agent({.prompt = "x", .max_turns = 1, .retry_turns = retries})->run(model.llm());
        EXPECT_EQ(reason_of(step), "max_turns_exceeded");
        EXPECT_EQ(*step.fail->details.find("last_error")->find("reason"), Datum("no_code_found"));
        EXPECT_EQ(model.calls(), 1u);
    }
}

TEST(Loop, MoneyEndsIt) {
    const Model model(std::vector<LlmResult>{LlmReply{.text = fenced("1"), .usage = {.input = 5, .cost_usd = 0.3}},
                                             LlmReply{.text = fenced("2"), .usage = {.input = 7, .cost_usd = 0.3}}});
    const Step step = agent({.prompt = "x", .max_cost_usd = 0.5})->run(model.llm());
    EXPECT_EQ(reason_of(step), "budget_callback_exceeded");
    EXPECT_EQ(step.usage.tokens.input, 12);
}

TEST(Loop, RetryTurnsAreForResultsThatDoNotFitOnly) {
    const AgentOptions options{.prompt = "x", .signature = "{n :int}", .max_turns = 1, .retry_turns = 2};
    EXPECT_EQ(agent(options)->run(programs({"(return {:n \"a\"})", "(return {:n 1})"}).llm()).value,
              json(R"({"n":1})"));
    EXPECT_EQ(reason_of(agent(options)->run(programs({"(oops)", "(return {:n 1})"}).llm())), "analysis_error");
    const Step never =
        agent(options)->run(programs({"(return 1)", "(return 2)", "(return 3)", "(return {:n 1})"}).llm());
    EXPECT_EQ(reason_of(never), "validation_error");
    EXPECT_EQ(never.trace.size(), 3u);
}

TEST(Loop, ARefusedResultKeepsNothing) {
    const Step step = agent({.prompt = "x", .signature = ":int", .max_turns = 2})
                          ->run(programs({"(def a 1) (return \"x\")", "(def b 2) (return b)"}).llm());
    EXPECT_EQ(step.memory.to_json(), R"({"b":2})");
}

TEST(Loop, ResultsOfManyTurnsStayData) {
    std::vector<std::string> texts;
    for (int i = 0; i < 40; ++i)
        texts.push_back("{:k" + std::to_string(i) + " " + std::to_string(i) + " :last " + std::to_string(i) + "}");
    texts.emplace_back("(return [data/k0 data/k17 data/k39 data/last])");
    const Step step = agent({.prompt = "x", .max_turns = 50, .turn_budget = 50})->run(programs(texts).llm());
    EXPECT_EQ(step.value, json("[0,17,39,39]")) << reason_of(step);
}

TEST(Loop, MapsAsKeysDoNotDoubleWhatIsHidden) {
    // Each level quoted once more, a firewalled value of this kind would be 2^60 bytes as JSON.
    const Step step =
        agent({.prompt = "x"})
            ->run(
                programs({"(def x {:_s (reduce (fn [m _] {m 1}) {\"a\" 1} (range 60))})", "(return (count x))"}).llm());
    EXPECT_EQ(step.value, Datum(1)) << reason_of(step);
}

TEST(Loop, WhatACallerKeepsFromItsModelAnotherModelDoesNotSee) {
    const AgentPtr child = agent({.prompt = "Look at {{q}}.", .signature = "(q :string, rows [:int]) -> :int"});
    const AgentPtr parent = agent({.prompt = "x", .tools = {child->as_tool("child")}});
    const Model model =
        programs({"(return (tool/child {:q data/_token :rows data/_rows}))", "(return (count data/rows))"});
    const Step step = parent->run(model.llm(), json(R"({"_token": "hunter2-password", "_rows": [1, 2, 3]})"));
    EXPECT_EQ(step.value, Datum(3)) << reason_of(step);
    ASSERT_EQ(model.calls(), 2u);
    const LlmRequest& request = model.seen->requests[1];
    EXPECT_EQ(request.system.find("hunter2"), std::string::npos) << request.system;
    EXPECT_EQ(request.messages.back().content, "Look at <Firewalled>.");
}

TEST(Loop, DefinitionsThatShareTheirPartsAreBoundedTogether) {
    const std::string shared = "(reduce (fn [v _] [v v]) [1] (range 20))";
    const Step step =
        agent({.prompt = "x"})->run(programs({"(do (def a " + shared + ") (def b " + shared + ") 1)"}).llm());
    EXPECT_EQ(reason_of(step), "memory_exceeded");
}

TEST(Loop, MemoryIsMeasuredAsItIsRedefined) {
    const AgentOptions options{.prompt = "x", .memory_limit = 1000};
    EXPECT_TRUE(agent(options)
                    ->run(programs({"(def a (apply str (range 300)))", "(def a 1)", "(def b (apply str (range 300)))",
                                    "(return 1)"})
                              .llm())
                    .ok);
    EXPECT_EQ(
        reason_of(agent(options)->run(
            programs({"(def a (apply str (range 300)))", "(def b (apply str (range 300)))", "(return 1)"}).llm())),
        "memory_exceeded");
}

TEST(Loop, TheBudgetOfTurnsIsSharedDownwards) {
    const AgentPtr child = agent({.prompt = "y", .max_turns = 9});
    const AgentPtr parent = agent({.prompt = "x", .tools = {child->as_tool("c")}, .turn_budget = 3});
    const Model model = programs({"(tool/c)", "1", "2", "3"});
    const Step step = parent->run(model.llm());
    EXPECT_EQ(reason_of(step), "turn_budget_exhausted");
    EXPECT_EQ(model.calls(), 3u);
}

TEST(Loop, AnAgentsOwnLimitsAreForWhatIsBelowIt) {
    // Two turns and 20 tokens for each of thirty that work side by side, where each may have five and 50.
    const Llm model = [](const LlmRequest& request) -> LlmResult {
        LlmReply reply{.text = fenced("(return (count (pmap (fn [i] (tool/kid)) (range 30))))"),
                       .usage = {.input = 10}};
        if (request.depth > 0) reply.text = fenced(request.turn == 1 ? "{:a 1}" : "(return 1)");
        return reply;
    };
    const AgentPtr kid = agent({.prompt = "x", .signature = ":int", .turn_budget = 5, .token_limit = 50});
    const auto run = [&](std::size_t turns, std::int64_t tokens) {
        return agent({.prompt = "x", .tools = {kid->as_tool("kid")}, .turn_budget = turns, .token_limit = tokens})
            ->run(model);
    };
    const Step step = run(61, 610);
    EXPECT_EQ(step.value, Datum(30)) << reason_of(step);
    EXPECT_EQ(step.usage.turns, 61u);
    EXPECT_EQ(reason_of(run(60, 610)), "turn_budget_exhausted") << "the caller's hold for all";
    EXPECT_NE(reason_of(run(61, 200)), "ok");
}

TEST(Loop, TheFourthLevelBelowIsTooDeep) {
    const AgentPtr a = agent({.prompt = "x", .tools = {AgentTool::self("again")}, .max_turns = 2});
    const Model model = programs({"(tool/again)", "(tool/again)", "(tool/again)", "(tool/again)", "(return 1)",
                                  "(return 2)", "(return 3)", "(return 4)"});
    EXPECT_EQ(a->run(model.llm()).value, Datum(4));
    EXPECT_NE(model.last_message(5).find("max_depth_exceeded"), std::string::npos);
}

TEST(Mission, DelegateMakesTheAgentAndRunsIt) {
    EXPECT_EQ(delegate("x", {.model = ModelRef(programs({"(return 1)"}).llm())}).value, Datum(1));
    EXPECT_EQ(reason_of(delegate("", {.model = ModelRef(programs({"(return 1)"}).llm())})), "invalid_request");
}

TEST(Mission, RequestsHaveThePromptThatBeganIt) { // requirement 114
    const Model model = programs({"1", "(return 2)", "(return 3)"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    options.context = Datum::object({{"n", 7}});
    const AgentPtr made = agent({.prompt = "Count to {{n}}.", .signature = "(n :int) -> :any"});
    const Step step = made->run(options);
    EXPECT_EQ(model.seen->requests[0].prompt, "Count to 7.");
    EXPECT_EQ(model.seen->requests[1].prompt, "Count to 7.");
    options.history = step.messages;
    options.user_message = "And on?";
    (void)made->run(options);
    EXPECT_EQ(model.seen->requests[2].prompt, "And on?");
}

TEST(Mission, WhoeverWatchesAReplyCannotBreakItsCall) {
    const Llm llm = [](const LlmRequest& request) -> LlmResult {
        request.on_text("a");
        request.on_delta({.text = "a"});
        return LlmReply{.text = fenced("(return 1)")};
    };
    MissionOptions options;
    options.model = ModelRef(llm);
    options.on_text = [](std::string_view) { throw 1; };
    options.on_delta = [](const MissionDelta&) { throw 2; };
    const Step step = agent({.prompt = "x"})->run(options);
    EXPECT_EQ(step.value, Datum(1));
    EXPECT_EQ(step.usage.llm_calls, 1U);
}

} // namespace
} // namespace ptc
