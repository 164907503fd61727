// Models made of others: which is asked, what comes back, and what a mission makes of it.
#include "subagent/agent/model_call.h"
#include "tests/subagent/missions.h"

namespace ptc {
namespace {

LlmError failure(std::string kind, bool is_permanent = false) {
    return {
        .kind = std::move(kind), .message = "no", .is_permanent = is_permanent, .usage = {.input = 10, .output = 1}};
}
LlmReply answer(std::string text) { return {.text = std::move(text), .usage = {.input = 100, .output = 5}}; }

/// One that always gives `result`, and counts.
Model always(const LlmResult& result) { return Model(std::vector<LlmResult>(50, result)); }

std::string told(const LlmResult& result) {
    const auto* error = std::get_if<LlmError>(&result);
    return error ? error->kind : std::get<LlmReply>(result).model + ": " + std::get<LlmReply>(result).text;
}

TEST(Fallback, TheFirstModelThatAnswersIsNamedAndOnlyItsUsageIsItsOwn) {
    const Model first = always(failure("rate_limit"));
    const Model second = always(answer("hello"));
    const Model third = always(answer("never"));
    const Llm llm = fallback({{"a", first.llm()}, {"b", second.llm()}, {"c", third.llm()}});
    const LlmResult result = llm({});
    ASSERT_EQ(told(result), "b: hello");
    const auto& reply = std::get<LlmReply>(result);
    EXPECT_EQ(reply.usage.input, 100);
    ASSERT_EQ(reply.failures.size(), 1u);
    EXPECT_EQ(reply.failures[0].model, "a");
    EXPECT_EQ(reply.failures[0].kind, "rate_limit");
    EXPECT_EQ(reply.failures[0].usage.input, 10);
    EXPECT_EQ(third.calls(), 0u);
}

TEST(Fallback, OnlyWhatAModelIsForGoesOnToIt) {
    const Model second = always(answer("hello"));
    const auto with = [&](FallbackModel next, const LlmError& error) {
        next.name = "b";
        next.call = second.llm();
        return told(fallback({{"a", always(error).llm()}, std::move(next)})({}));
    };
    EXPECT_EQ(with({}, failure("authentication", true)), "authentication");
    EXPECT_EQ(with({.on = {"authentication"}}, failure("authentication", true)), "b: hello");
    EXPECT_EQ(with({.on = {"authentication"}}, failure("rate_limit")), "rate_limit");
    EXPECT_EQ(with({}, {.http_status = 503}), "b: hello"); // by the name of the status
    EXPECT_EQ(
        with({.when = [](const LlmRequest&, const LlmError& e) { return e.message != "no"; }}, failure("timeout")),
        "timeout");
    for (const std::string& kind : fallback_kinds())
        EXPECT_EQ(with({}, failure(kind)), "b: hello");
}

TEST(Fallback, TheErrorOfAllIsOneThatCanGetBetterAndHasTheUsageOfAll) {
    const Llm llm = fallback({{"a", always(failure("overloaded")).llm()}, {"b", always(failure("quota", true)).llm()}});
    const LlmResult result = llm({});
    ASSERT_EQ(told(result), "overloaded");
    EXPECT_FALSE(std::get<LlmError>(result).is_permanent);
    EXPECT_EQ(std::get<LlmError>(result).usage.input, 20);
}

TEST(Fallback, TheFirstErrorThatCanGetBetterCountsAlsoBeforeOthersThatCan) {
    const Llm llm = fallback({{"a", always(failure("timeout")).llm()}, {"b", always(failure("network")).llm()}});
    EXPECT_EQ(told(llm({})), "timeout");
}

TEST(Fallback, WhatThrowsHasFailed) {
    const Llm throws = [](const LlmRequest&) -> LlmResult { throw std::runtime_error("out of order"); };
    const Model second = always(answer("hello"));
    EXPECT_EQ(told(fallback({{"a", throws}, {.name = "b", .call = second.llm(), .on = {"exception"}}})({})),
              "b: hello");
    const LlmResult all = fallback({{"a", always(failure("timeout")).llm()}, {"b", throws}})({});
    EXPECT_EQ(told(all), "timeout");
    EXPECT_EQ(std::get<LlmError>(all).usage.input, 10);
    const auto breaks = [](const LlmRequest&, const LlmError&) -> bool { throw std::runtime_error("x"); };
    EXPECT_EQ(told(fallback(
                  {{"a", always(failure("timeout")).llm()}, {.name = "b", .call = second.llm(), .when = breaks}})({})),
              "timeout");
}

TEST(Fallback, NobodyElseIsAskedWhenNobodyWaits) {
    std::stop_source stop;
    const Model second = always(answer("hello"));
    const Llm stopping = [&](const LlmRequest&) -> LlmResult {
        stop.request_stop();
        return failure("network");
    };
    LlmRequest request;
    request.stop = stop.get_token();
    EXPECT_EQ(told(fallback({{"a", stopping}, {"b", second.llm()}})(request)), "network");
    EXPECT_EQ(second.calls(), 0u);
}

TEST(Fallback, AModelHasNoMoreThanItsOwnTime) {
    const Model first = always(failure("timeout"));
    const Model second = always(answer("hello"));
    LlmRequest request;
    request.time_left = std::chrono::hours(5);
    const Llm llm =
        fallback({{.name = "a", .call = first.llm(), .timeout = std::chrono::hours(1)}, {"b", second.llm()}});
    ASSERT_EQ(told(llm(request)), "b: hello");
    EXPECT_LE(first.seen->requests[0].time_left, std::chrono::hours(1));
    EXPECT_GT(second.seen->requests[0].time_left, std::chrono::hours(4));
    EXPECT_LE(second.seen->requests[0].time_left, std::chrono::hours(5));
}

TEST(Fallback, WithoutModelsCallsFail) {
    EXPECT_EQ(told(fallback({})({})), "invalid_request");
    EXPECT_EQ(told(route({})({})), "invalid_request");
}

TEST(Route, GoesByAgentDepthTurnSizeAndTheHost) {
    const auto named = [](const std::string& text) { return always(answer(text)).llm(); };
    const Llm llm =
        route({{.name = "judge", .call = named("judge"), .agents = {"judge"}},
               {.name = "deep", .call = named("deep"), .from_depth = 1},
               {.name = "long", .call = named("long"), .from_bytes = 1000},
               {.name = "late", .call = named("late"), .from_turn = 3, .to_turn = 4},
               {.name = "own", .call = named("own"), .when = [](const LlmRequest& r) { return r.system == "special"; }},
               {.name = "first", .call = named("first"), .to_turn = 2}});
    const auto of = [&](LlmRequest request) { return told(llm(request)); };
    EXPECT_EQ(of({.turn = 1, .agent = "judge", .depth = 2}), "judge: judge");
    EXPECT_EQ(of({.turn = 1, .depth = 2}), "deep: deep");
    EXPECT_EQ(of({.system = std::string(1000, 'x'), .turn = 1}), "long: long");
    EXPECT_EQ(of({.turn = 3}), "late: late");
    EXPECT_EQ(of({.system = "special", .turn = 9}), "own: own");
    EXPECT_EQ(of({.turn = 2}), "first: first");
    EXPECT_EQ(of({.turn = 9}), "invalid_request");
}

TEST(Route, ChoicesMayBeMadeOfChoices) {
    const Llm inner =
        fallback({{"a", always(failure("rate_limit")).llm()}, {"b", always(failure("overloaded")).llm()}});
    const Llm outer =
        fallback({{"inner", inner}, {"c", route({{.name = "d", .call = always(answer("hello")).llm()}})}});
    const LlmResult result = outer({});
    ASSERT_EQ(told(result), "d: hello");
    const auto& failures = std::get<LlmReply>(result).failures;
    ASSERT_EQ(failures.size(), 1u); // of all that is inner
    EXPECT_EQ(failures[0].model, "inner");
    EXPECT_EQ(failures[0].usage.input, 20);
    EXPECT_TRUE(is_made_of(outer, [](const Llm&) { return true; }));
    EXPECT_FALSE(is_made_of(outer, [](const Llm&) { return false; }));
}

TEST(Fallback, AMissionCountsWhatFailedAndSaysWhichAnswered) {
    const Llm llm = fallback({{"a", always(failure("rate_limit")).llm()}, {"b", always(answer("hello")).llm()}});
    std::vector<std::string> events;
    std::vector<std::string> deltas;
    MissionOptions options{.model = ModelRef(llm)};
    options.on_event = [&](const MissionEvent& event) {
        if (!event.model.empty())
            events.push_back(std::string(event_name(event.kind)) + " " + event.model + event.reason);
    };
    options.on_delta = [&](const MissionDelta& delta) {
        deltas.push_back(std::string(delta.agent) + std::to_string(delta.run) + " " +
                         std::string(delta_name(delta.delta.kind)));
    };
    const Step step = agent({.prompt = "x", .output = AgentOutput::Text})->run(std::move(options));
    EXPECT_EQ(step.value, Datum("hello")) << reason_of(step);
    EXPECT_EQ(step.usage.tokens.input, 110);
    EXPECT_EQ(step.usage.llm_calls, 1u);
    EXPECT_EQ(events, (std::vector<std::string>{"llm_retry arate_limit", "llm_reply b"}));
    EXPECT_EQ(deltas, std::vector<std::string>{"agent1 restart"});
}

TEST(ToolChoices, HoldForTheFirstTurnOfWhoeverMayAnswer) {
    const Model model(std::vector<LlmResult>{
        LlmReply{.tool_calls = {{.id = "1", .name = "f", .arguments = json("{}")}}}, LlmReply{.text = "done"}});
    const AgentPtr made = agent({.prompt = "x",
                                 .tools = {host_tool("f", "() -> :int", [](const Datum&) { return Datum(1); })},
                                 .output = AgentOutput::Text,
                                 .reasoning_effort = ReasoningEffort::Low,
                                 .tool_choice = {ToolChoice::Mode::Required, {}}});
    ASSERT_EQ(reason_of(made->run(model.llm())), "ok");
    EXPECT_EQ(model.seen->requests[0].tool_choice.mode, ToolChoice::Mode::Required);
    EXPECT_EQ(model.seen->requests[1].tool_choice.mode, ToolChoice::Mode::Auto);
    EXPECT_EQ(model.seen->requests[1].effort, ReasoningEffort::Low);
    EXPECT_NE(refusal({.prompt = "x", .tool_choice = {ToolChoice::Mode::Tool, "g"}}), "");
}

TEST(ToolChoices, HaveNames) {
    for (const char* name : {"auto", "none", "required", "tool:search"})
        EXPECT_EQ(tool_choice_name(tool_choice_named(name).value()), name);
    for (const char* name : {"", "tool", "tool:", "any"})
        EXPECT_FALSE(tool_choice_named(name).has_value()) << name;
    for (const char* name : {"none", "minimal", "low", "medium", "high", "max"})
        EXPECT_EQ(reasoning_effort_name(reasoning_effort_named(name).value()), name);
    EXPECT_FALSE(reasoning_effort_named("extreme").has_value());
}

} // namespace
} // namespace ptc
