// Each kind of value has one form as a text, which append_time or pr-str writes; a text that has another form is none.
#include "subagent/engine/opaque_values.h"
#include "runtime/regex.h"
#include "runtime/string.h"
#include "runtime/time.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace ptc {
namespace {

using Made = std::optional<Result<Value>>;
constexpr const char* kWho = "task";

/// Takes a number off the front of `text`; false when none is there.
bool take_number(std::string_view& text, std::int64_t* number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

Made date(Heap& heap, std::string_view text) {
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind != ParsedTime::Kind::Date) return std::nullopt;
    return make_parsed_time(heap, parsed);
}

Made instant(Heap& heap, std::string_view text) {
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind != ParsedTime::Kind::Instant) return std::nullopt;
    return make_parsed_time(heap, parsed);
}

// With a zone or without, which are two types of one name.
Made date_and_time(Heap& heap, std::string_view text) {
    constexpr std::string_view kUtc = "[UTC]";
    const bool is_named = text.ends_with(kUtc);
    const ParsedTime parsed = parse_iso_time(is_named ? text.substr(0, text.size() - kUtc.size()) : text);
    if (parsed.kind != ParsedTime::Kind::Instant || (is_named && !parsed.has_offset)) return std::nullopt;
    if (!parsed.has_offset) return make_local_date_time(heap, parsed.a, parsed.b, kWho);
    const std::int64_t zone = is_named ? kNamedUtc : parsed.offset_minutes + kNoOffset;
    return make_zoned(heap, parsed.a, parsed.b, zone, kWho);
}

Made time_of_day(Heap& heap, std::string_view text) {
    std::int64_t millis = 0, nanos = 0;
    if (!parse_time_of_day(text, &millis, &nanos)) return std::nullopt;
    return make_local_time(heap, millis, nanos);
}

Made month_of_year(Heap& heap, std::string_view text) {
    std::int64_t year = 0, month = 0;
    const bool is_before = take(text, "-");
    if (!take_number(text, &year) || !take(text, "-") || !take_number(text, &month) || !text.empty() || month < 1 ||
        month > 12 || year > 9999)
        return std::nullopt;
    return make_year_month(heap, (is_before ? -year : year) * 12 + month - 1, kWho);
}

Made duration(Heap& heap, std::string_view text) {
    std::int64_t millis = 0, nanos = 0;
    if (!take(text, "#duration[") || !take_number(text, &millis) || !take(text, "ms")) return std::nullopt;
    if (take(text, " ") && (!take_number(text, &nanos) || !take(text, "ns"))) return std::nullopt;
    if (text != "]" || nanos < 0 || nanos > 999'999) return std::nullopt;
    return make_duration(heap, millis, nanos);
}

Made period(Heap& heap, std::string_view text) {
    std::int64_t years = 0, months = 0, days = 0;
    if (!take(text, "P")) return std::nullopt;
    for (std::int64_t number = 0; !text.empty();) {
        if (!take_number(text, &number)) return std::nullopt;
        if (take(text, "Y"))
            years = number;
        else if (take(text, "M"))
            months = number;
        else if (take(text, "D"))
            days = number;
        else
            return std::nullopt;
    }
    if (__builtin_mul_overflow(years, 12, &years) || __builtin_add_overflow(years, months, &months))
        return std::nullopt;
    return make_period(heap, months, days);
}

Made symbol(Heap& heap, std::string_view text) {
    if (!take(text, "'") || text.empty()) return std::nullopt;
    return make_symbol(heap, text);
}

// #"..", as pr-str writes it: a quote of the pattern has a backslash there, with which it means the same.
Made regex(Heap& heap, std::string_view text) {
    if (!take(text, "#\"") || !text.ends_with('"')) return std::nullopt;
    text.remove_suffix(1);
    return make_regex(heap, text);
}

struct OpaqueKind {
    std::string_view type; ///< as type_name has it
    Made (*read)(Heap&, std::string_view);
};
constexpr std::array<OpaqueKind, 9> kKinds{{{"date", date},
                                            {"instant", instant},
                                            {"date and time", date_and_time},
                                            {"time of day", time_of_day},
                                            {"month of a year", month_of_year},
                                            {"duration", duration},
                                            {"period", period},
                                            {"symbol", symbol},
                                            {"regex", regex}}};

const OpaqueKind* kind_of(std::string_view type) {
    const auto* const found = std::ranges::find(kKinds, type, &OpaqueKind::type);
    return found == kKinds.end() ? nullptr : found;
}

/// Java's enums are types of their own.
std::optional<TimeFamily> family_of(std::string_view type) {
    for (std::size_t i = 0; i < kTimeFamilies; ++i) {
        if (type == names_of(static_cast<TimeFamily>(i)).family) return static_cast<TimeFamily>(i);
    }
    return std::nullopt;
}

} // namespace

bool is_readable(std::string_view type) { return kind_of(type) || family_of(type); }

std::string whole_time_text(const Value& time) {
    std::string text;
    append_time(time, text);
    if (!time.is(ObjectType::Duration) || as_time(time).b == 0) return text;
    text.pop_back();
    return text + " " + std::to_string(as_time(time).b) + "ns]";
}

std::optional<Result<Value>> value_of_opaque(Heap& heap, std::string_view type, std::string_view text) {
    if (const OpaqueKind* kind = kind_of(type)) return kind->read(heap, text);
    const std::optional<TimeFamily> family = family_of(type);
    if (!family) return std::nullopt;
    const auto names = names_of(*family).values;
    const auto found = std::ranges::find(names, text, [](const char* name) { return std::string_view(name); });
    if (found == names.end()) return std::nullopt;
    return make_time_constant(heap, *family, static_cast<std::size_t>(found - names.begin()));
}

} // namespace ptc
