// Guards: what they see, change and refuse at each point, and how a mission goes on.
#include "tests/subagent/missions.h"
#include <algorithm>
#include <stdexcept>

namespace ptc {
namespace {

/// A guard at one point that answers with `verdict`, and what it saw.
struct Watch {
    std::shared_ptr<std::vector<Datum>> seen = std::make_shared<std::vector<Datum>>();
    [[nodiscard]] Guard guard(GuardPoint point, std::function<Verdict(const Guarded&)> verdict = {}) const {
        return {.name = "g", .points = {point}, .check = [seen = seen, verdict](const Guarded& guarded) {
                    seen->push_back(guarded.value);
                    return verdict ? verdict(guarded) : Verdict::allow();
                }};
    }
};

/// Refuses the first value that it sees.
std::function<Verdict(const Guarded&)> refuse_once(std::string why) {
    return [why, is_first = true](const Guarded&) mutable {
        return std::exchange(is_first, false) ? Verdict::refuse(why) : Verdict::allow();
    };
}

AgentOptions with(Guard guard, AgentOptions options = {}) {
    if (options.prompt.empty()) options.prompt = "Do it.";
    options.guards.push_back(std::move(guard));
    return options;
}

Tool pay() {
    return host_tool("pay", "(amount :int) -> :int", [](const Datum& arguments) -> Result<Datum> {
        std::int64_t amount = 0;
        (void)arguments.find("amount")->to_int64(&amount);
        return Datum(amount);
    });
}

struct Ran {
    Step step;
    std::vector<MissionEvent> guards{};
};

Ran run(const AgentOptions& options, const Model& model) {
    Ran ran;
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.on_event = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::Guard) ran.guards.push_back(event);
    };
    ran.step = agent(options)->run(mission);
    return ran;
}

TEST(Guard, TextsForModelsAreChangedBeforeTheyAreSent) {
    const Watch watch;
    const Model model = programs({"(return 1)"});
    const Ran ran =
        run(with(watch.guard(GuardPoint::BeforeModel,
                             [](const Guarded& seen) { return Verdict::change(*seen.value.text() + " Be brief."); })),
            model);
    EXPECT_TRUE(ran.step.ok);
    EXPECT_EQ(model.last_message(1), "Do it. Be brief.");
    EXPECT_EQ(watch.seen->size(), 1U);
    ASSERT_EQ(ran.guards.size(), 1U);
    EXPECT_TRUE(ran.guards[0].ok);
    EXPECT_EQ(ran.guards[0].point, "before_model");
    EXPECT_EQ(ran.guards[0].reason, "change");
}

TEST(Guard, ARefusedPromptEndsTheMissionBeforeAModelIsCalled) {
    const Model model = programs({"(return 1)"});
    const Ran ran = run(with(Watch().guard(GuardPoint::BeforeModel, refuse_once("No names."))), model);
    EXPECT_EQ(reason_of(ran.step), "guard_refused");
    EXPECT_EQ(ran.step.fail->message, "The guard `g` refused this: No names.");
    EXPECT_EQ(model.calls(), 0U);
    EXPECT_EQ(ran.step.usage.turns, 0U);
}

TEST(Guard, ARetriedCallIsLookedAtOnce) {
    const Watch watch;
    const Model model(std::vector<LlmResult>{LlmError{.kind = "down"}, LlmReply{.text = fenced("(return 1)")}});
    AgentOptions options = with(watch.guard(GuardPoint::BeforeModel));
    options.retry.base_delay = std::chrono::milliseconds(0);
    EXPECT_TRUE(run(options, model).step.ok);
    EXPECT_EQ(watch.seen->size(), 1U);
}

TEST(Guard, RepliesAreChangedOrRefused) {
    const Watch change;
    const Ran changed = run(with(change.guard(GuardPoint::AfterModel,
                                              [](const Guarded&) { return Verdict::change(fenced("(return 2)")); })),
                            programs({"(return 1)"}));
    EXPECT_EQ(changed.step.value, Datum(2));
    EXPECT_EQ(changed.step.messages.back().content, fenced("(return 2)"));
    const Model model = programs({"(return 1)", "(return 3)"});
    const Ran refused = run(with(Watch().guard(GuardPoint::AfterModel, refuse_once("Not so."))), model);
    EXPECT_EQ(refused.step.value, Datum(3));
    EXPECT_EQ(refused.step.trace[0].reason, "guard_refused");
    EXPECT_NE(model.last_message(2).find("The guard `g` refused this: Not so."), std::string::npos);
}

TEST(Guard, EachCallOfARefusedReplyHasItsAnswer) {
    AgentOptions options{.prompt = "x", .signature = "() -> :string"};
    options.output = AgentOutput::Text;
    options.tools = {pay()};
    const Model model(std::vector<LlmResult>{
        LlmReply{.text = "",
                 .tool_calls = {{"a", "pay", json("{\"amount\":1}")}, {"b", "pay", json("{\"amount\":2}")}}},
        LlmReply{.text = "Done."}});
    const Ran ran = run(with(Watch().guard(GuardPoint::AfterModel, refuse_once("Do not pay.")), options), model);
    EXPECT_TRUE(ran.step.ok);
    const std::vector<Message>& messages = model.seen->requests[1].messages;
    EXPECT_EQ(std::ranges::count(messages, Message::Role::Tool, &Message::role), 2);
    EXPECT_EQ(ran.step.usage.tool_calls, 0U);
}

TEST(Guard, ProgramsAreChangedOrRefused) {
    const Ran changed = run(with(Watch().guard(GuardPoint::BeforeProgram,
                                               [](const Guarded& seen) {
                                                   EXPECT_EQ(*seen.value.text(), "(return 1)");
                                                   return Verdict::change("(return 2)");
                                               })),
                            programs({"(return 1)"}));
    EXPECT_EQ(changed.step.value, Datum(2));
    EXPECT_EQ(changed.step.trace[0].program, "(return 2)");
    const Model model = programs({"(def a 1)", "(return 3)"});
    const Ran refused = run(with(Watch().guard(GuardPoint::BeforeProgram, refuse_once("No def."))), model);
    EXPECT_EQ(refused.step.value, Datum(3));
    EXPECT_EQ(refused.step.memory.to_json(), "{}");
    EXPECT_NE(model.last_message(2).find("No def."), std::string::npos);
}

TEST(Guard, WhatAProgramGaveIsChangedBeforeItIsKept) {
    const Model model = programs({"{:card \"4111\"}", "(return data/card)"});
    const Ran ran =
        run(with(Watch().guard(GuardPoint::AfterProgram,
                               [](const Guarded&) { return Verdict::change(json("{\"card\":\"****\"}")); })),
            model);
    EXPECT_EQ(ran.step.value, Datum("****"));
    EXPECT_EQ(model.last_message(2).find("4111"), std::string::npos);
}

TEST(Guard, AProgramWhoseValueIsRefusedKeepsNothing) {
    const Model model = programs({"(def a 1) {:n a}", "(return 2)"});
    const Ran ran = run(with(Watch().guard(GuardPoint::AfterProgram, refuse_once("Show less."))), model);
    EXPECT_TRUE(ran.step.ok);
    EXPECT_EQ(ran.step.memory.to_json(), "{}");
    EXPECT_EQ(ran.step.trace[0].reason, "guard_refused");
    EXPECT_NE(model.last_message(2).find("Show less."), std::string::npos);
}

TEST(Guard, ArgumentsOfToolsAreChangedAndCheckedAgain) {
    AgentOptions options;
    options.tools = {pay()};
    const auto set = [](const char* arguments) {
        return [arguments](const Guarded& seen) {
            EXPECT_EQ(seen.tool, "pay");
            return Verdict::change(json(arguments));
        };
    };
    const Ran changed = run(with(Watch().guard(GuardPoint::BeforeTool, set("{\"amount\":\"7\"}")), options),
                            programs({"(return (tool/pay {:amount 9}))"}));
    EXPECT_EQ(changed.step.value, Datum(7));
    const Ran wrong = run(with(Watch().guard(GuardPoint::BeforeTool, set("{\"amount\":\"much\"}")), options),
                          programs({"(return (tool/pay {:amount 9}))", "(return 1)"}));
    EXPECT_EQ(wrong.step.value, Datum(1));
    EXPECT_EQ(wrong.step.usage.tool_calls, 0U);
}

TEST(Guard, ARefusedCallFailsWhereItStands) {
    AgentOptions options;
    options.tools = {pay()};
    const Guard guard = Watch().guard(GuardPoint::BeforeTool, [](const Guarded& seen) {
        std::int64_t amount = 0;
        (void)seen.value.find("amount")->to_int64(&amount);
        return amount > 5 ? Verdict::refuse("Too much.") : Verdict::allow();
    });
    const Ran caught =
        run(with(guard, options),
            programs({"(return (try (tool/pay {:amount 9}) (catch Exception e (tool/pay {:amount 3}))))"}));
    EXPECT_EQ(caught.step.value, Datum(3));
    const Model model = programs({"(tool/pay {:amount 9})", "(return 1)"});
    const Ran told = run(with(guard, options), model);
    EXPECT_EQ(told.step.trace[0].reason, "tool_error");
    EXPECT_NE(model.last_message(2).find("Too much."), std::string::npos);
    EXPECT_EQ(told.step.usage.tool_calls, 0U);
}

TEST(Guard, OneThatAsksDoesNotSwitchOffThoseBehindIt) {
    AgentOptions options =
        with(Watch().guard(GuardPoint::BeforeTool, [](const Guarded&) { return Verdict::ask("?"); }));
    options.guards.push_back({.name = "cap", .points = {GuardPoint::BeforeTool}, .check = [](const Guarded& seen) {
                                  std::int64_t amount = 0;
                                  const bool is_small = seen.value.find("amount")->to_int64(&amount) && amount <= 100;
                                  return is_small ? Verdict::allow() : Verdict::refuse("over 100");
                              }});
    std::vector<std::int64_t> paid;
    options.prompt = "Pay.";
    options.tools = {host_tool("pay", "(amount :int) -> :int", [&paid](const Datum& a) -> Result<Datum> {
        paid.push_back(0);
        (void)a.find("amount")->to_int64(&paid.back());
        return Datum(1);
    })};
    const AgentPtr made = agent(std::move(options));
    const auto pay = [&](const char* amount, std::optional<std::int64_t> changed) {
        MissionOptions mission;
        mission.model =
            ModelRef(programs({std::string("(return (tool/pay {:amount ") + amount + "}))", "(return 0)"}).llm());
        mission.approve = [changed](const ApprovalRequest& request) -> std::optional<ApprovalAnswer> {
            if (!changed) return ApprovalAnswer::approve();
            if (request.problem.find("over 100") != std::string::npos) return ApprovalAnswer::deny("");
            return ApprovalAnswer::approve_with(Datum::object({{"amount", *changed}}));
        };
        return made->run(std::move(mission)).value;
    };
    EXPECT_EQ(pay("500", {}), Datum(0));
    EXPECT_EQ(pay("50", {}), Datum(1));
    EXPECT_EQ(pay("50", 500), Datum(0)); // what was changed is looked at again
    EXPECT_EQ(pay("50", 70), Datum(1));
    EXPECT_EQ(paid, (std::vector<std::int64_t>{50, 70}));
}

TEST(Guard, WhatOneSaysHoldsNothingThatIsFirewalled) {
    AgentOptions options = with(Watch().guard(
        GuardPoint::AfterTool, [](const Guarded& seen) { return Verdict::refuse("not " + seen.value.to_json()); }));
    options.tools = {host_tool("look", "() -> :map", [](const Datum&) -> Result<Datum> {
        return Datum::object({{"_receipt", "RCPT-SECRET-77"}});
    })};
    const Model model = programs({"(tool/look {})", "(return 0)"});
    const Ran ran = run(std::move(options), model);
    EXPECT_EQ(model.last_message(2).find("SECRET"), std::string::npos) << model.last_message(2);
    EXPECT_NE(model.last_message(2).find("<Firewalled>"), std::string::npos) << model.last_message(2);
    for (const MissionEvent& event : ran.guards)
        EXPECT_EQ(event.message.find("SECRET"), std::string::npos);
}

TEST(Guard, AProgramKnowsWhatItReadsAndSaysOneThing) {
    const Result<Guard> misspelt = program_guard("g", {GuardPoint::BeforeTool}, "(= data/toool \"pay\")");
    ASSERT_FALSE(misspelt.ok());
    EXPECT_NE(misspelt.error().message.find("There is no `data/toool` here"), std::string::npos);
    const Guard both = program_guard("g", {GuardPoint::BeforeTool}, "{:change 1 :refuse \"x\"}").value();
    const Datum value(1);
    EXPECT_EQ(both.check({.point = GuardPoint::BeforeTool, .value = value}).kind, Verdict::Kind::Refuse);
}

TEST(Guard, WhatToolsGiveIsChangedBeforeItIsCached) {
    AgentOptions options;
    AgentTool tool = pay();
    tool.cache = true;
    options.tools = {tool};
    const Watch watch;
    const Ran ran = run(with(watch.guard(GuardPoint::AfterTool,
                                         [](const Guarded& seen) {
                                             EXPECT_NE(seen.arguments, nullptr);
                                             return Verdict::change(Datum(100));
                                         }),
                             options),
                        programs({"(return [(tool/pay {:amount 1}) (tool/pay {:amount 1})])"}));
    EXPECT_EQ(ran.step.value.to_json(), "[100,100]");
    EXPECT_EQ(watch.seen->size(), 1U);
    const Ran misfit = run(
        with(watch.guard(GuardPoint::AfterTool, [](const Guarded&) { return Verdict::change(Datum("x")); }), options),
        programs({"(tool/pay {:amount 1})", "(return 1)"}));
    EXPECT_EQ(misfit.step.trace[0].reason, "validation_error");
}

TEST(Guard, AValidatorOfResultsUsesRetryTurnsAsASignatureDoes) {
    AgentOptions options{.prompt = "x", .signature = "() -> {n :int}", .max_turns = 1, .retry_turns = 1};
    const Model model = programs({"{:n 1}", "{:n 2}"});
    const Ran ran = run(with(Watch().guard(GuardPoint::Result, refuse_once("n must be even.")), options), model);
    EXPECT_EQ(ran.step.value.to_json(), "{\"n\":2}");
    EXPECT_EQ(ran.step.usage.turns, 2U);
    EXPECT_EQ(ran.step.trace[0].reason, "validation_error");
    EXPECT_NE(model.last_message(2).find("n must be even."), std::string::npos);
    options.retry_turns = 0;
    const Ran failed =
        run(with(Watch().guard(GuardPoint::Result, refuse_once("n must be even.")), options), programs({"{:n 1}"}));
    EXPECT_EQ(reason_of(failed.step), "validation_error");
}

TEST(Guard, AResultIsChangedAndMustFitAgain) {
    const AgentOptions options{.prompt = "x", .signature = "() -> {n :int}"};
    const auto set = [](const char* value) { return [value](const Guarded&) { return Verdict::change(json(value)); }; };
    EXPECT_EQ(run(with(Watch().guard(GuardPoint::Result, set("{\"n\":7}")), options), programs({"(return {:n 1})"}))
                  .step.value.to_json(),
              "{\"n\":7}");
    EXPECT_EQ(run(with(Watch().guard(GuardPoint::Result, set("{\"n\":\"x\"}")), options), programs({"(return {:n 1})"}))
                  .step.trace[0]
                  .reason,
              "validation_error");
}

TEST(Guard, AnswersInTextAreResults) {
    AgentOptions options{.prompt = "x", .signature = "() -> {n :int}"};
    options.output = AgentOutput::Text;
    const Model model(std::vector<std::string>{"{\"n\": 1}", "{\"n\": 2}"});
    const Ran ran = run(with(Watch().guard(GuardPoint::Result, refuse_once("Even, please.")), options), model);
    EXPECT_EQ(ran.step.value.to_json(), "{\"n\":2}");
    EXPECT_NE(model.last_message(2).find("Even, please."), std::string::npos);
}

TEST(Guard, OneThatThrowsOrAsksHasRefused) {
    const Ran thrown = run(with(Watch().guard(GuardPoint::BeforeModel,
                                              [](const Guarded&) -> Verdict { throw std::runtime_error("no list"); })),
                           programs({"(return 1)"}));
    EXPECT_EQ(thrown.step.fail->message, "The guard `g` refused this: The guard failed: no list");
    AgentOptions options{.prompt = "x", .tools = {pay()}};
    const Ran asked =
        run(with(Watch().guard(GuardPoint::AfterTool, [](const Guarded&) { return Verdict::ask("Fine?"); }), options),
            programs({"(tool/pay {:amount 1})", "(return 1)"}));
    EXPECT_NE(asked.step.trace.at(0).message.find("wants a person to decide, and nobody can be asked here: Fine?"),
              std::string::npos)
        << asked.step.trace[0].message;
    EXPECT_EQ(asked.guards.at(0).reason, "ask");
}

TEST(Guard, AQuestionAboutACallIsAnApproval) {
    AgentOptions options{.prompt = "x"};
    options.tools = {pay()};
    options.guards = {Watch().guard(GuardPoint::BeforeTool, [](const Guarded&) { return Verdict::ask("Pay that?"); })};
    const auto run_with = [&](Approver approve) {
        MissionOptions mission;
        mission.model = ModelRef(programs({"(return (tool/pay {:amount 9}))", "(return :no)"}).llm());
        mission.approve = std::move(approve);
        return agent(options)->run(mission);
    };
    const Step approved = run_with([](const ApprovalRequest& request) {
        EXPECT_EQ(request.problem, "The guard `g` asks: Pay that?");
        EXPECT_EQ(request.line, 1U);
        return std::optional(ApprovalAnswer::approve());
    });
    EXPECT_EQ(approved.value, Datum(9));
    const Step denied = run_with([](const ApprovalRequest&) { return std::optional(ApprovalAnswer::deny("no")); });
    EXPECT_EQ(denied.trace[0].reason, "approval_denied");
}

TEST(Guard, ThoseOfAMissionLookFirstAndAtAllOfItsAgents) {
    AgentOptions child{.prompt = "y", .signature = "() -> :int"};
    AgentOptions options{.prompt = "x"};
    options.tools = {agent(child)->as_tool("child")};
    std::vector<std::string> order;
    const auto note = [&order](std::string by) {
        return [&order, by](const Guarded& seen) {
            order.push_back(by + " " + std::string(seen.agent));
            return Verdict::allow();
        };
    };
    options.guards = {{.name = "own", .points = {GuardPoint::BeforeProgram}, .check = note("own")}};
    options.name = "root";
    const Model model = programs({"(return (tool/child))", "(return 1)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.guards = {{.name = "all", .points = {GuardPoint::BeforeProgram}, .check = note("all")}};
    EXPECT_TRUE(agent(options)->run(mission).ok);
    EXPECT_EQ(order, (std::vector<std::string>{"all root", "own root", "all agent"}));
}

TEST(Guard, FirewalledValuesStayOutOfRefusals) {
    AgentOptions options;
    options.tools = {host_tool("key", "() -> {_key :string}",
                               [](const Datum&) -> Result<Datum> { return json("{\"_key\":\"hunter2\"}"); })};
    const Model model = programs({"(tool/key)", "(return 1)"});
    const Ran ran =
        run(with(Watch().guard(GuardPoint::AfterProgram,
                               [](const Guarded& seen) {
                                   const Datum* key = seen.value.find("_key");
                                   return key ? Verdict::refuse("It shows " + *key->text()) : Verdict::allow();
                               }),
                 options),
            model);
    EXPECT_EQ(model.last_message(2).find("hunter2"), std::string::npos);
    EXPECT_EQ(ran.guards.at(0).message.find("hunter2"), std::string::npos);
}

TEST(Guard, ACheckpointAtAnyPointGoesOnWithGuardsGivenAgain) {
    AgentOptions options{.prompt = "x", .signature = "() -> {n :int}", .retry_turns = 1};
    options.tools = {pay()};
    options.guards = {{.name = "pay",
                       .points = {GuardPoint::BeforeTool},
                       .check = [](const Guarded&) { return Verdict::change(json("{\"amount\":4}")); }},
                      {.name = "result", .points = {GuardPoint::Result}, .check = [](const Guarded& seen) {
                           return seen.value.to_json() == "{\"n\":4}" ? Verdict::change(json("{\"n\":5}"))
                                                                      : Verdict::allow();
                       }}};
    const AgentPtr guarded = agent(options);
    const Step step = run_by_saves(guarded, {"(def a (tool/pay {:amount 9}))", "(return {:n (tool/pay {:amount a})})"},
                                   [](const ToolNeed& need) { EXPECT_EQ(need.arguments.to_json(), "{\"amount\":4}"); });
    EXPECT_EQ(step.value.to_json(), "{\"n\":5}");
}

TEST(Guard, ProgramsCanBeGuards) {
    const auto guard = program_guard("limit", {GuardPoint::BeforeTool},
                                     "(if (> (:amount data/value) 5) {:refuse (str data/tool \" is limited\")} true)");
    ASSERT_TRUE(guard.ok());
    AgentOptions options;
    options.tools = {pay()};
    const Model model = programs({"(tool/pay {:amount 9})", "(return (tool/pay {:amount 5}))"});
    const Ran ran = run(with(guard.value(), options), model);
    EXPECT_EQ(ran.step.value, Datum(5));
    EXPECT_NE(model.last_message(2).find("The guard `limit` refused this: pay is limited"), std::string::npos);
    EXPECT_FALSE(program_guard("wrong", {GuardPoint::Result}, "(nosuch)").ok());
    for (const char* broken : {"7", "(+ 1 \"a\")", "(loop [i 0] (recur (inc i)))"}) {
        const auto made = program_guard("broken", {GuardPoint::BeforeModel}, broken);
        ASSERT_TRUE(made.ok());
        EXPECT_EQ(reason_of(run(with(made.value()), programs({"(return 1)"})).step), "guard_refused");
    }
}

TEST(Guard, OneWithoutAFunctionIsRefused) {
    EXPECT_NE(refusal(with({.name = "g", .points = {GuardPoint::Result}, .check = {}})).find("needs a function"),
              std::string::npos);
    EXPECT_NE(refusal(with({.name = "g", .points = {}, .check = [](const Guarded&) { return Verdict::allow(); }}))
                  .find("points"),
              std::string::npos);
}

TEST(Guard, EveryPointHasANameAndSaysWhatItIs) {
    for (const GuardPoint point : guard_points()) {
        EXPECT_EQ(guard_point_named(guard_point_name(point)), point);
        EXPECT_FALSE(guard_point_doc(point).empty());
    }
    EXPECT_FALSE(guard_point_named("nowhere"));
}

TEST(Guard, AQuestionAboutWhatTheCacheHasIsNotAsked) {
    int calls = 0;
    AgentTool rate = host_tool("rate", "(of :string) -> :int", [&](const Datum&) -> Result<Datum> { return ++calls; });
    rate.cache = true;
    const Watch watch;
    const Guard asks = watch.guard(GuardPoint::BeforeTool, [](const Guarded&) { return Verdict::ask("Really?"); });
    int asked = 0;
    MissionOptions mission;
    mission.model = ModelRef(programs({R"((tool/rate {:of "a"}))", R"((return (tool/rate {:of "a"})))"}).llm());
    mission.approve = [&](const ApprovalRequest&) {
        ++asked;
        return std::optional(ApprovalAnswer::approve());
    };
    EXPECT_EQ(agent(with(asks, {.tools = {rate}}))->run(mission).value, Datum(1));
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(watch.seen->size(), 2U); // it looks at both
}

TEST(Guard, APromptIsOfTheTurnThatItBegins) {
    std::vector<std::size_t> turns;
    const Guard guard{.name = "g", .points = {GuardPoint::BeforeModel}, .check = [&](const Guarded& seen) {
                          turns.push_back(seen.turn);
                          return Verdict::allow();
                      }};
    (void)run(with(guard), programs({"1", "(return 2)"}));
    EXPECT_EQ(turns, (std::vector<std::size_t>{1, 2}));
}

// ---- Images and files

const std::string kPicture = "\x89PNG\r\n\x1a\nrest"; // a picture, by its first bytes

/// What the model was sent, and how the mission ended, when a guard looks at attachments of the prompt or of a tool.
struct Shown {
    std::vector<std::vector<Attachment>> of_messages{}; ///< the last one of each request
    Step step{};
};
Shown show(const Guard& guard, bool is_prompts, std::vector<Attachment> given) {
    const Model model = programs({"(tool/shot {})", "(return 1)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    if (is_prompts) mission.attachments = given;
    const Tool shot = host_tool("shot", "() -> :int", [=](const Datum&) -> Result<Datum> {
        return is_prompts ? Datum(7) : with_attachments(Datum(7), given);
    });
    Shown shown;
    shown.step = agent(with(guard, {.tools = {shot}}))->run(mission);
    for (const LlmRequest& request : model.seen->requests)
        shown.of_messages.push_back(request.messages.back().attachments);
    return shown;
}
std::vector<Attachment> two() { return {Attachment::image(kPicture), Attachment::file("a,b\n1,2", "rows.csv")}; }

TEST(Guard, SeesAndTakesOffAttachmentsOfThePrompt) {
    std::vector<std::size_t> seen;
    const Guard files{.name = "files", .points = {GuardPoint::BeforeModel}, .check = [&](const Guarded& guarded) {
                          seen.push_back(guarded.attachments.size());
                          std::vector<Attachment> kept(guarded.attachments.begin(), guarded.attachments.end());
                          std::erase_if(kept, [](const auto& one) { return one.kind == Attachment::Kind::Image; });
                          return Verdict::attach(kept);
                      }};
    const Shown shown = show(files, true, two());
    ASSERT_TRUE(shown.step.ok);
    EXPECT_EQ(seen, (std::vector<std::size_t>{2, 0}));
    EXPECT_EQ(shown.of_messages[0], std::vector<Attachment>{two()[1]});
    EXPECT_EQ(shown.step.messages[0].content, "Do it."); // the text stays
}

TEST(Guard, RefusesAttachments) {
    const auto no_images = [](const Guarded& guarded) {
        const auto is_image = [](const auto& one) { return one.kind == Attachment::Kind::Image; };
        return std::ranges::any_of(guarded.attachments, is_image) ? Verdict::refuse("no images") : Verdict::allow();
    };
    const Guard before{.name = "g", .points = {GuardPoint::BeforeModel}, .check = no_images};
    const Shown prompt = show(before, true, two());
    EXPECT_EQ(reason_of(prompt.step), "guard_refused");
    EXPECT_TRUE(prompt.of_messages.empty());                                // nothing was sent
    EXPECT_EQ(reason_of(show(before, false, two()).step), "guard_refused"); // with the message that answers the program
    const Shown tool = show({.name = "g", .points = {GuardPoint::AfterTool}, .check = no_images}, false, two());
    EXPECT_EQ(tool.step.trace[0].reason, "tool_error");
    EXPECT_NE(tool.step.trace[0].message.find("no images"), std::string::npos);
    EXPECT_TRUE(tool.of_messages[1].empty());
}

TEST(Guard, ReplacesAttachmentsOfAToolBesideItsResult) {
    const Guard guard{.name = "g", .points = {GuardPoint::AfterTool}, .check = [](const Guarded& seen) {
                          EXPECT_EQ(seen.attachments.size(), 2u);
                          Verdict verdict = Verdict::change(Datum(8));
                          verdict.attachments = {Attachment::file("cut", "cut.txt")};
                          return verdict;
                      }};
    const Shown shown = show(guard, false, two());
    ASSERT_TRUE(shown.step.ok);
    EXPECT_EQ(shown.of_messages[1], std::vector<Attachment>{Attachment::file("cut", "cut.txt")});
    EXPECT_EQ(shown.step.trace[0].tool_calls[0].result, "8");
}

TEST(Guard, AttachmentsThatAreNotAllowedOrHaveNoPlaceAreRefusals) {
    const auto gives = [](GuardPoint point, std::vector<Attachment> attachments) {
        return Guard{
            .name = "g", .points = {point}, .check = [=](const Guarded&) { return Verdict::attach(attachments); }};
    };
    EXPECT_EQ(reason_of(show(gives(GuardPoint::BeforeModel, {Attachment{}}), true, two()).step), "guard_refused");
    const Shown program = show(gives(GuardPoint::BeforeProgram, two()), true, {});
    EXPECT_NE(program.step.trace[0].message.find("where there can be none"), std::string::npos);
}

TEST(Guard, AProgramSaysWhichAttachmentsStay) {
    const auto guard = [](const char* program) {
        return program_guard("g", {GuardPoint::BeforeModel}, program).value();
    };
    const Shown texts =
        show(guard("{:keep (keep-indexed (fn [i a] (when (:text a) i)) data/attachments)}"), true, two());
    ASSERT_FALSE(texts.of_messages.empty()) << texts.step.fail->message;
    EXPECT_EQ(texts.of_messages[0], std::vector<Attachment>{two()[1]});
    const Shown both = show(guard("(if (seq data/attachments) {:keep [0] :change \"Look.\"} true)"), true, two());
    ASSERT_FALSE(both.of_messages.empty());
    EXPECT_EQ(both.of_messages[0], std::vector<Attachment>{two()[0]});
    EXPECT_EQ(both.step.messages[0].content, "Look.");
    const Shown sizes = show(guard("(or (empty? data/attachments) {:refuse (pr-str (map (juxt :kind :media_type :name "
                                   ":bytes) data/attachments))})"),
                             true, two());
    EXPECT_NE(sizes.step.fail->message.find(R"(["image" "image/png" "" 12] ["file" "text/plain" "rows.csv" 7])"),
              std::string::npos)
        << sizes.step.fail->message;
    EXPECT_EQ(reason_of(show(guard("{:keep [7]}"), true, two()).step), "guard_refused");
}

} // namespace
} // namespace ptc
