// Agents as hosts use them: one header, a callback for the model.
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace {

/// What a provider's client would be: here the replies are known.
ptc::Llm replies(std::vector<std::string> texts) {
    return [texts = std::move(texts), next = std::size_t{0}](const ptc::LlmRequest&) mutable -> ptc::LlmResult {
        if (next == texts.size()) return ptc::LlmError{.kind = "timeout"};
        return ptc::LlmReply{.text = texts[next++], .usage = {.input = 900, .output = 20}};
    };
}

ptc::Tool orders() {
    return {.name = "orders",
            .description = "The orders of a year.",
            .signature = "(year :int) -> [{customer :string, amount :float}]",
            .function = [](const ptc::Datum&) {
                return ptc::Datum::from_json(
                    R"([{"customer": "Ann", "amount": 2.5}, {"customer": "Bo", "amount": 40.0}])");
            }};
}

TEST(Agent, SolvesAMissionWithPrograms) {
    const ptc::Result<ptc::AgentPtr> agent =
        ptc::Agent::create({.prompt = "Find the best customer of {{year}}.",
                            .signature = "(year :int) -> {name :string, total :float}",
                            .tools = {orders()}});
    ASSERT_TRUE(agent.ok());
    const ptc::Step step = agent.value()->run(
        replies({"I look first.\n```clojure\n(def rows (tool/orders {:year data/year}))\n(take 2 rows)\n```",
                 "```clojure\n(let [best (last (sort-by :amount rows))]\n  (return {:name (:customer best) :total "
                 "(:amount best)}))\n```"}),
        ptc::Datum::object({{"year", 2025}}));
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value.to_json(), R"({"name":"Bo","total":40.0})");
    EXPECT_EQ(step.trace.size(), 2u);
    EXPECT_EQ(step.usage.tokens.input, 1800);
}

TEST(Agent, IsAToolOfAnotherOne) {
    const ptc::AgentPtr child = ptc::Agent::create({.prompt = "Count the letters of {{word}}.",
                                                    .signature = "(word :string) -> :int",
                                                    .description = "Counts letters."})
                                    .value();
    const ptc::AgentPtr parent =
        ptc::Agent::create(
            {.prompt = "How long is \"lamp\"?",
             .signature = ":int",
             .tools = {child->as_tool("letters", replies({"```clojure\n(return (count data/word))\n```"}))}})
            .value();
    const ptc::Step step = parent->run(replies({"```clojure\n(return (tool/letters {:word \"lamp\"}))\n```"}));
    EXPECT_EQ(step.value, ptc::Datum(4));
}

TEST(Agent, JudgmentsAreToolsTheModelAnswersAtOnce) {
    const ptc::LlmTool judge{.prompt = "Is this urgent? {{subject}}",
                             .signature = "(subject :string) -> {urgent :bool}"};
    const ptc::AgentPtr agent =
        ptc::Agent::create({.prompt = "Look at the mail.", .tools = {judge.as_tool("judge").value()}}).value();
    const ptc::Step step = agent->run(
        replies({"```clojure\n(return (:urgent (tool/judge {:subject \"Pump broken\"})))\n```", "{\"urgent\": true}"}));
    EXPECT_EQ(step.value, ptc::Datum(true));
}

TEST(Mission, IsDrivenByItsHost) {
    const ptc::AgentPtr agent = ptc::Agent::create({.prompt = "Sum.", .tools = {orders()}}).value();
    ptc::Mission mission(agent,
                         {.model = replies({"```clojure\n(return (sum-by :amount (tool/orders {:year 1})))\n```"})});
    mission.start();
    while (!mission.is_done()) { // here an event loop would wait for all of them at once
        const ptc::Needs needs = mission.take_needs();
        for (const ptc::LlmNeed& need : needs.llm)
            mission.answer(need.id, (*need.model)(need.request));
        for (const ptc::ToolNeed& need : needs.tools)
            mission.answer(need.id, ptc::ToolAnswer(need.tool->function(need.arguments).value()));
    }
    EXPECT_EQ(mission.step().value, ptc::Datum(42.5));
}

TEST(Agent, AsksBeforeACallThatNeedsApproval) {
    ptc::Tool asked = orders();
    asked.approval = true;
    const auto agent = ptc::Agent::create({.prompt = "Count the orders.", .tools = {asked}});
    ASSERT_TRUE(agent.ok());
    ptc::MissionOptions options;
    options.model = ptc::ModelRef(replies({"```clojure\n(return (count (tool/orders {:year 2024})))\n```"}));
    options.approve = [](const ptc::ApprovalRequest& request) -> std::optional<ptc::ApprovalAnswer> {
        if (request.tool != "orders") return ptc::ApprovalAnswer::deny("not this one");
        return ptc::ApprovalAnswer::approve_with(ptc::Datum::object({{"year", 2025}}));
    };
    EXPECT_EQ(agent.value()->run(std::move(options)).value, ptc::Datum(2));
}

TEST(Agent, KeepsALongConversationShort) {
    const auto agent = ptc::Agent::create({.prompt = "Count.",
                                           .max_turns = 4,
                                           .compaction = ptc::Compaction{.trigger_turns = 2, .keep_recent_turns = 1}});
    ASSERT_TRUE(agent.ok());
    const ptc::Step step =
        agent.value()->run(replies({"```clojure\n(def a 1)\n```", "```clojure\n(def b 2)\n```",
                                    "```clojure\n(def c 3)\n```", "```clojure\n(return (+ a b c))\n```"}));
    EXPECT_EQ(step.value, ptc::Datum(6));
    EXPECT_EQ(step.journal.size(), 2u);
}

} // namespace
