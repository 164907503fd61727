// Times read, printed and calculated with; time.h says what the two numbers of each type mean. Reading takes the
// notations of ISO 8601 that java.time takes and the dates of mails (RFC 2822), and nothing else: a text that is nearly
// a date is no date. Every reading function leaves its position alone when it does not find what it looks for, so
// alternatives are tried in a row. Arithmetic that leaves the years -9999 to 9999 is an error.
#include "runtime/time.h"
#include "runtime/runtime_errors.h"
#include <array>
#include <chrono>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kMillisPerDay = 86'400'000;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr int kMaxYear = 9999;

constexpr std::int64_t day_number(int y, unsigned m, unsigned d) {
    return sys_days(year_month_day(std::chrono::year(y), std::chrono::month(m), std::chrono::day(d)))
        .time_since_epoch()
        .count();
}
constexpr std::int64_t kFirstDay = day_number(-kMaxYear, 1, 1);
constexpr std::int64_t kLastDay = day_number(kMaxYear, 12, 31);

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Result<Value> make_time(Heap& heap, ObjectType type, std::int64_t a, std::int64_t b) {
    auto* object = heap.allocate<TimeObject>(type);
    if (!object) return heap.out_of_memory();
    object->a = a;
    object->b = b;
    return heap.value_of(object);
}

// ---------------------------------------------------------------- reading

/// Reads a text from left to right; every function leaves the position alone when it gives false or -1.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
    bool accept(char c) {
        if (peek() != c || at_end()) return false;
        ++at_;
        return true;
    }
    bool accept(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    /// Between `least` and `most` digits.
    int number(std::size_t least, std::size_t most, std::size_t* length = nullptr) {
        std::size_t n = 0;
        int value = 0;
        while (n < most && at_ + n < text_.size() && text_[at_ + n] >= '0' && text_[at_ + n] <= '9') {
            value = value * 10 + (text_[at_ + n] - '0');
            ++n;
        }
        if (n < least) return -1;
        at_ += n;
        if (length) *length = n;
        return value;
    }
    int digits(std::size_t n) { return number(n, n); }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

bool read_day(Scanner& in, std::int64_t* day) {
    bool before_christ = in.accept('-');
    int y = in.digits(4);
    if (y < 0 || !in.accept('-')) return false;
    int m = in.digits(2);
    if (m < 0 || !in.accept('-')) return false;
    int d = in.digits(2);
    if (d < 0) return false;
    year_month_day date(std::chrono::year(before_christ ? -y : y), std::chrono::month(static_cast<unsigned>(m)),
                        std::chrono::day(static_cast<unsigned>(d)));
    if (!date.ok()) return false;
    *day = sys_days(date).time_since_epoch().count();
    return true;
}

struct TimeOfDay {
    std::int64_t millis = 0;
    std::int64_t nanos = 0; ///< above the milliseconds
};

bool read_fraction(Scanner& in, TimeOfDay* time) {
    std::size_t length = 0;
    int fraction = in.number(1, 9, &length);
    if (fraction < 0) return false;
    std::int64_t nanos = fraction;
    for (; length < 9; ++length)
        nanos *= 10;
    time->millis += nanos / kNanosPerMilli;
    time->nanos = nanos % kNanosPerMilli;
    return true;
}

bool read_time(Scanner& in, TimeOfDay* time) {
    int hour = in.digits(2);
    if (hour < 0 || hour > 23 || !in.accept(':')) return false;
    int minute = in.digits(2);
    if (minute < 0 || minute > 59) return false;
    int second = 0;
    if (in.accept(':')) second = in.digits(2);
    if (second < 0 || second > 59) return false;
    time->millis = ((hour * 60 + minute) * 60 + second) * std::int64_t{1000};
    if (in.accept('.') || in.accept(',')) return read_fraction(in, time);
    return true;
}

/// +02:00, +0200, +02; in minutes.
bool read_numeric_offset(Scanner& in, std::int64_t* minutes) {
    constexpr int kMaxHours = 18;
    bool west = in.peek() == '-';
    if (!in.accept('+') && !in.accept('-')) return false;
    int hour = in.digits(2);
    if (hour < 0 || hour > kMaxHours) return false;
    bool colon = in.accept(':');
    int minute = in.digits(2);
    if (minute < 0) {
        if (colon) return false;
        minute = 0;
    }
    if (minute > 59) return false;
    *minutes = (west ? -1 : 1) * (hour * 60 + minute);
    return true;
}

ParsedTime instant_of(std::int64_t day, const TimeOfDay& time, std::int64_t offset_minutes) {
    return {ParsedTime::Kind::Instant, day * kMillisPerDay + time.millis - offset_minutes * 60'000, time.nanos, true,
            offset_minutes};
}

// ---------------------------------------------------------------- writing

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
    std::string digits = std::to_string(value);
    if (digits.size() < width) out.append(width - digits.size(), '0');
    out += digits;
}

void append_day(std::string& out, std::int64_t day) {
    year_month_day date{sys_days(std::chrono::days(day))};
    int y = static_cast<int>(date.year());
    if (y < 0) out += '-';
    append_padded(out, y < 0 ? -y : y, 4);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_padded(out, static_cast<unsigned>(date.day()), 2);
}

/// Java leaves out seconds that are zero of a local time, and writes those of an instant.
enum class Seconds : std::uint8_t { Always, UnlessZero };

void append_time_of_day(std::string& out, std::int64_t millis, std::int64_t nanos_above, Seconds seconds) {
    append_padded(out, millis / 3'600'000, 2);
    out += ':';
    append_padded(out, millis / 60'000 % 60, 2);
    std::int64_t nanos = millis % 1000 * kNanosPerMilli + nanos_above;
    if (seconds == Seconds::UnlessZero && millis % 60'000 == 0 && nanos == 0) return;
    out += ':';
    append_padded(out, millis / 1000 % 60, 2);
    if (nanos == 0) return;
    out += '.';
    if (nanos % 1'000'000 == 0)
        append_padded(out, nanos / 1'000'000, 3);
    else if (nanos % 1000 == 0)
        append_padded(out, nanos / 1000, 6);
    else
        append_padded(out, nanos, 9);
}

void append_day_and_time(std::string& out, std::int64_t millis, std::int64_t nanos, Seconds seconds) {
    const std::int64_t day = floor_div(millis, kMillisPerDay);
    append_day(out, day);
    out += 'T';
    append_time_of_day(out, millis - day * kMillisPerDay, nanos, seconds);
}

void append_zoned(std::string& out, const TimeObject& zoned) {
    const std::int64_t zone = zone_of(zoned);
    const std::int64_t offset = offset_minutes_of(zone);
    append_day_and_time(out, zoned.a + offset * 60'000, zoned.b / kZones, Seconds::UnlessZero);
    if (zone == kNamedUtc) {
        out += "Z[UTC]";
    } else if (offset == 0) {
        out += 'Z';
    } else {
        out += offset < 0 ? '-' : '+';
        append_padded(out, std::abs(offset) / 60, 2);
        out += ':';
        append_padded(out, std::abs(offset) % 60, 2);
    }
}

void append_year_month(std::string& out, std::int64_t months) {
    const std::int64_t year = floor_div(months, 12);
    if (year < 0) out += '-';
    append_padded(out, std::abs(year), 4);
    out += '-';
    append_padded(out, months - year * 12 + 1, 2);
}

void append_period(std::string& out, const TimeObject& period) {
    out += 'P';
    if (period.a / 12 != 0) out += std::to_string(period.a / 12) + "Y";
    if (period.a % 12 != 0) out += std::to_string(period.a % 12) + "M";
    if (period.b != 0 || period.a == 0) out += std::to_string(period.b) + "D";
}

} // namespace

Result<Value> make_local_date(Heap& heap, std::int64_t epoch_day, const char* who) {
    if (epoch_day < kFirstDay || epoch_day > kLastDay)
        return out_of_range(who, "the date is outside of the years -9999 to 9999.");
    return make_time(heap, ObjectType::LocalDate, epoch_day, 0);
}

Result<Value> make_instant(Heap& heap, std::int64_t epoch_millis, std::int64_t nanos, const char* who) {
    std::int64_t day = floor_div(epoch_millis, kMillisPerDay);
    if (day < kFirstDay || day > kLastDay)
        return out_of_range(who, "the instant is outside of the years -9999 to 9999.");
    return make_time(heap, ObjectType::Instant, epoch_millis, nanos);
}

Result<Value> make_duration(Heap& heap, std::int64_t millis, std::int64_t nanos) {
    return make_time(heap, ObjectType::Duration, millis, nanos);
}

Result<Value> make_period(Heap& heap, std::int64_t months, std::int64_t days) {
    return make_time(heap, ObjectType::Period, months, days);
}

Result<Value> make_local_date_time(Heap& heap, std::int64_t millis, std::int64_t nanos, const char* who) {
    const std::int64_t day = floor_div(millis, kMillisPerDay);
    if (day < kFirstDay || day > kLastDay) return out_of_range(who, "the date is outside of the years -9999 to 9999.");
    return make_time(heap, ObjectType::LocalDateTime, millis, nanos);
}

Result<Value> make_local_time(Heap& heap, std::int64_t millis, std::int64_t nanos) {
    return make_time(heap, ObjectType::LocalTime, millis, nanos);
}

Result<Value> make_zoned(Heap& heap, std::int64_t millis, std::int64_t nanos, std::int64_t zone, const char* who) {
    const std::int64_t local = millis + offset_minutes_of(zone) * 60'000;
    for (const std::int64_t day : {floor_div(millis, kMillisPerDay), floor_div(local, kMillisPerDay)}) {
        if (day < kFirstDay || day > kLastDay)
            return out_of_range(who, "the date is outside of the years -9999 to 9999.");
    }
    return make_time(heap, ObjectType::ZonedDateTime, millis, nanos * kZones + zone);
}

Result<Value> make_year_month(Heap& heap, std::int64_t months, const char* who) {
    if (months < -kMaxYear * 12 || months >= (kMaxYear + 1) * 12)
        return out_of_range(who, "the month is outside of the years -9999 to 9999.");
    return make_time(heap, ObjectType::YearMonth, months, 0);
}

Result<Value> make_time_constant(Heap& heap, TimeFamily family, std::size_t index) {
    return make_time(heap, ObjectType::TimeConstant, static_cast<std::int64_t>(family),
                     static_cast<std::int64_t>(index));
}

Result<Value> make_time_of_type(Heap& heap, ObjectType type, std::int64_t a, std::int64_t b, const char* who) {
    const auto wrong = [who] { return out_of_range(who, "there is no such time."); };
    const bool are_nanos = b >= 0 && b < kNanosPerMilli;
    switch (type) {
    case ObjectType::LocalDate: return make_local_date(heap, a, who);
    case ObjectType::Period: return make_period(heap, a, b);
    case ObjectType::YearMonth: return make_year_month(heap, a, who);
    case ObjectType::Instant: return are_nanos ? make_instant(heap, a, b, who) : wrong();
    case ObjectType::Duration: return are_nanos ? make_duration(heap, a, b) : wrong();
    case ObjectType::LocalDateTime: return are_nanos ? make_local_date_time(heap, a, b, who) : wrong();
    case ObjectType::LocalTime: return are_nanos && a >= 0 && a < kMillisPerDay ? make_local_time(heap, a, b) : wrong();
    case ObjectType::ZonedDateTime: {
        const bool has_zone = b >= 0 && b / kZones < kNanosPerMilli && b % kZones <= kNamedUtc;
        return has_zone ? make_zoned(heap, a, b / kZones, b % kZones, who) : wrong();
    }
    case ObjectType::TimeConstant: {
        const bool is_family = a >= 0 && a < static_cast<std::int64_t>(kTimeFamilies);
        const auto family = static_cast<TimeFamily>(is_family ? a : 0);
        if (!is_family || b < 0 || b >= static_cast<std::int64_t>(names_of(family).values.size())) return wrong();
        return make_time_constant(heap, family, static_cast<std::size_t>(b));
    }
    default: return wrong();
    }
}

const TimeFamilyNames& names_of(TimeFamily family) {
    static constexpr const char* kDays[] = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                            "FRIDAY", "SATURDAY", "SUNDAY"};
    static constexpr const char* kMonths[] = {"JANUARY", "FEBRUARY", "MARCH",     "APRIL",   "MAY",      "JUNE",
                                              "JULY",    "AUGUST",   "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"};
    static constexpr const char* kUnits[] = {"NANOS", "MICROS", "MILLIS", "SECONDS", "MINUTES", "HOURS",    "HALF_DAYS",
                                             "DAYS",  "WEEKS",  "MONTHS", "YEARS",   "DECADES", "CENTURIES"};
    static constexpr TimeFamilyNames kFamilies[kTimeFamilies] = {
        {"DayOfWeek", kDays}, {"Month", kMonths}, {"ChronoUnit", kUnits}};
    return kFamilies[static_cast<std::size_t>(family)];
}

Result<Value> duration_between(Heap& heap, const Value& start, const Value& end) {
    const TimeObject& from = as_time(start);
    const TimeObject& to = as_time(end);
    const bool is_zoned = start.is(ObjectType::ZonedDateTime);
    std::int64_t millis = to.a - from.a;
    std::int64_t nanos = is_zoned ? to.b / kZones - from.b / kZones : to.b - from.b;
    if (nanos < 0) {
        nanos += kNanosPerMilli;
        --millis;
    }
    return make_duration(heap, millis, nanos);
}

ParsedTime parse_iso_time(std::string_view text, TimeSeparator separator) {
    Scanner in(text);
    std::int64_t day = 0;
    if (!read_day(in, &day)) return {};
    if (in.at_end()) return {ParsedTime::Kind::Date, day, 0};
    TimeOfDay time;
    const bool separated = in.accept('T') || in.accept('t') || (separator == TimeSeparator::TOrSpace && in.accept(' '));
    if (!separated || !read_time(in, &time)) return {};
    std::int64_t offset = 0;
    const bool has_offset = !in.at_end();
    if (has_offset && !in.accept('Z') && !in.accept('z') && !read_numeric_offset(in, &offset)) return {};
    if (!in.at_end()) return {};
    ParsedTime parsed = instant_of(day, time, offset);
    parsed.has_offset = has_offset;
    return parsed;
}

bool parse_time_of_day(std::string_view text, std::int64_t* millis, std::int64_t* nanos) {
    Scanner in(text);
    TimeOfDay time;
    if (!read_time(in, &time) || !in.at_end()) return false;
    *millis = time.millis;
    *nanos = time.nanos;
    return true;
}

std::int64_t parse_zone(std::string_view text) {
    if (text == "Z" || text == "z") return kNoOffset;
    if (text == "UTC" || text == "GMT" || text == "Etc/UTC") return kNamedUtc;
    Scanner in(text);
    std::int64_t minutes = 0;
    if (!read_numeric_offset(in, &minutes) || !in.at_end() || std::abs(minutes) > kNoOffset) return -1;
    return kNoOffset + minutes;
}

ParsedTime parse_rfc2822(std::string_view text) {
    static constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    static constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    Scanner in(text);
    auto accept_any = [&](auto& names) {
        for (unsigned i = 0; i < names.size(); ++i)
            if (in.accept(names[i])) return static_cast<int>(i);
        return -1;
    };
    if (accept_any(kDays) >= 0 && (!in.accept(',') || !in.accept(' '))) return {};
    int d = in.number(1, 2);
    if (d < 0 || !in.accept(' ')) return {};
    int month = accept_any(kMonths);
    if (month < 0 || !in.accept(' ')) return {};
    int y = in.digits(4);
    if (y < 0 || !in.accept(' ')) return {};
    year_month_day date(std::chrono::year(y), std::chrono::month(static_cast<unsigned>(month + 1)),
                        std::chrono::day(static_cast<unsigned>(d)));
    TimeOfDay time;
    if (!date.ok() || !read_time(in, &time)) return {};
    std::int64_t offset = 0;
    const bool has_zone = in.accept(' ');
    if (has_zone && !in.accept("GMT") && !in.accept("UTC") && !in.accept("UT") && !in.accept('Z') &&
        !read_numeric_offset(in, &offset))
        return {};
    if (!in.at_end()) return {};
    return instant_of(sys_days(date).time_since_epoch().count(), time, offset);
}

Result<Value> make_parsed_time(Heap& heap, const ParsedTime& parsed) {
    if (parsed.kind == ParsedTime::Kind::Date) return make_local_date(heap, parsed.a, "parse");
    return make_instant(heap, parsed.a, parsed.b, "parse");
}

void append_time(const Value& time, std::string& out) {
    const TimeObject& object = as_time(time);
    switch (time.type()) {
    case ObjectType::LocalDate: append_day(out, object.a); break;
    case ObjectType::Instant:
        append_day_and_time(out, object.a, object.b, Seconds::Always);
        out += 'Z';
        break;
    case ObjectType::Period: append_period(out, object); break;
    case ObjectType::LocalDateTime: append_day_and_time(out, object.a, object.b, Seconds::UnlessZero); break;
    case ObjectType::LocalTime: append_time_of_day(out, object.a, object.b, Seconds::UnlessZero); break;
    case ObjectType::ZonedDateTime: append_zoned(out, object); break;
    case ObjectType::YearMonth: append_year_month(out, object.a); break;
    case ObjectType::TimeConstant: out += time_constant_name(object); break;
    default: out += "#duration[" + std::to_string(object.a) + "ms]"; break;
    }
}

} // namespace ptc
