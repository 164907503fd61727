// Making the times that are more than a date or an instant (LocalDateTime, LocalTime, YearMonth, ZonedDateTime), the
// constants of java.time, and texts by patterns. An OffsetDateTime is a ZonedDateTime here, and a zone or a formatter
// is the text that it is made of; a java.text.SimpleDateFormat or DecimalFormat has a mark in front.
#include "frontend/try.h"
#include "runtime/builtins/decimal_format.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_arguments.h"
#include "runtime/builtins/time_pattern.h"
#include "runtime/number.h"
#include "runtime/vector.h"

namespace ptc {
namespace {

// ---- Reading texts

/// What the text of argument 1 says by the formatter of argument 2.
struct ByPattern {
    ParsedFields fields;
    bool is_strict = false;
};
Result<ByPattern> read_by_pattern(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    const std::string_view formatter = PTC_TRY(text_argument(call, args, 2));
    const std::string_view pattern = pattern_of(formatter);
    PTC_CHECK(charge(call, text.size() + 4 * pattern.size()));
    ByPattern result;
    result.is_strict = is_strict_formatter(formatter);
    if (!result.is_strict) PTC_CHECK(check_pattern(call.who(), pattern));
    if (!parse_by_pattern(pattern, text, &result.fields)) {
        const std::string expected = "a text like `" + std::string(formatter) + "`";
        return unreadable_text(call.who(), expected.c_str(), text);
    }
    return result;
}

Error not_all_there(Call& call, Args args, const char* expected) {
    return unreadable_text(call.who(), expected, text_of(args[0]));
}

Result<LocalParts> date_and_time_of(Call& call, Args args, const ByPattern& read) {
    LocalParts parts;
    if (!read.fields.day(read.is_strict, &parts.day) || !read.fields.clock(&parts))
        return not_all_there(call, args, "a text with a date that exists and a time of day");
    return parts;
}

Result<Value> local_date_time_of(Call& call, const LocalParts& parts) {
    return make_local_date_time(call.heap, parts.day * kMillisPerDay + parts.millis, parts.nanos, call.who());
}

Result<Value> call_local_date_parse(Call& call, Args args) {
    if (args.size() == 2) {
        const ByPattern read = PTC_TRY(read_by_pattern(call, args));
        std::int64_t day = 0;
        if (!read.fields.day(read.is_strict, &day)) return not_all_there(call, args, "a text with a date that exists");
        return make_local_date(call.heap, day, call.who());
    }
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::Date) return make_local_date(call.heap, parsed.a, call.who());
    Error error = unreadable_text(call.who(), "a date like 2024-01-31", text);
    if (parsed.kind != ParsedTime::Kind::Instant)
        return std::move(error).with_hint(
            "Another notation needs a pattern: (LocalDate/parse s (DateTimeFormatter/ofPattern \"dd.MM.yyyy\")).");
    return std::move(error).with_hint("For a date with a time write (LocalDateTime/parse s), or (Instant/parse s) when "
                                      "it has an offset; (subs s 0 10) "
                                      "is the date alone.");
}

Result<Value> call_local_date_time_parse(Call& call, Args args) {
    if (args.size() == 2) {
        const ByPattern read = PTC_TRY(read_by_pattern(call, args));
        return local_date_time_of(call, PTC_TRY(date_and_time_of(call, args, read)));
    }
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind == ParsedTime::Kind::Instant && !parsed.has_offset)
        return make_local_date_time(call.heap, parsed.a, parsed.b, call.who());
    Error error = unreadable_text(call.who(), "a date and time like 2024-01-31T10:00", text);
    if (parsed.kind == ParsedTime::Kind::Instant)
        return std::move(error).with_hint("With Z or an offset write (Instant/parse s) or (ZonedDateTime/parse s).");
    if (parsed.kind == ParsedTime::Kind::Date)
        return std::move(error).with_hint("For a date alone write (.atStartOfDay (LocalDate/parse s)).");
    return std::move(error).with_hint("Another notation needs a pattern: (LocalDateTime/parse s "
                                      "(DateTimeFormatter/ofPattern \"yyyy-MM-dd HH:mm:ss\")).");
}

Result<Value> call_local_time_parse(Call& call, Args args) {
    LocalParts parts;
    if (args.size() == 2) {
        const ByPattern read = PTC_TRY(read_by_pattern(call, args));
        if (!read.fields.clock(&parts)) return not_all_there(call, args, "a text with a time of day");
    } else {
        const std::string_view text = PTC_TRY(text_argument(call, args, 1));
        if (!parse_time_of_day(text, &parts.millis, &parts.nanos))
            return unreadable_text(call.who(), "a time of day like 10:15 or 10:15:30", text);
    }
    return make_local_time(call.heap, parts.millis, parts.nanos);
}

Result<Value> call_year_month_parse(Call& call, Args args) {
    ParsedFields fields;
    std::int64_t month = 0;
    if (args.size() == 2) {
        fields = PTC_TRY(read_by_pattern(call, args)).fields;
        if (!fields.month(&month)) return not_all_there(call, args, "a text with a year and a month");
        return make_year_month(call.heap, month, call.who());
    }
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    if (!parse_by_pattern("uuuu-MM", text, &fields) || !fields.month(&month)) {
        return unreadable_text(call.who(), "a month like 2024-01", text)
            .with_hint("Of a date: (YearMonth/from (LocalDate/parse s)).");
    }
    return make_year_month(call.heap, month, call.who());
}

/// `fields` have an offset.
Result<Value> zoned_of(Call& call, const ParsedFields& fields, const LocalParts& parts) {
    const std::int64_t offset = fields.values[ParsedFields::Offset];
    const std::int64_t zone = fields.is_named_utc ? kNamedUtc : kNoOffset + offset;
    const std::int64_t millis = parts.day * kMillisPerDay + parts.millis - offset * kMillisPerMinute;
    return make_zoned(call.heap, millis, parts.nanos, zone, call.who());
}

Result<Value> call_zoned_parse(Call& call, Args args) {
    if (args.size() == 2) {
        const ByPattern read = PTC_TRY(read_by_pattern(call, args));
        const LocalParts parts = PTC_TRY(date_and_time_of(call, args, read));
        if (!read.fields.has(ParsedFields::Offset)) return not_all_there(call, args, "a text with an offset");
        return zoned_of(call, read.fields, parts);
    }
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    const std::string_view whole = text;
    const bool is_named_utc = text.ends_with("[UTC]");
    if (is_named_utc) text.remove_suffix(5);
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind != ParsedTime::Kind::Instant || !parsed.has_offset) {
        return unreadable_text(call.who(), "a time like 2024-01-31T10:00Z or 2024-01-31T10:00+02:00", whole)
            .with_hint("Without an offset write (LocalDateTime/parse s).");
    }
    const std::int64_t zone = is_named_utc ? kNamedUtc : kNoOffset + parsed.offset_minutes;
    return make_zoned(call.heap, parsed.a, parsed.b, zone, call.who());
}

// ---- Making of numbers and of other times

Result<std::int64_t> day_of_arguments(Call& call, Args args) {
    std::int64_t year = PTC_TRY(amount_argument(call, args, 1));
    std::int64_t month =
        args[1].is(ObjectType::TimeConstant)
            ? static_cast<std::int64_t>(PTC_TRY(constant_argument(call, args, 2, TimeFamily::Month))) + 1
            : PTC_TRY(amount_argument(call, args, 2));
    std::int64_t day = PTC_TRY(amount_argument(call, args, 3));
    const bool has_month = std::abs(year) <= 9999 && month >= 1 && month <= 12;
    const std::int64_t first = has_month ? first_day_of_month(year * 12 + month - 1) : 0;
    TimeObject start{};
    start.a = first;
    if (!has_month || day < 1 || day > last_day_of(calendar_day(start)))
        return no_such_date(call.who(), year, month, day);
    return first + day - 1;
}

Result<Value> call_local_date_of(Call& call, Args args) {
    return make_local_date(call.heap, PTC_TRY(day_of_arguments(call, args)), call.who());
}

Result<Value> call_of_year_day(Call& call, Args args) {
    const std::int64_t year = PTC_TRY(amount_argument(call, args, 1));
    const std::int64_t day = PTC_TRY(amount_argument(call, args, 2));
    if (std::abs(year) > 9999) return out_of_range(call.who(), "the date is outside of the years -9999 to 9999.");
    const std::int64_t first = first_day_of_month(year * 12);
    if (day < 1 || day > first_day_of_month(year * 12 + 12) - first)
        return out_of_range(call.who(), "the year has no such day.");
    return make_local_date(call.heap, first + day - 1, call.who());
}

Result<Value> call_local_date_time_of(Call& call, Args args) {
    if (args.size() == 2) {
        const TimeObject& date = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
        LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 2, ObjectType::LocalTime)));
        parts.day = date.a;
        return local_date_time_of(call, parts);
    }
    if (args.size() < 5) return argument_error(call, args, args.size(), "year, month, day, hour and minute");
    LocalParts parts = PTC_TRY(clock_arguments(call, args, 4));
    parts.day = PTC_TRY(day_of_arguments(call, args));
    return local_date_time_of(call, parts);
}

Result<Value> call_local_time_of(Call& call, Args args) {
    const LocalParts parts = PTC_TRY(clock_arguments(call, args, 1));
    return make_local_time(call.heap, parts.millis, parts.nanos);
}

Result<Value> call_year_month_of(Call& call, Args args) {
    const std::int64_t year = PTC_TRY(amount_argument(call, args, 1));
    const std::size_t month = PTC_TRY(constant_argument(call, args, 2, TimeFamily::Month));
    return make_year_month(call.heap, year * 12 + static_cast<std::int64_t>(month), call.who());
}

/// A year is a number.
Result<std::int64_t> year_argument(const Call& call, Args args) {
    if (!args[0].is_integer()) return argument_error(call, args, 1, "a year, an integer");
    const std::int64_t year = PTC_TRY(index_argument(call, args, 1));
    if (year < -9999 || year > 9999) return out_of_range(call.who(), "years are -9999 to 9999.");
    return year;
}
Result<Value> call_year_of(Call& call, Args args) { return Value::small_integer(PTC_TRY(year_argument(call, args))); }
Result<Value> call_year_from(Call& call, Args args) {
    TimeObject day{};
    day.a = local_parts(*PTC_TRY(time_argument(call, args, 1, kWithMonth))).day;
    return Value::small_integer(static_cast<int>(calendar_day(day).year()));
}
Result<Value> call_year_at_month(Call& call, Args args) {
    const std::int64_t year = PTC_TRY(year_argument(call, args));
    const std::size_t month = PTC_TRY(constant_argument(call, args, 2, TimeFamily::Month));
    return make_year_month(call.heap, year * 12 + static_cast<std::int64_t>(month), call.who());
}

Result<Value> call_instant_from(Call& call, Args args) {
    constexpr TimeTypes kTakes = types_of_time({ObjectType::Instant, ObjectType::ZonedDateTime});
    if (args[0].is(ObjectType::LocalDateTime)) {
        return argument_error(call, args, 1, "a ZonedDateTime or an Instant")
            .with_hint("(.toInstant local ZoneOffset/UTC) takes the time as UTC.");
    }
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kTakes));
    return make_instant(call.heap, time.a, time.type == ObjectType::Instant ? time.b : time.b / kZones, call.who());
}

/// The YearMonth, LocalDate, LocalTime or LocalDateTime within another time.
template <ObjectType Type> Result<Value> call_from(Call& call, Args args) {
    constexpr TimeTypes kTakes = Type == ObjectType::YearMonth   ? kWithMonth
                                 : Type == ObjectType::LocalDate ? kDated
                                 : Type == ObjectType::LocalTime ? kWithHour
                                                                 : kClocked;
    const LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 1, kTakes)));
    TimeObject like{};
    like.type = Type;
    return with_parts(call.heap, like, parts, call.who());
}

template <ObjectType Type> Result<Value> call_now(Call& call, Args) {
    const std::int64_t now = call.host.now_millis();
    if (Type == ObjectType::ZonedDateTime) return make_zoned(call.heap, now, 0, kNamedUtc, call.who());
    const std::int64_t day = floor_div(now, kMillisPerDay);
    TimeObject like{};
    like.type = Type;
    return with_parts(call.heap, like, {day, now - day * kMillisPerDay, 0}, call.who());
}

Result<Value> call_of_instant(Call& call, Args args) {
    const TimeObject& instant = *PTC_TRY(time_argument(call, args, 1, ObjectType::Instant));
    const std::int64_t offset = offset_minutes_of(PTC_TRY(zone_argument(call, args, 2)));
    return make_local_date_time(call.heap, instant.a + offset * kMillisPerMinute, instant.b, call.who());
}

Result<Value> call_zoned_of_instant(Call& call, Args args) {
    const TimeObject& instant = *PTC_TRY(time_argument(call, args, 1, ObjectType::Instant));
    return make_zoned(call.heap, instant.a, instant.b, PTC_TRY(zone_argument(call, args, 2)), call.who());
}

/// Of a LocalDateTime and a zone; of a date, a time of day and a zone; or of seven numbers and a zone.
Result<Value> call_zoned_of(Call& call, Args args) {
    LocalParts parts;
    if (args.size() == 2) {
        parts = local_parts(*PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDateTime)));
    } else if (args.size() == 3) {
        parts = local_parts(*PTC_TRY(time_argument(call, args, 2, ObjectType::LocalTime)));
        parts.day = PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate))->a;
    } else if (args.size() == 8) {
        parts = PTC_TRY(clock_arguments(call, args.first(7), 4));
        parts.day = PTC_TRY(day_of_arguments(call, args));
    } else {
        return argument_error(call, args, args.size(), "a LocalDateTime and a zone");
    }
    const std::int64_t zone = PTC_TRY(zone_argument(call, args, args.size()));
    const std::int64_t offset = offset_minutes_of(zone) * kMillisPerMinute;
    return make_zoned(call.heap, parts.day * kMillisPerDay + parts.millis - offset, parts.nanos, zone, call.who());
}

/// Of a count of units.
Result<Value> call_duration_of_units(Call& call, Args args) {
    const std::size_t unit = PTC_TRY(constant_argument(call, args, 2, TimeFamily::ChronoUnit));
    Value zero = PTC_TRY(make_duration(call.heap, 0));
    return plus_units(call.heap, zero, PTC_TRY(index_argument(call, args, 1)), static_cast<TimeUnit>(unit), call.who());
}

Result<Value> call_duration_of_nanos(Call& call, Args args) {
    Value zero = PTC_TRY(make_duration(call.heap, 0));
    return plus_units(call.heap, zero, PTC_TRY(index_argument(call, args, 1)), TimeUnit::Nanos, call.who());
}

Result<Value> call_period_of(Call& call, Args args) {
    const std::int64_t years = PTC_TRY(amount_argument(call, args, 1));
    const std::int64_t months = PTC_TRY(amount_argument(call, args, 2));
    return make_period(call.heap, years * 12 + months, PTC_TRY(amount_argument(call, args, 3)));
}
template <std::int64_t Months, std::int64_t Days> Result<Value> call_period_of_units(Call& call, Args args) {
    const std::int64_t amount = PTC_TRY(amount_argument(call, args, 1));
    return make_period(call.heap, amount * Months, amount * Days);
}

// ---- Constants, zones, years

template <TimeFamily Family> Result<Value> call_constant(Call& call, Args args) {
    return make_time_constant(call.heap, Family, PTC_TRY(constant_argument(call, args, 1, Family)));
}
template <TimeFamily Family> Result<Value> call_constants(Call& call, Args) {
    VectorBuilder constants(call.heap);
    for (std::size_t i = 0; i < names_of(Family).values.size(); ++i) {
        if (!constants.push(PTC_TRY(make_time_constant(call.heap, Family, i)))) return call.heap.out_of_memory();
    }
    return constants.finish();
}
Result<Value> call_weekday_from(Call& call, Args args) {
    const LocalParts parts = local_parts(*PTC_TRY(time_argument(call, args, 1, kDated)));
    const std::int64_t weekday = parts.day + 3 - floor_div(parts.day + 3, 7) * 7;
    return make_time_constant(call.heap, TimeFamily::DayOfWeek, static_cast<std::size_t>(weekday));
}
Result<Value> call_month_from(Call& call, Args args) {
    TimeObject day{};
    day.a = local_parts(*PTC_TRY(time_argument(call, args, 1, kWithMonth))).day;
    const unsigned month = static_cast<unsigned>(calendar_day(day).month());
    return make_time_constant(call.heap, TimeFamily::Month, month - 1);
}

/// A zone is its text.
Result<Value> call_zone_of(Call& call, Args args) {
    PTC_CHECK(zone_argument(call, args, 1));
    return std::move(args[0]);
}

Result<Value> call_is_leap(Call& call, Args args) {
    const std::int64_t year = PTC_TRY(index_argument(call, args, 1));
    return Value::boolean(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

// ---- Patterns

Result<Value> call_of_pattern(Call& call, Args args) {
    const std::string_view pattern = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge(call, pattern.size()));
    PTC_CHECK(check_pattern(call.who(), pattern));
    return std::move(args[0]);
}

bool has_mark(const Value& formatter, std::string_view mark) {
    return formatter.is_string() && text_of(formatter).starts_with(mark);
}

/// (java.text.DecimalFormat. pattern), (java.text.SimpleDateFormat. pattern)
Result<Value> call_new_decimal_format(Call& call, Args args) {
    const std::string_view pattern = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge(call, pattern.size()));
    PTC_CHECK(check_decimal_pattern("DecimalFormat.", pattern));
    return make_string(call.heap, std::string(kDecimalFormatMark).append(pattern));
}
Result<Value> call_new_date_format(Call& call, Args args) {
    const std::string_view pattern = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge(call, 2 * pattern.size()));
    PTC_CHECK(check_date_format("SimpleDateFormat.", pattern));
    return make_string(call.heap, std::string(kDateFormatMark).append(pattern));
}

/// Argument 2 by the DecimalFormat that argument 1 is.
Result<Value> format_number(Call& call, Args args) {
    if (!args[1].is_number()) return argument_error(call, args, 2, "a number");
    return format_decimal(call, text_of(args[0]).substr(kDecimalFormatMark.size()), args[1]);
}

/// Argument 2, a Date or milliseconds since 1970, by the SimpleDateFormat that argument 1 is: in UTC.
Result<Value> format_date(Call& call, Args args) {
    if (args[1].is_integer())
        args[1] = PTC_TRY(make_instant(call.heap, PTC_TRY(index_argument(call, args, 2)), 0, call.who()));
    if (!args[1].is(ObjectType::Instant)) {
        return argument_error(call, args, 2, "a java.util.Date")
            .with_hint("(.format date (DateTimeFormatter/ofPattern \"dd.MM.yyyy\")) writes the times of java.time.");
    }
    const std::string_view pattern = text_of(args[0]).substr(kDateFormatMark.size());
    PTC_CHECK(charge(call, 8 * pattern.size()));
    PTC_CHECK(check_date_format(call.who(), pattern));
    TimeObject time{};
    time.type = ObjectType::ZonedDateTime;
    time.a = as_time(args[1]).a;
    time.b = as_time(args[1]).b * kZones + kNamedUtc;
    return make_string(call.heap, PTC_TRY(format_time(call.who(), pattern, time)));
}

/// What a SimpleDateFormat reads: what the text does not say is that of 1970-01-01T00:00Z, and a day behind the end of
/// its month is one of the next.
Result<Value> parse_date(Call& call, std::string_view format, std::string_view text) {
    const std::string_view pattern = format.substr(kDateFormatMark.size());
    PTC_CHECK(charge(call, text.size() + 4 * pattern.size()));
    PTC_CHECK(check_date_format(call.who(), pattern));
    using F = ParsedFields::Field;
    ParsedFields fields;
    if (!parse_by_pattern(pattern, text, &fields, PatternReading::Lenient)) {
        const std::string expected = "a text like `" + std::string(pattern) + "`";
        return unreadable_text(call.who(), expected.c_str(), text);
    }
    const auto value_of = [&](F field, std::int64_t other) { return fields.has(field) ? fields.values[field] : other; };
    const std::int64_t year = value_of(F::Year, 1970), month = value_of(F::Month, 1);
    const std::int64_t first = first_day_of_month(year * 12 + month - 1);
    const std::int64_t day = fields.has(F::DayOfYear) && !fields.has(F::Month) ? first + fields.values[F::DayOfYear] - 1
                                                                               : first + value_of(F::Day, 1) - 1;
    LocalParts clock;
    if (!fields.clock(&clock)) {
        clock.millis = value_of(F::HourOfHalf, 0) * kMillisPerHour + value_of(F::Minute, 0) * kMillisPerMinute +
                       value_of(F::Second, 0) * kMillisPerSecond + value_of(F::Nano, 0) / kNanosPerMilli;
    }
    const std::int64_t offset = value_of(F::Offset, 0) * kMillisPerMinute;
    return make_instant(call.heap, day * kMillisPerDay + clock.millis - offset, clock.nanos, call.who());
}

/// The most that a text says by a pattern: a time in a zone, a date and time, a date, a time of day or a month.
Result<Value> parsed_time(Call& call, Args args, const ByPattern& read) {
    LocalParts parts;
    std::int64_t month = 0;
    const bool has_day = read.fields.day(read.is_strict, &parts.day);
    const bool has_clock = read.fields.clock(&parts);
    if (has_day && has_clock && read.fields.has(ParsedFields::Offset)) return zoned_of(call, read.fields, parts);
    if (has_day && has_clock) return local_date_time_of(call, parts);
    if (has_day) return make_local_date(call.heap, parts.day, call.who());
    if (has_clock) return make_local_time(call.heap, parts.millis, parts.nanos);
    if (read.fields.month(&month) && !read.fields.has(ParsedFields::Day))
        return make_year_month(call.heap, month, call.who());
    return not_all_there(call, args, "a text with a date that exists, or a time of day");
}

/// (.parse formatter s)
Result<Value> call_parse(Call& call, Args args) {
    const std::string_view formatter = PTC_TRY(text_argument(call, args, 1));
    const std::string_view text = PTC_TRY(text_argument(call, args, 2));
    if (formatter.starts_with(kDateFormatMark)) return parse_date(call, formatter, text);
    if (formatter.starts_with(kDecimalFormatMark))
        return runtime_failure(call.who(), "a DecimalFormat only writes.")
            .with_hint("(parse-double (clojure.string/replace s \",\" \"\")) reads a number with commas.");
    std::swap(args[0], args[1]);
    return parsed_time(call, args, PTC_TRY(read_by_pattern(call, args)));
}

/// A formatter for another zone than UTC would need one with summer time, or says the wrong hour.
Result<void> check_utc(const Call& call, Args args) {
    if (!args[0].is_string()) return argument_error(call, args, 1, "a formatter");
    if (offset_minutes_of(PTC_TRY(zone_argument(call, args, 2))) == 0) return {};
    return runtime_failure(call.who(), "formatters write instants in UTC.")
        .with_hint("Move the time first: (.format (.atZone instant (ZoneOffset/of \"+02:00\")) formatter).");
}
Result<Value> call_with_zone(Call& call, Args args) {
    PTC_CHECK(check_utc(call, args));
    return std::move(args[0]);
}
Result<Value> call_set_zone(Call& call, Args args) {
    PTC_CHECK(check_utc(call, args));
    return Value();
}
Result<Value> call_with_locale(Call& call, Args args) {
    PTC_CHECK(text_argument(call, args, 1));
    return std::move(args[0]);
}

Result<Value> call_format(Call& call, Args args) {
    if (has_mark(args[0], kDecimalFormatMark)) return format_number(call, args);
    if (has_mark(args[0], kDateFormatMark)) return format_date(call, args);
    if (args[0].is_string() && is_time(args[1])) std::swap(args[0], args[1]); // (.format formatter time)
    if (args[0].is_string()) {
        return argument_error(call, args, 1, "a date or time")
            .with_hint("(format \"%s items\" x) puts values into a text, in the place of %s, %d or %.2f.");
    }
    const TimeObject& time = *PTC_TRY(time_argument(call, args, 1, kOnLine));
    if (!args[1].is_string())
        return argument_error(call, args, 2, "a formatter")
            .with_hint("(DateTimeFormatter/ofPattern \"yyyy-MM-dd\") makes one.");
    const std::string_view formatter = text_of(args[1]);
    const std::string_view pattern = pattern_of(formatter);
    PTC_CHECK(charge(call, 8 * pattern.size())); // a letter may become a name
    if (!is_strict_formatter(formatter)) PTC_CHECK(check_pattern(call.who(), pattern));
    return make_string(call.heap, PTC_TRY(format_time(call.who(), pattern, time)));
}

constexpr auto kTime = kinds::kTime;
constexpr auto kText = kinds::kText;

/// Its work grows with its texts.
constexpr Builtin of_text(Builtin row) {
    row.work = Work::Text;
    row.model = BoundModel::Unknown;
    return row;
}

constexpr Builtin kRows[] = {
    time_row(
        "LocalDate/parse", "(LocalDate/parse s) (LocalDate/parse s fmt)",
        "The date of a text like \"2024-01-31\", or of one that a formatter describes; an error for any other text.",
        {"(str (LocalDate/parse \"2024-02-29\"))", "\"2024-02-29\""}, kTime, call_local_date_parse),
    time_row("LocalDate/of", "(LocalDate/of year month day)",
             "The date of a year, month (1 to 12, or a Month) and day.",
             {"(str (LocalDate/of 2024 2 29))", "\"2024-02-29\""}, kTime, call_local_date_of),
    time_row("LocalDate/ofYearDay", "(LocalDate/ofYearDay year day)", "The date of a year and a day of it, from 1.",
             {"(str (LocalDate/ofYearDay 2024 60))", "\"2024-02-29\""}, kTime, call_of_year_day),
    time_row("LocalDate/from", "(LocalDate/from time)", "The date of a LocalDateTime or ZonedDateTime.",
             {"(str (LocalDate/from (LocalDateTime/parse \"2024-02-29T10:00\")))", "\"2024-02-29\""}, kTime,
             call_from<ObjectType::LocalDate>),
    time_row("LocalDateTime/parse", "(LocalDateTime/parse s) (LocalDateTime/parse s fmt)",
             "The date and time of a text like \"2024-01-31T10:00\", or of one that a formatter describes.",
             {"(str (LocalDateTime/parse \"2024-01-31T10:00:00\"))", "\"2024-01-31T10:00\""}, kTime,
             call_local_date_time_parse),
    time_row(
        "LocalDateTime/of",
        "(LocalDateTime/of date time) (LocalDateTime/of year month day hour minute) (LocalDateTime/of year month day "
        "hour minute second) (LocalDateTime/of year month day hour minute second nano)",
        "A date and time of numbers, or of a LocalDate and a LocalTime.",
        {"(str (LocalDateTime/of 2024 1 31 10 5))", "\"2024-01-31T10:05\""}, kTime, call_local_date_time_of),
    time_row("LocalDateTime/ofInstant", "(LocalDateTime/ofInstant instant zone)",
             "What clocks in a zone show at an instant.",
             {"(str (LocalDateTime/ofInstant (Instant/ofEpochMilli 0) ZoneOffset/UTC))", "\"1970-01-01T00:00\""}, kTime,
             call_of_instant),
    time_row("LocalDateTime/from", "(LocalDateTime/from time)", "What clocks show in the zone of a ZonedDateTime.",
             {"(str (LocalDateTime/from (ZonedDateTime/parse \"2024-01-31T10:15Z\")))", "\"2024-01-31T10:15\""}, kTime,
             call_from<ObjectType::LocalDateTime>),
    time_row("LocalDateTime/now", "(LocalDateTime/now)", "The date and time now, in UTC.",
             {"(pos? (.getYear (LocalDateTime/now)))", "true"}, kTime, call_now<ObjectType::LocalDateTime>, nullptr,
             SideEffect::Time),
    time_row("LocalTime/parse", "(LocalTime/parse s) (LocalTime/parse s fmt)",
             "The time of day of a text like \"10:15\" or \"10:15:30\", or of one that a formatter describes.",
             {"(str (LocalTime/parse \"10:15:00\"))", "\"10:15\""}, kTime, call_local_time_parse),
    time_row("LocalTime/of",
             "(LocalTime/of hour minute) (LocalTime/of hour minute second) (LocalTime/of hour minute second nano)",
             "The time of day of numbers.", {"(str (LocalTime/of 10 5))", "\"10:05\""}, kTime, call_local_time_of),
    time_row("LocalTime/from", "(LocalTime/from time)", "The time of day of a LocalDateTime or ZonedDateTime.",
             {"(str (LocalTime/from (LocalDateTime/parse \"2024-01-31T10:15\")))", "\"10:15\""}, kTime,
             call_from<ObjectType::LocalTime>),
    time_row("LocalTime/now", "(LocalTime/now)", "The time of day now, in UTC.",
             {"(<= 0 (.getHour (LocalTime/now)) 23)", "true"}, kTime, call_now<ObjectType::LocalTime>, nullptr,
             SideEffect::Time),
    time_row("YearMonth/parse", "(YearMonth/parse s) (YearMonth/parse s fmt)",
             "The month of a text like \"2024-01\", or of one that a formatter describes.",
             {"(.lengthOfMonth (YearMonth/parse \"2024-02\"))", "29"}, kTime, call_year_month_parse),
    time_row("YearMonth/of", "(YearMonth/of year month)", "The month, 1 to 12 or a Month, of a year.",
             {"(str (YearMonth/of 2024 2))", "\"2024-02\""}, kTime, call_year_month_of),
    time_row("YearMonth/from", "(YearMonth/from time)", "The month of a date or time.",
             {"(str (YearMonth/from (LocalDate/of 2024 2 29)))", "\"2024-02\""}, kTime,
             call_from<ObjectType::YearMonth>),
    time_row("YearMonth/now", "(YearMonth/now)", "The month now, in UTC.",
             {"(<= 1 (.getMonthValue (YearMonth/now)) 12)", "true"}, kTime, call_now<ObjectType::YearMonth>, nullptr,
             SideEffect::Time),
    time_row("ZonedDateTime/parse", "(ZonedDateTime/parse s) (ZonedDateTime/parse s fmt)",
             "The time of a text like \"2024-01-31T10:00+02:00\", or of one that a formatter describes.",
             {"(.getHour (ZonedDateTime/parse \"2024-01-31T10:00:00+02:00\"))", "10"}, kTime, call_zoned_parse,
             "Zones are UTC and offsets: those with summer time are not known."),
    time_row(
        "ZonedDateTime/of",
        "(ZonedDateTime/of time zone) (ZonedDateTime/of date time zone) (ZonedDateTime/of year month day hour minute "
        "second nano zone)",
        "The time that clocks in a zone show.",
        {"(str (ZonedDateTime/of (LocalDateTime/of 2024 1 31 10 0) ZoneOffset/UTC))", "\"2024-01-31T10:00Z\""}, kTime,
        call_zoned_of),
    time_row("ZonedDateTime/ofInstant", "(ZonedDateTime/ofInstant instant zone)",
             "What clocks in a zone show at an instant.",
             {"(str (ZonedDateTime/ofInstant (Instant/ofEpochMilli 0) ZoneOffset/UTC))", "\"1970-01-01T00:00Z\""},
             kTime, call_zoned_of_instant),
    time_row("ZonedDateTime/now", "(ZonedDateTime/now)", "The time now, in UTC.",
             {"(pos? (.getYear (ZonedDateTime/now)))", "true"}, kTime, call_now<ObjectType::ZonedDateTime>, nullptr,
             SideEffect::Time),
    time_row("OffsetDateTime/parse", "(OffsetDateTime/parse s) (OffsetDateTime/parse s fmt)", "As ZonedDateTime/parse.",
             {"(str (OffsetDateTime/parse \"2024-01-31T10:00:00+02:00\"))", "\"2024-01-31T10:00+02:00\""}, kTime,
             call_zoned_parse, "Gives a ZonedDateTime."),
    time_row("ZoneId/of", "(ZoneId/of s)", "A zone, as its text: UTC or an offset.", {"(ZoneId/of \"UTC\")", "\"UTC\""},
             kText, call_zone_of, "Zones with summer time are not known."),
    time_row("ZoneOffset/of", "(ZoneOffset/of s)", "An offset from UTC, as its text.",
             {"(ZoneOffset/of \"+02:00\")", "\"+02:00\""}, kText, call_zone_of),
    time_row("DayOfWeek/of", "(DayOfWeek/of n)", "The weekday of a number, 1 for MONDAY.",
             {"(str (DayOfWeek/of 7))", "\"SUNDAY\""}, kTime, call_constant<TimeFamily::DayOfWeek>),
    time_row("DayOfWeek/valueOf", "(DayOfWeek/valueOf s)", "The weekday of a name like \"MONDAY\".",
             {"(.getValue (DayOfWeek/valueOf \"TUESDAY\"))", "2"}, kTime, call_constant<TimeFamily::DayOfWeek>),
    time_row("DayOfWeek/values", "(DayOfWeek/values)", "All weekdays, from MONDAY on.",
             {"(str (first (DayOfWeek/values)))", "\"MONDAY\""}, kinds::kVector, call_constants<TimeFamily::DayOfWeek>),
    time_row("Month/values", "(Month/values)", "All Months, from JANUARY on.",
             {"(str (last (Month/values)))", "\"DECEMBER\""}, kinds::kVector, call_constants<TimeFamily::Month>),
    time_row("DayOfWeek/from", "(DayOfWeek/from time)", "The weekday of a date or time.",
             {"(str (DayOfWeek/from (LocalDate/of 2024 2 29)))", "\"THURSDAY\""}, kTime, call_weekday_from),
    time_row("Month/of", "(Month/of n)", "The Month of a number, 1 for JANUARY.",
             {"(str (Month/of 2))", "\"FEBRUARY\""}, kTime, call_constant<TimeFamily::Month>),
    time_row("Month/valueOf", "(Month/valueOf s)", "The Month of a name like \"MAY\".",
             {"(.getValue (Month/valueOf \"MAY\"))", "5"}, kTime, call_constant<TimeFamily::Month>),
    time_row("Month/from", "(Month/from time)", "The Month of a date, time or YearMonth.",
             {"(str (Month/from (LocalDate/of 2024 2 29)))", "\"FEBRUARY\""}, kTime, call_month_from),
    time_row("ChronoUnit/valueOf", "(ChronoUnit/valueOf s)", "The unit of a name like \"DAYS\".",
             {"(= (ChronoUnit/valueOf \"DAYS\") ChronoUnit/DAYS)", "true"}, kTime,
             call_constant<TimeFamily::ChronoUnit>),
    time_row("Year/isLeap", "(Year/isLeap year)", "True if a year has 366 days.", {"(Year/isLeap 2024)", "true"},
             kinds::kBoolean, call_is_leap),
    time_row("Year/of", "(Year/of year)", "A year, as its number.", {"(.isLeap (Year/of 2024))", "true"},
             kinds::kNumber, call_year_of, "A year is a number."),
    time_row("Year/from", "(Year/from time)", "The year of a date, time or YearMonth, as its number.",
             {"(Year/from (LocalDate/of 2024 2 29))", "2024"}, kinds::kNumber, call_year_from, "A year is a number."),
    time_row(".isLeap", "(.isLeap year)", "True if a year has 366 days.", {"(.isLeap (Year/of 2023))", "false"},
             kinds::kBoolean, call_is_leap, "A year is a number."),
    time_row(".atMonth", "(.atMonth year month)", "The YearMonth of a month, 1 to 12 or a Month, of a year.",
             {"(str (.atMonth (Year/of 2024) 2))", "\"2024-02\""}, kTime, call_year_at_month, "A year is a number."),
    time_row("Instant/from", "(Instant/from time)", "The Instant of a ZonedDateTime.",
             {"(str (Instant/from (ZonedDateTime/parse \"2024-01-31T10:15+02:00\")))", "\"2024-01-31T08:15:00Z\""},
             kTime, call_instant_from),
    time_row("Duration/of", "(Duration/of n unit)", "A duration of n units.",
             {"(.toMinutes (Duration/of 2 ChronoUnit/HOURS))", "120"}, kTime, call_duration_of_units),
    time_row("Duration/ofNanos", "(Duration/ofNanos n)", "A duration of n nanoseconds.",
             {"(.toMillis (Duration/ofNanos 2000000))", "2"}, kTime, call_duration_of_nanos),
    time_row("Period/of", "(Period/of year month day)", "A period of years, months and days.",
             {"(str (Period/of 1 2 3))", "\"P1Y2M3D\""}, kTime, call_period_of),
    time_row("Period/ofWeeks", "(Period/ofWeeks n)", "A period of n weeks.", {"(str (Period/ofWeeks 2))", "\"P14D\""},
             kTime, call_period_of_units<0, 7>),
    time_row("Period/ofMonths", "(Period/ofMonths n)", "A period of n months.",
             {"(str (Period/ofMonths 3))", "\"P3M\""}, kTime, call_period_of_units<1, 0>),
    time_row("Period/ofYears", "(Period/ofYears n)", "A period of n years.", {"(str (Period/ofYears 3))", "\"P3Y\""},
             kTime, call_period_of_units<12, 0>),
    time_row("DateTimeFormatter/ofPattern",
             "(DateTimeFormatter/ofPattern fmt) (DateTimeFormatter/ofPattern fmt locale)",
             "A formatter for .format and the parsing functions: y M d E a H h m s S Q w X with text in quotes, as "
             "\"yyyy-MM-dd'T'HH:mm\".",
             {"(.format (LocalDate/of 2024 3 9) (DateTimeFormatter/ofPattern \"d MMM yyyy\"))", "\"9 Mar 2024\""},
             kText, call_of_pattern,
             "A formatter is its pattern, a text; names are English, and weeks (w, Y) begin on Sunday: IsoFields has "
             "those of ISO."),
    time_row(".format", "(.format time formatter) (.format formatter x)",
             "A date or time as the text that a formatter describes; a number as a DecimalFormat has it, a Date as a "
             "SimpleDateFormat.",
             {"(.format (LocalDate/of 2024 3 9) (DateTimeFormatter/ofPattern \"dd.MM.yyyy\"))", "\"09.03.2024\""},
             kText, call_format),
    of_text(time_row(".parse", "(.parse formatter s)",
                     "What a text says by a formatter: a ZonedDateTime, LocalDateTime, LocalDate, LocalTime or "
                     "YearMonth; by a SimpleDateFormat a Date.",
                     {"(str (.parse (DateTimeFormatter/ofPattern \"dd.MM.yyyy\") \"09.03.2024\"))", "\"2024-03-09\""},
                     kTime, call_parse, "Gives the time itself: LocalDate/from and its like take it.")),
    time_row(".withZone", "(.withZone formatter zone)", "A formatter as it is, which writes instants in UTC.",
             {"(.format (.withZone (DateTimeFormatter/ofPattern \"HH:mm\") ZoneOffset/UTC) (Instant/ofEpochMilli 0))",
              "\"00:00\""},
             kText, call_with_zone, "Another zone than UTC is an error: (.atZone instant zone) moves the time."),
    time_row(".withLocale", "(.withLocale formatter locale)", "A formatter as it is: names are English.",
             {"(.withLocale (DateTimeFormatter/ofPattern \"MMM\") Locale/US)", "\"MMM\""}, kText, call_with_locale,
             "Names are English, whatever the locale."),
    of_text(time_row("SimpleDateFormat.", "(SimpleDateFormat. fmt) (SimpleDateFormat. fmt locale)",
                     "A formatter of java.util.Date, for .format and .parse, in UTC.",
                     {"(.format (SimpleDateFormat. \"dd.MM.yyyy\") (java.util.Date. 0))", "\"01.01.1970\""}, kText,
                     call_new_date_format, "The zone is UTC, names are English.")),
    time_row("TimeZone/getTimeZone", "(TimeZone/getTimeZone s)", "A zone, as its text: UTC or an offset.",
             {"(TimeZone/getTimeZone \"UTC\")", "\"UTC\""}, kText, call_zone_of,
             "Zones with summer time are not known."),
    time_row(".setTimeZone", "(.setTimeZone formatter zone)", "nil: a SimpleDateFormat is in UTC.",
             {"(.setTimeZone (SimpleDateFormat. \"HH\") (TimeZone/getTimeZone \"UTC\"))", "nil"}, kinds::kNil,
             call_set_zone, "Another zone than UTC is an error."),
    of_text(
        time_row("DecimalFormat.", "(DecimalFormat. fmt)",
                 "A format of numbers for .format, such as \"#,##0.00\" or \"0.0%\"; a half goes to the even digit.",
                 {"(.format (DecimalFormat. \"#,##0.00\") 1234.5)", "\"1,234.50\""}, kText, call_new_decimal_format,
                 "Exponents and currencies are not known.")),
};

} // namespace

std::span<const Builtin> time_class_builtins() { return kRows; }

} // namespace ptc
