// Making dates, instants, durations and periods as java.time and java.util.Date do (spec 8.14). A Date is an Instant;
// all clocks are UTC.
#include "frontend/try.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_arguments.h"
#include "runtime/number.h"
#include <algorithm>
#include <array>
#include <optional>

namespace ptc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// ---- making

/// An ISO time with a zone or offset: Java's Instant.parse wants one (GAP-J06).
bool names_a_zone(std::string_view text) {
    std::size_t time = text.find_first_of("Tt");
    return time != std::string_view::npos && text.find_first_of("Zz+-", time) != std::string_view::npos;
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
    ParsedTime parsed = parse_iso_time(text, TimeSeparator::TOrSpace);
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
    constexpr TimeTypes kTakes = kWithHour | types_of_time({ObjectType::Instant});
    PTC_CHECK(time_argument(call, args, 1, kTakes));
    PTC_CHECK(time_argument(call, args, 2, kTakes));
    if (args[0].type() != args[1].type())
        return mixed_times(call.who(), time_class_name(args[0].type()), time_class_name(args[1].type()));
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

Result<Value> call_period_between(Call& call, Args args) {
    const TimeObject& start = *PTC_TRY(time_argument(call, args, 1, ObjectType::LocalDate));
    const TimeObject& end = *PTC_TRY(time_argument(call, args, 2, ObjectType::LocalDate));
    return period_between(call.heap, start.a, end.a);
}

constexpr Builtin kRows[] = {
    {.name = "parse",
     .usage = "(parse s)",
     .doc = "The date of \"2024-01-31\", or the instant of a text with a time; UTC when it has no offset.",
     .example = {"(str (parse \"2024-01-31T10:00:00\"))", "\"2024-01-31T10:00:00Z\""},
     .category = Category::Interop,
     .gives = {kinds::kAny},
     .model = BoundModel::OfTime,
     .call = call_parse,
     .differs = "Not in Clojure."},
    {.name = "LocalDate/ofEpochDay",
     .usage = "(LocalDate/ofEpochDay n)",
     .doc = "The date n days after 1970-01-01.",
     .example = {"(str (LocalDate/ofEpochDay 19782))", "\"2024-02-29\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_of_epoch_day},
    {.name = "LocalDate/now",
     .usage = "(LocalDate/now)",
     .doc = "Today's date, in UTC.",
     .example = {"(.isAfter (LocalDate/now) (LocalDate/of 2000 1 1))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_local_date_now,
     .effect = SideEffect::Time},
    {.name = "Instant/parse",
     .usage = "(Instant/parse s)",
     .doc = "The instant of a text like \"2024-01-31T10:00:00Z\", with Z or an offset.",
     .example = {"(str (Instant/parse \"2024-01-02T03:04:05+02:00\"))", "\"2024-01-02T01:04:05Z\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_instant_parse},
    {.name = "Instant/now",
     .usage = "(Instant/now)",
     .doc = "The current instant.",
     .example = {"(pos? (.toEpochMilli (Instant/now)))", "true"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_instant_now,
     .effect = SideEffect::Time},
    {.name = "Instant/ofEpochMilli",
     .usage = "(Instant/ofEpochMilli n)",
     .doc = "The instant n milliseconds after 1970-01-01T00:00Z.",
     .example = {"(str (Instant/ofEpochMilli 1500))", "\"1970-01-01T00:00:01.500Z\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_of_epoch<1>},
    {.name = "Instant/ofEpochSecond",
     .usage = "(Instant/ofEpochSecond n)",
     .doc = "The instant n seconds after 1970-01-01T00:00Z.",
     .example = {"(str (Instant/ofEpochSecond 2))", "\"1970-01-01T00:00:02Z\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_of_epoch<1000>},
    {.name = "java.util.Date.",
     .usage = "(java.util.Date.) (java.util.Date. x)",
     .doc = "The current instant, or that of milliseconds since 1970, an ISO-8601 or RFC 2822 text, a date (midnight "
            "UTC) or an instant.",
     .example = {"(.getTime (java.util.Date. \"1970-01-01T00:00:02Z\"))", "2000"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_date,
     .effect = SideEffect::Time,
     .differs = "Gives an Instant; ISO-8601 texts are read too."},
    {.name = "Duration/between",
     .usage = "(Duration/between start end)",
     .doc = "The length of time from one instant, LocalDateTime or LocalTime to another.",
     .example = {"(.toDays (Duration/between (Instant/parse \"2024-01-01T00:00:00Z\") (Instant/parse "
                 "\"2024-01-03T12:00:00Z\")))",
                 "2"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_between},
    {.name = "Duration/parse",
     .usage = "(Duration/parse s)",
     .doc = "The duration of a text like \"PT1H30M\".",
     .example = {"(.toMinutes (Duration/parse \"PT1H30M\"))", "90"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_parse},
    {.name = "Duration/ofDays",
     .usage = "(Duration/ofDays n)",
     .doc = "A duration of n days of 24 hours.",
     .example = {"(.toHours (Duration/ofDays 2))", "48"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_of<kMillisPerDay>},
    {.name = "Duration/ofHours",
     .usage = "(Duration/ofHours n)",
     .doc = "A duration of n hours.",
     .example = {"(.toMinutes (Duration/ofHours 2))", "120"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_of<kMillisPerHour>},
    {.name = "Duration/ofMinutes",
     .usage = "(Duration/ofMinutes n)",
     .doc = "A duration of n minutes.",
     .example = {"(.toMillis (Duration/ofMinutes 2))", "120000"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_of<kMillisPerMinute>},
    {.name = "Duration/ofSeconds",
     .usage = "(Duration/ofSeconds n)",
     .doc = "A duration of n seconds.",
     .example = {"(.toMillis (Duration/ofSeconds 2))", "2000"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_of<kMillisPerSecond>},
    {.name = "Duration/ofMillis",
     .usage = "(Duration/ofMillis n)",
     .doc = "A duration of n milliseconds.",
     .example = {"(str (Duration/ofMillis 1500))", "\"#duration[1500ms]\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_duration_of<1>},
    {.name = "Period/between",
     .usage = "(Period/between start end)",
     .doc = "The years, months and days from one date to another.",
     .example = {"(str (Period/between (LocalDate/of 2024 1 31) (LocalDate/of 2025 3 1)))", "\"P1Y1M1D\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_period_between},
    {.name = "Period/ofDays",
     .usage = "(Period/ofDays n)",
     .doc = "A period of n days.",
     .example = {"(str (Period/ofDays 3))", "\"P3D\""},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_period_of_days},
    {.name = "Period/parse",
     .usage = "(Period/parse s)",
     .doc = "The period of a text like \"P1Y2M3D\".",
     .example = {"(.getMonths (Period/parse \"P1Y2M3D\"))", "2"},
     .category = Category::Interop,
     .gives = {kinds::kTime},
     .model = BoundModel::OfTime,
     .call = call_period_parse},
};

} // namespace

std::span<const Builtin> time_builtins() { return kRows; }

} // namespace ptc
