#include "runtime/builtins/time_arguments.h"
#include <algorithm>

namespace ptc {

using std::chrono::sys_days;
using std::chrono::year_month_day;

namespace {

const char* how_to_make(ObjectType type) {
    switch (type) {
    case ObjectType::LocalDate: return "(LocalDate/parse \"2024-01-31\") makes one.";
    case ObjectType::Instant: return "(Instant/parse \"2024-01-31T10:00:00Z\") makes one.";
    case ObjectType::Duration: return "(Duration/between start end) makes one of two instants.";
    default: return "(Period/between start end) makes one of two dates.";
    }
}

} // namespace

const char* time_class_name(ObjectType type) {
    switch (type) {
    case ObjectType::LocalDate: return "a LocalDate";
    case ObjectType::Instant: return "an Instant";
    case ObjectType::Duration: return "a Duration";
    default: return "a Period";
    }
}

Result<const TimeObject*> time_argument(const Call& call, Args args, std::size_t position, ObjectType type) {
    const Value& argument = args[position - 1];
    if (argument.is(type)) return &as_time(argument);
    Error error = argument_error(call, args, position, time_class_name(type));
    return std::move(error).with_hint(how_to_make(type));
}

Result<std::int64_t> amount_argument(const Call& call, Args args, std::size_t position) {
    return std::clamp(PTC_TRY(index_argument(call, args, position)), -kFarAway, kFarAway);
}

year_month_day calendar_day(const TimeObject& date) { return year_month_day{sys_days(std::chrono::days(date.a))}; }

std::int64_t month_number(const year_month_day& day) {
    return static_cast<int>(day.year()) * std::int64_t{12} + static_cast<unsigned>(day.month()) - 1;
}

std::int64_t last_day_of(const year_month_day& day) {
    return static_cast<unsigned>(
        std::chrono::year_month_day_last(day.year(), std::chrono::month_day_last(day.month())).day());
}

std::int64_t add_months(const year_month_day& day, std::int64_t months) {
    std::int64_t month = month_number(day) + months;
    year_month_day target(std::chrono::year(static_cast<int>(floor_div(month, 12))),
                          std::chrono::month(static_cast<unsigned>(month - floor_div(month, 12) * 12) + 1),
                          std::chrono::day(1));
    std::int64_t in_month = std::min<std::int64_t>(static_cast<unsigned>(day.day()), last_day_of(target));
    return sys_days(target).time_since_epoch().count() + in_month - 1;
}

std::int64_t day_of_year(const TimeObject& date) {
    const year_month_day first(calendar_day(date).year(), std::chrono::January, std::chrono::day(1));
    return date.a - sys_days(first).time_since_epoch().count() + 1;
}

} // namespace ptc
