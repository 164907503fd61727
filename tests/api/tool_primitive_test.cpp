// Tools without an agent: made from functions, told to models, called. What `dispatch` does with a call is compared
// with what an agent's mission does.
#include "ptc/ptc.h"
#include "ptc/typed_tool.h"
#include <gtest/gtest.h>
#include <stdexcept>

namespace app {

struct Query {
    std::string text;
    std::optional<std::int64_t> limit;
};
BOOST_DESCRIBE_STRUCT(Query, (), (text, limit))

std::vector<std::string> search(const Query& query) {
    return std::vector<std::string>(static_cast<std::size_t>(query.limit.value_or(1)), query.text);
}
std::int64_t subtract(std::int64_t a, std::int64_t b) { return a - b; }
std::string today() { return "Monday"; }
std::int64_t broken(std::int64_t) { throw std::out_of_range("out of range"); }

} // namespace app

namespace {
std::int64_t twice(std::int64_t x) { return 2 * x; }
} // namespace

namespace ptc {
namespace {

Datum json(std::string_view text) { return Datum::from_json(text).value(); }

TEST(FromFn, TakesNameAndSchemasFromTheFunction) {
    const ToolSchema search = schema_of(from_fn<&app::search>()).value();
    EXPECT_EQ(search.name, "app::search");
    EXPECT_EQ(json(search.input_schema_json), json(R"({"type": "object", "properties": {"text": {"type": "string"},
        "limit": {"type": "integer"}}, "required": ["text"]})"));
    EXPECT_EQ(json(search.output_schema_json), json(R"({"type": "array", "items": {"type": "string"}})"));
    EXPECT_EQ(search.description, "");
    EXPECT_EQ(from_fn<&app::today>().name, "app::today");
    EXPECT_EQ(from_fn<&twice>({"x"}).name, "twice");
    EXPECT_EQ(typed::plain_function_name("&(anonymous namespace)::twice"), "twice");
    EXPECT_EQ(typed::plain_function_name("{anonymous}::twice"), "twice");
    EXPECT_EQ(typed::plain_function_name("app::(anonymous namespace)::twice"), "app::twice");
    EXPECT_EQ(from_fn<&app::subtract>({"a", "b"}).signature, "(a :int, b :int) -> :int");
}

TEST(FromFn, OverridesWhatModelsSee) {
    EXPECT_EQ(from_fn<&app::today>({.description = "Says the day."}).description, "Says the day.");
    EXPECT_EQ(from_fn<&app::search>({.description = "Finds."}).description, "Finds."); // no name of its parameter
    EXPECT_EQ(from_fn<&app::search>({"query"}).signature, "(query {text :string, limit :int?}) -> [:string]");
    const Tool tool = from_fn<&app::subtract>({"a", "b"}, {.name = "minus",
                                                           .description = "The difference.",
                                                           .input_schema_json = R"({"type": "object", "title": "x"})"});
    const ToolSchema schema = schema_of(tool).value();
    EXPECT_EQ(schema.name, "minus");
    EXPECT_EQ(schema.description, "The difference.");
    EXPECT_EQ(schema.input_schema_json, R"({"type": "object", "title": "x"})");
    EXPECT_EQ(schema.output_schema_json, R"({"type":"integer"})");
    const ToolResult result =
        dispatch(std::span(&tool, 1), {.id = "1", .name = "minus", .arguments = json(R"({"b": 1, "a": 3})")});
    EXPECT_EQ(result.output, Datum(2));
}

TEST(FromFn, ASignatureThatCannotBeReadFails) {
    EXPECT_FALSE(from_fn("x", "(a :nothing) -> :int", [](const auto&) { return Datum(1); }).ok());
    EXPECT_FALSE(schema_of({.name = "x", .signature = "(a :nothing) -> :int"}).ok());
    EXPECT_FALSE(schema_of({.name = "x", .input_schema_json = "not json"}).ok());
    EXPECT_FALSE(schema_of({.name = "x", .input_schema_json = "[]"}).ok());
}

std::vector<Tool> tools() {
    Tool web{.name = "web", .input_schema_json = R"({"type":"object"})"};
    web.function = [](const Datum& input) -> Result<Datum> { return input; };
    web.pass_input = true;
    Tool wrong =
        from_fn("wrong", "(a :int, b :int?) -> :any", [](const std::vector<Datum>& arguments) -> Result<Datum> {
            if (arguments.at(1).is_nil()) return Error(Reason::ToolError, "b is missing");
            return arguments.at(1);
        }).value();
    return for_agent(fn<&app::search>, from_fn<&app::subtract>({"a", "b"}), from_fn<&app::broken>({"x"}), web,
                     std::move(wrong), Tool{.name = "nobody"});
}

ToolResult call(std::string name, std::string_view arguments) {
    return dispatch(tools(), {.id = "c1", .name = std::move(name), .arguments = json(arguments)});
}

TEST(Dispatch, LaysTheInputOutByTheNamesOfParameters) {
    const ToolResult result = call("app::subtract", R"({"b": 4, "a": 9})");
    EXPECT_EQ(result.id, "c1");
    EXPECT_FALSE(result.is_error);
    EXPECT_EQ(result.output, Datum(5));
    EXPECT_EQ(call("wrong", R"({"a": 1, "b": 2})").output, Datum(2));
}

TEST(Dispatch, ChecksAndCoercesArgumentsAsAgentsDo) {
    EXPECT_EQ(call("app::subtract", R"({"a": "9", "b": 4})").output, Datum(5));
    const ToolResult refused = call("app::subtract", R"({"a": "nine", "b": 4})");
    EXPECT_TRUE(refused.is_error);
    EXPECT_NE(refused.output.text()->find("a: expected int, got string \"nine\""), std::string::npos)
        << *refused.output.text();
}

TEST(Dispatch, WhateverGoesWrongIsAResultForTheModel) {
    const std::pair<std::string, const char*> rows[] = {
        {"app::broken", "out of range"},
        {"wrong", "b is missing"},
        {"nobody", "no function is registered"},
        {"none", "There is no tool `none`. Tools: app::search, app::subtract"},
    };
    for (const auto& [name, why] : rows) {
        const ToolResult result = call(name, R"({"a": 1, "x": 1})");
        EXPECT_TRUE(result.is_error) << name;
        EXPECT_EQ(result.id, "c1");
        EXPECT_NE(result.output.text()->find(why), std::string::npos) << *result.output.text();
    }
    EXPECT_TRUE(dispatch(tools(), {.name = "app::search", .arguments = Datum(7)}).is_error);
}

TEST(Dispatch, ArgumentsThatCouldNotBeReadCallNothing) {
    ToolCall made{.id = "c1", .name = "web", .arguments = Datum(Datum::Map())};
    made.problem = "The arguments are no JSON object.";
    const ToolResult result = dispatch(tools(), made);
    EXPECT_TRUE(result.is_error);
    EXPECT_EQ(result.output, Datum(made.problem));
}

TEST(Dispatch, PassInputHandsTheMapOverWhole) {
    const Datum input = json(R"({"user-id": "7", "nested": {"a-b": [1.0]}})");
    EXPECT_EQ(dispatch(tools(), {.name = "web", .arguments = input}).output, input);
}

TEST(ForAgent, KeepsTheOrderAndNamesAreExact) {
    const std::vector<Tool> all = tools();
    EXPECT_EQ(all.at(0).name, "app::search");
    EXPECT_EQ(all.at(3).name, "web");
    EXPECT_EQ(find_by_name(all, "web"), &all[3]);
    EXPECT_EQ(find_by_name(all, "Web"), nullptr);
}

// The tools of an agent are the same records: what dispatch tells and calls, a mission does.
TEST(ToolPrimitive, AnAgentTellsAndCallsItAlike) {
    std::vector<Datum> seen;
    Tool web{.name = "web", .input_schema_json = R"({"type":"object","properties":{"user-id":{"type":"string"}}})"};
    web.pass_input = true;
    web.function = [&seen](const Datum& input) -> Result<Datum> {
        seen.push_back(input);
        return Datum(1);
    };
    AgentOptions options{.prompt = "x", .output = AgentOutput::Text, .transport = Transport::ToolCall};
    options.tools = {AgentTool(web)};
    options.tools[0].expose = Exposure::Both;
    std::vector<LlmRequest> requests;
    const Llm model = [&requests](const LlmRequest& request) -> LlmResult {
        requests.push_back(request);
        if (requests.size() == 1) return LlmReply{.tool_calls = {{"c1", "web", json(R"({"user-id": "7", "n": "5"})")}}};
        if (requests.size() == 2)
            return LlmReply{.tool_calls = {{"c2", "lisp_eval", json(R"x({"program": "(tool/web {:user-id :k})"})x")}}};
        return LlmReply{.text = "Done."};
    };
    const Step step = Agent::create(std::move(options)).value()->run(model);
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(requests[0].tools[0], schema_of(web).value());
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0], json(R"({"user-id": "7", "n": "5"})"));
    EXPECT_EQ(seen[1], json(R"({"user-id": "k"})"));
    EXPECT_NE(requests[0].system.find("web(user-id :string?)"), std::string::npos) << requests[0].system;
}

} // namespace
} // namespace ptc
