// What a host may share among threads: the engine, programs, data sets; and interrupting a session from outside. Run
// under the thread sanitizer as well, which finds what a result does not show.
#include "tests/support/threads.h"
#include <atomic>
#include <gtest/gtest.h>
#include <latch>
#include <ptc/ptc.h>
#include <string>
#include <thread>
#include <vector>

namespace ptc {
namespace {

using test::kThreads;
using test::on_threads;

std::shared_ptr<const DataSet> orders() {
    std::string json = "[";
    for (int i = 0; i < 300; ++i) {
        json += (i ? "," : "") + std::string(R"({"region":")") + (i % 2 ? "Zoë" : "north") + R"(","amount":)" +
                std::to_string(i) + "}";
    }
    return DataSet::from_json("orders", json + "]").value();
}

constexpr const char* kReport = R"(
  (->> data/orders
       (group-by :region)
       (map (fn [[region os]] [region (count region) (sum-by :amount os) (count (re-seq #"[a-z]+" region))]))
       (map (fn [[region & more]] [region more]))
       (into {}))
)";

TEST(EngineThreads, OneProgramAndOneDataSetAreRunByAllThreadsAtOnce) {
    const Engine engine;
    const auto data = orders();
    const Compiled compiled = engine.compile(kReport);
    ASSERT_TRUE(compiled) << compiled.diagnostics.all().front().error.message;
    const Outcome expected = engine.run(compiled.program, {.data = {data}});
    ASSERT_TRUE(expected.ok()) << (expected.error ? expected.error->message : "");
    on_threads([&](int) {
        for (int i = 0; i < 20; ++i) {
            const Outcome outcome = engine.run(compiled.program, {.data = {data}});
            EXPECT_EQ(outcome.value, expected.value);
            EXPECT_EQ(outcome.usage.fuel, expected.usage.fuel);
            EXPECT_EQ(outcome.usage.peak_heap_bytes, expected.usage.peak_heap_bytes);
        }
    });
}

TEST(EngineThreads, ProgramsAreCompiledAndImportedByAllThreadsAtOnce) {
    const Engine engine;
    on_threads([&engine](int thread) {
        for (int i = 0; i < 10; ++i) {
            const auto data = DataSet::from_json("n", std::to_string(thread * 100 + i)).value();
            EXPECT_EQ(engine.run("(+ data/n 1)", {.data = {data}}).value, std::to_string(thread * 100 + i + 1));
        }
    });
}

// The core program is compiled when the first of its functions is used as a value, by whichever thread that is.
TEST(EngineThreads, TheCoreProgramIsCompiledByTheFirstThreadThatNeedsIt) {
    const Engine engine;
    std::latch together(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            together.arrive_and_wait();
            const char* source =
                i % 2 == 0 ? "(mapv (comp inc inc) [1 2])" : "(mapv (if true identity complement) [3 4])";
            EXPECT_EQ(engine.run(source).value, "[3 4]");
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

TEST(EngineThreads, ASessionGoesOnWhereAnotherThreadLeftIt) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(def xs [1 2 3])").ok());
    std::string value;
    std::thread([&] { value = session.run("(do (def xs (conj xs 4)) (count xs))").value; }).join();
    EXPECT_EQ(value, "4");
    EXPECT_EQ(session.run("xs").value, "[1 2 3 4]");
}

TEST(EngineThreads, InterruptEndsARunFromOutside) {
    std::latch started(1);
    const Engine engine({.tools = {{.name = "started", .function = [&](const Datum& arguments) -> Result<Datum> {
                                        started.count_down();
                                        return arguments;
                                    }}}});
    Limits limits;
    limits.fuel = INT64_MAX;
    limits.timeout = {};
    Session session(engine);
    std::thread interrupter([&] {
        started.wait();
        session.interrupt();
    });
    const Outcome outcome = session.run("(tool/started {}) (loop [i 0] (recur (inc i)))", {.limits = limits});
    interrupter.join();
    ASSERT_TRUE(outcome.error.has_value());
    EXPECT_EQ(reason_name(outcome.error->reason), "interrupted");
}

} // namespace
} // namespace ptc
