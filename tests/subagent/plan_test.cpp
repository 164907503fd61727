#include "tests/subagent/missions.h"

namespace ptc {
namespace {

constexpr const char* kSignature = "() -> {steps [{tool :string, times :int?}]}";

Step planned() {
    const AgentPtr planner = agent({.prompt = "Plan it.", .signature = kSignature, .max_turns = 1});
    return planner->run(programs({"{:steps [{:tool \"find\" :times 2} {:tool \"pay\"}]}"}).llm());
}

// Requirement 249.
TEST(Plan, IsCarriedOutAfterItWasText) {
    const Step plan = planned();
    ASSERT_TRUE(plan.ok);
    const Result<Step> read = read_plan(plan_json(plan).value());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read.value().value, plan.value);
    const AgentPtr executor =
        agent({.prompt = "Do it:{{#steps}} {{tool}}{{/steps}}", .signature = "(steps [:map]) -> :int"});
    const Model model = programs({"(return (count data/steps))"});
    MissionOptions options;
    options.previous = read.value();
    options.model = ModelRef(model.llm());
    EXPECT_EQ(executor->run(options).value, Datum(2));
    EXPECT_EQ(model.last_message(1), "Do it: find pay");
}

TEST(Plan, WhatSomebodyBrokeIsRefusedWithThePlace) {
    std::string text = plan_json(planned()).value();
    text.replace(text.find("\"find\""), 6, "17");
    const Result<Step> read = read_plan(text);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().reason, Reason::ValidationError);
    EXPECT_NE(read.error().message.find("steps[0].tool"), std::string::npos);
}

TEST(Plan, OtherTextsAndFailedStepsAreNone) {
    for (const char* text : {"", "{}", "[]", R"({"ptc_plan":2,"signature":":any","value":1})",
                             R"({"ptc_plan":1,"signature":":x","value":1})"})
        EXPECT_FALSE(read_plan(text).ok()) << text;
    EXPECT_FALSE(plan_json(Step{}).ok());
}

TEST(Plan, ATextThatIsNoneIsOneReasonAndOneThatDoesNotFitAnother) { // as ptc/plan.h says
    for (const char* text : {"", "{", "{}", R"({"ptc_plan":1,"signature":":x","value":1})",
                             R"({"ptc_plan":1,"signature":"(","value":1})"}) {
        const Result<Step> read = read_plan(text);
        ASSERT_FALSE(read.ok()) << text;
        EXPECT_EQ(read.error().reason, Reason::InvalidRequest) << text;
    }
}

} // namespace
} // namespace ptc
