// Conversations that are cut (AgentOptions::compaction): what stays, what is said of the rest, and what 500 turns cost.
#include "ptc/recording.h"
#include "ptc/trace.h"
#include "tests/subagent/provider_calls.h"
#include "tests/support/temporary_folder.h"
#include <algorithm>
#include <iostream>
#include <numeric>
#include <ptc/mission.h>
#include <stdexcept>

namespace ptc {
namespace {

/// All that a provider's model reads of a request, in its order.
std::string text_of(const LlmRequest& request) {
    std::string body = request.system;
    for (const Message& message : request.messages) {
        body += "\n" + std::string(role_name(message.role)) + ": " + message.content;
        for (const ToolCall& call : message.tool_calls)
            body += call.name + call.arguments.to_json();
    }
    return body;
}

/// A mission of so many turns, each of which defines something and looks at rows; measured as it goes.
struct LongMission {
    struct Measured {
        std::vector<std::size_t> bytes;     ///< of each request
        std::size_t shared = 0;             ///< of all of them, what the request before began with
        std::size_t least_fixed = SIZE_MAX; ///< of those, the least of one request
        std::string last;
        [[nodiscard]] std::size_t most() const { return *std::ranges::max_element(bytes); }
        [[nodiscard]] std::size_t all() const { return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}); }
        [[nodiscard]] double share() const { return static_cast<double>(shared) / static_cast<double>(all()); }
    };
    std::size_t turns;
    bool counts_tokens = true;
    std::shared_ptr<Measured> seen = std::make_shared<Measured>();

    [[nodiscard]] Llm llm() const {
        return [seen = seen, turns = turns, counts = counts_tokens](const LlmRequest& request) -> LlmResult {
            const std::string body = text_of(request);
            const auto same = std::ranges::mismatch(body, seen->last).in1 - body.begin();
            if (request.turn > 1) {
                seen->shared += static_cast<std::size_t>(same);
                seen->least_fixed = std::min(seen->least_fixed, static_cast<std::size_t>(same));
            }
            seen->bytes.push_back(body.size());
            seen->last = body;
            const std::string n = std::to_string(request.turn);
            LlmReply reply{.text = fenced(request.turn == turns
                                              ? "(return [found-1 found-2 (count rows)])"
                                              : "(def found-" + std::to_string(request.turn % 50) + " " + n +
                                                    ")\n(def rows (vec (range 40)))\n(mapv (fn [i] (* i " + n +
                                                    ")) rows)")};
            if (counts) reply.usage.input = static_cast<std::int64_t>(body.size() / 3);
            return reply;
        };
    }
    [[nodiscard]] std::string told() const {
        return "bytes a prompt: first " + std::to_string(seen->bytes[0]) + ", on average " +
               std::to_string(seen->all() / seen->bytes.size()) + ", at most " + std::to_string(seen->most()) + ", " +
               std::to_string(seen->share() * 100) + " % seen before";
    }
    [[nodiscard]] Step run(std::optional<Compaction> compaction) const {
        const AgentPtr made = agent({.prompt = "Go on for long.",
                                     .max_turns = turns,
                                     .mission_timeout = std::nullopt,
                                     .turn_budget = turns,
                                     .compaction = std::move(compaction)});
        return made->run(llm());
    }
};

TEST(Compaction, KeepsFiveHundredTurnsWithinAFixedPrompt) {
    const LongMission before{500};
    EXPECT_TRUE(before.run(std::nullopt).ok);
    struct Case {
        const char* name;
        Compaction how;
        std::size_t most;
    };
    Compaction by_tokens{.trigger_turns = std::nullopt, .trigger_tokens = 9000, .keep_recent_turns = 12};
    const Case cases[] = {{"turns", Compaction{}, 12'500}, {"tokens", by_tokens, 9000 * 3}};
    for (const auto& [name, how, most] : cases) {
        const LongMission mission{500};
        const Step step = mission.run(how);
        EXPECT_EQ(step.value, json("[451,452,40]")) << reason_of(step); // what was defined 50 turns before is there
        std::cout << name << ": " << mission.told() << "; without compaction " << before.told() << "\n";
        EXPECT_LE(mission.seen->most(), most);
        EXPECT_GE(mission.seen->share(), 0.9);
        EXPECT_GE(mission.seen->least_fixed, mission.seen->bytes[0]); // the first request is always a prefix
        EXPECT_EQ(step.usage.turns, 500U);
        EXPECT_GT(step.journal.size(), 450U);
    }
}

TEST(Compaction, WorksWithoutCountedTokens) {
    const LongMission mission{60, false};
    const Step step = mission.run(Compaction{.trigger_turns = std::nullopt, .trigger_tokens = 5000});
    EXPECT_TRUE(step.ok);
    EXPECT_LE(mission.seen->most(), 5000U * 4 + 2000);
    EXPECT_GT(step.journal.size(), 20U);
}

AgentOptions six_turns(std::optional<Compaction> compaction) {
    return {.prompt = "Go.", .max_turns = 6, .compaction = std::move(compaction)};
}

TEST(Compaction, SaysWhatWasCut) {
    const Model model = programs({"(def a 1) (def _secret \"hunter2222\") {:n a :_p _secret}", "(boom)",
                                  "(def b [1 2])", "4", "(println _secret) 5", "(return 6)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    std::vector<std::string> events;
    mission.on_event = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::Compaction) events.push_back(event_json(event));
    };
    const Step step = agent(six_turns(Compaction{.trigger_turns = 4, .keep_recent_turns = 2}))->run(std::move(mission));
    EXPECT_EQ(step.value, Datum(6));
    const auto& messages = model.seen->requests[5].messages;
    ASSERT_EQ(messages.size(), 2U + 2 * 2);
    EXPECT_EQ(messages[0].content, "Go.");
    EXPECT_EQ(messages[1].role, Message::Role::User);
    ASSERT_EQ(step.journal.size(), 3U);
    const std::string notice =
        "[Turns 1 to 3 are cut from this conversation. What programs defined is still there: a, b. So is what they "
        "added to data/: n.]\nturn 1: => {:_p <Firewalled> :n 1}\nturn 2: ";
    EXPECT_EQ(messages[1].content, notice + step.journal[1].text + "\nturn 3: => #'b");
    EXPECT_EQ(messages[2].content, fenced("4"));
    EXPECT_EQ(step.journal[2].turn, 3U);
    EXPECT_EQ(step.trace.size(), 6U); // the host has all of them
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NE(events[0].find(R"("event":"compaction")"), std::string::npos);
    EXPECT_EQ(events[0].find("hunter"), std::string::npos);
}

TEST(Compaction, SaysWhatIsThereWhereNothingWasDefined) {
    const Model model = programs({"{:n 1}", "2", "3", "4", "5", "(return data/n)"});
    const Step step = agent(six_turns(Compaction{.trigger_turns = 4, .keep_recent_turns = 2}))->run(model.llm());
    EXPECT_EQ(step.value, Datum(1));
    const std::string& notice = model.seen->requests.at(5).messages.at(1).content;
    EXPECT_EQ(notice.find("[Turns 1 to 3 are cut from this conversation. What they added to data/ is still there: n.]"),
              0U)
        << notice;
}

TEST(Compaction, MayBeDecidedByTheHost) {
    std::vector<std::size_t> turns;
    Compaction how{.trigger_turns = std::nullopt};
    how.decide = [&](const ConversationSize& size) -> std::optional<std::size_t> {
        turns.push_back(size.turns);
        EXPECT_GT(size.tokens, 0);
        if (size.turn == 6) throw std::runtime_error("no idea");
        if (size.turns == 3) return 0; // at least one stays
        return std::nullopt;
    };
    const Model model = programs({"1", "2", "3", "4", "5", "(return 6)"});
    EXPECT_TRUE(agent(six_turns(how))->run(model.llm()).ok);
    EXPECT_EQ(turns, (std::vector<std::size_t>{2, 3, 2, 3}));
    EXPECT_EQ(model.seen->requests[3].messages.size(), 2U + 2);
}

TEST(Compaction, LeavesNativeCallsWithTheirAnswers) {
    const Tool look = host_tool("look", "() -> :int", [](const Datum&) -> Result<Datum> { return Datum(1); });
    std::vector<LlmResult> replies;
    for (int i = 0; i < 10; ++i)
        replies.emplace_back(
            LlmReply{.tool_calls = {{.id = "c" + std::to_string(i), .name = "look", .arguments = json("{}")},
                                    {.id = "d" + std::to_string(i), .name = "look", .arguments = json("{}")}}});
    replies.emplace_back(LlmReply{.text = "done"});
    const Model model(std::move(replies));
    const AgentPtr made = agent({.prompt = "Look.",
                                 .tools = {look},
                                 .max_turns = 20,
                                 .output = AgentOutput::Text,
                                 .compaction = Compaction{.trigger_turns = 4, .keep_recent_turns = 2}});
    EXPECT_TRUE(made->run(model.llm()).ok);
    for (const LlmRequest& request : model.seen->requests) {
        std::vector<std::string> open;
        for (const Message& message : request.messages) {
            for (const ToolCall& call : message.tool_calls)
                open.push_back(call.id);
            if (message.role == Message::Role::Tool) {
                ASSERT_FALSE(open.empty());
                EXPECT_EQ(open.front(), message.tool_call_id);
                open.erase(open.begin());
            }
        }
        EXPECT_TRUE(open.empty());
        EXPECT_LE(request.messages.size(), 2U + 5 * 3);
    }
}

TEST(Compaction, GoesOnFromACheckpointAsIfNothingHadHappened) {
    const auto run = [](bool saves) {
        const LongMission mission{40};
        const AgentPtr made =
            agent({.prompt = "Go on.", .max_turns = 40, .turn_budget = 40, .compaction = Compaction{}});
        MissionOptions options;
        options.model = ModelRef(mission.llm());
        auto at_work = std::make_unique<Mission>(made, options);
        at_work->start();
        while (!at_work->is_done()) {
            if (saves) {
                const Result<std::string> bytes = at_work->save();
                EXPECT_TRUE(bytes.ok());
                at_work = std::move(made->restore(bytes.value(), options)).value();
            }
            const Needs needs = at_work->take_needs();
            at_work->answer(needs.llm.at(0).id, (*needs.llm[0].model)(needs.llm[0].request));
        }
        const Step& step = at_work->step();
        std::string told = step.value.to_json() + mission.seen->last + std::to_string(mission.seen->shared);
        for (const JournalLine& line : step.journal)
            told += std::to_string(line.turn) + line.text;
        return told;
    };
    EXPECT_EQ(run(false), run(true));
}

TEST(Compaction, OfARecordingIsRepeated) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "m.jsonl";
    const LongMission mission{30};
    const AgentPtr made = agent({.prompt = "Go on.",
                                 .max_turns = 30,
                                 .turn_budget = 30,
                                 .compaction = Compaction{.trigger_turns = std::nullopt, .trigger_tokens = 3000}});
    MissionOptions options;
    options.model = ModelRef(mission.llm());
    const Result<Step> step = record_mission(made, options, path);
    ASSERT_TRUE(step.ok());
    const Result<Step> again = Recording::open(path).value()->replay(made, options);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value().messages, step.value().messages);
    EXPECT_EQ(again.value().journal.size(), step.value().journal.size());
    EXPECT_GT(step.value().journal.size(), 5U);
}

TEST(Compaction, NeedsATrigger) {
    EXPECT_EQ(refusal(six_turns(Compaction{.trigger_turns = std::nullopt})),
              "invalid_request: `compaction` needs a trigger: turns, tokens, or a function that decides.");
    EXPECT_EQ(refusal(six_turns(Compaction{.trigger_turns = 3, .keep_recent_turns = 4})),
              "invalid_request: `compaction` keeps 4 turns, so its trigger must be at least as many, not 3.");
}

TEST(Compaction, TwoMessagesOfTheUserInARowAreWhatProvidersTake) {
    const Model model = programs({"1", "2", "3", "4", "(return 5)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    Compaction compaction{.trigger_turns = 2};
    compaction.keep_recent_turns = 1;
    ASSERT_TRUE(agent({.prompt = "Count.", .max_turns = 9, .compaction = compaction})->run(mission).ok);
    const LlmRequest& request = model.seen->requests[3];
    ASSERT_EQ(request.messages[0].content, "Count.");
    ASSERT_TRUE(request.messages[1].content.starts_with("[Turns 1 to 2 are cut"));
    // Roles must alternate at Anthropic and Google: parts of one message.
    ProviderOptions options;
    options.model = "m";
    for (const char* provider : {"anthropic", "gemini"}) {
        options.provider = provider;
        const Datum body = body_json(options, request);
        const Datum& messages = body["contents"].is_nil() ? body["messages"] : body["contents"];
        for (std::size_t i = 0; i < messages.size(); ++i)
            EXPECT_EQ(messages[i]["role"] == Datum("user"), i % 2 == 0) << provider << i;
        const Datum& parts = body["contents"].is_nil() ? messages[0]["content"] : messages[0]["parts"];
        ASSERT_EQ(parts.size(), 2U) << provider;
        EXPECT_EQ(parts[0]["text"], Datum("Count."));
    }
    // OpenAI takes any order, and with two messages the first one stays a prefix that it has kept.
    options.provider = "openai";
    const Datum body = body_json(options, request);
    EXPECT_EQ(body["messages"][1]["content"], Datum("Count."));
    EXPECT_EQ(body["messages"][2]["role"], Datum("user"));
}

} // namespace
} // namespace ptc
