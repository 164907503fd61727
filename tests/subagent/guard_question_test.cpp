// Guards that ask about what is no call: a prompt, a program, a result. Approved, changed or denied, now or after days.
#include "ptc/recording.h"
#include "tests/subagent/missions.h"
#include "tests/support/temporary_folder.h"
#include <algorithm>
#include <ptc/checkpoint.h>

namespace ptc {
namespace {

Guard asking(GuardPoint point, std::string question = "May it?") {
    return {.name = "g", .points = {point}, .check = [question](const Guarded&) { return Verdict::ask(question); }};
}

using Answers = std::vector<ApprovalAnswer>;

/// What was asked, and what came of it when these answers were given.
struct Ran {
    Step step;
    std::vector<ApprovalRequest> asked{};
    std::vector<std::string> events{};
};

Ran run(AgentOptions options, const Model& model, Answers answers) {
    Ran ran;
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.approve = [&](const ApprovalRequest& request) {
        ran.asked.push_back(request);
        return std::optional(answers.at(ran.asked.size() - 1));
    };
    mission.on_event = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::ApprovalRequest || event.kind == MissionEvent::Kind::ApprovalAnswer)
            ran.events.push_back(event_json(event));
    };
    if (options.prompt.empty()) options.prompt = "Do it.";
    ran.step = agent(std::move(options))->run(mission);
    return ran;
}

TEST(Question, AboutAPromptThatIsApprovedOrChanged) {
    const Model model = programs({"(return 1)"});
    const Ran ran = run({.guards = {asking(GuardPoint::BeforeModel, "May this leave the house?")}}, model,
                        {ApprovalAnswer::approve()});
    EXPECT_EQ(ran.step.value, Datum(1));
    EXPECT_EQ(model.last_message(1), "Do it.");
    ASSERT_EQ(ran.asked.size(), 1U);
    EXPECT_EQ(ran.asked[0].point, "before_model");
    EXPECT_EQ(ran.asked[0].tool, "");
    EXPECT_EQ(ran.asked[0].arguments.to_json(), R"({"value":"Do it."})");
    EXPECT_EQ(ran.asked[0].problem, "The guard `g` asks: May this leave the house?");
    const Model other = programs({"(return 1)"});
    (void)run({.guards = {asking(GuardPoint::BeforeModel)}}, other,
              {ApprovalAnswer::approve_with(json(R"({"value":"Do less."})"))});
    EXPECT_EQ(other.last_message(1), "Do less.");
}

TEST(Question, AboutAPromptThatIsDeniedEndsTheMission) {
    const Model model = programs({"(return 1)"});
    const Ran ran = run({.guards = {asking(GuardPoint::BeforeModel)}}, model, {ApprovalAnswer::deny("not today")});
    EXPECT_EQ(reason_of(ran.step), "approval_denied");
    EXPECT_EQ(ran.step.fail->message, "What the model was to read was not approved: not today");
    EXPECT_EQ(model.calls(), 0U);
    EXPECT_EQ(ran.step.usage.turns, 0U);
}

TEST(Question, AboutEachResultOfARoundOfCalls) {
    const Tool tool = host_tool("n", "() -> :int", [](const Datum&) { return Result<Datum>(Datum(7)); });
    const Guard guard{.name = "g", .points = {GuardPoint::BeforeModel}, .check = [](const Guarded& seen) {
                          return *seen.value.text() == "7" ? Verdict::ask("Seven?") : Verdict::allow();
                      }};
    const Model model(
        {LlmReply{.tool_calls = {{"a", "n", json("{}")}, {"b", "n", json("{}")}}}, LlmReply{.text = "done"}});
    const Ran ran = run({.tools = {tool}, .output = AgentOutput::Text, .guards = {guard}}, model,
                        {ApprovalAnswer::approve(), ApprovalAnswer::approve_with(json(R"({"value":"8"})"))});
    EXPECT_EQ(ran.step.value, Datum("done"));
    const std::vector<Message>& messages = model.seen->requests.at(1).messages;
    EXPECT_EQ(messages.at(messages.size() - 1).content, "7"); // the last one is asked about first
    EXPECT_EQ(messages.at(messages.size() - 2).content, "8");
}

TEST(Question, AboutAReply) {
    const Model model({LlmReply{.text = fenced("(return 1)"), .provider_state = "signed"},
                       LlmReply{.text = fenced("(return 2)"), .provider_state = "signed"},
                       LlmReply{.text = fenced("(return 3)")}});
    const Ran ran = run({.guards = {asking(GuardPoint::AfterModel)}}, model,
                        {ApprovalAnswer::deny("not one"),
                         ApprovalAnswer::approve_with(Datum::object({{"value", fenced("(def a 4)")}})),
                         ApprovalAnswer::approve_with(Datum::object({{"value", fenced("(return a)")}}))});
    EXPECT_EQ(ran.step.value, Datum(4)) << reason_of(ran.step);
    EXPECT_EQ(ran.asked.at(0).point, "after_model");
    EXPECT_EQ(ran.asked[0].arguments.find("value")->text()->find("```clojure"), 0U);
    EXPECT_EQ(ran.step.trace.at(0).reason, "approval_denied");
    EXPECT_NE(model.last_message(2).find("The reply was not approved: not one"), std::string::npos);
    const std::vector<Message>& messages = model.seen->requests.at(2).messages;
    EXPECT_EQ(messages.at(1).provider_state, "signed");
    EXPECT_EQ(messages.at(3).content, fenced("(def a 4)")); // as it was approved, in the conversation and its trace
    EXPECT_EQ(messages.at(3).provider_state, "");
    EXPECT_EQ(ran.step.trace.at(1).reply, fenced("(def a 4)"));
}

TEST(Question, GuardsOfTextsSeeNothingElseThatAnApproverGives) {
    int others = 0;
    for (const GuardPoint point : {GuardPoint::BeforeModel, GuardPoint::AfterModel, GuardPoint::BeforeProgram}) {
        const Guard guard{.name = "g", .points = {point}, .check = [&others](const Guarded& seen) {
                              others += seen.value.text() ? 0 : 1;
                              return Verdict::ask("May it?");
                          }};
        const Model model = programs({"(return 1)"});
        const Ran ran = run({.guards = {guard}}, model,
                            {ApprovalAnswer::approve_with(json(R"({"value":5})")), ApprovalAnswer::approve()});
        ASSERT_EQ(ran.asked.size(), 2U);
        EXPECT_EQ(ran.asked[1].problem, "The changed value does not fit. It must be a text.");
        EXPECT_EQ(ran.step.value, Datum(1)) << reason_of(ran.step);
    }
    EXPECT_EQ(others, 0);
}

TEST(Question, AboutAReplyWithCallsComesBeforeThem) {
    int called = 0;
    const Tool tool = host_tool("n", "() -> :int", [&called](const Datum&) { return Result<Datum>(Datum(++called)); });
    const Model model({LlmReply{.text = "I call.", .tool_calls = {{"a", "n", json("{}")}, {"b", "n", json("{}")}}},
                       LlmReply{.text = "Again.", .tool_calls = {{"c", "n", json("{}")}}}, LlmReply{.text = "done"}});
    const Ran ran = run({.tools = {tool}, .output = AgentOutput::Text, .guards = {asking(GuardPoint::AfterModel)}},
                        model, {ApprovalAnswer::deny("no"), ApprovalAnswer::approve(), ApprovalAnswer::approve()});
    EXPECT_EQ(ran.step.value, Datum("done")) << reason_of(ran.step);
    EXPECT_EQ(called, 1);
    const std::vector<Message>& messages = model.seen->requests.at(1).messages;
    for (const std::size_t back : {2U, 1U}) { // every call has its answer
        EXPECT_TRUE(messages.at(messages.size() - back).is_error);
        EXPECT_NE(messages.at(messages.size() - back).content.find("The reply was not approved: no"),
                  std::string::npos);
    }
}

TEST(Question, AboutAProgram) {
    const Model model = programs({"(return 1)", "(return 2)", "(return 3)"});
    const Ran ran =
        run({.guards = {asking(GuardPoint::BeforeProgram)}}, model,
            {ApprovalAnswer::deny("not one"), ApprovalAnswer::approve_with(json(R"x({"value":"(return 9)"})x"))});
    EXPECT_EQ(ran.step.value, Datum(9));
    ASSERT_EQ(ran.step.trace.size(), 2U);
    EXPECT_EQ(ran.step.trace[0].reason, "approval_denied");
    EXPECT_EQ(ran.step.trace[1].program, "(return 9)");
    EXPECT_NE(model.last_message(2).find("The program was not approved: not one"), std::string::npos);
    EXPECT_EQ(ran.asked[0].arguments.to_json(), R"x({"value":"(return 1)"})x");
}

TEST(Question, AboutTheResultOfAProgram) {
    const Model model = programs({"(def a 1) (return {:n a})", "(return {:n (+ a 1)})"});
    const Ran ran = run({.signature = "() -> {n :int}", .guards = {asking(GuardPoint::Result)}}, model,
                        {ApprovalAnswer::deny("more"), ApprovalAnswer::approve()});
    EXPECT_EQ(ran.step.value.to_json(), R"({"n":2})"); // what was defined before is there
    EXPECT_NE(model.last_message(2).find("The result was not approved: more"), std::string::npos);
    EXPECT_NE(model.last_message(2).find("What this program defined is kept. Write"), std::string::npos);
    EXPECT_EQ(ran.asked[1].program, "(return {:n (+ a 1)})");
    EXPECT_EQ(ran.step.usage.turns, 2U);
}

TEST(Question, AboutAResultInText) {
    const Model model({LlmReply{.text = "one"}, LlmReply{.text = "two"}});
    const Ran ran = run({.output = AgentOutput::Text, .guards = {asking(GuardPoint::Result)}}, model,
                        {ApprovalAnswer::deny("another"), ApprovalAnswer::approve()});
    EXPECT_EQ(ran.step.value, Datum("two"));
    EXPECT_NE(model.last_message(2).find("The result was not approved: another"), std::string::npos);
}

TEST(Question, AChangedResultMustFit) {
    const AgentOptions options{.signature = "() -> {n :int}", .guards = {asking(GuardPoint::Result)}};
    const Ran fits = run(options, programs({"(return {:n 1})"}),
                         {ApprovalAnswer::approve_with(json(R"({"value":{"n":"x"}})")),
                          ApprovalAnswer::approve_with(json(R"({"value":{"n":5}})"))});
    EXPECT_EQ(fits.step.value.to_json(), R"({"n":5})");
    EXPECT_NE(fits.asked.at(1).problem.find("The changed value does not fit."), std::string::npos);
    const Answers wrong(3, ApprovalAnswer::approve_with(json(R"({"n":5})")));
    AgentOptions one = options;
    one.max_turns = 1;
    const Ran never = run(one, programs({"{:n 1}"}), wrong);
    EXPECT_EQ(reason_of(never.step), "approval_denied");
    EXPECT_EQ(never.asked.size(), 3U);
}

TEST(Question, RetryTurnsAreForADeniedResult) {
    AgentOptions options{.max_turns = 1, .retry_turns = 1, .guards = {asking(GuardPoint::Result)}};
    const Answers answers = {ApprovalAnswer::deny("no"), ApprovalAnswer::approve()};
    EXPECT_EQ(run(options, programs({"1", "2"}), answers).step.value, Datum(2));
    options.retry_turns = 0;
    EXPECT_EQ(reason_of(run(options, programs({"1", "2"}), answers).step), "approval_denied");
}

TEST(Question, GuardsBehindItStillRefuse) {
    const Guard never{.name = "n", .points = {GuardPoint::BeforeProgram}, .check = [](const Guarded& seen) {
                          return *seen.value.text() == "(return 1)" ? Verdict::refuse("never") : Verdict::allow();
                      }};
    const Ran ran = run({.guards = {asking(GuardPoint::BeforeProgram), never}}, programs({"(return 1)", "(return 2)"}),
                        {ApprovalAnswer::approve_with(json(R"x({"value":"(return 1)"})x")), ApprovalAnswer::approve()});
    EXPECT_EQ(ran.step.trace[0].reason, "guard_refused"); // nobody was asked
    EXPECT_NE(ran.asked.at(1).problem.find("never"), std::string::npos);
    EXPECT_EQ(ran.step.value, Datum(2));
}

TEST(Question, WithoutAnybodyIsDenied) {
    MissionOptions mission;
    mission.model = ModelRef(programs({"(return 1)"}).llm());
    const Step step = agent({.prompt = "x", .guards = {asking(GuardPoint::BeforeModel)}})->run(mission);
    EXPECT_EQ(reason_of(step), "approval_denied");
}

TEST(Question, ShowsNothingFirewalled) {
    const Ran ran = run({.guards = {asking(GuardPoint::Result)}}, programs({"(return {:_key \"hunter2\" :n 1})"}),
                        {ApprovalAnswer::approve_with(json(R"({"value":{"_key":"<Firewalled>","n":2}})"))});
    EXPECT_EQ(ran.asked.at(0).arguments.to_json().find("hunter2"), std::string::npos);
    for (const std::string& event : ran.events)
        EXPECT_EQ(event.find("hunter2"), std::string::npos) << event;
    EXPECT_EQ(ran.step.value.to_json(), R"({"_key":"hunter2","n":2})");
}

TEST(Question, IsSeenByThoseWhoWatch) {
    const Ran ran =
        run({.guards = {asking(GuardPoint::BeforeProgram)}}, programs({"(return 1)"}), {ApprovalAnswer::approve()});
    ASSERT_EQ(ran.events.size(), 2U);
    EXPECT_NE(ran.events[0].find(R"("point":"before_program")"), std::string::npos) << ran.events[0];
    EXPECT_NE(ran.events[1].find(R"("point":"before_program")"), std::string::npos) << ran.events[1];
}

/// All questions, a tool between them.
AgentOptions questions(const std::shared_ptr<int>& paid) {
    AgentOptions options{.prompt = "x", .signature = "() -> {n :int}"};
    options.tools = {host_tool("pay", "() -> :int", [paid](const Datum&) { return Result<Datum>(Datum(++*paid)); })};
    options.guards = {asking(GuardPoint::BeforeModel), asking(GuardPoint::AfterModel),
                      asking(GuardPoint::BeforeProgram), asking(GuardPoint::Result)};
    return options;
}

TEST(Question, ACheckpointThatWaitsForDaysGoesOn) {
    const auto paid = std::make_shared<int>(0);
    const AgentPtr made = agent(questions(paid));
    const FakeTime time;
    const auto options = [&] { return MissionOptions{.model = ModelRef(programs({}).llm()), .clock = time.clock()}; };
    Mission mission(made, options());
    mission.start();
    std::string log;
    for (int step = 0; step < 30 && !mission.is_done(); ++step) {
        const Result<std::string> bytes = mission.save();
        ASSERT_TRUE(bytes.ok()) << bytes.error().message;
        auto again = made->restore(bytes.value(), options());
        ASSERT_TRUE(again.ok()) << again.error().message;
        mission = std::move(**again);
        const Needs needs = mission.take_needs();
        for (const LlmNeed& need : needs.llm)
            mission.answer(need.id, LlmResult(LlmReply{.text = fenced("(def a (tool/pay)) (return {:n a})")})),
                log += "m";
        for (const ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need)), log += "t";
        for (const ApprovalNeed& need : needs.approvals) {
            EXPECT_TRUE(mission.waits_for_approval());
            *time.now += std::chrono::hours(72);
            log += need.request.point[0] == 'r'           ? "r"
                   : need.request.point == "before_model" ? "b"
                   : need.request.point == "after_model"  ? "a"
                                                          : "p";
            mission.answer(need.id, log == "bmaptr" ? ApprovalAnswer::deny("again") : ApprovalAnswer::approve());
        }
    }
    ASSERT_TRUE(mission.is_done());
    EXPECT_EQ(mission.step().value.to_json(), R"({"n":2})") << reason_of(mission.step());
    EXPECT_EQ(log, "bmaptrbmaptr");
    EXPECT_EQ(*paid, 2);
}

TEST(Question, InACheckpointFileIsAskedOnce) {
    const test::TemporaryFolder folder;
    const auto paid = std::make_shared<int>(0);
    const AgentPtr made = agent(questions(paid));
    const Model model = programs({"(return {:n (tool/pay)})"});
    int asked = 0;
    Step step;
    for (int i = 0; i < 5; ++i) { // each run answers one question
        const auto file = CheckpointFile::open(folder / "m.db");
        MissionOptions mission{.model = ModelRef(model.llm())};
        mission.approve = [&asked, is_first = true](const ApprovalRequest&) mutable -> std::optional<ApprovalAnswer> {
            if (!std::exchange(is_first, false)) return std::nullopt;
            ++asked;
            return ApprovalAnswer::approve();
        };
        step = file.value()->run(made, "m", mission).value();
        if (i < 3) {
            EXPECT_EQ(reason_of(step), "approval_pending");
        }
    }
    EXPECT_EQ(step.value.to_json(), R"({"n":1})") << reason_of(step);
    EXPECT_EQ(asked, 4);
    EXPECT_EQ(*paid, 1);
    EXPECT_EQ(model.calls(), 1U);
}

TEST(Question, OfARecordingIsRepeated) {
    const test::TemporaryFolder folder;
    const auto paid = std::make_shared<int>(0);
    const AgentPtr made = agent(questions(paid));
    MissionOptions mission{.model = ModelRef(programs({"(return {:n (tool/pay)})"}).llm())};
    mission.approve = [](const ApprovalRequest&) { return std::optional(ApprovalAnswer::approve()); };
    ASSERT_TRUE(record_mission(made, mission, folder / "m.jsonl").ok());
    const auto recording = Recording::open(folder / "m.jsonl");
    ASSERT_TRUE(recording.ok()) << recording.error().message;
    mission.approve = {};
    const Result<Step> again = recording.value()->replay(made, mission);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value().value.to_json(), R"({"n":1})");
    EXPECT_EQ(*paid, 1);
}

} // namespace
} // namespace ptc
