// Cache keys: a tool and its arguments in a normal form, as text. Models write one call in many ways
// (hyphens or underscores, 1 or 1.0, another order), and a tool that is cached must not be called twice for that.
// Values of different types stay different, so the key of a keyword is not the key of a text with its letters.
#include "ptc/cache_key.h"

#include "frontend/json_text.h"
#include "ptc/type.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ptc {
namespace {

constexpr double kInt64Edge = 9223372036854775808.0; // 2^63

/// Exact: a double without a fraction is an integer of at most 309 digits.
Datum whole_number(double number) {
    if (number >= -kInt64Edge && number < kInt64Edge) return Datum(static_cast<std::int64_t>(number));
    char digits[320];
    const int size = std::snprintf(digits, sizeof digits, "%.0f", number);
    return Datum(Datum::BigInteger{std::string(digits, static_cast<std::size_t>(size))});
}

enum class Names : std::uint8_t { Normal, AsWritten };

Datum canonical(const Datum& arguments, Names names);

std::string key_name(const Datum& key, Names names) {
    const auto* keyword = key.get_if<Datum::Keyword>();
    if (!keyword && !key.text()) return canonical(key, names).to_json();
    const std::string& name = keyword ? keyword->name : *key.text();
    return names == Names::Normal ? normalized_name(name) : name;
}

Datum canonical_map(const Datum::Map& entries, Names names) {
    Datum::Map out;
    for (const auto& [key, value] : entries)
        out.emplace_back(Datum(key_name(key, names)), canonical(value, names));
    std::ranges::stable_sort(out, {}, [](const auto& entry) -> const std::string& { return *entry.first.text(); });
    return Datum(std::move(out));
}

Datum::List canonical_items(const Datum::List& items, Names names) {
    Datum::List out;
    out.reserve(items.size());
    for (const Datum& item : items)
        out.push_back(canonical(item, names));
    return out;
}

Datum canonical(const Datum& arguments, Names names) {
    if (const double* number = arguments.get_if<double>())
        return std::isfinite(*number) && std::trunc(*number) == *number ? whole_number(*number) : arguments;
    if (const Datum::List* items = arguments.list()) return Datum(canonical_items(*items, names));
    if (const auto* set = arguments.get_if<Datum::Set>()) return Datum(Datum::Set{canonical_items(set->items, names)});
    if (const Datum::Map* entries = arguments.map()) return canonical_map(*entries, names);
    return arguments;
}

void append_key(std::string& out, const Datum& value);

void append_items(std::string& out, const Datum::List& items) {
    for (const Datum& item : items) {
        append_key(out, item);
        out += ',';
    }
}

/// Like JSON, but every type looks different.
void append_key(std::string& out, const Datum& value) {
    if (const auto* keyword = value.get_if<Datum::Keyword>()) {
        out += ':';
        append_json_string(out, keyword->name);
    } else if (const auto* opaque = value.get_if<Datum::Opaque>()) {
        (out += '#') += opaque->type;
        append_json_string(out, opaque->text);
    } else if (const auto* set = value.get_if<Datum::Set>()) {
        std::vector<std::string> members;
        for (const Datum& item : set->items)
            append_key(members.emplace_back(), item);
        std::ranges::sort(members);
        out += "#{";
        for (const std::string& member : members)
            (out += member) += ',';
        out += '}';
    } else if (const Datum::List* items = value.list()) {
        out += '[';
        append_items(out, *items);
        out += ']';
    } else if (const Datum::Map* entries = value.map()) {
        out += '{';
        for (const auto& [key, item] : *entries) {
            append_json_string(out, *key.text());
            out += ':';
            append_key(out, item);
            out += ',';
        }
        out += '}';
    } else if (const double* number = value.get_if<double>(); number && !std::isfinite(*number)) {
        out += std::isnan(*number) ? "##NaN" : *number > 0 ? "##Inf" : "##-Inf";
    } else {
        out += value.to_json();
    }
}

std::string key_of(std::string_view tool, const Datum& canonical_form) {
    std::string key;
    append_json_string(key, tool);
    append_key(key, canonical_form);
    return key;
}

} // namespace

Datum canonical_arguments(const Datum& arguments) { return canonical(arguments, Names::Normal); }
Datum canonical_input(const Datum& arguments) { return canonical(arguments, Names::AsWritten); }

std::string cache_key(std::string_view tool, const Datum& arguments) {
    return key_of(tool, canonical_arguments(arguments));
}
std::string input_cache_key(std::string_view tool, const Datum& arguments) {
    return key_of(tool, canonical_input(arguments));
}

} // namespace ptc
