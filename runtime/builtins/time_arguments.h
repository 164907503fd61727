// What the builtins on dates and times share: reading arguments, and the calendar.
#pragma once
#include "runtime/builtins/arguments.h"
#include "runtime/time.h"
#include <chrono>
#include <initializer_list>
#include <string_view>

namespace ptc {

inline constexpr std::int64_t kMillisPerSecond = 1000;
inline constexpr std::int64_t kMillisPerMinute = 60 * kMillisPerSecond;
inline constexpr std::int64_t kMillisPerHour = 60 * kMillisPerMinute;
inline constexpr std::int64_t kMillisPerDay = 24 * kMillisPerHour;
inline constexpr std::int64_t kNanosPerMilli = 1'000'000;
/// More days or months than any representable time is away.
inline constexpr std::int64_t kFarAway = std::int64_t{1} << 40;

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// "a LocalDate", for messages.
const char* time_class_name(ObjectType type);
/// Argument `position`, which must be a time of this type.
Result<const TimeObject*> time_argument(const Call& call, Args args, std::size_t position, ObjectType type);

/// Types of times, one bit each.
using TimeTypes = std::uint16_t;
constexpr TimeTypes types_of_time(std::initializer_list<ObjectType> types) {
    unsigned bits = 0;
    for (const ObjectType type : types)
        bits |= 1u << (static_cast<unsigned>(type) - static_cast<unsigned>(ObjectType::LocalDate));
    return static_cast<TimeTypes>(bits);
}
inline constexpr TimeTypes kClocked = types_of_time({ObjectType::LocalDateTime, ObjectType::ZonedDateTime});
inline constexpr TimeTypes kDated = kClocked | types_of_time({ObjectType::LocalDate});
inline constexpr TimeTypes kWithMonth = kDated | types_of_time({ObjectType::YearMonth});
inline constexpr TimeTypes kWithHour = kClocked | types_of_time({ObjectType::LocalTime});
inline constexpr TimeTypes kOnLine = kDated | kWithHour | types_of_time({ObjectType::Instant, ObjectType::YearMonth});
inline bool is_one_of(TimeTypes types, const Value& v) {
    return is_time(v) && (types & types_of_time({v.type()})) != 0;
}
/// Argument `position`, which must be a time of one of these types.
Result<const TimeObject*> time_argument(const Call& call, Args args, std::size_t position, TimeTypes types);
/// Argument `position` as a constant of `family`, or as what its number (from 1) or its name says: which one, from 0.
Result<std::size_t> constant_argument(const Call& call, Args args, std::size_t position, TimeFamily family);
/// Argument `position` as a zone (runtime/time.h), of its text.
Result<std::int64_t> zone_argument(const Call& call, Args args, std::size_t position);

/// What a calendar and a clock at the place of a time show.
struct LocalParts {
    std::int64_t day = 0;    ///< days since 1970-01-01
    std::int64_t millis = 0; ///< of the day
    std::int64_t nanos = 0;  ///< above them
};
/// Of any type but Duration, Period and TimeConstant; an instant is read in UTC, a month at its first day.
LocalParts local_parts(const TimeObject& time);
/// A time of day from arguments on `first`: hour, minute, and if given second and nanosecond.
Result<LocalParts> clock_arguments(const Call& call, Args args, std::size_t first);
/// The time of the type of `like`, and in its zone, at which calendar and clock show this.
Result<Value> with_parts(Heap& heap, const TimeObject& like, LocalParts parts, const char* who);
/// As java.time's Period.between: whole months, then the days that are left, both of one sign.
Result<Value> period_between(Heap& heap, std::int64_t first_day, std::int64_t last_day);

/// Java's units of time, in the order of TimeFamily::ChronoUnit.
enum class TimeUnit : std::uint8_t {
    Nanos,
    Micros,
    Millis,
    Seconds,
    Minutes,
    Hours,
    HalfDays,
    Days,
    Weeks,
    Months,
    Years,
    Decades,
    Centuries,
};
/// `time` and `amount` units: any time but a constant.
Result<Value> plus_units(Heap& heap, const Value& time, std::int64_t amount, TimeUnit unit, const char* who);

/// A row of a method or class of java.time.
constexpr Builtin time_row(const char* name, const char* usage, const char* doc, Example example, Kinds gives,
                           NativeFunction call, const char* differs = nullptr, SideEffect effect = SideEffect::None) {
    Builtin row{.name = name, .usage = usage, .doc = doc, .example = example, .category = Category::Interop};
    const bool is_pattern = std::string_view(name).ends_with("/ofPattern");
    row.work = is_pattern ? Work::Text : Work::Constant;
    row.gives = {gives};
    row.model = (gives & kinds::kText) != 0 ? BoundModel::Unknown : BoundModel::OfTime;
    row.call = call;
    row.differs = differs;
    row.effect = effect;
    return row;
}
/// How many days or months: any number, as Java's `long` parameters take it (GAP-J12), cut back to what is out of range
/// anyway.
Result<std::int64_t> amount_argument(const Call& call, Args args, std::size_t position);

std::chrono::year_month_day calendar_day(const TimeObject& date);
/// Months since the year 0.
std::int64_t month_number(const std::chrono::year_month_day& day);
/// How many days the month of `day` has.
std::int64_t last_day_of(const std::chrono::year_month_day& day);
/// Days since 1970 of `day` in the month `months` later; of the last of that month when it has no such day.
std::int64_t add_months(const std::chrono::year_month_day& day, std::int64_t months);
/// Days since 1970 of the first day of a month, as month_number counts them.
std::int64_t first_day_of_month(std::int64_t month);
/// Counted from 1.
std::int64_t day_of_year(const TimeObject& date);

/// What a week is: its first day, from 0 for Monday, and how many days of it the first one of a year has at least.
struct WeekRule {
    std::int64_t first_day = 0;
    std::int64_t least_days = 4;
};
inline constexpr WeekRule kIsoWeeks{};
/// From 0 for the first day of the week.
inline std::int64_t place_in_week(std::int64_t day, std::int64_t first_day) {
    const std::int64_t since_monday = day + 3 - first_day;
    return since_monday - floor_div(since_monday, 7) * 7;
}
/// The week of a day, and the year that it counts for.
struct WeekOfYear {
    std::int64_t year = 0, week = 0;
};
WeekOfYear week_of(std::int64_t day, const WeekRule& rule);
/// The number of a day's week within the year or month that starts at `first`: 0 when the first one begins later.
std::int64_t week_from(std::int64_t first, std::int64_t day, const WeekRule& rule);

} // namespace ptc
