// A type is made of each value that is seen and merged with what was known: what is always there stays a field, what is
// there at times becomes optional, and where two values have nothing in common anything goes. What is empty says
// nothing of what it may hold: a map is a record without fields, the items of a list are as nil was seen.
//
// A map whose keys are data (the names of people) is no record. One result alone says which it is where values are of
// different kinds, where keys are made of words that fields have (key_shapes.h), or where they stand in the arguments
// of the call. Else it is kept, and nothing is said of it, until another row or the result of another call has the same
// keys, which makes it a record, or others, which makes it a map.
//
// All of it is bounded, as values come from servers; a record of which not all was looked at has a field without a
// name.
#include "subagent/mcp/learnt_types.h"
#include "frontend/json_writer.h"
#include "frontend/visible_text.h"
#include "ptc/signature_text.h"
#include "runtime/equality.h"
#include "runtime/signature/field_names.h"
#include "subagent/mcp/key_shapes.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostDepth = 6;
constexpr std::size_t kMostFields = 200;
constexpr std::size_t kMostItems = 1000;    ///< of a list that are looked at
constexpr std::size_t kMostLooked = 20'000; ///< values of one result, lists begin no item beyond
constexpr std::size_t kMostNameBytes = 200;
constexpr std::size_t kMostWords = 1000; ///< of a call's arguments
constexpr std::size_t kMostNodes = 500;  ///< of a whole type

// Marks of a record, as fields: keys of these names are not kept.
constexpr std::string_view kOthers;       ///< it may have fields that were not looked at
constexpr std::string_view kUnsure = "?"; ///< its keys may be data; what is behind it tells the arguments of its call
bool is_mark_of_doubt(const std::string& name) { return name.starts_with(kUnsure); }
bool is_mark(const std::string& name) { return name == kOthers || is_mark_of_doubt(name); }
bool is_open(const Type& type) { return std::ranges::find(type.fields, kOthers, &Field::name) != type.fields.end(); }
bool is_unsure(const Type& type) { return std::ranges::any_of(type.fields, is_mark_of_doubt, &Field::name); }
std::string doubt_of(const Type& type) {
    const auto found = std::ranges::find_if(type.fields, is_mark_of_doubt, &Field::name);
    return found == type.fields.end() ? "" : found->name;
}
void add_mark(Type& type, std::string_view mark) {
    if (type.is(TypeKind::Record) && std::ranges::find(type.fields, mark, &Field::name) == type.fields.end())
        type.fields.push_back({std::string(mark), Type()});
}
void take_marks(Type& type) {
    std::erase_if(type.fields, [](const Field& field) { return is_mark(field.name); });
}

/// A record of which no names, or few, are like those of fields is a map from keys to values: what each of them was
/// says nothing.
bool is_dictionary(const Type& type) {
    const auto alike = std::ranges::count_if(type.fields, is_like_a_name, &Field::name);
    const std::ptrdiff_t fields = std::ssize(type.fields) - std::ranges::count_if(type.fields, is_mark, &Field::name);
    if (std::ranges::any_of(type.fields, is_like_a_secret, &Field::name)) return true;
    return fields > 0 && (std::ranges::none_of(type.fields, can_be_written, &Field::name) || 2 * alike < fields);
}

bool can_be_said(const Type& type) {
    return std::ranges::all_of(type.items, can_be_said) && std::ranges::all_of(type.fields, [](const Field& f) {
               return can_be_written(f.name) && can_be_said(f.type);
           });
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

/// Of the names of two records, which have no marks: how many both have, and how many there are.
struct Shared {
    std::size_t both = 0, all = 0;
    [[nodiscard]] bool are_few() const { return 2 * both < all; }
    [[nodiscard]] bool are_all() const { return both == all; }
};
bool has_field(const Type& record, std::string_view name) {
    return std::ranges::any_of(record.fields, [&](const Field& field) { return names_match(field.name, name); });
}
Shared shared_names(const Type& a, const Type& b) {
    Shared shared{0, a.fields.size()};
    for (const Field& field : b.fields)
        ++(has_field(a, field.name) ? shared.both : shared.all);
    return shared;
}

bool is_some_map(const Type& type) {
    return type.is(TypeKind::Map) || (type.is(TypeKind::Record) && !type.fields.empty());
}
/// Of lists, what is in them.
const Type& innermost(const Type& type) { return type.is(TypeKind::List) ? innermost(type.element()) : type; }

bool are_alike(const Type& a, const Type& b) {
    if (a.is(TypeKind::List) && b.is(TypeKind::List)) return are_alike(a.element(), b.element());
    if (is_some_map(a) && is_some_map(b)) {
        const auto is_of_data = [](const Type& map) { return map.is(TypeKind::Map) || is_unsure(map); };
        if (is_of_data(a) || is_of_data(b)) return true;
        Type own = a, other = b;
        take_marks(own);
        take_marks(other);
        return !shared_names(own, other).are_few();
    }
    const auto is_numeric = [](const Type& type) { return type.is(TypeKind::Int) || type.is(TypeKind::Float); };
    return a.kind == b.kind || (is_numeric(a) && is_numeric(b));
}

/// Whether the values of these fields may all be of one kind, as those of a map of something are: what is empty may be
/// anything.
template <class Fields> bool may_be_alike(const Fields& fields) {
    const Type* first = nullptr;
    for (const Field& field : fields) {
        const Type& inner = innermost(field.type);
        if (is_mark(field.name) || is_unseen(inner)) continue;
        const bool is_evidence = is_some_map(inner) || inner.is(TypeKind::String) || inner.is(TypeKind::Int) ||
                                 inner.is(TypeKind::Float) || inner.is(TypeKind::Bool);
        if (!is_evidence || (first && !are_alike(*first, field.type))) return false;
        if (!first) first = &field.type;
    }
    return true;
}

struct Shapes {
    std::size_t all = 0, field = 0, proper = 0, odd = 0, plain = 0;
    bool begins_small = false; ///< a key that is not odd does
};
Shapes shapes_of(const Type& record) {
    Shapes shapes;
    for (const Field& field : record.fields) {
        if (is_mark(field.name)) continue;
        ++shapes.all;
        switch (shape_of_key(field.name)) {
        case KeyShape::Field: ++shapes.field; break;
        case KeyShape::Plain: ++shapes.plain; break;
        case KeyShape::Proper: ++shapes.proper; break;
        case KeyShape::Odd: ++shapes.odd; continue;
        }
        shapes.begins_small = shapes.begins_small || !std::isupper(static_cast<unsigned char>(field.name.front()));
    }
    return shapes;
}

/// Of one result: whether its keys must be taken for names of fields.
bool has_names_of_fields(const Type& record) {
    const Shapes shapes = shapes_of(record);
    if (shapes.odd > 0) return false;
    if (2 * shapes.field >= shapes.all && shapes.proper == 0) return true;
    if (shapes.all == 1) return shapes.proper == 0; // as wrappers are: {"result": ..}
    if (may_be_alike(record.fields)) return 2 * shapes.field >= shapes.all;
    return !shapes.begins_small || 4 * shapes.proper <= shapes.all; // not `total` beside names of persons
}

/// As much of it as may be kept.
Type bounded(Type type) {
    for (std::size_t depth = kMostDepth; node_count(type) > kMostNodes && depth-- > 0;)
        type = cut_at(type, depth);
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
    add_mark(type, kOthers);
}

/// The texts that stand in arguments, and the parts of lists in them ("USD,GBP"), in lower case.
void add_words(const Datum& arguments, std::set<std::string>& words, std::size_t depth = 0) {
    if (depth > kMostDepth || words.size() >= kMostWords) return;
    for (const Datum& item : arguments.items())
        add_words(item, words, depth + 1);
    for (const auto& [key, item] : arguments.entries())
        add_words(item, words, depth + 1);
    if (!arguments.text() || arguments.text()->size() > 100 * kMostNameBytes) return;
    std::string word;
    std::string whole;
    for (const char c : *arguments.text() + ",") {
        const char small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const bool is_between = std::string_view(",; |()\"\t\n").find(c) != std::string_view::npos;
        if (is_between && !word.empty()) words.insert(std::exchange(word, ""));
        if (!is_between) word += small;
        whole += small;
    }
    whole.pop_back();
    words.insert(std::move(whole));
}

/// Learns one value.
class Learner {
public:
    explicit Learner(const Datum& arguments) { add_words(arguments, words_); }

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
            if (!key.text() || is_like_a_secret(*key.text())) return Type(TypeKind::Map);
            if (key.text()->size() > kMostNameBytes || is_mark(*key.text())) {
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
        if (are_asked_for(record)) return Type(TypeKind::Map);
        if (are_chosen(record)) is_whole = false; // another call may choose others
        if (!has_names_of_fields(record)) add_mark(record, kUnsure);
        if (!is_whole) add_mark(record, kOthers);
        return record;
    }
    [[nodiscard]] bool stands_in_arguments(const Field& field) const {
        std::string key = field.name;
        std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return words_.contains(key);
    }
    /// Whether keys stand in the arguments, as data do that a call asks for; so do the names of fields that it chooses,
    /// but these are not alike or have words of fields.
    [[nodiscard]] bool are_asked_for(const Type& record) const {
        const std::ptrdiff_t asked_for = std::ranges::count_if(record.fields, [&](const Field& field) {
            return stands_in_arguments(field) && shape_of_key(field.name) != KeyShape::Field;
        });
        return asked_for > 0 && 2 * asked_for >= std::ssize(record.fields) && may_be_alike(record.fields);
    }
    /// Whether the call says which fields it wants, as a query of a database does: half of them stand in it.
    [[nodiscard]] bool are_chosen(const Type& record) const {
        const std::ptrdiff_t chosen =
            std::ranges::count_if(record.fields, [&](const Field& field) { return stands_in_arguments(field); });
        return chosen > 0 && 2 * chosen >= std::ssize(record.fields);
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
    std::set<std::string> words_; ///< of the arguments
};

/// Of two records the keys that only one has: where they look like data and have values of one kind, they are.
bool are_data(const Type& a, const Type& b) {
    std::vector<Field> others;
    const auto add_those_not_in = [&others](const Type& known, const Type& record) {
        std::ranges::copy_if(record.fields, std::back_inserter(others),
                             [&](const Field& field) { return !has_field(known, field.name); });
    };
    add_those_not_in(b, a);
    add_those_not_in(a, b);
    return std::ranges::all_of(others,
                               [](const Field& field) { return shape_of_key(field.name) >= KeyShape::Proper; }) &&
           may_be_alike(others);
}

/// A record that has what both have. Without those that only one has where they `are_data`.
Type with_fields_of_both(Type a, const Type& b, bool are_data) {
    if (are_data) std::erase_if(a.fields, [&](const Field& field) { return !has_field(b, field.name); });
    for (Field& field : a.fields) {
        const auto other = std::ranges::find(b.fields, field.name, &Field::name);
        if (other == b.fields.end())
            let_be_absent(field.type);
        else
            field.type = merged_at(std::move(field.type), other->type);
    }
    for (const Field& field : b.fields) {
        if (are_data || has_field(a, field.name)) continue;
        if (a.fields.size() >= kMostFields) return Type(TypeKind::Map);
        a.fields.push_back(field);
        let_be_absent(a.fields.back().type);
    }
    if (are_data) add_mark(a, kOthers);
    return a;
}

/// Keys that are others in each result are data; those that are the same in two rows, or in the results of two calls,
/// are fields, unless they look like data and have values of one kind.
Type merged_records(Type a, Type b) {
    const bool is_either_open = is_open(a) || is_open(b), is_either_unsure = is_unsure(a) || is_unsure(b);
    const bool are_both_unsure = is_unsure(a) && is_unsure(b);
    const std::string doubt = is_unsure(a) ? doubt_of(a) : doubt_of(b);
    // The same call again gives the same keys, whatever they are.
    const bool are_of_one_call = are_both_unsure && doubt_of(a) == doubt_of(b) && doubt != kUnsure;
    take_marks(a);
    take_marks(b);
    if (a.fields.empty() || b.fields.empty()) { // which says nothing of keys
        Type both = with_fields_of_both(std::move(a), b, false);
        if (is_either_unsure) add_mark(both, doubt);
        if (is_either_open) add_mark(both, kOthers);
        return both;
    }
    const Shared shared = shared_names(a, b);
    if (shared.both == 0) return Type(TypeKind::Map); // answers to different questions, as those of a database are
    std::vector<Field> all = a.fields;
    std::ranges::copy(b.fields, std::back_inserter(all));
    const bool are_alike = may_be_alike(all);
    const bool differ_by_data = is_either_unsure && !shared.are_all() && are_data(a, b);
    Type both = with_fields_of_both(std::move(a), b, differ_by_data);
    if (!both.is(TypeKind::Record)) return both;
    if ((shared.are_few() || differ_by_data) && are_alike) return Type(TypeKind::Map);
    const Shapes shapes = shapes_of(both);
    const bool is_settled =
        shared.are_all() && shapes.odd == 0 && (shapes.proper == 0 || !are_alike) && !are_of_one_call;
    const bool is_unsure_still = are_both_unsure ? !is_settled : is_either_unsure && shared.are_few();
    if (is_unsure_still && !differ_by_data) add_mark(both, doubt);
    if (is_either_open) add_mark(both, kOthers);
    return both;
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

/// The marks of doubt in it tell the call from others.
static void note_call(Type& type, const std::string& call) {
    for (Type& item : type.items)
        note_call(item, call);
    for (Field& field : type.fields) {
        note_call(field.type, call);
        if (is_mark_of_doubt(field.name)) field.name = call;
    }
}

Type learn(const Datum& value, const Datum& arguments) {
    std::size_t left = kMostNodes;
    Type type = Learner(arguments).learn(value, 0, left);
    if (!arguments.is_nil()) note_call(type, std::string(kUnsure) + std::to_string(hash_bytes(arguments.to_json())));
    return bounded(std::move(type));
}

Type merged(Type a, const Type& b) { return bounded(merged_at(std::move(a), b)); }

Type without_data_keys(Type type) {
    for (Type& item : type.items)
        item = without_data_keys(std::move(item));
    for (Field& field : type.fields)
        field.type = without_data_keys(std::move(field.type));
    if (!type.is(TypeKind::Record) || (!is_dictionary(type) && !is_unsure(type))) return type;
    Type map(TypeKind::Map);
    map.is_optional = type.is_optional;
    return map;
}

Type names_only(const Type& type) {
    if (type.is(TypeKind::List)) return Type::list(names_only(type.element()));
    if (!type.is(TypeKind::Record) || type.fields.empty() || is_open(type) || is_unsure(type) || is_dictionary(type))
        return {};
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
    } else if (type.is(TypeKind::Record) && !is_dictionary(type) && !is_unsure(type)) {
        for (const Field& field : type.fields) {
            text += text.empty() ? "" : ", ";
            if (field.name == kOthers)
                text += "..";
            else
                text += (can_be_written(field.name) ? field.name : json_string(spelled_out(field.name))) + " " +
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
    if (can_be_said(type)) return json_string(type_text(type));
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
