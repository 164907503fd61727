// What agents are made of, and what their missions begin with: options that contradict each other, the context and its
// signature, the texts of prompts, tools.
#include "tests/subagent/missions.h"
#include <set>

namespace ptc {
namespace {

TEST(Agent, RefusesReservedToolNames) {
    for (const char* name : {"return", "fail"})
        EXPECT_TRUE(refusal({.prompt = "x", .tools = {host_tool(name, "", {})}}).starts_with("reserved_tool_name"));
    EXPECT_TRUE(refusal({.prompt = "x", .tools = {host_tool("lisp_eval", "", {})}}).starts_with("invalid_request"));
    EXPECT_TRUE(
        refusal({.prompt = "x", .tool_catalog = {host_tool("fail", "", {})}}).starts_with("reserved_tool_name"));
}

TEST(Agent, RefusesOptionsThatContradictEachOther) {
    EXPECT_NE(refusal({.prompt = ""}).find("prompt"), std::string::npos);
    EXPECT_NE(refusal({.prompt = "x", .max_turns = 0}).find("max_turns"), std::string::npos);
    EXPECT_NE(refusal({.prompt = "{{a}} {{b.c}}", .signature = "(b {d :int}) -> :int"}).find("`{{a}}`, `{{b.c}}`"),
              std::string::npos);
    EXPECT_NE(refusal({.prompt = "{{", .signature = "(b :int) -> :int"}).find("template"), std::string::npos);
    EXPECT_NE(refusal({.prompt = "x", .signature = ":list"}).find("signature"), std::string::npos);
    EXPECT_NE(refusal({.prompt = "x", .tools = {host_tool("t", "(", {})}}).find("`t`"), std::string::npos);
    EXPECT_NE(refusal({.prompt = "x", .tools = {host_tool("t", "", {}), host_tool("t", "", {})}}).find("`t`"),
              std::string::npos);
    AgentTool native(host_tool("t", "", {}));
    native.native_result = NativeResult{};
    EXPECT_NE(refusal({.prompt = "x", .tools = {native}}).find("native_result"), std::string::npos);
}

TEST(Agent, PlaceholdersOfOneThatIsCalledAreParameters) { // requirement 109
    const AgentPtr kid = agent({.prompt = "Greet {{name}}."});
    const std::string why = "invalid_request: The prompt of the agent `kid` uses `{{name}}`, and it has no signature";
    EXPECT_EQ(refusal({.prompt = "x", .tools = {kid->as_tool("kid")}}).substr(0, why.size()), why);
    EXPECT_NE(refusal({.prompt = "For {{name}}.", .tools = {AgentTool::self("me")}}), "");
    AgentTool over = kid->as_tool("kid"); // finds them in the mission's data
    EXPECT_EQ(refusal({.prompt = "x", .handoffs = {over}}), "");
    over.handoff = Handoff{.context = false};
    EXPECT_NE(refusal({.prompt = "x", .handoffs = {over}}), "");
    const AgentPtr fine = agent({.prompt = "Greet {{name}}.", .signature = "(name :string) -> :string"});
    EXPECT_EQ(refusal({.prompt = "x", .tools = {fine->as_tool("kid")}}), "");
}

TEST(Agent, ACopyInsideOfToolsIsPromotedByWhatItHas) {
    const AgentTool judgment =
        agent_tool("j", {.prompt = "Is {{t}} good?", .signature = "(t :string) -> :bool"}).value();
    EXPECT_EQ(judgment.agent->options().output, AgentOutput::Text);
    const AgentTool worker =
        agent_tool("w", {.prompt = "x", .signature = "() -> :int", .tools = {host_tool("t", "", {})}}).value();
    EXPECT_EQ(worker.agent->options().output, AgentOutput::PtcLisp);
    EXPECT_FALSE(agent_tool("n", {.prompt = "x"}).ok());
    const LlmTool mismatched{.prompt = "About {{a}}", .signature = "(b :string) -> :bool"};
    EXPECT_FALSE(mismatched.as_tool("l").ok());
}

TEST(Agent, RunsManyMissionsApartFromEachOther) {
    const AgentPtr a = agent({.prompt = "x"});
    EXPECT_TRUE(a->run(programs({"(def secret 1)", "(return secret)"}).llm()).ok);
    EXPECT_EQ(reason_of(a->run(programs({"(return secret)", "(return secret)", "(fail :gone)"}).llm())), "gone");
}

TEST(Context, IsCheckedAndCoercedByTheParameters) {
    const AgentPtr a = agent({.prompt = "x", .signature = "(n :int, tags [:string]) -> :any", .max_turns = 1});
    EXPECT_EQ(a->run(programs({"[data/n data/other]"}).llm(), json(R"({"n": "42", "other": 1})")).value,
              json("[42,1]"));
    const Step step = a->run(programs({}).llm(), json(R"({"n": "x", "tags": [1]})"));
    EXPECT_EQ(reason_of(step), "validation_error");
    EXPECT_NE(step.fail->message.find("tags[0]: expected string, got int"), std::string::npos);
    EXPECT_EQ(step.usage.llm_calls, 0u);
}

TEST(Context, MayLackParametersUnlessStrict) {
    const AgentPtr a = agent({.prompt = "x", .signature = "(n :int) -> :any", .max_turns = 1});
    EXPECT_TRUE(a->run(programs({"data/n"}).llm()).ok);
    MissionOptions strict{.model = programs({}).llm()};
    strict.validation = ValidationMode::Strict;
    EXPECT_EQ(reason_of(a->run(std::move(strict))), "validation_error");
}

TEST(Context, KeepsTypesThatJsonLacks) {
    Datum::Map entries;
    entries.emplace_back(Datum("kind"), Datum(Datum::Keyword{"open"}));
    entries.emplace_back(Datum(Datum::Keyword{"at"}), Datum(Datum::Opaque{"2026-05-03T09:14:00Z", "instant"}));
    const Step step = agent({.prompt = "x", .max_turns = 1})
                          ->run(programs({"[(= data/kind :open) (pr-str data/at)]"}).llm(), Datum(std::move(entries)));
    EXPECT_EQ(step.value.list()->front(), Datum(true));
}

TEST(Context, MayHaveItsTypesInMalliForm) {
    MissionOptions options;
    options.context = json(R"({"n": "42"})");
    options.context_signature = "[:=> [:cat] [:map [:n :int]]]";
    options.model = ModelRef(programs({"(return (inc data/n))"}).llm());
    const Step step = agent({.prompt = "x"})->run(options);
    EXPECT_EQ(step.value, Datum(43)) << reason_of(step);
}

TEST(Context, NeverComesFromAFailedStep) {
    Step failed;
    failed.fail = Fail{.reason = "gone", .message = "m", .op = "find"};
    MissionOptions options{.model = programs({"(return 1)"}).llm()};
    options.previous = failed;
    const Step step = agent({.prompt = "x"})->run(std::move(options));
    EXPECT_EQ(reason_of(step), "chained_failure");
    EXPECT_EQ(step.fail->details.find("original_failure")->to_json(),
              R"({"reason":"gone","message":"m","op":"find","details":null})");
}

TEST(Context, OfAStepHasTheTypesOfItsSignature) {
    const Step first = agent({.prompt = "x", .signature = "() -> {at :datetime?, _ids [:int]}"})
                           ->run(programs({"(return {:at nil :_ids [880011]})"}).llm());
    const Model model = programs({"(return (count data/_ids))"});
    MissionOptions options{.model = model.llm()};
    options.previous = first;
    EXPECT_EQ(agent({.prompt = "y"})->run(std::move(options)).value, Datum(1));
    EXPECT_NE(model.seen->requests[0].system.find("data/at :datetime? = nil"), std::string::npos);
    EXPECT_NE(model.seen->requests[0].system.find("data/_ids [:int] = <Firewalled>"), std::string::npos);
}

TEST(SystemText, HasItsParts) {
    const Model model = programs({"(return {:n 1})"});
    EXPECT_TRUE(agent({.prompt = "x",
                       .signature = "{n :int}",
                       .tools = {Tool{.name = "find",
                                      .description = "Finds.\nAlways.",
                                      .signature = "(q :string) -> {n :int, _ids [:int]}"}},
                       .tool_catalog = {host_tool("send", "(to :string) -> :bool", {})}})
                    ->run(model.llm())
                    .ok);
    const std::string& text = model.seen->requests[0].system;
    for (const char* part : {"## Tools you can call\nfind(q :string) -> {n :int}\n  Finds.\n  Always.",
                             "## Tools for planning (do not call)\nsend(to :string) -> :bool", "(sum-by f coll)",
                             "```clojure", "{n :int}"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
    EXPECT_EQ(text.find("_ids"), std::string::npos);
}

TEST(SystemText, CanBeReplacedInPartOrWhole) {
    const auto text_with = [](SystemPrompt custom) {
        const Model model = programs({"(return 1)"});
        EXPECT_TRUE(agent({.prompt = "x", .system_prompt = std::move(custom)})->run(model.llm()).ok);
        return model.seen->requests[0].system;
    };
    EXPECT_EQ(text_with({.whole = "Mine."}), "Mine.");
    EXPECT_TRUE(text_with({.prefix = "Before."}).starts_with("Before.\n\nYou are a program generator"));
    EXPECT_TRUE(text_with({.suffix = "After."}).ends_with("\n\nAfter."));
    const std::string replaced = text_with({.replacement = "Write Lisp."});
    EXPECT_TRUE(replaced.starts_with("Write Lisp."));
    EXPECT_NE(replaced.find("## Output"), std::string::npos);
}

TEST(Feedback, TellsWhatIsNewAndWhatWasCut) {
    const Model model =
        programs({"(println \"hi\") (def xs (range 9)) {:found (map vector (range 101))}", "(return 1)"});
    EXPECT_TRUE(agent({.prompt = "x", .max_turns = 2})->run(model.llm()).ok);
    const std::string& told = model.last_message(2);
    for (const char* part :
         {"Turn 1 gave {found [[:int]]}:\n{:found [[0] [1] [2] [3] [4] … (101 in all)]}", "New data: data/found",
          "Stored: xs [:int]", "Printed:\nhi", "[System note:", "One turn is left"})
        EXPECT_NE(told.find(part), std::string::npos) << part << " is not in:\n" << told;
}

// Requirement 119: the turns of a mission build on each other.
TEST(Feedback, TellsWhichDataTookThePlaceOfOthers) {
    const Model model = programs({"{:rows (rest data/rows)}", "{:rows []}", "(return (count data/rows))"});
    MissionOptions options{.model = model.llm()};
    options.context = json(R"({"rows": [1, 2]})");
    EXPECT_EQ(agent({.prompt = "x"})->run(std::move(options)).value, Datum(0));
    EXPECT_NE(model.last_message(2).find("New data: data/rows (in place of what was given)"), std::string::npos);
    EXPECT_NE(model.last_message(3).find("New data: data/rows (in place of the former one)"), std::string::npos);
}

TEST(Feedback, OfCoercedArgumentsWarns) {
    const Model model = programs({"(tool/f {:n \"4\"})", "(return 1)"});
    const AgentPtr a = agent(
        {.prompt = "x", .tools = {host_tool("f", "(n :int) -> :int", [](const Datum& in) { return *in.find("n"); })}});
    EXPECT_TRUE(a->run(model.llm()).ok);
    EXPECT_NE(model.last_message(2).find("Tool validation warnings:\n- n: coerced string \"4\" to int"),
              std::string::npos)
        << model.last_message(2);
}

TEST(Tools, PairsAndMapsOfErrorsAreData) {
    const AgentPtr a =
        agent({.prompt = "x",
               .tools = {host_tool("pair", "",
                                   [](const Datum&) {
                                       return Datum(Datum::List{Datum::Keyword{"error"}, "gone"});
                                   }),
                         host_tool("map", "", [](const Datum&) { return json(R"({"error": "gone"})"); })},
               .max_turns = 1});
    EXPECT_EQ(a->run(programs({"[(second (tool/pair)) (:error (tool/map))]"}).llm()).value, json(R"(["gone","gone"])"));
}

TEST(Tools, UnknownOnesAreToldWithTheNearestName) {
    const Model model = programs({"(tool/serch {:q \"a\"})", "(return 1)"});
    EXPECT_TRUE(agent({.prompt = "x", .tools = {host_tool("search", "(q :string) -> :any", {})}})->run(model.llm()).ok);
    EXPECT_NE(model.last_message(2).find("tool_not_found"), std::string::npos);
    EXPECT_NE(model.last_message(2).find("search"), std::string::npos);
}

TEST(Tools, FailuresOfCachedOnesAreNotKept) {
    int calls = 0;
    AgentTool flaky(host_tool("f", "", [&](const Datum&) -> Result<Datum> {
        if (++calls == 1) return Error(Reason::ToolError, "once");
        return Datum(calls);
    }));
    flaky.cache = true;
    const Step step =
        agent({.prompt = "x", .tools = {flaky}})->run(programs({"(tool/f)", "(tool/f)", "(return (tool/f))"}).llm());
    EXPECT_EQ(step.value, Datum(2));
    EXPECT_EQ(step.trace[2].tool_calls[0].is_cached, true);
}

TEST(Validate, FindsWhatCanBeKnownWithoutAModel) {
    const AgentPtr a = agent({.prompt = "{{x}}", .signature = "(x :int) -> :int"});
    MissionOptions options;
    EXPECT_EQ(reason_of(a->validate(options)), "template_error");
    options.context = json(R"({"x": "one"})");
    EXPECT_EQ(reason_of(a->validate(options)), "validation_error");
    options.context = json(R"({"x": 1})");
    EXPECT_TRUE(a->validate(options).ok);
}

TEST(Chat, GoesOnWithMessagesAndMemory) {
    const AgentPtr a = agent({.prompt = "x"});
    const Step first =
        a->run({.model = programs({"(def seen 5) (return seen)"}).llm(), .user_message = "Remember five."});
    const Model model = programs({"(return (inc seen))"});
    MissionOptions options{
        .model = model.llm(), .memory = first.memory, .history = first.messages, .user_message = "Add one."};
    EXPECT_EQ(a->run(std::move(options)).value, Datum(6));
    ASSERT_EQ(model.seen->requests[0].messages.size(), 3u);
    EXPECT_EQ(model.seen->requests[0].messages[0].content, "Remember five.");
}

TEST(Reasons, AreOneVocabularyWithThoseOfPrograms) {
    std::set<std::string_view> names;
    for (const MissionReason reason : mission_reasons()) {
        EXPECT_TRUE(names.insert(reason_name(reason)).second) << reason_name(reason);
        EXPECT_EQ(mission_reason_named(reason_name(reason)), reason);
        if (const auto shared = reason_named(reason_name(reason))) {
            EXPECT_EQ(reason_doc(*shared), reason_doc(reason));
        }
    }
    EXPECT_EQ(mission_reason_named("no_such_reason"), std::nullopt);
    EXPECT_EQ(mission_reason_of(Reason::UnknownTool), MissionReason::ToolNotFound);
    EXPECT_EQ(mission_reason_of(Reason::FuelExhausted), MissionReason::Timeout);
    EXPECT_EQ(mission_reason_of(Reason::InvalidToolArgs), MissionReason::ValidationError);
    EXPECT_EQ(mission_reason_of(Reason::TypeError), std::nullopt);
    EXPECT_EQ(mission_reason_of(Reason::InvalidRequest), std::nullopt); // of hosts, not of programs
}

TEST(Reasons, SayWhereTheirCauseIs) {
    EXPECT_EQ(cause_of("llm_error"), FailCause::Model);
    EXPECT_EQ(cause_of("interrupted"), FailCause::Host);
    EXPECT_EQ(cause_of("mission_timeout"), FailCause::Time);
    EXPECT_EQ(cause_of("a program's own"), FailCause::Mission);
    std::set<std::string_view> outside;
    for (const MissionReason reason : mission_reasons())
        if (is_outside(cause_of(reason_name(reason)))) outside.insert(reason_name(reason));
    EXPECT_EQ(outside, (std::set<std::string_view>{"interrupted", "llm_error", "llm_required", "model_not_found"}));
}

TEST(Reasons, AreNamedAndExplained) {
    for (const MissionReason reason : mission_reasons()) {
        EXPECT_FALSE(reason_name(reason).empty());
        EXPECT_TRUE(reason_doc(reason).ends_with('.')) << reason_name(reason);
    }
}

TEST(BuiltinTools, GrepFindsLinesInEitherCaseAndTellsWhereTheyAre) {
    const auto value_of = [](const std::string& program) {
        const Model model = programs({"(return " + program + ")"});
        const AgentPtr made = agent({.prompt = "x", .builtin_tools = {"grep"}});
        const Step step = made->run(model.llm(), json(R"({"log": "ok\nerr 1\nfine\nWARN\nErr 2"})"));
        return step.ok ? step.value.to_json() : step.fail->message;
    };
    EXPECT_EQ(value_of(R"((tool/grep {:pattern "err" :text data/log}))"), R"(["err 1","Err 2"])");
    EXPECT_EQ(value_of(R"((tool/grep {:pattern "^err\\|warn" :text data/log}))"), R"(["err 1","WARN","Err 2"])");
    EXPECT_EQ(value_of(R"((tool/grep-n {:pattern "warn" :text data/log}))"),
              R"([{"line":4,"match":true,"text":"WARN"}])");
    EXPECT_EQ(value_of(R"((map :line (tool/grep-n {:pattern "err" :text data/log :context 1})))"), "[1,2,3,4,5]");
    EXPECT_EQ(value_of(R"((tool/grep-n {:pattern "none" :text data/log :context 1}))"), "[]");
}

TEST(BuiltinTools, AHostsToolOfTheSameNameStandsAndUnknownFamiliesAreRefused) {
    const Model model = programs({"(return (tool/grep {}))"});
    const Step step = agent({.prompt = "x",
                             .tools = {host_tool("grep", "() -> :int", [](const Datum&) { return Datum(7); })},
                             .builtin_tools = {"grep"}})
                          ->run(model.llm());
    EXPECT_EQ(step.value, Datum(7));
    EXPECT_EQ(Agent::create({.prompt = "x", .builtin_tools = {"sed"}}).error().reason, Reason::InvalidRequest);
}

TEST(CostBudget, EndsAMissionBetweenAttempts) {
    const LlmError dear{.kind = "bad_reply", .usage = {.input = 10, .output = 10, .cost_usd = 5}};
    const Model model({dear, dear, dear});
    AgentOptions options{.prompt = "x", .max_cost_usd = 0.01};
    options.retry.base_delay = std::chrono::milliseconds(1);
    const Step step = agent(std::move(options))->run(model.llm());
    EXPECT_EQ(step.fail->reason, reason_name(MissionReason::BudgetExceeded));
    EXPECT_EQ(model.calls(), 1u);
    EXPECT_NE(step.fail->details.to_json().find("llm_error"), std::string::npos) << step.fail->details.to_json();
}

AgentOptions with_tools(int count) {
    AgentOptions options{.prompt = "x", .builtin_tools = {"tool_search"}};
    for (int i = 0; i < count; ++i) {
        Tool tool =
            host_tool("count_things_" + std::to_string(i), "() -> :int", [i](const Datum&) { return Datum(i); });
        tool.description = "Counts the things of shelf " + std::to_string(i) + ".";
        options.tools.emplace_back(tool);
    }
    return options;
}

// Requirement 248.
TEST(ToolSearch, ThePromptOfManyToolsIsThatOfFew) {
    const auto system_of = [](int count) {
        const Model model = programs({"(return 1)"});
        EXPECT_TRUE(agent(with_tools(count))->run(model.llm()).ok);
        return model.seen->requests[0].system;
    };
    EXPECT_EQ(system_of(60), system_of(600));
    EXPECT_NE(system_of(60).find("search_tools"), std::string::npos);
    EXPECT_EQ(system_of(60).find("count_things_1"), std::string::npos);
}

AgentOptions with_long_tools(int count) {
    AgentOptions options{.prompt = "x"};
    for (int i = 0; i < count; ++i) {
        Tool tool = host_tool("long_" + std::to_string(i), "() -> :int", [i](const Datum&) { return Datum(i); });
        tool.description = "Shelf " + std::to_string(i) + ". " + std::string(2000, 'y');
        options.tools.emplace_back(tool);
    }
    return options;
}

TEST(Prompt, ToolsHaveABoundTogether) {
    const auto system_of = [](int count) {
        const Model model = programs({"(return 1)"});
        EXPECT_TRUE(agent(with_long_tools(count))->run(model.llm()).ok);
        return model.seen->requests[0].system;
    };
    const std::size_t none = system_of(0).size();
    EXPECT_LT(system_of(1000).size() - none, 33'000u);
    EXPECT_LT(system_of(1000).size(), system_of(300).size() + 100) << "of constant size";
    const std::string few = system_of(10), more = system_of(40), many = system_of(1000);
    EXPECT_GT(few.size(), 20'000u) << "those that fit are shown in full";
    EXPECT_EQ(few.find("Not all is shown"), std::string::npos);
    EXPECT_NE(more.find("long_39(…)\n  Shelf 39. y"), std::string::npos);
    EXPECT_NE(more.find("Not all is shown: (doc tool/NAME)"), std::string::npos);
    EXPECT_NE(many.find("\nlong_100(…)\n"), std::string::npos);
    EXPECT_NE(many.find(" more. Not all is shown"), std::string::npos);
}

TEST(ToolSearch, ProgramsFindToolsAndCallThem) {
    const Model model = programs(
        {"(tool/search_tools {:query \"how many things on shelf 42\" :limit 2})", "(return (tool/count_things_42))"});
    const Step step = agent(with_tools(60))->run(model.llm());
    EXPECT_EQ(step.value, Datum(42));
    EXPECT_NE(model.last_message(2).find("count_things_42"), std::string::npos);
}

} // namespace
} // namespace ptc
