// An input is a program. It is compiled and run under small limits with data and tools at hand: it must end, in an
// ordinary outcome, at the same fuel and with the same answer each time, and leave the session as usable as it was.
// What is said of it without running it holds: the most fuel that it uses, the tools that it calls. Its fuel pays for
// what it does, in steps that the fuzz preset counts.
#include "compiler/bounds/effects.h"
#include "subagent/engine/known_data.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/program_host.h"
#include "tests/fuzz/work.h"
#include <algorithm>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

namespace {

using namespace ptc;
using fuzz::check_error;

const Engine& engine() {
    static const Engine kEngine(fuzz::engine_options());
    return kEngine;
}

// Threads change nothing that can be seen.
const Engine& threaded_engine() {
    static const Engine kEngine(fuzz::engine_options(2));
    return kEngine;
}

void check_same(const Outcome& a, const Outcome& b) {
    FUZZ_CHECK(a.kind == b.kind);
    FUZZ_CHECK(a.value == b.value);
    FUZZ_CHECK(a.prints == b.prints);
    FUZZ_CHECK(a.json == b.json);
    FUZZ_CHECK(a.usage.fuel == b.usage.fuel);
    FUZZ_CHECK(a.usage.peak_heap_bytes == b.usage.peak_heap_bytes);
    FUZZ_CHECK(a.error.has_value() == b.error.has_value());
    if (a.error) FUZZ_CHECK(a.error->reason == b.error->reason && a.error->message == b.error->message);
}

/// Whatever a program does, its fuel pays for it: a unit buys a bounded number of steps.
void check_paid(const ProgramPtr& program) {
    constexpr std::uint64_t kAtOnce = 3'000'000, kSteps = 600;
    const fuzz::Measure measure;
    const Outcome outcome = engine().run(program, fuzz::run_options());
    const std::uint64_t steps = measure.taken().steps;
    const std::uint64_t paid = kAtOnce + kSteps * static_cast<std::uint64_t>(outcome.usage.fuel);
    if (steps > paid)
        std::fprintf(stderr, "%llu steps for %lld units of fuel\n", static_cast<unsigned long long>(steps),
                     static_cast<long long>(outcome.usage.fuel));
    FUZZ_CHECK(steps <= paid);
}

void check_claims(const Compiled& compiled, const Outcome& outcome) {
    constexpr std::size_t kSteps = 20'000;
    for (const FuelBound& bound : {fuel_bound(*compiled.program, {}, kSteps),
                                   fuel_bound(*compiled.program, known_data(fuzz::run_options().data), kSteps)}) {
        FUZZ_CHECK(bound.units.has_value() == bound.why.empty());
        FUZZ_CHECK(!bound.units || *bound.units >= outcome.usage.fuel);
    }
    const Effects effects = effects_of(*compiled.program);
    for (const ToolRecord& call : outcome.tool_calls) {
        FUZZ_CHECK(std::any_of(effects.sites.begin(), effects.sites.end(), [&](const EffectSite& site) {
            return site.kind == EffectKind::Tool && site.name == call.name;
        }));
    }
}

void check_outcome(const Outcome& outcome) {
    FUZZ_CHECK((outcome.kind == Outcome::Kind::Error) == outcome.error.has_value());
    if (outcome.error) check_error(*outcome.error);
    for (const Diagnostic& diagnostic : outcome.diagnostics)
        check_error(diagnostic.error);
    FUZZ_CHECK(outcome.usage.peak_heap_bytes <= fuzz::kHeapBytes);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Outcome first = engine().run(text, fuzz::run_options());
    check_outcome(first);
    check_same(first, threaded_engine().run(text, fuzz::run_options()));
    if (const Compiled compiled = engine().compile(text)) {
        check_claims(compiled, first);
        check_paid(compiled.program);
    }

    Session session(engine());
    FUZZ_CHECK(session.run("(def kept 41)", fuzz::run_options()).ok());
    check_outcome(session.run(text, fuzz::run_options()));
    const Outcome after = session.run("(+ 40 2)", fuzz::run_options());
    FUZZ_CHECK(after.ok() && after.value == "42");
    return 0;
}
