// The patterns of java.time's DateTimeFormatter: "dd.MM.yyyy HH:mm". A formatter is its pattern, a text; the constants
// of the class (ISO_LOCAL_DATE ..) are texts that no pattern is.
#pragma once
#include "ptc/error.h"
#include "runtime/builtins/time_arguments.h"
#include <array>
#include <string>
#include <string_view>

namespace ptc {

/// A java.text.SimpleDateFormat is its pattern behind this.
inline constexpr std::string_view kDateFormatMark = "SimpleDateFormat:";

/// The pattern that a formatter's text stands for: itself, or that of a constant.
std::string_view pattern_of(std::string_view formatter);
/// Whether all of it can be used; the error names `who`.
Result<void> check_pattern(const char* who, std::string_view pattern);
/// The same of a SimpleDateFormat, where some letters have another meaning.
Result<void> check_date_format(const char* who, std::string_view pattern);
/// `time` written by a pattern. Fails where the time does not have what the pattern asks for.
Result<std::string> format_time(const char* who, std::string_view pattern, const TimeObject& time);

/// What a text says, by a pattern.
struct ParsedFields {
    enum Field : std::uint8_t {
        Year,
        Month,
        Day,
        DayOfYear,
        Hour,
        HourOfHalf,
        Half,
        Minute,
        Second,
        Nano,
        Offset,
        Weekday
    };
    static constexpr std::size_t kFields = Weekday + 1;
    std::array<std::int64_t, kFields> values{};
    std::uint16_t known = 0;
    bool is_named_utc = false;
    [[nodiscard]] bool has(Field field) const { return (known >> field & 1) != 0; }
    void set(Field field, std::int64_t value) {
        values[field] = value;
        known = static_cast<std::uint16_t>(known | 1u << field);
    }
    /// False when there is no such day, or the text does not say one. As in Java, a day behind the end of its month is
    /// its last day; with `is_strict` there is no such day.
    bool day(bool is_strict, std::int64_t* epoch_day) const;
    /// Months since the year 0.
    bool month(std::int64_t* month) const;
    /// The time of day; false when the text does not say one.
    bool clock(LocalParts* parts) const;
};
/// How a SimpleDateFormat reads: numbers of any length, names short or long, and what stands behind is left alone.
enum class PatternReading : std::uint8_t { Exact, Lenient };
/// Reads all of `text`; false when it is not written so.
bool parse_by_pattern(std::string_view pattern, std::string_view text, ParsedFields* fields,
                      PatternReading reading = PatternReading::Exact);
/// Whether it is one of the constants, which take days as they are.
bool is_strict_formatter(std::string_view formatter);

} // namespace ptc
