// Tools found by words: the order of what is found, by programs, by models that call natively, and by hosts.
#include "subagent/agent/tool_search.h"
#include "tests/subagent/missions.h"
#include <algorithm>

namespace ptc {
namespace {

const std::vector<ToolCard> kCards = {
    {"count_orders_by_status", "() -> :map", "Counts the orders by status."},
    {"find_customers", "(name :string) -> [:map]", "Finds customers of the shop by name."},
    {"cancel_order", "(id :int) -> :bool", "Cancels one of the orders."},
    {"weather", "(city :string) -> :map", "The weather of a city."}};

std::vector<std::string> found(std::string_view query) {
    std::vector<std::string> names;
    for (const ToolCard* card : search_cards(kCards, query))
        names.push_back(card->name);
    return names;
}

TEST(ToolSearch, RareWordsAndNamesComeFirst) {
    EXPECT_EQ(found("cancel the order").front(), "cancel_order");
    EXPECT_EQ(found("Customers by name").front(), "find_customers");
    EXPECT_EQ(found("status").size(), 1U);
}

TEST(ToolSearch, BeginningsOfWordsAreFoundInEitherCase) {
    EXPECT_EQ(found("WEATH"), std::vector<std::string>{"weather"});
    EXPECT_TRUE(found("zebra").empty());
}

TEST(ToolSearch, EndingsOfWordsDoNotMatter) {
    EXPECT_EQ(found("cancelling").front(), "cancel_order"); // which is one slip away from it
    EXPECT_EQ(found("cancels the orders").front(), "cancel_order");
    EXPECT_EQ(found("canceling").front(), "cancel_order");
}

TEST(ToolSearch, WithoutWordsAllAreFoundInTheirOrder) {
    EXPECT_EQ(found(" .. ").size(), kCards.size());
    EXPECT_EQ(found("").front(), "count_orders_by_status");
}

// ---- Agents that call tools by their provider's means

Tool shelf(int i) {
    Tool tool = host_tool("count_shelf_" + std::to_string(i), "(add :int) -> :int", [i](const Datum& arguments) {
        std::int64_t add = 0;
        (void)arguments.find("add")->to_int64(&add);
        return Result<Datum>(Datum(i + add));
    });
    tool.description = "Counts the things of shelf " + std::to_string(i) + ".";
    return tool;
}

AgentOptions with_shelves(int count) {
    AgentOptions options{.prompt = "x", .builtin_tools = {"tool_search"}, .output = AgentOutput::Text};
    for (int i = 0; i < count; ++i)
        options.tools.emplace_back(shelf(i));
    return options;
}

LlmReply calls(std::string name, std::string_view arguments) {
    return LlmReply{.tool_calls = {{.id = "c", .name = std::move(name), .arguments = json(arguments)}}};
}

TEST(ToolSearch, ModelsFindNativeToolsAndCallThem) {
    const Model model({calls("search_tools", R"({"query":"shelf 7","limit":1})"),
                       calls("call_tool", R"({"name":"count_shelf_7","arguments":{"add":"5"}})"),
                       LlmReply{.text = "12"}});
    const Step step = agent(with_shelves(60))->run(model.llm());
    EXPECT_TRUE(step.ok) << reason_of(step);
    EXPECT_NE(model.last_message(2).find(R"("name":"count_shelf_7")"), std::string::npos) << model.last_message(2);
    EXPECT_NE(model.last_message(2).find("(add :int) -> :int"), std::string::npos) << model.last_message(2);
    EXPECT_EQ(model.last_message(3), "12"); // "5" was coerced
    EXPECT_EQ(step.trace[1].tool_calls.at(0).name, "count_shelf_7");
}

TEST(ToolSearch, RequestsOfManyNativeToolsAreThoseOfFew) {
    const auto request_of = [](int count) {
        const Model model({LlmReply{.text = "done"}});
        EXPECT_TRUE(agent(with_shelves(count))->run(model.llm()).ok);
        return model.seen->requests[0];
    };
    const LlmRequest few = request_of(60), many = request_of(600);
    EXPECT_EQ(few.tools, many.tools);
    EXPECT_EQ(few.system, many.system);
    ASSERT_EQ(few.tools.size(), 2U);
    EXPECT_EQ(few.tools[0].name + " " + few.tools[1].name, "search_tools call_tool");
}

TEST(ToolSearch, WrongCallsSayWhatIsWrong) {
    const Model model({calls("call_tool", R"({"arguments":{}})"), calls("call_tool", R"({"name":"nothing"})"),
                       calls("call_tool", R"({"name":"count_shelf_1","arguments":[1]})"),
                       calls("call_tool", R"({"name":"count_shelf_1","arguments":{"add":"many"}})"),
                       LlmReply{.text = "done"}});
    AgentOptions options = with_shelves(3);
    options.max_turns = 9;
    EXPECT_TRUE(agent(std::move(options))->run(model.llm()).ok);
    EXPECT_NE(model.last_message(2).find("call_tool needs `name`"), std::string::npos) << model.last_message(2);
    EXPECT_NE(model.last_message(3).find("There is no tool `nothing`"), std::string::npos) << model.last_message(3);
    EXPECT_NE(model.last_message(4).find("must be an object"), std::string::npos) << model.last_message(4);
    EXPECT_NE(model.last_message(5).find("expected int"), std::string::npos) << model.last_message(5);
}

TEST(ToolSearch, BesideProgramsACardSaysWhoCalls) {
    AgentOptions options = with_shelves(2);
    options.transport = Transport::ToolCall;
    options.tools[1].expose = Exposure::PtcLisp;
    const Model model({calls("search_tools", R"({"query":"shelf"})"),
                       calls("lisp_eval", R"x({"program":"(tool/count_shelf_1 {:add 1})"})x"),
                       calls("lisp_eval", R"x({"program":"(map :by (tool/search_tools {:query \"shelf\"}))"})x"),
                       LlmReply{.text = "done"}});
    EXPECT_TRUE(agent(std::move(options))->run(model.llm()).ok);
    const std::string& found = model.last_message(2);
    EXPECT_NE(found.find(R"("by":"call_tool")"), std::string::npos) << found;
    EXPECT_NE(found.find(R"("by":"lisp_eval")"), std::string::npos) << found;
    EXPECT_EQ(model.seen->requests[0].system.find("count_shelf_1"), std::string::npos);
    EXPECT_NE(model.last_message(3).find("user=> 2"), std::string::npos) << model.last_message(3);
    EXPECT_NE(model.last_message(4).find("call_tool"), std::string::npos) << model.last_message(4);
}

TEST(ToolSearch, TheNameOfTheCallIsReserved) {
    AgentOptions options = with_shelves(1);
    options.tools.emplace_back(host_tool("call-tool", "() -> :int", [](const Datum&) { return Datum(1); }));
    EXPECT_NE(refusal(options).find("No tool can be called `call_tool`"), std::string::npos) << refusal(options);
}

// ---- For hosts

TEST(ToolSearch, ForHostsWithLoopsOfTheirOwn) {
    const std::vector<Tool> tools = {shelf(1), shelf(2), host_tool("weather", "", {})};
    const std::vector<const Tool*> all = search_tools(tools, "counts things", 1);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0], tools.data());
    EXPECT_EQ(search_tools(tools, "weath").at(0)->name, "weather");
    const Tool search = search_tool(tools);
    const ToolResult result =
        dispatch(std::span(&search, 1), {.id = "a", .name = "search_tools", .arguments = json(R"({"query":"2"})")});
    EXPECT_FALSE(result.is_error) << result.output.to_json();
    EXPECT_EQ(result.output[0]["name"], Datum("count_shelf_2"));
    EXPECT_EQ(result.output[0]["signature"], Datum("(add :int) -> :int"));
}

} // namespace
} // namespace ptc
