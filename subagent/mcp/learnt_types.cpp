// A type is made of each value that is seen and merged with what was known: what is always there stays a field, what is
// there at times becomes optional, and where two values have nothing in common anything goes. What is empty says
// nothing of what it may hold: a map is a record without fields, the items of a list are as nil was seen. A map whose
// keys are data (the names of people) is no record: its values are alike, or its keys differ from result to result. All
// of it is bounded, as values come from servers; a record of which not all was looked at has a field without a name.
#include "subagent/mcp/learnt_types.h"
#include "frontend/json_writer.h"
#include "frontend/visible_text.h"
#include "ptc/signature_text.h"
#include <algorithm>
#include <cctype>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostDepth = 6;
constexpr std::size_t kMostFields = 200;
constexpr std::size_t kMostItems = 1000;    ///< of a list that are looked at
constexpr std::size_t kMostLooked = 20'000; ///< values of one result, lists begin no item beyond
constexpr std::size_t kMostNameBytes = 200;
constexpr std::size_t kManyNumbers = 6; ///< numbers and the like that make a map of some kind, and not a record
constexpr std::size_t kManyTexts = 10;
constexpr std::size_t kMostNodes = 500; ///< of a whole type

/// Whether a signature can write it.
bool is_name(const std::string& name) {
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && name[0] != '-' &&
           std::ranges::all_of(name, is_plain);
}

/// Whether people call a field so, be it that no signature can write it: `user id`, `@type`, and not `2024` or
/// `a/b.txt`.
bool is_like_a_name(const std::string& name) {
    std::string plain = name.substr(name.starts_with('@') || name.starts_with('$') ? 1 : 0);
    std::ranges::replace(plain, ' ', '_');
    return is_name(plain);
}

/// Of a record that may have fields that were not looked at.
constexpr std::string_view kOthers;
bool is_open(const Type& type) { return std::ranges::find(type.fields, kOthers, &Field::name) != type.fields.end(); }

/// A record of which no names, or few, are like those of fields is a map from keys to values: what each of them was
/// says nothing.
bool is_dictionary(const Type& type) {
    const auto alike = std::ranges::count_if(type.fields, is_like_a_name, &Field::name);
    const std::ptrdiff_t fields = std::ssize(type.fields) - (is_open(type) ? 1 : 0);
    return fields > 0 && (std::ranges::none_of(type.fields, is_name, &Field::name) || 2 * alike < fields);
}

bool can_be_written(const Type& type) {
    return std::ranges::all_of(type.items, can_be_written) &&
           std::ranges::all_of(type.fields, [](const Field& f) { return is_name(f.name) && can_be_written(f.type); });
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

/// Of nil, and of the items of a list that has none.
Type unseen() {
    Type type;
    type.is_optional = true;
    return type;
}
bool is_unseen(const Type& type) { return type.is(TypeKind::Any) && type.is_optional; }
// ---- Maps whose keys are data

/// Of the names of two records: how many both have, and how many there are.
struct Shared {
    std::size_t both = 0, all = 0;
    [[nodiscard]] bool are_few() const { return 2 * both < all; }
};
Shared shared_names(const Type& a, const Type& b) {
    Shared shared{0, a.fields.size()};
    for (const Field& field : b.fields) {
        const bool is_in_both =
            std::ranges::any_of(a.fields, [&](const Field& other) { return names_match(other.name, field.name); });
        ++(is_in_both ? shared.both : shared.all);
    }
    return shared;
}

bool is_some_map(const Type& type) {
    return type.is(TypeKind::Map) || (type.is(TypeKind::Record) && !type.fields.empty());
}
/// Of lists, what is in them.
const Type& innermost(const Type& type) { return type.is(TypeKind::List) ? innermost(type.element()) : type; }

bool are_alike(const Type& a, const Type& b) {
    if (a.is(TypeKind::List) && b.is(TypeKind::List)) return are_alike(a.element(), b.element());
    if (is_some_map(a) && is_some_map(b))
        return a.is(TypeKind::Map) || b.is(TypeKind::Map) || !shared_names(a, b).are_few();
    const auto is_numeric = [](const Type& type) { return type.is(TypeKind::Int) || type.is(TypeKind::Float); };
    return a.kind == b.kind || (is_numeric(a) && is_numeric(b));
}

/// Whether all values are alike, as those of a map of something are, and how many there are at least.
bool has_alike_values(const Type& record, std::size_t maps, std::size_t numbers, std::size_t texts) {
    const Type* first = nullptr;
    std::size_t count = 0;
    for (const Field& field : record.fields) {
        const Type& inner = innermost(field.type);
        if (field.name == kOthers || is_unseen(inner)) continue;
        const bool is_evidence = is_some_map(inner) || inner.is(TypeKind::String) || inner.is(TypeKind::Int) ||
                                 inner.is(TypeKind::Float) || inner.is(TypeKind::Bool);
        if (!is_evidence || (first && !are_alike(*first, field.type))) return false;
        if (!first) first = &field.type;
        ++count;
    }
    if (!first) return false;
    const bool is_text = first->is(TypeKind::String);
    return count >= (is_some_map(innermost(*first)) ? maps : is_text ? texts : numbers);
}

/// Whose keys may be data, so that they are not kept: maps that are alike, or many other values that are.
bool is_of_data(const Type& type) {
    return type.is(TypeKind::Record) && has_alike_values(type, 2, kManyNumbers, kManyTexts);
}

/// With `:map` in the place of such.
void forget_data_keys(Type& type) {
    for (Type& item : type.items)
        forget_data_keys(item);
    for (Field& field : type.fields)
        forget_data_keys(field.type);
    if (!is_of_data(type)) return;
    const bool is_optional = type.is_optional;
    type = Type(TypeKind::Map);
    type.is_optional = is_optional;
}

/// As much of it as may be kept.
Type bounded(Type type) {
    forget_data_keys(type);
    for (std::size_t depth = kMostDepth; node_count(type) > kMostNodes && depth-- > 0;)
        type = cut_at(type, depth);
    forget_data_keys(type); // what is cut looks alike
    return type;
}

/// It may be absent. What may be anything may be nil as it is, and must not look as if nothing had been seen of it.
void let_be_absent(Type& type) { type.is_optional = type.is_optional || !type.is(TypeKind::Any); }

Type merged_at(Type a, const Type& b);

/// The records in it may have fields that were not looked at.
void let_be_open(Type& type) {
    for (Type& item : type.items)
        let_be_open(item);
    for (Field& field : type.fields)
        let_be_open(field.type);
    if (type.is(TypeKind::Record) && !is_open(type)) type.fields.push_back({std::string(kOthers), Type()});
}

/// Learns one value.
class Learner {
public:
    /// `left` is how many more nodes the type may have.
    Type learn(const Datum& value, std::size_t depth, std::size_t& left) {
        ++looked_;
        if (value.map()) return learn_map(value, depth, left);
        if (value.list()) return learn_list(value, depth, left);
        if (value.text()) return Type(TypeKind::String);
        if (value.get_if<bool>()) return Type(TypeKind::Bool);
        if (value.get_if<std::int64_t>() || value.get_if<Datum::BigInteger>()) return Type(TypeKind::Int);
        if (value.get_if<double>()) return Type(TypeKind::Float);
        return value.is_nil() ? unseen() : Type();
    }

private:
    /// Many keys: it is a map of something, not a record. Keys that no signature can write are fields like others here;
    /// whether a record is such a map is seen when it is looked at. One that is too long is left out.
    Type learn_map(const Datum& value, std::size_t depth, std::size_t& left) {
        if (value.size() > std::min(kMostFields, left) || depth >= kMostDepth) return Type(TypeKind::Map);
        left -= value.size();
        std::vector<Field> fields;
        bool is_whole = true;
        for (const auto& [key, item] : value.entries()) {
            if (!key.text()) return Type(TypeKind::Map);
            if (key.text()->size() > kMostNameBytes) {
                is_whole = false;
                continue;
            }
            Type type = learn(item, depth + 1, left);
            const auto same =
                std::ranges::find_if(fields, [&](const Field& f) { return names_match(f.name, *key.text()); });
            if (same != fields.end())
                same->type = merged_at(std::move(same->type), type);
            else
                fields.push_back({*key.text(), std::move(type)});
        }
        Type record = Type::record(std::move(fields));
        if (!is_whole && !is_open(record)) record.fields.push_back({std::string(kOthers), Type()});
        return record;
    }
    Type learn_list(const Datum& value, std::size_t depth, std::size_t& left) {
        if (depth >= kMostDepth) return Type::list(Type());
        std::optional<Type> element;
        std::size_t seen = 0;
        for (const Datum& item : value.items()) {
            if (seen == kMostItems || (seen > 0 && looked_ >= kMostLooked)) break;
            ++seen;
            std::size_t left_of_item = left; // all of them become one type
            Type type = learn(item, depth + 1, left_of_item);
            element = element ? merged_at(std::move(*element), type) : std::move(type);
        }
        if (!element) return Type::list(unseen());
        if (seen < value.items().size()) let_be_open(*element);
        left -= std::min(left, node_count(*element));
        return Type::list(std::move(*element));
    }

    std::size_t looked_ = 0;
};

/// Keys that are others in each result are data.
Type merged_records(Type a, const Type& b) {
    const bool differ = shared_names(a, b).are_few();
    for (Field& field : a.fields) {
        const auto other = std::ranges::find(b.fields, field.name, &Field::name);
        if (other == b.fields.end())
            let_be_absent(field.type);
        else
            field.type = merged_at(std::move(field.type), other->type);
    }
    for (const Field& field : b.fields) {
        const bool is_known =
            std::ranges::any_of(a.fields, [&](const Field& f) { return names_match(f.name, field.name); });
        if (is_known) continue;
        if (a.fields.size() >= kMostFields) return Type(TypeKind::Map);
        a.fields.push_back(field);
        let_be_absent(a.fields.back().type);
    }
    return differ && has_alike_values(a, 2, 2, 2) ? Type(TypeKind::Map) : a;
}

bool is_number(const Type& type) { return type.is(TypeKind::Int) || type.is(TypeKind::Float); }
bool is_any_map(const Type& type) { return type.is(TypeKind::Map) || type.is(TypeKind::Record); }

/// Of the items of two lists, of which one may be empty.
Type merged_items(const Type& a, const Type& b) {
    if (is_unseen(a)) return b;
    return is_unseen(b) ? a : merged_at(Type(a), b);
}

Type merged_at(Type a, const Type& b) {
    if (is_unseen(a) && is_unseen(b)) return a;
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
    a.is_optional = false;
    if (is_optional) let_be_absent(a);
    return a;
}

} // namespace

Type learn(const Datum& value) {
    std::size_t left = kMostNodes;
    return bounded(Learner().learn(value, 0, left));
}

Type merged(Type a, const Type& b) { return bounded(merged_at(std::move(a), b)); }

Type names_only(const Type& type) {
    if (type.is(TypeKind::List)) return Type::list(names_only(type.element()));
    if (!type.is(TypeKind::Record) || type.fields.empty() || is_open(type) || is_dictionary(type)) return {};
    std::vector<Field> fields;
    for (const Field& field : type.fields)
        fields.push_back({field.name, names_only(field.type)});
    for (Field& field : fields)
        field.type.is_optional = true;
    return Type::record(std::move(fields));
}

std::string shown_type(const Type& type) {
    std::string text;
    if (type.is(TypeKind::List)) {
        text = "[" + shown_type(type.element()) + "]";
    } else if (type.is(TypeKind::Record) && !is_dictionary(type)) {
        for (const Field& field : type.fields) {
            text += text.empty() ? "" : ", ";
            if (field.name == kOthers)
                text += "..";
            else
                text += (is_name(field.name) ? field.name : json_string(spelled_out(field.name))) + " " +
                        shown_type(field.type);
        }
        text = "{" + text + "}";
    } else {
        text = type.is(TypeKind::Record) ? ":map" : ":" + std::string(primitive_name(type.kind));
    }
    return type.is_optional ? text + "?" : text;
}

std::string shown_type(const Type& type, std::size_t most_bytes) {
    for (std::size_t depth = kMostDepth; depth > 0; --depth) {
        std::string text = shown_type(cut_at(type, depth));
        if (text.size() <= most_bytes) return text;
    }
    return "";
}

std::string learnt_json(const Type& type) {
    if (can_be_written(type)) return json_string(type_text(type));
    JsonObject out;
    if (type.is(TypeKind::List)) {
        out.raw("items", learnt_json(type.element()));
    } else {
        std::string fields;
        for (const Field& field : type.fields)
            fields += (fields.empty() ? "[" : ",[") + json_string(field.name) + "," + learnt_json(field.type) + "]";
        out.raw("fields", "[" + fields + "]");
    }
    if (type.is_optional) out.boolean("optional", true);
    return out.finish();
}

static std::optional<Type> read_learnt_at(const Datum& json, std::size_t depth) {
    if (const std::string* text = json.text()) {
        const Result<Signature> known = parse_signature("() -> " + *text);
        return known.ok() ? std::optional<Type>(known.value().returns) : std::nullopt;
    }
    if (depth > kMostDepth || (!json["items"].is_nil() && !json["fields"].is_nil())) return std::nullopt;
    std::optional<Type> type;
    if (!json["items"].is_nil()) {
        std::optional<Type> element = read_learnt_at(json["items"], depth + 1);
        if (element) type = Type::list(*std::move(element));
    } else if (json["fields"].list()) {
        std::vector<Field> fields;
        for (const Datum& row : json["fields"].items()) {
            std::optional<Type> of_field = read_learnt_at(row[1], depth + 1);
            if (!row[0].text() || !of_field) return std::nullopt;
            fields.push_back({*row[0].text(), *std::move(of_field)});
        }
        type = Type::record(std::move(fields));
    }
    if (type) type->is_optional = json["optional"] == Datum(true);
    return type;
}

std::optional<Type> read_learnt(const Datum& json) {
    std::optional<Type> type = read_learnt_at(json, 0);
    return type ? std::optional<Type>(bounded(*std::move(type))) : std::nullopt;
}

} // namespace ptc::mcp
