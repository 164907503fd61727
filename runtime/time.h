// Dates, instants and lengths of time (spec 8.14): proleptic Gregorian calendar, UTC, no time zones but offsets.
#pragma once
#include "runtime/heap.h"
#include <string>
#include <string_view>

namespace ptc {

/// The object of all four types; what a and b are depends on the type:
///   LocalDate  a: days since 1970-01-01; b: 0
///   Instant    a: milliseconds since 1970-01-01T00:00Z, rounded down; b: nanoseconds above them, 0..999999
///   Duration   a: milliseconds, rounded down; b: nanoseconds above them, 0..999999
///   Period     a: months; b: days
/// Ordered by a, then b (a period has no order, only equality).
struct TimeObject : Object {
    std::int64_t a;
    std::int64_t b;
};

inline const TimeObject& as_time(const Value& v) { return *static_cast<const TimeObject*>(v.object()); }
inline bool is_time(const Value& v) { return v.in(ObjectType::LocalDate, ObjectType::Period); }

/// Years -9999 to 9999 can be represented; out_of_range that names `who` otherwise.
Result<Value> make_local_date(Heap& heap, std::int64_t epoch_day, const char* who);
Result<Value> make_instant(Heap& heap, std::int64_t epoch_millis, std::int64_t nanos, const char* who);
Result<Value> make_duration(Heap& heap, std::int64_t millis, std::int64_t nanos = 0);
Result<Value> make_period(Heap& heap, std::int64_t months, std::int64_t days);
/// end - start of two instants.
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
/// A Date or Instant value of what was parsed; `kind` must not be None.
Result<Value> make_parsed_time(Heap& heap, const ParsedTime& parsed);

/// ISO-8601 text: "2024-02-29", "2024-01-02T03:04:05.123Z" (fraction in 3, 6 or 9 digits, or none), "P1Y2M3D"; a
/// duration as "#duration[1500ms]" (spec 8.14).
void append_time(const Value& time, std::string& out);

} // namespace ptc
