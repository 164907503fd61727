// Calls that somebody approves (ptc/approval.h): asked for in the middle of a program, in branches, below agents and as
// native calls; answered now, or after the mission was saved; approved, changed or denied.
#include "ptc/approval.h"
#include "ptc/recording.h"
#include "tests/subagent/missions.h"
#include "tests/support/temporary_folder.h"
#include <algorithm>
#include <iterator>
#include <ptc/checkpoint.h>

namespace ptc {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A tool that counts what it pays, and asks first.
struct Till {
    std::shared_ptr<std::vector<std::string>> paid = std::make_shared<std::vector<std::string>>();
    [[nodiscard]] Tool tool(std::string name = "pay") const {
        Tool made = host_tool(std::move(name), "(to :string, amount :int) -> :string",
                              [paid = paid](const Datum& a) -> Result<Datum> {
                                  paid->push_back(a.to_json());
                                  return Datum("paid " + a.find("amount")->to_json());
                              });
        made.description = "Pays somebody.";
        made.approval = true;
        return made;
    }
};

MissionOptions options(const Model& model) {
    MissionOptions made;
    made.model = ModelRef(model.llm());
    return made;
}

/// Approves all, and keeps what it was asked.
struct Asked {
    std::shared_ptr<std::vector<ApprovalRequest>> all = std::make_shared<std::vector<ApprovalRequest>>();
    std::function<ApprovalAnswer(const ApprovalRequest&)> answer = [](const ApprovalRequest&) {
        return ApprovalAnswer::approve();
    };
    [[nodiscard]] Approver approver() const {
        return [all = all, answer = answer](const ApprovalRequest& request) {
            all->push_back(request);
            return std::optional(answer(request));
        };
    }
};

constexpr const char* kLoop = "(def n 2)\n"
                              "(return\n"
                              "  (loop [i 0 out []]\n"
                              "    (if (< i n)\n"
                              "      (recur (inc i) (conj out (tool/pay {:to \"Ann\" :amount i})))\n"
                              "      out)))";

TEST(Approval, IsAskedInTheMiddleOfALoop) {
    const Till till;
    const AgentPtr made = agent({.name = "clerk", .prompt = "Pay.", .tools = {till.tool()}});
    const Model model = programs({kLoop});
    MissionOptions mission = options(model);
    mission.id = "m";
    const Asked asked;
    mission.approve = asked.approver();
    const Step step = made->run(std::move(mission));
    EXPECT_EQ(step.value, json(R"(["paid 0","paid 1"])"));
    ASSERT_EQ(asked.all->size(), 2U);
    const ApprovalRequest& second = (*asked.all)[1];
    EXPECT_EQ(second.mission + " " + second.agent + " " + second.tool, "m clerk pay");
    EXPECT_EQ(second.description, "Pays somebody.");
    EXPECT_EQ(second.arguments, json(R"({"to":"Ann","amount":1})"));
    EXPECT_EQ(second.program, kLoop);
    EXPECT_EQ(second.line, 5U);
    EXPECT_EQ(second.column, 32U);
    ASSERT_EQ(second.done.size(), 1U);
    EXPECT_EQ(second.done[0].arguments, json(R"({"to":"Ann","amount":0})"));
    EXPECT_EQ(second.done[0].result, "\"paid 0\"");
    EXPECT_NE(model.seen->requests[0].system.find("Each call is approved first"), std::string::npos);
}

TEST(Approval, DeniedIsAFailureThatAProgramCanCatch) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    MissionOptions mission =
        options(programs({"(return (try (tool/pay {:to \"Ann\" :amount 1}) (catch ExceptionInfo e (ex-message e))))"}));
    mission.approve = [](const ApprovalRequest&) { return std::optional(ApprovalAnswer::deny("not Ann")); };
    EXPECT_EQ(made->run(std::move(mission)).value, Datum("The call of the tool `pay` was not approved: not Ann"));
    EXPECT_TRUE(till.paid->empty());
}

TEST(Approval, ADeniedCallHasDataThatProgramsRead) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    const auto data_of = [&](const std::string& body, const std::string& why) {
        MissionOptions mission = options(programs({"(return " + body + ")"}));
        mission.approve = [why](const ApprovalRequest&) { return std::optional(ApprovalAnswer::deny(why)); };
        const Step step = made->run(std::move(mission));
        EXPECT_TRUE(step.ok) << step.fail->message;
        return step.value.to_json();
    };
    const std::string caught = "(try (tool/pay {:to \"Ann\" :amount 1}) (catch ExceptionInfo e (ex-data e)))";
    EXPECT_EQ(data_of(caught, "not: Ann"), R"({"message":"not: Ann","reason":"approval_denied","tool":"pay"})");
    EXPECT_EQ(data_of(caught, ""), R"({"message":"","reason":"approval_denied","tool":"pay"})");
    const std::string branch = R"({"message":"no","reason":"approval_denied","tool":"pay"})";
    EXPECT_EQ(data_of("(pmap (fn [_] " + caught + ") [1 2])", "no"), "[" + branch + "," + branch + "]");
}

TEST(Approval, ADeniedCallThatIsThrownAgainIsTheSameFailure) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}, .max_turns = 1});
    MissionOptions mission =
        options(programs({"(try (tool/pay {:to \"Ann\" :amount 1}) (catch Exception e (throw e)))"}));
    mission.approve = [](const ApprovalRequest&) { return std::optional(ApprovalAnswer::deny("not Ann")); };
    const Step step = made->run(std::move(mission));
    EXPECT_EQ(reason_of(step), "approval_denied");
    EXPECT_EQ(step.fail->message.find("{:"), std::string::npos) << step.fail->message;
}

TEST(Approval, WhatWasStoppedMeanwhileIsNotCalled) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    std::stop_source stop;
    MissionOptions mission = options(programs({kLoop}));
    mission.stop = stop.get_token();
    mission.approve = [&stop](const ApprovalRequest&) {
        stop.request_stop();
        return std::optional(ApprovalAnswer::approve());
    };
    EXPECT_EQ(reason_of(made->run(std::move(mission))), "interrupted");
    EXPECT_TRUE(till.paid->empty());
}

TEST(Approval, HiddenPartsOfTextsStayWhatTheyWere) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    const auto paid = [&](const char* changed) {
        MissionOptions mission =
            options(programs({"(return (tool/pay {:to (str \"for \" data/_mail) :amount 1}))", "(return 0)"}));
        mission.context = json(R"({"_mail":"ann@example.org"})");
        Asked asked;
        asked.answer = [changed](const ApprovalRequest& request) {
            return request.problem.empty() ? ApprovalAnswer::approve_with(json(changed)) : ApprovalAnswer::deny("");
        };
        mission.approve = asked.approver();
        EXPECT_TRUE(made->run(std::move(mission)).ok);
        return asked.all->back().problem;
    };
    EXPECT_EQ(paid(R"({"to":"for <Firewalled>","amount":2})"), "");
    ASSERT_EQ(till.paid->size(), 1U);
    EXPECT_EQ(json(till.paid->back()), json(R"({"to":"for ann@example.org","amount":2})"));
    EXPECT_NE(paid(R"({"to":"to <Firewalled>","amount":2})").find("cannot be changed"), std::string::npos);
    EXPECT_EQ(till.paid->size(), 1U);
}

TEST(Approval, DeniedAndNotCaughtIsToldToTheModel) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    const Model model = programs({"(tool/pay {:to \"Ann\" :amount 1})", "(return :other-way)"});
    const Step step = made->run(options(model)); // nobody is there to approve
    EXPECT_TRUE(step.ok);
    EXPECT_EQ(step.trace[0].reason, "approval_denied");
    EXPECT_NE(model.last_message(2).find("nobody is there who could approve it"), std::string::npos);
    EXPECT_TRUE(till.paid->empty());
}

TEST(Approval, WithChangedArgumentsThatFit) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    MissionOptions mission = options(programs({"(return (tool/pay {:to \"Ann\" :amount 100}))"}));
    Asked asked;
    asked.answer = [](const ApprovalRequest& request) {
        return ApprovalAnswer::approve_with(request.problem.empty() ? json(R"({"to":"Ann"})")
                                                                    : json(R"({"to":"Ann","amount":7})"));
    };
    mission.approve = asked.approver();
    EXPECT_EQ(made->run(std::move(mission)).value, Datum("paid 7"));
    ASSERT_EQ(asked.all->size(), 2U);
    EXPECT_NE((*asked.all)[1].problem.find("amount"), std::string::npos) << (*asked.all)[1].problem;
    EXPECT_EQ(*till.paid, std::vector<std::string>{R"({"amount":7,"to":"Ann"})"});
}

TEST(Approval, ThatNeverFitsIsADenial) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    MissionOptions mission = options(programs({"(return (tool/pay {:to \"Ann\" :amount 100}))", "(return 1)"}));
    Asked asked;
    asked.answer = [](const ApprovalRequest&) { return ApprovalAnswer::approve_with(Datum(1)); };
    mission.approve = asked.approver();
    const Step step = made->run(std::move(mission));
    EXPECT_EQ(step.trace[0].reason, "approval_denied");
    EXPECT_EQ(asked.all->size(), std::size_t{ApprovalRequest::kMostChanges});
    EXPECT_TRUE(till.paid->empty());
}

TEST(Approval, OfBranchesIsAskedOneByOne) {
    for (const std::string call : {"(pmap (fn [i] (tool/pay {:to \"Ann\" :amount i})) [1 2 3])",
                                   "(pcalls #(tool/pay {:to \"Ann\" :amount 1}) #(tool/pay {:to \"Bo\" :amount 2}) "
                                   "#(tool/pay {:to \"Cy\" :amount 3}))"}) {
        const Till till;
        const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
        MissionOptions mission = options(programs({"(return\n " + call + ")"}));
        const Asked asked;
        mission.approve = asked.approver();
        const Step step = made->run(std::move(mission));
        EXPECT_EQ(step.value, json(R"(["paid 1","paid 2","paid 3"])")) << reason_of(step);
        ASSERT_EQ(asked.all->size(), 3U);
        for (const ApprovalRequest& request : *asked.all)
            EXPECT_EQ(request.line, 2U);
    }
}

TEST(Approval, OfAnAgentAsAToolReachesTheHost) {
    const Till till;
    const AgentPtr clerk = agent(
        {.name = "clerk", .prompt = "Pay {{who}}.", .signature = "(who :string) -> :string", .tools = {till.tool()}});
    AgentTool helper =
        clerk->as_tool("clerk", ModelRef(programs({"(return (tool/pay {:to data/who :amount 3}))"}).llm()));
    helper.tool.approval = true; // the agent itself, too
    const AgentPtr boss = agent({.name = "boss", .prompt = "Delegate.", .tools = {helper}});
    MissionOptions mission = options(programs({"(return (tool/clerk {:who \"Ann\"}))"}));
    const Asked asked;
    mission.approve = asked.approver();
    EXPECT_EQ(boss->run(std::move(mission)).value, Datum("paid 3"));
    ASSERT_EQ(asked.all->size(), 2U);
    EXPECT_EQ((*asked.all)[0].agent + "/" + (*asked.all)[0].tool, "boss/clerk");
    EXPECT_EQ((*asked.all)[1].agent + "/" + (*asked.all)[1].tool, "clerk/pay");
    EXPECT_EQ((*asked.all)[1].depth, 1U);
}

TEST(Approval, OfNativeCalls) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}, .output = AgentOutput::Text});
    const auto call = [](std::string id, int amount) {
        return ToolCall{
            .id = std::move(id), .name = "pay", .arguments = Datum::object({{"to", "Ann"}, {"amount", amount}})};
    };
    const Model model(
        std::vector<LlmResult>{LlmReply{.tool_calls = {call("a", 1), call("b", 2)}}, LlmReply{.text = "done"}});
    MissionOptions mission = options(model);
    Asked asked;
    asked.answer = [](const ApprovalRequest& request) {
        return *request.arguments.find("amount") == Datum(1) ? ApprovalAnswer::approve()
                                                             : ApprovalAnswer::deny("too much");
    };
    mission.approve = asked.approver();
    EXPECT_TRUE(made->run(std::move(mission)).ok);
    const auto& messages = model.seen->requests[1].messages;
    EXPECT_EQ(messages[messages.size() - 2].content, "\"paid 1\"");
    EXPECT_EQ(messages.back().content, R"({"status":"error","reason":"approval_denied","error":"too much"})");
    EXPECT_EQ((*asked.all)[0].program, "");
}

TEST(Approval, IsNotAskedForWhatACacheHas) {
    const Till till;
    AgentTool cached(till.tool());
    cached.cache = true;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {cached}});
    MissionOptions mission =
        options(programs({"(def a (tool/pay {:to \"Ann\" :amount 1})) (def b (tool/pay {:to \"Ann\" :amount 1})) "
                          "(return [a b (pmap (fn [_] (tool/pay {:to \"Bo\" :amount 2})) [1 2])])"}));
    const Asked asked;
    mission.approve = asked.approver();
    EXPECT_EQ(made->run(std::move(mission)).value, json(R"(["paid 1","paid 1",["paid 2","paid 2"]])"));
    EXPECT_EQ(asked.all->size(), 2U);
    EXPECT_EQ(till.paid->size(), 2U);
}

TEST(Approval, ChangedArgumentsHaveAResultOfTheirOwnInTheCache) {
    const Till till;
    AgentTool cached(till.tool());
    cached.cache = true;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {cached}});
    MissionOptions mission =
        options(programs({"(return [(tool/pay {:to \"Ann\" :amount 9}) (tool/pay {:to \"Ann\" :amount "
                          "1}) (tool/pay {:to \"Ann\" :amount 9})])"}));
    Asked asked;
    asked.answer = [](const ApprovalRequest&) {
        return ApprovalAnswer::approve_with(json(R"({"to":"Ann","amount":1})"));
    };
    mission.approve = asked.approver();
    EXPECT_EQ(made->run(std::move(mission)).value, json(R"(["paid 1","paid 1","paid 1"])"));
    EXPECT_EQ(asked.all->size(), 2U); // 9 twice: what was answered was not asked for
    EXPECT_EQ(till.paid->size(), 1U);
}

TEST(Approval, ShowsNothingFirewalledAndKeepsIt) {
    const auto got = std::make_shared<std::string>();
    Tool send = host_tool("send", "", [got](const Datum& a) -> Result<Datum> {
        *got = a.to_json();
        return Datum(true);
    });
    send.approval = true;
    const AgentPtr made = agent({.prompt = "Send.", .tools = {send}});
    MissionOptions mission =
        options(programs({"(return (tool/send {:_to data/_mail :copy data/_mail :n 1 :text (apply str "
                          "(repeat 30000 \"x\"))}))",
                          "(return (tool/send {:_to data/_mail :n 1}))"}));
    mission.context = json(R"({"_mail":"ann@example.com"})");
    Asked asked;
    asked.answer = [](const ApprovalRequest& request) {
        if (request.is_cut) return ApprovalAnswer::deny("too long");
        return ApprovalAnswer::approve_with(json(R"({"_to":"<Firewalled>","n":2})"));
    };
    mission.approve = asked.approver();
    EXPECT_TRUE(made->run(std::move(mission)).ok);
    ASSERT_EQ(asked.all->size(), 2U);
    for (const ApprovalRequest& request : *asked.all) {
        EXPECT_EQ(request.arguments.to_json().find("ann@"), std::string::npos);
        EXPECT_LE(request.arguments.to_json().size(), ApprovalRequest::kMaxArguments);
    }
    EXPECT_TRUE((*asked.all)[0].is_cut);
    EXPECT_EQ((*asked.all)[1].arguments, json(R"({"_to":"<Firewalled>","n":1})"));
    EXPECT_EQ(*got, R"({"_to":"ann@example.com","n":2})");
}

// ---- Step by step, and after days

/// Calls models and tools until there is nothing left but approvals, or the end; those are given.
std::vector<ApprovalNeed> run_to_approvals(Mission& mission) {
    std::vector<ApprovalNeed> open;
    while (true) {
        Needs needs = mission.take_needs();
        for (ApprovalNeed& need : needs.approvals)
            open.push_back(std::move(need));
        if (needs.llm.empty() && needs.tools.empty()) return open;
        for (const LlmNeed& need : needs.llm)
            mission.answer(need.id, (*need.model)(need.request));
        for (const ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need));
    }
}

TEST(Approval, ForeignAndDoubledAnswersAreIgnored) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    Mission mission(made, options(programs({"(return (tool/pay {:to \"Ann\" :amount 1}))"})));
    mission.start();
    const std::vector<ApprovalNeed> open = run_to_approvals(mission);
    ASSERT_EQ(open.size(), 1U);
    EXPECT_TRUE(mission.waits_for_approval());
    mission.answer(open[0].id, ToolAnswer(Datum("forged")));
    mission.answer(open[0].id, LlmResult(LlmReply{.text = "forged"}));
    mission.answer(open[0].id + 1, ApprovalAnswer::approve());
    EXPECT_TRUE(mission.take_needs().empty());
    mission.answer(open[0].id, ApprovalAnswer::approve());
    mission.answer(open[0].id, ApprovalAnswer::deny("twice"));
    mission.answer(open[0].id, ApprovalAnswer::approve());
    const Needs needs = mission.take_needs();
    ASSERT_EQ(needs.tools.size(), 1U);
    mission.answer(needs.tools[0].id, ApprovalAnswer::deny("it is no approval"));
    mission.answer(needs.tools[0].id, call_tool(needs.tools[0]));
    EXPECT_EQ(mission.step().value, Datum("paid 1"));
}

TEST(Approval, MayWaitForDays) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.",
                                 .tools = {till.tool()},
                                 .timeout = std::chrono::minutes(10),
                                 .mission_timeout = std::chrono::minutes(50)});
    const FakeTime time;
    const Model model = programs({"(def a (tool/pay {:to \"Ann\" :amount 1}))\n"
                                  "(return (pmap (fn [i] (str a (tool/pay {:to \"Bo\" :amount i}))) [2 3]))"});
    MissionOptions mission = options(model);
    mission.clock = time.clock();
    auto at_work = std::make_unique<Mission>(made, mission);
    at_work->start();
    std::size_t asked = 0;
    std::vector<ApprovalNeed> open = run_to_approvals(*at_work);
    while (!at_work->is_done()) {
        ASSERT_FALSE(open.empty());
        const Result<std::string> bytes = at_work->save();
        ASSERT_TRUE(bytes.ok());
        *time.now += hours(48);
        at_work = std::move(made->restore(bytes.value(), mission)).value();
        const std::vector<ApprovalNeed> again = run_to_approvals(*at_work);
        ASSERT_EQ(again.size(), open.size());
        *time.now += hours(48); // also without a save
        std::vector<ApprovalNeed> next;
        for (std::size_t i = 0; i < again.size(); ++i) {
            EXPECT_EQ(again[i].id, open[i].id);
            EXPECT_EQ(again[i].request.line, open[i].request.line);
            EXPECT_EQ(again[i].request.arguments, open[i].request.arguments);
            EXPECT_EQ(again[i].request.done.size(), open[i].request.done.size());
            at_work->answer(again[i].id, ApprovalAnswer::approve());
            ++asked;
            std::ranges::move(run_to_approvals(*at_work), std::back_inserter(next));
            *time.now += hours(1);
        }
        open = std::move(next);
    }
    EXPECT_EQ(at_work->step().value, json(R"(["paid 1paid 2","paid 1paid 3"])")) << reason_of(at_work->step());
    EXPECT_EQ(asked, 3U);
    EXPECT_EQ(till.paid->size(), 3U); // nothing is run again
    EXPECT_EQ(model.calls(), 1U);
}

TEST(Approval, OtherWorkStillTakesItsTime) {
    const Till till;
    const FakeTime time;
    const Tool slow = host_tool("slow", "() -> :int", [now = time.now](const Datum&) -> Result<Datum> {
        *now += milliseconds(6000);
        return Datum(1);
    });
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool(), slow}, .timeout = milliseconds(4000)});
    MissionOptions mission =
        options(programs({"(tool/pay {:to \"Ann\" :amount 1}) (tool/slow {}) (return 1)", "(return 2)"}));
    mission.clock = time.clock();
    mission.approve = [now = time.now](const ApprovalRequest&) {
        *now += hours(3);
        return std::optional(ApprovalAnswer::approve());
    };
    const Step step = made->run(std::move(mission));
    EXPECT_EQ(step.value, Datum(2));
    EXPECT_EQ(step.trace[0].reason, "timeout");
}

TEST(Approval, InACheckpointWaitsAndIsAskedForOnce) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "m.db";
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    const Model model = programs({kLoop});
    std::size_t asked = 0;
    const auto run = [&](const Approver& approve) {
        const auto file = CheckpointFile::open(path);
        EXPECT_TRUE(file.ok());
        MissionOptions mission = options(model);
        mission.approve = approve;
        Result<Step> step = file.value()->run(made, "m", mission);
        EXPECT_TRUE(step.ok());
        return step.ok() ? std::move(step).value() : Step();
    };
    const auto once = [&](const ApprovalRequest&) -> std::optional<ApprovalAnswer> {
        if (++asked % 2 == 0) return std::nullopt;
        return ApprovalAnswer::approve();
    };
    EXPECT_EQ(reason_of(run({})), "approval_pending");
    EXPECT_EQ(reason_of(run(once)), "approval_pending"); // the first one is given, the second put off
    EXPECT_EQ(run(once).value, json(R"(["paid 0","paid 1"])"));
    EXPECT_EQ(asked, 3U);
    EXPECT_EQ(till.paid->size(), 2U);
    EXPECT_EQ(model.calls(), 1U);
    const auto calls = CheckpointFile::open(path).value()->calls("m");
    std::size_t approvals = 0;
    for (const CheckpointedCall& call : calls.value())
        approvals += call.kind == CheckpointedCall::Kind::Approval && call.is_answered;
    EXPECT_EQ(approvals, 2U);
}

TEST(Approval, OfARecordingIsRepeated) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "m.jsonl";
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    MissionOptions mission = options(programs({kLoop, "(return 1)"}));
    Asked asked;
    asked.answer = [](const ApprovalRequest& request) {
        if (*request.arguments.find("amount") == Datum(0))
            return ApprovalAnswer::approve_with(json(R"({"to":"Bo","amount":5})"));
        return ApprovalAnswer::deny("once is enough");
    };
    mission.approve = asked.approver();
    const Result<Step> step = record_mission(made, mission, path);
    ASSERT_TRUE(step.ok());
    const auto recording = Recording::open(path);
    ASSERT_TRUE(recording.ok()) << recording.error().message;
    mission.approve = [](const ApprovalRequest&) -> std::optional<ApprovalAnswer> {
        ADD_FAILURE() << "a replay asked";
        return std::nullopt;
    };
    const Result<Step> again = recording.value()->replay(made, mission);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value().value, step.value().value);
    EXPECT_EQ(again.value().usage.fuel, step.value().usage.fuel);
    EXPECT_EQ(again.value().trace[0].message, step.value().trace[0].message);
    EXPECT_EQ(till.paid->size(), 1U);
}

TEST(Approval, IsSeenByThoseWhoWatch) {
    const Till till;
    const AgentPtr made = agent({.prompt = "Pay.", .tools = {till.tool()}});
    MissionOptions mission = options(programs({kLoop, "(return 1)"}));
    Asked asked;
    asked.answer = [](const ApprovalRequest& request) {
        return request.done.empty() ? ApprovalAnswer::approve() : ApprovalAnswer::deny("enough");
    };
    mission.approve = asked.approver();
    std::string seen;
    mission.on_event = [&](const MissionEvent& event) {
        const bool is_of_call = !event.tool.empty();
        if (is_of_call)
            seen += std::string(event_name(event.kind)) + (event.ok ? "" : " " + event.reason) +
                    (event.line > 0 ? " " + std::to_string(event.line) + ":" + std::to_string(event.column) : "") +
                    "\n";
    };
    (void)made->run(std::move(mission));
    EXPECT_EQ(seen, "approval_request 5:32\napproval_answer 5:32\ntool_start\ntool_call\n"
                    "approval_request 5:32\napproval_answer approval_denied 5:32\ntool_call approval_denied\n");
}

// ---- Engines and sessions without a mission

TEST(Approval, SuspendsASessionWhoseToolHasAFunction) {
    const Till till;
    const Engine engine({.tools = {till.tool()}});
    Session session(engine);
    RunState state = session.start("[1\n (tool/pay {:to \"Ann\" :amount 2})]");
    ASSERT_TRUE(std::holds_alternative<Suspended>(state));
    const std::optional<LineColumn> place = session.call_position(0);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->line, 2U);
    const std::string bytes = session.save().value(); // for days
    auto later = std::move(Session::restore(engine, bytes)).value();
    EXPECT_EQ(later->call_position(0)->line, 2U);
    state = later->resume(Datum("paid by hand"));
    EXPECT_EQ(std::get<Outcome>(state).value, "[1 \"paid by hand\"]");
    state = session.resume({Error(Reason::ApprovalDenied, "no")});
    EXPECT_EQ(std::get<Outcome>(state).error->reason, Reason::ApprovalDenied);
    const Outcome alone = session.run("(tool/pay {:to \"Ann\" :amount 2})");
    EXPECT_EQ(alone.error->message,
              "The call of the tool `pay` was not approved: nobody is there who could approve it");
    EXPECT_TRUE(till.paid->empty());
}

} // namespace
} // namespace ptc
