// Large results of tools: what models read of them, and that they are never lost.
#include "tests/subagent/missions.h"
#include <ptc/mission.h>

namespace ptc {
namespace {

Datum rows(int count) {
    Datum::List items;
    for (int i = 0; i < count; ++i)
        items.push_back(Datum::object({{"id", i},
                                       {"region", "region " + std::to_string(i % 7)},
                                       {"note", "a longer text of which there are many " + std::to_string(i)},
                                       {"_card", "card number " + std::to_string(i)}}));
    return Datum(std::move(items));
}

AgentTool search(int count, Exposure expose, bool cache = false) {
    AgentTool tool(host_tool("search", "() -> [:map]", [count](const Datum&) { return Result<Datum>(rows(count)); }));
    tool.expose = expose;
    tool.cache = cache;
    return tool;
}

LlmReply native_call(std::vector<std::string> tools) {
    LlmReply reply;
    for (std::size_t i = 0; i < tools.size(); ++i)
        reply.tool_calls.push_back({.id = "c" + std::to_string(i), .name = tools[i], .arguments = Datum(Datum::Map())});
    return reply;
}

LlmReply eval_call(std::string program) {
    LlmReply reply;
    reply.tool_calls.push_back(
        {.id = "e", .name = "lisp_eval", .arguments = Datum::object({{"program", std::move(program)}})});
    return reply;
}

TEST(NativeResult, OfTextAgentsIsBounded) {
    const AgentPtr made =
        agent({.prompt = "x", .tools = {search(20'000, Exposure::Native)}, .output = AgentOutput::Text});
    const Model model({native_call({"search"}), LlmReply{.text = "done"}});
    ASSERT_TRUE(made->run(model.llm()).ok);
    const std::string& content = model.last_message(2);
    EXPECT_LT(content.size(), 20'000u);
    EXPECT_GT(content.size(), 8'000u); // they cannot read on: they have what there is room for
    EXPECT_NE(content.find("(20000 in all)"), std::string::npos) << content;
    EXPECT_EQ(content.find("card number"), std::string::npos);
}

TEST(NativeResult, IsWholeUpToASize) {
    const AgentPtr made = agent({.prompt = "x", .tools = {search(40, Exposure::Native)}, .output = AgentOutput::Text});
    const Model model({native_call({"search"}), LlmReply{.text = "done"}});
    ASSERT_TRUE(made->run(model.llm()).ok);
    EXPECT_EQ(json(model.last_message(2)).list()->size(), 40u);
    EXPECT_EQ(model.last_message(2).find("card number"), std::string::npos);
}

TEST(NativeResult, KeepsToAPromptLimitOfTheHosts) {
    const AgentPtr made = agent({.prompt = "x",
                                 .tools = {search(40, Exposure::Native)},
                                 .prompt_limit = {.list = 2},
                                 .output = AgentOutput::Text});
    const Model model({native_call({"search"}), LlmReply{.text = "done"}});
    ASSERT_TRUE(made->run(model.llm()).ok);
    EXPECT_NE(model.last_message(2).find("… (40 in all)"), std::string::npos) << model.last_message(2);
    EXPECT_EQ(model.last_message(2).find("many 2"), std::string::npos);
}

AgentPtr combined(std::vector<AgentTool> tools) {
    return agent(
        {.prompt = "x", .tools = std::move(tools), .output = AgentOutput::Text, .transport = Transport::ToolCall});
}

TEST(NativeResult, ProgramsReadOnWhereItIsCut) {
    AgentTool other = search(3'000, Exposure::Native);
    other.tool.name = "other";
    const Model model({native_call({"search", "other"}), eval_call("[(count *2) (:id (nth *2 5)) (count *1)]"),
                       LlmReply{.text = "done"}});
    ASSERT_TRUE(combined({search(5'000, Exposure::Native), other})->run(model.llm()).ok);
    const auto& messages = model.seen->requests[1].messages;
    const Datum first = json(messages[messages.size() - 2].content), second = json(messages.back().content);
    EXPECT_NE(first.find("feedback")->text()->find("(drop 5 *2)"), std::string::npos) << first.to_json();
    EXPECT_NE(second.find("feedback")->text()->find("(drop 5 *1)"), std::string::npos) << second.to_json();
    EXPECT_LT(messages.back().content.size(), 4'000u);
    EXPECT_EQ(*json(model.last_message(3)).find("result"), Datum("user=> [5000 5 3000]"));
}

TEST(NativeResult, MetadataLeakNoRowsByDefinitions) {
    const Model model(
        {native_call({"search"}),
         eval_call("(def all (tool/search)) (def one (first all)) (def total {:n (count all)}) (count all)"),
         LlmReply{.text = "done"}});
    ASSERT_TRUE(combined({search(50, Exposure::Both, true)})->run(model.llm()).ok);
    for (const LlmRequest& request : model.seen->requests) {
        for (const Message& message : request.messages)
            EXPECT_EQ(message.content.find("a longer text"), std::string::npos) << message.content;
    }
    const Datum changed = *json(model.last_message(3)).find("memory")->find("changed");
    EXPECT_NE(changed.find("all")->text()->find("(50 in all)"), std::string::npos) << changed.to_json();
    EXPECT_EQ(*changed.find("total"), Datum("{:n 50}"));
}

// ---- Definitions of programs

TEST(ToolResult, OfManyRowsCanBeDefined) {
    const Model model = programs({"(def rows (tool/search)) (count rows)", "(return (count rows))"});
    const Step step = agent({.prompt = "x", .tools = {search(15'000, Exposure::PtcLisp)}})->run(model.llm());
    EXPECT_EQ(step.value, Datum(15'000)) << reason_of(step);
}

TEST(ToolResult, BeyondTheMemoryItBecomesData) {
    int calls = 0;
    Tool tool = search(500, Exposure::PtcLisp).tool;
    tool.function = [&calls](const Datum&) {
        ++calls;
        return Result<Datum>(rows(500));
    };
    const AgentPtr made = agent({.prompt = "x", .tools = {tool}, .memory_limit = 10'000});
    const Model model = programs({"(def small 7) (def rows (tool/search)) (count rows)",
                                  "(return [small (count data/rows) (:id (nth data/rows 9))])"});
    const Step step = made->run(model.llm());
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value.to_json(), "[7,500,9]");
    EXPECT_EQ(calls, 1);
    EXPECT_NE(model.last_message(2).find("`rows` is too large for a definition; it is data/rows"), std::string::npos)
        << model.last_message(2);
    EXPECT_EQ(step.memory.find("rows"), nullptr);
}

/// The tool, counting its calls, in programs whose heap has no room for what it gives.
AgentOptions small_heap(int* calls, int count = 5'000) {
    Tool tool = search(count, Exposure::PtcLisp).tool;
    tool.function = [calls, count](const Datum&) {
        ++*calls;
        return Result<Datum>(rows(count));
    };
    AgentOptions options{.prompt = "x", .tools = {tool}};
    options.limits.heap_bytes = 200'000;
    return options;
}

TEST(ToolResult, BeyondTheHeapItBecomesData) {
    int calls = 0;
    const Model model = programs({"(def all (tool/search)) (count all)",
                                  "(return [(count data/search-result) (:id (nth data/search-result 4999))])"});
    const Step step = agent(small_heap(&calls))->run(model.llm());
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value.to_json(), "[5000,4999]");
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(step.trace[0].reason, "memory_exceeded");
    const std::string& told = model.last_message(2);
    EXPECT_NE(told.find("The result of the tool `search` is too large for a program. The tool was called"),
              std::string::npos)
        << told;
    EXPECT_NE(told.find("200000 bytes"), std::string::npos) << told;
    EXPECT_NE(told.find("What the tool gave is data/search-result from now on: a list of 5000, [{id :int, region "
                        ":string, note :string}]. Read a part of it, as (take 5 data/search-result), and do not call "
                        "the tool again for it."),
              std::string::npos)
        << told;
    EXPECT_EQ(told.find("Ask the tool for less"), std::string::npos) << told;
    EXPECT_EQ(told.find("card"), std::string::npos) << told;
}

TEST(ToolResult, BeyondTheHeapItIsKeptAlsoWhereThereWasRoomAtFirst) {
    int calls = 0;
    AgentOptions options = small_heap(&calls);
    options.limits.heap_bytes = 8'000'000;
    const Model model =
        programs({"(def all (tool/search)) (count (pr-str (repeat 100 all)))", "(return (count data/search-result))"});
    const Step step = agent(std::move(options))->run(model.llm());
    EXPECT_EQ(step.value, Datum(5000)) << reason_of(step) << model.last_message(2);
    EXPECT_EQ(calls, 1);
}

TEST(ToolResult, OfBranchesBeyondTheHeapIsAListInTheirOrder) {
    AgentOptions options{.prompt = "x"};
    options.tools = {host_tool("page", "(n :int) -> [:map]", [](const Datum& arguments) -> Result<Datum> {
        std::int64_t n = 0;
        (void)arguments.find("n")->to_int64(&n);
        if (n == 1) return Error(Reason::ToolError, "there is none");
        return rows(static_cast<int>(n) * 1'000);
    })};
    options.limits.heap_bytes = 200'000;
    const Model model =
        programs({"(pmap (fn [n] (tool/page {:n n})) [3 1 2])", "(return (mapv count data/page-result))"});
    EXPECT_EQ(agent(std::move(options))->run(model.llm()).value.to_json(), "[3000,0,2000]") << model.last_message(2);
}

TEST(ToolResult, OfAllCallsOfAProgramBeyondTheHeapAreKept) {
    AgentOptions options{.prompt = "x"};
    options.tools = {host_tool("page", "(n :int) -> [:map]", [](const Datum&) -> Result<Datum> { return rows(300); }),
                     host_tool("pay", "() -> :int", [](const Datum&) -> Result<Datum> { return Datum(7); })};
    options.limits.heap_bytes = 200'000;
    const Model model = programs({"(def id (tool/pay {})) (mapv #(tool/page {:n %}) (range 10))",
                                  "(return [data/pay-result (count data/page-result) (mapv count data/page-result)])"});
    const Step step = agent(options)->run(model.llm());
    EXPECT_EQ(step.value.to_json(), "[7,3,[300,300,300]]") << model.last_message(2); // the third is too much
    const std::string& told = model.last_message(2);
    EXPECT_NE(told.find("data/pay-result from now on: :int. Read a part of it, as data/pay-result,"), std::string::npos)
        << told;
    EXPECT_NE(told.find("Of several calls of a tool it is a list"), std::string::npos) << told;
    EXPECT_EQ(told.find("is lost"), std::string::npos) << told;
    EXPECT_EQ(told.find("with nil"), std::string::npos) << told;

    options.tool_cache.bytes = 60'000; // of two pages
    const Model other = programs(
        {"(tool/pay {}) (mapv #(tool/page {:n %}) (range 10))", "(return [data/pay-result (count data/page-result)])"});
    EXPECT_EQ(agent(options)->run(other.llm()).value.to_json(), "[7,2]") << other.last_message(2);
    EXPECT_NE(other.last_message(2).find("What call 4 of 4 (page) gave is lost, though it was made: there is no room"),
              std::string::npos)
        << other.last_message(2);
}

TEST(ToolResult, BeyondTheHeapHidesNothing) {
    int calls = 0;
    AgentOptions options = small_heap(&calls);
    const Model model =
        programs({"(count (tool/search {}))", "(count (tool/search {}))",
                  "(return [data/search-result (count data/search-result-2) (count data/search-result-3)])"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.context = Datum::object({{"search-result", Datum("the host's")}});
    const Step step = agent(std::move(options))->run(std::move(mission));
    EXPECT_EQ(step.value.to_json(), R"(["the host's",5000,5000])") << reason_of(step) << model.last_message(3);
}

TEST(ToolResult, ThatBecomesDataHidesNeitherWhatWasGivenNorWhatWasKept) {
    AgentOptions options{.prompt = "x", .tools = {search(5'000, Exposure::PtcLisp)}, .memory_limit = 10'000};
    const Model model =
        programs({"(def rows (tool/search)) (count rows)", "(def rows (rest (tool/search))) (count rows)",
                  "(return [data/rows (count data/rows-2)])"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.context = Datum::object({{"rows", Datum("the host's")}});
    EXPECT_EQ(agent(options)->run(std::move(mission)).value.to_json(), R"(["the host's",4999])")
        << model.last_message(2);
    EXPECT_NE(model.last_message(2).find("it is data/rows-2 from now on"), std::string::npos);

    // Programs find it with hyphens and with underscores.
    const Model spelled =
        programs({"(def my_rows (tool/search)) (count my_rows)", "(return [data/my-rows (count data/my_rows-2)])"});
    MissionOptions hyphens;
    hyphens.model = ModelRef(spelled.llm());
    hyphens.context = Datum::object({{"my-rows", Datum("the host's")}});
    EXPECT_EQ(agent(options)->run(std::move(hyphens)).value.to_json(), R"(["the host's",5000])")
        << spelled.last_message(2);

    options.limits.heap_bytes = 4'000'000;
    const Model other = programs({"(count (vec (repeatedly 100000 (fn [] (tool/search)))))",
                                  "(def search-result (rest (tool/search))) (count search-result)",
                                  "(return [(count data/search-result) (count data/search-result-2)])"});
    const Step step = agent(std::move(options))->run(other.llm());
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_NE(step.value.list()->at(0), Datum(0)) << other.last_message(2);
    EXPECT_EQ(step.value.list()->at(1), Datum(4999)) << other.last_message(3);
}

/// Or a model would make them again.
TEST(ToolResult, CallsOfAProgramThatFailsAreNamed) {
    const AgentOptions options{.prompt = "x",
                               .tools = {host_tool("pay", "(n :int) -> :int", [](const Datum& given) -> Result<Datum> {
                                   if (given["n"] == Datum(3)) return Error(Reason::ToolError, "no");
                                   return given["n"];
                               })}};
    const Model model = programs({"(mapv (fn [n] (tool/pay {:n n})) [1 2 3 4])", "(/ 1 0)", "(return 1)"});
    EXPECT_EQ(agent(options)->run(model.llm()).value, Datum(1));
    EXPECT_NE(model.last_message(2).find(
                  "Nothing that this program defined is kept, but its calls were made: pay (2 times). "),
              std::string::npos)
        << model.last_message(2);
    EXPECT_NE(model.last_message(3).find("Nothing that this program defined is kept. "), std::string::npos);
}

TEST(ToolResult, BeyondTheHeapIsKeptWithinTheLimitsOfTheCache) {
    int calls = 0;
    AgentOptions options = small_heap(&calls);
    options.tool_cache.bytes = 700'000; // one of them
    const Model model = programs({"(tool/search)", "(tool/search)", "(return (count data/search-result))"});
    const Step step = agent(options)->run(model.llm());
    EXPECT_EQ(step.value, Datum(5000)) << reason_of(step);
    EXPECT_EQ(model.last_message(3).find("from now on"), std::string::npos) << model.last_message(3);

    options.tool_cache.bytes = 100'000;
    const Model other = programs({"(tool/search)", "(return 1)"});
    ASSERT_TRUE(agent(options)->run(other.llm()).ok);
    EXPECT_EQ(other.last_message(2).find("data/search-result"), std::string::npos) << other.last_message(2);
    EXPECT_NE(other.last_message(2).find("Ask the tool for less"), std::string::npos) << other.last_message(2);
}

TEST(ToolResult, BeyondTheHeapIsNotKeptWhereItDoesNotFitTheSignature) {
    int calls = 0;
    AgentOptions options = small_heap(&calls);
    options.tools[0].tool.signature = "() -> [{id :string}]";
    const Model model = programs({"(tool/search)", "(return 1)"});
    ASSERT_TRUE(agent(std::move(options))->run(model.llm()).ok);
    EXPECT_EQ(model.last_message(2).find("data/search-result"), std::string::npos) << model.last_message(2);
}

TEST(ToolResult, BeyondTheHeapOutlivesCheckpoints) {
    int calls = 0;
    const AgentPtr made = agent(small_heap(&calls));
    const Step step =
        run_by_saves(made, {"(tool/search)", "(count data/search-result)", "(return (:id (last data/search-result)))"});
    EXPECT_EQ(step.value, Datum(4999)) << reason_of(step);
    EXPECT_EQ(calls, 1);
}

TEST(NativeResult, OfProgramsBesideAnAnswerIsKeptBeyondTheHeap) {
    int calls = 0;
    AgentOptions options = small_heap(&calls);
    options.output = AgentOutput::Text;
    options.transport = Transport::ToolCall;
    options.tools[0].expose = Exposure::PtcLisp;
    const Model model(
        {eval_call("(count (tool/search))"), eval_call("(count data/search-result)"), LlmReply{.text = "done"}});
    ASSERT_TRUE(agent(std::move(options))->run(model.llm()).ok);
    EXPECT_EQ(*json(model.last_message(3)).find("result"), Datum("user=> 5000"));
    EXPECT_EQ(calls, 1);
}

TEST(ToolResult, OfAProgramThatReturnsCostsNoMission) {
    const AgentPtr made = agent({.prompt = "x", .tools = {search(500, Exposure::PtcLisp)}, .memory_limit = 10'000});
    EXPECT_EQ(made->run(programs({"(def rows (tool/search)) (return (count rows))"}).llm()).value, Datum(500));
}

} // namespace
} // namespace ptc
