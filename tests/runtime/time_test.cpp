// Dates, instants, durations and periods: their notations read and printed, and texts that are nearly a time, which are
// refused. The methods are in builtins_interop_test.cpp.
#include "runtime/time.h"
#include "tests/runtime/text_world.h"

namespace ptc::test {
namespace {

std::string reread(std::string_view text) {
    TextWorld w;
    ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::None) return "none";
    return w.show(make_parsed_time(w.heap, parsed).value(), PrintStyle::Display);
}

TEST(Time, DatesReadAndPrint) {
    for (const char* text : {"2024-02-29", "1970-01-01", "0999-01-01", "9999-12-31", "0000-03-01", "-0044-03-15"})
        EXPECT_EQ(reread(text), text);
    EXPECT_EQ(parse_iso_time("1970-01-02").a, 1);
    EXPECT_EQ(parse_iso_time("1969-12-31").a, -1);
    EXPECT_EQ(parse_iso_time("2000-03-01").a, 11017);
    EXPECT_EQ(parse_iso_time("1900-03-01").a, -25508);
}

TEST(Time, InstantsReadAndPrint) {
    EXPECT_EQ(reread("2024-01-02T03:04:05Z"), "2024-01-02T03:04:05Z");
    EXPECT_EQ(reread("2024-01-02T03:04:05+02:00"), "2024-01-02T01:04:05Z");
    EXPECT_EQ(reread("2024-01-01T00:30:00+0200"), "2023-12-31T22:30:00Z");
    EXPECT_EQ(reread("2024-01-02T03:04:05-11"), "2024-01-02T14:04:05Z");
    EXPECT_EQ(reread("2024-01-02T03:04:05"), "2024-01-02T03:04:05Z");
    EXPECT_EQ(reread("2024-01-02T03:04"), "2024-01-02T03:04:00Z");
    EXPECT_EQ(reread("2024-01-02T03:04:05.5Z"), "2024-01-02T03:04:05.500Z");
    EXPECT_EQ(reread("2024-01-02T03:04:05.123456Z"), "2024-01-02T03:04:05.123456Z");
    EXPECT_EQ(reread("1969-12-31T23:59:59.999999999Z"), "1969-12-31T23:59:59.999999999Z");
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00.999999999Z").a, 999);
    EXPECT_EQ(parse_iso_time("1969-12-31T23:59:59Z").a, -1000);
}

TEST(Time, WhatIsNoTimeIsRefused) {
    for (const char* text : {"",
                             "2024",
                             "2024-1-5",
                             "2023-02-29",
                             "2024-12-32",
                             "2024-13-01",
                             "2024-00-10",
                             "2024-01-01 ",
                             " 2024-01-01",
                             "2024-01-01T",
                             "2024-01-01T24:00:00Z",
                             "2024-01-01T10:60:00Z",
                             "2024-01-01T10:00:61Z",
                             "2024-01-01T10:00:00.Z",
                             "2024-01-01T10:00:00.1234567890Z",
                             "2024-01-01T10:00:00ZZ",
                             "2024-01-01T10:00:00+19:00",
                             "2024-01-01T10:00:00+1:00",
                             "2024-01-01T10:00:00+01:",
                             "20240101",
                             "yesterday"})
        EXPECT_EQ(reread(text), "none") << text;
}

TEST(Time, MailDatesAreRead) {
    EXPECT_EQ(parse_rfc2822("Thu, 8 Jan 2026 14:30:00 +0000").a, parse_iso_time("2026-01-08T14:30:00Z").a);
    EXPECT_EQ(parse_rfc2822("08 Jan 2026 14:30 -0500").a, parse_iso_time("2026-01-08T19:30:00Z").a);
    EXPECT_EQ(parse_rfc2822("8 Jan 2026 14:30:00 GMT").kind, ParsedTime::Kind::Instant);
    EXPECT_EQ(parse_rfc2822("8 Jan 2026 14:30:00").a, parse_iso_time("2026-01-08T14:30:00Z").a) << "UTC without a zone";
    for (const char* text : {"", "8 Jam 2026 14:30:00 GMT", "31 Feb 2026 14:30:00 GMT", "8 Jan 2026",
                             "8 Jan 2026 14:30:00 ", "Thu 8 Jan 2026 14:30:00 GMT"})
        EXPECT_EQ(parse_rfc2822(text).kind, ParsedTime::Kind::None) << text;
}

TEST(Time, DurationsHaveASign) {
    TextWorld w;
    auto instant = [&](std::string_view text) { return make_parsed_time(w.heap, parse_iso_time(text)).value(); };
    Value a = instant("2024-01-01T00:00:00.000000001Z"), b = instant("2024-01-01T00:00:01.500Z");
    Value forward = duration_between(w.heap, a, b).value(), back = duration_between(w.heap, b, a).value();
    EXPECT_EQ(as_time(forward).a, 1499);
    EXPECT_EQ(as_time(forward).b, 999'999);
    EXPECT_EQ(as_time(back).a, -1500);
    EXPECT_EQ(as_time(back).b, 1);
    EXPECT_EQ(w.show(back), "#duration[-1500ms]");
}

TEST(Time, TheCalendarEnds) {
    TextWorld w;
    std::int64_t last = parse_iso_time("9999-12-31").a;
    EXPECT_TRUE(make_local_date(w.heap, last, "f").ok());
    EXPECT_EQ(make_local_date(w.heap, last + 1, "f").error().reason, Reason::ArithmeticError);
    EXPECT_FALSE(make_instant(w.heap, INT64_MAX, 0, "f").ok());
    EXPECT_FALSE(make_instant(w.heap, INT64_MIN, 0, "f").ok());
}

TEST(Time, PeriodsPrint) {
    TextWorld w;
    EXPECT_EQ(w.show(make_period(w.heap, 14, 3).value(), PrintStyle::Display), "P1Y2M3D");
    EXPECT_EQ(w.show(make_period(w.heap, 0, 0).value(), PrintStyle::Display), "P0D");
    EXPECT_EQ(w.show(make_period(w.heap, -1, 0).value(), PrintStyle::Display), "P-1M");
}

} // namespace
} // namespace ptc::test
