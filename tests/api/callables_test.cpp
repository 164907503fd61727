// Callables of hosts that own what they need: tools, models and events that can only be moved.
#include <gtest/gtest.h>
#include <memory>
#include <ptc/ptc.h>
#include <ptc/typed_tool.h>

namespace {

struct Shop {
    static std::int64_t price(const std::string& name) { return static_cast<std::int64_t>(name.size()); }
};

TEST(Callables, ToolsMayOwnWhatTheyNeed) {
    ptc::Tool typed =
        ptc::tool("typed", "The price of a product.", {"name"},
                  [shop = std::make_unique<Shop>()](const std::string& name) { return shop->price(name); });
    ptc::Tool plain{
        .name = "plain",
        .description = "The price of a product.",
        .signature = "(name :string) -> :int",
        .function = [shop = std::make_unique<Shop>()](const ptc::Datum& arguments) -> ptc::Result<ptc::Datum> {
            return shop->price(*arguments["name"].text());
        }};
    ptc::Tool keyed{.name = "keyed",
                    .keyed_function = [shop = std::make_unique<Shop>()](const ptc::Datum&, std::string_view)
                        -> ptc::Result<ptc::Datum> { return 3; }};
    ptc::Tool asking =
        ptc::tool("asking", "Who asks?",
                  [shop = std::make_unique<Shop>()](const ptc::ToolContext& context) { return context.agent; });
    const ptc::Engine engine({.tools = {typed, plain, keyed, asking}});
    EXPECT_EQ(
        engine.run(R"([(tool/typed {:name "abc"}) (tool/plain {:name "ab"}) (tool/keyed {}) (tool/asking {})])").value,
        R"([3 2 3 ""])");
}

TEST(Callables, ToolsHearWhenNobodyWantsTheRun) {
    std::stop_source nobody;
    const ptc::Engine engine({.tools = {ptc::tool("slow", "", [&nobody](const ptc::ToolContext& context) {
                                  nobody.request_stop();
                                  return context.stop.stop_requested();
                              })}});
    EXPECT_EQ(engine.run("(tool/slow)", {.stop = nobody.get_token()}).value, "true");
    EXPECT_EQ(engine.run("(tool/slow)").value, "false");
}

TEST(Callables, ModelsAndEventsMayOwnWhatTheyNeed) {
    const ptc::AgentPtr agent = ptc::Agent::create({.prompt = "Hello."}).value();
    const auto events = std::make_shared<int>(0);
    ptc::MissionOptions options;
    options.model = [calls = std::make_unique<int>(0)](const ptc::LlmRequest&) -> ptc::LlmResult {
        return ptc::LlmReply{.text = "```clojure\n(return " + std::to_string(++*calls) + ")\n```"};
    };
    options.on_event = [events, owned = std::make_unique<int>(0)](const ptc::MissionEvent&) { ++*events; };
    const ptc::MissionOptions copied = options;
    EXPECT_EQ(agent->run(std::move(options)).value, ptc::Datum(1));
    EXPECT_EQ(agent->run(copied).value, ptc::Datum(2)) << "copies of options share their callables";
    EXPECT_GT(*events, 0);
}

TEST(Callables, AModelIsGivenAsALambda) {
    const ptc::AgentPtr agent = ptc::Agent::create({.prompt = "Hello."}).value();
    const auto model = [](const ptc::LlmRequest&) -> ptc::LlmResult {
        return ptc::LlmReply{.text = "```clojure\n(return 42)\n```"};
    };
    EXPECT_EQ(agent->run(model).value, ptc::Datum(42));
    EXPECT_EQ(agent->run({.model = model}).value, ptc::Datum(42));
}

} // namespace
