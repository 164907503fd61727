// Three questions about one value and one type: does it fit, can it be coerced (and to what), and how is a mismatch
// described. Containers are looked at from outside only; the check instructions of a validator walk into them. What may
// be coerced is in the requirements (36 to 39); values that come from a tool or a model as text are the reason for it.
#include "runtime/signature/scalar_check.h"

#include "frontend/utf8.h"
#include "runtime/number.h"
#include "runtime/signature/type_rules.h"
#include "runtime/string.h"
#include "runtime/time.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace ptc {
namespace {

constexpr std::size_t kMaxShown = 60; ///< bytes of a text in a message

/// A number, text, keyword, boolean or nil, as the rules look at it; of other values only the kind.
Scalar scalar_of(const Value& v) {
    Scalar scalar;
    scalar.kind = kind_of(v.raw());
    switch (scalar.kind) {
    case ValueKind::Bool: scalar.is_true = v.is_true(); break;
    case ValueKind::Int:
        scalar.is_wide = !fits_int64(v, &scalar.integer);
        if (scalar.is_wide) scalar.integer = is_negative(v) ? -1 : 1;
        break;
    case ValueKind::Float: scalar.number = v.as_double(); break;
    case ValueKind::String:
    case ValueKind::Keyword: scalar.text = text_of(v); break;
    default: break;
    }
    return scalar;
}

bool is_keyword_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("+-*<>=?!_").find(c) != std::string_view::npos;
}

/// A text that could be a keyword's name: outside of a program keywords are texts.
bool is_keyword_name(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_keyword_char); }

/// Whether `v` fits as it is.
bool fits(const Type& type, const Value& v, const ScalarCheckOptions& options) {
    if (v.is_nil() && type.is_optional) return true;
    if (v.is_hole()) return type.is_optional;
    if (type.is(TypeKind::Union))
        return std::ranges::any_of(type.items, [&](const Type& item) { return fits(item, v, options); });
    if (type.is(TypeKind::Enum))
        return std::ranges::any_of(type.choices, [&](const Choice& choice) { return is_choice(choice, scalar_of(v)); });
    if (is_in(kinds_of_type(type.kind, options.widens), v.raw()))
        return type.bounds.empty() || is_within(type, scalar_of(v));
    // Requirement 22: where results leave the sandbox a keyword is a text, so a text that could be one passes.
    return type.is(TypeKind::Keyword) && !options.coerces && v.is_string() && is_keyword_name(text_of(v));
}

// ---- Coercion

std::string shown(std::string_view text) {
    const std::string_view kept = utf8::prefix(text, kMaxShown);
    std::string out = "\"";
    for (const char c : kept) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    out += '"';
    if (kept.size() < text.size()) out += "… (" + std::to_string(text.size()) + " bytes)";
    return out;
}

ScalarCheck changed(Result<Value> value, std::string warning) {
    if (!value.ok()) return {ScalarFit::Failed, {}, {}, value.take_error()};
    return {ScalarFit::Changed, std::move(value).value(), std::move(warning), {}};
}

ScalarCheck mismatch() { return {ScalarFit::Mismatch, {}, {}, {}}; }

/// The value if it is inside of the type's bounds.
ScalarCheck changed_within(const Type& type, Result<Value> value, std::string warning) {
    if (value.ok() && !is_within(type, scalar_of(value.value()))) return mismatch();
    return changed(std::move(value), std::move(warning));
}

std::string coerced(std::string_view text, std::string_view type) {
    return "coerced string " + shown(text) + " to " + std::string(type);
}

ScalarCheck text_to_int(Heap& heap, const Type& type, std::string_view text) {
    if (!is_integer_text(text)) return mismatch();
    if (text.front() == '+') return changed_within(type, parse_integer(heap, text.substr(1)), coerced(text, "int"));
    return changed_within(type, parse_integer(heap, text), coerced(text, "int"));
}

ScalarCheck text_to_float(const Type& type, std::string_view text) {
    const std::string_view written = trim_blanks(text);
    if (!is_float_text(written)) return mismatch();
    const std::string_view digits = written.substr(written.front() == '+');
    double number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc()) return mismatch();
    return changed_within(type, Value::number(number), coerced(text, "float"));
}

ScalarCheck text_to_datetime(Heap& heap, std::string_view text, bool warns) {
    const ParsedTime parsed = parse_iso_time(text);
    if (parsed.kind != ParsedTime::Kind::Instant || !parsed.has_offset) return mismatch();
    std::string warning;
    if (warns) warning = coerced(text, "datetime");
    if (warns && parsed.offset_minutes != 0) warning += ": non-UTC offset, normalized to UTC";
    return changed(make_parsed_time(heap, parsed), std::move(warning));
}

ScalarCheck text_to_choice(Heap& heap, const Type& type, std::string_view text) {
    for (const Choice& choice : type.choices) {
        if (const auto* i = std::get_if<std::int64_t>(&choice)) {
            if (text == std::to_string(*i)) return changed(make_integer(heap, *i), coerced(text, "int"));
        } else if (const auto* b = std::get_if<bool>(&choice)) {
            if (text == (*b ? "true" : "false")) return changed(Value::boolean(*b), coerced(text, "bool"));
        }
    }
    return mismatch();
}

ScalarCheck coerce_text(Heap& heap, const Type& type, std::string_view text) {
    switch (type.kind) {
    case TypeKind::Int: return text_to_int(heap, type, text);
    case TypeKind::Float: return text_to_float(type, text);
    case TypeKind::Bool:
        if (!is_bool_text(text)) return mismatch();
        return changed(Value::boolean(text == "true"), coerced(text, "bool"));
    case TypeKind::Keyword:
        if (!is_keyword_name(text)) return mismatch();
        return changed(make_keyword(heap, text), coerced(text, "keyword"));
    case TypeKind::DateTime: return text_to_datetime(heap, text, true);
    case TypeKind::Enum: return text_to_choice(heap, type, text);
    default: return mismatch();
    }
}

/// Requirements 36 to 39, and keywords, which a tool sees as texts anyway.
ScalarCheck coerce(Heap& heap, const Type& type, const Value& v) {
    if (v.is_string()) return coerce_text(heap, type, text_of(v));
    if (!type.is(TypeKind::String)) return mismatch();
    if (v.is_keyword()) {
        const std::string_view name = text_of(v);
        return changed(make_string(heap, name),
                       "coerced keyword :" + std::string(utf8::prefix(name, kMaxShown)) + " to string");
    }
    if (!v.is(ObjectType::Instant) && !v.is(ObjectType::LocalDate)) return mismatch();
    std::string text;
    append_time(v, text);
    return changed(make_string(heap, text), "coerced datetime " + text + " to string");
}

template <class Try> ScalarCheck first_that_fits(const Type& type, Try attempt) {
    if (!type.is(TypeKind::Union)) return attempt(type);
    for (const Type& item : type.items) {
        ScalarCheck checked = attempt(item);
        if (checked.fit != ScalarFit::Mismatch) return checked;
    }
    return mismatch();
}

ScalarCheck widen(const Type& type, const Value& v) {
    if (!type.is(TypeKind::Float) || !v.is_integer()) return mismatch();
    return changed_within(type, Value::number(to_double(v)), "");
}

// ---- Wording

std::string describe(const Value& v) {
    switch (kind_of(v.raw())) {
    case ValueKind::Absent:
    case ValueKind::Nil: return "nil";
    case ValueKind::Bool: return v.is_true() ? "bool true" : "bool false";
    case ValueKind::Int: {
        if (v.is_small_integer()) return "int " + std::to_string(v.small_integer());
        std::int64_t i = 0;
        return fits_int64(v, &i) ? "int " + std::to_string(i) : "int of more than 64 bits";
    }
    case ValueKind::Float: return "float " + number_to_text(v);
    case ValueKind::String: return "string " + shown(text_of(v));
    case ValueKind::Keyword: return "keyword :" + std::string(utf8::prefix(text_of(v), kMaxShown));
    case ValueKind::List: return "list";
    case ValueKind::Map: return "map";
    case ValueKind::Set: return "set";
    case ValueKind::DateTime: return "datetime";
    case ValueKind::Other: break;
    }
    if (v.is_function()) return "function";
    return v.is(ObjectType::LocalDate) ? "date" : v.is(ObjectType::Regex) ? "regex" : "other value";
}

bool is_of_maps(const Type& type) { return type.is(TypeKind::Record) || type.is(TypeKind::Map); }

/// Whether a union has to show what an alternative is made of: `map|map` would not say which is which.
bool needs_its_parts(const Type& alternative, const std::vector<Type>& alternatives) {
    if (alternative.is(TypeKind::Record)) return std::ranges::count_if(alternatives, is_of_maps) > 1;
    return alternative.is(TypeKind::List) && std::ranges::count(alternatives, TypeKind::List, &Type::kind) > 1;
}

void append_expected(std::string& out, const Type& type) {
    switch (type.kind) {
    case TypeKind::List: out += "list"; return;
    case TypeKind::Record: out += "map"; return;
    case TypeKind::Union:
        for (const Type& item : type.items) {
            if (&item != &type.items.front()) out += '|';
            if (needs_its_parts(item, type.items))
                append_type_text(out, item);
            else
                append_expected(out, item);
        }
        return;
    default: {
        Type bare(type.kind);
        bare.choices = type.choices;
        bare.bounds = type.bounds;
        out += type_text(bare).substr(1);
        return;
    }
    }
}

/// "int", "string|nil", "enum[open done]"; what is cut is said.
std::string expected(const Type& type) {
    constexpr std::size_t kMaxBytes = 200;
    std::string text;
    append_expected(text, type);
    const std::string_view kept = utf8::prefix(text, kMaxBytes);
    if (kept.size() == text.size()) return text;
    return std::string(kept) + "… (" + std::to_string(text.size() - kept.size()) + " more bytes)";
}

bool accepts_nil(const Type& type) { return type.is(TypeKind::Any) || fits(type, Value(), {}); }

} // namespace

bool is_scalar(const Type& type) {
    return !type.is(TypeKind::List) && !type.is(TypeKind::Record) && std::ranges::all_of(type.items, is_scalar);
}

KindMask accepted_kinds(const Type& type, bool coerces) {
    unsigned mask = type.bounds.empty() ? kinds_of_type(type.kind, coerces) : 0;
    if (type.is(TypeKind::Union)) {
        for (const Type& item : type.items)
            mask |= accepted_kinds(item, coerces);
    }
    if (type.is_optional) mask |= kind_bit(ValueKind::Nil) | kind_bit(ValueKind::Absent);
    return static_cast<KindMask>(mask);
}

ScalarCheck check_scalar(Heap& heap, const Type& type, const Value& v, const ScalarCheckOptions& options) {
    const std::size_t size = v.is_string() || v.is_keyword() ? text_of(v).size() : 0;
    const std::int64_t cost = 4 + static_cast<std::int64_t>(size / 16 + type.choices.size() + type.items.size());
    if (!heap.meter.charge(cost)) return {ScalarFit::Failed, {}, {}, ErrorPtr(heap.meter.error())};
    if (fits(type, v, options)) return {};
    if (v.is_hole() || v.is_nil()) return mismatch();
    if (options.widens) {
        ScalarCheck wider = first_that_fits(type, [&](const Type& t) { return widen(t, v); });
        if (wider.fit != ScalarFit::Mismatch) return wider;
    }
    if (options.coerces) return first_that_fits(type, [&](const Type& t) { return coerce(heap, t, v); });
    if (!options.reads_times || !v.is_string()) return mismatch();
    return first_that_fits(type, [&](const Type& t) {
        return t.is(TypeKind::DateTime) ? text_to_datetime(heap, text_of(v), false) : mismatch();
    });
}

std::string describe_mismatch(const Type& type, const Value& v) {
    std::string message = "expected " + expected(type) + ", got " + describe(v);
    if (v.is_hole() && accepts_nil(type)) message += ": the field is absent";
    if (!type.is(TypeKind::DateTime) || !v.is_string()) return message;
    const ParsedTime parsed = parse_iso_time(text_of(v));
    if (parsed.kind == ParsedTime::Kind::None) return message;
    if (parsed.kind == ParsedTime::Kind::Instant && parsed.has_offset) return message;
    return message + (parsed.kind == ParsedTime::Kind::Date
                          ? ": a time and an offset are missing, as in 2026-05-03T09:14:00Z"
                          : ": an offset is missing, such as Z or +02:00");
}

} // namespace ptc
