// Hostile texts are read in work that grows with their size, and the guesses at their repairs have a bound.
#include "tests/frontend/reading.h"
#include "tests/support/growth.h"

namespace ptc {
namespace {

using testing::Reading;
using testing::repeat;

class HostileText : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileText, IsReadInLinearWork) {
    const std::string part = GetParam();
    // Beyond the size up to which repairs are guessed, and short of the limit of forms.
    EXPECT_TRUE(test::is_linear(
        80'000, [&](std::size_t size) { return [text = repeat(part, size / part.size())] { (void)Reading(text); }; }));
}

// One long line: what is guessed of it looks at the neighbours of a byte, never at the line again.
TEST(HostileLine, IsCleanedInLinearWork) {
    for (const std::string part : {"a;", "'a' ", "a; ", "#a "}) {
        EXPECT_TRUE(test::is_linear(40'000, [&](std::size_t size) {
            return [text = "(" + repeat(part, size / part.size())] { (void)Reading(text); };
        })) << part;
    }
}

/// Instructions for a megabyte without an error.
std::uint64_t instructions_of_a_megabyte() {
    static const std::uint64_t count = [] {
        const std::string text = repeat("(a b) ", (std::size_t{1} << 20) / 6);
        return test::instructions([&] { (void)Reading(text); });
    }();
    return count;
}

// Guesses at repairs are made for texts of this size and less. They read a megabyte at most; it is ten times the price
// of one with what is done besides.
TEST_P(HostileText, IsRepairedInBoundedWork) {
    const std::string part = GetParam();
    for (const std::size_t size : {60'000u, 3'000u}) {
        const std::string text = repeat(part, size / part.size());
        const std::uint64_t count = test::instructions([&] {
            (void)Reading(text + "\"");
            (void)Reading(text + "(");
        });
        EXPECT_LT(count, 100 * instructions_of_a_megabyte()) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Reader, HostileText, ::testing::ValuesIn(testing::kHostileParts));

} // namespace
} // namespace ptc
