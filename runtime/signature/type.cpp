// The tree of types, its canonical text, and when two types are the same. Text is the form in which signatures are
// compared and shown, so it must read back to the same tree: choices are quoted when they could be read as anything
// else.
#include "ptc/type.h"
#include "frontend/json_text.h"
#include "frontend/visible_text.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ptc {
namespace {

struct Primitive {
    TypeKind kind;
    std::string_view name;
};

constexpr std::array kPrimitives = {
    Primitive{TypeKind::Any, "any"},   Primitive{TypeKind::String, "string"},
    Primitive{TypeKind::Int, "int"},   Primitive{TypeKind::Float, "float"},
    Primitive{TypeKind::Bool, "bool"}, Primitive{TypeKind::Keyword, "keyword"},
    Primitive{TypeKind::Map, "map"},   Primitive{TypeKind::DateTime, "datetime"},
    Primitive{TypeKind::Nil, "nil"},
};

constexpr std::array<std::string_view, 6> kBoundNames = {">", ">=", "<", "<=", "=", "!="};

void append_number(std::string& out, const Number& number) {
    std::array<char, 32> digits{};
    char* end = digits.data();
    if (const auto* whole = std::get_if<std::int64_t>(&number)) {
        end = std::to_chars(digits.data(), digits.data() + digits.size(), *whole).ptr;
        out.append(digits.data(), end);
        return;
    }
    end = std::to_chars(digits.data(), digits.data() + digits.size(), std::get<double>(number)).ptr;
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out += text;
    if (text.find_first_of(".e") == text.npos) out += ".0";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

/// A text that may stand without quotes among the choices of an Enum.
bool is_word(std::string_view text) {
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_word_char) && text != "true" &&
           text != "false" && text != "nil";
}

/// What nobody sees is spelled out, as texts of servers come here and models read them.
void append_quoted(std::string& out, std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (quoted += '\\') += c;
        else if (needs_json_escape(c))
            quoted += JsonEscape::by_number(c).text(); // texts of signatures have no other escapes
        else
            quoted += c;
    }
    const bool is_ascii = std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
    out.append(is_ascii ? quoted : spelled_out(quoted)) += '"';
}

struct ChoiceText {
    std::string& out;
    void operator()(std::monostate) const { out += "nil"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(std::int64_t value) const { append_number(out, value); }
    void operator()(double value) const { append_number(out, value); }
    void operator()(const KeywordChoice& keyword) const { (out += ':') += keyword.name; }
    void operator()(const std::string& text) const {
        if (is_word(text)) {
            out += text;
        } else {
            append_quoted(out, text);
        }
    }
};

/// A range that holds no number cannot be written as one.
bool is_range(const std::vector<Bound>& bounds) {
    return bounds.size() == 2 && bounds[0].op == Bound::Op::AtLeast && bounds[1].op == Bound::Op::AtMost &&
           !is_less(bounds[1].limit, bounds[0].limit);
}

void append_bounds(std::string& out, const std::vector<Bound>& bounds) {
    if (bounds.empty()) return;
    out += '[';
    if (is_range(bounds)) {
        append_number(out, bounds[0].limit);
        out += "..";
        append_number(out, bounds[1].limit);
    } else {
        for (const Bound& bound : bounds) {
            if (&bound != &bounds.front()) out += ' ';
            out += bound_name(bound.op);
            append_number(out, bound.limit);
        }
    }
    out += ']';
}

void append_fields(std::string& out, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
        if (&field != &fields.front()) out += ", ";
        (out += field.name) += ' ';
        append_type_text(out, field.type);
    }
}

void append_choices(std::string& out, const std::vector<Choice>& choices) {
    out += ":enum[";
    for (const Choice& choice : choices) {
        if (&choice != &choices.front()) out += ' ';
        std::visit(ChoiceText{out}, choice);
    }
    out += ']';
}

void append_union(std::string& out, const std::vector<Type>& items) {
    for (const Type& item : items) {
        if (&item != &items.front()) out += '|';
        append_type_text(out, item);
    }
}

void collect_firewalled(const Type& type, const std::string& path, std::vector<std::string>& found) {
    for (const Field& field : type.fields) {
        const std::string at = path.empty() ? field.name : path + "." + field.name;
        if (is_firewalled(field.name)) {
            found.push_back(at);
        } else {
            collect_firewalled(field.type, at, found);
        }
    }
    for (const Type& item : type.items)
        collect_firewalled(item, type.is(TypeKind::List) ? path + "[]" : path, found);
}

} // namespace

Type::Type() = default;
Type::Type(TypeKind k) : kind(k) {}
Type::Type(const Type& other) = default;
Type::Type(Type&& other) noexcept = default;
Type& Type::operator=(const Type& other) = default;
Type& Type::operator=(Type&& other) noexcept = default;
Type::~Type() = default;
// Written out: clang 19 ends with a fault when it is to make one of a type that holds vectors of itself.
bool operator==(const Type& a, const Type& b) {
    return a.kind == b.kind && a.is_optional == b.is_optional && a.items == b.items && a.fields == b.fields &&
           a.choices == b.choices && a.bounds == b.bounds;
}

Type Type::list(Type element) {
    Type type(TypeKind::List);
    type.items.push_back(std::move(element));
    return type;
}

Type Type::record(std::vector<Field> fields) {
    Type type(TypeKind::Record);
    type.fields = std::move(fields);
    return type;
}

bool is_less(const Number& a, const Number& b) {
    return std::visit([](auto x, auto y) { return static_cast<long double>(x) < static_cast<long double>(y); }, a, b);
}

std::string_view primitive_name(TypeKind kind) {
    const auto* row = std::ranges::find(kPrimitives, kind, &Primitive::kind);
    return row == kPrimitives.end() ? std::string_view() : row->name;
}

std::optional<TypeKind> primitive_kind(std::string_view name) {
    if (name == "boolean") return TypeKind::Bool;
    const auto* row = std::ranges::find(kPrimitives, name, &Primitive::name);
    if (row == kPrimitives.end() || row->kind == TypeKind::Nil) return std::nullopt;
    return row->kind;
}

std::string_view bound_name(Bound::Op op) { return kBoundNames[static_cast<std::size_t>(op)]; }

std::optional<Bound::Op> bound_op(std::string_view name) {
    const auto* at = std::ranges::find(kBoundNames, name);
    if (at == kBoundNames.end()) return std::nullopt;
    return static_cast<Bound::Op>(at - kBoundNames.begin());
}

std::string normalized_name(std::string_view name) {
    std::string normal(name);
    std::ranges::replace(normal, '-', '_');
    return normal;
}

bool names_match(std::string_view a, std::string_view b) {
    const auto normal = [](char c) { return c == '-' ? '_' : c; };
    return std::ranges::equal(a, b, {}, normal, normal);
}

void append_type_text(std::string& out, const Type& type) {
    switch (type.kind) {
    case TypeKind::List:
        out += '[';
        append_type_text(out, type.element());
        out += ']';
        break;
    case TypeKind::Record:
        out += '{';
        append_fields(out, type.fields);
        out += '}';
        break;
    case TypeKind::Enum: append_choices(out, type.choices); break;
    case TypeKind::Union: append_union(out, type.items); break;
    case TypeKind::Any:
    case TypeKind::String:
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Keyword:
    case TypeKind::DateTime:
    case TypeKind::Nil:
    case TypeKind::Map:
        (out += ':') += primitive_name(type.kind);
        append_bounds(out, type.bounds);
        break;
    }
    if (type.is_optional) out += '?';
}

std::string type_text(const Type& type) {
    std::string text;
    append_type_text(text, type);
    return text;
}

bool needs_extended_text(const Type& type) {
    const bool is_extension =
        type.is(TypeKind::Enum) || type.is(TypeKind::Union) || type.is(TypeKind::Nil) || !type.bounds.empty();
    return is_extension || std::ranges::any_of(type.items, needs_extended_text) ||
           std::ranges::any_of(type.fields, needs_extended_text, &Field::type);
}

Type public_type(const Type& type) {
    Type shown(type.kind);
    shown.is_optional = type.is_optional;
    shown.choices = type.choices;
    shown.bounds = type.bounds;
    for (const Type& item : type.items)
        shown.items.push_back(public_type(item));
    for (const Field& field : type.fields) {
        if (!is_firewalled(field.name)) shown.fields.push_back({field.name, public_type(field.type)});
    }
    return shown;
}

std::vector<std::string> firewalled_paths(const Type& type) {
    std::vector<std::string> found;
    collect_firewalled(type, "", found);
    return found;
}

} // namespace ptc
