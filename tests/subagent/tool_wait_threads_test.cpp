// That the time which runs wait for tools does not count, by a clock that the test owns: nothing here takes any time.
#include "ptc/ptc.h"
#include "subagent/engine/engine_impl.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>

namespace ptc {
namespace {

using namespace std::chrono_literals;

/// What a run gives whose tool calls take `nap` each by the engine's clock. By the real one, by which programs are
/// stopped, its time is over before it begins: it ends well only if what it waited was added.
Outcome run_with_naps(const char* source, std::chrono::hours nap) {
    std::atomic<Meter::Clock::rep> time{0};
    EngineOptions options;
    options.tools.push_back({.name = "nap", .function = [&](const Datum& a) -> Result<Datum> {
                                 time += Meter::Clock::duration(nap).count();
                                 return a;
                             }});
    options.limits.timeout = 1ms;
    options.limits.fuel = INT64_MAX;
    const Engine engine(options);
    impl_of(engine).now = [&] { return Meter::Clock::time_point(Meter::Clock::duration(time)); };
    return engine.run(source);
}

TEST(ToolWait, WaitingForToolsIsNotRunTime) {
    for (const char* source : {"(tool/nap {}) (loop [i 0] (if (< i 3000000) (recur (inc i)) i))",
                               "(pmap (fn [n] (tool/nap {:n n}) (reduce + (range 1000000))) [1 2 3])"})
        EXPECT_TRUE(run_with_naps(source, 24h).ok()) << source;
}

TEST(ToolWait, NothingElseIsAdded) {
    for (const char* source : {"(tool/nap {}) (loop [i 0] (recur (inc i)))",
                               "(pmap (fn [n] (tool/nap {:n n}) (loop [i 0] (recur (inc i)))) [1 2])"}) {
        const Outcome outcome = run_with_naps(source, 0h);
        ASSERT_TRUE(outcome.error) << source;
        EXPECT_EQ(outcome.error->reason, Reason::Timeout) << source;
    }
}

TEST(ToolWait, TheDurationOfARunHasIt) {
    EXPECT_EQ(run_with_naps("(tool/nap {}) (tool/nap {})", 5h).usage.duration, 10h);
}

} // namespace
} // namespace ptc
