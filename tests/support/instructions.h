// The instructions that some work takes, as callgrind counts them in the process that it runs: the same on a busy and
// on a slow machine. PTC_CALLGRIND_OUT names the file given to it as --callgrind-out-file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
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

} // namespace ptc::test
