// The instructions that some work takes, as callgrind counts them in the process that it runs: the same on a busy and
// on a slow machine. PTC_CALLGRIND_OUT names the file given to it as --callgrind-out-file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define PTC_HAS_CALLGRIND
#endif

namespace ptc::test {

/// The count in the part that callgrind has just written beside the file that PTC_CALLGRIND_OUT names, which is taken
/// away; 0 if there is none. The count is the last line: the rest is long and is not read.
inline std::uint64_t written_count() {
    static int parts = 0;
    const char* path = std::getenv("PTC_CALLGRIND_OUT");
    const std::string name = (path ? path : "callgrind.out") + ("." + std::to_string(++parts));
    std::ifstream file(name);
    file.seekg(-64, std::ios::end);
    std::uint64_t count = 0;
    for (std::string word; file >> word;)
        if (word == "totals:") file >> count;
    (void)std::remove(name.c_str());
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

/// The same for thousands of short ones: callgrind goes on looking from the first one on, as it translates all code
/// anew whenever it begins.
template <class Work> std::uint64_t instructions_in_a_row(Work&& work) {
#ifdef PTC_HAS_CALLGRIND
    if (RUNNING_ON_VALGRIND) {
        static const bool has_begun = [] {
            CALLGRIND_START_INSTRUMENTATION;
            return true;
        }();
        (void)has_begun;
        CALLGRIND_ZERO_STATS;
        work();
        CALLGRIND_DUMP_STATS;
        return written_count();
    }
#endif
    work();
    return 0;
}

/// The instructions of each of `works`, one after the other, counting throughout: to begin and to end that takes longer
/// than most work does, because valgrind translates all code anew. Zeros where callgrind does not run the process.
template <class Works> std::vector<std::uint64_t> instructions_of_each(Works& works) {
    std::vector<std::uint64_t> counts;
    start_counting();
    for (auto& work : works) {
#ifdef PTC_HAS_CALLGRIND
        CALLGRIND_ZERO_STATS;
#endif
        work();
#ifdef PTC_HAS_CALLGRIND
        CALLGRIND_DUMP_STATS;
#endif
        counts.push_back(written_count());
    }
#ifdef PTC_HAS_CALLGRIND
    CALLGRIND_STOP_INSTRUMENTATION;
#endif
    return counts;
}

} // namespace ptc::test
