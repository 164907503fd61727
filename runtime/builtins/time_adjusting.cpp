// Times read and changed by fields (java.time's ChronoField, IsoFields and WeekFields) and by adjusters
// (TemporalAdjusters). A field or adjuster is a text, as Java writes it or nearly so. Changing a field is moving by the
// difference: that of the day of the year by days, that of the quarter by three months.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_arguments.h"
#include "runtime/builtins/time_field_values.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <iterator>
#include <limits>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// ---- Fields

year_month_day date_of(const LocalParts& t) { return year_month_day{sys_days(std::chrono::days(t.day))}; }
std::int64_t year_of(const LocalParts& t) { return static_cast<int>(date_of(t).year()); }
std::int64_t month_of(const LocalParts& t) { return static_cast<unsigned>(date_of(t).month()); }
std::int64_t day_of_month(const LocalParts& t) { return static_cast<unsigned>(date_of(t).day()); }
std::int64_t first_of_month(const LocalParts& t) { return t.day - day_of_month(t) + 1; }
std::int64_t first_of_year(const LocalParts& t) { return first_day_of_month(year_of(t) * 12); }
std::int64_t in_year(const LocalParts& t) { return t.day - first_of_year(t) + 1; }
std::int64_t weekday_of(const LocalParts& t) { return place_in_week(t.day, 0) + 1; }
std::int64_t epoch_day(const LocalParts& t) { return t.day; }
std::int64_t months_since_0(const LocalParts& t) { return month_number(date_of(t)); }
std::int64_t quarter_of(const LocalParts& t) { return (month_of(t) + 2) / 3; }
std::int64_t in_quarter(const LocalParts& t) {
    return t.day - first_day_of_month(year_of(t) * 12 + quarter_of(t) * 3 - 3) + 1;
}
std::int64_t year_of_era(const LocalParts& t) { return year_of(t) > 0 ? year_of(t) : 1 - year_of(t); }
std::int64_t era_of(const LocalParts& t) { return year_of(t) > 0 ? 1 : 0; }
std::int64_t aligned_week_of_month(const LocalParts& t) { return (day_of_month(t) + 6) / 7; }
std::int64_t aligned_week_of_year(const LocalParts& t) { return (in_year(t) + 6) / 7; }
std::int64_t iso_week(const LocalParts& t) { return week_of(t.day, kIsoWeeks).week; }
std::int64_t iso_week_year(const LocalParts& t) { return week_of(t.day, kIsoWeeks).year; }

std::int64_t hour_of(const LocalParts& t) { return t.millis / kMillisPerHour; }
std::int64_t minute_of(const LocalParts& t) { return t.millis / kMillisPerMinute % 60; }
std::int64_t second_of(const LocalParts& t) { return t.millis / kMillisPerSecond % 60; }
std::int64_t milli_of(const LocalParts& t) { return t.millis % kMillisPerSecond; }
std::int64_t minute_of_day(const LocalParts& t) { return t.millis / kMillisPerMinute; }
std::int64_t second_of_day(const LocalParts& t) { return t.millis / kMillisPerSecond; }
std::int64_t milli_of_day(const LocalParts& t) { return t.millis; }
std::int64_t hour_of_half(const LocalParts& t) { return hour_of(t) % 12; }
std::int64_t clock_hour_of_half(const LocalParts& t) { return (hour_of(t) + 11) % 12 + 1; }
std::int64_t half_of(const LocalParts& t) { return hour_of(t) / 12; }
std::int64_t nano_of(const LocalParts& t) { return milli_of(t) * kNanosPerMilli + t.nanos; }

std::int64_t length_of_month(const LocalParts& t) { return last_day_of(date_of(t)); }
std::int64_t length_of_year(const LocalParts& t) { return date_of(t).year().is_leap() ? 366 : 365; }
std::int64_t length_of_quarter(const LocalParts& t) {
    const std::int64_t first = year_of(t) * 12 + quarter_of(t) * 3 - 3;
    return first_day_of_month(first + 3) - first_day_of_month(first);
}
template <std::int64_t Most> std::int64_t most(const LocalParts&) { return Most; }

struct Field {
    std::string_view name; ///< as Java writes it
    TimeTypes types;
    std::int64_t (*read)(const LocalParts&);
    std::int64_t least = 0;
    std::int64_t (*most)(const LocalParts&) = nullptr; ///< null: it is only read
    std::int64_t days = 0, months = 0, millis = 0;     ///< what one more is
};

constexpr std::int64_t kFarDays = 10'000'000, kFarYears = 9999;
constexpr TimeTypes kOfDay = kDated, kOfMonth = kWithMonth, kOfClock = kWithHour;
constexpr Field kFields[] = {
    {"DayOfWeek", kOfDay, weekday_of, 1, most<7>, 1},
    {"DayOfMonth", kOfDay, day_of_month, 1, length_of_month, 1},
    {"DayOfYear", kOfDay, in_year, 1, length_of_year, 1},
    {"EpochDay", kOfDay, epoch_day, -kFarDays, most<kFarDays>, 1},
    {"AlignedWeekOfMonth", kOfDay, aligned_week_of_month, 1, most<5>, 7},
    {"AlignedWeekOfYear", kOfDay, aligned_week_of_year, 1, most<53>, 7},
    {"MonthOfYear", kOfMonth, month_of, 1, most<12>, 0, 1},
    {"ProlepticMonth", kOfMonth, months_since_0, -kFarYears * 12, most<kFarYears * 12 + 11>, 0, 1},
    {"Year", kOfMonth, year_of, -kFarYears, most<kFarYears>, 0, 12},
    {"YearOfEra", kOfMonth, year_of_era},
    {"Era", kOfMonth, era_of},
    {"QuarterOfYear", kOfMonth, quarter_of, 1, most<4>, 0, 3},
    {"DayOfQuarter", kOfDay, in_quarter, 1, length_of_quarter, 1},
    {"WeekOfWeekBasedYear", kOfDay, iso_week, 1, most<53>, 7},
    {"WeekBasedYear", kOfDay, iso_week_year},
    {"HourOfDay", kOfClock, hour_of, 0, most<23>, 0, 0, kMillisPerHour},
    {"HourOfAmPm", kOfClock, hour_of_half, 0, most<11>, 0, 0, kMillisPerHour},
    {"ClockHourOfAmPm", kOfClock, clock_hour_of_half},
    {"AmPmOfDay", kOfClock, half_of, 0, most<1>, 0, 0, kMillisPerDay / 2},
    {"MinuteOfHour", kOfClock, minute_of, 0, most<59>, 0, 0, kMillisPerMinute},
    {"MinuteOfDay", kOfClock, minute_of_day, 0, most<1439>, 0, 0, kMillisPerMinute},
    {"SecondOfMinute", kOfClock, second_of, 0, most<59>, 0, 0, kMillisPerSecond},
    {"SecondOfDay", kOfClock, second_of_day, 0, most<86399>, 0, 0, kMillisPerSecond},
    {"MilliOfSecond", kOfClock, milli_of, 0, most<999>, 0, 0, 1},
    {"MilliOfDay", kOfClock, milli_of_day, 0, most<kMillisPerDay - 1>, 0, 0, 1},
    {"NanoOfSecond", kOfClock, nano_of},
};
constexpr std::string_view kInstantSeconds = "InstantSeconds", kOffsetSeconds = "OffsetSeconds";

// ---- Weeks of other years

/// "WeekFields[SUNDAY,1]": the first day of a week, and how many days of it the first one of a year has at least.
bool read_week_rule(std::string_view text, WeekRule* rule) {
    constexpr std::string_view kStart = "WeekFields[";
    const std::size_t comma = text.find(',');
    if (!text.starts_with(kStart) || comma == std::string_view::npos || text.size() != comma + 3 || text.back() != ']')
        return false;
    const auto& days = names_of(TimeFamily::DayOfWeek).values;
    const auto day = std::find(days.begin(), days.end(), text.substr(kStart.size(), comma - kStart.size()));
    const char least = text[comma + 1];
    if (day == days.end() || least < '1' || least > '7') return false;
    *rule = {day - days.begin(), least - '0'};
    return true;
}

/// "WeekOfYear[WeekFields[SUNDAY,1]]" of a day; false when it is no such field.
bool read_week_field(std::string_view field, std::int64_t day, std::int64_t* value) {
    const std::size_t bracket = field.find('[');
    WeekRule rule;
    if (bracket == std::string_view::npos || !field.ends_with(']') ||
        !read_week_rule(field.substr(bracket + 1, field.size() - bracket - 2), &rule))
        return false;
    const std::string_view name = field.substr(0, bracket);
    const LocalParts parts{day, 0, 0};
    if (name == "DayOfWeek") {
        *value = place_in_week(day, rule.first_day) + 1;
    } else if (name == "WeekOfWeekBasedYear") {
        *value = week_of(day, rule).week;
    } else if (name == "WeekBasedYear") {
        *value = week_of(day, rule).year;
    } else if (name == "WeekOfYear" || name == "WeekOfMonth") {
        const std::int64_t first = name == "WeekOfYear" ? first_of_year(parts) : first_of_month(parts);
        *value = week_from(first, day, rule);
    } else {
        return false;
    }
    return true;
}

Result<Value> call_week_field(Call& call, Args args) {
    WeekRule rule;
    const bool is_rule = args[0].is_string() && read_week_rule(text_of(args[0]), &rule);
    if (!is_rule) return argument_error(call, args, 1, "WeekFields/ISO or WeekFields/SUNDAY_START");
    std::string name(call.self.name + 1); // without its dot
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return make_string(call.heap, name.append("[").append(text_of(args[0])).append("]"));
}

// ---- Reading and changing

const Field* find_field(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& field) { return field.name == name; });
    return found == std::end(kFields) ? nullptr : found;
}

Error no_field(const Call& call, Args args, std::size_t position) {
    return argument_error(call, args, position, "a field like ChronoField/DAY_OF_WEEK or IsoFields/QUARTER_OF_YEAR");
}

Error field_missing(const char* who, ObjectType type, std::string_view field) {
    const char* hint = type == ObjectType::LocalDate   ? "(.atStartOfDay date) has a time of day."
                       : type == ObjectType::LocalTime ? "A LocalDateTime has a date and a time of day."
                       : type == ObjectType::YearMonth
                           ? "(.atDay month 1) is a LocalDate."
                           : "(.atZone instant ZoneOffset/UTC) has a date and a time of day.";
    return Error(Reason::TypeError, quoted(who) + ": " + time_class_name(type) + " has no " + std::string(field) + ".")
        .with_hint(hint);
}

/// `value`, if the field may have it there.
Result<void> check_value(const char* who, const Field& field, const LocalParts& parts, std::int64_t value) {
    const std::int64_t most = field.most(parts);
    if (value >= field.least && value <= most) return {};
    return out_of_range(who, std::string(field.name) + " is " + std::to_string(field.least) + " to " +
                                 std::to_string(most) + " there, not " + std::to_string(value) + ".");
}

Result<Value> with_field(Call& call, Args args) {
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kOnLine));
    const Field* field = args[1].is_string() ? find_field(text_of(args[1])) : nullptr;
    if (!field || !field->most) return no_field(call, args, 2);
    if (!is_one_of(field->types, args[0])) return field_missing(call.who(), time.type, field->name);
    const std::int64_t value = PTC_TRY(amount_argument(call, args, 3));
    LocalParts parts = local_parts(time);
    PTC_CHECK(check_value(call.who(), *field, parts, value));
    const std::int64_t more = value - field->read(parts);
    if (field->months != 0) parts.day = add_months(date_of(parts), more * field->months);
    parts.day += more * field->days;
    parts.millis += more * field->millis;
    if (field->millis == 1) parts.nanos = 0; // as Java: a count of milliseconds is all there is
    return with_parts(call.heap, time, parts, call.who());
}

// ---- Adjusters

constexpr std::string_view kPlainAdjusters[] = {"firstDayOfMonth", "lastDayOfMonth", "firstDayOfNextMonth",
                                                "firstDayOfYear",  "lastDayOfYear",  "firstDayOfNextYear"};

/// (TemporalAdjusters/firstDayOfMonth) is "firstDayOfMonth".
std::string_view member_of(const Call& call) {
    const std::string_view name = call.who();
    return name.substr(name.find('/') + 1);
}

Result<Value> call_adjuster(Call& call, Args) { return make_string(call.heap, member_of(call)); }

/// "next(MONDAY)"
Result<Value> call_weekday_adjuster(Call& call, Args args) {
    const std::size_t day = PTC_TRY(constant_argument(call, args, 1, TimeFamily::DayOfWeek));
    std::string text(member_of(call));
    text.append("(").append(names_of(TimeFamily::DayOfWeek).values[day]).append(")");
    return make_string(call.heap, text);
}

/// "dayOfWeekInMonth(2,MONDAY)"
Result<Value> adjuster_in_month(Call& call, Args args, std::int64_t which, std::size_t position) {
    const std::size_t day = PTC_TRY(constant_argument(call, args, position, TimeFamily::DayOfWeek));
    std::string text = "dayOfWeekInMonth(" + std::to_string(which) + ",";
    text.append(names_of(TimeFamily::DayOfWeek).values[day]).append(")");
    return make_string(call.heap, text);
}
Result<Value> call_first_in_month(Call& call, Args args) { return adjuster_in_month(call, args, 1, 1); }
Result<Value> call_last_in_month(Call& call, Args args) { return adjuster_in_month(call, args, -1, 1); }
Result<Value> call_day_in_month(Call& call, Args args) {
    const std::int64_t which = PTC_TRY(index_argument(call, args, 1));
    if (which < -99 || which > 99) return out_of_range(call.who(), "a month has at most five of a weekday.");
    return adjuster_in_month(call, args, which, 2);
}

/// What stands between the brackets of an adjuster: a number, if there is one, and a weekday from 0.
bool read_weekday(std::string_view text, std::int64_t* which, std::int64_t* weekday) {
    const std::size_t comma = text.find(',');
    if (comma != std::string_view::npos) {
        const bool is_below = text.starts_with('-');
        *which = 0;
        for (const char c : text.substr(is_below ? 1 : 0, comma - (is_below ? 1 : 0))) {
            if (c < '0' || c > '9' || *which > 99) return false;
            *which = *which * 10 + (c - '0');
        }
        if (is_below) *which = -*which;
        text.remove_prefix(comma + 1);
    }
    const auto& days = names_of(TimeFamily::DayOfWeek).values;
    const auto found = std::find(days.begin(), days.end(), text);
    *weekday = found - days.begin();
    return found != days.end();
}

/// As Java: the first is 1, the last -1.
std::int64_t day_in_month(const LocalParts& t, std::int64_t which, std::int64_t weekday) {
    if (which >= 0) {
        const std::int64_t first = first_of_month(t);
        return first + (weekday - place_in_week(first, 0) + 7) % 7 + (which - 1) * 7;
    }
    const std::int64_t last = first_of_month(t) + length_of_month(t) - 1;
    return last - (place_in_week(last, 0) - weekday + 7) % 7 + (which + 1) * 7;
}

/// The day that an adjuster gives for another one; false for a text that is no adjuster.
bool adjusted_day(std::string_view adjuster, const LocalParts& t, std::int64_t* day) {
    const std::int64_t month = months_since_0(t), year = year_of(t);
    const std::int64_t days[] = {
        first_of_month(t), first_day_of_month(month + 1) - 1,      first_day_of_month(month + 1),
        first_of_year(t),  first_day_of_month(year * 12 + 12) - 1, first_day_of_month(year * 12 + 12)};
    static_assert(std::size(days) == std::size(kPlainAdjusters));
    const auto* const plain = std::find(std::begin(kPlainAdjusters), std::end(kPlainAdjusters), adjuster);
    if (plain != std::end(kPlainAdjusters)) {
        *day = days[plain - std::begin(kPlainAdjusters)];
        return true;
    }
    const std::size_t bracket = adjuster.find('(');
    std::int64_t which = 0, weekday = 0;
    if (bracket == std::string_view::npos || !adjuster.ends_with(')') ||
        !read_weekday(adjuster.substr(bracket + 1, adjuster.size() - bracket - 2), &which, &weekday))
        return false;
    const std::string_view name = adjuster.substr(0, bracket);
    const std::int64_t ahead = (weekday - place_in_week(t.day, 0) + 7) % 7, behind = (7 - ahead) % 7;
    if (name == "next")
        *day = t.day + (ahead == 0 ? 7 : ahead);
    else if (name == "nextOrSame")
        *day = t.day + ahead;
    else if (name == "previous")
        *day = t.day - (behind == 0 ? 7 : behind);
    else if (name == "previousOrSame")
        *day = t.day - behind;
    else if (name == "dayOfWeekInMonth")
        *day = day_in_month(t, which, weekday);
    else
        return false;
    return true;
}

Error no_adjuster(const Call& call, Args args) {
    return argument_error(call, args, 2, "an adjuster like (TemporalAdjusters/firstDayOfMonth), or a date or weekday")
        .with_hint("(.with date ChronoField/DAY_OF_MONTH 1) changes a field.");
}

/// A constant adjusts, and so does a time to what it has of another one.
Result<LocalParts> adjusted(Call& call, Args args, const TimeObject& time) {
    LocalParts parts = local_parts(time);
    const Value& by = args[1];
    const bool is_dated = is_one_of(kDated, args[0]);
    if (by.is(ObjectType::TimeConstant) && as_time(by).a == static_cast<std::int64_t>(TimeFamily::Month)) {
        if (!is_one_of(kWithMonth, args[0])) return field_missing(call.who(), time.type, "MonthOfYear");
        parts.day = add_months(date_of(parts), as_time(by).b + 1 - month_of(parts));
    } else if (by.is(ObjectType::TimeConstant) && as_time(by).a == static_cast<std::int64_t>(TimeFamily::DayOfWeek)) {
        if (!is_dated) return field_missing(call.who(), time.type, "DayOfWeek");
        parts.day += as_time(by).b + 1 - weekday_of(parts);
    } else if (by.is(ObjectType::LocalDate)) {
        if (!is_dated) return field_missing(call.who(), time.type, "EpochDay");
        parts.day = as_time(by).a;
    } else if (by.is(ObjectType::YearMonth)) {
        if (!is_one_of(kWithMonth, args[0])) return field_missing(call.who(), time.type, "ProlepticMonth");
        parts.day = add_months(date_of(parts), as_time(by).a - months_since_0(parts));
    } else if (by.is(ObjectType::LocalTime)) {
        if (!is_one_of(kWithHour, args[0])) return field_missing(call.who(), time.type, "NanoOfDay");
        parts.millis = as_time(by).a;
        parts.nanos = as_time(by).b;
    } else if (by.is_string()) {
        std::int64_t day = 0;
        if (!is_dated) return field_missing(call.who(), time.type, "EpochDay");
        if (!adjusted_day(text_of(by), parts, &day)) return no_adjuster(call, args);
        parts.day = day;
    } else {
        return no_adjuster(call, args);
    }
    return parts;
}

Result<Value> call_with(Call& call, Args args) {
    if (args.size() == 3) return with_field(call, args);
    constexpr TimeTypes kTakes = kWithHour | kWithMonth;
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kTakes));
    return with_parts(call.heap, time, PTC_TRY(adjusted(call, args, time)), call.who());
}

/// The time as the adjuster gives it, which is written in front.
Result<Value> call_adjust_into(Call& call, Args args) {
    std::swap(args[0], args[1]);
    return call_with(call, args);
}

Result<Value> call_get_field(Call& call, Args args) { return field_of_time(call, args); }

/// The dates from one up to another, not included, a step apart.
Result<Value> call_dates_until(Call& call, Args args) {
    const TimeObject& first = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const TimeObject& end = *PTC_TRY(time_argument(call, args, 2, ObjectType::LocalDate));
    std::int64_t months = 0, days = 1;
    if (args.size() == 3) {
        const TimeObject& step = *PTC_TRY(time_argument(call, args, 3, ObjectType::Period));
        months = step.a;
        days = step.b;
    }
    constexpr std::int64_t kMost = kFarAway / 1200;
    const bool is_forward = months >= 0 && days >= 0 && (months != 0 || days != 0);
    if (!is_forward || months > kMost || days > kMost)
        return argument_error(call, args, 3, "a Period that leads forward");
    if (end.a < first.a) return runtime_failure(call.who(), "the end is before the start.");
    VectorBuilder dates(call.heap);
    const LocalParts start{first.a, 0, 0};
    constexpr std::int64_t kLastMonth = kFarYears * 12 + 11;
    for (std::int64_t i = 0;; ++i) {
        PTC_CHECK(charge(call, 4));
        if (months != 0 && months_since_0(start) + months * i > kLastMonth) break;
        const std::int64_t day = (months == 0 ? first.a : add_months(date_of(start), months * i)) + days * i;
        if (day >= end.a) break;
        if (!dates.push(PTC_TRY(make_local_date(call.heap, day, call.who())))) return call.heap.out_of_memory();
    }
    return dates.finish();
}

constexpr auto kTime = kinds::kTime;
constexpr auto kText = kinds::kText;

/// (TemporalAdjusters/firstDayOfMonth) and its like.
constexpr Builtin adjuster_row(const char* name, const char* usage, const char* doc, Example example,
                               NativeFunction call = call_adjuster) {
    return time_row(name, usage, doc, example, kText, call);
}

constexpr Builtin kRows[] = {
    time_row(".with", "(.with time adjuster) (.with time field n)",
             "The time as an adjuster changes it (a TemporalAdjusters function, a DayOfWeek, Month, date or time of "
             "day), or with another value of a field.",
             {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/lastDayOfMonth)))", "\"2024-02-29\""}, kTime,
             call_with),
    time_row(".adjustInto", "(.adjustInto adjuster time)", "As .with, the adjuster first.",
             {"(str (.adjustInto (TemporalAdjusters/firstDayOfMonth) (LocalDate/of 2024 2 10)))", "\"2024-02-01\""},
             kTime, call_adjust_into),
    time_row(".getLong", "(.getLong time field)", "The value of a field of a time, as .get.",
             {"(.getLong (LocalDate/of 1970 1 5) ChronoField/EPOCH_DAY)", "4"}, kinds::kNumber, call_get_field),
    [] {
        Builtin row = time_row(".datesUntil", "(.datesUntil date end-date) (.datesUntil date end-date period)",
                               "The dates from one up to, not including, another one, a day or a Period apart.",
                               {"(count (.datesUntil (LocalDate/of 2024 2 28) (LocalDate/of 2024 3 1)))", "2"},
                               kinds::kVector, call_dates_until, "A vector, not a stream.");
        row.work = Work::Items;
        row.model = BoundModel::Unknown;
        return row;
    }(),
    adjuster_row("TemporalAdjusters/firstDayOfMonth", "(TemporalAdjusters/firstDayOfMonth)",
                 "The adjuster to the first day of the month.",
                 {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/firstDayOfMonth)))", "\"2024-02-01\""}),
    adjuster_row("TemporalAdjusters/lastDayOfMonth", "(TemporalAdjusters/lastDayOfMonth)",
                 "The adjuster to the last day of the month.",
                 {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/lastDayOfMonth)))", "\"2024-02-29\""}),
    adjuster_row("TemporalAdjusters/firstDayOfNextMonth", "(TemporalAdjusters/firstDayOfNextMonth)",
                 "The adjuster to the first day of the next month.",
                 {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/firstDayOfNextMonth)))", "\"2024-03-01\""}),
    adjuster_row("TemporalAdjusters/firstDayOfYear", "(TemporalAdjusters/firstDayOfYear)",
                 "The adjuster to the first day of the year.",
                 {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/firstDayOfYear)))", "\"2024-01-01\""}),
    adjuster_row("TemporalAdjusters/lastDayOfYear", "(TemporalAdjusters/lastDayOfYear)",
                 "The adjuster to the last day of the year.",
                 {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/lastDayOfYear)))", "\"2024-12-31\""}),
    adjuster_row("TemporalAdjusters/firstDayOfNextYear", "(TemporalAdjusters/firstDayOfNextYear)",
                 "The adjuster to the first day of the next year.",
                 {"(str (.with (LocalDate/of 2024 2 10) (TemporalAdjusters/firstDayOfNextYear)))", "\"2025-01-01\""}),
    adjuster_row("TemporalAdjusters/next", "(TemporalAdjusters/next x)",
                 "The adjuster to the next date that is a certain DayOfWeek.",
                 {"(str (.with (LocalDate/of 2024 2 12) (TemporalAdjusters/next DayOfWeek/MONDAY)))", "\"2024-02-19\""},
                 call_weekday_adjuster),
    adjuster_row(
        "TemporalAdjusters/nextOrSame", "(TemporalAdjusters/nextOrSame x)",
        "The adjuster to the same date if it is a certain DayOfWeek, else to the next that is.",
        {"(str (.with (LocalDate/of 2024 2 12) (TemporalAdjusters/nextOrSame DayOfWeek/MONDAY)))", "\"2024-02-12\""},
        call_weekday_adjuster),
    adjuster_row(
        "TemporalAdjusters/previous", "(TemporalAdjusters/previous x)",
        "The adjuster to the date before that is a certain DayOfWeek.",
        {"(str (.with (LocalDate/of 2024 2 12) (TemporalAdjusters/previous DayOfWeek/MONDAY)))", "\"2024-02-05\""},
        call_weekday_adjuster),
    adjuster_row("TemporalAdjusters/previousOrSame", "(TemporalAdjusters/previousOrSame x)",
                 "The adjuster to the same date if it is a certain DayOfWeek, else to the one before that is.",
                 {"(str (.with (LocalDate/of 2024 2 15) (TemporalAdjusters/previousOrSame DayOfWeek/MONDAY)))",
                  "\"2024-02-12\""},
                 call_weekday_adjuster),
    adjuster_row(
        "TemporalAdjusters/firstInMonth", "(TemporalAdjusters/firstInMonth x)",
        "The adjuster to the first of a DayOfWeek in the month.",
        {"(str (.with (LocalDate/of 2024 2 15) (TemporalAdjusters/firstInMonth DayOfWeek/MONDAY)))", "\"2024-02-05\""},
        call_first_in_month),
    adjuster_row(
        "TemporalAdjusters/lastInMonth", "(TemporalAdjusters/lastInMonth x)",
        "The adjuster to the last of a DayOfWeek in the month.",
        {"(str (.with (LocalDate/of 2024 2 15) (TemporalAdjusters/lastInMonth DayOfWeek/MONDAY)))", "\"2024-02-26\""},
        call_last_in_month),
    adjuster_row("TemporalAdjusters/dayOfWeekInMonth", "(TemporalAdjusters/dayOfWeekInMonth n x)",
                 "The adjuster to the n-th of a DayOfWeek in the month; counted from its end when n is below 0.",
                 {"(str (.with (LocalDate/of 2024 2 15) (TemporalAdjusters/dayOfWeekInMonth 2 DayOfWeek/MONDAY)))",
                  "\"2024-02-12\""},
                 call_day_in_month),
    adjuster_row(".weekOfWeekBasedYear", "(.weekOfWeekBasedYear x)",
                 "The field for the number of the week in its year, of WeekFields/ISO or SUNDAY_START.",
                 {"(.get (LocalDate/of 2024 12 30) (.weekOfWeekBasedYear WeekFields/ISO))", "1"}, call_week_field),
    adjuster_row(".weekBasedYear", "(.weekBasedYear x)", "The field for the year that a week belongs to.",
                 {"(.get (LocalDate/of 2024 12 30) (.weekBasedYear WeekFields/ISO))", "2025"}, call_week_field),
    adjuster_row(".weekOfYear", "(.weekOfYear x)",
                 "The field for the number of the week, counted within the calendar's year.",
                 {"(.get (LocalDate/of 2024 12 30) (.weekOfYear WeekFields/ISO))", "53"}, call_week_field),
    adjuster_row(".weekOfMonth", "(.weekOfMonth x)", "The field for the number of the week in its month.",
                 {"(.get (LocalDate/of 2024 2 29) (.weekOfMonth WeekFields/ISO))", "5"}, call_week_field),
    adjuster_row(".dayOfWeek", "(.dayOfWeek x)", "The field for the place of a day in the week, from 1.",
                 {"(.get (LocalDate/of 2024 2 29) (.dayOfWeek WeekFields/SUNDAY_START))", "5"}, call_week_field),
};

} // namespace

Result<Value> field_of_time(Call& call, Args args) {
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kOnLine));
    if (!args[1].is_string()) return no_field(call, args, 2);
    const std::string_view name = text_of(args[1]);
    const bool is_zoned = time.type == ObjectType::ZonedDateTime;
    if (name == kInstantSeconds && (is_zoned || time.type == ObjectType::Instant))
        return make_integer(call.heap, floor_div(time.a, kMillisPerSecond));
    if (name == kOffsetSeconds && is_zoned) return make_integer(call.heap, offset_minutes_of(zone_of(time)) * 60);
    const LocalParts parts = local_parts(time);
    if (const Field* field = find_field(name)) {
        if (!is_one_of(field->types, args[0])) return field_missing(call.who(), time.type, name);
        return make_integer(call.heap, field->read(parts));
    }
    std::int64_t value = 0;
    if (!read_week_field(name, parts.day, &value)) return no_field(call, args, 2);
    if (!is_one_of(kDated, args[0])) return field_missing(call.who(), time.type, name);
    return make_integer(call.heap, value);
}

std::span<const Builtin> time_adjusting_builtins() { return kRows; }

} // namespace ptc
