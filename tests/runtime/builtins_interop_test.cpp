// Methods of Java's String, java.time, System: rows of program and result. They follow Java where it can be followed,
// also in what they refuse; the clock is the host's and stands still here.
#include "runtime/builtins/tables.h"
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using Interop = BuiltinProgram;

TEST_F(Interop, RowsAreDocumentedByExamplesThatHold) {
    EXPECT_ROWS_DOCUMENTED(interop_builtins());
    EXPECT_ROWS_DOCUMENTED(time_builtins());
    EXPECT_ROWS_DOCUMENTED(time_method_builtins());
}

TEST_F(Interop, IndexOfGivesMinusOneAndTakesCodePoints) {
    EXPECT_EQ(run("(.indexOf \"hello\" \"zz\")"), "-1");
    EXPECT_EQ(run("(.indexOf \"hello\" \"l\" 3)"), "3");
    EXPECT_EQ(run("(.indexOf \"hello\" \"h\" -3)"), "0");
    EXPECT_EQ(run("(.indexOf \"abc\" 98)"), "1");
    EXPECT_EQ(run("(.indexOf \"abc\" 97 1)"), "-1");
    EXPECT_EQ(run("(.lastIndexOf \"ababa\" \"ba\" 2)"), "1");
    EXPECT_EQ(run("(.lastIndexOf \"abc\" \"\" -1)"), "-1");
    EXPECT_EQ(run("(.lastIndexOf \"abc\" \"\" 4)"), "3");
    EXPECT_EQ(run("(.lastIndexOf \"abca\" 97)"), "3");
    EXPECT_EQ(run("(.indexOf [1 2] 2)"), "1");
    EXPECT_EQ(run("(.lastIndexOf [1 2 1 3] 1)"), "2");
    EXPECT_EQ(run("(.indexOf [1 2] 3)"), "-1");
}

TEST_F(Interop, StringMethodsRefuseOtherReceivers) {
    EXPECT_EQ(run("(.contains nil \"a\")"), "!type_error");
    EXPECT_EQ(run("(.contains \"abc\" 1)"), "!type_error");
    EXPECT_EQ(run("(.startsWith 5 \"5\")"), "!type_error");
    EXPECT_EQ(run("(.startsWith \"abc\" \"b\" 1)"), "true");
    EXPECT_EQ(run("(.startsWith \"abc\" \"a\" -1)"), "false");
    EXPECT_EQ(run("(.startsWith \"abc\" \"\" 4)"), "false");
    EXPECT_EQ(run("(.length [1 2])"), "!type_error");
    EXPECT_EQ(run("(.length \"👍🏽a\")"), "2");
    EXPECT_EQ(run("(.toUpperCase 5)"), "!type_error");
    EXPECT_EQ(run("(.trim \"\\u2003 a\\t\")"), "\"\u2003 a\"");
}

TEST_F(Interop, SubstringFailsOutOfRange) {
    EXPECT_EQ(run("(.substring \"hello\" 1 3)"), "\"el\"");
    EXPECT_EQ(run("(.substring \"hello\" 5)"), "\"\"");
    EXPECT_EQ(run("(.substring \"abcd\" 1.9)"), "\"bcd\"");
    for (const char* bad : {"6", "-1", "1 9", "3 2"}) {
        EXPECT_EQ(run("(.substring \"hello\" " + std::string(bad) + ")"), "!type_error") << bad;
    }
    EXPECT_NE(error_of("(.substring \"hello\" 1 9)").find("<= 5"), std::string::npos);
    EXPECT_EQ(run("(.charAt \"hello\" 5)"), "!type_error");
}

TEST_F(Interop, TheClockIsTheHosts) {
    host.now = 1'234;
    EXPECT_EQ(run("(System/currentTimeMillis)"), "1234");
    EXPECT_EQ(run("(.getTime (java.util.Date.))"), "1234");
    EXPECT_EQ(run("(str (LocalDate/now))"), "\"1970-01-01\"");
    EXPECT_EQ(run("(System/currentTimeMillis 1)"), "!arity_error");
}

TEST_F(Interop, ParsersReadTheirOwnFormOnly) {
    EXPECT_EQ(run("(LocalDate/parse \"2024-02-29\")"), "\"2024-02-29\"");
    for (const char* text : {"2023-02-29", "2024-1-5", "not a date", "2024-12-32", "2024-01-02T00:00:00"}) {
        EXPECT_EQ(run("(LocalDate/parse \"" + std::string(text) + "\")"), "!type_error") << text;
    }
    EXPECT_EQ(run("(str (Instant/parse \"2024-01-02T03:04:05.123Z\"))"), "\"2024-01-02T03:04:05.123Z\"");
    EXPECT_EQ(run("(Instant/parse \"2024-01-02T03:04:05\")"), "!type_error");
    EXPECT_EQ(run("(Instant/parse \"2024-01-02\")"), "!type_error");
    EXPECT_NE(error_of("(Instant/parse \"2024-01-02\")").find("LocalDate/parse"), std::string::npos);
    EXPECT_EQ(run("(str (parse \"2024-01-02T03:04:05\"))"), "\"2024-01-02T03:04:05Z\"");
    EXPECT_EQ(run("(parse \"2024-01-02\")"), "\"2024-01-02\"");
    EXPECT_EQ(run("(parse nil)"), "!type_error");
}

TEST_F(Interop, DateTakesMillisecondsTextsAndTimes) {
    EXPECT_EQ(run("(.getTime (java.util.Date. 1))"), "1");
    EXPECT_EQ(run("(.getTime (java.util.Date. -1000))"), "-1000");
    EXPECT_EQ(run("(.getTime (java.util.Date. \"2024-01-02T03:04:05Z\"))"), "1704164645000");
    EXPECT_EQ(run("(.getTime (java.util.Date. \"2024-01-02\"))"), "1704153600000");
    EXPECT_EQ(run("(.getTime (java.util.Date. \"Thu, 01 Jan 1970 00:00:01 +0000\"))"), "1000");
    EXPECT_EQ(run("(.getTime (java.util.Date. \"Thu Jan 01 00:00:01 UTC 1970\"))"), "1000");
    EXPECT_EQ(run("(.getTime (java.util.Date. (LocalDate/parse \"1970-01-02\")))"), "86400000");
    for (const char* bad : {"\"\"", ":k", "1.5", "nil", "\"Thu Jan 01\""}) {
        EXPECT_EQ(run("(java.util.Date. " + std::string(bad) + ")"), "!type_error") << bad;
    }
    EXPECT_EQ(run("(java.util.Date. 99999999999999999999)"), "!arithmetic_error");
}

TEST_F(Interop, TimesAreComparedWithinTheirKind) {
    EXPECT_EQ(run("(.isBefore (LocalDate/parse \"2023-01-01\") (LocalDate/parse \"2023-12-31\"))"), "true");
    EXPECT_EQ(run("(.isAfter (Instant/ofEpochMilli 1) (Instant/ofEpochMilli 1))"), "false");
    EXPECT_EQ(run("(.isBefore (Instant/parse \"2024-01-01T00:00:00.000000001Z\") (Instant/parse "
                  "\"2024-01-01T00:00:00.000000002Z\"))"),
              "true");
    EXPECT_EQ(run("(.isBefore (LocalDate/parse \"2023-01-01\") (java.util.Date. 0))"), "!type_error");
    EXPECT_NE(error_of("(.isBefore (LocalDate/parse \"2023-01-01\") (java.util.Date. 0))")
                  .find("a LocalDate with an Instant"),
              std::string::npos);
    EXPECT_EQ(run("(.isBefore nil (java.util.Date. 0))"), "!type_error");
    EXPECT_EQ(run("(.isBefore (java.util.Date. 0) nil)"), "!type_error");
}

TEST_F(Interop, DatesMoveAcrossMonthsAndYears) {
    EXPECT_EQ(run("(.plusDays (LocalDate/parse \"2024-02-28\") 1)"), "\"2024-02-29\"");
    EXPECT_EQ(run("(.minusDays (LocalDate/parse \"2024-01-01\") -31)"), "\"2024-02-01\"");
    EXPECT_EQ(run("(.plusDays (LocalDate/parse \"2024-01-01\") 1.9)"), "\"2024-01-02\"");
    EXPECT_EQ(run("(.plusDays (LocalDate/parse \"2024-01-01\") ##NaN)"), "\"2024-01-01\"");
    EXPECT_EQ(run("(.plusDays (LocalDate/parse \"2024-01-01\") nil)"), "!type_error");
    EXPECT_EQ(run("(.plusDays (LocalDate/parse \"2024-01-01\") 99999999999999)"), "!arithmetic_error");
    EXPECT_EQ(run("(.plusMonths (LocalDate/parse \"2023-12-31\") 2)"), "\"2024-02-29\"");
    EXPECT_EQ(run("(.minusMonths (LocalDate/parse \"2024-01-31\") 14)"), "\"2022-11-30\"");
    EXPECT_EQ(run("(.plusYears (LocalDate/parse \"2024-02-29\") 999999999999)"), "!arithmetic_error");
    EXPECT_EQ(run("(.toEpochDay (LocalDate/parse \"1969-12-31\"))"), "-1");
    EXPECT_EQ(run("(.toEpochDay (Instant/ofEpochMilli 0))"), "!type_error");
    EXPECT_EQ(run("(LocalDate/of 2023 2 29)"), "!type_error");
}

TEST_F(Interop, DurationsTruncateTowardsZero) {
    auto between = [&](const char* method, const char* a, const char* b) {
        return run("(" + std::string(method) + " (Duration/between (Instant/parse \"" + a + "\") (Instant/parse \"" +
                   b + "\")))");
    };
    EXPECT_EQ(between(".toDays", "2024-01-01T00:00:00Z", "2024-01-03T12:00:00Z"), "2");
    EXPECT_EQ(between(".toDays", "2024-01-03T12:00:00Z", "2024-01-01T00:00:00Z"), "-2");
    EXPECT_EQ(between(".toDays", "2024-01-01T12:00:00Z", "2023-12-31T13:00:00Z"), "0");
    EXPECT_EQ(between(".toMillis", "2024-01-01T00:00:00Z", "2024-01-01T00:00:01.500Z"), "1500");
    EXPECT_EQ(between(".toMillis", "2024-01-01T00:00:00.000000001Z", "2024-01-01T00:00:00Z"), "0");
    EXPECT_EQ(between("str", "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"), "\"#duration[86400000ms]\"");
    EXPECT_EQ(run("(Duration/between nil (Instant/ofEpochMilli 0))"), "!type_error");
    EXPECT_EQ(run("(.toMillis 5)"), "!type_error");
    EXPECT_EQ(run("(.toMillis (Duration/parse \"P1DT1H1M1.5S\"))"), "90061500");
    EXPECT_EQ(run("(.toMillis (Duration/parse \"-PT0.5S\"))"), "-500");
    for (const char* bad : {"P", "PT", "P1DT", "1D", "P1H", "PT1D", "PT1.5M", "P1D2D", "P-", ""}) {
        EXPECT_EQ(run("(Duration/parse \"" + std::string(bad) + "\")"), "!type_error") << bad;
    }
}

TEST_F(Interop, PeriodsCountMonthsThenDays) {
    auto between = [&](const char* a, const char* b) {
        return run("(str (Period/between (LocalDate/parse \"" + std::string(a) + "\") (LocalDate/parse \"" + b +
                   "\")))");
    };
    EXPECT_EQ(between("2024-01-15", "2024-03-10"), "\"P1M24D\"");
    EXPECT_EQ(between("2024-03-10", "2024-01-15"), "\"P-1M-26D\"");
    EXPECT_EQ(between("2024-01-31", "2024-02-29"), "\"P29D\"");
    EXPECT_EQ(between("2020-02-29", "2024-02-29"), "\"P4Y\"");
    EXPECT_EQ(between("2024-01-01", "2024-01-01"), "\"P0D\"");
    EXPECT_EQ(run("(.getDays (Period/parse \"P2W1D\"))"), "15");
    EXPECT_EQ(run("(Period/parse \"PT1H\")"), "!type_error");
}

} // namespace
} // namespace ptc::test
