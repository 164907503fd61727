// Limits at the edge and one beyond, and hostile texts: typed errors in linear time. Time is the processor's, compared
// between two sizes (support/cpu_time.h).
#include "tests/frontend/reading.h"
#include "tests/support/cpu_time.h"

namespace ptc {
namespace {

using testing::Reading;
using testing::repeat;

std::string nested(std::size_t depth) { return repeat("[", depth) + "1" + repeat("]", depth); }

TEST(ReaderLimits, NestingAtTheLimitAndBeyond) {
    EXPECT_FALSE(Reading(nested(512)).diagnostics.has_errors());
    const Reading beyond(nested(513));
    ASSERT_EQ(beyond.diagnostics.error_count(), 1u);
    EXPECT_EQ(beyond.error().reason, Reason::ParseError);
    EXPECT_EQ(beyond.error().span, (Span{512, 513}));
    EXPECT_NE(beyond.error().message.find("512 levels of nesting"), std::string::npos) << beyond.error().message;
}

TEST(ReaderLimits, AllBracketsNest) {
    ReadLimits limits;
    limits.max_nesting = 4;
    EXPECT_FALSE(Reading("(#([#{1}]))", limits).diagnostics.has_errors());
    EXPECT_TRUE(Reading("(#([#{{}}]))", limits).diagnostics.has_errors());
}

TEST(ReaderLimits, BytesAtTheLimitAndBeyond) {
    ReadLimits limits;
    limits.max_bytes = 10;
    EXPECT_FALSE(Reading("(+ 1 2 34)", limits).diagnostics.has_errors());
    const Reading beyond("(+ 1 2 345)", limits);
    ASSERT_TRUE(beyond.diagnostics.has_errors());
    EXPECT_EQ(beyond.error().reason, Reason::ParseError);
    EXPECT_NE(beyond.error().message.find("the limit is 10 bytes"), std::string::npos) << beyond.error().message;
}

TEST(ReaderLimits, FormsAtTheLimitAndBeyond) {
    ReadLimits limits;
    limits.max_forms = 4;
    EXPECT_FALSE(Reading("(+ 1 2)", limits).diagnostics.has_errors());
    const Reading beyond("(+ 1 2 3)", limits);
    ASSERT_TRUE(beyond.diagnostics.has_errors());
    EXPECT_NE(beyond.error().message.find("the limit is 4 forms"), std::string::npos) << beyond.error().message;
}

TEST(ReaderLimits, IntegerDigitsAtTheLimitAndBeyond) {
    EXPECT_FALSE(Reading(repeat("1", 100)).diagnostics.has_errors());
    const Reading beyond(repeat("1", 101));
    ASSERT_EQ(beyond.diagnostics.error_count(), 1u);
    EXPECT_NE(beyond.error().message.find("100 digits"), std::string::npos);
    EXPECT_LT(beyond.error().message.size(), 200u);
}

TEST(ReaderLimits, ErrorsAreCapped) {
    const Reading reading(repeat(": ", 1000));
    EXPECT_EQ(reading.diagnostics.all().size(), Diagnostics::kMaxDiagnostics);
    EXPECT_GT(reading.diagnostics.dropped(), 0u); // said, and not looked for any further
}

class HostileText : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileText, IsReadInLinearTime) {
    const std::string part = GetParam();
    // Beyond the size up to which repairs are guessed, and short of the limit of forms.
    EXPECT_TRUE(test::is_linear(
        80'000, [&](std::size_t size) { return [text = repeat(part, size / part.size())] { (void)Reading(text); }; }));
    const Reading reading(repeat(part, (std::size_t{1} << 20) / part.size()));
    for (const Diagnostic& d : reading.diagnostics.all())
        EXPECT_LT(d.error.message.size() + d.error.hint.size(), 1000u);
}

// One long line: what is guessed of it looks at the neighbours of a byte, never at the line again.
TEST(HostileLine, IsCleanedInLinearTime) {
    for (const std::string part : {"a;", "'a' ", "a; ", "#a "}) {
        EXPECT_TRUE(test::is_linear(40'000, [&](std::size_t size) {
            return [text = "(" + repeat(part, size / part.size())] { (void)Reading(text); };
        })) << part;
    }
}

/// Seconds of the processor for a megabyte without an error.
double seconds_of_a_megabyte() {
    static const double seconds = [] {
        const std::string text = repeat("(a b) ", (std::size_t{1} << 20) / 6);
        return test::cpu_seconds([&] { (void)Reading(text); });
    }();
    return seconds;
}

// Guesses at repairs are made for texts of this size and less. They read a megabyte at most; it is ten times the price
// of one with what is done besides.
TEST_P(HostileText, IsRepairedInBoundedTime) {
    const std::string part = GetParam();
    for (const std::size_t size : {60'000u, 15'000u, 3'000u}) {
        const std::string text = repeat(part, size / part.size());
        const double seconds = test::cpu_seconds([&] {
            EXPECT_TRUE(Reading(text + "\"").diagnostics.has_errors() || part.find_first_of("\"\\;") != part.npos);
            (void)Reading(text + "(");
        });
        EXPECT_LT(seconds, 100 * seconds_of_a_megabyte()) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Reader, HostileText,
                         ::testing::Values("(", ")", "[(", "([{", "#(", "#{", "#_", "#_ ", "\\", "\\\"", "\"", "\"\\",
                                           "^", "'", "''x", "`", "~@", "@", "#", "##", "#?", "#?(", "#:a{", ":", "::",
                                           ":a/", "1", "1_", "1.", "-", "1/", "e1", "%", "é", "“", "“ ", "”", "\n(",
                                           "(\n", "()", "(]", "[)", "(let [", "defn ", "{:a", "\"\n", "(\"", "#\"", ";",
                                           ";\n", "^:a ", "'(a ", "#'", "0x", "\"a\" \"", "(fn [x] ", "\x01", "λ "));

} // namespace
} // namespace ptc
