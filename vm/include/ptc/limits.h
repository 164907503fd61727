// What a run may use. There is no run without limits.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

namespace ptc {

struct Limits {
    std::int64_t fuel = 50'000'000; ///< units of work (about one per instruction)
    /// Live bytes beyond imported data, the session's memory included. The process holds at most twice as many and 3
    /// MiB for them: from 8 MiB on it takes memory by 2 MiB, and asks the system for huge pages.
    std::uint64_t heap_bytes = 64u << 20;
    std::uint32_t max_depth = 20'000;        ///< nested calls
    std::chrono::milliseconds timeout{1000}; ///< wall clock, of compiling too; time spent in tools does not count
    std::uint32_t max_source_bytes = 1u << 20;
    std::uint32_t max_nesting = 512;       ///< brackets in source, levels in JSON
    std::uint32_t max_symbols = 20'000;    ///< distinct names in a program, and in a session that it adds some to
    std::uint32_t max_constants = 200'000; ///< literals in a program
    std::uint32_t max_digits = 10'000;     ///< of an integer that a text spells; a program may compute longer ones
    std::uint64_t max_print_bytes = 64u << 10;
    std::uint32_t max_tool_calls = 10'000;
    /// Of the result's printed or JSON text, and of an error's message. A result's texts are no longer than
    /// `heap_bytes` either, if that is a MiB or more: values may share parts that a text has each time.
    std::uint64_t max_result_bytes = 16u << 20;
    /// The branches of a pmap or pcalls are dealt to at most this many lanes, which may run at the same time; each has
    /// an equal share of the heap that is left. Fuel and peak depend on it, and on no number of threads. From 1 to 64;
    /// what is outside counts as the nearest of these.
    std::uint32_t parallel_lanes = 8;
    /// For runs that repeat one which the clock ended (timeout): the fuel that it had used, 0 when it was being
    /// compiled. With it, and a `timeout` of 0, which is none, the run ends at the same point whatever the clock says.
    std::optional<std::int64_t> timeout_after_fuel{};
    std::optional<std::uint64_t> max_loop_iterations{}; ///< no default: fuel bounds loops
};

/// What reading a text from outside may use. Work is bounded by the size of the text in any case.
struct ImportLimits {
    std::chrono::milliseconds timeout{0};     ///< wall clock, from the call; 0 is none
    std::optional<std::uint64_t> max_bytes{}; ///< of memory for the values; default: 16 MiB, and 32 for a byte of text
};

} // namespace ptc
