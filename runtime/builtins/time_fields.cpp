// The parts of a date or time by the letters of Java's %t: %tY the year, %tB the month's name. A LocalDate has the
// parts of a day only; an Instant, read in UTC, and a number of milliseconds have those of the time of day too.
#include "runtime/builtins/time_fields.h"
#include "runtime/builtins/time_arguments.h"
#include <array>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

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

} // namespace ptc
