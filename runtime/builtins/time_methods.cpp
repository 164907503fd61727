// The methods of dates, instants, durations and periods: reading their parts, moving and comparing them (spec 8.14).
// They follow java.time, also at the ends of months and where units are partial; a time's two numbers are explained in
// time.h. A row is mostly a template's instance: the type, and what to read or add.
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_arguments.h"
#include "runtime/builtins/time_fields.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include <algorithm>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

/// A number read from a time of one type.
template <ObjectType Type, std::int64_t (*Read)(const TimeObject&)> Result<Value> call_read(Call& call, Args args) {
    return make_integer(call.heap, Read(*PTC_TRY(time_argument(call, args, 1, Type))));
}

std::int64_t days_of(const TimeObject& t) { return t.a; }
std::int64_t millis_of(const TimeObject& t) { return t.a; }
std::int64_t seconds_of_instant(const TimeObject& t) { return floor_div(t.a, kMillisPerSecond); }
std::int64_t year_of(const TimeObject& t) { return static_cast<int>(calendar_day(t).year()); }
std::int64_t month_of(const TimeObject& t) { return static_cast<unsigned>(calendar_day(t).month()); }
std::int64_t day_of_month(const TimeObject& t) { return static_cast<unsigned>(calendar_day(t).day()); }
std::int64_t length_of_month(const TimeObject& t) { return last_day_of(calendar_day(t)); }
/// Partial units count towards zero, as in Java.
template <std::int64_t Millis> std::int64_t length_in(const TimeObject& t) {
    return (t.a + (t.a < 0 && t.b > 0 ? 1 : 0)) / Millis;
}
std::int64_t period_years(const TimeObject& t) { return t.a / 12; }
std::int64_t period_months(const TimeObject& t) { return t.a % 12; }
std::int64_t period_total_months(const TimeObject& t) { return t.a; }
std::int64_t period_days(const TimeObject& t) { return t.b; }

Result<Value> call_is_leap_year(Call& call, Args args) {
    return Value::boolean(calendar_day(*PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate))).year().is_leap());
}

Result<Value> call_month_name(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    return make_string(call.heap, month_in_capitals(static_cast<std::size_t>(month_of(date) - 1)));
}

Result<Value> call_weekday_name(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const std::chrono::weekday weekday{sys_days(calendar_day(date))};
    return make_string(call.heap, weekday_in_capitals(weekday.c_encoding()));
}

/// The date with another day of its month, month or year; the last day of the month where Java falls back to it.
enum class Part : std::uint8_t { Day, Month, Year };
template <Part Changed> Result<Value> call_with(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const year_month_day day = calendar_day(date);
    const std::int64_t value = PTC_TRY(amount_argument(call, args, 2));
    if (Changed == Part::Day) {
        if (value < 1 || value > last_day_of(day))
            return no_such_date(call.who(), year_of(date), month_of(date), value);
        return make_local_date(call.heap, date.a - day_of_month(date) + value, call.who());
    }
    if (Changed == Part::Month && (value < 1 || value > 12))
        return no_such_date(call.who(), year_of(date), value, day_of_month(date));
    if (Changed == Part::Year && std::abs(value) > 9999)
        return no_such_date(call.who(), value, month_of(date), day_of_month(date));
    const std::int64_t months = Changed == Part::Month ? value - month_of(date) : (value - year_of(date)) * 12;
    return make_local_date(call.heap, add_months(day, months), call.who());
}

template <std::int64_t Days> Result<Value> call_plus_days(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    return make_local_date(call.heap, date.a + PTC_TRY(amount_argument(call, args, 2)) * Days, call.who());
}

template <std::int64_t Months> Result<Value> call_plus_months(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    constexpr std::int64_t kMost = 30'000 * 12; // keeps the year within what year_month_day holds
    std::int64_t months = std::clamp(PTC_TRY(amount_argument(call, args, 2)) * Months, -kMost, kMost);
    std::int64_t day = std::abs(months) == kMost ? kFarAway : add_months(calendar_day(date), months);
    return make_local_date(call.heap, day, call.who());
}

template <std::int64_t Millis> Result<Value> call_plus_millis(Call& call, Args args) {
    const TimeObject& instant = *PTC_TRY(time_argument(call, args, 1, ObjectType::Instant));
    return make_instant(call.heap, instant.a + PTC_TRY(amount_argument(call, args, 2)) * Millis, instant.b, call.who());
}

/// The order of two dates, or of two instants.
Result<int> compare_times(const Call& call, Args args) {
    const Value& a = args[0];
    const Value& b = args[1];
    if (!a.is(ObjectType::LocalDate) && !a.is(ObjectType::Instant))
        return argument_error(call, args, 1, "a LocalDate or an Instant");
    if (!b.is(a.type())) {
        if (!is_time(b)) return argument_error(call, args, 2, time_class_name(a.type()));
        return mixed_times(call.who(), time_class_name(a.type()), time_class_name(b.type()));
    }
    const TimeObject& x = as_time(a);
    const TimeObject& y = as_time(b);
    if (x.a != y.a) return x.a < y.a ? -1 : 1;
    return x.b == y.b ? 0 : x.b < y.b ? -1 : 1;
}

Result<Value> call_is_before(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) < 0); }
Result<Value> call_is_equal(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) == 0); }
Result<Value> call_is_after(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) > 0); }

constexpr auto kDate = ObjectType::LocalDate;
constexpr auto kInstant = ObjectType::Instant;
constexpr auto kDuration = ObjectType::Duration;
constexpr auto kPeriod = ObjectType::Period;

constexpr Builtin kRows[] = {
    {.name = ".getTime",
     .usage = "(.getTime instant)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(.getTime (java.util.Date. 1500))", "1500"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kInstant, millis_of>},
    {.name = ".toEpochMilli",
     .usage = "(.toEpochMilli instant)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(.toEpochMilli (Instant/parse \"1970-01-01T00:00:01Z\"))", "1000"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kInstant, millis_of>},
    {.name = ".getEpochSecond",
     .usage = "(.getEpochSecond instant)",
     .doc = "Whole seconds since 1970-01-01T00:00Z.",
     .example = {"(.getEpochSecond (Instant/ofEpochMilli 1500))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kInstant, seconds_of_instant>},
    {.name = ".plusMillis",
     .usage = "(.plusMillis instant n)",
     .doc = "The instant n milliseconds later.",
     .example = {"(.toEpochMilli (.plusMillis (Instant/ofEpochMilli 1) 2))", "3"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_millis<1>},
    {.name = ".plusSeconds",
     .usage = "(.plusSeconds instant n)",
     .doc = "The instant n seconds later.",
     .example = {"(.toEpochMilli (.plusSeconds (Instant/ofEpochMilli 1) 2))", "2001"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_millis<1000>},
    {.name = ".minusMillis",
     .usage = "(.minusMillis instant n)",
     .doc = "The instant n milliseconds earlier.",
     .example = {"(.toEpochMilli (.minusMillis (Instant/ofEpochMilli 3) 2))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::Unknown,
     .call = call_plus_millis<-1>},
    {.name = ".minusSeconds",
     .usage = "(.minusSeconds instant n)",
     .doc = "The instant n seconds earlier.",
     .example = {"(.toEpochMilli (.minusSeconds (Instant/ofEpochMilli 1) 2))", "-1999"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_millis<-1000>},
    {.name = ".isBefore",
     .usage = "(.isBefore a b)",
     .doc = "True if the date or instant a is before b, which is of the same kind.",
     .example = {"(.isBefore (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 2))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::OfTime,
     .call = call_is_before},
    {.name = ".isAfter",
     .usage = "(.isAfter a b)",
     .doc = "True if the date or instant a is after b, which is of the same kind.",
     .example = {"(.isAfter (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 2))", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::OfTime,
     .call = call_is_after},
    {.name = ".isEqual",
     .usage = "(.isEqual a b)",
     .doc = "True if the dates or instants a and b are the same.",
     .example = {"(.isEqual (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 1))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_equal},
    {.name = ".before",
     .usage = "(.before a b)",
     .doc = "As .isBefore; java.util.Date calls it so.",
     .example = {"(.before (java.util.Date. 0) (java.util.Date. 1))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_before},
    {.name = ".after",
     .usage = "(.after a b)",
     .doc = "As .isAfter; java.util.Date calls it so.",
     .example = {"(.after (java.util.Date. 0) (java.util.Date. 1))", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_after},

    {.name = ".toEpochDay",
     .usage = "(.toEpochDay date)",
     .doc = "Days since 1970-01-01; subtract two to count the days between dates.",
     .example = {"(.toEpochDay (LocalDate/of 1970 1 2))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDate, days_of>},
    {.name = ".getYear",
     .usage = "(.getYear date)",
     .doc = "The year of a date.",
     .example = {"(.getYear (LocalDate/of 2024 2 29))", "2024"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDate, year_of>},
    {.name = ".getMonthValue",
     .usage = "(.getMonthValue date)",
     .doc = "The month of a date, 1 to 12.",
     .example = {"(.getMonthValue (LocalDate/of 2024 2 29))", "2"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDate, month_of>},
    {.name = ".getDayOfMonth",
     .usage = "(.getDayOfMonth date)",
     .doc = "The day of a date in its month, 1 to 31.",
     .example = {"(.getDayOfMonth (LocalDate/of 2024 2 29))", "29"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDate, day_of_month>},
    {.name = ".getDayOfYear",
     .usage = "(.getDayOfYear date)",
     .doc = "The day of a date in its year, 1 to 366.",
     .example = {"(.getDayOfYear (LocalDate/of 2024 2 29))", "60"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDate, day_of_year>},
    {.name = ".getMonth",
     .usage = "(.getMonth date)",
     .doc = "The name of the month of a date: \"JANUARY\" to \"DECEMBER\".",
     .example = {"(.getMonth (LocalDate/of 2024 2 29))", "\"FEBRUARY\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_month_name,
     .differs = "Gives a text, not an enum."},
    {.name = ".getDayOfWeek",
     .usage = "(.getDayOfWeek date)",
     .doc = "The name of the weekday of a date: \"MONDAY\" to \"SUNDAY\".",
     .example = {"(.getDayOfWeek (LocalDate/of 2024 2 29))", "\"THURSDAY\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_weekday_name,
     .differs = "Gives a text, not an enum."},
    {.name = ".withDayOfMonth",
     .usage = "(.withDayOfMonth date day)",
     .doc = "The date with another day of its month.",
     .example = {"(str (.withDayOfMonth (LocalDate/of 2024 2 29) 1))", "\"2024-02-01\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::Unknown,
     .call = call_with<Part::Day>},
    {.name = ".withMonth",
     .usage = "(.withMonth date month)",
     .doc = "The date in another month of its year, on the last day of that month if it is shorter.",
     .example = {"(str (.withMonth (LocalDate/of 2024 1 31) 4))", "\"2024-04-30\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::Unknown,
     .call = call_with<Part::Month>},
    {.name = ".withYear",
     .usage = "(.withYear date year)",
     .doc = "The date in another year.",
     .example = {"(str (.withYear (LocalDate/of 2024 2 29) 2023))", "\"2023-02-28\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::Unknown,
     .call = call_with<Part::Year>},
    {.name = ".lengthOfMonth",
     .usage = "(.lengthOfMonth date)",
     .doc = "How many days the month of a date has.",
     .example = {"(.lengthOfMonth (LocalDate/of 2024 2 1))", "29"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDate, length_of_month>},
    {.name = ".isLeapYear",
     .usage = "(.isLeapYear date)",
     .doc = "True if the year of a date has 366 days.",
     .example = {"(.isLeapYear (LocalDate/of 2024 1 1))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::OfTime,
     .call = call_is_leap_year},
    {.name = ".plusDays",
     .usage = "(.plusDays date n)",
     .doc = "The date n days later.",
     .example = {"(str (.plusDays (LocalDate/of 2024 2 28) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_days<1>},
    {.name = ".minusDays",
     .usage = "(.minusDays date n)",
     .doc = "The date n days earlier.",
     .example = {"(str (.minusDays (LocalDate/of 2024 3 1) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_days<-1>},
    {.name = ".plusWeeks",
     .usage = "(.plusWeeks date n)",
     .doc = "The date n weeks later.",
     .example = {"(str (.plusWeeks (LocalDate/of 2024 2 28) 1))", "\"2024-03-06\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_days<7>},
    {.name = ".minusWeeks",
     .usage = "(.minusWeeks date n)",
     .doc = "The date n weeks earlier.",
     .example = {"(str (.minusWeeks (LocalDate/of 2024 3 6) 1))", "\"2024-02-28\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_days<-7>},
    {.name = ".plusMonths",
     .usage = "(.plusMonths date n)",
     .doc = "The date n months later; the last day of a month that is too short.",
     .example = {"(str (.plusMonths (LocalDate/of 2024 1 31) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_months<1>},
    {.name = ".minusMonths",
     .usage = "(.minusMonths date n)",
     .doc = "The date n months earlier; the last day of a month that is too short.",
     .example = {"(str (.minusMonths (LocalDate/of 2024 3 31) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_months<-1>},
    {.name = ".plusYears",
     .usage = "(.plusYears date n)",
     .doc = "The date n years later.",
     .example = {"(str (.plusYears (LocalDate/of 2024 2 29) 1))", "\"2025-02-28\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_months<12>},
    {.name = ".minusYears",
     .usage = "(.minusYears date n)",
     .doc = "The date n years earlier.",
     .example = {"(str (.minusYears (LocalDate/of 2024 2 29) 4))", "\"2020-02-29\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_plus_months<-12>},

    {.name = ".toDays",
     .usage = "(.toDays duration)",
     .doc = "The whole days of a duration.",
     .example = {"(.toDays (Duration/ofHours 49))", "2"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<kMillisPerDay>>},
    {.name = ".toHours",
     .usage = "(.toHours duration)",
     .doc = "The whole hours of a duration.",
     .example = {"(.toHours (Duration/ofMinutes 90))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<kMillisPerHour>>},
    {.name = ".toMinutes",
     .usage = "(.toMinutes duration)",
     .doc = "The whole minutes of a duration.",
     .example = {"(.toMinutes (Duration/ofSeconds 90))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<kMillisPerMinute>>},
    {.name = ".toSeconds",
     .usage = "(.toSeconds duration)",
     .doc = "The whole seconds of a duration.",
     .example = {"(.toSeconds (Duration/ofMillis 1500))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<kMillisPerSecond>>},
    {.name = ".toMillis",
     .usage = "(.toMillis duration)",
     .doc = "The milliseconds of a duration.",
     .example = {"(.toMillis (Duration/ofSeconds 2))", "2000"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<1>>},
    {.name = ".getYears",
     .usage = "(.getYears period)",
     .doc = "The years of a period, without its months and days.",
     .example = {"(.getYears (Period/parse \"P1Y2M3D\"))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kPeriod, period_years>},
    {.name = ".getMonths",
     .usage = "(.getMonths period)",
     .doc = "The months of a period, without its years and days.",
     .example = {"(.getMonths (Period/parse \"P1Y2M3D\"))", "2"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kPeriod, period_months>},
    {.name = ".getDays",
     .usage = "(.getDays period)",
     .doc = "The days of a period, without its years and months: not the days between two dates.",
     .example = {"(.getDays (Period/parse \"P1Y2M3D\"))", "3"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kPeriod, period_days>},
    {.name = ".toTotalMonths",
     .usage = "(.toTotalMonths period)",
     .doc = "The years and months of a period, in months.",
     .example = {"(.toTotalMonths (Period/parse \"P1Y2M3D\"))", "14"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kPeriod, period_total_months>},
};

} // namespace

std::span<const Builtin> time_method_builtins() { return kRows; }

} // namespace ptc
