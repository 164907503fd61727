// The self-test passes on every build, and finds each limit that is switched off.
#include "subagent/engine/self_test.h"
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace ptc {
namespace {

TEST(SelfTest, PassesInThisBuild) {
    const Result<void> tested = self_test();
    EXPECT_TRUE(tested.ok()) << tested.error().message;
}

TEST(SelfTest, FindsALimitThatDoesNotBite) {
    static const Limits usual;
    const std::pair<const char*, void (*)(Limits&)> off[] = {
        {"fuel", [](Limits& limits) { limits.fuel = usual.fuel; }},
        {"heap_bytes", [](Limits& limits) { limits.heap_bytes = usual.heap_bytes; }},
        {"max_depth", [](Limits& limits) { limits.max_depth = usual.max_depth; }},
        {"timeout", [](Limits& limits) { limits.timeout_after_fuel.reset(); }},
        {"timeout_ms", [](Limits& limits) { limits.timeout = {}; }},
        {"max_loop_iterations", [](Limits& limits) { limits.max_loop_iterations.reset(); }},
        {"max_digits", [](Limits& limits) { limits.max_digits = usual.max_digits; }},
        {"max_print_bytes", [](Limits& limits) { limits.max_print_bytes = usual.max_print_bytes; }},
        {"max_result_bytes", [](Limits& limits) { limits.max_result_bytes = usual.max_result_bytes; }},
        {"max_source_bytes", [](Limits& limits) { limits.max_source_bytes = usual.max_source_bytes; }},
        {"max_nesting", [](Limits& limits) { limits.max_nesting = usual.max_nesting; }},
    };
    for (const auto& [limit, change] : off) {
        const Result<void> tested = self_test(change);
        ASSERT_FALSE(tested.ok()) << limit;
        EXPECT_EQ(tested.error().message, "This build does not keep its limits: a program beyond `" +
                                              std::string(limit) +
                                              "` was not stopped. It must not run the programs of others.");
    }
}

} // namespace
} // namespace ptc
