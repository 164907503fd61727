// Tools that change while missions run (AgentOptions::tool_feed): what the next turn can call, what the model reads of
// it, and what becomes of missions that were saved with other tools.
#include "ptc/mission.h"
#include "ptc/recording.h"
#include "tests/subagent/missions.h"
#include "tests/support/temporary_folder.h"
#include <algorithm>

namespace ptc {
namespace {

/// A host whose tools are changed by the test, and by its tool `grow`.
struct Host {
    struct State {
        std::vector<Tool> tools;
        std::uint64_t version = 1;
        std::uint64_t hints = 1;
        std::size_t asked = 0;
    };
    std::shared_ptr<State> state = std::make_shared<State>();

    [[nodiscard]] static Tool saying(std::string name, std::string what, bool approval = false) {
        Tool tool =
            host_tool(std::move(name), "() -> :string", [what](const Datum&) -> Result<Datum> { return Datum(what); });
        tool.description = "Says " + what + ".";
        tool.approval = approval;
        return tool;
    }
    void set(std::vector<Tool> tools) const {
        state->tools = std::move(tools);
        ++state->version;
    }
    [[nodiscard]] AgentOptions agent(std::function<void()> grow = [] {}) const {
        AgentOptions options{.prompt = "Do it."};
        options.tools = {host_tool("grow", "() -> :any", [grow = std::move(grow)](const Datum&) -> Result<Datum> {
            grow();
            return Datum();
        })};
        options.tool_feed = {.version = [state = state] { return state->version; },
                             .hints = [state = state] { return state->hints; },
                             .tools =
                                 [state = state](const std::stop_token&) {
                                     ++state->asked;
                                     return state->tools;
                                 }};
        return options;
    }
};

std::string value_of(const Step& step) { return step.ok ? step.value.to_json() : reason_of(step) + step.fail->message; }

TEST(ToolFeed, ANextTurnHasWhatThereIsThenAndNothingThatWasSaidChanges) {
    const Host host;
    host.set({Host::saying("f.old", "old"), Host::saying("f.same", "same")});
    const AgentPtr made = agent(host.agent([&] {
        host.set({Host::saying("f.new", "new"), Host::saying("f.same", "other")});
    }));
    const Model model =
        programs({"(def n 20) (defn again [] (tool/f.old)) (tool/grow) (tool/f.old)",
                  "(return [(inc n) *1 (tool/f.new) (tool/f.same) (try (again) (catch Exception e \"gone\"))])"});
    EXPECT_EQ(value_of(made->run(model.llm())), R"([21,"old","new","other","gone"])");
    const auto& requests = model.seen->requests;
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].system, requests[1].system);
    EXPECT_EQ(requests[0].shared_system, requests[1].shared_system);
    EXPECT_NE(requests[0].system.find("f.old() -> :string\n"), std::string::npos);
    for (std::size_t i = 0; i < requests[0].messages.size(); ++i)
        EXPECT_EQ(requests[0].messages[i].content, requests[1].messages[i].content);
    EXPECT_EQ(model.last_message(2), "[The tools have changed. This holds from now on:\n"
                                     "New:\n  f.new() -> :string\n    Says new.\n"
                                     "Changed:\n  f.same() -> :string\n    Says other.\n"
                                     "Gone, and not to be called any more:\n  f.old\n"
                                     "(doc tool/NAME) shows a tool in full, (apropos \"words\") finds tools.]");
}

TEST(ToolFeed, AMissionBeginsWithWhatThereIsThenWithoutAWordAboutIt) {
    const Host host;
    const AgentPtr made = agent(host.agent());
    host.set({Host::saying("f.new", "new")});
    const Model model = programs({"(return (tool/f.new))"});
    EXPECT_EQ(value_of(made->run(model.llm())), "\"new\"");
    EXPECT_NE(model.seen->requests[0].system.find("f.new() -> :string"), std::string::npos);
    EXPECT_EQ(model.last_message(1), "Do it.");
}

TEST(ToolFeed, WhatIsKnownBetterIsForMissionsThatBeginAndIsAskedForOnce) {
    const Host host;
    host.set({Host::saying("f.old", "old")});
    const AgentPtr made = agent(host.agent([&] {
        host.state->tools[0].description = "Says old, as was seen.";
        ++host.state->hints;
    }));
    const auto systems = [&](const std::vector<std::string>& replies) {
        const Model model = programs(replies);
        EXPECT_EQ(value_of(made->run(model.llm())), "1");
        std::vector<std::string> all;
        for (const LlmRequest& request : model.seen->requests)
            all.push_back(request.system);
        return all;
    };
    const std::vector<std::string> first = systems({"(tool/grow)", "(return 1)"});
    EXPECT_EQ(first[0], first[1]);
    EXPECT_EQ(host.state->asked, 1u);
    const std::vector<std::string> second = systems({"(return 1)"}), third = systems({"(return 1)"});
    EXPECT_NE(second[0].find("Says old, as was seen."), std::string::npos);
    EXPECT_EQ(second[0], third[0]);
    EXPECT_EQ(host.state->asked, 2u) << "of two missions with the same hints each has asked";
}

TEST(ToolFeed, WhatToolsSayByNowIsForDocAndSearches) {
    const auto said = std::make_shared<std::string>("Says old.");
    Tool old = Host::saying("f.old", "old");
    old.description_now = [said] { return *said; };
    AgentOptions options{.prompt = "Do it.", .builtin_tools = {"tool_search"}};
    options.tools = {old, host_tool("grow", "() -> :any", [said](const Datum&) -> Result<Datum> {
                         *said = "Says old, as was seen.";
                         return Datum();
                     })};
    const std::string look = R"((do (doc tool/f.old) (:description (first (tool/search_tools {:query "old"})))))";
    const Model model = programs({look, "(tool/grow)", look, "(return 1)"});
    EXPECT_EQ(value_of(agent(std::move(options))->run(model.llm())), "1");
    const auto count = [&](std::size_t request) {
        const std::string text = model.last_message(request);
        std::size_t found = 0;
        for (std::size_t at = text.find("as was seen"); at != text.npos; at = text.find("as was seen", at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count(2), 0u);
    EXPECT_EQ(count(4), 2u) << model.last_message(4);
    EXPECT_EQ(model.seen->requests[0].system, model.seen->requests[3].system);
}

TEST(ToolFeed, MissionsOfOneAgentAskOnce) {
    const Host host;
    const AgentPtr made = agent(host.agent());
    host.set({Host::saying("f.new", "new")});
    std::vector<AgentPtr> kept;
    for (int i = 0; i < 5; ++i) {
        const Model model = programs({"(tool/f.new)", "(tool/f.new)", "(return 1)"});
        MissionOptions options;
        options.model = ModelRef(model.llm());
        options.on_event = [&](const MissionEvent&) {};
        EXPECT_EQ(value_of(made->run(std::move(options))), "1");
    }
    EXPECT_EQ(host.state->asked, 2u); // when the agent is made, and by the first mission
}

TEST(ToolFeed, AHostsOwnToolStandsAndOnesThatMakeNoAgentAreLeft) {
    const Host host;
    const AgentPtr made = agent(host.agent([&] {
        host.set({Host::saying("grow", "mine"), Host::saying("return", "reserved")});
    }));
    const Model model = programs({"(tool/grow)", "(return (tool/grow))"});
    EXPECT_EQ(value_of(made->run(model.llm())), "null");
}

TEST(ToolFeed, AFeedThatThrowsChangesNothing) {
    AgentOptions options{.prompt = "Do it."};
    options.tool_feed = {.version = []() -> std::uint64_t { throw std::runtime_error("no"); },
                         .tools = [](const std::stop_token&) -> std::vector<Tool> { throw std::runtime_error("no"); }};
    EXPECT_EQ(value_of(agent(std::move(options))->run(programs({"1", "(return 1)"}).llm())), "1");
}

TEST(ToolFeed, AThousandNewToolsAreToldWithinABound) {
    const Host host;
    const AgentPtr made = agent(host.agent([&] {
        std::vector<Tool> tools;
        for (int i = 0; i < 1000; ++i)
            tools.push_back(Host::saying("f.tool" + std::to_string(i), std::string(2000, 'x')));
        host.set(std::move(tools));
    }));
    const Model model = programs({"(tool/grow)", "(return (count (tool/f.tool999)))"});
    EXPECT_EQ(value_of(made->run(model.llm())), "2000");
    EXPECT_LT(model.last_message(2).size(), 12'000u);
    EXPECT_NE(model.last_message(2).find("more\n(doc tool/NAME)"), std::string::npos);
}

TEST(ToolFeed, ToolsThatChangeInEachTurnAreToldWithinABoundOfTheMission) {
    const Host host;
    int turn = 0;
    const AgentPtr made = agent([&] {
        AgentOptions options = host.agent([&] {
            std::vector<Tool> tools;
            for (int i = 0; i < 50; ++i)
                tools.push_back(
                    Host::saying("f.t" + std::to_string(turn) + "-" + std::to_string(i), std::string(300, 'x')));
            host.set(std::move(tools));
            ++turn;
        });
        options.max_turns = 12;
        return options;
    }());
    std::vector<std::string> replies(11, "(tool/grow)");
    replies.emplace_back("(return (count (tool/f.t10-49)))");
    const Model model = programs(replies);
    ASSERT_EQ(value_of(made->run(model.llm())), "300");
    std::size_t told = 0;
    for (const Message& message : model.seen->requests.back().messages)
        told += message.content.starts_with("[The tools have changed.") ? message.content.size() : 0;
    EXPECT_GT(told, 32'000u);
    EXPECT_LT(told, 40'000u);
    const std::string last = model.last_message(12);
    EXPECT_LT(last.size(), 400u);
    EXPECT_NE(last.find("New:\n  … and 50 more\nGone, and not to be called any more:\n  … and 50 more\n"),
              std::string::npos)
        << last;
}

TEST(ToolFeed, ToolsThatAreSearchedForAreFoundAndNamed) {
    const Host host;
    AgentOptions options = host.agent([&] { host.set({Host::saying("f.walrus", "how heavy a walrus is")}); });
    options.builtin_tools = {"tool_search"};
    const Model model =
        programs({"(tool/grow)", "(return (:name (first (tool/search_tools {:query \"heavy walrus\"}))))"});
    EXPECT_EQ(value_of(agent(std::move(options))->run(model.llm())), "\"f.walrus\"");
    EXPECT_NE(model.last_message(2).find("New:\n  f.walrus\n"), std::string::npos) << model.last_message(2);
}

/// The next answer that a mission asks for.
void answer_model(Mission& mission) {
    Needs needs = mission.take_needs();
    ASSERT_EQ(needs.llm.size(), 1u);
    mission.answer(needs.llm[0].id, (*needs.llm[0].model)(needs.llm[0].request));
}
void answer_tool(Mission& mission) {
    Needs needs = mission.take_needs();
    ASSERT_EQ(needs.tools.size(), 1u);
    Result<Datum> answer = needs.tools[0].tool->function(needs.tools[0].arguments);
    mission.answer(needs.tools[0].id, answer.ok() ? ToolAnswer(answer.value()) : ToolAnswer(answer.error()));
}

TEST(ToolFeed, AMissionThatIsGoneOnWithIsToldWhatHasChangedMeanwhile) {
    const Host host;
    host.set({Host::saying("f.old", "old"), Host::saying("f.kept", "kept")});
    const Model model = programs({"(tool/f.kept)", "(return (tool/f.new))"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    Mission first(agent(host.agent()), options);
    first.start();
    answer_model(first); // now it waits for f.kept
    const std::string bytes = first.save().value();
    host.set({Host::saying("f.new", "new"), Host::saying("f.kept", "kept")});
    const AgentPtr made = agent(host.agent());
    Result<std::unique_ptr<Mission>> second = made->restore(bytes, options);
    ASSERT_TRUE(second.ok()) << second.error().message;
    answer_tool(*second.value());
    answer_model(*second.value());
    answer_tool(*second.value());
    EXPECT_EQ(value_of(second.value()->step()), "\"new\"");
    EXPECT_EQ(model.seen->requests[0].system, model.seen->requests[1].system);
    EXPECT_NE(model.last_message(2).find("New:\n  f.new"), std::string::npos);
    EXPECT_NE(model.last_message(2).find("Gone, and not to be called any more:\n  f.old\n"), std::string::npos);
    // What it waits for has to be there.
    host.set({});
    const Result<std::unique_ptr<Mission>> third = agent(host.agent())->restore(bytes, options);
    ASSERT_FALSE(third.ok());
    EXPECT_NE(third.error().message.find("it waits for the tool `f.kept`, which is not there any more"),
              std::string::npos);
}

TEST(ToolFeed, ACallThatWasApprovedIsNotMadeWithAnotherTool) {
    const Host host;
    host.set({Host::saying("f.pay", "paid", true)});
    const Model model = programs({"(return (try (tool/f.pay) (catch Exception e (ex-message e))))"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    Mission first(agent(host.agent()), options);
    first.start();
    answer_model(first);
    Needs needs = first.take_needs();
    ASSERT_EQ(needs.approvals.size(), 1u);
    const std::string before = first.save().value();
    first.answer(needs.approvals[0].id, ApprovalAnswer::approve());
    const std::string approved = first.save().value(); // and the call under way
    const auto resumed = [&](const std::string& bytes) {
        Result<std::unique_ptr<Mission>> mission = agent(host.agent())->restore(bytes, options);
        return std::move(mission).value();
    };
    const auto same = resumed(approved);
    answer_tool(*same);
    EXPECT_EQ(value_of(same->step()), "\"paid\"");
    Tool changed = Host::saying("f.pay", "paid", true);
    changed.description = "Pays everybody.";
    host.set({changed});
    const auto other = resumed(approved);
    answer_tool(*other);
    EXPECT_NE(value_of(other->step()).find("has changed since this call was approved"), std::string::npos)
        << value_of(other->step());
    const auto asked = resumed(before); // whoever is asked now reads what it is now
    Needs again = asked->take_needs();
    ASSERT_EQ(again.approvals.size(), 1u);
    EXPECT_EQ(again.approvals[0].request.description, "Pays everybody.");
}

TEST(ToolFeed, ARecordingIsRepeatedWithTheToolsThatThereWere) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "m.rec";
    const Host host;
    host.set({Host::saying("f.old", "old")});
    const AgentPtr made = agent(host.agent([&] { host.set({Host::saying("f.new", "new")}); }));
    MissionOptions options;
    options.model = ModelRef(programs({"(tool/grow)", "(return (tool/f.new))"}).llm());
    const Result<Step> recorded = record_mission(made, options, path, Datum(), {});
    ASSERT_TRUE(recorded.ok());
    EXPECT_EQ(value_of(recorded.value()), "\"new\"");
    AgentOptions silent{.prompt = "Do it."}; // as a note has it: the tools of the beginning, and no feed
    silent.tools = {host_tool("grow", "() -> :any", {}), Host::saying("f.old", "old")};
    silent.tools[1].is_fed = true;
    const Result<Step> repeated = Recording::open(path).value()->replay(
        agent(std::move(silent)),
        {.model = ModelRef(Llm([](const LlmRequest&) -> LlmResult { return LlmError{.kind = "replay"}; }))});
    ASSERT_TRUE(repeated.ok()) << repeated.error().message;
    EXPECT_EQ(value_of(repeated.value()), "\"new\"");
}

} // namespace
} // namespace ptc
