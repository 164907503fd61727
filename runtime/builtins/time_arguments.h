// What the builtins on dates and times share: reading arguments, and the calendar.
#pragma once
#include "runtime/builtins/arguments.h"
#include "runtime/time.h"
#include <chrono>

namespace ptc {

inline constexpr std::int64_t kMillisPerSecond = 1000;
inline constexpr std::int64_t kMillisPerMinute = 60 * kMillisPerSecond;
inline constexpr std::int64_t kMillisPerHour = 60 * kMillisPerMinute;
inline constexpr std::int64_t kMillisPerDay = 24 * kMillisPerHour;
inline constexpr std::int64_t kNanosPerMilli = 1'000'000;
/// More days, months or seconds than any representable time is away.
inline constexpr std::int64_t kFarAway = std::int64_t{1} << 40;

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// "a LocalDate", for messages.
const char* time_class_name(ObjectType type);
/// Argument `position`, which must be a time of this type.
Result<const TimeObject*> time_argument(const Call& call, Args args, std::size_t position, ObjectType type);
/// How many days, months or seconds: any number, as Java's `long` parameters take it (GAP-J12), cut back to what is out
/// of range anyway.
Result<std::int64_t> amount_argument(const Call& call, Args args, std::size_t position);

std::chrono::year_month_day calendar_day(const TimeObject& date);
/// Months since the year 0.
std::int64_t month_number(const std::chrono::year_month_day& day);
/// How many days the month of `day` has.
std::int64_t last_day_of(const std::chrono::year_month_day& day);
/// Days since 1970 of `day` in the month `months` later; of the last of that month when it has no such day.
std::int64_t add_months(const std::chrono::year_month_day& day, std::int64_t months);
/// Counted from 1.
std::int64_t day_of_year(const TimeObject& date);

} // namespace ptc
