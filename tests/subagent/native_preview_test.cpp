// What models see of native calls and of programs that they give to lisp_eval: previews of large results, what they say
// of what is missing, and missions that combine text, native calls and programs.
#include "subagent/agent/native_preview.h"
#include "tests/subagent/missions.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ptc {
namespace {

/// What the preview says of the result alone.
Datum metadata_of(const Datum& result) {
    std::string problem;
    const Datum shown = native_preview("find", Datum(), result, {}, &problem);
    Datum::Map facts;
    for (const auto& entry : *shown.map()) {
        const std::string& key = *entry.first.text();
        if (key != "status" && key != "full_result_cached" && key != "cache_hint") facts.push_back(entry);
    }
    return Datum(std::move(facts));
}
std::string metadata_of(const char* result) { return metadata_of(json(result)).to_json(); }

TEST(MetadataPreview, HasTheSchemaAndNoValues) {
    EXPECT_EQ(metadata_of(R"([{"b": "secret", "a": 1}, {"a": 2, "b": "x"}])"),
              R"({"result_count":2,"sample_keys":["a","b"],"schema":{"type":"array","items":{"type":"object",)"
              R"("properties":{"a":"integer","b":"string"}}}})");
}

TEST(MetadataPreview, SaysOfRowsWhatTheyHaveInCommon) {
    EXPECT_EQ(metadata_of(R"([{"a": 1}, {"b": 2}])"),
              R"({"result_count":2,"schema":{"type":"array","items":{"type":"object"}},)"
              R"("schema_cut":"items have different keys"})");
    EXPECT_EQ(metadata_of("[1, 2.5]"),
              R"({"result_count":2,"schema":{"type":"array","items":{}},"schema_cut":"items have several types"})");
    EXPECT_EQ(metadata_of("[]"), R"({"result_count":0,"schema":{"type":"array","items":{}}})");
    EXPECT_EQ(metadata_of(R"(["x"])"), R"({"result_count":1,"schema":{"type":"array","items":{"type":"string"}}})");
    EXPECT_EQ(metadata_of("7"), R"({"schema":{"type":"integer"}})");
    EXPECT_EQ(metadata_of("null"), R"({"schema":{"type":"null"}})");
}

TEST(MetadataPreview, KeysThatAreDataAreSampled) {
    Datum::Map users;
    for (int i = 0; i < 5000; ++i)
        users.emplace_back(Datum("user" + std::to_string(i) + "@example.com"), Datum(i));
    const Datum shown = metadata_of(Datum(std::move(users)));
    EXPECT_EQ(*shown.find("key_count"), Datum(5000));
    EXPECT_EQ(shown.find("sample_keys")->list()->size(), 20u);
    EXPECT_EQ(*shown.find("schema"), json(R"({"type": "object"})"));
    EXPECT_EQ(*shown.find("schema_cut"), Datum("5000 keys are not listed"));
}

TEST(NativePreview, AnAgentRefusesOneOfNoRows) {
    AgentTool find(host_tool("find", "(q :string) -> [:any]", {}));
    find.expose = Exposure::Both;
    find.cache = true;
    find.native_result = NativeResult{.preview = NativeResult::Preview::Rows, .limit = 0};
    const AgentOptions options{
        .prompt = "Go.", .tools = {find}, .output = AgentOutput::Text, .transport = Transport::ToolCall};
    EXPECT_EQ(refusal(options), "invalid_request: The tool `find` has `native_result` with a limit of 0 rows.");
}

TEST(NativePreview, AHintIsAProgramOrSaysWhatToDo) {
    EXPECT_EQ(cache_hint("find", json(R"({"_token": "abc"})")),
              "Call lisp_eval and then call (tool/find {..the same arguments..}) to process the full cached result.");
    EXPECT_LT(cache_hint("find", Datum::object({{"q", std::string(70'000, 'x')}})).size(), 200u);
}

Datum previewed(const NativeResult& how, std::string* problem,
                const char* result = R"([{"a": 1}, {"a": 2}, {"a": 3}])") {
    return native_preview("find", json(R"({"q": "x"})"), json(result), how, problem);
}

TEST(NativePreview, ShowsRowsUpToItsLimit) {
    std::string problem;
    const Datum shown = previewed({.preview = NativeResult::Preview::Rows, .limit = 2}, &problem);
    EXPECT_EQ(*shown.find("rows"), json(R"([{"a": 1}, {"a": 2}])"));
    EXPECT_EQ(*shown.find("result_count"), Datum(3));
    EXPECT_TRUE(shown.find("schema"));
    EXPECT_EQ(*previewed({.preview = NativeResult::Preview::Rows}, &problem).find("rows"),
              json(R"([{"a": 1}, {"a": 2}, {"a": 3}])"));
    const Datum hidden = previewed({.preview = NativeResult::Preview::Rows}, &problem, R"([{"a": 1, "_b": 2}])");
    EXPECT_EQ(*hidden.find("rows"), json(R"([{"a": 1, "_b": "<Firewalled>"}])"));
    EXPECT_EQ(problem, "");
}

TEST(NativePreview, AlwaysSaysHowToGetAllOfIt) {
    std::string problem;
    const Datum shown = previewed({}, &problem);
    EXPECT_EQ(*shown.find("status"), Datum("ok"));
    EXPECT_EQ(*shown.find("full_result_cached"), Datum(true));
    EXPECT_EQ(*shown.find("cache_hint"),
              Datum("Call lisp_eval and then call (tool/find {:q \"x\"}) to process the full cached result."));
}

TEST(NativePreview, AFunctionsMapIsMergedWithTheFieldsOfTheCache) {
    std::string problem;
    NativeResult how{.preview = NativeResult::Preview::Custom};
    how.custom = [](const Datum& full) -> Result<Datum> {
        return Datum::object({{"rows", Datum(static_cast<std::int64_t>(full.list()->size()))}, {"_key", "hidden"}});
    };
    const Datum shown = previewed(how, &problem);
    EXPECT_EQ(*shown.find("rows"), Datum(3));
    EXPECT_EQ(*shown.find("full_result_cached"), Datum(true));
    EXPECT_FALSE(shown.find("schema"));
    EXPECT_EQ(shown.to_json().find("hidden"), std::string::npos);
    EXPECT_EQ(problem, "");
}

TEST(NativePreview, AFunctionThatGivesNoPreviewGivesTheMetadata) {
    const std::pair<const char*, std::function<Result<Datum>(const Datum&)>> rows[] = {
        {"raised", [](const Datum&) -> Result<Datum> { throw std::runtime_error("no"); }},
        {"raised", [](const Datum&) -> Result<Datum> { return Error(Reason::ToolError, "no"); }},
        {"non_map", [](const Datum&) -> Result<Datum> { return Datum(7); }},
        {"non_encodable", [](const Datum&) -> Result<Datum> {
             return Datum::object({{"x", Datum(Datum::List{Datum(std::nan(""))})}});
         }}};
    for (const auto& [why, custom] : rows) {
        std::string problem;
        const Datum shown = previewed({.preview = NativeResult::Preview::Custom, .custom = custom}, &problem);
        EXPECT_EQ(problem, why);
        EXPECT_EQ(*shown.find("result_count"), Datum(3)) << why;
        EXPECT_TRUE(shown.find("cache_hint")) << why;
    }
}

// ---- Missions that combine text, native calls and programs

LlmResult calls(std::vector<ToolCall> made) { return LlmReply{.tool_calls = std::move(made)}; }
LlmResult eval(const std::string& program) {
    return calls({{"p1", "lisp_eval", Datum::object({{"program", program}})}});
}

struct Combined {
    Model model;
    std::vector<MissionEvent> events{};
    int runs = 0;
    Datum context{Datum::Map{}};

    explicit Combined(std::vector<LlmResult> replies) : model(std::move(replies)) {}
    Step run(NativeResult how = {}, AgentOptions options = {.prompt = "Find them."}) {
        AgentTool find(host_tool("find", "(q :string) -> :any", [this](const Datum&) -> Result<Datum> {
            ++runs;
            return json(R"([{"id": 1}, {"id": 2}])");
        }));
        find.expose = Exposure::Both;
        find.cache = true;
        find.native_result = std::move(how);
        options.output = AgentOutput::Text;
        options.transport = Transport::ToolCall;
        options.tools.push_back(std::move(find));
        MissionOptions mission;
        mission.model = ModelRef(model.llm());
        mission.context = context;
        mission.on_event = [this](const MissionEvent& event) { events.push_back(event); };
        return agent(std::move(options))->run(std::move(mission));
    }
    /// The answer to the call of the reply before request `n`.
    [[nodiscard]] Datum answer(std::size_t n) const { return json(model.last_message(n)); }
};

TEST(CombinedMission, TellsOfCallsWhatIsCachedAndHowMuch) {
    Combined mission({calls({{"c1", "find", json(R"({"q": "x"})")}}), eval("(count (tool/find {:q \"x\"}))"),
                      LlmReply{.text = "Two."}});
    const Step step = mission.run();
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(mission.runs, 1);
    EXPECT_EQ(*mission.answer(2).find("result_count"), Datum(2));
    EXPECT_EQ(*mission.answer(3).find("result"), Datum("user=> 2"));
    std::vector<Datum> told;
    for (const MissionEvent& event : mission.events) {
        if (event.kind == MissionEvent::Kind::ToolCall) told.push_back(json(event_json(event)));
    }
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(*told[0].find("exposure_layer"), Datum("native"));
    EXPECT_EQ(*told[0].find("cached"), Datum(false));
    EXPECT_EQ(*told[0].find("full_result_cached"), Datum(true));
    EXPECT_EQ(*told[1].find("exposure_layer"), Datum("ptc_lisp"));
    EXPECT_EQ(*told[1].find("cached"), Datum(true));
    EXPECT_EQ(*told[1].find("full_result_cached"), Datum(false));
    EXPECT_EQ(*told[0].find("cache_key_hash"), *told[1].find("cache_key_hash"));
    // Two maps in a list: a tag and a length each; a key of two bytes and an integer, tagged.
    EXPECT_EQ(*told[0].find("retained_bytes"), Datum(2 + 2 * (2 + 4 + 2)));
    EXPECT_EQ(*told[0].find("retained_bytes"), *told[1].find("retained_bytes"));
}

TEST(CombinedMission, WarnsOfAPreviewThatCouldNotBeUsed) {
    Combined mission({calls({{"c1", "find", json(R"({"q": "x"})")}}), LlmReply{.text = "Done."}});
    NativeResult how{.preview = NativeResult::Preview::Custom};
    how.custom = [](const Datum&) -> Result<Datum> { return Datum("no map"); };
    EXPECT_TRUE(mission.run(how).ok);
    const auto warning = std::ranges::find(mission.events, MissionEvent::Kind::PreviewFallback, &MissionEvent::kind);
    ASSERT_NE(warning, mission.events.end());
    EXPECT_EQ(warning->tool, "find");
    EXPECT_EQ(warning->reason, "non_map");
    EXPECT_EQ(*mission.answer(2).find("result_count"), Datum(2));
}

TEST(LispEval, AnswersWithTheValueWhatWasPrintedAndWhatIsKept) {
    Combined mission({eval("(println \"hi\") (def kept [1 2]) (count kept)"), LlmReply{.text = "Done."}});
    EXPECT_TRUE(mission.run().ok);
    const Datum answer = mission.answer(2);
    EXPECT_EQ(*answer.find("status"), Datum("ok"));
    EXPECT_EQ(*answer.find("result"), Datum("user=> 2"));
    EXPECT_EQ(*answer.find("prints"), json(R"(["hi"])"));
    EXPECT_EQ(*answer.find("truncated"), Datum(false));
    EXPECT_EQ(*answer.find("memory")->find("stored_keys"), json(R"(["kept"])"));
    EXPECT_EQ(*answer.find("memory")->find("changed"), json(R"({"kept": "[1 2]"})"));
    EXPECT_EQ(*answer.find("memory")->find("truncated"), Datum(false));
}

// What a program gives reads on as data, but never in place of what the conversation was given.
TEST(LispEval, AResultHidesNoDataThatWereGiven) {
    Combined mission({eval("(return {:orders (rest data/orders) :late [7]})"), eval("[(count data/orders) data/late]"),
                      LlmReply{.text = "Done."}});
    mission.context = json(R"({"orders": [1, 2, 3]})");
    EXPECT_TRUE(mission.run().ok);
    const std::string feedback = *mission.answer(2).find("feedback")->text();
    EXPECT_NE(feedback.find("New data: data/late"), std::string::npos) << feedback;
    EXPECT_EQ(feedback.find("data/orders"), std::string::npos) << feedback;
    EXPECT_EQ(*mission.answer(3).find("result"), Datum("user=> [3 [7]]"));
}

TEST(LispEval, AnswersWithWhyItFailed) {
    const std::pair<const char*, const char*> rows[] = {
        {"(+ 1", "parse_error"},
        {"(nowhere 1)", "runtime_error"},
        {"(/ 1 0)", "runtime_error"},
        {"(tool/find {:q 7})", "validation_error"},
        {"(loop [i 0] (recur (inc i)))", "timeout"},
        {"(reduce (fn [s _] (str s s)) \"0123456789\" (range 40))", "memory_limit"},
        {"(fail {:reason :none :message \"Nothing.\"})", "fail"},
        {" ", "args_error"},
    };
    for (const auto& [program, reason] : rows) {
        Combined mission({eval(program), LlmReply{.text = "Done."}});
        AgentOptions options{.prompt = "x"};
        options.limits.fuel = 3'000'000;
        options.limits.heap_bytes = 1u << 20;
        EXPECT_TRUE(mission.run({}, options).ok) << program;
        const Datum answer = mission.answer(2);
        EXPECT_EQ(*answer.find("status"), Datum("error")) << program;
        EXPECT_EQ(*answer.find("reason"), Datum(reason)) << program;
        EXPECT_TRUE(answer.find("message")->text()) << program;
        EXPECT_TRUE(answer.find("feedback")->text()) << program;
        EXPECT_EQ(answer.find("result") != nullptr, std::string(reason) == "fail") << program;
    }
}

TEST(LispEval, WantsToBeCalledAlone) {
    const auto reason_of_calls = [](std::vector<ToolCall> made) {
        Combined mission({calls(std::move(made)), LlmReply{.text = "Done."}});
        EXPECT_TRUE(mission.run().ok);
        EXPECT_EQ(mission.runs, 0);
        return *mission.answer(2).find("reason")->text();
    };
    const Datum one = json(R"({"program": "1"})");
    EXPECT_EQ(reason_of_calls({{"a", "lisp_eval", one}, {"b", "lisp_eval", one}}), "multiple_tool_calls");
    EXPECT_EQ(reason_of_calls({{"a", "lisp_eval", one}, {"b", "find", json(R"({"q": "x"})")}}), "mixed_with_lisp_eval");
    EXPECT_EQ(reason_of_calls({{"a", "lisp_eval", json("{}")}}), "args_error");
    ToolCall unread{"a", "lisp_eval", json("{}")};
    unread.problem = "The arguments are no JSON object: {";
    Combined mission({calls({unread}), LlmReply{.text = "Done."}});
    EXPECT_TRUE(mission.run().ok);
    EXPECT_EQ(*mission.answer(2).find("reason"), Datum("args_error"));
    EXPECT_EQ(*mission.answer(2).find("message"), Datum(unread.problem));
}

// ---- Requirement 46: strict contexts

std::string strict_reason(const char* signature, const char* context, ValidationMode mode = ValidationMode::Strict) {
    MissionOptions options;
    options.context = json(context);
    options.model = ModelRef(programs({"(return 1)"}).llm());
    options.validation = mode;
    return reason_of(agent({.prompt = "x", .signature = signature})->run(std::move(options)));
}

TEST(StrictMission, NeedsEveryDeclaredKeyOfTheContext) {
    constexpr const char* kTwo = "(a :int, b :string?) -> :int";
    EXPECT_EQ(strict_reason(kTwo, R"({"a": 1, "b": "x"})"), "ok");
    EXPECT_EQ(strict_reason(kTwo, R"({"a": 1})"), "ok"); // an optional one may be absent
    EXPECT_EQ(strict_reason(kTwo, R"({"b": "x"})"), "validation_error");
    EXPECT_EQ(strict_reason(kTwo, "{}"), "validation_error");
    EXPECT_EQ(strict_reason(kTwo, R"({"b": "x"})", ValidationMode::Enabled), "ok");
    EXPECT_EQ(strict_reason("(user_id :int) -> :int", R"({"user-id": 1})"), "ok");
    EXPECT_EQ(strict_reason("(_token :string) -> :int", "{}"), "validation_error");
}

TEST(LispEval, AToolOfTheOtherLayerIsToldAsSuch) {
    Combined mission({eval("(tool/nat {})"), LlmReply{.text = "Done."}});
    AgentOptions options{.prompt = "x"};
    options.tools = {AgentTool(host_tool("nat", "() -> :int", [](const Datum&) { return Datum(1); }))};
    EXPECT_TRUE(mission.run({}, options).ok);
    EXPECT_NE(mission.answer(2).find("message")->text()->find("`nat` is called natively, not from programs."),
              std::string::npos)
        << mission.answer(2).to_json();
}

TEST(LispEval, CallsWithOneIdGetIdsOfTheirOwn) {
    Combined mission({calls({{"c", "find", json(R"({"q": "x"})")}, {"c", "find", json(R"({"q": "y"})")}}),
                      LlmReply{.text = "Done."}});
    EXPECT_TRUE(mission.run().ok);
    const std::vector<Message>& sent = mission.model.seen->requests.at(1).messages;
    EXPECT_EQ(sent.at(1).tool_calls.at(1).id, "c-2");
    EXPECT_EQ(sent.at(2).tool_call_id, "c");
    EXPECT_EQ(sent.at(3).tool_call_id, "c-2");
}

// ---- Turns that are calls of lisp_eval (output ptc_lisp, transport tool_call)

TEST(EvalMission, OffersNothingButLispEvalAndTalkDoesNotEndIt) {
    AgentTool both(host_tool("find", "() -> :int", [](const Datum&) { return Datum(1); }));
    both.expose = Exposure::Both;
    Model model({LlmReply{.text = "Let me look at the data first."}, eval("(return (tool/find))")});
    const Step step = agent({.prompt = "x", .tools = {both}, .transport = Transport::ToolCall})->run(model.llm());
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, Datum(1));
    ASSERT_EQ(model.seen->requests.at(0).tools.size(), 1u);
    EXPECT_EQ(model.seen->requests[0].tools[0].name, "lisp_eval");
    EXPECT_NE(model.last_message(2).find("lisp_eval"), std::string::npos);
}

TEST(EvalMission, NamesThatModelsCannotTellApartAreRefused) {
    const auto refused = [](std::vector<std::string> names) {
        AgentOptions options{.prompt = "x"};
        for (std::string& name : names)
            options.tools.emplace_back(Tool{.name = std::move(name)});
        return !Agent::create(std::move(options)).ok();
    };
    EXPECT_TRUE(refused({"lisp-eval"}));
    EXPECT_TRUE(refused({"get-x", "get_x"}));
    EXPECT_FALSE(refused({"get-x", "get-y"}));
}

TEST(EvalMission, ASystemTextOfTheHostsOwnGetsTheCard) {
    Combined mission({LlmReply{.text = "Done."}});
    AgentOptions options{.prompt = "x"};
    options.system_prompt.whole = "You are a pirate.";
    EXPECT_TRUE(mission.run({}, options).ok);
    const std::string& system = mission.model.seen->requests.at(0).system;
    EXPECT_TRUE(system.starts_with("You are a pirate.\n\n## lisp_eval")) << system;
}

} // namespace
} // namespace ptc
