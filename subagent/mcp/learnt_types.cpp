// A type is made of each value that is seen and merged with what was known: what is always there stays a field, what is
// there at times becomes optional, and where two values have nothing in common anything goes. What is empty says
// nothing of what it may hold: a map is a record without fields, the items of a list are as nil was seen. All of it is
// bounded, as values come from servers.
#include "subagent/mcp/learnt_types.h"
#include <algorithm>
#include <cctype>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostDepth = 6;
constexpr std::size_t kMostFields = 60;
constexpr std::size_t kMostItems = 100; ///< of a list that are looked at
constexpr std::size_t kMostNodes = 500; ///< of a whole type

bool is_name(const std::string& name) {
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
    return !name.empty() && name.size() <= 60 && !std::isdigit(static_cast<unsigned char>(name[0])) && name[0] != '-' &&
           std::ranges::all_of(name, is_plain);
}

std::size_t node_count(const Type& type) {
    std::size_t count = 1;
    if (type.is(TypeKind::List)) count += node_count(type.element());
    for (const Field& field : type.fields)
        count += node_count(field.type);
    return count;
}

/// Without what is nested deeper than `depth`.
Type cut_at(const Type& type, std::size_t depth) {
    Type cut = type;
    if (type.is(TypeKind::List))
        cut = depth == 0 ? Type::list(Type()) : Type::list(cut_at(type.element(), depth - 1));
    else if (type.is(TypeKind::Record) && depth == 0)
        cut = Type(TypeKind::Map);
    cut.is_optional = type.is_optional;
    for (Field& field : cut.fields)
        field.type = cut_at(field.type, depth - 1);
    return cut;
}

/// As much of it as may be kept.
Type bounded(Type type) {
    for (std::size_t depth = kMostDepth; node_count(type) > kMostNodes && depth-- > 0;)
        type = cut_at(type, depth);
    return type;
}

/// Of nil, and of the items of a list that has none.
Type unseen() {
    Type type;
    type.is_optional = true;
    return type;
}
bool is_unseen(const Type& type) { return type.is(TypeKind::Any) && type.is_optional; }

Type merged_at(Type a, const Type& b);
/// `left` is how many more nodes the type may have.
Type learn_at(const Datum& value, std::size_t depth, std::size_t& left);

/// Many keys, or keys that are no names: it is a map of something, not a record.
Type learn_map(const Datum& value, std::size_t depth, std::size_t& left) {
    if (value.size() > std::min(kMostFields, left) || depth >= kMostDepth) return Type(TypeKind::Map);
    left -= value.size();
    std::vector<Field> fields;
    for (const auto& [key, item] : value.entries()) {
        if (!key.text() || !is_name(*key.text())) return Type(TypeKind::Map);
        const bool is_twice =
            std::ranges::any_of(fields, [&](const Field& f) { return names_match(f.name, *key.text()); });
        if (is_twice) return Type(TypeKind::Map);
        fields.push_back({*key.text(), learn_at(item, depth + 1, left)});
    }
    return Type::record(std::move(fields));
}

Type learn_list(const Datum& value, std::size_t depth, std::size_t& left) {
    if (depth >= kMostDepth) return Type::list(Type());
    std::optional<Type> element;
    std::size_t seen = 0;
    for (const Datum& item : value.items()) {
        if (++seen > kMostItems) break;
        std::size_t left_of_item = left; // all of them become one type
        Type type = learn_at(item, depth + 1, left_of_item);
        element = element ? merged_at(std::move(*element), type) : std::move(type);
    }
    if (!element) return Type::list(unseen());
    left -= std::min(left, node_count(*element));
    return Type::list(std::move(*element));
}

Type learn_at(const Datum& value, std::size_t depth, std::size_t& left) {
    if (value.map()) return learn_map(value, depth, left);
    if (value.list()) return learn_list(value, depth, left);
    if (value.text()) return Type(TypeKind::String);
    if (value.get_if<bool>()) return Type(TypeKind::Bool);
    if (value.get_if<std::int64_t>() || value.get_if<Datum::BigInteger>()) return Type(TypeKind::Int);
    if (value.get_if<double>()) return Type(TypeKind::Float);
    return value.is_nil() ? unseen() : Type();
}

Type merged_records(Type a, const Type& b) {
    for (Field& field : a.fields) {
        const auto other = std::ranges::find(b.fields, field.name, &Field::name);
        if (other == b.fields.end())
            field.type.is_optional = true;
        else
            field.type = merged_at(std::move(field.type), other->type);
    }
    for (const Field& field : b.fields) {
        const bool is_known =
            std::ranges::any_of(a.fields, [&](const Field& f) { return names_match(f.name, field.name); });
        if (is_known) continue;
        if (a.fields.size() >= kMostFields) return Type(TypeKind::Map);
        a.fields.push_back(field);
        a.fields.back().type.is_optional = true;
    }
    return a;
}

bool is_number(const Type& type) { return type.is(TypeKind::Int) || type.is(TypeKind::Float); }
bool is_any_map(const Type& type) { return type.is(TypeKind::Map) || type.is(TypeKind::Record); }

/// Of the items of two lists, of which one may be empty.
Type merged_items(const Type& a, const Type& b) {
    if (is_unseen(a)) return b;
    return is_unseen(b) ? a : merged_at(Type(a), b);
}

Type merged_at(Type a, const Type& b) {
    const bool is_optional = a.is_optional || b.is_optional;
    if (is_unseen(a))
        a = b;
    else if (is_unseen(b)) {
    } else if (a.is(TypeKind::Record) && b.is(TypeKind::Record))
        a = merged_records(std::move(a), b);
    else if (a.is(TypeKind::List) && b.is(TypeKind::List))
        a = Type::list(merged_items(a.element(), b.element()));
    else if (is_number(a) && is_number(b))
        a = Type(a.is(TypeKind::Int) && b.is(TypeKind::Int) ? TypeKind::Int : TypeKind::Float);
    else if (is_any_map(a) && is_any_map(b))
        a = Type(TypeKind::Map);
    else if (a.kind != b.kind)
        a = Type();
    a.is_optional = is_optional;
    return a;
}

} // namespace

Type learn(const Datum& value) {
    std::size_t left = kMostNodes;
    return bounded(learn_at(value, 0, left));
}

Type merged(Type a, const Type& b) { return bounded(merged_at(std::move(a), b)); }

Type names_only(const Type& type) {
    if (type.is(TypeKind::List)) return Type::list(names_only(type.element()));
    if (!type.is(TypeKind::Record) || type.fields.empty()) return {};
    std::vector<Field> fields;
    for (const Field& field : type.fields)
        fields.push_back({field.name, names_only(field.type)});
    for (Field& field : fields)
        field.type.is_optional = true;
    return Type::record(std::move(fields));
}

} // namespace ptc::mcp
