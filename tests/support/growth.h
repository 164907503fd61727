// How work grows with its size, by the instructions that it takes: callgrind counts them, so that neither a busy nor a
// slow machine changes the answer. Tests that ask are in *_growth_test.cpp: they form a program that is run under
// callgrind (tests/CMakeLists.txt).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define PTC_HAS_CALLGRIND
#endif

namespace ptc::test {

/// The count in the part that callgrind has just written to the file that PTC_CALLGRIND_OUT names; 0 if there is none.
inline std::uint64_t written_count() {
    static int parts = 0;
    const char* path = std::getenv("PTC_CALLGRIND_OUT");
    std::ifstream file((path ? path : "callgrind.out") + ("." + std::to_string(++parts)));
    std::uint64_t count = 0;
    for (std::string word; file >> word;)
        if (word == "totals:") file >> count;
    return count;
}

/// Counts from here on, where callgrind runs the process.
inline void start_counting() {
#ifdef PTC_HAS_CALLGRIND
    if (RUNNING_ON_VALGRIND) {
        CALLGRIND_ZERO_STATS;
        CALLGRIND_START_INSTRUMENTATION;
    }
#endif
}

/// The instructions since start_counting; 0 where callgrind does not run the process.
inline std::uint64_t stop_counting() {
#ifdef PTC_HAS_CALLGRIND
    if (RUNNING_ON_VALGRIND) {
        CALLGRIND_STOP_INSTRUMENTATION;
        CALLGRIND_DUMP_STATS;
        return written_count();
    }
#endif
    return 0;
}

/// The instructions that `work` takes in this process: the same number each time, give or take what a hash or an
/// address changes. 0 where callgrind does not run the process.
template <class Work> std::uint64_t instructions(Work&& work) {
    start_counting();
    work();
    return stop_counting();
}

/// Whether work grows in proportion to its size: prepare(n) makes the work of size n, whose calls alone are counted.
/// Four times the size must take less than eight times the instructions, where quadratic work takes sixteen times.
template <class Prepare>::testing::AssertionResult is_linear(std::size_t size, Prepare prepare) {
    auto small = prepare(size);
    auto large = prepare(4 * size);
    const std::uint64_t few = instructions(small), many = instructions(large);
    if (few == 0)
        return ::testing::AssertionFailure() << "nothing was counted: run this under callgrind, as ctest does";
    if (many < 8 * few) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << few << " instructions for " << size << ", " << many << " for " << 4 * size;
}

} // namespace ptc::test
