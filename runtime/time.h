// Dates, instants and lengths of time (spec 8.14): proleptic Gregorian calendar, UTC, no time zones but offsets.
#pragma once
#include "runtime/heap.h"
#include <span>
#include <string>
#include <string_view>

namespace ptc {

/// The object of all types of times; what a and b are depends on the type:
///   LocalDate      a: days since 1970-01-01; b: 0
///   Instant        a: milliseconds since 1970-01-01T00:00Z, rounded down; b: nanoseconds above them, 0..999999
///   Duration       a: milliseconds, rounded down; b: nanoseconds above them, 0..999999
///   Period         a: months; b: days
///   LocalDateTime  a, b: as the instant at which a clock in UTC shows it
///   LocalTime      a: milliseconds of the day; b: nanoseconds above them
///   ZonedDateTime  a: as the instant; b: its nanoseconds * kZones + the zone, see below
///   YearMonth      a: months since the year 0; b: 0
///   TimeConstant   a: the TimeFamily; b: which of its values, from 0
/// Ordered by a, then b (a period has no order, only equality).
struct TimeObject : Object {
    std::int64_t a;
    std::int64_t b;
};

inline const TimeObject& as_time(const Value& v) { return *static_cast<const TimeObject*>(v.object()); }
inline bool is_time(const Value& v) { return v.in(ObjectType::LocalDate, ObjectType::TimeConstant); }

/// The zone of a ZonedDateTime: the minutes of its offset east of UTC, plus kNoOffset; or the zone that is called UTC,
/// which differs from the offset of zero in its text.
inline constexpr std::int64_t kZones = 4096, kNoOffset = 1080, kNamedUtc = 2 * kNoOffset + 1;
inline std::int64_t zone_of(const TimeObject& zoned) { return zoned.b % kZones; }
inline std::int64_t offset_minutes_of(std::int64_t zone) { return zone == kNamedUtc ? 0 : zone - kNoOffset; }

/// Java's enums of times.
enum class TimeFamily : std::uint8_t { DayOfWeek, Month, ChronoUnit };
inline constexpr std::size_t kTimeFamilies = 3;
struct TimeFamilyNames {
    const char* family;
    std::span<const char* const> values;
};
/// "DayOfWeek" with "MONDAY" .. "SUNDAY", and so on.
const TimeFamilyNames& names_of(TimeFamily family);
inline const char* time_constant_name(const TimeObject& constant) {
    return names_of(static_cast<TimeFamily>(constant.a)).values[static_cast<std::size_t>(constant.b)];
}

/// Years -9999 to 9999 can be represented; out_of_range that names `who` otherwise.
Result<Value> make_local_date(Heap& heap, std::int64_t epoch_day, const char* who);
Result<Value> make_instant(Heap& heap, std::int64_t epoch_millis, std::int64_t nanos, const char* who);
Result<Value> make_duration(Heap& heap, std::int64_t millis, std::int64_t nanos = 0);
Result<Value> make_period(Heap& heap, std::int64_t months, std::int64_t days);
Result<Value> make_local_date_time(Heap& heap, std::int64_t millis, std::int64_t nanos, const char* who);
/// `millis` and `nanos` are within a day.
Result<Value> make_local_time(Heap& heap, std::int64_t millis, std::int64_t nanos);
/// `zone` as in TimeObject.
Result<Value> make_zoned(Heap& heap, std::int64_t millis, std::int64_t nanos, std::int64_t zone, const char* who);
Result<Value> make_year_month(Heap& heap, std::int64_t months, const char* who);
/// `index` is one of the family's values.
Result<Value> make_time_constant(Heap& heap, TimeFamily family, std::size_t index);
/// A time of any type with these numbers; out_of_range when no such time exists.
Result<Value> make_time_of_type(Heap& heap, ObjectType type, std::int64_t a, std::int64_t b, const char* who);
/// end - start of two instants, or of two other times of one type that have a time of day.
Result<Value> duration_between(Heap& heap, const Value& start, const Value& end);

/// What a text of a date or time was read as.
struct ParsedTime {
    enum class Kind : std::uint8_t { None, Date, Instant } kind = Kind::None;
    std::int64_t a = 0; ///< as in TimeObject
    std::int64_t b = 0;
    bool has_offset = false;         ///< Z or an offset was there
    std::int64_t offset_minutes = 0; ///< east of UTC
};
/// What stands between date and time: a T (or t, as in Java), or a space too, as databases write it.
enum class TimeSeparator : std::uint8_t { T, TOrSpace };
/// ISO-8601: "2024-02-29" is a Date; with a time ("2024-02-29T10:00[:00[.123456789]]", then nothing, Z or an offset
/// such as +02:00) an Instant; a missing offset means UTC. Kind::None for anything else, days that do not exist
/// included.
ParsedTime parse_iso_time(std::string_view text, TimeSeparator separator = TimeSeparator::T);
/// "Wed, 8 Jan 2026 14:30:00 +0000" (RFC 2822; weekday, seconds and zone optional; GMT, UTC and Z too). Kind::Instant
/// or None.
ParsedTime parse_rfc2822(std::string_view text);
/// "10:15", "10:15:30", "10:15:30.5"; false for anything else.
bool parse_time_of_day(std::string_view text, std::int64_t* millis, std::int64_t* nanos);
/// "Z", "UTC", "+02:00", "+0200", "-5" as a zone; -1 for anything else.
std::int64_t parse_zone(std::string_view text);
/// A Date or Instant value of what was parsed; `kind` must not be None.
Result<Value> make_parsed_time(Heap& heap, const ParsedTime& parsed);

/// ISO-8601 text: "2024-02-29", "2024-01-02T03:04:05.123Z" (fraction in 3, 6 or 9 digits, or none), "P1Y2M3D"; a
/// duration as "#duration[1500ms]" (spec 8.14); "2024-02-29T10:00" as Java writes it, without seconds that are zero;
/// "2024-02-29T10:00+02:00"; "2024-02"; a constant by its name.
void append_time(const Value& time, std::string& out);

} // namespace ptc
