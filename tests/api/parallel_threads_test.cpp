// pmap and pcalls: what they give, cost and hold does not depend on threads; their tools are called at the same time.
// That calls overlap is shown by tools that wait for each other (Meeting), never by the clock.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <latch>
#include <mutex>
#include <ptc/ptc.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace ptc {
namespace {

using namespace std::chrono_literals;

/// Lets everybody through once `count` have come; false when they do not all come.
class Meeting {
public:
    explicit Meeting(std::size_t count) : missing_(count) {}
    bool arrive() {
        std::unique_lock lock(mutex_);
        if (--missing_ == 0) everybody_.notify_all();
        return everybody_.wait_for(lock, 4min, [&] { return missing_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable everybody_;
    std::size_t missing_;
};

Tool echo_tool() {
    return {.name = "echo", .function = [](const Datum& arguments) -> Result<Datum> { return arguments; }};
}

std::int64_t number(const Datum& arguments, std::string_view name) {
    std::int64_t n = 0;
    EXPECT_TRUE(arguments.find(name) && arguments.find(name)->to_int64(&n));
    return n;
}

Limits patient() {
    Limits limits;
    limits.timeout = std::chrono::minutes(2);
    return limits;
}

// ---- examples
// ----------------------------------------------------------------------------------------------------------

TEST(ParallelExample, BranchesWaitForTheirToolsTogether) {
    Meeting meeting(12);
    EngineOptions options;
    options.limits = patient();
    options.tools.push_back({.name = "slow_square", .function = [&](const Datum& arguments) -> Result<Datum> {
                                 if (!meeting.arrive()) return Error(Reason::ToolError, "the others did not come");
                                 const std::int64_t n = number(arguments, "n");
                                 return Datum(n * n);
                             }});
    options.tool_threads = 12;
    const Engine engine(options);
    const Outcome outcome = engine.run("(pmap #(tool/slow_square {:n %}) (range 12))");
    ASSERT_TRUE(outcome.ok()) << outcome.error->message;
    EXPECT_EQ(outcome.value, "[0 1 4 9 16 25 36 49 64 81 100 121]");
    ASSERT_EQ(outcome.tool_calls.size(), 12u);
    for (int i = 0; i < 12; ++i)
        EXPECT_EQ(outcome.tool_calls[i].arguments_json, R"({"n":)" + std::to_string(i) + "}");
}

TEST(ParallelExample, TheHostGetsAllCallsAtOnceAndAnswersThemInAnyOrder) {
    EngineOptions options;
    options.limits = patient();
    options.tools.push_back({.name = "price"});
    const Engine engine(options);
    Session session(engine);
    const Compiled compiled = session.compile("(reduce + (pmap (fn [id] (:euros (tool/price {:id id}))) [3 4 5]))");
    ASSERT_TRUE(compiled);
    RunState state = session.start(compiled.program);
    auto* waiting = std::get_if<Suspended>(&state);
    ASSERT_TRUE(waiting);
    ASSERT_EQ(waiting->calls.size(), 3u);
    std::vector<ToolAnswer> answers(3);
    std::vector<std::thread> threads;
    for (std::size_t i = 3; i-- > 0;) {
        threads.emplace_back([&, i] {
            answers[i] = Datum::object({{"euros", Datum(number(waiting->calls[i].arguments, "id") * 10)}});
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    state = session.resume(std::move(answers));
    EXPECT_EQ(std::get<Outcome>(state).value, "120");
}

TEST(ParallelExample, AToolMayBeBoundToTheSessionsThread) {
    std::vector<std::int64_t> asked;
    std::set<std::thread::id> threads;
    EngineOptions options;
    options.limits = patient();
    options.tools.push_back({.name = "window",
                             .function = [&](const Datum& arguments) -> Result<Datum> {
                                 asked.push_back(number(arguments, "n"));
                                 threads.insert(std::this_thread::get_id());
                                 return arguments;
                             },
                             .one_at_a_time = true});
    options.threads = 3;
    const Engine engine(options);
    ASSERT_TRUE(engine.run("(pmap #(tool/window {:n %}) (range 6))").ok());
    EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(ParallelExample, WithoutThreadsEverythingHappensOnTheSessionsOwn) {
    std::set<std::thread::id> threads;
    EngineOptions options;
    options.limits = patient();
    options.clock_millis = [&] {
        threads.insert(std::this_thread::get_id());
        return std::int64_t{5};
    };
    options.tools.push_back({.name = "echo", .function = [&](const Datum& arguments) -> Result<Datum> {
                                 threads.insert(std::this_thread::get_id());
                                 return arguments;
                             }});
    options.threads = 0;
    options.tool_threads = 0;
    const Engine engine(options);
    const Outcome outcome =
        engine.run("(pmap (fn [n] [(:n (tool/echo {:n n})) (System/currentTimeMillis)]) (range 9))");
    ASSERT_TRUE(outcome.ok()) << outcome.error->message;
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

// ---- the same whatever the threads
// --------------------------------------------------------------------------------------

constexpr const char* kPrograms[] = {
    "(reduce + (pmap (fn [x] (reduce + (map #(* x %) (range (* 10 x))))) (range 60)))",
    "(pmap (fn [o] (assoc o :total (* (:amount o) (count (:tags o))))) data/orders)",
    "(let [index (group-by :region data/orders)] (pmap (fn [r] [r (sum-by :amount (get index r))]) (keys index)))",
    "(def k 3) (defn f [x] (def k (inc k)) (* k x)) (pmap (fn [x] [(f x) (f x)]) (range 30))",
    "(pmap (fn [x] (pmap (fn [y] (str x \"-\" y)) (range x))) (range 20))",
    "(pcalls #(count (re-seq #\"o+\" (join (map :region data/orders)))) #(frequencies (map :region data/orders)))",
    "(pmap (fn [x] (println x) (:n (tool/echo {:n (str x)}))) (range 40))",
    "(println :a) (pmap (fn [x] (pmap #(tool/echo {:x x :y %}) (range x))) (range 8))",
    "(pmap (fn [x] (loop [i 0] (if (< i x) (do (tool/echo {:i i}) (recur (inc i))) i))) (range 12))",
    // failures
    "(pmap (fn [x] (if (< x 20) (reduce + (range (* 50 (- 20 x)))) (name x))) (range 60))",
    "(pmap (fn [x] (if (> x 7) (+ x nil) (do (tool/echo {:x x}) (if (> x 3) (name x) x)))) (range 40))",
    "(pmap (fn [x] (tool/echo {:x x}) (if (= x 9) (tool/boom {}) (tool/echo {:x x}))) (range 16))",
    "(pmap (fn [x] (reduce + 0 (range (if (= x 30) 100000000 (* 100 x))))) (range 40))",
    "(pmap (fn [x] (loop [i 0] (recur (inc i)))) (range 9))",
    "(pmap (fn [x] (count (reduce conj [] (range (* 5000 x))))) (range 40))",
    "(count (pmap (fn [x] (vec (map str (range 2000)))) (range 40)))",
    "(pmap (fn [x] (tool/echo {:x x}) (tool/echo {:x x}) (tool/echo {:x x})) (range 50))",
    "(defn deep [n] (+ 1 (deep n))) (pmap (fn [x] (if (< x 3) x (deep x))) (range 9))",
};

struct World {
    std::shared_ptr<const DataSet> data;
    World() {
        std::string json = R"({"orders": [)";
        for (int i = 0; i < 300; ++i) {
            json += (i ? "," : "") + std::string(R"({"region":")") + (i % 3 ? "north" : "south") + R"(","amount":)" +
                    std::to_string(i) + R"(,"tags":["a","b"]})";
        }
        data = DataSet::from_json(json + "]}").value();
    }
};

/// All of an outcome but its duration, as text.
std::string describe(const Outcome& outcome) {
    std::string text = std::string(outcome.kind_name()) + " " + outcome.value + "\n";
    if (outcome.error) {
        text += std::string(reason_name(outcome.error->reason)) + " " + outcome.error->message + " " +
                outcome.error->hint + "\n";
        for (const TraceEntry& t : outcome.error->trace)
            text += t.function + " " + std::to_string(t.span.begin) + "\n";
    }
    if (outcome.position)
        text += std::to_string(outcome.position->line) + ":" + std::to_string(outcome.position->column) + "\n";
    for (const std::string& line : outcome.prints)
        text += line + "\n";
    for (const ToolRecord& t : outcome.tool_calls)
        text += t.name + t.arguments_json + t.result_json + "\n";
    return text + "fuel " + std::to_string(outcome.usage.fuel) + " peak " +
           std::to_string(outcome.usage.peak_heap_bytes);
}

class AnyThreads : public testing::TestWithParam<const char*> {};

TEST_P(AnyThreads, GiveTheSameAtTheSameCost) {
    const World world;
    std::string expected;
    for (const unsigned threads : {0u, 1u, 2u, 8u, 8u, 8u}) {
        EngineOptions options;
        options.limits = patient();
        options.tools = {echo_tool(), {.name = "boom", .function = [](const Datum&) -> Result<Datum> {
                                           return Error(Reason::ToolError, "boom");
                                       }}};
        options.threads = threads;
        options.tool_threads = threads;
        options.limits.fuel = 2'000'000;
        options.limits.heap_bytes = 4u << 20;
        options.limits.max_tool_calls = 100;
        const Engine engine(options);
        const Outcome outcome = engine.run(GetParam(), {.data = {world.data}});
        EXPECT_LE(outcome.usage.peak_heap_bytes, options.limits.heap_bytes);
        EXPECT_LE(outcome.tool_calls.size(), options.limits.max_tool_calls);
        const std::string description = describe(outcome);
        if (expected.empty()) expected = description;
        EXPECT_EQ(description, expected) << threads << " threads";
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, AnyThreads, testing::ValuesIn(kPrograms));

TEST(Parallel, TheFirstFailureCountsHoweverLongItTakes) {
    EngineOptions options;
    options.limits = patient();
    options.threads = 4;
    const Engine engine(options);
    const Compiled compiled =
        engine.compile("(pmap (fn [x] (if (= x 0) (do (reduce + (range 20000)) (name x)) (+ x nil))) (range 8))");
    ASSERT_TRUE(compiled);
    const std::string expected = describe(engine.run(compiled.program));
    EXPECT_NE(expected.find("at index 0: `name`"), std::string::npos);
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(describe(engine.run(compiled.program)), expected);
}

TEST(Parallel, SessionsOnManyThreadsShareOnePool) {
    EngineOptions options;
    options.limits = patient();
    options.tools = {echo_tool()};
    options.threads = 2;
    options.tool_threads = 2;
    const Engine engine(options);
    const World world;
    const Compiled compiled = engine.compile("(pmap (fn [o] (:a (tool/echo {:a (:amount o)}))) data/orders)");
    ASSERT_TRUE(compiled);
    const std::string expected = describe(engine.run(compiled.program, {.data = {world.data}}));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 5; ++i)
                EXPECT_EQ(describe(engine.run(compiled.program, {.data = {world.data}})), expected);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

// ---- tools
// -------------------------------------------------------------------------------------------------------------

TEST(Parallel, NoMoreToolsAreCalledThanTheLimitAllows) {
    std::atomic<int> called{0};
    EngineOptions options;
    options.limits = patient();
    options.tools.push_back({.name = "count", .function = [&](const Datum& a) -> Result<Datum> {
                                 ++called;
                                 return a;
                             }});
    options.limits.max_tool_calls = 10;
    const Engine engine(options);
    const Outcome enough = engine.run("(count (pmap #(tool/count {:n %}) (range 10)))");
    EXPECT_EQ(enough.value, "10");
    called = 0;
    const Outcome outcome = engine.run("(tool/count {}) (pmap #(tool/count {:n %}) (range 20))");
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::ToolCallsExceeded);
    EXPECT_EQ(called, 10);
    EXPECT_EQ(outcome.tool_calls.size(), 10u);
}

TEST(Parallel, NoToolIsCalledBehindAFailure) {
    std::mutex mutex;
    std::set<std::int64_t> called;
    EngineOptions options;
    options.limits = patient();
    options.tools.push_back({.name = "note", .function = [&](const Datum& a) -> Result<Datum> {
                                 const std::lock_guard lock(mutex);
                                 called.insert(number(a, "n"));
                                 return a;
                             }});
    const Engine engine(options);
    const Outcome outcome = engine.run("(pmap (fn [n] (if (= n 4) (name n) (tool/note {:n n}))) (range 20))");
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::PmapError);
    EXPECT_EQ(called, (std::set<std::int64_t>{0, 1, 2, 3}));
}

TEST(Parallel, OnlyWhatTheHostMustAnswerIsHandedOut) {
    EngineOptions options;
    options.limits = patient();
    options.tools = {echo_tool(), {.name = "ask"}};
    const Engine engine(options);
    Session session(engine);
    const Compiled compiled =
        session.compile("(pmap (fn [n] (if (odd? n) (tool/ask {:n n}) (:n (tool/echo {:n n})))) (range 6))");
    ASSERT_TRUE(compiled);
    RunState state = session.start(compiled.program);
    ASSERT_EQ(std::get<Suspended>(state).calls.size(), 3u);
    state = session.resume(std::vector<ToolAnswer>{Datum("a"), Datum("b"), Datum("c")});
    EXPECT_EQ(std::get<Outcome>(state).value, R"([0 "a" 2 "b" 4 "c"])");
    EXPECT_EQ(std::get<Outcome>(state).tool_calls.size(), 6u);
}

TEST(Parallel, AMissingAnswerIsAFailedCall) {
    EngineOptions options;
    options.limits = patient();
    options.tools = {{.name = "ask"}};
    const Engine engine(options);
    Session session(engine);
    const Compiled compiled = session.compile("(pmap #(tool/ask {:n %}) (range 3))");
    ASSERT_TRUE(std::holds_alternative<Suspended>(session.start(compiled.program)));
    const RunState state = session.resume(Datum(1));
    ASSERT_TRUE(std::get<Outcome>(state).error);
    EXPECT_EQ(std::get<Outcome>(state).error->reason, Reason::ToolError);
    EXPECT_NE(std::get<Outcome>(state).error->message.find("at index 1"), std::string::npos);
    EXPECT_EQ(session.run("(+ 1 1)").value, "2");
}

TEST(Parallel, WaitingBranchesMayBeGivenUp) {
    EngineOptions options;
    options.limits = patient();
    options.tools = {{.name = "ask"}};
    const Engine engine(options);
    Session session(engine);
    const Compiled compiled = session.compile("(def x (pmap #(tool/ask {:n (str %)}) (range 30)))");
    ASSERT_TRUE(std::holds_alternative<Suspended>(session.start(compiled.program)));
    session.abandon();
    EXPECT_TRUE(session.names().empty());
    EXPECT_EQ(session.run("(pmap inc [1 2])").value, "[2 3]");
}

TEST(Parallel, WhatGoesToToolsAndComesBackCostsFuel) {
    EngineOptions options;
    options.limits = patient();
    options.tools = {echo_tool()};
    const Engine engine(options);
    const auto fuel = [&](const char* source) { return engine.run(source).usage.fuel; };
    EXPECT_GT(fuel("(pmap (fn [x] (tool/echo {:a (vec (range 10000))}) x) [1 2])"),
              fuel("(pmap (fn [x] (tool/echo {:a 1}) (vec (range 10000)) x) [1 2])") + 20'000);
}

// ---- isolation and ends
// ------------------------------------------------------------------------------------------------

TEST(Parallel, BranchesPrintNothingAndDefineNothing) {
    const Engine engine;
    Session session(engine);
    const Outcome outcome =
        session.run("(println 1) (def a (pmap (fn [x] (println x) (def b x) b) [1 2 3])) (println a)");
    EXPECT_EQ(outcome.prints, (std::vector<std::string>{"1", "[1 2 3]"}));
    EXPECT_EQ(session.names(), std::vector<std::string>{"a"});
    EXPECT_EQ(session.run("(pmap (fn [_] (conj a *1)) [1])").value, "[[1 2 3 nil]]");
}

TEST(Parallel, BranchesSeeEarlierResultsAndFunctions) {
    const Engine engine;
    Session session(engine);
    (void)session.run("(def k 100) (defn add [x] (+ k x))");
    (void)session.run("[1 2 3]");
    EXPECT_EQ(session.run("(pmap (fn [i] (add (nth *1 i))) [0 1 2])").value, "[101 102 103]");
    (void)session.run("(def k 1)");
    EXPECT_EQ(session.run("(pmap add [1 2])").value, "[2 3]");
}

TEST(Parallel, InterruptReachesTheBranches) {
    std::latch started(5);
    EngineOptions options;
    options.limits = patient();
    options.threads = 2;
    options.tools.push_back({.name = "started", .function = [&](const Datum& a) -> Result<Datum> {
                                 started.count_down();
                                 return a;
                             }});
    const Engine engine(options);
    Limits limits;
    limits.fuel = INT64_MAX;
    limits.timeout = {};
    Session session(engine);
    std::atomic<bool> done{false};
    std::thread interrupter([&] {
        started.wait();
        while (!done) {
            std::this_thread::yield();
            session.interrupt();
        }
    });
    const Outcome outcome =
        session.run("(pmap (fn [x] (tool/started {}) (loop [i 0] (recur (inc i)))) (range 5))", {.limits = limits});
    done = true;
    interrupter.join();
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::Interrupted);
}

TEST(Parallel, TheDeadlineReachesTheBranches) {
    EngineOptions options;
    options.limits = patient();
    options.threads = 2;
    const Engine engine(options);
    Limits limits;
    limits.fuel = INT64_MAX;
    limits.timeout = 50ms;
    const Outcome outcome =
        engine.run("(pmap (fn [x] (pmap (fn [y] (loop [i 0] (recur (inc i)))) [1 2])) (range 5))", {.limits = limits});
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::Timeout);
}

TEST(Parallel, LoopIterationsOfAllBranchesCountTogether) {
    for (const unsigned threads : {0u, 2u}) {
        EngineOptions options;
        options.limits = patient();
        options.threads = threads;
        options.limits.max_loop_iterations = 1000;
        const Engine engine(options);
        EXPECT_TRUE(engine.run("(pmap (fn [x] (loop [i 0] (if (< i 90) (recur (inc i)) i))) (range 10))").ok());
        const Outcome outcome = engine.run("(pmap (fn [x] (loop [i 0] (if (< i 90) (recur (inc i)) i))) (range 15))");
        ASSERT_TRUE(outcome.error);
        EXPECT_EQ(outcome.error->reason, Reason::LoopLimitExceeded);
        EXPECT_NE(outcome.error->message.find("1000"), std::string::npos);
    }
}

TEST(Parallel, ASessionIsAsUsableAfterAFailureAsBefore) {
    EngineOptions options;
    options.limits = patient();
    options.tools = {echo_tool()};
    const Engine engine(options);
    Session session(engine);
    (void)session.run("(def v (vec (map str (range 1000))))");
    const std::uint64_t peak = session.run("(count v)").usage.peak_heap_bytes;
    for (const char* failing :
         {"(pmap (fn [x] (def v 1) (tool/echo {}) (name x)) v [1])", "(pmap (fn [x] (loop [s x] (recur (str s s)))) v)",
          "(pmap (fn [x] (pmap #(tool/echo {:a % :b (count v)}) [1 2]) (throw-away x)) v) (def throw-away 1)"}) {
        EXPECT_FALSE(session.run(failing).ok());
        EXPECT_EQ(session.run("(count v)").usage.peak_heap_bytes, peak) << failing;
    }
}

} // namespace
} // namespace ptc
