// The measure of growth takes linear work for linear and quadratic work for quadratic.
#include "frontend/json_writer.h"
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

// Replies of models are written as JSON for recordings, traces and events, by whoever runs the mission.
TEST(Growth, JsonOfTextsTakesFewInstructionsAByte) {
    constexpr std::size_t kBytes = 200'000;
    const auto text_of = [](std::string_view part) {
        std::string text;
        while (text.size() < kBytes)
            text += part;
        return text;
    };
    for (const auto& [part, most] : {std::pair<std::string_view, std::size_t>("some words, ", 10),
                                     {"\x01", 90},
                                     {"\"\n", 80},
                                     {"\u00e4", 40},
                                     {"\u65e5", 40},
                                     {"\xff", 90}}) {
        const std::string text = text_of(part);
        const std::uint64_t count = instructions([&] { ASSERT_GT(json_string(text).size(), kBytes); });
        EXPECT_GT(count, 0U);
        EXPECT_LT(count, most * text.size()) << part;
    }
}

} // namespace
} // namespace ptc::test
