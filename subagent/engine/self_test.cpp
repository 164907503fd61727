// Each row is a limit and a program that it must end; what would end it later shows that it did not. The library's own
// functions are not needed, so none of them is compiled for this. The wall clock is tried on a meter: a program would
// have to wait for it.
#include "subagent/engine/self_test.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "ptc/engine.h"
#include "runtime/clock.h"
#include <atomic>

namespace ptc {
namespace {

struct Probe {
    const char* limit;
    Reason reason;
    void (*set)(Limits& limits);
    const char* program;
};

constexpr const char* kTwoSlices = "(loop [i 0] (if (< i 9000) (recur (inc i)) i))"; // it looks at the clock in between

constexpr Probe kProbes[] = {
    {"fuel", Reason::FuelExhausted, [](Limits& l) { l.fuel = 100; }, "(loop [i 0] (if (< i 100) (recur (inc i)) i))"},
    {"heap_bytes", Reason::MemoryExceeded, [](Limits& l) { l.heap_bytes = 10'000; },
     "(count (loop [i 0 v []] (if (< i 2000) (recur (inc i) (conj v i)) v)))"},
    {"max_depth", Reason::DepthExceeded, [](Limits& l) { l.max_depth = 10; },
     "((fn f [n] (if (= n 0) 0 (+ 1 (f (- n 1))))) 20)"},
    {"timeout", Reason::Timeout, [](Limits& l) { l.timeout_after_fuel = 1; }, kTwoSlices},
    {"max_loop_iterations", Reason::LoopLimitExceeded, [](Limits& l) { l.max_loop_iterations = 10; },
     "(loop [i 0] (if (< i 100) (recur (inc i)) i))"},
    {"max_digits", Reason::LimitExceeded, [](Limits& l) { l.max_digits = 10; },
     "(loop [text \"12345678901\" n 0] (if (< n 1) (recur text (inc n)) (count [(bigint text)])))"},
    {"max_print_bytes", Reason::OutputExceeded, [](Limits& l) { l.max_print_bytes = 10; }, "(println \"12345678901\")"},
    {"max_result_bytes", Reason::LimitExceeded, [](Limits& l) { l.max_result_bytes = 10; }, "\"12345678901\""},
    {"max_source_bytes", Reason::ParseError, [](Limits& l) { l.max_source_bytes = 10; }, "[1 2 3 4 5 6]"},
    {"max_nesting", Reason::ParseError, [](Limits& l) { l.max_nesting = 3; }, "[[[[1]]]]"},
};

Error not_kept(std::string_view limit, const std::string& what) {
    return Error(Reason::RuntimeError, "This build does not keep its limits: a program beyond " + quoted(limit) + " " +
                                           what + ". It must not run the programs of others.");
}

Result<void> try_limit(const Engine& engine, const Probe& probe, const std::function<void(Limits&)>& change) {
    RunOptions options;
    Limits limits;
    probe.set(limits);
    if (change) change(limits);
    options.limits = limits;
    const Outcome outcome = engine.run(probe.program, options);
    if (!outcome.error) return not_kept(probe.limit, "was not stopped");
    if (outcome.error->reason != probe.reason)
        return not_kept(probe.limit, "was stopped by " + quoted(reason_name(outcome.error->reason)));
    return {};
}

Result<void> try_interrupt(const Engine& engine) {
    Session session(engine);
    session.interrupt();
    const Outcome outcome = session.run(kTwoSlices);
    if (!outcome.error || outcome.error->reason != Reason::Interrupted) return not_kept("interrupt", "was not stopped");
    return {};
}

Result<void> try_clock(const std::function<void(Limits&)>& change) {
    Limits limits;
    if (change) change(limits);
    const bool is_timed = limits.timeout.count() > 0;
    Meter meter;
    meter.start(Meter::kUnlimited, is_timed ? Meter::Clock::now() : Meter::Clock::time_point::max(), nullptr);
    if (meter.charge(Meter::kSlice + 1) || meter.error().reason != Reason::Timeout)
        return not_kept("timeout_ms", "was not stopped");
    return {};
}

} // namespace

Result<void> self_test(const std::function<void(Limits&)>& change) {
    EngineOptions options;
    options.threads = 0;
    options.tool_threads = 0;
    options.warnings = false;
    const Engine engine(std::move(options));
    for (const Probe& probe : kProbes)
        PTC_CHECK(try_limit(engine, probe, change));
    PTC_CHECK(try_interrupt(engine));
    return try_clock(change);
}

} // namespace ptc
