// Times moved and measured by units (java.time's ChronoUnit): .plus and .minus with their kin for single units, .until,
// .between and .truncatedTo. Whatever the type, moving is one of three things: adding milliseconds and nanoseconds,
// adding days, or adding months; and measuring is the same backwards. Units that are not whole count towards zero.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_arguments.h"
#include "runtime/number.h"
#include <algorithm>
#include <limits>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

/// What one unit is: of these, all but one are zero.
struct UnitLength {
    std::int64_t nanos = 0; ///< below a millisecond
    std::int64_t millis = 0;
    std::int64_t days = 0;
    std::int64_t months = 0;
};

UnitLength length_of(TimeUnit unit) {
    switch (unit) {
    case TimeUnit::Nanos: return {.nanos = 1};
    case TimeUnit::Micros: return {.nanos = 1000};
    case TimeUnit::Millis: return {.millis = 1};
    case TimeUnit::Seconds: return {.millis = kMillisPerSecond};
    case TimeUnit::Minutes: return {.millis = kMillisPerMinute};
    case TimeUnit::Hours: return {.millis = kMillisPerHour};
    case TimeUnit::HalfDays: return {.millis = kMillisPerDay / 2};
    case TimeUnit::Days: return {.days = 1};
    case TimeUnit::Weeks: return {.days = 7};
    case TimeUnit::Months: return {.months = 1};
    case TimeUnit::Years: return {.months = 12};
    case TimeUnit::Decades: return {.months = 120};
    case TimeUnit::Centuries: return {.months = 1200};
    }
    return {};
}

const char* name_of(TimeUnit unit) { return names_of(TimeFamily::ChronoUnit).values[static_cast<std::size_t>(unit)]; }

Error unit_not_of(const char* who, ObjectType type, TimeUnit unit) {
    const char* hint = type == ObjectType::LocalDate   ? "(.atStartOfDay date) has a time of day."
                       : type == ObjectType::YearMonth ? "(.atDay month 1) is a LocalDate."
                       : type == ObjectType::Duration  ? "A Duration is exact: months and years are of a Period."
                       : type == ObjectType::Period    ? "A Period has years, months and days only."
                                                       : "A LocalTime has no date: use a LocalDateTime.";
    return Error(Reason::TypeError, quoted(who) + ": " + time_class_name(type) + " has no " + name_of(unit) + ".")
        .with_hint(hint);
}

bool has_days(ObjectType type) { return type != ObjectType::LocalTime && type != ObjectType::YearMonth; }
bool has_clock(ObjectType type) { return type != ObjectType::LocalDate && type != ObjectType::YearMonth; }

/// A length of time, the nanoseconds within a millisecond.
struct Length {
    std::int64_t millis = 0;
    std::int64_t nanos = 0;
};

/// `amount` units of a fixed length; false when that is out of range.
bool fixed_length(std::int64_t amount, const UnitLength& unit, Length* length) {
    if (unit.nanos != 0) {
        const std::int64_t per_milli = kNanosPerMilli / unit.nanos;
        length->millis = floor_div(amount, per_milli);
        const std::int64_t rest = amount % per_milli; // the product of the quotient may not fit
        length->nanos = (rest < 0 ? rest + per_milli : rest) * unit.nanos;
        return true;
    }
    return !__builtin_mul_overflow(amount, unit.millis + unit.days * kMillisPerDay, &length->millis);
}

Length operator+(const Length& a, const Length& b) {
    const std::int64_t nanos = a.nanos + b.nanos;
    const std::int64_t carry = floor_div(nanos, kNanosPerMilli);
    return {a.millis + b.millis + carry, nanos - carry * kNanosPerMilli};
}
Length operator-(const Length& a) {
    return a.nanos == 0 ? Length{-a.millis, 0} : Length{-a.millis - 1, kNanosPerMilli - a.nanos};
}

constexpr std::int64_t kFarMillis = std::int64_t{1} << 60; ///< sums of two of these fit

Result<Value> plus_length(Heap& heap, const TimeObject& time, const Length& length, const char* who) {
    if (std::abs(length.millis) > kFarMillis) return out_of_range(who, "that is too long.");
    if (time.type == ObjectType::Duration) {
        if (std::abs(time.a) > kFarMillis) return out_of_range(who, "the duration is too long.");
        const Length sum = Length{time.a, time.b} + length;
        return make_duration(heap, sum.millis, sum.nanos);
    }
    const LocalParts parts = local_parts(time);
    const Length in_day = Length{parts.millis, parts.nanos} + length;
    const std::int64_t days = floor_div(in_day.millis, kMillisPerDay);
    return with_parts(heap, time, {parts.day + days, in_day.millis - days * kMillisPerDay, in_day.nanos}, who);
}

Result<Value> plus_months(Heap& heap, const TimeObject& time, std::int64_t months, const char* who) {
    constexpr std::int64_t kMost = 30'000 * 12; // keeps the year within what year_month_day holds
    months = std::clamp(months, -kMost, kMost);
    LocalParts parts = local_parts(time);
    const year_month_day day{sys_days(std::chrono::days(parts.day))};
    parts.day = std::abs(months) == kMost ? kFarAway : add_months(day, months);
    return with_parts(heap, time, parts, who);
}

} // namespace

Result<Value> plus_units(Heap& heap, const Value& value, std::int64_t amount, TimeUnit unit, const char* who) {
    const TimeObject& time = as_time(value);
    const UnitLength of_one = length_of(unit);
    Length length;
    if (of_one.months != 0) {
        constexpr std::int64_t kMost = kFarAway / 1200;
        const std::int64_t months = std::clamp(amount, -kMost, kMost) * of_one.months;
        if (time.type == ObjectType::Period) return make_period(heap, time.a + months, time.b);
        if (time.type == ObjectType::Duration || time.type == ObjectType::LocalTime)
            return unit_not_of(who, time.type, unit);
        return plus_months(heap, time, months, who);
    }
    if (time.type == ObjectType::Period) {
        if (of_one.days == 0) return unit_not_of(who, time.type, unit);
        return make_period(heap, time.a, time.b + std::clamp(amount, -kFarAway, kFarAway) * of_one.days);
    }
    if (of_one.days != 0 ? !has_days(time.type) : !has_clock(time.type)) return unit_not_of(who, time.type, unit);
    if (!fixed_length(amount, of_one, &length)) return out_of_range(who, "that is too long.");
    return plus_length(heap, time, length, who);
}

namespace {

Result<TimeUnit> unit_argument(const Call& call, Args args, std::size_t position) {
    return static_cast<TimeUnit>(PTC_TRY(constant_argument(call, args, position, TimeFamily::ChronoUnit)));
}

constexpr TimeTypes kMeasures = types_of_time({ObjectType::Duration, ObjectType::Period});

/// .plusDays and its kin; `Takes` says what they are of.
template <TimeUnit Unit, int Sign, TimeTypes Takes> Result<Value> call_plus_unit(Call& call, Args args) {
    PTC_CHECK(time_argument(call, args, 1, Takes));
    const std::int64_t amount = PTC_TRY(index_argument(call, args, 2));
    if (Sign < 0 && amount == std::numeric_limits<std::int64_t>::min())
        return out_of_range(call.who(), "that is too long.");
    return plus_units(call.heap, args[0], Sign * amount, Unit, call.who());
}

/// A constant so many places further, round and round.
Result<Value> rotated(Call& call, Args args, int sign) {
    const TimeObject& constant = as_time(args[0]);
    const auto family = static_cast<TimeFamily>(constant.a);
    if (family == TimeFamily::ChronoUnit) return argument_error(call, args, 1, "a time, a DayOfWeek or a Month");
    const auto size = static_cast<std::int64_t>(names_of(family).values.size());
    const std::int64_t places = PTC_TRY(index_argument(call, args, 2)) % size * sign;
    return make_time_constant(call.heap, family, static_cast<std::size_t>((constant.b + places + size) % size));
}

Result<Value> plus_measure(Call& call, Args args, int sign) {
    const TimeObject& measure = *PTC_TRY(time_argument(call, args, 2, kMeasures));
    const TimeObject& time = as_time(args[0]);
    if (measure.type == ObjectType::Duration) {
        if (time.type == ObjectType::Period || !has_clock(time.type))
            return unit_not_of(call.who(), time.type, TimeUnit::Seconds);
        const Length length{measure.a, measure.b};
        return plus_length(call.heap, time, sign < 0 ? -length : length, call.who());
    }
    Value later = PTC_TRY(plus_units(call.heap, args[0], sign * measure.a, TimeUnit::Months, call.who()));
    if (time.type == ObjectType::YearMonth && measure.b == 0) return later;
    return plus_units(call.heap, later, sign * measure.b, TimeUnit::Days, call.who());
}

template <int Sign> Result<Value> call_plus(Call& call, Args args) {
    if (!is_time(args[0])) return argument_error(call, args, 1, "a time");
    if (args[0].is(ObjectType::TimeConstant) && args.size() == 2) return rotated(call, args, Sign);
    if (args[0].is(ObjectType::TimeConstant)) return argument_error(call, args, 1, "a time");
    if (args.size() == 2) return plus_measure(call, args, Sign);
    const std::int64_t amount = PTC_TRY(amount_argument(call, args, 2));
    return plus_units(call.heap, args[0], Sign * amount, PTC_TRY(unit_argument(call, args, 3)), call.who());
}

// ---- Measuring

/// Months between two days, a month being whole when the day of the month is reached.
std::int64_t months_between(std::int64_t first_day, std::int64_t last_day) {
    const auto packed = [](std::int64_t days) {
        const year_month_day day{sys_days(std::chrono::days(days))};
        return month_number(day) * 32 + static_cast<unsigned>(day.day());
    };
    return (packed(last_day) - packed(first_day)) / 32;
}

/// Where the units are days or months, a day counts when the time of day is reached.
std::int64_t last_whole_day(const LocalParts& from, const LocalParts& to) {
    const bool is_earlier = to.millis != from.millis ? to.millis < from.millis : to.nanos < from.nanos;
    const bool is_later = to.millis != from.millis ? to.millis > from.millis : to.nanos > from.nanos;
    if (to.day > from.day && is_earlier) return to.day - 1;
    return to.day < from.day && is_later ? to.day + 1 : to.day;
}

/// The second time as the first is one: in the same zone, or the date of it.
Result<LocalParts> parts_beside(const Call& call, Args args, std::size_t first, std::size_t second) {
    const TimeObject& a = *PTC_TRY(time_argument(call, args, first, kOnLine));
    const TimeObject& b = *PTC_TRY(time_argument(call, args, second, kOnLine));
    if (a.type == ObjectType::ZonedDateTime && b.type == a.type) {
        const std::int64_t millis = b.a + offset_minutes_of(zone_of(a)) * kMillisPerMinute;
        const std::int64_t day = floor_div(millis, kMillisPerDay);
        return LocalParts{day, millis - day * kMillisPerDay, b.b / kZones};
    }
    const bool takes_date = a.type == ObjectType::LocalDate && is_one_of(kDated, args[second - 1]);
    const bool takes_time = a.type == ObjectType::LocalTime && is_one_of(kWithHour, args[second - 1]);
    if (a.type != b.type && !takes_date && !takes_time)
        return mixed_times(call.who(), time_class_name(a.type), time_class_name(b.type));
    LocalParts parts = local_parts(b);
    if (takes_date) parts.millis = parts.nanos = 0;
    if (takes_time) parts.day = 0;
    return parts;
}

Result<Value> units_between(Call& call, Args args, std::size_t first, std::size_t second, TimeUnit unit) {
    const LocalParts to = PTC_TRY(parts_beside(call, args, first, second));
    const TimeObject& start = as_time(args[first - 1]);
    const LocalParts from = local_parts(start);
    const UnitLength of_one = length_of(unit);
    if (of_one.months != 0) {
        if (start.type == ObjectType::LocalTime) return unit_not_of(call.who(), start.type, unit);
        return make_integer(call.heap, months_between(from.day, last_whole_day(from, to)) / of_one.months);
    }
    if (of_one.days != 0) {
        if (!has_days(start.type)) return unit_not_of(call.who(), start.type, unit);
        return make_integer(call.heap, (last_whole_day(from, to) - from.day) / of_one.days);
    }
    if (!has_clock(start.type)) return unit_not_of(call.who(), start.type, unit);
    const Length length =
        Length{(to.day - from.day) * kMillisPerDay + to.millis, to.nanos} + -Length{from.millis, from.nanos};
    if (of_one.millis != 0) {
        const bool is_partial = length.millis < 0 && length.nanos > 0;
        return make_integer(call.heap, (length.millis + (is_partial ? 1 : 0)) / of_one.millis);
    }
    std::int64_t nanos = 0;
    if (__builtin_mul_overflow(length.millis, kNanosPerMilli, &nanos) ||
        __builtin_add_overflow(nanos, length.nanos, &nanos))
        return out_of_range(call.who(), "that are more nanoseconds than 64 bits hold.");
    return make_integer(call.heap, nanos / of_one.nanos);
}

Result<Value> call_between(Call& call, Args args) {
    if (is_one_of(kOnLine, args[0]) && args[2].is(ObjectType::TimeConstant)) {
        return argument_error(call, args, 1, "a unit like ChronoUnit/DAYS")
            .with_hint("Write (.between ChronoUnit/DAYS start end), or (.until start end ChronoUnit/DAYS).");
    }
    return units_between(call, args, 2, 3, PTC_TRY(unit_argument(call, args, 1)));
}

Result<Value> call_until(Call& call, Args args) {
    if (args.size() == 3) return units_between(call, args, 1, 2, PTC_TRY(unit_argument(call, args, 3)));
    const TimeObject& start = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const TimeObject& end = *PTC_TRY(time_argument(call, args, 2, ObjectType::LocalDate));
    return period_between(call.heap, start.a, end.a);
}

Result<Value> call_truncated_to(Call& call, Args args) {
    constexpr TimeTypes kTakes = kWithHour | types_of_time({ObjectType::Instant, ObjectType::Duration});
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kTakes));
    const TimeUnit unit = PTC_TRY(unit_argument(call, args, 2));
    if (unit > TimeUnit::Days) return unit_not_of(call.who(), ObjectType::Duration, unit);
    const UnitLength of_one = length_of(unit);
    if (time.type == ObjectType::Duration) {
        const std::int64_t millis = of_one.millis + of_one.days * kMillisPerDay;
        if (millis == 0) return make_duration(call.heap, time.a, time.b - time.b % of_one.nanos);
        return make_duration(call.heap, (time.a + (time.a < 0 && time.b > 0 ? 1 : 0)) / millis * millis);
    }
    LocalParts parts = local_parts(time);
    if (of_one.nanos != 0) {
        parts.nanos -= parts.nanos % of_one.nanos;
    } else {
        parts.nanos = 0;
        parts.millis = of_one.days != 0 ? 0 : parts.millis - parts.millis % of_one.millis;
    }
    return with_parts(call.heap, time, parts, call.who());
}

constexpr TimeTypes kMovesDays = kDated | types_of_time({ObjectType::Duration, ObjectType::Period});
constexpr TimeTypes kMovesWeeks = kDated;
constexpr TimeTypes kMovesMonths = kWithMonth | types_of_time({ObjectType::Period});
constexpr TimeTypes kMovesClock = kWithHour | types_of_time({ObjectType::Instant, ObjectType::Duration});

/// The row of .plusX or .minusX.
template <TimeUnit Unit, int Sign, TimeTypes Takes>
constexpr Builtin moving_row(const char* name, const char* usage, const char* doc, Example example) {
    return time_row(name, usage, doc, example, kinds::kTime, call_plus_unit<Unit, Sign, Takes>);
}

constexpr Builtin kRows[] = {
    moving_row<TimeUnit::Days, 1, kMovesDays>(".plusDays", "(.plusDays time n)", "The date or time n days later.",
                                              {"(str (.plusDays (LocalDate/of 2024 2 28) 1))", "\"2024-02-29\""}),
    moving_row<TimeUnit::Days, -1, kMovesDays>(".minusDays", "(.minusDays time n)", "The date or time n days earlier.",
                                               {"(str (.minusDays (LocalDate/of 2024 3 1) 1))", "\"2024-02-29\""}),
    moving_row<TimeUnit::Weeks, 1, kMovesWeeks>(".plusWeeks", "(.plusWeeks time n)", "The date or time n weeks later.",
                                                {"(str (.plusWeeks (LocalDate/of 2024 2 28) 1))", "\"2024-03-06\""}),
    moving_row<TimeUnit::Weeks, -1, kMovesWeeks>(".minusWeeks", "(.minusWeeks time n)",
                                                 "The date or time n weeks earlier.",
                                                 {"(str (.minusWeeks (LocalDate/of 2024 3 6) 1))", "\"2024-02-28\""}),
    moving_row<TimeUnit::Months, 1, kMovesMonths>(
        ".plusMonths", "(.plusMonths time n)",
        "The date, time or YearMonth n months later; the last day of a month that is too short.",
        {"(str (.plusMonths (LocalDate/of 2024 1 31) 1))", "\"2024-02-29\""}),
    moving_row<TimeUnit::Months, -1, kMovesMonths>(
        ".minusMonths", "(.minusMonths time n)",
        "The date, time or YearMonth n months earlier; the last day of a month that is too short.",
        {"(str (.minusMonths (LocalDate/of 2024 3 31) 1))", "\"2024-02-29\""}),
    moving_row<TimeUnit::Years, 1, kMovesMonths>(".plusYears", "(.plusYears time n)",
                                                 "The date, time or YearMonth n years later.",
                                                 {"(str (.plusYears (LocalDate/of 2024 2 29) 1))", "\"2025-02-28\""}),
    moving_row<TimeUnit::Years, -1, kMovesMonths>(".minusYears", "(.minusYears time n)",
                                                  "The date, time or YearMonth n years earlier.",
                                                  {"(str (.minusYears (LocalDate/of 2024 2 29) 4))", "\"2020-02-29\""}),
    moving_row<TimeUnit::Hours, 1, kMovesClock>(
        ".plusHours", "(.plusHours time n)", "The time n hours later; a LocalTime goes on from midnight.",
        {"(str (.plusHours (LocalDateTime/parse \"2024-01-31T23:30\") 1))", "\"2024-02-01T00:30\""}),
    moving_row<TimeUnit::Hours, -1, kMovesClock>(".minusHours", "(.minusHours time n)", "The time n hours earlier.",
                                                 {"(str (.minusHours (LocalTime/parse \"00:30\") 1))", "\"23:30\""}),
    moving_row<TimeUnit::Minutes, 1, kMovesClock>(
        ".plusMinutes", "(.plusMinutes time n)", "The time n minutes later.",
        {"(str (.plusMinutes (LocalDateTime/parse \"2024-01-31T23:30\") 45))", "\"2024-02-01T00:15\""}),
    moving_row<TimeUnit::Minutes, -1, kMovesClock>(".minusMinutes", "(.minusMinutes time n)",
                                                   "The time n minutes earlier.",
                                                   {"(.toMinutes (.minusMinutes (Duration/ofHours 1) 10))", "50"}),
    moving_row<TimeUnit::Seconds, 1, kMovesClock>(
        ".plusSeconds", "(.plusSeconds time n)", "The time n seconds later.",
        {"(.toEpochMilli (.plusSeconds (Instant/ofEpochMilli 1) 2))", "2001"}),
    moving_row<TimeUnit::Seconds, -1, kMovesClock>(
        ".minusSeconds", "(.minusSeconds time n)", "The time n seconds earlier.",
        {"(.toEpochMilli (.minusSeconds (Instant/ofEpochMilli 1) 2))", "-1999"}),
    moving_row<TimeUnit::Millis, 1, kMovesClock>(".plusMillis", "(.plusMillis time n)",
                                                 "The instant or duration n milliseconds later, or longer.",
                                                 {"(.toEpochMilli (.plusMillis (Instant/ofEpochMilli 1) 2))", "3"}),
    moving_row<TimeUnit::Millis, -1, kMovesClock>(".minusMillis", "(.minusMillis time n)",
                                                  "The instant or duration n milliseconds earlier, or shorter.",
                                                  {"(.toEpochMilli (.minusMillis (Instant/ofEpochMilli 3) 2))", "1"}),
    moving_row<TimeUnit::Nanos, 1, kMovesClock>(
        ".plusNanos", "(.plusNanos time n)", "The time n nanoseconds later.",
        {"(str (.plusNanos (LocalTime/parse \"10:00\") 5000000))", "\"10:00:00.005\""}),
    moving_row<TimeUnit::Nanos, -1, kMovesClock>(
        ".minusNanos", "(.minusNanos time n)", "The time n nanoseconds earlier.",
        {"(str (.minusNanos (LocalTime/parse \"10:00\") 1000000))", "\"09:59:59.999\""}),
    time_row(
        ".plus", "(.plus time x) (.plus time n unit)",
        "The time n units, or a Duration or Period, later; the sum of two durations or periods; a DayOfWeek or Month x "
        "places further.",
        {"(str (.plus (LocalDate/of 2024 1 31) 1 ChronoUnit/MONTHS))", "\"2024-02-29\""}, kinds::kTime, call_plus<1>),
    time_row(".minus", "(.minus time x) (.minus time n unit)",
             "The time n units, or a Duration or Period, earlier; the difference of two durations or periods.",
             {"(str (.minus (LocalDate/of 2024 3 31) (Period/ofDays 31)))", "\"2024-02-29\""}, kinds::kTime,
             call_plus<-1>),
    time_row(".between", "(.between unit a b)",
             "How many whole units there are from a to b, times of one kind; negative when b is earlier.",
             {"(.between ChronoUnit/DAYS (LocalDate/of 2024 2 28) (LocalDate/of 2024 3 1))", "2"}, kinds::kNumber,
             call_between),
    time_row(".until", "(.until a b) (.until a b unit)",
             "How many whole units there are from a to b; without a unit the Period between two dates.",
             {"(.until (LocalDate/of 2024 1 31) (LocalDate/of 2024 3 1) ChronoUnit/MONTHS)", "1"},
             kinds::kNumber | kinds::kTime, call_until),
    time_row(".truncatedTo", "(.truncatedTo time unit)", "The time without what is smaller than a unit, a day at most.",
             {"(str (.truncatedTo (LocalTime/parse \"10:45:30\") ChronoUnit/HOURS))", "\"10:00\""}, kinds::kTime,
             call_truncated_to),
};

} // namespace

std::span<const Builtin> time_unit_builtins() { return kRows; }

} // namespace ptc
