// How work grows with its size, without the wall clock: by the processor's time of this thread, as a ratio of two
// sizes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <ctime>
#include <gtest/gtest.h>
#include <limits>

namespace ptc::test {

/// Seconds that the processor gives this thread to do `work`: other programs of the machine hardly add to them.
template <class Work> double cpu_seconds(Work&& work) {
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    const double start = now();
    work();
    return now() - start;
}

/// Whether work takes time in proportion to its size: prepare(n) makes the work of size n, which is called once and
/// whose calls alone are measured. Four times the size must take less than ten times as long, where quadratic work
/// takes sixteen times as long; what disturbs a try makes it longer, so that the shortest of up to five are compared.
template <class Prepare>::testing::AssertionResult is_linear(std::size_t size, Prepare prepare) {
    double few = std::numeric_limits<double>::max();
    double many = few;
    for (int i = 0; i < 5; ++i) {
        for (int tries = 0; tries < 3; ++tries) { // cheap, and a disturbed one would make all work look linear
            auto small = prepare(size);
            few = std::min(few, cpu_seconds(small));
        }
        auto large = prepare(4 * size);
        many = std::min(many, cpu_seconds(large));
        if (many < 10 * few) return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << few << " s of the processor for " << size << ", " << many << " s for "
                                         << 4 * size;
}

} // namespace ptc::test
