// Numbers as digits: every length of an integer, and doubles beside std::to_chars, which gives the shortest text too.
#include "runtime/digits.h"
#include "tests/runtime/text_world.h"
#include <charconv>
#include <cmath>
#include <limits>

namespace ptc::test {
namespace {

std::string integer_text(std::int64_t i) {
    char digits[kMostDigits];
    char* const end = digits + kMostDigits;
    return {write_integer_before(end, i), end};
}

TEST(Digits, IntegersOfEveryLength) {
    for (std::int64_t power = 1; power <= INT64_MAX / 10; power *= 10) {
        for (const std::int64_t i : {power, power - 1, power + 1, 7 * (power / 10) + 3, -power, 1 - power})
            EXPECT_EQ(integer_text(i), std::to_string(i));
    }
    for (const std::int64_t i : {INT64_MAX, INT64_MIN, INT64_MIN + 1, std::int64_t{0}})
        EXPECT_EQ(integer_text(i), std::to_string(i));
}

/// As std::to_chars has it, with a point.
std::string shortest(double d) {
    char text[64];
    std::string digits(text, std::to_chars(text, text + sizeof text, d, std::chars_format::fixed).ptr);
    return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}
std::string double_text(double d) {
    char text[kDoubleBytes];
    return {text, write_double(d, text)};
}

TEST(Digits, DoublesAreTheShortestTextThatReadsBack) {
    Random random;
    for (int i = 0; i < 200'000; ++i) {
        const auto whole = static_cast<double>(random.below(9'999'999));
        const double places = std::pow(10.0, static_cast<double>(random.below(9)));
        const double all[] = {whole / places, whole + static_cast<double>(random.below(1'000'000)) / places,
                              std::nextafter(whole / 100, 0), std::nextafter(whole / 1000, 1e9), whole * 0.1};
        for (const double d : all) {
            if (d < 1e-3 || d >= 1e7) continue;
            ASSERT_EQ(double_text(d), shortest(d));
            ASSERT_EQ(double_text(-d), "-" + shortest(d));
        }
    }
    EXPECT_EQ(double_text(0.0), "0.0");
    EXPECT_EQ(double_text(-0.0), "-0.0");
    EXPECT_EQ(double_text(9999999.999999998), "9999999.999999998");
    EXPECT_EQ(double_text(0.001), "0.001");
    EXPECT_EQ(double_text(std::nextafter(0.001, 0)), "9.999999999999998E-4");
    EXPECT_EQ(double_text(1e7), "1.0E7");
    EXPECT_EQ(double_text(-1.5e-5), "-1.5E-5");
    EXPECT_EQ(double_text(std::numeric_limits<double>::denorm_min()), "4.9E-324");
    EXPECT_LT(double_text(-std::numeric_limits<double>::max()).size(), kDoubleBytes);
    EXPECT_EQ(double_text(std::numeric_limits<double>::infinity()), "##Inf");
}

} // namespace
} // namespace ptc::test
