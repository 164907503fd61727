// The parts of ptc/typed.h that need no template: how C++ types are put together as signature types, and what is said
// of a value that does not fit one.
#include "ptc/typed.h"

#include "frontend/utf8.h"
#include "runtime/number.h"
#include "runtime/time.h"
#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

namespace ptc::typed {
namespace {

constexpr std::size_t kMaxShown = 60;

std::string describe(const Datum& datum) {
    if (datum.is_nil()) return "nil";
    if (datum.list()) return "list";
    if (datum.map()) return "map";
    if (datum.get_if<Datum::Set>()) return "set";
    if (const bool* value = datum.get_if<bool>()) return *value ? "bool true" : "bool false";
    const std::string json = datum.to_json();
    const std::string shown = json.size() <= kMaxShown ? json : std::string(utf8::prefix(json, kMaxShown)) + "…";
    if (datum.text()) return "string " + shown;
    if (datum.get_if<Datum::Keyword>()) return "keyword " + shown;
    return (datum.get_if<double>() ? "float " : datum.get_if<Datum::Opaque>() ? "" : "int ") + shown;
}

} // namespace

void add_alternative(Type& alternatives, Type type) {
    alternatives.is_optional = alternatives.is_optional || type.is_optional;
    type.is_optional = false;
    if (!type.is(TypeKind::Union)) {
        alternatives.items.push_back(std::move(type));
        return;
    }
    std::ranges::move(type.items, std::back_inserter(alternatives.items));
}

std::string plain_function_name(std::string_view written) {
    std::string name(written.substr(written.starts_with('&') ? 1 : 0));
    for (const std::string_view nameless : {"(anonymous namespace)::", "{anonymous}::", "<unnamed>::"}) {
        for (std::size_t at = name.find(nameless); at != std::string::npos; at = name.find(nameless))
            name.erase(at, nameless.size());
    }
    return name.substr(0, name.find('('));
}

std::string Path::text() const {
    std::string text = parent ? parent->text() : "";
    if (!parent) return text;
    if (field.empty()) return text + "[" + std::to_string(index) + "]";
    return text + (text.empty() ? "" : ".") + std::string(field);
}

Error mismatch(const Path& path, std::string_view expected, const Datum& got) {
    const std::string place = path.text();
    return Error(Reason::ValidationError,
                 (place.empty() ? "" : place + ": ") + "expected " + std::string(expected) + ", got " + describe(got));
}

Result<std::uint64_t> read_integer(const Datum& datum, IntegerRange range, const Path* path) {
    const auto* small = datum.get_if<std::int64_t>();
    const auto* big = datum.get_if<Datum::BigInteger>();
    if (small && *small >= range.least && (*small < 0 || static_cast<std::uint64_t>(*small) <= range.most))
        return static_cast<std::uint64_t>(*small);
    if (big && range.most > INT64_MAX) {
        std::uint64_t value = 0;
        const char* end = big->digits.data() + big->digits.size();
        if (std::from_chars(big->digits.data(), end, value).ec == std::errc()) return value;
    }
    const std::string within = "int from " + std::to_string(range.least) + " to " + std::to_string(range.most);
    return mismatch(path ? *path : Path(), small || big ? within : "int", datum);
}

Result<double> read_float(const Datum& datum, const Path* path) {
    double value = 0;
    if (datum.to_double(&value)) return value;
    return mismatch(path ? *path : Path(), "float", datum);
}

Result<bool> read_bool(const Datum& datum, const Path* path) {
    if (const bool* value = datum.get_if<bool>()) return *value;
    return mismatch(path ? *path : Path(), "bool", datum);
}

Result<std::string_view> view_text(const Datum& datum, const Path* path) {
    if (const auto* keyword = datum.get_if<Datum::Keyword>()) return std::string_view(keyword->name);
    if (datum.text()) return std::string_view(*datum.text());
    return mismatch(path ? *path : Path(), "string", datum);
}

Result<std::string> read_text(const Datum& datum, const Path* path) {
    return view_text(datum, path).transform([](std::string_view text) { return std::string(text); });
}

std::optional<std::int64_t> read_time(std::string_view text) {
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind != ParsedTime::Kind::Instant || !parsed.has_offset) return std::nullopt;
    return parsed.a * 1000 + parsed.b / 1000;
}

std::string write_time(std::int64_t microseconds) {
    Heap heap;
    const std::int64_t millis = microseconds / 1000 - (microseconds % 1000 < 0 ? 1 : 0);
    const Result<Value> instant = make_instant(heap, millis, (microseconds - millis * 1000) * 1000, "time");
    std::string text;
    if (instant.ok()) append_time(instant.value(), text);
    return text;
}

Datum from_json_value(const boost::json::value& value) {
    switch (value.kind()) {
    case boost::json::kind::null: return Datum();
    case boost::json::kind::bool_: return Datum(value.get_bool());
    case boost::json::kind::int64: return Datum(std::int64_t{value.get_int64()});
    case boost::json::kind::uint64: return encode(std::uint64_t{value.get_uint64()});
    case boost::json::kind::double_: return Datum(value.get_double());
    case boost::json::kind::string: return Datum(std::string_view(value.get_string()));
    case boost::json::kind::array: {
        Datum::List items;
        for (const boost::json::value& item : value.get_array())
            items.push_back(from_json_value(item));
        return Datum(std::move(items));
    }
    case boost::json::kind::object: {
        Datum::Map entries;
        for (const auto& entry : value.get_object())
            entries.emplace_back(Datum(std::string_view(entry.key())), from_json_value(entry.value()));
        return Datum(std::move(entries));
    }
    }
    return Datum();
}

boost::json::value to_json_value(const Datum& datum) {
    if (datum.is_nil()) return nullptr;
    if (const bool* flag = datum.get_if<bool>()) return *flag;
    if (const auto* whole = datum.get_if<std::int64_t>()) return *whole;
    if (const double* number = datum.get_if<double>()) return *number;
    if (const auto* big = datum.get_if<Datum::BigInteger>()) {
        std::uint64_t whole = 0;
        const char* end = big->digits.data() + big->digits.size();
        if (std::from_chars(big->digits.data(), end, whole).ec == std::errc()) return whole;
        return std::strtod(big->digits.c_str(), nullptr); // the nearest number that JSON values can hold here
    }
    if (const std::string* text = datum.text()) return boost::json::string(*text);
    if (const auto* keyword = datum.get_if<Datum::Keyword>()) return boost::json::string(keyword->name);
    if (const auto* opaque = datum.get_if<Datum::Opaque>()) return boost::json::string(opaque->text);
    if (const auto* entries = datum.map()) {
        boost::json::object object;
        for (const auto& [key, value] : *entries) {
            const auto* keyword = key.get_if<Datum::Keyword>();
            object[keyword ? keyword->name : key.text() ? *key.text() : key.to_json()] = to_json_value(value);
        }
        return object;
    }
    boost::json::array array;
    const auto* set = datum.get_if<Datum::Set>();
    for (const Datum& item : set ? set->items : *datum.list())
        array.push_back(to_json_value(item));
    return array;
}

} // namespace ptc::typed
