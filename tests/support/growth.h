// How work grows with its size, by the instructions that it takes, so that neither a busy nor a slow machine changes
// the answer. Tests that ask are in *_growth_test.cpp: they form a program that is run under callgrind
// (tests/CMakeLists.txt).
#pragma once
#include "instructions.h"
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

namespace ptc::test {

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
