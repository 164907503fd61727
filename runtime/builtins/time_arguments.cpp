// An argument that is no time of the wanted type gets the usual way to make one as its hint: models pass texts and
// numbers for dates. Times are taken apart into a day and what is behind midnight, and put together with their limits.
#include "runtime/builtins/time_arguments.h"
#include "frontend/try.h"
#include "runtime/string.h"
#include <algorithm>
#include <iterator>
#include <string>

namespace ptc {

using std::chrono::sys_days;
using std::chrono::year_month_day;

namespace {

struct TimeClass {
    const char* name;   ///< with its article
    const char* making; ///< the usual way to make one
};

/// In the order of ObjectType.
constexpr TimeClass kClasses[] = {
    {"a LocalDate", "(LocalDate/parse \"2024-01-31\") makes one."},
    {"an Instant", "(Instant/parse \"2024-01-31T10:00:00Z\") makes one."},
    {"a Duration", "(Duration/between start end) makes one of two times."},
    {"a Period", "(Period/between start end) makes one of two dates."},
    {"a LocalDateTime", "(LocalDateTime/parse \"2024-01-31T10:00\") makes one."},
    {"a LocalTime", "(LocalTime/parse \"10:00\") makes one."},
    {"a ZonedDateTime", "(ZonedDateTime/parse \"2024-01-31T10:00Z\") makes one."},
    {"a YearMonth", "(YearMonth/parse \"2024-01\") makes one."},
    {"a constant like DayOfWeek/MONDAY", "DayOfWeek/MONDAY, Month/MAY and ChronoUnit/DAYS are some."},
};

const TimeClass& class_of(ObjectType type) {
    return kClasses[static_cast<std::size_t>(type) - static_cast<std::size_t>(ObjectType::LocalDate)];
}

constexpr ObjectType nth_type(std::size_t i) {
    return static_cast<ObjectType>(static_cast<std::size_t>(ObjectType::LocalDate) + i);
}

/// "a LocalDate, a LocalDateTime or a YearMonth"
std::string names_of_types(TimeTypes types) {
    std::string names;
    for (std::size_t i = 0; i < std::size(kClasses); ++i) {
        if ((types & types_of_time({nth_type(i)})) == 0) continue;
        types = static_cast<TimeTypes>(types & ~types_of_time({nth_type(i)}));
        if (!names.empty()) names += types == 0 ? " or " : ", ";
        names += kClasses[i].name;
    }
    return names;
}

} // namespace

const char* time_class_name(ObjectType type) { return class_of(type).name; }

Result<const TimeObject*> time_argument(const Call& call, Args args, std::size_t position, ObjectType type) {
    return time_argument(call, args, position, types_of_time({type}));
}

Result<const TimeObject*> time_argument(const Call& call, Args args, std::size_t position, TimeTypes types) {
    const Value& argument = args[position - 1];
    if (is_one_of(types, argument)) return &as_time(argument);
    Error error = argument_error(call, args, position, names_of_types(types).c_str());
    for (std::size_t i = 0; i < std::size(kClasses); ++i) {
        if ((types & types_of_time({nth_type(i)})) != 0) return std::move(error).with_hint(kClasses[i].making);
    }
    return error;
}

Result<std::size_t> constant_argument(const Call& call, Args args, std::size_t position, TimeFamily family) {
    const Value& argument = args[position - 1];
    const TimeFamilyNames& names = names_of(family);
    if (argument.is(ObjectType::TimeConstant) && as_time(argument).a == static_cast<std::int64_t>(family))
        return static_cast<std::size_t>(as_time(argument).b);
    if (argument.is_small_integer() && family != TimeFamily::ChronoUnit) {
        const std::int64_t number = argument.small_integer();
        if (number >= 1 && number <= static_cast<std::int64_t>(names.values.size()))
            return static_cast<std::size_t>(number - 1);
    }
    if (argument.is_string()) {
        for (std::size_t i = 0; i < names.values.size(); ++i) {
            if (text_of(argument) == names.values[i]) return i;
        }
    }
    const std::string expected = std::string("one of ") + names.family + "/" + names.values.front() + " to " +
                                 names.family + "/" + names.values.back();
    return argument_error(call, args, position, expected.c_str());
}

Result<std::int64_t> zone_argument(const Call& call, Args args, std::size_t position) {
    const Value& argument = args[position - 1];
    const std::int64_t zone = argument.is_string() ? parse_zone(text_of(argument)) : -1;
    if (zone < 0) {
        return argument_error(call, args, position, "a zone, UTC or an offset like \"+02:00\"")
            .with_hint("Zones with summer time are not known here: write the offset that is valid then.");
    }
    return zone;
}

LocalParts local_parts(const TimeObject& time) {
    std::int64_t millis = time.a;
    std::int64_t nanos = time.b;
    switch (time.type) {
    case ObjectType::LocalDate: return {time.a, 0, 0};
    case ObjectType::YearMonth: return {first_day_of_month(time.a), 0, 0};
    case ObjectType::ZonedDateTime:
        millis += offset_minutes_of(zone_of(time)) * kMillisPerMinute;
        nanos /= kZones;
        break;
    default: break;
    }
    const std::int64_t day = floor_div(millis, kMillisPerDay);
    return {day, millis - day * kMillisPerDay, nanos};
}

Result<LocalParts> clock_arguments(const Call& call, Args args, std::size_t first) {
    constexpr std::int64_t kMost[] = {24, 60, 60, 1'000'000'000};
    std::int64_t parts[4] = {};
    for (std::size_t i = 0; i < std::size(parts) && first + i <= args.size(); ++i) {
        parts[i] = PTC_TRY(index_argument(call, args, first + i));
        if (parts[i] < 0 || parts[i] >= kMost[i]) return out_of_range(call.who(), "there is no such time of day.");
    }
    return LocalParts{0,
                      parts[0] * kMillisPerHour + parts[1] * kMillisPerMinute + parts[2] * kMillisPerSecond +
                          parts[3] / kNanosPerMilli,
                      parts[3] % kNanosPerMilli};
}

Result<Value> with_parts(Heap& heap, const TimeObject& like, LocalParts parts, const char* who) {
    // Far days are refused below; so far that their milliseconds do not fit would be a wrong result.
    const std::int64_t day = std::clamp<std::int64_t>(parts.day, -10'000'000, 10'000'000);
    const std::int64_t millis = day * kMillisPerDay + parts.millis;
    switch (like.type) {
    case ObjectType::LocalDate: return make_local_date(heap, day, who);
    case ObjectType::LocalTime: return make_local_time(heap, parts.millis, parts.nanos);
    case ObjectType::LocalDateTime: return make_local_date_time(heap, millis, parts.nanos, who);
    case ObjectType::ZonedDateTime: {
        const std::int64_t zone = zone_of(like);
        return make_zoned(heap, millis - offset_minutes_of(zone) * kMillisPerMinute, parts.nanos, zone, who);
    }
    case ObjectType::YearMonth:
        return make_year_month(heap, month_number(year_month_day{sys_days(std::chrono::days(day))}), who);
    default: return make_instant(heap, millis, parts.nanos, who);
    }
}

Result<Value> period_between(Heap& heap, std::int64_t first_day, std::int64_t last_day) {
    const year_month_day first{sys_days(std::chrono::days(first_day))};
    const year_month_day last{sys_days(std::chrono::days(last_day))};
    std::int64_t months = month_number(last) - month_number(first);
    auto days = static_cast<std::int64_t>(static_cast<unsigned>(last.day())) -
                static_cast<std::int64_t>(static_cast<unsigned>(first.day()));
    if (months > 0 && days < 0) {
        --months;
        days = last_day - add_months(first, months);
    } else if (months < 0 && days > 0) {
        ++months;
        days -= last_day_of(last);
    }
    return make_period(heap, months, days);
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

std::int64_t first_day_of_month(std::int64_t month) {
    const std::int64_t year = floor_div(month, 12);
    const year_month_day first(std::chrono::year(static_cast<int>(year)),
                               std::chrono::month(static_cast<unsigned>(month - year * 12) + 1), std::chrono::day(1));
    return sys_days(first).time_since_epoch().count();
}

std::int64_t day_of_year(const TimeObject& date) {
    const year_month_day first(calendar_day(date).year(), std::chrono::January, std::chrono::day(1));
    return date.a - sys_days(first).time_since_epoch().count() + 1;
}

WeekOfYear week_of(std::int64_t day, const WeekRule& rule) {
    // The day of the week that lies in the year to which all of it counts: Thursday in ISO's weeks.
    const std::int64_t decisive = day - place_in_week(day, rule.first_day) + 7 - rule.least_days;
    const std::int64_t year = static_cast<int>(year_month_day{sys_days(std::chrono::days(decisive))}.year());
    return {year, (decisive - first_day_of_month(year * 12)) / 7 + 1};
}

std::int64_t week_from(std::int64_t first, std::int64_t day, const WeekRule& rule) {
    const std::int64_t start = first - place_in_week(first, rule.first_day);
    const std::int64_t first_week = start + 7 - rule.least_days >= first ? start : start + 7;
    return floor_div(day - first_week, 7) + 1;
}

} // namespace ptc
