// Limits at the edge and one beyond: typed errors.
#include "tests/frontend/reading.h"

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

// A tree as deep as there are prefixes is gone through by functions that call themselves.
TEST(ReaderLimits, PrefixesAreLevels) {
    for (const char* prefix : {"'", "@"}) {
        EXPECT_FALSE(Reading(repeat(prefix, 511) + "[]").diagnostics.has_errors()) << prefix;
        for (const std::size_t count : {512u, 200'000u}) {
            const Reading beyond(repeat(prefix, count) + "[]");
            ASSERT_EQ(beyond.diagnostics.error_count(), 1u) << prefix;
            EXPECT_NE(beyond.error().message.find("512 levels of nesting"), std::string::npos) << prefix;
        }
    }
    EXPECT_FALSE(Reading(repeat("#_", 200'000) + repeat("1 ", 200'000) + "1").diagnostics.has_errors());
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

TEST_P(HostileText, HasShortMessages) {
    const std::string part = GetParam();
    const Reading reading(repeat(part, (std::size_t{1} << 20) / part.size()));
    for (const Diagnostic& d : reading.diagnostics.all())
        EXPECT_LT(d.error.message.size() + d.error.hint.size(), 1000u);
}

// A quote or a bracket without its end, after texts of which repairs are guessed.
TEST_P(HostileText, IsAnErrorWithAnOpenEnd) {
    const std::string part = GetParam();
    for (const std::size_t size : {60'000u, 15'000u, 3'000u}) {
        const std::string text = repeat(part, size / part.size());
        EXPECT_TRUE(Reading(text + "\"").diagnostics.has_errors() || part.find_first_of("\"\\;") != part.npos);
        (void)Reading(text + "(");
    }
}

INSTANTIATE_TEST_SUITE_P(Reader, HostileText, ::testing::ValuesIn(testing::kHostileParts));

} // namespace
} // namespace ptc
