// The measure of growth takes linear work for linear and quadratic work for quadratic.
#include "tests/support/growth.h"

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

TEST(Growth, LinearWorkIsTakenForLinear) { EXPECT_TRUE(is_linear(30'000, steps)); }

TEST(Growth, QuadraticWorkIsNot) {
    EXPECT_FALSE(is_linear(200, [](std::size_t size) { return steps(size * size); }));
}

TEST(Growth, TheCountIsThatOfTheWork) {
    const std::uint64_t few = instructions(steps(1'000)), many = instructions(steps(101'000));
    EXPECT_EQ((many - few) % 100'000, 0u); // so many instructions a step
    EXPECT_GT(many, few);
}

} // namespace
} // namespace ptc::test
