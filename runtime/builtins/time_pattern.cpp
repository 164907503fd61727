// Patterns of DateTimeFormatter, for writing and for reading. A pattern is walked part by part: a run of one letter is
// a field, and the number of letters its width or style; the rest are texts and optional parts in brackets. Names are
// English. `~`, which people cannot write, is the fraction of a second where there is one.
#include "runtime/builtins/time_pattern.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/builtins/text_errors.h"
#include <algorithm>
#include <iterator>
#include <vector>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

struct Constant {
    std::string_view name, pattern;
};
constexpr Constant kConstants[] = {
    {"ISO_LOCAL_DATE", "uuuu-MM-dd"},
    {"ISO_DATE", "uuuu-MM-dd[XXX]"},
    {"ISO_LOCAL_TIME", "HH:mm[:ss~]"},
    {"ISO_LOCAL_DATE_TIME", "uuuu-MM-dd'T'HH:mm[:ss~]"},
    {"ISO_DATE_TIME", "uuuu-MM-dd'T'HH:mm[:ss~][XXX]"},
    {"ISO_OFFSET_DATE_TIME", "uuuu-MM-dd'T'HH:mm[:ss~]XXX"},
    {"ISO_ZONED_DATE_TIME", "uuuu-MM-dd'T'HH:mm[:ss~]XXX"},
    {"ISO_INSTANT", "uuuu-MM-dd'T'HH:mm:ss~XXX"},
    {"BASIC_ISO_DATE", "uuuuMMdd"},
    {"RFC_1123_DATE_TIME", "EEE, d MMM uuuu HH:mm:ss 'GMT'"},
};

const Constant* find_constant(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kConstants), std::end(kConstants), [&](const Constant& c) { return c.name == name; });
    return found == std::end(kConstants) ? nullptr : found;
}

/// One part of a pattern.
struct PatternPart {
    char letter = 0; ///< of a field; '[', ']' or 0 for a text
    std::size_t count = 0;
    std::string_view text; ///< as it is written out
};

class PatternReader {
public:
    explicit PatternReader(std::string_view pattern) : pattern_(pattern) {}
    [[nodiscard]] bool at_end() const { return at_ == pattern_.size(); }
    [[nodiscard]] std::size_t at() const { return at_; }
    void go_to(std::size_t at) { at_ = at; }
    /// False for a quotation without an end.
    bool next(PatternPart* part) {
        *part = {};
        const char c = pattern_[at_];
        if (c == '[' || c == ']') {
            part->letter = c;
            ++at_;
            return true;
        }
        if (c == '\'') return quoted(part);
        const std::size_t begin = at_;
        if (is_letter(c) || c == '~') {
            while (at_ < pattern_.size() && pattern_[at_] == c)
                ++at_;
            part->letter = c;
            part->count = at_ - begin;
            return true;
        }
        ++at_;
        part->text = pattern_.substr(begin, 1);
        return true;
    }
    /// Behind the bracket that ends the optional part at hand.
    void skip_optional() {
        std::size_t depth = 1;
        PatternPart part;
        while (!at_end() && depth > 0 && next(&part))
            depth += part.letter == '[' ? 1 : part.letter == ']' ? std::size_t(-1) : 0;
    }

private:
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    bool quoted(PatternPart* part) {
        if (at_ == closed_) { // 'it''s': two quotes within a quotation are one
            closed_ = std::string_view::npos;
            part->text = pattern_.substr(at_, 1);
            return true;
        }
        const std::size_t end = pattern_.find('\'', at_ + 1);
        if (end == std::string_view::npos) return false;
        const bool is_quote = end == at_ + 1; // '' is a quote itself
        part->text = is_quote ? pattern_.substr(at_, 1) : pattern_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (!is_quote) closed_ = at_;
        return true;
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    std::size_t closed_ = std::string_view::npos; ///< behind the last quotation
};

constexpr std::string_view kDateLetters = "yuMLdDEeQqwY", kClockLetters = "HkKhamsSn~", kZoneLetters = "XxZzVO";

Error malformed_pattern(const char* who, std::string_view pattern, const std::string& problem) {
    return Error(Reason::RuntimeError,
                 quoted(who) + " cannot use the pattern " + quoted_excerpt(pattern) + ": " + problem + ".")
        .with_hint(
            "Letters are y M d E a H h m s S Q w and X; other text stands between quotes: \"yyyy-MM-dd'T'HH:mm\".");
}

void append_number(std::string& out, std::int64_t value, std::size_t width) {
    const std::string digits = std::to_string(std::abs(value));
    if (value < 0) out += '-';
    if (digits.size() < width) out.append(width - digits.size(), '0');
    out += digits;
}

/// "Monday" of MONDAY, or its first letters.
std::string name_for_people(TimeFamily family, std::size_t index, std::size_t count) {
    std::string name = names_of(family).values[index];
    for (std::size_t i = 1; i < name.size(); ++i)
        name[i] = static_cast<char>(name[i] - 'A' + 'a');
    if (count <= 3) name.resize(3);
    if (count == 5) name.resize(1);
    return name;
}

/// As Java has them where people speak English: from Sunday on, and the 1st of January is in the first.
constexpr WeekRule kEnglishWeeks{6, 1};

std::size_t weekday_index(std::int64_t day) { return static_cast<std::size_t>(day + 3 - floor_div(day + 3, 7) * 7); }

void append_date_field(std::string& out, const PatternPart& part, std::int64_t day) {
    const year_month_day date{sys_days(std::chrono::days(day))};
    const std::int64_t year = static_cast<int>(date.year());
    const auto month = static_cast<std::int64_t>(static_cast<unsigned>(date.month()));
    switch (part.letter) {
    case 'y':
    case 'u':
        if (part.count == 2) return append_number(out, year - floor_div(year, 100) * 100, 2);
        return append_number(out, part.letter == 'y' && year <= 0 ? 1 - year : year, part.count);
    case 'M':
    case 'L':
        if (part.count > 2)
            out += name_for_people(TimeFamily::Month, static_cast<std::size_t>(month - 1), part.count);
        else
            append_number(out, month, part.count);
        return;
    case 'Q':
    case 'q':
        if (part.count > 2) out += 'Q';
        return append_number(out, (month + 2) / 3, part.count > 2 ? 1 : part.count);
    case 'd': return append_number(out, static_cast<unsigned>(date.day()), part.count);
    case 'D': return append_number(out, day - first_day_of_month(year * 12) + 1, part.count);
    case 'w': return append_number(out, week_of(day, kEnglishWeeks).week, part.count);
    case 'Y': {
        const std::int64_t of_week = week_of(day, kEnglishWeeks).year;
        if (part.count == 2) return append_number(out, of_week - floor_div(of_week, 100) * 100, 2);
        return append_number(out, of_week, part.count);
    }
    default: out += name_for_people(TimeFamily::DayOfWeek, weekday_index(day), part.count);
    }
}

/// Digits of the nanoseconds: so many, or those that are not zero behind a point.
void append_fraction(std::string& out, std::int64_t nanos, std::size_t digits) {
    std::string text = std::to_string(1'000'000'000 + nanos).substr(1);
    if (digits == 0) {
        text.erase(text.find_last_not_of('0') + 1);
        if (!text.empty()) out += "." + text;
        return;
    }
    text.resize(digits, '0');
    out += text;
}

void append_clock_field(std::string& out, const PatternPart& part, const LocalParts& parts) {
    const std::int64_t hour = parts.millis / kMillisPerHour;
    const std::int64_t nanos = parts.millis % kMillisPerSecond * kNanosPerMilli + parts.nanos;
    switch (part.letter) {
    case 'H': return append_number(out, hour, part.count);
    case 'k': return append_number(out, hour == 0 ? 24 : hour, part.count);
    case 'K': return append_number(out, hour % 12, part.count);
    case 'h': return append_number(out, (hour + 11) % 12 + 1, part.count);
    case 'a': out += hour < 12 ? "AM" : "PM"; return;
    case 'm': return append_number(out, parts.millis / kMillisPerMinute % 60, part.count);
    case 's': return append_number(out, parts.millis / kMillisPerSecond % 60, part.count);
    case 'n': return append_number(out, nanos, part.count);
    default: return append_fraction(out, nanos, part.letter == '~' ? 0 : part.count);
    }
}

void append_zone_field(std::string& out, const PatternPart& part, const TimeObject& time) {
    const bool is_zoned = time.type == ObjectType::ZonedDateTime;
    const std::int64_t zone = is_zoned ? zone_of(time) : kNoOffset;
    const std::int64_t minutes = offset_minutes_of(zone);
    const bool is_name = part.letter == 'z' || part.letter == 'V';
    if (is_name && zone == kNamedUtc) {
        out += "UTC";
        return;
    }
    if (minutes == 0 && (part.letter == 'X' || is_name)) {
        out += 'Z';
        return;
    }
    out += minutes < 0 ? '-' : '+';
    append_number(out, std::abs(minutes) / 60, 2);
    const bool has_colon =
        is_name || part.letter == 'O' || (part.letter == 'Z' ? part.count > 3 : part.count == 3 || part.count == 5);
    if (has_colon) out += ':';
    const bool is_short = (part.letter == 'X' || part.letter == 'x') && part.count == 1 && minutes % 60 == 0;
    if (!is_short) append_number(out, std::abs(minutes) % 60, 2);
}

bool is_in(std::string_view letters, char c) { return letters.find(c) != std::string_view::npos; }

/// Whether a time of this type has what the letter asks for.
bool has_field(ObjectType type, char letter) {
    const TimeTypes bit = types_of_time({type});
    if (is_in("yuMLQq", letter)) return (bit & kWithMonth) != 0 || type == ObjectType::Instant;
    if (is_in(kDateLetters, letter)) return (bit & kDated) != 0 || type == ObjectType::Instant;
    if (is_in(kClockLetters, letter)) return (bit & kWithHour) != 0 || type == ObjectType::Instant;
    return type == ObjectType::ZonedDateTime || type == ObjectType::Instant;
}

/// Whether all of an optional part can be written.
bool has_optional(PatternReader reader, ObjectType type) {
    PatternPart part;
    for (std::size_t depth = 0; !reader.at_end() && reader.next(&part);) {
        if (part.letter == '[')
            ++depth;
        else if (part.letter == ']' && depth-- == 0)
            return true;
        else if (part.letter != 0 && depth == 0 && part.letter != ']' && !has_field(type, part.letter))
            return false;
    }
    return true;
}

Error field_missing(const char* who, const PatternPart& part, ObjectType type) {
    const bool wants_zone = is_in(kZoneLetters, part.letter);
    const char* hint = wants_zone                      ? "(.atZone time ZoneOffset/UTC) has a zone."
                       : type == ObjectType::LocalDate ? "(.atStartOfDay date) has a time of day."
                       : type == ObjectType::LocalTime ? "A LocalDateTime has both, date and time of day."
                                                       : "(.atDay month 1) is a LocalDate.";
    return Error(Reason::TypeError, quoted(who) + ": " + time_class_name(type) + " has nothing for `" +
                                        std::string(part.count, part.letter) + "`.")
        .with_hint(hint);
}

// ---- Reading

class FieldReader {
public:
    FieldReader(std::string_view text, ParsedFields* fields, PatternReading reading)
        : text_(text), fields_(fields), is_lenient_(reading == PatternReading::Lenient) {}
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] std::size_t at() const { return at_; }
    void go_to(std::size_t at) { at_ = at; }
    bool accept(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    /// `is_before_number`: the next part is a number too, so that this one has as many digits as letters.
    bool read(const PatternPart& part, bool is_before_number) {
        is_any_length_ = is_lenient_ && !is_before_number;
        using F = ParsedFields::Field;
        switch (part.letter) {
        case 'y':
        case 'u': return year(part.count);
        case 'M':
        case 'L':
            return part.count > 2 ? name(F::Month, TimeFamily::Month, part.count, 1)
                                  : field(F::Month, part.count, 1, 12);
        case 'd': return field(F::Day, part.count, 1, 31);
        case 'D': return field(F::DayOfYear, part.count == 1 ? 1 : part.count, 1, 366, 3);
        case 'E': return name(F::Weekday, TimeFamily::DayOfWeek, part.count, 0);
        case 'H': return field(F::Hour, part.count, 0, 23);
        case 'k': return field(F::Hour, part.count, 1, 24) && (fields_->values[F::Hour] %= 24, true);
        case 'h': return field(F::HourOfHalf, part.count, 1, 12) && (fields_->values[F::HourOfHalf] %= 12, true);
        case 'K': return field(F::HourOfHalf, part.count, 0, 11);
        case 'a': return half();
        case 'm': return field(F::Minute, part.count, 0, 59);
        case 's': return field(F::Second, part.count, 0, 59);
        case 'S': return fraction(part.count, part.count);
        case '~': return !accept(".") || fraction(1, 9);
        default: return is_in(kZoneLetters, part.letter) && zone();
        }
    }

private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    /// Between `least` and `most` digits; -1 when there are fewer.
    std::int64_t number(std::size_t least, std::size_t most, std::size_t* length = nullptr) {
        std::int64_t value = 0;
        std::size_t n = 0;
        for (; n < most && at_ + n < text_.size() && is_digit(text_[at_ + n]); ++n)
            value = value * 10 + (text_[at_ + n] - '0');
        if (n < least) return -1;
        at_ += n;
        if (length) *length = n;
        return value;
    }
    /// As many digits as there are letters; one letter takes up to `most`.
    bool field(ParsedFields::Field field, std::size_t count, std::int64_t low, std::int64_t high,
               std::size_t most = 2) {
        const std::int64_t value = is_any_length_ ? number(1, most) : number(count, count == 1 ? most : count);
        if (value < low || value > high) return false;
        fields_->set(field, value);
        return true;
    }
    bool year(std::size_t count) {
        const bool is_negative = count != 2 && accept("-");
        std::int64_t value = count == 2 ? number(2, 2) : number(is_any_length_ ? 1 : count, 4);
        if (value < 0) return false;
        if (count == 2) value += 2000;
        fields_->set(ParsedFields::Year, is_negative ? -value : value);
        return true;
    }
    bool name(ParsedFields::Field field, TimeFamily family, std::size_t count, std::int64_t first) {
        for (std::size_t i = 0; i < names_of(family).values.size(); ++i) {
            const bool is_other_length = is_lenient_ && count != 5;
            if (is_other_length ? !accept(name_for_people(family, i, 4)) && !accept(name_for_people(family, i, 3))
                                : !accept(name_for_people(family, i, count)))
                continue;
            fields_->set(field, static_cast<std::int64_t>(i) + first);
            return true;
        }
        return false;
    }
    bool half() {
        const bool is_afternoon = accept("PM") || accept("pm");
        if (!is_afternoon && !accept("AM") && !accept("am")) return false;
        fields_->set(ParsedFields::Half, is_afternoon ? 1 : 0);
        return true;
    }
    bool fraction(std::size_t least, std::size_t most) {
        std::size_t length = 0;
        std::int64_t value = number(least, std::min<std::size_t>(most, 9), &length);
        if (value < 0) return false;
        for (; length < 9; ++length)
            value *= 10;
        fields_->set(ParsedFields::Nano, value);
        return true;
    }
    bool zone() {
        std::size_t end = at_;
        while (end < text_.size() &&
               (is_in("+-:/", text_[end]) || is_digit(text_[end]) || (text_[end] >= 'A' && text_[end] <= 'Z') ||
                (text_[end] >= 'a' && text_[end] <= 'z')))
            ++end;
        const std::int64_t zone = parse_zone(text_.substr(at_, end - at_));
        if (zone < 0) return false;
        at_ = end;
        fields_->set(ParsedFields::Offset, offset_minutes_of(zone));
        fields_->is_named_utc = zone == kNamedUtc;
        return true;
    }

    std::string_view text_;
    ParsedFields* fields_;
    std::size_t at_ = 0;
    bool is_lenient_;
    bool is_any_length_ = false;
};

bool is_number(const PatternPart& part) {
    return is_in("ydDHkhKmsS", part.letter) || (is_in("ML", part.letter) && part.count <= 2);
}

/// Where an optional part began: when it does not fit, it counts as left out.
struct OptionalStart {
    std::size_t pattern = 0, text = 0;
    ParsedFields fields;
};

} // namespace

std::string_view pattern_of(std::string_view formatter) {
    const Constant* constant = find_constant(formatter);
    return constant ? constant->pattern : formatter;
}

bool is_strict_formatter(std::string_view formatter) { return find_constant(formatter) != nullptr; }

Result<void> check_pattern(const char* who, std::string_view pattern) {
    constexpr std::size_t kMostLetters = 9;
    // An optional part is looked through before it is written, with those inside of it, and what stood before it is
    // kept while it is read.
    constexpr std::size_t kMostBytes = 1000;
    if (pattern.size() > kMostBytes) {
        return malformed_pattern(who, pattern,
                                 "it has " + std::to_string(pattern.size()) + " bytes; at most " +
                                     std::to_string(kMostBytes) + " are allowed");
    }
    PatternReader reader(pattern);
    PatternPart part;
    std::size_t depth = 0;
    while (!reader.at_end()) {
        if (!reader.next(&part)) return malformed_pattern(who, pattern, "a quotation has no end");
        if (part.letter == '[') {
            ++depth;
        } else if (part.letter == ']') {
            if (depth-- == 0) return malformed_pattern(who, pattern, "a ] has no [ before it");
        } else if (part.letter != 0 && !is_in(kDateLetters, part.letter) &&
                   !is_in(kClockLetters.substr(0, 9), part.letter) && !is_in(kZoneLetters, part.letter)) {
            return malformed_pattern(who, pattern, "there is no letter `" + std::string(1, part.letter) + "`");
        } else if (part.count > kMostLetters) {
            return malformed_pattern(who, pattern,
                                     "`" + std::string(part.count, part.letter) + "` has too many letters");
        } else if (part.text == "{" || part.text == "}" || part.text == "#") {
            return malformed_pattern(who, pattern, quoted(part.text) + " has to be quoted");
        }
    }
    return depth == 0 ? Result<void>{} : malformed_pattern(who, pattern, "a [ has no ] behind it");
}

Result<std::string> format_time(const char* who, std::string_view pattern, const TimeObject& time) {
    const LocalParts parts = local_parts(time);
    PatternReader reader(pattern);
    PatternPart part;
    std::string out;
    while (!reader.at_end() && reader.next(&part)) {
        if (part.letter == 0) {
            out += part.text;
        } else if (part.letter == '[') {
            if (!has_optional(reader, time.type)) reader.skip_optional();
        } else if (part.letter != ']') {
            if (!has_field(time.type, part.letter)) return field_missing(who, part, time.type);
            if (is_in(kDateLetters, part.letter))
                append_date_field(out, part, parts.day);
            else if (is_in(kClockLetters, part.letter))
                append_clock_field(out, part, parts);
            else
                append_zone_field(out, part, time);
        }
    }
    return out;
}

Result<void> check_date_format(const char* who, std::string_view pattern) {
    PTC_CHECK(check_pattern(who, pattern));
    PatternReader reader(pattern);
    PatternPart part;
    while (!reader.at_end() && reader.next(&part)) {
        const bool is_another = part.letter == '[' || part.letter == ']' || is_in("uLeQqwYnVxO", part.letter) ||
                                (part.letter == 'S' && part.count != 3);
        if (!is_another) continue;
        return malformed_pattern(who, pattern,
                                 "a SimpleDateFormat has no `" +
                                     std::string(std::max<std::size_t>(part.count, 1), part.letter) +
                                     "`, use a DateTimeFormatter");
    }
    return {};
}

bool parse_by_pattern(std::string_view pattern, std::string_view text, ParsedFields* fields, PatternReading reading) {
    PatternReader reader(pattern);
    FieldReader in(text, fields, reading);
    std::vector<OptionalStart> optional;
    PatternPart part;
    while (!reader.at_end() && reader.next(&part)) {
        if (part.letter == '[') {
            optional.push_back({reader.at(), in.at(), *fields});
            continue;
        }
        if (part.letter == ']') {
            optional.pop_back();
            continue;
        }
        PatternReader ahead = reader;
        PatternPart next;
        const bool is_before_number = !ahead.at_end() && ahead.next(&next) && is_number(next);
        if (part.letter == 0 ? in.accept(part.text) : in.read(part, is_before_number)) continue;
        if (optional.empty()) return false;
        const OptionalStart start = optional.back();
        optional.pop_back();
        reader.go_to(start.pattern);
        reader.skip_optional();
        in.go_to(start.text);
        *fields = start.fields;
    }
    return in.at_end() || reading == PatternReading::Lenient;
}

bool ParsedFields::month(std::int64_t* month) const {
    if (!has(Year) || !has(Month)) return false;
    *month = values[Year] * 12 + values[Month] - 1;
    return true;
}

bool ParsedFields::day(bool is_strict, std::int64_t* epoch_day) const {
    std::int64_t month_count = 0;
    if (month(&month_count) && has(Day)) {
        const std::int64_t first = first_day_of_month(month_count);
        const std::int64_t size = last_day_of(year_month_day{sys_days(std::chrono::days(first))});
        if (values[Day] > size && is_strict) return false;
        *epoch_day = first + std::min(values[Day], size) - 1;
    } else if (has(Year) && has(DayOfYear)) {
        const std::int64_t first = first_day_of_month(values[Year] * 12);
        if (values[DayOfYear] > first_day_of_month(values[Year] * 12 + 12) - first) return false;
        *epoch_day = first + values[DayOfYear] - 1;
    } else {
        return false;
    }
    return !has(Weekday) || static_cast<std::int64_t>(weekday_index(*epoch_day)) == values[Weekday];
}

bool ParsedFields::clock(LocalParts* parts) const {
    std::int64_t hour = values[Hour];
    if (!has(Hour)) {
        if (!has(HourOfHalf) || !has(Half)) return false;
        hour = values[HourOfHalf] + 12 * values[Half];
    }
    parts->millis = hour * kMillisPerHour + values[Minute] * kMillisPerMinute + values[Second] * kMillisPerSecond +
                    values[Nano] / kNanosPerMilli;
    parts->nanos = values[Nano] % kNanosPerMilli;
    return true;
}

} // namespace ptc
