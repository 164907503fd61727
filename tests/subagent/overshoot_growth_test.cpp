// What is still done once the time is over, in instructions: outside of programs, for texts and values of many shapes
// (tests/support/host_steps.h). Compiling has its own test (tests/compiler/compile_growth_test.cpp);
// bench/overshoot.cpp measures the same, and programs, by a clock.
#include "frontend/work.h"
#include "tests/support/host_steps.h"
#include "tests/support/instructions.h"
#include <gtest/gtest.h>

namespace ptc::test {
namespace {

/// Instructions that `step` may still take: less than 20 ms.
std::uint64_t most_of(const std::string& step) {
    constexpr std::uint64_t kMost = 30'000'000,
                            kMostToShow = 80'000'000; // a value as a text is bounded by its size only
    // Six replies of 256 KiB are read whole, as this mission has no deadline of its own, which ends one behind the
    // first.
    constexpr std::uint64_t kMostToRead = 80'000'000;
    if (step == "a mission of six turns: many definitions") return kMostToRead;
    return step.starts_with("define and show: ") ? kMostToShow : kMost;
}

/// The instructions of `step` after `slices` of work. 0 if it was done before.
std::uint64_t work_after_the_end(HostSteps& steps, const HostStep& step, int slices) {
    bool is_over = false;
    steps.set_refill([&] {
        if (is_over || --slices > 0) return !is_over;
        is_over = true;
        start_counting();
        return false;
    });
    step.work();
    return is_over ? stop_counting() : 0;
}

/// Those of which each has a test of its own, and those that do not end early: a trace, a tree as a text and a program
/// as bytes are of use as a whole only.
bool is_left_out(const std::string& step) {
    for (const char* name : {"read: ", "check: ", "compile: ", "find program: ", "trace: ", "tree to JSON: ",
                             "write bytecode: ", "save a "})
        if (step.starts_with(name)) return true;
    return false;
}

TEST(Overshoot, WhatIsDoneOutsideOfProgramsEndsSoon) {
    HostSteps steps(std::size_t{256} << 10);
    for (const HostStep& step : steps.all()) {
        if (is_left_out(step.name)) continue;
        for (const int slices : {1, 60})
            EXPECT_LT(work_after_the_end(steps, step, slices), most_of(step.name)) << step.name << ", " << slices;
    }
}

/// The instructions that a program still takes once a tool has stopped it, which calls `(tool/stop {})`.
std::uint64_t work_after_a_stop(const std::string& source) {
    Session* session = nullptr;
    EngineOptions options;
    options.threads = options.tool_threads = 0;
    options.tools.push_back({.name = "stop", .function = [&session](const Datum&) -> Result<Datum> {
                                 session->interrupt();
                                 start_counting();
                                 return Datum();
                             }});
    const Engine engine(options);
    Session running(engine);
    session = &running;
    RunOptions run;
    run.limits.emplace().timeout = {};
    run.limits->heap_bytes = std::size_t{1} << 30;
    const Outcome outcome = running.run(source, run);
    const std::uint64_t work = stop_counting();
    EXPECT_TRUE(outcome.error && outcome.error->reason == Reason::Interrupted) << source;
    return work;
}

TEST(Overshoot, WhatPutsMillionsOfItemsElsewhereLooksInBetween) {
    constexpr std::uint64_t kMost = 3'000'000; // 50 million without the looks
    for (const char* source : {
             "(let [v (vec (repeat 2000000 \"x\"))] (tool/stop {}) [(apply str v) v])",
             "(let [v (vec (repeat 2000000 \"x\"))] (tool/stop {}) (apply str v))",
             "(let [v (vec (repeat 1000000 :a))] (tool/stop {}) (sort v))",
             "(let [v (conj (vec (repeat 1000000 1)) :a)] (tool/stop {}) (sort v))",
             "(let [t (str \"[\" (apply str (repeat 500000 \"1 \")) \"]\")] (tool/stop {}) (edn/read-string t))",
             "(let [t (apply str \"e\" (repeat 500000 \"\\u0301\"))] (tool/stop {}) (edn/read-string t))",
         })
        EXPECT_LT(work_after_a_stop(source), kMost) << source;
}

// What is on the heap when the time is over.
TEST(Overshoot, WhatAProgramLeavesBehindIsGivenBackByTheNext) {
    constexpr std::uint64_t kMost = 3'000'000; // to give it back takes 60 million and more
    for (const char* made :
         {"(mapv (fn [_] (vec (repeat 8000 \"t\"))) (range 400))", "(mapv (fn [x] [x]) (range 400000))",
          "(zipmap (range 300000) (map str (range 300000)))",
          "(mapv (fn [x] (str \"number \" x \" of all\")) (range 400000))", "(reduce (fn [v _] [v]) 1 (range 500000))"})
        EXPECT_LT(work_after_a_stop("(let [v " + std::string(made) +
                                    "] (tool/stop {}) (loop [i 0] (if (< i 0) v (recur (inc i)))))"),
                  kMost)
            << made;
}

/// What a mission of one such turn still does after so many slices of work, in instructions; 0 if it was done before.
std::uint64_t work_of_mission_after(int slices, const std::string& program) {
    const AgentPtr agent = Agent::create({.prompt = "x", .memory_limit = {}}).value();
    int left = slices;
    const work::Scope scope([&left] {
        if (--left == 0) start_counting();
        return left > 0;
    });
    const Step step = agent->run(
        [&](const LlmRequest&) -> LlmResult { return LlmReply{.text = "```clojure\n" + program + "\n```"}; });
    if (left > 0) return 0;
    const std::uint64_t work = stop_counting();
    EXPECT_EQ(step.fail.value_or(Fail{}).reason, "mission_timeout");
    return work;
}

// All of them as trees would take 140 MB, which it takes long to give back.
TEST(Overshoot, OfDefinitionsOneIsATreeAtATime) {
    std::string program;
    for (int i = 0; i < 100; ++i)
        program += "(def v" + std::to_string(i) + " (vec (range 20000))) ";
    const std::uint64_t work = work_of_mission_after(1500, program); // of 2000 for all definitions
    EXPECT_GT(work, 0u);
    EXPECT_LT(work, 3'000'000u);
}

// Nearly as many names as a session may have: 98 million when all of them were gone through behind the end.
TEST(Overshoot, OfThousandsOfDefinitionsTheRestIsNotLookedAt) {
    std::string program;
    for (int i = 0; i < 19'000; ++i)
        program += "(def name" + std::to_string(i) + " [:key" + std::to_string(i) + "]) ";
    for (const int slices : {1, 100, 200, 300, 350, 400, 450, 500, 600})
        EXPECT_LT(work_of_mission_after(slices, program), 45'000'000u) << slices;
}

} // namespace
} // namespace ptc::test
