// Agent::run calls models and tools on several threads; what comes first goes on first. Runs under the thread sanitizer
// as well.
#include "tests/subagent/missions.h"
#include <atomic>
#include <future>
#include <set>
#include <thread>

namespace ptc {
namespace {

constexpr std::chrono::minutes kLong{4}; // bounds a hang

AgentTool child(const std::string& name, Llm model) {
    return agent({.name = name, .prompt = "Work.", .signature = ":int"})->as_tool(name, ModelRef(std::move(model)));
}

/// The n-th reply in the n-th turn, whoever asks.
Llm by_turn(std::vector<std::string> programs) {
    return [programs](const LlmRequest& request) -> LlmResult {
        if (request.turn > programs.size())
            return LlmError{.kind = "past_end", .message = request.messages.back().content};
        return LlmReply{.text = fenced(programs[request.turn - 1])};
    };
}

TEST(AgentRun, AQuickAgentDoesNotWaitForASlowOne) {
    std::promise<void> quick_is_done;
    std::future<void> done = quick_is_done.get_future();
    bool was_done = false;
    const AgentPtr parent = agent({.prompt = "Both.",
                                   .tools = {child("slow",
                                                   [&](const LlmRequest&) -> LlmResult {
                                                       was_done = done.wait_for(kLong) == std::future_status::ready;
                                                       return LlmReply{.text = fenced("(return 1)")};
                                                   }),
                                             child("quick", [&](const LlmRequest& request) -> LlmResult {
                                                 if (request.turn < 3) return LlmReply{.text = fenced("7")};
                                                 quick_is_done.set_value();
                                                 return LlmReply{.text = fenced("(return 2)")};
                                             })}});
    const Step step = parent->run(by_turn({"(return (pcalls #(tool/slow) #(tool/quick)))"}));
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_TRUE(was_done);
    EXPECT_EQ(step.value, json("[1,2]"));
    EXPECT_EQ(step.usage.turns, 5u);
}

TEST(AgentRun, ACallThatIsTheOnlyOneIsMadeOnTheThreadOfTheMission) {
    std::set<std::thread::id> threads;
    const Tool note = host_tool("note", "() -> :int", [&](const Datum&) -> Result<Datum> {
        threads.insert(std::this_thread::get_id());
        return Datum(1);
    });
    const Llm model = [&](const LlmRequest&) -> LlmResult {
        threads.insert(std::this_thread::get_id());
        return LlmReply{.text = fenced("(return (+ (tool/note) (tool/note)))")};
    };
    EXPECT_EQ(agent({.prompt = "x", .tools = {note}})->run(model).value, Datum(2));
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(AgentRun, AToolThatWantsTheThreadOfTheMissionGetsItAmongOthers) {
    std::set<std::thread::id> threads;
    Tool window = host_tool("window", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        threads.insert(std::this_thread::get_id());
        return *arguments.find("n");
    });
    window.one_at_a_time = true;
    const Tool free = host_tool("free", "(n :int) -> :int",
                                [](const Datum& arguments) -> Result<Datum> { return *arguments.find("n"); });
    const AgentPtr made = agent({.prompt = "x", .tools = {window, free}});
    const Step step =
        made->run(by_turn({"(return (pmap #(if (even? %) (tool/window {:n %}) (tool/free {:n %})) (range 40)))"}));
    EXPECT_EQ(step.value, json("[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"
                               "32,33,34,35,36,37,38,39]"));
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(AgentRun, MoreCallsThanThreadsAreAllMade) {
    std::atomic<int> calls{0};
    const Tool count = host_tool("count", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        ++calls;
        return *arguments.find("n");
    });
    const Step step = agent({.prompt = "x", .tools = {count}})
                          ->run(by_turn({"(return (reduce + (pmap #(tool/count {:n %}) (range 500))))"}));
    EXPECT_EQ(step.value, Datum(500 * 499 / 2));
    EXPECT_EQ(calls, 500);
}

/// Every tool runs a mission of the same agent inside, so that threads of the pool wait for missions that want some.
TEST(AgentRun, MissionsInsideOfToolsOfTheSameAgentGetOn) {
    AgentPtr self;
    const Llm model = by_turn({"(return (if (pos? data/level)\n"
                               "  (reduce + (pmap (fn [_] (tool/deeper {:level (dec data/level)})) (range 5)))\n"
                               "  1))"});
    const Tool deeper = host_tool("deeper", "(level :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        Step step = self->run(model, arguments);
        if (!step.ok) return Error(Reason::ToolError, step.fail->message);
        return std::move(step.value);
    });
    self = agent({.prompt = "Level {{level}}.", .signature = "(level :int) -> :int", .tools = {deeper}});
    const Step step = self->run(model, json(R"({"level": 3})"));
    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, Datum(125));
}

TEST(AgentRun, CallsThatWaitForAThreadAreNotBegunAfterAStop) {
    // The stop comes with the first call; those that other threads have begun by then go on.
    std::stop_source source;
    std::atomic<int> begun{0}, begun_after{0};
    const Tool pay = host_tool("pay", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        if (source.stop_requested()) ++begun_after;
        if (begun++ == 0) source.request_stop();
        return *arguments.find("n");
    });
    MissionOptions options;
    options.model = ModelRef(by_turn({"(return (pmap #(tool/pay {:n %}) (range 200)))"}));
    options.stop = source.get_token();
    const AgentPtr made = agent({.prompt = "x", .tools = {pay}});
    EXPECT_EQ(reason_of(made->run(std::move(options))), "interrupted");
    EXPECT_LT(begun, 100);
    EXPECT_LT(begun_after, 64); // each thread may have looked just before
}

TEST(AgentRun, AMissionThatIsStoppedWaitsForItsCallsBeforeItEnds) {
    std::atomic<int> under_way{0}, begun{0};
    std::atomic<bool> stop{false};
    // The first call ends once another one is under way, and stops the mission; the others go on for a while.
    const Tool slow = host_tool("slow", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        ++under_way;
        const bool is_first = begun++ == 0;
        begun.notify_all();
        if (is_first) {
            begun.wait(1);
            stop = true;
            stop.notify_all();
        } else {
            stop.wait(false);
            for (int i = 0; i < 1000; ++i)
                std::this_thread::yield();
        }
        --under_way;
        return *arguments.find("n");
    });
    MissionOptions options;
    options.model = ModelRef(by_turn({"(return (pmap #(tool/slow {:n %}) (range 8)))"}));
    options.is_interrupted = [&] { return stop.load(); };
    const Step step = agent({.prompt = "x", .tools = {slow}})->run(std::move(options));
    EXPECT_EQ(reason_of(step), "interrupted");
    EXPECT_EQ(under_way, 0);
}

} // namespace
} // namespace ptc
