// The host that programs of fuzz targets run under: data, tools and small limits, the same each time.
#pragma once
#include "tests/fuzz/fuzz_check.h"
#include <ptc/ptc.h>
#include <string_view>

namespace ptc::fuzz {

inline constexpr std::string_view kData = R"({
  "orders": [{"id": 1, "status": "paid", "amount": 10.5, "tags": ["a", "b"]}, {"id": 2, "status": "open", "amount": 7, "tags": []},
             {"id": 3, "status": "paid", "amount": null, "unit-price": "3,50"}],
  "text": "one two  three\nvier Zoë", "n": 5, "nested": {"a": {"b": [1, [2, [3]]]}}, "empty": []})";
inline constexpr std::size_t kHeapBytes = 4u << 20;

inline Result<Datum> echo(const Datum& arguments) { return arguments; }
inline Result<Datum> boom(const Datum&) { return Error(Reason::ToolError, "boom"); }

/// Without `answers_tools` runs suspend at their tool calls. Its time never ends: what would be a matter of the clock
/// is one of fuel.
inline EngineOptions engine_options(unsigned threads = 0, bool answers_tools = true) {
    EngineOptions made;
    made.tools = {{.name = "echo", .function = answers_tools ? ToolFunction(echo) : ToolFunction()},
                  {.name = "boom", .function = answers_tools ? ToolFunction(boom) : ToolFunction()}};
    made.limits = {.fuel = 40'000, .heap_bytes = kHeapBytes, .max_depth = 500, .timeout = std::chrono::hours(1)};
    made.clock_millis = [] { return std::int64_t{1'700'000'000'000}; };
    made.threads = threads;
    made.tool_threads = threads;
    return made;
}

inline const RunOptions& run_options() {
    static const RunOptions kOptions{
        .data = {DataSet::from_json(kData).value()}, .want_json = true, .want_datum = true};
    return kOptions;
}

inline void check_error(const Error& error) {
    FUZZ_CHECK(!error.message.empty());
    FUZZ_CHECK(error.message.size() < 8192);
    FUZZ_CHECK(error.span.begin <= error.span.end);
}

/// Whether a run ended because of a limit, which routes of different cost do not meet at the same place.
inline bool is_limit(Reason reason) {
    return reason == Reason::FuelExhausted || reason == Reason::MemoryExceeded || reason == Reason::LimitExceeded ||
           reason == Reason::Timeout;
}
inline bool is_limit(const Outcome& outcome) { return outcome.error && is_limit(outcome.error->reason); }

} // namespace ptc::fuzz
