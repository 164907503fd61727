// format. Expectations without a comment are what java.util.Formatter gives; errors are compared with their hints, as
// models mend directives by them.
#include "runtime/builtins/decimal.h"
#include "runtime/builtins/tables.h"
#include "tests/runtime/builtin_program.h"

namespace ptc::test {
namespace {

using Format = BuiltinProgram;

TEST_F(Format, RowsAreDocumentedByExamplesThatHold) { EXPECT_ROWS_DOCUMENTED(format_builtins()); }

TEST_F(Format, TakesAnyValueUnderS) {
    EXPECT_EQ(run("(format \"plain\")"), "\"plain\"");
    EXPECT_EQ(run("(format \"%s|%s|%s\" nil [1 \"a\"] :k)"), R"("|[1 \"a\"]|:k")"); // DIV-21, DIV-39
    EXPECT_EQ(run("(format \"%5s|%-5s|%.2s|%S\" \"ab\" \"ab\" \"abc\" \"aß\")"), "\"   ab|ab   |ab|ASS\"");
    EXPECT_EQ(run("(format \"%4s|\" \"👍🏽\")"), "\"   👍🏽|\""); // widths count graphemes
    EXPECT_EQ(run("(format \"%b %B %b\" nil true 0)"), "\"false TRUE true\"");
    EXPECT_EQ(run("(format \"%c%c%C\" \"A\" 233 \"b\")"), "\"AéB\"");
    EXPECT_EQ(run("(format \"%h %H\" \"abc\" \"hi\")"), "\"17862 D01\"");
    EXPECT_EQ(run("(format \"a%nb%%c%5%|\")"), "\"a\\nb%c    %|\"");
}

TEST_F(Format, WritesIntegers) {
    EXPECT_EQ(run("(format \"%d|%5d|%-5d|%05d\" 42 42 42 -42)"), "\"42|   42|42   |-0042\"");
    EXPECT_EQ(run("(format \"%+d|% d|%(d|%,d\" 3 3 -3 -1234567)"), "\"+3| 3|(3)|-1,234,567\"");
    EXPECT_EQ(run("(format \"%x %X %#x %04x %o %#o\" 255 255 255 255 8 8)"), "\"ff FF 0xff 00ff 10 010\"");
    EXPECT_EQ(run("(format \"%x\" -1)"), "\"ffffffffffffffff\"");
    EXPECT_EQ(run("(format \"%d %x\" 18446744073709551616 -18446744073709551616)"),
              "\"18446744073709551616 -10000000000000000\"");
    EXPECT_EQ(run("(format \"%d %x %f\" nil nil nil)"), "\"null null null\"");
}

TEST_F(Format, RoundsDecimalsHalfUp) {
    EXPECT_EQ(run("(format \"%f %.2f %.0f\" 1.5 3.14159 2.4)"), "\"1.500000 3.14 2\"");
    EXPECT_EQ(run("(format \"%.2f %.1f %.0f %.0f %.2f\" -0.005 0.25 0.5 1.5 1.005)"), "\"-0.01 0.3 1 2 1.01\"");
    EXPECT_EQ(run("(format \"%.2f %.1f\" 99999.995 9.96)"), "\"100000.00 10.0\"");
    EXPECT_EQ(run("(format \"%,.2f|%08.2f|%+.1f|%(.1f|%#.0f\" 1234.5 -3.14159 2.0 -2.0 3.0)"),
              "\"1,234.50|-0003.14|+2.0|(2.0)|3.\"");
    EXPECT_EQ(run("(format \"%.3f\" 1e21)"), "\"1000000000000000000000.000\"");
    EXPECT_EQ(run("(format \"%f %5.1f %06.1f\" ##Inf ##NaN ##-Inf)"), "\"Infinity   NaN -Infinity\"");
    EXPECT_EQ(run("(format \"%.2f\" 5)"), "\"5.00\""); // Java wants a double here
    EXPECT_EQ(run("(format \"%.1f\" 123456789012345678901234567890)"), "\"123456789012345678901234567890.0\"");
}

TEST_F(Format, WritesScientificAndGeneralNotation) {
    EXPECT_EQ(run("(format \"%e %.1e %E %.0e\" 1234.5 0.00123 1234.5 15.0)"),
              "\"1.234500e+03 1.2e-03 1.234500E+03 2e+01\"");
    EXPECT_EQ(run("(format \"%e %.2e\" 0.0 9.999)"), "\"0.000000e+00 1.00e+01\"");
    EXPECT_EQ(run("(format \"%g %.2g %G %g\" 0.5 12.34 1.0 0.0)"), "\"0.500000 12 1.00000 0.00000\"");
    EXPECT_EQ(run("(format \"%g %g %.3g\" 123456789.0 0.00001 999.9)"), "\"1.23457e+08 1.00000e-05 1.00e+03\"");
}

TEST_F(Format, ChoosesArgumentsByIndex) {
    EXPECT_EQ(run("(format \"%2$s %1$s %s %s\" \"a\" \"b\")"), "\"b a a b\"");
    EXPECT_EQ(run("(format \"%s %<s %2$04d\" \"x\" 3)"), "\"x x 0003\"");
    EXPECT_EQ(run("(format \"%s\" \"a\" \"surplus\")"), "\"a\"");
}

TEST_F(Format, WritesTimes) {
    EXPECT_EQ(run("(format \"%tF %<tT\" (Instant/parse \"2024-02-29T03:04:05Z\"))"), "\"2024-02-29 03:04:05\"");
    EXPECT_EQ(run("(format \"%tY/%<tm/%<td %<ta %<tB %<tj\" (LocalDate/parse \"2024-02-29\"))"),
              "\"2024/02/29 Thu February 060\"");
    EXPECT_EQ(run("(format \"%tc\" 1000)"), "\"Thu Jan 01 00:00:01 UTC 1970\"");
    EXPECT_EQ(run("(format \"%tI:%<tM %<tp %<tL %<tQ\" 43200007)"), "\"12:00 pm 007 43200007\"");
    EXPECT_EQ(run("(format \"%tH\" (LocalDate/parse \"2024-02-29\"))"), "!type_error");
    EXPECT_EQ(run("(format \"%tx\" 0)"), "!runtime_error");
}

TEST_F(Format, RefusesMalformedDirectives) {
    for (const char* format : {"%", "%q", "%.f", "%5", "%5n", "%-d", "%0d", "%-05d", "%+ d", "%--5d", "%#d", "%,x",
                               "%.2d", "%+s", "%é", "%99999d", "%t"}) {
        EXPECT_EQ(run("(format \"" + std::string(format) + "\" 1)"), "!runtime_error") << format;
    }
    EXPECT_EQ(run("(format \"%s %s\" 1)"), "!runtime_error");
    EXPECT_EQ(run("(format \"%<s\" 1)"), "!runtime_error");
    EXPECT_EQ(run("(format 5 1)"), "!type_error");
    EXPECT_EQ(run("(format)"), "!arity_error");
}

TEST_F(Format, ErrorsSayWhatFits) {
    EXPECT_EQ(run("(format \"%d\" 3.7)"), "!type_error");
    EXPECT_NE(error_of("(format \"%d\" 3.7)").find("`%d`"), std::string::npos);
    EXPECT_NE(error_of("(format \"%d\" 3.7)").find("(round x)"), std::string::npos);
    EXPECT_NE(error_of("(format \"%.2f\" \"3\")").find("parse-double"), std::string::npos);
    EXPECT_NE(error_of("(format \"%s %s\" 1)").find("needs argument 2"), std::string::npos);
    EXPECT_EQ(run("(format \"%d\" ##Inf)"), "!type_error");
    EXPECT_EQ(run("(format \"%f\" \"x\")"), "!type_error");
    EXPECT_EQ(run("(format \"%c\" \"xy\")"), "!type_error");
}

TEST_F(Format, WidthsArePaidForBeforeTheyAreWritten) {
    heap.set_limit(heap.live_bytes() + 20'000);
    EXPECT_EQ(run("(format \"%60000d\" 1)"), "!memory_exceeded");
    heap.set_limit(SIZE_MAX / 4);
    heap.meter.start(1000, Meter::Clock::time_point::max(), nullptr);
    EXPECT_EQ(run("(format \"%60000d\" 1)"), "!fuel_exhausted");
}

TEST(Decimal, RoundingCarriesIntoANewDigit) {
    Decimal d = Decimal::of(Value::number(99.96));
    d.round_to_places(1);
    EXPECT_EQ(d.whole_part() + "." + d.fraction(1), "100.0");
    d = Decimal::of(Value::number(0.0004));
    d.round_to_places(2);
    EXPECT_TRUE(d.is_zero());
    d = Decimal::of(Value::number(0.006));
    d.round_to_places(2);
    EXPECT_EQ(d.whole_part() + "." + d.fraction(2), "0.01");
}

} // namespace
} // namespace ptc::test
