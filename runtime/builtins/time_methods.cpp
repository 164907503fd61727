// The methods of dates, instants, durations and periods: reading their parts, moving and comparing them (spec 8.14).
// They follow java.time, also at the ends of months and where units are partial; a time's two numbers are explained in
// time.h. A row is mostly a template's instance: the type, and what to read or add.
#include "frontend/try.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_arguments.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <cmath>

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

/// A number read from what calendar and clock show, of any of these types.
template <TimeTypes Types, std::int64_t (*Read)(const LocalParts&)> Result<Value> call_show(Call& call, Args args) {
    return make_integer(call.heap, Read(local_parts(*PTC_TRY(time_argument(call, args, 1, Types)))));
}

year_month_day calendar_of(const LocalParts& t) { return year_month_day{sys_days(std::chrono::days(t.day))}; }
std::int64_t year_of(const LocalParts& t) { return static_cast<int>(calendar_of(t).year()); }
std::int64_t month_of(const LocalParts& t) { return static_cast<unsigned>(calendar_of(t).month()); }
std::int64_t day_of_month(const LocalParts& t) { return static_cast<unsigned>(calendar_of(t).day()); }
std::int64_t in_year(const LocalParts& t) { return t.day - first_day_of_month(year_of(t) * 12) + 1; }
std::int64_t length_of_month(const LocalParts& t) { return last_day_of(calendar_of(t)); }
std::int64_t length_of_year(const LocalParts& t) { return calendar_of(t).year().is_leap() ? 366 : 365; }
std::int64_t hour_of(const LocalParts& t) { return t.millis / kMillisPerHour; }
std::int64_t minute_of(const LocalParts& t) { return t.millis / kMillisPerMinute % 60; }
std::int64_t second_of(const LocalParts& t) { return t.millis / kMillisPerSecond % 60; }
std::int64_t nano_of(const LocalParts& t) { return t.millis % kMillisPerSecond * kNanosPerMilli + t.nanos; }
std::int64_t second_of_day(const LocalParts& t) { return t.millis / kMillisPerSecond; }
/// From 0 for Monday.
std::int64_t weekday_of(const LocalParts& t) { return t.day + 3 - floor_div(t.day + 3, 7) * 7; }

/// As in Java a duration is whole seconds, rounded down, and nanoseconds above them; larger units cut the seconds off
/// towards zero, smaller ones the sum of both.
std::int64_t seconds_in(const TimeObject& t) { return floor_div(t.a, kMillisPerSecond); }
template <std::int64_t Seconds> std::int64_t length_in(const TimeObject& t) { return seconds_in(t) / Seconds; }
std::int64_t millis_in(const TimeObject& t) { return t.a + (t.a < 0 && t.b > 0 ? 1 : 0); }
template <std::int64_t Seconds, std::int64_t Most> std::int64_t part_in(const TimeObject& t) {
    return seconds_in(t) / Seconds % Most;
}
std::int64_t nanos_above_seconds(const TimeObject& t) {
    return (t.a - seconds_in(t) * kMillisPerSecond) * kNanosPerMilli + t.b;
}
std::int64_t millis_above_seconds(const TimeObject& t) { return t.a - seconds_in(t) * kMillisPerSecond; }
std::int64_t period_years(const TimeObject& t) { return t.a / 12; }
std::int64_t period_months(const TimeObject& t) { return t.a % 12; }
std::int64_t period_total_months(const TimeObject& t) { return t.a; }
std::int64_t period_days(const TimeObject& t) { return t.b; }

constexpr TimeTypes kMeasures = types_of_time({ObjectType::Duration, ObjectType::Period});

Result<Value> call_to_nanos(Call& call, Args args) {
    const TimeObject& duration = *PTC_TRY(time_argument(call, args, 1, ObjectType::Duration));
    std::int64_t nanos = 0;
    if (__builtin_mul_overflow(duration.a, kNanosPerMilli, &nanos) || __builtin_add_overflow(nanos, duration.b, &nanos))
        return out_of_range(call.who(), "that are more nanoseconds than 64 bits hold.");
    return make_integer(call.heap, nanos);
}

bool is_negative_measure(const TimeObject& t) {
    if (t.type == ObjectType::Period) return t.a < 0 || t.b < 0;
    return t.a < 0;
}
Result<Value> call_is_negative(Call& call, Args args) {
    return Value::boolean(is_negative_measure(*PTC_TRY(time_argument(call, args, 1, kMeasures))));
}
Result<Value> call_is_zero(Call& call, Args args) {
    const TimeObject& measure = *PTC_TRY(time_argument(call, args, 1, kMeasures));
    return Value::boolean(measure.a == 0 && measure.b == 0);
}

Result<Value> multiplied(Call& call, const TimeObject& measure, std::int64_t factor) {
    std::int64_t a = 0, b = 0;
    if (__builtin_mul_overflow(measure.a, factor, &a) || __builtin_mul_overflow(measure.b, factor, &b))
        return out_of_range(call.who(), "the result is too long.");
    if (measure.type == ObjectType::Period) return make_period(call.heap, a, b);
    const std::int64_t carry = floor_div(b, kNanosPerMilli);
    if (__builtin_add_overflow(a, carry, &a)) return out_of_range(call.who(), "the result is too long.");
    return make_duration(call.heap, a, b - carry * kNanosPerMilli);
}

Result<Value> call_multiplied_by(Call& call, Args args) {
    const TimeObject& measure = *PTC_TRY(time_argument(call, args, 1, kMeasures));
    return multiplied(call, measure, PTC_TRY(index_argument(call, args, 2)));
}
Result<Value> call_negated(Call& call, Args args) {
    return multiplied(call, *PTC_TRY(time_argument(call, args, 1, kMeasures)), -1);
}
Result<Value> call_abs(Call& call, Args args) {
    if (args[0].is_number()) {
        if (args[0].is_double()) return Value::number(std::fabs(args[0].as_double()));
        return is_negative(args[0]) ? negate(call.heap, args[0]) : Result<Value>(std::move(args[0]));
    }
    const TimeObject& duration = *PTC_TRY(time_argument(call, args, 1, ObjectType::Duration));
    return multiplied(call, duration, is_negative_measure(duration) ? -1 : 1);
}

Result<Value> call_is_leap_year(Call& call, Args args) {
    constexpr TimeTypes kTakes = types_of_time({ObjectType::LocalDate, ObjectType::YearMonth});
    return Value::boolean(calendar_of(local_parts(*PTC_TRY(time_argument(call, args, 1, kTakes)))).year().is_leap());
}

Result<Value> call_month(Call& call, Args args) {
    const LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 1, kWithMonth)));
    return make_time_constant(call.heap, TimeFamily::Month, static_cast<std::size_t>(month_of(parts) - 1));
}

Result<Value> call_weekday(Call& call, Args args) {
    const LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 1, kDated)));
    return make_time_constant(call.heap, TimeFamily::DayOfWeek, static_cast<std::size_t>(weekday_of(parts)));
}

/// The time with another day of its month, month or year; the last day of the month where Java falls back to it.
enum class Part : std::uint8_t { Day, DayOfYear, Month, Year };
template <Part Changed> Result<Value> call_with(Call& call, Args args) {
    constexpr bool is_of_month = Changed == Part::Month || Changed == Part::Year;
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, is_of_month ? kWithMonth : kDated));
    LocalParts parts = local_parts(time);
    const year_month_day day = calendar_of(parts);
    const std::int64_t value =
        Changed == Part::Month && args[1].is(ObjectType::TimeConstant)
            ? static_cast<std::int64_t>(PTC_TRY(constant_argument(call, args, 2, TimeFamily::Month))) + 1
            : PTC_TRY(amount_argument(call, args, 2));
    if (Changed == Part::Day && (value < 1 || value > last_day_of(day)))
        return no_such_date(call.who(), year_of(parts), month_of(parts), value);
    if (Changed == Part::Month && (value < 1 || value > 12))
        return no_such_date(call.who(), year_of(parts), value, day_of_month(parts));
    if (Changed == Part::Year && std::abs(value) > 9999)
        return no_such_date(call.who(), value, month_of(parts), day_of_month(parts));
    if (Changed == Part::DayOfYear && (value < 1 || value > length_of_year(parts)))
        return out_of_range(call.who(), "the year has no such day.");
    switch (Changed) {
    case Part::Day: parts.day += value - day_of_month(parts); break;
    case Part::DayOfYear: parts.day += value - in_year(parts); break;
    case Part::Month: parts.day = add_months(day, value - month_of(parts)); break;
    case Part::Year: parts.day = add_months(day, (value - year_of(parts)) * 12); break;
    }
    return with_parts(call.heap, time, parts, call.who());
}

/// The time with another hour, minute or second of `Millis` each, of which there are `Most`.
template <std::int64_t Millis, std::int64_t Most> Result<Value> call_with_clock(Call& call, Args args) {
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kWithHour));
    const std::int64_t value = PTC_TRY(index_argument(call, args, 2));
    if (value < 0 || value >= Most) return out_of_range(call.who(), "a time of day has no such part.");
    LocalParts parts = local_parts(time);
    parts.millis += (value - parts.millis / Millis % Most) * Millis;
    return with_parts(call.heap, time, parts, call.who());
}

Result<Value> call_with_nano(Call& call, Args args) {
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kWithHour));
    const std::int64_t value = PTC_TRY(index_argument(call, args, 2));
    if (value < 0 || value >= 1'000'000'000) return out_of_range(call.who(), "a second has no such nanosecond.");
    LocalParts parts = local_parts(time);
    parts.millis += value / kNanosPerMilli - parts.millis % kMillisPerSecond;
    parts.nanos = value % kNanosPerMilli;
    return with_parts(call.heap, time, parts, call.who());
}

// ---- From one type to another

Result<Value> call_at_start_of_day(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const std::int64_t millis = date.a * kMillisPerDay;
    if (args.size() == 1) return make_local_date_time(call.heap, millis, 0, call.who());
    const std::int64_t zone = PTC_TRY(zone_argument(call, args, 2));
    return make_zoned(call.heap, millis - offset_minutes_of(zone) * kMillisPerMinute, 0, zone, call.who());
}

Result<Value> call_at_time(Call& call, Args args) {
    const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    LocalParts time;
    if (args.size() == 2) {
        time = local_parts(*PTC_TRY(time_argument(call, args, 2, ObjectType::LocalTime)));
    } else {
        time = PTC_TRY(clock_arguments(call, args, 2));
    }
    return make_local_date_time(call.heap, date.a * kMillisPerDay + time.millis, time.nanos, call.who());
}

/// Of a YearMonth a day of it; of a year, which is a number, too.
Result<Value> call_at_day(Call& call, Args args) {
    if (args[0].is_integer()) {
        const std::int64_t year = PTC_TRY(amount_argument(call, args, 1));
        const std::int64_t day = PTC_TRY(amount_argument(call, args, 2));
        if (std::abs(year) > 9999) return out_of_range(call.who(), "years are -9999 to 9999.");
        const std::int64_t first = first_day_of_month(year * 12);
        if (day < 1 || day > first_day_of_month(year * 12 + 12) - first)
            return out_of_range(call.who(), "the year has no such day.");
        return make_local_date(call.heap, first + day - 1, call.who());
    }
    const TimeObject& month = *PTC_TRY(time_argument(call, args, 1, ObjectType::YearMonth));
    const LocalParts first = local_parts(month);
    const std::int64_t day = PTC_TRY(amount_argument(call, args, 2));
    if (day < 1 || day > length_of_month(first)) return no_such_date(call.who(), year_of(first), month_of(first), day);
    return make_local_date(call.heap, first.day + day - 1, call.who());
}

Result<Value> call_at_end_of_month(Call& call, Args args) {
    const LocalParts first = local_parts(*PTC_TRY(time_argument(call, args, 1, ObjectType::YearMonth)));
    return make_local_date(call.heap, first.day + length_of_month(first) - 1, call.who());
}

Result<Value> call_to_local_date(Call& call, Args args) {
    return make_local_date(call.heap, local_parts(*PTC_TRY(time_argument(call, args, 1, kDated))).day, call.who());
}

Result<Value> call_to_local_time(Call& call, Args args) {
    const LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 1, kClocked)));
    return make_local_time(call.heap, parts.millis, parts.nanos);
}

Result<Value> call_to_local_date_time(Call& call, Args args) {
    const LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 1, kClocked)));
    return make_local_date_time(call.heap, parts.day * kMillisPerDay + parts.millis, parts.nanos, call.who());
}

/// Of a time in a zone, of a java.util.Date, or of a LocalDateTime in the zone of argument 2.
Result<Value> call_to_instant(Call& call, Args args) {
    constexpr TimeTypes kTakes = types_of_time({ObjectType::ZonedDateTime, ObjectType::Instant});
    if (args.size() == 2) {
        const TimeObject& local = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDateTime));
        const std::int64_t offset = offset_minutes_of(PTC_TRY(zone_argument(call, args, 2)));
        return make_instant(call.heap, local.a - offset * kMillisPerMinute, local.b, call.who());
    }
    if (args[0].is(ObjectType::LocalDateTime)) {
        return argument_error(call, args, 1, "a ZonedDateTime or an Instant")
            .with_hint("(.toInstant local ZoneOffset/UTC) takes the time as UTC.");
    }
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kTakes));
    return make_instant(call.heap, time.a, time.type == ObjectType::Instant ? time.b : time.b / kZones, call.who());
}

/// Seconds since 1970 of the same.
Result<Value> call_to_epoch_second(Call& call, Args args) {
    Value instant = PTC_TRY(call_to_instant(call, args));
    return make_integer(call.heap, floor_div(as_time(instant).a, kMillisPerSecond));
}

/// A local time in a zone, or what clocks show there at an instant.
Result<Value> call_at_zone(Call& call, Args args) {
    constexpr TimeTypes kTakes = types_of_time({ObjectType::LocalDateTime, ObjectType::Instant});
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kTakes));
    const std::int64_t zone = PTC_TRY(zone_argument(call, args, 2));
    const bool is_local = time.type == ObjectType::LocalDateTime;
    const std::int64_t offset = is_local ? offset_minutes_of(zone) * kMillisPerMinute : 0;
    return make_zoned(call.heap, time.a - offset, time.b, zone, call.who());
}

Result<Value> call_with_zone(Call& call, Args args) {
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, ObjectType::ZonedDateTime));
    return make_zoned(call.heap, time.a, time.b / kZones, PTC_TRY(zone_argument(call, args, 2)), call.who());
}

/// Milliseconds since 1970 of an instant or a time in a zone.
Result<Value> call_to_epoch_milli(Call& call, Args args) {
    constexpr TimeTypes kTakes = types_of_time({ObjectType::Instant, ObjectType::ZonedDateTime});
    return make_integer(call.heap, PTC_TRY(time_argument(call, args, 1, kTakes))->a);
}

Result<Value> call_get_nano(Call& call, Args args) {
    constexpr TimeTypes kTakes = kWithHour | types_of_time({ObjectType::Instant, ObjectType::Duration});
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kTakes));
    return make_integer(call.heap,
                        time.type == ObjectType::Duration ? nanos_above_seconds(time) : nano_of(local_parts(time)));
}

// ---- Constants

/// 1 for MONDAY and JANUARY; an entry of a map has a value as well.
Result<Value> call_get_value(Call& call, Args args) {
    if (args[0].is_vector() && vector_length(args[0]) == 2) return vector_get(args[0], 1);
    const bool has_value =
        args[0].is(ObjectType::TimeConstant) && as_time(args[0]).a != static_cast<std::int64_t>(TimeFamily::ChronoUnit);
    if (!has_value) {
        return argument_error(call, args, 1, "a DayOfWeek, a Month or an entry of a map")
            .with_hint(
                "(.getMonthValue date) is the number of a month, (.getValue (.getDayOfWeek date)) of a weekday.");
    }
    return Value::small_integer(as_time(args[0]).b + 1);
}

Result<Value> call_ordinal(Call& call, Args args) {
    return Value::small_integer(PTC_TRY(time_argument(call, args, 1, ObjectType::TimeConstant))->b);
}

/// "Monday", "Mon" or "M" by the style; a locale is taken, and English.
Result<Value> call_display_name(Call& call, Args args) {
    const TimeObject& constant = *PTC_TRY(time_argument(call, args, 1, ObjectType::TimeConstant));
    const std::string_view style = PTC_TRY(text_argument(call, args, 2));
    std::string name = time_constant_name(constant);
    for (std::size_t i = 1; i < name.size(); ++i)
        name[i] = static_cast<char>(name[i] - 'A' + 'a');
    if (style == "SHORT") name.resize(3);
    if (style == "NARROW") name.resize(1);
    return make_string(call.heap, name);
}

/// The order of two times of one kind. Times in zones are compared as instants.
Result<int> compare_times(const Call& call, Args args) {
    const Value& a = args[0];
    const Value& b = args[1];
    PTC_CHECK(time_argument(call, args, 1, kOnLine));
    if (!b.is(a.type())) {
        if (!is_time(b)) return argument_error(call, args, 2, time_class_name(a.type()));
        return mixed_times(call.who(), time_class_name(a.type()), time_class_name(b.type()));
    }
    const TimeObject& x = as_time(a);
    const TimeObject& y = as_time(b);
    if (x.a != y.a) return x.a < y.a ? -1 : 1;
    const bool is_zoned = a.is(ObjectType::ZonedDateTime);
    const std::int64_t left = is_zoned ? x.b / kZones : x.b, right = is_zoned ? y.b / kZones : y.b;
    return left == right ? 0 : left < right ? -1 : 1;
}

Result<Value> call_is_before(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) < 0); }
Result<Value> call_is_equal(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) == 0); }
Result<Value> call_is_after(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) > 0); }

constexpr auto kDate = ObjectType::LocalDate;
constexpr auto kInstant = ObjectType::Instant;
constexpr auto kDuration = ObjectType::Duration;
constexpr auto kPeriod = ObjectType::Period;
constexpr auto kNumber = kinds::kNumber;
constexpr auto kText = kinds::kText;
constexpr auto kTime = kinds::kTime;
constexpr auto kBoolean = kinds::kBoolean;

/// Of numbers too: BigDecimal and Duration have it.
constexpr Builtin abs_row() {
    Builtin row = time_row(".abs", "(.abs x)", "A number or duration without its sign.",
                           {"(.toMinutes (.abs (Duration/ofMinutes -5)))", "5"}, kTime | kNumber, call_abs);
    row.work = Work::Digits;
    row.model = BoundModel::Unknown;
    return row;
}

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
     .call = call_to_epoch_milli},
    {.name = "inst-ms",
     .usage = "(inst-ms instant)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(inst-ms (java.util.Date. 5))", "5"},
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_to_epoch_milli},
    {.name = ".getEpochSecond",
     .usage = "(.getEpochSecond instant)",
     .doc = "Whole seconds since 1970-01-01T00:00Z.",
     .example = {"(.getEpochSecond (Instant/ofEpochMilli 1500))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kInstant, seconds_of_instant>},
    {.name = ".isBefore",
     .usage = "(.isBefore a b)",
     .doc = "True if the date or time a is before b, which is of the same kind.",
     .example = {"(.isBefore (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 2))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::OfTime,
     .call = call_is_before},
    {.name = ".isAfter",
     .usage = "(.isAfter a b)",
     .doc = "True if the date or time a is after b, which is of the same kind.",
     .example = {"(.isAfter (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 2))", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::OfTime,
     .call = call_is_after},
    {.name = ".isEqual",
     .usage = "(.isEqual a b)",
     .doc = "True if the dates or times a and b are the same.",
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
     .doc = "The year of a date, time or YearMonth.",
     .example = {"(.getYear (LocalDate/of 2024 2 29))", "2024"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_show<kWithMonth, year_of>},
    {.name = ".getMonthValue",
     .usage = "(.getMonthValue date)",
     .doc = "The month of a date, time or YearMonth, 1 to 12.",
     .example = {"(.getMonthValue (LocalDate/of 2024 2 29))", "2"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_show<kWithMonth, month_of>},
    {.name = ".getDayOfMonth",
     .usage = "(.getDayOfMonth date)",
     .doc = "The day of a date in its month, 1 to 31.",
     .example = {"(.getDayOfMonth (LocalDate/of 2024 2 29))", "29"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_show<kDated, day_of_month>},
    {.name = ".getDayOfYear",
     .usage = "(.getDayOfYear date)",
     .doc = "The day of a date in its year, 1 to 366.",
     .example = {"(.getDayOfYear (LocalDate/of 2024 2 29))", "60"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_show<kDated, in_year>},
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
     .doc = "How many days the month of a date, or a YearMonth, has.",
     .example = {"(.lengthOfMonth (LocalDate/of 2024 2 1))", "29"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_show<types_of_time({ObjectType::LocalDate, ObjectType::YearMonth}), length_of_month>},
    {.name = ".isLeapYear",
     .usage = "(.isLeapYear date)",
     .doc = "True if the year of a date or YearMonth has 366 days.",
     .example = {"(.isLeapYear (LocalDate/of 2024 1 1))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::OfTime,
     .call = call_is_leap_year},

    {.name = ".toDays",
     .usage = "(.toDays duration)",
     .doc = "The whole days of a duration.",
     .example = {"(.toDays (Duration/ofHours 49))", "2"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<86400>>},
    {.name = ".toHours",
     .usage = "(.toHours duration)",
     .doc = "The whole hours of a duration.",
     .example = {"(.toHours (Duration/ofMinutes 90))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<3600>>},
    {.name = ".toMinutes",
     .usage = "(.toMinutes duration)",
     .doc = "The whole minutes of a duration.",
     .example = {"(.toMinutes (Duration/ofSeconds 90))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, length_in<60>>},
    {.name = ".toSeconds",
     .usage = "(.toSeconds duration)",
     .doc = "The whole seconds of a duration, rounded down.",
     .example = {"(.toSeconds (Duration/ofMillis 1500))", "1"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, seconds_in>},
    {.name = ".toMillis",
     .usage = "(.toMillis duration)",
     .doc = "The milliseconds of a duration.",
     .example = {"(.toMillis (Duration/ofSeconds 2))", "2000"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::OfTime,
     .call = call_read<kDuration, millis_in>},
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

    time_row(".getMonth", "(.getMonth time)", "The month of a date, time or YearMonth, as a Month.",
             {"(str (.getMonth (LocalDate/of 2024 2 29)))", "\"FEBRUARY\""}, kTime, call_month),
    time_row(".getDayOfWeek", "(.getDayOfWeek time)", "The weekday of a date or time, as a DayOfWeek.",
             {"(str (.getDayOfWeek (LocalDate/of 2024 2 29)))", "\"THURSDAY\""}, kTime, call_weekday),
    time_row(".getValue", "(.getValue x)",
             "The number of a DayOfWeek, 1 for MONDAY, or of a Month, 1 for JANUARY; the value of an entry of a map.",
             {"(.getValue (.getDayOfWeek (LocalDate/of 2024 2 29)))", "4"}, kinds::kAny, call_get_value),
    time_row(".ordinal", "(.ordinal x)", "The place of a DayOfWeek, Month or ChronoUnit among its like, from 0.",
             {"(.ordinal DayOfWeek/MONDAY)", "0"}, kNumber, call_ordinal),
    time_row(".getDisplayName", "(.getDisplayName x style) (.getDisplayName x style locale)",
             "The name of a DayOfWeek or Month for people: TextStyle/FULL, SHORT or NARROW.",
             {"(.getDisplayName DayOfWeek/MONDAY TextStyle/SHORT Locale/ENGLISH)", "\"Mon\""}, kText, call_display_name,
             "Names are English, whatever the locale."),
    time_row(".getHour", "(.getHour time)", "The hour of a time, 0 to 23.",
             {"(.getHour (LocalDateTime/parse \"2024-01-31T10:15:30\"))", "10"}, kNumber,
             call_show<kWithHour, hour_of>),
    time_row(".getMinute", "(.getMinute time)", "The minute of a time, 0 to 59.",
             {"(.getMinute (LocalDateTime/parse \"2024-01-31T10:15:30\"))", "15"}, kNumber,
             call_show<kWithHour, minute_of>),
    time_row(".getSecond", "(.getSecond time)", "The second of a time, 0 to 59.",
             {"(.getSecond (LocalTime/parse \"10:15:30\"))", "30"}, kNumber, call_show<kWithHour, second_of>),
    time_row(".getNano", "(.getNano time)", "The nanoseconds of a time, or of a duration, above its seconds.",
             {"(.getNano (LocalTime/parse \"10:15:30.5\"))", "500000000"}, kNumber, call_get_nano),
    time_row(".toSecondOfDay", "(.toSecondOfDay time)", "The seconds since midnight of a LocalTime.",
             {"(.toSecondOfDay (LocalTime/parse \"00:01\"))", "60"}, kNumber,
             call_show<types_of_time({ObjectType::LocalTime}), second_of_day>),
    time_row(".lengthOfYear", "(.lengthOfYear date)", "How many days the year of a date or YearMonth has.",
             {"(.lengthOfYear (LocalDate/of 2024 2 1))", "366"}, kNumber,
             call_show<types_of_time({ObjectType::LocalDate, ObjectType::YearMonth}), length_of_year>),
    time_row(".withDayOfYear", "(.withDayOfYear date day)", "The date or time at another day of its year.",
             {"(str (.withDayOfYear (LocalDate/of 2024 5 1) 60))", "\"2024-02-29\""}, kTime,
             call_with<Part::DayOfYear>),
    time_row(".withHour", "(.withHour time n)", "The time with another hour.",
             {"(str (.withHour (LocalTime/parse \"10:15\") 8))", "\"08:15\""}, kTime,
             call_with_clock<kMillisPerHour, 24>),
    time_row(".withMinute", "(.withMinute time n)", "The time with another minute.",
             {"(str (.withMinute (LocalTime/parse \"10:15\") 0))", "\"10:00\""}, kTime,
             call_with_clock<kMillisPerMinute, 60>),
    time_row(".withSecond", "(.withSecond time n)", "The time with another second.",
             {"(str (.withSecond (LocalTime/parse \"10:15:30\") 0))", "\"10:15\""}, kTime,
             call_with_clock<kMillisPerSecond, 60>),
    time_row(".withNano", "(.withNano time n)", "The time with other nanoseconds above its second.",
             {"(str (.withNano (LocalTime/parse \"10:15:30.5\") 0))", "\"10:15:30\""}, kTime, call_with_nano),
    time_row(".atStartOfDay", "(.atStartOfDay date) (.atStartOfDay date zone)",
             "The midnight at which a date starts: a LocalDateTime, or with a zone a ZonedDateTime.",
             {"(str (.atStartOfDay (LocalDate/of 2024 2 29)))", "\"2024-02-29T00:00\""}, kTime, call_at_start_of_day),
    time_row(".atTime", "(.atTime date time) (.atTime date hour minute) (.atTime date hour minute second)",
             "The LocalDateTime of a date and a time of day.",
             {"(str (.atTime (LocalDate/of 2024 2 29) 10 15))", "\"2024-02-29T10:15\""}, kTime, call_at_time),
    time_row(".atDay", "(.atDay month day)", "The date of a day of a YearMonth, or of a year.",
             {"(str (.atDay (YearMonth/of 2024 2) 1))", "\"2024-02-01\""}, kTime, call_at_day),
    time_row(".atEndOfMonth", "(.atEndOfMonth month)", "The last date of a YearMonth.",
             {"(str (.atEndOfMonth (YearMonth/of 2024 2)))", "\"2024-02-29\""}, kTime, call_at_end_of_month),
    time_row(".toLocalDate", "(.toLocalDate time)", "The date of a LocalDateTime or ZonedDateTime.",
             {"(str (.toLocalDate (LocalDateTime/parse \"2024-01-31T10:15\")))", "\"2024-01-31\""}, kTime,
             call_to_local_date),
    time_row(".toLocalTime", "(.toLocalTime time)", "The time of day of a LocalDateTime or ZonedDateTime.",
             {"(str (.toLocalTime (LocalDateTime/parse \"2024-01-31T10:15\")))", "\"10:15\""}, kTime,
             call_to_local_time),
    time_row(".toLocalDateTime", "(.toLocalDateTime time)", "What clocks show in the zone of a ZonedDateTime.",
             {"(str (.toLocalDateTime (ZonedDateTime/parse \"2024-01-31T10:15+02:00\")))", "\"2024-01-31T10:15\""},
             kTime, call_to_local_date_time),
    time_row(".toInstant", "(.toInstant time) (.toInstant time zone)",
             "The Instant of a ZonedDateTime or java.util.Date, or of a LocalDateTime in a zone.",
             {"(str (.toInstant (ZonedDateTime/parse \"2024-01-31T10:15+02:00\")))", "\"2024-01-31T08:15:00Z\""}, kTime,
             call_to_instant),
    time_row(".toEpochSecond", "(.toEpochSecond time) (.toEpochSecond time zone)",
             "Seconds since 1970-01-01T00:00Z of a ZonedDateTime, or of a LocalDateTime in a zone.",
             {"(.toEpochSecond (LocalDateTime/parse \"1970-01-01T00:01\") ZoneOffset/UTC)", "60"}, kNumber,
             call_to_epoch_second),
    time_row(".atZone", "(.atZone time zone)", "The ZonedDateTime of a LocalDateTime or Instant in a zone.",
             {"(str (.atZone (Instant/ofEpochMilli 0) (ZoneId/of \"UTC\")))", "\"1970-01-01T00:00Z[UTC]\""}, kTime,
             call_at_zone),
    time_row(".atOffset", "(.atOffset time zone)", "As .atZone, with an offset.",
             {"(str (.atOffset (LocalDateTime/of 2024 1 31 10 15) ZoneOffset/UTC))", "\"2024-01-31T10:15Z\""}, kTime,
             call_at_zone),
    time_row(".withZoneSameInstant", "(.withZoneSameInstant time zone)",
             "The same instant as clocks in another zone show it.",
             {"(str (.withZoneSameInstant (ZonedDateTime/parse \"2024-01-31T10:15+02:00\") ZoneOffset/UTC))",
              "\"2024-01-31T08:15Z\""},
             kTime, call_with_zone),

    time_row(".getSeconds", "(.getSeconds duration)", "The whole seconds of a duration, rounded down.",
             {"(.getSeconds (Duration/ofMinutes 2))", "120"}, kNumber, call_read<kDuration, seconds_in>),
    time_row(".toNanos", "(.toNanos duration)", "The nanoseconds of a duration.",
             {"(.toNanos (Duration/ofMillis 2))", "2000000"}, kNumber, call_to_nanos),
    time_row(".toDaysPart", "(.toDaysPart duration)", "The days of a duration.",
             {"(.toDaysPart (Duration/ofHours 49))", "2"}, kNumber, call_read<kDuration, length_in<86400>>),
    time_row(".toHoursPart", "(.toHoursPart duration)", "The hours of a duration above its days.",
             {"(.toHoursPart (Duration/ofHours 49))", "1"}, kNumber, call_read<kDuration, part_in<3600, 24>>),
    time_row(".toMinutesPart", "(.toMinutesPart duration)", "The minutes of a duration above its hours.",
             {"(.toMinutesPart (Duration/ofMinutes 90))", "30"}, kNumber, call_read<kDuration, part_in<60, 60>>),
    time_row(".toSecondsPart", "(.toSecondsPart duration)", "The seconds of a duration above its minutes.",
             {"(.toSecondsPart (Duration/ofSeconds 90))", "30"}, kNumber, call_read<kDuration, part_in<1, 60>>),
    time_row(".toMillisPart", "(.toMillisPart duration)", "The milliseconds of a duration above its seconds.",
             {"(.toMillisPart (Duration/ofMillis 1500))", "500"}, kNumber, call_read<kDuration, millis_above_seconds>),
    time_row(".isNegative", "(.isNegative duration)", "True if a duration, or a part of a period, is below zero.",
             {"(.isNegative (Duration/ofMinutes -1))", "true"}, kBoolean, call_is_negative),
    time_row(".isZero", "(.isZero duration)", "True if a duration or period is empty.",
             {"(.isZero Duration/ZERO)", "true"}, kBoolean, call_is_zero),
    time_row(".negated", "(.negated duration)", "The duration or period with its sign changed.",
             {"(.toMinutes (.negated (Duration/ofMinutes 5)))", "-5"}, kTime, call_negated),
    abs_row(),
    time_row(".multipliedBy", "(.multipliedBy duration n)", "n times a duration or period.",
             {"(.toMinutes (.multipliedBy (Duration/ofMinutes 5) 3))", "15"}, kTime, call_multiplied_by),
};

} // namespace

std::span<const Builtin> time_method_builtins() { return kRows; }

} // namespace ptc
