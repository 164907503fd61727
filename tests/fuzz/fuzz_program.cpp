// An input is a program. It is compiled and run under small limits with data and tools at hand: it must end, in an
// ordinary outcome, at the same fuel and with the same answer each time, and leave the session as usable as it was.
// What is said of it without running it holds: the most fuel that it uses, the tools that it calls.
#include "compiler/bounds/effects.h"
#include "subagent/engine/known_data.h"
#include "tests/fuzz/fuzz_check.h"
#include <algorithm>
#include <ptc/ptc.h>
#include <string>
#include <string_view>

namespace {

using namespace ptc;

constexpr std::string_view kData = R"({
  "orders": [{"id": 1, "status": "paid", "amount": 10.5, "tags": ["a", "b"]}, {"id": 2, "status": "open", "amount": 7, "tags": []},
             {"id": 3, "status": "paid", "amount": null, "unit-price": "3,50"}],
  "text": "one two  three\nvier Zoë", "n": 5, "nested": {"a": {"b": [1, [2, [3]]]}}, "empty": []})";

Result<Datum> echo(const Datum& arguments) { return arguments; }
Result<Datum> boom(const Datum&) { return Error(Reason::ToolError, "boom"); }

Engine make_engine(unsigned threads) {
    return Engine(
        {.tools = {{.name = "echo", .function = echo}, {.name = "boom", .function = boom}},
         .limits = {.fuel = 200'000, .heap_bytes = 4u << 20, .max_depth = 500, .timeout = std::chrono::seconds(20)},
         .clock_millis = [] { return std::int64_t{1'700'000'000'000}; },
         .threads = threads,
         .tool_threads = threads});
}

const Engine& engine() {
    static const Engine kEngine = make_engine(0);
    return kEngine;
}

// Threads change nothing that can be seen.
const Engine& threaded_engine() {
    static const Engine kEngine = make_engine(2);
    return kEngine;
}

const RunOptions& options() {
    static const RunOptions kOptions{
        .data = {DataSet::from_json(kData).value()}, .want_json = true, .want_datum = true};
    return kOptions;
}

void check_error(const Error& error) {
    FUZZ_CHECK(!error.message.empty());
    FUZZ_CHECK(error.message.size() < 8192);
    FUZZ_CHECK(error.span.begin <= error.span.end);
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

void check_claims(std::string_view text, const Outcome& outcome) {
    const Compiled compiled = engine().compile(text);
    if (!compiled) return;
    constexpr std::size_t kSteps = 20'000;
    for (const FuelBound& bound : {fuel_bound(*compiled.program, {}, kSteps),
                                   fuel_bound(*compiled.program, known_data(options().data), kSteps)}) {
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
    FUZZ_CHECK(outcome.usage.peak_heap_bytes <= (4u << 20));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Outcome first = engine().run(text, options());
    check_outcome(first);
    check_same(first, threaded_engine().run(text, options()));
    check_claims(text, first);

    Session session(engine());
    FUZZ_CHECK(session.run("(def kept 41)", options()).ok());
    check_outcome(session.run(text, options()));
    const Outcome after = session.run("(+ 40 2)", options());
    FUZZ_CHECK(after.ok() && after.value == "42");
    return 0;
}
