// Missions that are kept and repeated (ptc/recording.h). The repetition has the same step, events and fuel and calls
// nothing; a replay of another agent names the first call that is another one.
#include "ptc/recording.h"
#include "ptc/trace.h"
#include "tests/subagent/missions.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace ptc {
namespace {

struct TempFile {
    std::string path = ::testing::TempDir() + "recording_" +
                       ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
    ~TempFile() { std::filesystem::remove(path); }
    [[nodiscard]] std::string text() const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

/// What is the same in both runs: all of a step but times.
std::string told(const Step& step) {
    const MissionUsage& usage = step.usage;
    std::string out = (step.ok ? step.value.to_json() : step.fail->reason + ": " + step.fail->message) + " fuel " +
                      std::to_string(usage.fuel) + " peak " + std::to_string(usage.peak_heap_bytes) + " turns " +
                      std::to_string(usage.turns) + " calls " + std::to_string(usage.llm_calls) + "+" +
                      std::to_string(usage.tool_calls) + " memory " + step.memory.to_json();
    for (const Message& message : step.messages)
        out += "\n" + std::string(role_name(message.role)) + ": " + message.content;
    return out;
}

/// Events in their order, without times.
struct Events {
    std::shared_ptr<std::vector<std::string>> lines = std::make_shared<std::vector<std::string>>();
    [[nodiscard]] std::function<void(const MissionEvent&)> sink() const {
        return [lines = lines](const MissionEvent& event) {
            MissionEvent timeless = event;
            timeless.duration = {};
            std::string line = event_json(timeless);
            for (std::size_t at = 0; (at = line.find("\"duration_us\":", at)) != std::string::npos; ++at)
                line.erase(at, line.find_first_of(",}", at) - at);
            lines->push_back(std::move(line));
        };
    }
};

LlmResult never(const LlmRequest&) {
    ADD_FAILURE() << "a replay called a model";
    return LlmError{.kind = "called"};
}
Tool mute(std::string name, std::string signature) {
    return host_tool(std::move(name), std::move(signature), [](const Datum&) -> Result<Datum> {
        ADD_FAILURE() << "a replay called a tool";
        return Datum();
    });
}

/// Records a mission of one agent and repeats it with another one, which is to be the same but for its tools.
struct Twice {
    TempFile file;
    Events first, second;
    Result<Step> recorded = Datum::from_json("").take_error();
    Result<Step> replayed = Datum::from_json("").take_error();

    Twice(const AgentPtr& live, const AgentPtr& silent, MissionOptions options) {
        options.on_event = first.sink();
        recorded = record_mission(live, options, file.path);
        options.on_event = second.sink();
        options.model = ModelRef(Llm(never));
        for (auto& [name, model] : options.registry)
            model = never;
        options.is_interrupted = {};
        options.clock = {.now = []() -> std::chrono::milliseconds {
                             ADD_FAILURE() << "a clock";
                             return {};
                         },
                         .sleep = [](std::chrono::milliseconds) { ADD_FAILURE() << "a wait"; },
                         .random =
                             [] {
                                 ADD_FAILURE() << "chance";
                                 return 0.0;
                             }};
        const auto recording = Recording::open(file.path);
        EXPECT_TRUE(recording.ok()) << recording.error().message;
        if (recording.ok()) replayed = recording.value()->replay(silent, options);
    }
    void expect_same() const {
        ASSERT_TRUE(recorded.ok()) << recorded.error().message;
        ASSERT_TRUE(replayed.ok()) << replayed.error().message;
        EXPECT_EQ(told(recorded.value()), told(replayed.value()));
        EXPECT_EQ(*first.lines, *second.lines);
        EXPECT_GT(first.lines->size(), 3u);
    }
};

MissionOptions with(Llm model) {
    MissionOptions options;
    options.model = ModelRef(std::move(model));
    return options;
}

TEST(Recording, AMissionWithToolsIsRepeatedWithoutCallingAnything) {
    const auto make = [](Tool search) {
        return agent({.prompt = "Find {{what}}.", .signature = "(what :string) -> :int", .tools = {std::move(search)}});
    };
    const AgentPtr live = make(host_tool("search", "(q :string) -> [{n :int}]", [](const Datum&) -> Result<Datum> {
        return json(R"([{"n": 40}, {"n": 2}])");
    }));
    MissionOptions options =
        with(programs({"(def found (tool/search {:q data/what}))", "(return (sum-by :n found))"}).llm());
    options.context = json(R"({"what": "lamps"})");
    const Twice twice(live, make(mute("search", "(q :string) -> [{n :int}]")), options);
    twice.expect_same();
    EXPECT_EQ(twice.replayed.value().value, Datum(42));
}

TEST(Recording, AnswersComeBackAsTheyWere) {
    const Datum odd(Datum::Map{{Datum::Keyword{"kind"}, Datum::Keyword{"odd"}},
                               {Datum(7), Datum::Set{{Datum(1), Datum(2)}}},
                               {Datum("$kw"), Datum::Map{{Datum("$set"), Datum("text")}}},
                               {Datum("time"), Datum::Opaque{"2026-01-02T03:04:05Z", "instant"}},
                               {Datum("inf"), Datum(HUGE_VAL)},
                               {Datum("big"), Datum::BigInteger{"123456789012345678901234567890"}},
                               {Datum("float"), Datum(1.0)}});
    const auto make = [](Tool tool) { return agent({.prompt = "x", .tools = {std::move(tool)}}); };
    const AgentPtr live = make(host_tool("odd", "", [&](const Datum&) -> Result<Datum> { return odd; }));
    const Twice twice(live, make(mute("odd", "")), with(programs({"(def x (tool/odd))", "(return (pr-str x))"}).llm()));
    twice.expect_same();
    EXPECT_NE(twice.replayed.value().value.text()->find("#{1 2}"), std::string::npos)
        << *twice.replayed.value().value.text();
}

TEST(Recording, ErrorsOfModelsAndToolsAreRepeatedAndNotWaitedFor) {
    const auto make = [](ToolFunction function) {
        Tool tool = host_tool("flaky", "() -> :int", std::move(function));
        return agent({.prompt = "x", .signature = ":int", .tools = {tool}});
    };
    const AgentPtr live = make([](const Datum&) -> Result<Datum> { throw std::runtime_error("the line is cut"); });
    Model model(
        {LlmResult(LlmError{.kind = "rate_limit",
                            .message = "slow down",
                            .http_status = 429,
                            .retry_after = std::chrono::milliseconds(2)}),
         LlmResult(LlmReply{.text = fenced("(tool/flaky)"), .usage = {.input = 9, .output = 3, .cost_usd = 0.1}}),
         LlmResult(LlmReply{.text = fenced("(return 3)")})});
    MissionOptions options = with(model.llm());
    options.retry = RetryPolicy{.base_delay = std::chrono::milliseconds(1)};
    const Twice twice(live, make(mute("flaky", "").function), options);
    twice.expect_same();
    EXPECT_EQ(twice.replayed.value().usage.llm_calls, 3u);
    EXPECT_NE(twice.file.text().find("the line is cut"), std::string::npos);
    EXPECT_NE(twice.file.text().find(R"("random":[)"), std::string::npos);
}

TEST(Recording, AllMembersOfRepliesAndErrorsComeBack) {
    const AgentPtr text = agent({.prompt = "x", .signature = ":int", .max_turns = 2, .output = AgentOutput::Text});
    Model stateful(
        {LlmResult(LlmReply{.text = "four", .provider_state = "signed \xff"}), LlmResult(LlmReply{.text = "4"})});
    const Twice first(text, text, with(stateful.llm()));
    first.expect_same();
    EXPECT_EQ(first.replayed.value().messages.at(1).provider_state, "signed \xff");
    ToolCall unread{"c1", "find", Datum(Datum::Map())};
    unread.problem = "no object: \xff";
    Model caller({LlmResult(LlmReply{.tool_calls = {unread}}), LlmResult(LlmReply{.text = "4"})});
    const Twice third(text, text, with(caller.llm()));
    third.expect_same();
    EXPECT_EQ(third.replayed.value().messages.at(1).tool_calls.at(0), unread);
    Model refused({LlmResult(LlmError{.kind = "auth",
                                      .message = "no",
                                      .http_status = 401,
                                      .is_permanent = true,
                                      .usage = {.input = 7, .cost_usd = 0.25}})});
    const Twice second(text, text, with(refused.llm()));
    second.expect_same();
    EXPECT_EQ(second.replayed.value().usage.llm_calls, 1u);
    EXPECT_EQ(second.replayed.value().usage.tokens.input, 7);
}

/// Two agents at work side by side share a budget of turns: which of them gets the last one depends on who is quicker.
TEST(Recording, TheOrderOfAnswersIsRepeated) {
    const auto child = [](const std::string& name, ModelRef model) {
        return agent({.name = name, .prompt = "Work.", .signature = ":int", .max_turns = 9})
            ->as_tool(name, std::move(model));
    };
    const auto make = [&](ModelRef model) {
        return agent({.prompt = "Both.", .tools = {child("a", model), child("b", model)}, .turn_budget = 8});
    };
    std::atomic<int> calls{0};
    MissionOptions options = with([](const LlmRequest& request) -> LlmResult {
        if (request.turn == 1) return LlmReply{.text = fenced("(pcalls #(tool/a) #(tool/b))")};
        return LlmReply{.text = fenced("(return 0)")};
    });
    options.registry["worker"] = [&](const LlmRequest& request) -> LlmResult {
        ++calls;
        for (int i = 0; i < (request.agent == "a" ? 300 : 100); ++i)
            std::this_thread::yield(); // so that they come in turn, now this way and now that way
        return LlmReply{.text = fenced("(println (budget/remaining)) " + std::to_string(request.turn))};
    };
    const AgentPtr both = make(ModelRef("worker"));
    for (int round = 0; round < 3; ++round)
        Twice(both, both, options).expect_same();
    EXPECT_GT(calls, 5);
}

TEST(Recording, ADeadlineIsFoundAtTheSameAnswer) {
    FakeTime time;
    const AgentPtr slow = agent({.prompt = "x", .mission_timeout = std::chrono::minutes(100)});
    MissionOptions options = with([&](const LlmRequest&) -> LlmResult {
        *time.now += std::chrono::minutes(40);
        return LlmReply{.text = fenced("(System/currentTimeMillis)")};
    });
    options.clock = time.clock();
    const Twice twice(slow, slow, options);
    twice.expect_same();
    EXPECT_EQ(reason_of(twice.replayed), "mission_timeout");
    EXPECT_EQ(twice.replayed.value().usage.turns, 3u);
}

/// A mission with `most` minutes, of which each look at the clock takes one: they are over while definitions
/// become the mission's. It ends for that, recorded and repeated; whether in the middle of work. Minutes, as what is
/// left of them is the real time of its programs.
bool ends_in_the_middle(int most) {
    const AgentPtr busy = agent({.prompt = "x", .mission_timeout = std::chrono::minutes(most)});
    MissionOptions options = with(programs({"(def a (vec (range 50000)))", "(def b (conj a 1))", "(return 1)"}).llm());
    int looks = 0;
    options.clock.now = [&looks] { return std::chrono::minutes(++looks); };
    const Twice twice(busy, busy, options);
    twice.expect_same();
    EXPECT_EQ(reason_of(twice.replayed), "mission_timeout") << most;
    return twice.file.text().find("\"late\":[") != std::string::npos;
}

TEST(Recording, ATimeThatIsOverInTheMiddleOfWorkEndsItAtTheSameSlice) {
    for (const int most : {60, 200})
        EXPECT_TRUE(ends_in_the_middle(most)) << most;
}

// What cannot be measured in time is not too large for that.
TEST(Recording, ATimeThatIsOverIsToldAsThatWhateverWasDone) {
    int in_the_middle = 0;
    for (int most = 3; most <= 60; most += 3)
        in_the_middle += ends_in_the_middle(most) ? 1 : 0;
    EXPECT_GT(in_the_middle, 5);
}

TEST(Recording, AProgramThatTheClockEndedEndsAfterTheSameFuel) {
    AgentOptions options{.prompt = "x", .max_turns = 1, .timeout = std::chrono::milliseconds(5)};
    options.limits.fuel = std::int64_t{1} << 50;
    const AgentPtr hasty = agent(options);
    const Twice twice(hasty, hasty, with(programs({"(loop [i 0] (recur (inc i)))"}).llm()));
    twice.expect_same();
    EXPECT_EQ(reason_of(twice.replayed), "timeout");
    EXPECT_GT(twice.replayed.value().usage.fuel, 20'000);
}

/// A recording whose program has fuel for days, and no word of the clock that ended it.
struct Endless {
    AgentPtr agent;
    std::shared_ptr<const Recording> recording;
    Endless() {
        AgentOptions options{.prompt = "x", .max_turns = 1, .timeout = std::chrono::milliseconds(5)};
        options.limits.fuel = std::int64_t{1} << 50;
        agent = ptc::agent(options);
        const TempFile file;
        EXPECT_TRUE(record_mission(agent, with(programs({"(loop [i 0] (recur (inc i)))"}).llm()), file.path).ok());
        std::string text = file.text();
        const std::size_t at = text.find("\"timeouts\":[[1,");
        EXPECT_NE(at, std::string::npos);
        text.replace(at, 15, "\"timeouts\":[[9,");
        recording = Recording::parse(text).value();
    }
    [[nodiscard]] Error end(std::stop_token stop, std::chrono::milliseconds timeout) const {
        MissionOptions options = with(never);
        options.stop = std::move(stop);
        return recording->replay(agent, options, timeout).error();
    }
};

TEST(Recording, AReplayEndsWithItsTime) {
    const Error late = Endless().end({}, std::chrono::milliseconds(20));
    EXPECT_EQ(late.reason, Reason::Timeout) << late.message;
    EXPECT_NE(late.message.find("Repeating the mission"), std::string::npos) << late.message;
}

TEST(Recording, AReplayEndsWhenItIsStopped) {
    const Endless endless;
    std::stop_source stop;
    const std::jthread other([&stop] { stop.request_stop(); });
    EXPECT_EQ(endless.end(stop.get_token(), {}).reason, Reason::Interrupted);
    EXPECT_EQ(endless.end(stop.get_token(), {}).reason, Reason::Interrupted); // before it began
}

// Compiling 300 KB takes more than a millisecond anywhere.
TEST(Recording, AProgramThatTheClockEndedWhileItWasCompiledEndsThere) {
    std::string source = "(do [";
    for (int i = 0; i < 100'000; ++i)
        source += ":k ";
    const AgentPtr hasty = agent({.prompt = "x", .max_turns = 1, .timeout = std::chrono::milliseconds(1)});
    const Twice twice(hasty, hasty, with(programs({source + "] (return 1))"}).llm()));
    twice.expect_same();
    EXPECT_EQ(reason_of(twice.replayed), "timeout");
    EXPECT_EQ(twice.replayed.value().usage.fuel, 0);
}

TEST(Recording, AnInterruptIsRepeatedWhereItCame) {
    const AgentPtr idle = agent({.prompt = "x"});
    int polls = 0;
    MissionOptions options = with(programs({"1", "2", "3"}).llm());
    options.is_interrupted = [&] { return ++polls > 2; };
    const Twice twice(idle, idle, options);
    twice.expect_same();
    EXPECT_EQ(reason_of(twice.replayed), "interrupted");
}

TEST(Recording, TextIsGivenToThoseWhoListen) {
    const TempFile file;
    const AgentPtr one = agent({.prompt = "x"});
    ASSERT_TRUE(record_mission(one, with(programs({"(return 1)"}).llm()), file.path).ok());
    std::string heard;
    MissionOptions options = with(never);
    options.on_text = [&](std::string_view delta) { heard += delta; };
    ASSERT_TRUE(Recording::open(file.path).value()->replay(one, options).ok());
    EXPECT_EQ(heard, fenced("(return 1)"));
}

// ---- What is different

std::string departure(const AgentPtr& first, const AgentPtr& second, MissionOptions options) {
    const Twice twice(first, second, std::move(options));
    return twice.replayed.ok() ? "" : twice.replayed.error().message;
}

TEST(Recording, AnotherPromptIsFoundAtTheFirstCall) {
    const std::string why = departure(agent({.prompt = "Count to three."}), agent({.prompt = "Count to four."}),
                                      with(programs({"(return 3)"}).llm()));
    EXPECT_NE(
        why.find("line 2 of the recording at call 1, to the model by the agent `agent` (run 1, turn 1, attempt 1)"),
        std::string::npos)
        << why;
    EXPECT_NE(why.find("`messages[0].content` was \"Count to three.\" and is \"Count to four.\""), std::string::npos)
        << why;
}

TEST(Recording, OtherArgumentsOfAToolAreFoundAndSecretsNotShown) {
    const auto make = [](const std::string& prelude) {
        return agent({.prompt = "x",
                      .tools = {host_tool("pay", "(amount :int, _pin :string) -> :int",
                                          [](const Datum&) -> Result<Datum> { return Datum(1); })},
                      .preludes = {{"shop.ptc", prelude}}});
    };
    const auto shop = [](const std::string& call) {
        return "(ns shop \"A shop.\" {:visibility :discoverable})\n(defn buy \"Buys.\" [] (tool/pay " + call + "))";
    };
    MissionOptions options = with(programs({"(return (shop/buy))"}).llm());
    const std::string amount =
        departure(make(shop("{:amount 1 :_pin \"1234\"}")), make(shop("{:amount 2 :_pin \"1234\"}")), options);
    EXPECT_NE(amount.find("call 2, the tool `pay` of run 1: `arguments.amount` was 1 and is 2."), std::string::npos)
        << amount;
    options.model = ModelRef(programs({"(return (shop/buy))"}).llm());
    const std::string pin =
        departure(make(shop("{:amount 1 :_pin \"1234\"}")), make(shop("{:amount 1 :_pin \"9876\"}")), options);
    EXPECT_NE(pin.find("`arguments._pin` was (firewalled) and is (firewalled)"), std::string::npos) << pin;
}

TEST(Recording, AnotherResultIsFoundAtTheEnd) {
    const AgentPtr one = agent({.prompt = "x"});
    const TempFile file;
    ASSERT_TRUE(record_mission(one, with(programs({"(return 1)"}).llm()), file.path).ok());
    std::string text = file.text();
    const std::size_t at = text.find("(return 1)");
    text.replace(at, 10, "(return 2)");
    const auto replayed = Recording::parse(text).value()->replay(one, with(never));
    ASSERT_FALSE(replayed.ok());
    EXPECT_NE(replayed.error().message.find("at the end of the mission: `end.value` was 1 and is 2."),
              std::string::npos)
        << replayed.error().message;
}

TEST(Recording, OfAKilledMissionItSaysHowFarItCame) {
    const AgentPtr one = agent({.prompt = "x"});
    const TempFile file;
    ASSERT_TRUE(record_mission(one, with(programs({"1", "(return 1)"}).llm()), file.path).ok());
    const std::string text = file.text();
    // Cut at every byte of its second half: never anything but a recording that ends, or is none.
    for (std::size_t size = text.size() / 2; size < text.size() - 1; ++size) {
        const auto cut = Recording::parse(text.substr(0, size));
        if (!cut.ok()) continue;
        EXPECT_FALSE(cut.value()->is_complete());
        const auto replayed = cut.value()->replay(one, with(never));
        ASSERT_FALSE(replayed.ok());
        EXPECT_NE(replayed.error().message.find("The recording ends before the mission does"), std::string::npos)
            << replayed.error().message;
    }
    const auto cut = Recording::parse(text.substr(0, text.find("{\"answer\":2")));
    EXPECT_NE(cut.value()->replay(one, with(never)).error().message.find("call 2, to the model"), std::string::npos);
}

TEST(Recording, ItIsForItsOwnerOnlyAlsoWhereThereWasAFile) {
    const TempFile file;
    std::ofstream(file.path) << "before";
    ::chmod(file.path.c_str(), 0644);
    ASSERT_TRUE(record_mission(agent({.prompt = "x"}), with(programs({"(return 1)"}).llm()), file.path).ok());
    struct stat status {};
    ASSERT_EQ(::stat(file.path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_TRUE(file.text().starts_with("{\"ptc_recording\":1"));
}

TEST(Recording, AFileThatCannotBeWrittenStopsTheMission) {
    const auto refused = record_mission(agent({.prompt = "x"}), with(never), "/nowhere/at/all.rec");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("/nowhere/at/all.rec"), std::string::npos);
    const auto full = record_mission(agent({.prompt = "x"}), with(never), "/dev/full");
    ASSERT_FALSE(full.ok());
    EXPECT_NE(full.error().message.find("No space left"), std::string::npos) << full.error().message;
}

TEST(Recording, WhatIsNoRecordingIsRefusedWithItsLine) {
    const auto refused = [](const std::string& text) {
        const auto parsed = Recording::parse(text);
        return parsed.ok() ? "" : parsed.error().message;
    };
    const std::string header = "{\"ptc_recording\":1,\"started_ms\":0,\"note\":null}\n";
    EXPECT_EQ(refused("{}"), "1: this is no recording of a mission.");
    EXPECT_TRUE(refused("").starts_with("1: this is no recording of a mission: ")) << refused("");
    const std::string digits(20'000, '9'); // more than a number may have
    EXPECT_NE(refused("{\"ptc_recording\":" + digits + "}\n").find("digits"), std::string::npos);
    EXPECT_NE(refused(header + "{\"answer\":" + digits + "}\n").find("digits"), std::string::npos);
    EXPECT_EQ(refused("{\"ptc_recording\":2,\"started_ms\":0}"),
              "1: this recording has the format 2, which is not known here.");
    EXPECT_EQ(refused(header + "[]\n{}\n"), "2: this is no JSON object.");
    EXPECT_EQ(refused(header + "{}\n"), "2: this is no line of a recording.");
    EXPECT_EQ(refused(header + "{\"answer\":1}\n"), "2: `at_ms` is malformed.");
    EXPECT_EQ(refused(header + "{\"answer\":1,\"at_ms\":5}\n{\"answer\":2,\"at_ms\":4}\n"), "3: time goes backwards.");
    EXPECT_EQ(refused(header + "{\"chance\":{\"random\":[2]}}\n"), "2: `random` is malformed.");
    EXPECT_EQ(refused("{\"ptc_recording\":1,\"started_ms\":0,\"note\":{\"$kw\":5}}\n"),
              "The value of `$kw` is malformed.");
    EXPECT_EQ(refused(header + "{\"end\":{}}\n{\"end\":{}}\n"), "3: nothing may follow the end of a recording.");
}

} // namespace
} // namespace ptc
