#include "tests/support/cpu_time.h"

namespace ptc::test {
namespace {

/// Work of so many steps.
auto steps(std::size_t count) {
    return [count] {
        volatile std::size_t done = 0;
        while (done < count)
            done = done + 1;
    };
}

TEST(CpuTime, LinearWorkIsTakenForLinear) { EXPECT_TRUE(is_linear(300'000, steps)); }

TEST(CpuTime, QuadraticWorkIsNot) {
    EXPECT_FALSE(is_linear(600, [](std::size_t size) { return steps(size * size); }));
}

} // namespace
} // namespace ptc::test
