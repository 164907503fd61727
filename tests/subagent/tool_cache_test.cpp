// What is kept of cached tools, and what goes when there is no room.
#include "subagent/agent/tool_cache.h"
#include "tests/subagent/missions.h"

namespace ptc {
namespace {

constexpr ToolCacheLimits kRoomy{.entries = 10, .bytes = 1000};

TEST(ToolCache, DropsWhatWasNotUsedForTheLongest) {
    ToolCache cache;
    const ToolCacheLimits limits{.entries = 2, .bytes = 1000};
    EXPECT_TRUE(cache.keep("a", Datum(1), limits));
    EXPECT_TRUE(cache.keep("b", Datum(2), limits));
    ASSERT_NE(cache.find("a"), nullptr);
    EXPECT_TRUE(cache.keep("c", Datum(3), limits));
    EXPECT_EQ(*cache.find("a"), Datum(1));
    EXPECT_FALSE(cache.has("b"));
    EXPECT_EQ(*cache.find("c"), Datum(3));
}

TEST(ToolCache, KeepsToItsBytes) {
    ToolCache cache;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(cache.keep(std::to_string(i), Datum(std::string(300, 'x')), kRoomy));
        EXPECT_LE(cache.bytes, kRoomy.bytes);
    }
    EXPECT_EQ(cache.entries.size(), 3u);
    EXPECT_TRUE(cache.keep("99", Datum(1), kRoomy)); // another result for a key that is there
    EXPECT_EQ(cache.bytes, cache.bytes_of("97") + cache.bytes_of("98") + cache.bytes_of("99"));
}

TEST(ToolCache, DoesNotEmptyItselfForWhatIsTooLarge) {
    ToolCache cache;
    EXPECT_TRUE(cache.keep("a", Datum(1), kRoomy));
    EXPECT_FALSE(cache.keep("b", Datum(std::string(2000, 'x')), kRoomy));
    EXPECT_TRUE(cache.has("a"));
    EXPECT_EQ(cache.bytes_of("b"), 0u);
    EXPECT_FALSE(cache.keep("c", Datum(1), {.entries = 0}));
}

TEST(ToolCache, OfAnAgentHasTheAgentsLimits) {
    std::vector<std::string> calls;
    AgentTool rate(host_tool("rate", "(of :string) -> :string", [&](const Datum& arguments) {
        calls.push_back(*arguments.find("of")->text());
        return Result<Datum>(Datum(calls.back() + " rate"));
    }));
    rate.cache = true;
    const AgentPtr made = agent({.prompt = "x", .tools = {rate}, .tool_cache = {.entries = 2}});
    const Step step =
        made->run(programs({R"((mapv (fn [c] (tool/rate {:of c})) ["EUR" "USD" "EUR" "CHF" "EUR" "USD"]))",
                            R"((return (tool/rate {:of "USD"})))"})
                      .llm());
    EXPECT_EQ(step.value, Datum("USD rate")) << reason_of(step);
    EXPECT_EQ(calls, (std::vector<std::string>{"EUR", "USD", "CHF", "USD"}));
}

TEST(ToolCache, OfAResultThatIsNotKeptModelsReadNoPreviewOfOne) {
    AgentTool find(host_tool("find", "() -> [:int]", [](const Datum&) {
        Datum::List items;
        for (int i = 0; i < 3000; ++i)
            items.emplace_back(i);
        return Result<Datum>(Datum(std::move(items)));
    }));
    find.expose = Exposure::Both;
    find.cache = true;
    for (const std::uint64_t bytes : {std::uint64_t{1000}, std::uint64_t{1} << 20}) {
        const AgentPtr made = agent({.prompt = "x",
                                     .tools = {find},
                                     .tool_cache = {.bytes = bytes},
                                     .output = AgentOutput::Text,
                                     .transport = Transport::ToolCall});
        LlmReply call;
        call.tool_calls.push_back({.id = "c", .name = "find", .arguments = Datum(Datum::Map())});
        const Model model({call, LlmReply{.text = "done"}});
        ASSERT_TRUE(made->run(model.llm()).ok);
        EXPECT_EQ(model.last_message(2).find("full_result_cached") != std::string::npos, bytes > 1000)
            << model.last_message(2);
    }
}

} // namespace
} // namespace ptc
