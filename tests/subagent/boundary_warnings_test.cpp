// What crosses a boundary though it does not fit as it came reaches the host: in turns, steps, events and traces
// (requirement 43); the context's own signature is checked (93); failures of tools have one reason (158).
#include "ptc/trace.h"
#include "tests/subagent/missions.h"
#include <map>

namespace ptc {
namespace {

std::vector<std::string> lines_of(const BoundaryWarnings& warnings) {
    std::vector<std::string> lines;
    for (const BoundaryWarning& warning : warnings.all)
        lines.push_back(warning.what + ": " + warning.text + " x" + std::to_string(warning.times));
    return lines;
}
using Lines = std::vector<std::string>;

AgentTool counter() {
    return host_tool("count_of", "(n :int, _key :int?) -> :int",
                     [](const Datum&) -> Result<Datum> { return Datum("many"); });
}

/// All that a mission in which values do not fit tells its host.
struct Told {
    Step step;
    std::map<std::string, Lines> events;
    std::string trace;
};
Told told(const Model& model, AgentOptions options) {
    Told all;
    options.validation = ValidationMode::WarnOnly;
    MissionOptions mission{.model = ModelRef(model.llm()), .context = json(R"({"year": "then", "size": "7"})")};
    mission.on_event = [&](const MissionEvent& event) {
        if (event.warnings && !event.warnings->empty())
            all.events[std::string(event_name(event.kind))] = lines_of(*event.warnings);
        all.trace += event_json(event) + "\n";
    };
    all.step = agent(std::move(options))->run(std::move(mission));
    return all;
}

TEST(BoundaryWarnings, ReachTheHostFromEveryBoundary) {
    AgentOptions options{.prompt = "Go.", .signature = "(year :int, size :int) -> {n :int}", .tools = {counter()}};
    const Told all =
        told(programs({"(tool/count_of {:n \"12\"}) (tool/count_of {:n \"12\"})", "(return {:n \"x\"})"}), options);
    ASSERT_EQ(reason_of(all.step), "ok");
    const Lines context = {R"(context: size: coerced string "7" to int x1)",
                           R"(context: year: expected int, got string "then" x1)"};
    const Lines calls = {R"(count_of: n: coerced string "12" to int x2)",
                         R"(count_of: expected int, got string "many" x2)"};
    const Lines result = {R"(result: n: expected int, got string "x" x1)"};
    EXPECT_EQ(lines_of(all.step.trace.at(0).warnings), calls);
    EXPECT_EQ(lines_of(all.step.trace.at(1).warnings), result);
    Lines every = lines_of(all.step.warnings);
    EXPECT_EQ(every.size(), 5U);
    for (const Lines& some : {context, calls, result})
        for (const std::string& line : some)
            EXPECT_NE(std::ranges::find(every, line), every.end()) << line;
    EXPECT_EQ(all.events.at("turn_stop"), result) << "of the last turn";
    EXPECT_EQ(all.events.at("mission_stop"), every);
    EXPECT_NE(all.trace.find(R"("warnings":[{"of":"count_of","text":"n: coerced string \"12\" to int","times":2})"),
              std::string::npos)
        << all.trace;
}

TEST(BoundaryWarnings, OfNativeCallsAndAnswersInText) {
    LlmReply call;
    call.tool_calls = {{"c1", "count_of", json(R"({"n": "12"})")}};
    AgentOptions options{.prompt = "Go.", .signature = "{n :int}", .tools = {counter()}, .output = AgentOutput::Text};
    const Told all = told(Model({call, LlmReply{.text = R"({"n": "x"})"}}), options);
    ASSERT_EQ(reason_of(all.step), "ok");
    EXPECT_EQ(lines_of(all.step.warnings), Lines({R"(count_of: n: coerced string "12" to int x1)",
                                                  R"(result: n: expected int, got string "x" x1)"}));
}

TEST(BoundaryWarnings, HoldNoFirewalledValuesAndAreBounded) {
    AgentOptions options{.prompt = "Go.", .tools = {counter()}};
    const Told all = told(programs({"(return (tool/count_of {:n 1 :_key \"secret-4711\"}))"}), options);
    ASSERT_EQ(reason_of(all.step), "ok");
    for (const std::string& line : lines_of(all.step.warnings))
        EXPECT_EQ(line.find("4711"), std::string::npos) << line;
    EXPECT_EQ(all.trace.find("4711\\\" to"), std::string::npos);
    BoundaryWarnings many;
    for (int i = 0; i < 250; ++i)
        many.add({"t", std::to_string(i % 125)});
    EXPECT_EQ(many.all.size(), BoundaryWarnings::kMost);
    EXPECT_EQ(many.all[0].times, 2U);
    EXPECT_EQ(many.more, 50U);
}

TEST(ContextSignature, IsCheckedAndCoercesWhatItDeclares) {
    Model model = programs({"(return (inc data/size))"});
    MissionOptions mission{.model = ModelRef(model.llm()), .context = json(R"({"size": "7"})")};
    mission.context_signature = "() -> {size :int}";
    const AgentPtr plain = agent({.prompt = "Go."});
    EXPECT_EQ(plain->run(mission).value, Datum(8));
    mission.context = json(R"({"size": "large", "other": 1})");
    const Step refused = plain->run(mission);
    EXPECT_EQ(reason_of(refused), "validation_error");
    EXPECT_NE(refused.fail->message.find("size: expected int, got string \"large\""), std::string::npos);
    EXPECT_EQ(model.calls(), 1U) << "no model is called";
    mission.validation = ValidationMode::Disabled;
    EXPECT_NE(reason_of(plain->run(mission)), "validation_error");
}

TEST(ToolFailures, HaveOneReasonWhereverTheyAreCalled) {
    const Tool boom = host_tool("boom", "(n :int) -> :int", [](const Datum&) -> Result<Datum> {
        return Error(Reason::InvalidRequest, "on fire"); // a host's reason is its own
    });
    const auto reason = [&](std::string program) {
        return reason_of(
            agent({.prompt = "Go.", .tools = {boom}, .max_turns = 1})->run(programs({std::move(program)}).llm()));
    };
    EXPECT_EQ(reason("(tool/boom {:n 1})"), "tool_error");
    EXPECT_EQ(reason("(pmap #(tool/boom {:n %}) [1 2])"), "tool_error");
    EXPECT_EQ(reason("(pcalls #(tool/boom {:n 1}))"), "tool_error");
    EXPECT_EQ(reason("(tool/boom {:n \"x\"})"), "validation_error");
    EXPECT_EQ(reason("(pmap #(tool/boom {:n (str \"x\" %)}) [1 2])"), "validation_error");
    EXPECT_EQ(reason("(pmap #(/ % 0) [1])"), "eval_error");

    LlmReply call;
    call.tool_calls = {{"c1", "boom", json(R"({"n": 1})")}};
    Model model({call, LlmReply{.text = "gone"}});
    std::vector<std::string> reasons;
    MissionOptions mission{.model = ModelRef(model.llm())};
    mission.on_event = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::ToolCall) reasons.push_back(event.reason);
    };
    (void)agent({.prompt = "Go.", .tools = {boom}, .output = AgentOutput::Text})->run(std::move(mission));
    EXPECT_NE(model.last_message(2).find(R"("reason":"tool_error")"), std::string::npos) << model.last_message(2);
    EXPECT_EQ(reasons, std::vector<std::string>({"tool_error"}));
}

TEST(Chain, TheMalliFormWithoutNamesCanBeChained) {
    Model model = programs({"(return {:city \"Oslo\"})", "(return data/city)"});
    const Step first =
        agent({.prompt = "Go.", .signature = "[:=> [:cat :string] [:map [:city :string]]]"})->run(model.llm());
    ASSERT_EQ(reason_of(first), "ok");
    EXPECT_EQ(first.signature, "(arg1 :string) -> {city :string}");
    MissionOptions next{.model = ModelRef(model.llm()), .previous = first};
    const Step second = agent({.prompt = "Go on."})->run(std::move(next));
    ASSERT_EQ(reason_of(second), "ok") << second.fail->message;
    EXPECT_EQ(second.value, Datum("Oslo"));
}

} // namespace
} // namespace ptc
