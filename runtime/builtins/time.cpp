// java.time and java.util.Date as far as programs may use them (spec 8.14). A Date is an Instant; all clocks are UTC.
#include "runtime/time.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_fields.h"
#include "runtime/number.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kMillisPerSecond = 1000;
constexpr std::int64_t kMillisPerMinute = 60 * kMillisPerSecond;
constexpr std::int64_t kMillisPerHour = 60 * kMillisPerMinute;
constexpr std::int64_t kMillisPerDay = 24 * kMillisPerHour;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
/// More days, months or seconds than any representable time is away.
constexpr std::int64_t kFarAway = std::int64_t{1} << 40;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// ---- arguments

const char* how_to_make(ObjectType type) {
    switch (type) {
    case ObjectType::LocalDate: return "(LocalDate/parse \"2024-01-31\") makes one.";
    case ObjectType::Instant: return "(Instant/parse \"2024-01-31T10:00:00Z\") makes one.";
    case ObjectType::Duration: return "(Duration/between start end) makes one of two instants.";
    default: return "(Period/between start end) makes one of two dates.";
    }
}

const char* class_name(ObjectType type) {
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
    Error error = argument_error(call, args, position, class_name(type));
    return std::move(error).with_hint(how_to_make(type));
}

/// How many days, months or seconds: any number, as Java's `long` parameters take it (GAP-J12), cut back to what is out
/// of range anyway.
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

// ---- making

/// An ISO time with a zone or offset: Java's Instant.parse wants one (GAP-J06).
bool names_a_zone(std::string_view text) {
    std::size_t time = text.find('T');
    return time != std::string_view::npos && text.find_first_of("Z+-", time) != std::string_view::npos;
}

Result<Value> call_instant_parse(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::Instant && names_a_zone(text))
        return make_instant(call.heap, parsed.a, parsed.b, call.who());
    Error error = unreadable_text(call.who(), "an instant like 2024-01-31T10:00:00Z", text);
    if (parsed.kind == ParsedTime::Kind::Instant)
        return std::move(error).with_hint("Without an offset, write (parse s), which takes it as UTC.");
    if (parsed.kind == ParsedTime::Kind::Date)
        return std::move(error).with_hint("For a date without a time write (LocalDate/parse s).");
    return error;
}

Result<Value> call_local_date_parse(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::Date) return make_local_date(call.heap, parsed.a, call.who());
    Error error = unreadable_text(call.who(), "a date like 2024-01-31", text);
    if (parsed.kind != ParsedTime::Kind::Instant) return error;
    return std::move(error).with_hint(
        "For a date with a time write (Instant/parse s); (subs s 0 10) is the date alone.");
}

Result<Value> call_parse(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::None) {
        return unreadable_text(call.who(), "a date or time like 2024-01-31 or 2024-01-31T10:00:00Z", text);
    }
    return make_parsed_time(call.heap, parsed);
}

/// "Thu Jan 01 00:00:01 UTC 1970", as Java prints a Date (GAP-J11), put in the order of RFC 2822.
ParsedTime parse_java_date(std::string_view text) {
    std::array<std::string_view, 6> words;
    for (std::string_view& word : words) {
        std::size_t end = std::min(text.find(' '), text.size());
        word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!text.empty()) return {};
    auto [weekday, month, day, time, zone, year] = words;
    std::string reordered;
    for (std::string_view word : {day, month, year, time})
        reordered.append(word).append(" ");
    return parse_rfc2822(reordered.append(zone));
}

Result<Value> call_date(Call& call, Args args) {
    if (args.empty()) return make_instant(call.heap, call.host.now_millis(), 0, call.who());
    Value& argument = args[0];
    if (argument.is(ObjectType::Instant)) return std::move(argument);
    if (argument.is(ObjectType::LocalDate))
        return make_instant(call.heap, as_time(argument).a * kMillisPerDay, 0, call.who());
    if (argument.is_integer())
        return make_instant(call.heap, PTC_TRY(index_argument(call, args, 1)), 0, call.who()); // GAP-J03
    if (!argument.is_string()) return argument_error(call, args, 1, "a text, milliseconds since 1970 or a date");
    std::string_view text = text_of(argument);
    ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::Date) parsed = {ParsedTime::Kind::Instant, parsed.a * kMillisPerDay, 0};
    if (parsed.kind == ParsedTime::Kind::None) parsed = parse_rfc2822(text);
    if (parsed.kind == ParsedTime::Kind::None) parsed = parse_java_date(text);
    if (parsed.kind == ParsedTime::Kind::None) {
        return unreadable_text(call.who(), "a time like 2024-01-31T10:00:00Z or Wed, 31 Jan 2024 10:00:00 +0000", text);
    }
    return make_instant(call.heap, parsed.a, parsed.b, call.who());
}

Result<Value> call_instant_now(Call& call, Args) {
    return make_instant(call.heap, call.host.now_millis(), 0, call.who());
}

Result<Value> call_local_date_now(Call& call, Args) {
    return make_local_date(call.heap, floor_div(call.host.now_millis(), kMillisPerDay), call.who());
}

Result<Value> call_local_date_of(Call& call, Args args) {
    std::int64_t year = PTC_TRY(amount_argument(call, args, 1));
    std::int64_t month = PTC_TRY(amount_argument(call, args, 2));
    std::int64_t day = PTC_TRY(amount_argument(call, args, 3));
    bool in_range = std::abs(year) <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
    year_month_day date(std::chrono::year(static_cast<int>(in_range ? year : 0)),
                        std::chrono::month(static_cast<unsigned>(in_range ? month : 0)),
                        std::chrono::day(static_cast<unsigned>(in_range ? day : 0)));
    if (!in_range || !date.ok()) return no_such_date(call.who(), year, month, day);
    return make_local_date(call.heap, sys_days(date).time_since_epoch().count(), call.who());
}

Result<Value> call_of_epoch_day(Call& call, Args args) {
    return make_local_date(call.heap, PTC_TRY(amount_argument(call, args, 1)), call.who());
}

/// An Instant of a count of units of `Millis` milliseconds.
template <std::int64_t Millis> Result<Value> call_of_epoch(Call& call, Args args) {
    if (!args[0].is_integer()) return argument_error(call, args, 1, "an integer");
    std::int64_t count = PTC_TRY(index_argument(call, args, 1));
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / Millis;
    return make_instant(call.heap, std::clamp(count, -kMost, kMost) * Millis, 0, call.who());
}

template <std::int64_t Millis> Result<Value> call_duration_of(Call& call, Args args) {
    std::int64_t count = PTC_TRY(index_argument(call, args, 1));
    std::int64_t millis = 0;
    if (__builtin_mul_overflow(count, Millis, &millis)) return out_of_range(call.who(), "the duration is too long.");
    return make_duration(call.heap, millis);
}

Result<Value> call_duration_between(Call& call, Args args) {
    PTC_CHECK(time_argument(call, args, 1, ObjectType::Instant));
    PTC_CHECK(time_argument(call, args, 2, ObjectType::Instant));
    return duration_between(call.heap, args[0], args[1]);
}

/// "P1Y2M3W4DT5H6M7.5S": each part a sign, digits and a letter, in this order, none twice, one at least.
class IsoPeriodReader {
public:
    explicit IsoPeriodReader(std::string_view text) : text_(text) {}
    /// Reads everything; `units` are the letters that are allowed, with a T before those of the time.
    bool read(std::string_view units) {
        bool negative = accept('-');
        if (!negative) accept('+');
        if (!accept('P')) return false;
        std::size_t unit = 0;
        while (!text_.empty()) {
            if (accept('T')) {
                std::size_t time = units.find('T', unit);
                if (time == std::string_view::npos || text_.empty()) return false;
                unit = time + 1;
            }
            if (!read_part(units, unit)) return false;
        }
        if (negative) {
            for (std::int64_t& count : counts_)
                count = -count;
            nanos_ = -nanos_;
        }
        return has_part_;
    }
    /// The count of the unit at `index` of `units`.
    [[nodiscard]] std::int64_t count(std::size_t index) const { return counts_[index]; }
    [[nodiscard]] std::int64_t nanos() const { return nanos_; } ///< of the fraction of the seconds

private:
    static constexpr std::int64_t kMostCount = 10'000'000'000;
    bool accept(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::optional<std::int64_t> digits() {
        if (text_.empty() || text_.front() < '0' || text_.front() > '9') return std::nullopt;
        std::int64_t value = 0;
        for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1)) {
            value = value * 10 + (text_.front() - '0');
            if (value > kMostCount) return std::nullopt;
        }
        return value;
    }
    bool read_part(std::string_view units, std::size_t& unit) {
        std::int64_t sign = accept('-') ? -1 : 1;
        if (sign > 0) accept('+');
        auto value = digits();
        if (!value) return false;
        std::int64_t nanos = 0;
        if (accept('.')) {
            for (std::int64_t place = 100'000'000; !text_.empty() && text_.front() >= '0' && text_.front() <= '9';
                 place /= 10) {
                nanos += (text_.front() - '0') * place;
                text_.remove_prefix(1);
            }
            if (text_.empty() || text_.front() != 'S') return false;
        }
        if (text_.empty() || text_.front() == 'T') return false;
        // A letter before the next T only: minutes are not months.
        std::size_t found = units.find(text_.front(), unit);
        if (found == std::string_view::npos || units.substr(unit, found - unit).find('T') != std::string_view::npos)
            return false;
        text_.remove_prefix(1);
        counts_[found] = sign * *value;
        nanos_ += sign * nanos;
        unit = found + 1;
        has_part_ = true;
        return true;
    }

    std::string_view text_;
    std::array<std::int64_t, 8> counts_{};
    std::int64_t nanos_ = 0;
    bool has_part_ = false;
};

Result<Value> call_duration_parse(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    IsoPeriodReader reader(text);
    if (!reader.read("DTHMS")) return unreadable_text(call.who(), "a duration like PT1H30M or P2DT3H", text);
    std::int64_t millis = reader.count(0) * kMillisPerDay + reader.count(2) * kMillisPerHour +
                          reader.count(3) * kMillisPerMinute + reader.count(4) * kMillisPerSecond;
    std::int64_t whole = floor_div(reader.nanos(), kNanosPerMilli);
    return make_duration(call.heap, millis + whole, reader.nanos() - whole * kNanosPerMilli);
}

Result<Value> call_period_parse(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    IsoPeriodReader reader(text);
    if (!reader.read("YMWD")) return unreadable_text(call.who(), "a period like P1Y2M3D or P2W", text);
    return make_period(call.heap, reader.count(0) * 12 + reader.count(1), reader.count(2) * 7 + reader.count(3));
}

Result<Value> call_period_of_days(Call& call, Args args) {
    return make_period(call.heap, 0, PTC_TRY(amount_argument(call, args, 1)));
}

/// `day` in the month `months` later; the last of the month when it has no such day.
std::int64_t add_months(const year_month_day& day, std::int64_t months) {
    std::int64_t month = month_number(day) + months;
    year_month_day target(std::chrono::year(static_cast<int>(floor_div(month, 12))),
                          std::chrono::month(static_cast<unsigned>(month - floor_div(month, 12) * 12) + 1),
                          std::chrono::day(1));
    std::int64_t in_month = std::min<std::int64_t>(static_cast<unsigned>(day.day()), last_day_of(target));
    return sys_days(target).time_since_epoch().count() + in_month - 1;
}

// As Java's Period.between: whole months from start, then the days that are left, both of one sign.
Result<Value> call_period_between(Call& call, Args args) {
    const TimeObject& start = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const TimeObject& end = *PTC_TRY(time_argument(call, args, 2, ObjectType::LocalDate));
    year_month_day first = calendar_day(start);
    year_month_day last = calendar_day(end);
    std::int64_t months = month_number(last) - month_number(first);
    auto days = static_cast<std::int64_t>(static_cast<unsigned>(last.day())) -
                static_cast<std::int64_t>(static_cast<unsigned>(first.day()));
    if (months > 0 && days < 0) {
        --months;
        days = end.a - add_months(first, months);
    } else if (months < 0 && days > 0) {
        ++months;
        days -= last_day_of(last);
    }
    return make_period(call.heap, months, days);
}

// ---- reading and moving

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
std::int64_t day_of_year(const TimeObject& t) {
    return t.a -
           sys_days(year_month_day(calendar_day(t).year(), std::chrono::January, std::chrono::day(1)))
               .time_since_epoch()
               .count() +
           1;
}
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
        if (!is_time(b)) return argument_error(call, args, 2, class_name(a.type()));
        return mixed_times(call.who(), class_name(a.type()), class_name(b.type()));
    }
    const TimeObject& x = as_time(a);
    const TimeObject& y = as_time(b);
    if (x.a != y.a) return x.a < y.a ? -1 : 1;
    return x.b == y.b ? 0 : x.b < y.b ? -1 : 1;
}

Result<Value> call_is_before(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) < 0); }
Result<Value> call_is_after(Call& call, Args args) { return Value::boolean(PTC_TRY(compare_times(call, args)) > 0); }

constexpr auto kDate = ObjectType::LocalDate;
constexpr auto kInstant = ObjectType::Instant;
constexpr auto kDuration = ObjectType::Duration;
constexpr auto kPeriod = ObjectType::Period;

constexpr Builtin kRows[] = {
    {.name = "parse",
     .usage = "(parse s)",
     .doc = "The date of \"2024-01-31\", or the instant of a text with a time; UTC when it has no offset.",
     .example = {"(str (parse \"2024-01-31T10:00:00\"))", "\"2024-01-31T10:00:00Z\""},
     .category = Category::Interop,
     .call = call_parse,
     .differs = "Not in Clojure."},
    {.name = "LocalDate/parse",
     .usage = "(LocalDate/parse s)",
     .doc = "The date of a text like \"2024-01-31\"; an error for any other text.",
     .example = {"(str (LocalDate/parse \"2024-02-29\"))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_local_date_parse},
    {.name = "LocalDate/of",
     .usage = "(LocalDate/of year month day)",
     .doc = "The date of a year, month (1 to 12) and day.",
     .example = {"(str (LocalDate/of 2024 2 29))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_local_date_of},
    {.name = "LocalDate/ofEpochDay",
     .usage = "(LocalDate/ofEpochDay n)",
     .doc = "The date n days after 1970-01-01.",
     .example = {"(str (LocalDate/ofEpochDay 19782))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_of_epoch_day},
    {.name = "LocalDate/now",
     .usage = "(LocalDate/now)",
     .doc = "Today's date, in UTC.",
     .example = {"(.isAfter (LocalDate/now) (LocalDate/of 2000 1 1))", "true"},
     .category = Category::Interop,
     .call = call_local_date_now,
     .pure = false},
    {.name = "Instant/parse",
     .usage = "(Instant/parse s)",
     .doc = "The instant of a text like \"2024-01-31T10:00:00Z\", with Z or an offset.",
     .example = {"(str (Instant/parse \"2024-01-02T03:04:05+02:00\"))", "\"2024-01-02T01:04:05Z\""},
     .category = Category::Interop,
     .call = call_instant_parse},
    {.name = "Instant/now",
     .usage = "(Instant/now)",
     .doc = "The current instant.",
     .example = {"(pos? (.toEpochMilli (Instant/now)))", "true"},
     .category = Category::Interop,
     .call = call_instant_now,
     .pure = false},
    {.name = "Instant/ofEpochMilli",
     .usage = "(Instant/ofEpochMilli n)",
     .doc = "The instant n milliseconds after 1970-01-01T00:00Z.",
     .example = {"(str (Instant/ofEpochMilli 1500))", "\"1970-01-01T00:00:01.500Z\""},
     .category = Category::Interop,
     .call = call_of_epoch<1>},
    {.name = "Instant/ofEpochSecond",
     .usage = "(Instant/ofEpochSecond n)",
     .doc = "The instant n seconds after 1970-01-01T00:00Z.",
     .example = {"(str (Instant/ofEpochSecond 2))", "\"1970-01-01T00:00:02Z\""},
     .category = Category::Interop,
     .call = call_of_epoch<1000>},
    {.name = "java.util.Date.",
     .usage = "(java.util.Date.) (java.util.Date. x)",
     .doc = "The current instant, or that of milliseconds since 1970, an ISO-8601 or RFC 2822 text, a date (midnight "
            "UTC) or an instant.",
     .example = {"(.getTime (java.util.Date. \"1970-01-01T00:00:02Z\"))", "2000"},
     .category = Category::Interop,
     .call = call_date,
     .pure = false,
     .differs = "Gives an Instant; ISO-8601 texts are read too."},
    {.name = "Duration/between",
     .usage = "(Duration/between start end)",
     .doc = "The length of time from one instant to another.",
     .example = {"(.toDays (Duration/between (Instant/parse \"2024-01-01T00:00:00Z\") (Instant/parse "
                 "\"2024-01-03T12:00:00Z\")))",
                 "2"},
     .category = Category::Interop,
     .call = call_duration_between},
    {.name = "Duration/parse",
     .usage = "(Duration/parse s)",
     .doc = "The duration of a text like \"PT1H30M\".",
     .example = {"(.toMinutes (Duration/parse \"PT1H30M\"))", "90"},
     .category = Category::Interop,
     .call = call_duration_parse},
    {.name = "Duration/ofDays",
     .usage = "(Duration/ofDays n)",
     .doc = "A duration of n days of 24 hours.",
     .example = {"(.toHours (Duration/ofDays 2))", "48"},
     .category = Category::Interop,
     .call = call_duration_of<kMillisPerDay>},
    {.name = "Duration/ofHours",
     .usage = "(Duration/ofHours n)",
     .doc = "A duration of n hours.",
     .example = {"(.toMinutes (Duration/ofHours 2))", "120"},
     .category = Category::Interop,
     .call = call_duration_of<kMillisPerHour>},
    {.name = "Duration/ofMinutes",
     .usage = "(Duration/ofMinutes n)",
     .doc = "A duration of n minutes.",
     .example = {"(.toMillis (Duration/ofMinutes 2))", "120000"},
     .category = Category::Interop,
     .call = call_duration_of<kMillisPerMinute>},
    {.name = "Duration/ofSeconds",
     .usage = "(Duration/ofSeconds n)",
     .doc = "A duration of n seconds.",
     .example = {"(.toMillis (Duration/ofSeconds 2))", "2000"},
     .category = Category::Interop,
     .call = call_duration_of<kMillisPerSecond>},
    {.name = "Duration/ofMillis",
     .usage = "(Duration/ofMillis n)",
     .doc = "A duration of n milliseconds.",
     .example = {"(str (Duration/ofMillis 1500))", "\"#duration[1500ms]\""},
     .category = Category::Interop,
     .call = call_duration_of<1>},
    {.name = "Period/between",
     .usage = "(Period/between start end)",
     .doc = "The years, months and days from one date to another.",
     .example = {"(str (Period/between (LocalDate/of 2024 1 31) (LocalDate/of 2025 3 1)))", "\"P1Y1M1D\""},
     .category = Category::Interop,
     .call = call_period_between},
    {.name = "Period/ofDays",
     .usage = "(Period/ofDays n)",
     .doc = "A period of n days.",
     .example = {"(str (Period/ofDays 3))", "\"P3D\""},
     .category = Category::Interop,
     .call = call_period_of_days},
    {.name = "Period/parse",
     .usage = "(Period/parse s)",
     .doc = "The period of a text like \"P1Y2M3D\".",
     .example = {"(.getMonths (Period/parse \"P1Y2M3D\"))", "2"},
     .category = Category::Interop,
     .call = call_period_parse},

    {.name = ".getTime",
     .usage = "(.getTime instant)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(.getTime (java.util.Date. 1500))", "1500"},
     .category = Category::Interop,
     .call = call_read<kInstant, millis_of>},
    {.name = ".toEpochMilli",
     .usage = "(.toEpochMilli instant)",
     .doc = "Milliseconds since 1970-01-01T00:00Z.",
     .example = {"(.toEpochMilli (Instant/parse \"1970-01-01T00:00:01Z\"))", "1000"},
     .category = Category::Interop,
     .call = call_read<kInstant, millis_of>},
    {.name = ".getEpochSecond",
     .usage = "(.getEpochSecond instant)",
     .doc = "Whole seconds since 1970-01-01T00:00Z.",
     .example = {"(.getEpochSecond (Instant/ofEpochMilli 1500))", "1"},
     .category = Category::Interop,
     .call = call_read<kInstant, seconds_of_instant>},
    {.name = ".plusMillis",
     .usage = "(.plusMillis instant n)",
     .doc = "The instant n milliseconds later.",
     .example = {"(.toEpochMilli (.plusMillis (Instant/ofEpochMilli 1) 2))", "3"},
     .category = Category::Interop,
     .call = call_plus_millis<1>},
    {.name = ".plusSeconds",
     .usage = "(.plusSeconds instant n)",
     .doc = "The instant n seconds later.",
     .example = {"(.toEpochMilli (.plusSeconds (Instant/ofEpochMilli 1) 2))", "2001"},
     .category = Category::Interop,
     .call = call_plus_millis<1000>},
    {.name = ".minusSeconds",
     .usage = "(.minusSeconds instant n)",
     .doc = "The instant n seconds earlier.",
     .example = {"(.toEpochMilli (.minusSeconds (Instant/ofEpochMilli 1) 2))", "-1999"},
     .category = Category::Interop,
     .call = call_plus_millis<-1000>},
    {.name = ".isBefore",
     .usage = "(.isBefore a b)",
     .doc = "True if the date or instant a is before b, which is of the same kind.",
     .example = {"(.isBefore (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 2))", "true"},
     .category = Category::Interop,
     .call = call_is_before},
    {.name = ".isAfter",
     .usage = "(.isAfter a b)",
     .doc = "True if the date or instant a is after b, which is of the same kind.",
     .example = {"(.isAfter (LocalDate/of 2024 1 1) (LocalDate/of 2024 1 2))", "false"},
     .category = Category::Interop,
     .call = call_is_after},

    {.name = ".toEpochDay",
     .usage = "(.toEpochDay date)",
     .doc = "Days since 1970-01-01; subtract two to count the days between dates.",
     .example = {"(.toEpochDay (LocalDate/of 1970 1 2))", "1"},
     .category = Category::Interop,
     .call = call_read<kDate, days_of>},
    {.name = ".getYear",
     .usage = "(.getYear date)",
     .doc = "The year of a date.",
     .example = {"(.getYear (LocalDate/of 2024 2 29))", "2024"},
     .category = Category::Interop,
     .call = call_read<kDate, year_of>},
    {.name = ".getMonthValue",
     .usage = "(.getMonthValue date)",
     .doc = "The month of a date, 1 to 12.",
     .example = {"(.getMonthValue (LocalDate/of 2024 2 29))", "2"},
     .category = Category::Interop,
     .call = call_read<kDate, month_of>},
    {.name = ".getDayOfMonth",
     .usage = "(.getDayOfMonth date)",
     .doc = "The day of a date in its month, 1 to 31.",
     .example = {"(.getDayOfMonth (LocalDate/of 2024 2 29))", "29"},
     .category = Category::Interop,
     .call = call_read<kDate, day_of_month>},
    {.name = ".getDayOfYear",
     .usage = "(.getDayOfYear date)",
     .doc = "The day of a date in its year, 1 to 366.",
     .example = {"(.getDayOfYear (LocalDate/of 2024 2 29))", "60"},
     .category = Category::Interop,
     .call = call_read<kDate, day_of_year>},
    {.name = ".lengthOfMonth",
     .usage = "(.lengthOfMonth date)",
     .doc = "How many days the month of a date has.",
     .example = {"(.lengthOfMonth (LocalDate/of 2024 2 1))", "29"},
     .category = Category::Interop,
     .call = call_read<kDate, length_of_month>},
    {.name = ".isLeapYear",
     .usage = "(.isLeapYear date)",
     .doc = "True if the year of a date has 366 days.",
     .example = {"(.isLeapYear (LocalDate/of 2024 1 1))", "true"},
     .category = Category::Interop,
     .call = call_is_leap_year},
    {.name = ".plusDays",
     .usage = "(.plusDays date n)",
     .doc = "The date n days later.",
     .example = {"(str (.plusDays (LocalDate/of 2024 2 28) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_plus_days<1>},
    {.name = ".minusDays",
     .usage = "(.minusDays date n)",
     .doc = "The date n days earlier.",
     .example = {"(str (.minusDays (LocalDate/of 2024 3 1) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_plus_days<-1>},
    {.name = ".plusWeeks",
     .usage = "(.plusWeeks date n)",
     .doc = "The date n weeks later.",
     .example = {"(str (.plusWeeks (LocalDate/of 2024 2 28) 1))", "\"2024-03-06\""},
     .category = Category::Interop,
     .call = call_plus_days<7>},
    {.name = ".minusWeeks",
     .usage = "(.minusWeeks date n)",
     .doc = "The date n weeks earlier.",
     .example = {"(str (.minusWeeks (LocalDate/of 2024 3 6) 1))", "\"2024-02-28\""},
     .category = Category::Interop,
     .call = call_plus_days<-7>},
    {.name = ".plusMonths",
     .usage = "(.plusMonths date n)",
     .doc = "The date n months later; the last day of a month that is too short.",
     .example = {"(str (.plusMonths (LocalDate/of 2024 1 31) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_plus_months<1>},
    {.name = ".minusMonths",
     .usage = "(.minusMonths date n)",
     .doc = "The date n months earlier; the last day of a month that is too short.",
     .example = {"(str (.minusMonths (LocalDate/of 2024 3 31) 1))", "\"2024-02-29\""},
     .category = Category::Interop,
     .call = call_plus_months<-1>},
    {.name = ".plusYears",
     .usage = "(.plusYears date n)",
     .doc = "The date n years later.",
     .example = {"(str (.plusYears (LocalDate/of 2024 2 29) 1))", "\"2025-02-28\""},
     .category = Category::Interop,
     .call = call_plus_months<12>},
    {.name = ".minusYears",
     .usage = "(.minusYears date n)",
     .doc = "The date n years earlier.",
     .example = {"(str (.minusYears (LocalDate/of 2024 2 29) 4))", "\"2020-02-29\""},
     .category = Category::Interop,
     .call = call_plus_months<-12>},

    {.name = ".toDays",
     .usage = "(.toDays duration)",
     .doc = "The whole days of a duration.",
     .example = {"(.toDays (Duration/ofHours 49))", "2"},
     .category = Category::Interop,
     .call = call_read<kDuration, length_in<kMillisPerDay>>},
    {.name = ".toHours",
     .usage = "(.toHours duration)",
     .doc = "The whole hours of a duration.",
     .example = {"(.toHours (Duration/ofMinutes 90))", "1"},
     .category = Category::Interop,
     .call = call_read<kDuration, length_in<kMillisPerHour>>},
    {.name = ".toMinutes",
     .usage = "(.toMinutes duration)",
     .doc = "The whole minutes of a duration.",
     .example = {"(.toMinutes (Duration/ofSeconds 90))", "1"},
     .category = Category::Interop,
     .call = call_read<kDuration, length_in<kMillisPerMinute>>},
    {.name = ".toSeconds",
     .usage = "(.toSeconds duration)",
     .doc = "The whole seconds of a duration.",
     .example = {"(.toSeconds (Duration/ofMillis 1500))", "1"},
     .category = Category::Interop,
     .call = call_read<kDuration, length_in<kMillisPerSecond>>},
    {.name = ".toMillis",
     .usage = "(.toMillis duration)",
     .doc = "The milliseconds of a duration.",
     .example = {"(.toMillis (Duration/ofSeconds 2))", "2000"},
     .category = Category::Interop,
     .call = call_read<kDuration, length_in<1>>},
    {.name = ".getYears",
     .usage = "(.getYears period)",
     .doc = "The years of a period, without its months and days.",
     .example = {"(.getYears (Period/parse \"P1Y2M3D\"))", "1"},
     .category = Category::Interop,
     .call = call_read<kPeriod, period_years>},
    {.name = ".getMonths",
     .usage = "(.getMonths period)",
     .doc = "The months of a period, without its years and days.",
     .example = {"(.getMonths (Period/parse \"P1Y2M3D\"))", "2"},
     .category = Category::Interop,
     .call = call_read<kPeriod, period_months>},
    {.name = ".getDays",
     .usage = "(.getDays period)",
     .doc = "The days of a period, without its years and months: not the days between two dates.",
     .example = {"(.getDays (Period/parse \"P1Y2M3D\"))", "3"},
     .category = Category::Interop,
     .call = call_read<kPeriod, period_days>},
    {.name = ".toTotalMonths",
     .usage = "(.toTotalMonths period)",
     .doc = "The years and months of a period, in months.",
     .example = {"(.toTotalMonths (Period/parse \"P1Y2M3D\"))", "14"},
     .category = Category::Interop,
     .call = call_read<kPeriod, period_total_months>},
};

constexpr std::array<const char*, 12> kMonthNames{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<const char*, 7> kDayNames{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                               "Thursday", "Friday", "Saturday"};

std::string padded(std::int64_t value, std::size_t width) {
    std::string digits = std::to_string(std::abs(value));
    return (value < 0 ? "-" : "") + std::string(digits.size() < width ? width - digits.size() : 0, '0') + digits;
}

/// The part of a day that `field` names; `*known` is cleared for a letter that names none.
std::string day_field(std::int64_t day, char field, bool* known) {
    TimeObject date{};
    date.a = day;
    year_month_day ymd = calendar_day(date);
    std::int64_t year = static_cast<int>(ymd.year());
    std::int64_t month = static_cast<unsigned>(ymd.month());
    std::int64_t in_month = static_cast<unsigned>(ymd.day());
    std::string month_name = kMonthNames[static_cast<std::size_t>(month - 1)];
    std::string day_name = kDayNames[std::chrono::weekday(sys_days(ymd)).c_encoding()];
    switch (field) {
    case 'Y': return padded(year, 4);
    case 'C': return padded(year / 100, 2);
    case 'y': return padded(std::abs(year) % 100, 2);
    case 'm': return padded(month, 2);
    case 'd': return padded(in_month, 2);
    case 'e': return padded(in_month, 1);
    case 'j': return padded(day_of_year(date), 3);
    case 'B': return month_name;
    case 'b':
    case 'h': return month_name.substr(0, 3);
    case 'A': return day_name;
    case 'a': return day_name.substr(0, 3);
    case 'F': return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(in_month, 2);
    case 'D': return padded(month, 2) + "/" + padded(in_month, 2) + "/" + padded(std::abs(year) % 100, 2);
    default: *known = false; return {};
    }
}

/// The part of an instant's time of day, or of the instant as a whole.
std::string clock_field(std::int64_t epoch_millis, std::int64_t nanos, char field, bool* known) {
    std::int64_t millis = epoch_millis - floor_div(epoch_millis, kMillisPerDay) * kMillisPerDay;
    std::int64_t hour = millis / kMillisPerHour;
    std::int64_t hour12 = (hour + 11) % 12 + 1;
    std::string minute = padded(millis / kMillisPerMinute % 60, 2);
    std::string second = padded(millis / kMillisPerSecond % 60, 2);
    switch (field) {
    case 'H': return padded(hour, 2);
    case 'k': return padded(hour, 1);
    case 'I': return padded(hour12, 2);
    case 'l': return padded(hour12, 1);
    case 'M': return minute;
    case 'S': return second;
    case 'L': return padded(millis % kMillisPerSecond, 3);
    case 'N': return padded(millis % kMillisPerSecond * kNanosPerMilli + nanos, 9);
    case 'p': return hour < 12 ? "am" : "pm";
    case 'z': return "+0000";
    case 'Z': return "UTC";
    case 's': return std::to_string(floor_div(epoch_millis, kMillisPerSecond));
    case 'Q': return std::to_string(epoch_millis);
    case 'R': return padded(hour, 2) + ":" + minute;
    case 'T': return padded(hour, 2) + ":" + minute + ":" + second;
    case 'r': return padded(hour12, 2) + ":" + minute + ":" + second + (hour < 12 ? " AM" : " PM");
    default: *known = false; return {};
    }
}

} // namespace

std::string time_field(const Value& time, char field, bool* known) {
    *known = true;
    bool is_date = time.is(ObjectType::LocalDate);
    std::int64_t millis = is_date                        ? as_time(time).a * kMillisPerDay
                          : time.is(ObjectType::Instant) ? as_time(time).a
                                                         : time.small_integer();
    std::int64_t nanos = time.is(ObjectType::Instant) ? as_time(time).b : 0;
    if (field == 'c') { // Thu Jan 01 00:00:01 UTC 1970
        if (is_date) return {};
        auto part = [&](char f) { return time_field(time, f, known); };
        return part('a') + " " + part('b') + " " + part('d') + " " + part('T') + " UTC " + part('Y');
    }
    std::string text = day_field(floor_div(millis, kMillisPerDay), field, known);
    if (*known) return text;
    *known = true;
    text = clock_field(millis, nanos, field, known);
    return is_date ? std::string() : text;
}

std::span<const Builtin> time_builtins() { return kRows; }

} // namespace ptc
