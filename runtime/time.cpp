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

void append_instant(std::string& out, const TimeObject& instant) {
    std::int64_t day = floor_div(instant.a, kMillisPerDay);
    std::int64_t millis = instant.a - day * kMillisPerDay;
    append_day(out, day);
    out += 'T';
    append_padded(out, millis / 3'600'000, 2);
    out += ':';
    append_padded(out, millis / 60'000 % 60, 2);
    out += ':';
    append_padded(out, millis / 1000 % 60, 2);
    std::int64_t nanos = millis % 1000 * kNanosPerMilli + instant.b;
    if (nanos != 0) {
        out += '.';
        if (nanos % 1'000'000 == 0)
            append_padded(out, nanos / 1'000'000, 3);
        else if (nanos % 1000 == 0)
            append_padded(out, nanos / 1000, 6);
        else
            append_padded(out, nanos, 9);
    }
    out += 'Z';
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

Result<Value> duration_between(Heap& heap, const Value& start, const Value& end) {
    const TimeObject& from = as_time(start);
    const TimeObject& to = as_time(end);
    std::int64_t millis = to.a - from.a;
    std::int64_t nanos = to.b - from.b;
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
    case ObjectType::Instant: append_instant(out, object); break;
    case ObjectType::Period: append_period(out, object); break;
    default: out += "#duration[" + std::to_string(object.a) + "ms]"; break;
    }
}

} // namespace ptc
