// Agents made option by option.
#include <chrono>
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <ptc/typed_tool.h>

namespace {

using namespace std::chrono_literals;

TEST(AgentBuilder, MakesAnAgentOfTheOptionsThatAreGiven) {
    const auto agent = ptc::AgentBuilder("How many orders are there?")
                           .signature("() -> {count :int}")
                           .tool(ptc::tool("orders", "The number of orders.", [] { return 3; }))
                           .max_turns(1)
                           .create();
    ASSERT_TRUE(agent) << agent.error().message;
    const ptc::Step step = (*agent)->run([](const ptc::LlmRequest&) -> ptc::LlmResult {
        return ptc::LlmReply{.text = "```clojure\n{:count (tool/orders {})}\n```"};
    });
    EXPECT_EQ(step.value["count"], ptc::Datum(3));
}

TEST(AgentBuilder, OrderDoesNotMatterAndTheRestIsByDefault) {
    ptc::AgentBuilder builder("Hello.");
    builder.token_limit(5000).timeout(2s).mission_timeout(std::nullopt).limits({.fuel = 1000}).name("greeter");
    builder.prelude("a.ptc", "(ns a)\n(def one 1)");
    const ptc::AgentOptions& options = builder.options();
    EXPECT_EQ(options.prompt, "Hello.");
    EXPECT_EQ(options.name, "greeter");
    EXPECT_EQ(options.token_limit, 5000);
    EXPECT_EQ(options.timeout, 2000ms);
    EXPECT_FALSE(options.mission_timeout);
    EXPECT_EQ(options.limits.fuel, 1000);
    EXPECT_EQ(options.max_turns, ptc::AgentOptions().max_turns);
    EXPECT_TRUE(builder.create()) << "and once more:";
    EXPECT_TRUE(builder.max_turns(2).create());
}

TEST(AgentBuilder, RefusesWhatAgentsRefuse) {
    EXPECT_EQ(ptc::AgentBuilder("").create().error().message, "An agent needs a prompt.");
    EXPECT_EQ(ptc::AgentBuilder(ptc::AgentOptions{.prompt = "Hi."}).max_turns(0).create().error().reason,
              ptc::Reason::InvalidRequest);
}

} // namespace
