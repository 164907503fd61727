// Reads what servers send as `inputSchema`. The rule for all that has no counterpart here: the type may allow more than
// the schema, never less, as the server checks again. What is dropped is reported as a warning. References are followed
// within the document, to a limited depth; alternatives become unions, duplicates go.
#include "ptc/schema_reader.h"
#include "frontend/json_pointer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "runtime/signature/field_names.h"

#include "runtime/json.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace ptc {
namespace {

constexpr std::size_t kMaxParts = 65'535; ///< of one type: references may multiply
constexpr std::size_t kMaxWarnings = 1000;
constexpr std::size_t kMaxWrittenName = 200; ///< bytes of a name that is kept where no signature can write it

/// Whether a signature can write all of them in one record.
bool can_be_said(const std::vector<Field>& fields) {
    std::vector<std::string> names;
    for (const Field& field : fields)
        names.push_back(normalized_name(field.name));
    std::ranges::sort(names);
    return std::ranges::all_of(names, can_be_written) && std::ranges::adjacent_find(names) == names.end();
}

/// Keywords that restrict values and have no counterpart; dropping them only allows more.
constexpr std::array<std::string_view, 22> kUnsayable = {"pattern",
                                                         "minLength",
                                                         "maxLength",
                                                         "contentEncoding",
                                                         "contentMediaType",
                                                         "multipleOf",
                                                         "minItems",
                                                         "maxItems",
                                                         "uniqueItems",
                                                         "contains",
                                                         "minContains",
                                                         "maxContains",
                                                         "minProperties",
                                                         "maxProperties",
                                                         "propertyNames",
                                                         "patternProperties",
                                                         "dependentRequired",
                                                         "dependentSchemas",
                                                         "not",
                                                         "if",
                                                         "unevaluatedItems",
                                                         "unevaluatedProperties"};

Type without_optional(Type type) {
    type.is_optional = false;
    return type;
}

class SchemaReader {
public:
    /// `names`: of the outermost fields, where they are parameters.
    SchemaReader(Heap& heap, const Value& root, ParameterNames names) : heap_(heap), root_(root), names_(names) {}

    Type read(const Value& schema, const std::string& path, std::uint32_t depth) {
        if (schema.is_true()) return Type(TypeKind::Any);
        if (!schema.is_map() || depth >= kMaxTypeNesting || ++parts_ > kMaxParts)
            return unsaid(path, "a schema that cannot be followed");
        if (const Value* reference = member(schema, "$ref")) return follow(*reference, path, depth);
        warn_of_unsayable(schema, path);
        Type type = base(schema, path, depth);
        add_possible(type, schema, path, depth);
        if (const Value* nullable = member(schema, "nullable"); nullable && nullable->is_true())
            type.is_optional = true;
        return type;
    }
    /// Of what was read: leaves out the fields that no signature can write, and says nothing of the values of those
    /// that are one for it (a-b, a_b).
    void leave_out_unwritten(Type& type, const std::string& path) {
        for (Type& item : type.items)
            leave_out_unwritten(item, type.is(TypeKind::List) ? path + "[]" : path);
        for (Field& field : type.fields) {
            if (can_be_written(field.name)) leave_out_unwritten(field.type, at(path, field.name));
        }
        if (type.is(TypeKind::Union)) join_again(type);
        if (!type.is(TypeKind::Record) || can_be_said(type.fields)) return;
        std::vector<Field> said;
        std::map<std::string, std::size_t> places;
        for (Field& field : type.fields) {
            if (!can_be_written(field.name)) {
                note_unwritten(path, field.name);
                continue;
            }
            const auto [place, is_new] = places.emplace(normalized_name(field.name), said.size());
            if (is_new) {
                said.push_back(std::move(field));
                continue;
            }
            said[place->second].type = optional_any();
            warn(at(path, field.name), "a field with this name but for hyphens is there already; both may be anything");
        }
        const bool is_optional = type.is_optional;
        type = said.empty() ? Type(TypeKind::Map) : Type::record(std::move(said));
        type.is_optional = is_optional;
    }
    /// Of fields that have other names now.
    void rename_paths(const std::map<std::string, std::string>& paths) {
        for (UnwrittenField& field : unwritten_)
            if (const auto now = paths.find(field.path); now != paths.end()) field.path = now->second;
    }
    std::vector<UnwrittenField> take_unwritten() { return std::move(unwritten_); }
    std::vector<Fault> take_warnings() { return std::move(warnings_); }
    [[nodiscard]] std::size_t parts() const { return parts_; }

private:
    [[nodiscard]] const Value* member(const Value& map, std::string_view name) {
        const MapView view = entries(map);
        for (std::size_t i = 0; i < view.size(); ++i) {
            if (view.key(i).is_string() && text_of(view.key(i)) == name) return &view.value(i);
        }
        return nullptr;
    }
    MapView entries(const Value& map) {
        Result<MapView> view = MapView::of(heap_, map);
        return view.ok() ? std::move(view).value() : MapView();
    }
    static Type optional_any() {
        Type any(TypeKind::Any);
        any.is_optional = true;
        return any;
    }
    /// Alternatives may have become the same.
    static void join_again(Type& type) {
        std::vector<Type> items;
        for (Type& item : type.items) {
            if (!is_among_first(items, item)) items.push_back(std::move(item));
        }
        type.items = std::move(items);
        if (type.items.size() > 1) return;
        Type only = std::move(type.items.front());
        only.is_optional = type.is_optional;
        type = std::move(only);
    }
    void note_unwritten(const std::string& path, const std::string& name) {
        warn(at(path, name), "a name that cannot be said; the field is left out, and may be there");
        add_unwritten({path, name});
    }
    void add_unwritten(UnwrittenField field) {
        if (unwritten_.size() < kMaxWarnings && std::ranges::find(unwritten_, field) == unwritten_.end())
            unwritten_.push_back(std::move(field));
    }
    void warn(std::string_view path, std::string message) {
        if (warnings_.size() >= kMaxWarnings) return;
        warnings_.push_back({std::string(utf8::prefix(path, kMaxWrittenName)), std::move(message)});
    }
    Type unsaid(const std::string& path, const std::string& what) {
        warn(path, what + " cannot be said; anything is allowed here");
        return Type(TypeKind::Any);
    }
    static std::string at(const std::string& path, std::string_view step) {
        if (step.empty()) step = "\"\""; // the path of nothing but the root is empty
        return path.empty() ? std::string(step) : path + "." + std::string(step);
    }

    void warn_of_unsayable(const Value& schema, const std::string& path) {
        for (const std::string_view name : kUnsayable) {
            if (!member(schema, name) || (name == "not" && excluded(schema))) continue;
            warn(path, quoted(name) + " cannot be said and is not checked");
        }
    }

    // ---- References

    Type follow(const Value& reference, const std::string& path, std::uint32_t depth) {
        if (!reference.is_string()) return unsaid(path, "a `$ref` that is no text");
        const std::string name(text_of(reference));
        const Value* target = find(name);
        if (!target) return unsaid(path, "the reference `" + name.substr(0, 80) + "`");
        if (std::ranges::find(following_, target) != following_.end()) return unsaid(path, "a type that holds itself");
        following_.push_back(target);
        Type type = read(*target, path, depth + 1);
        following_.pop_back();
        return type;
    }

    /// "#", "#/$defs/Name"
    const Value* find(std::string_view reference) {
        return referred(root_, reference, [this](const Value& in, const std::string& name) {
            return in.is_map() ? member(in, name) : nullptr;
        });
    }

    // ---- Types

    Type base(const Value& schema, const std::string& path, std::uint32_t depth) {
        if (const Value* choices = member(schema, "enum")) return enumeration(*choices, path);
        if (const Value* only = member(schema, "const")) {
            Type type(TypeKind::Enum);
            return add_choice(type, *only) ? type : unsaid(path, "`const` of a list or map");
        }
        for (const char* name : {"anyOf", "oneOf"}) {
            const Value* items = member(schema, name);
            if (!items) continue;
            if (member(schema, "properties")) return with_alternatives(schema, *items, path, depth);
            Type type = alternatives(*items, path, depth);
            if (!type.is(TypeKind::Any) || !member(schema, "type")) return type;
            warn(path, quoted(name) + " beside a `type` cannot be said and is not checked");
        }
        if (const Value* items = member(schema, "allOf")) return conjunction(schema, *items, path, depth);
        return plain(schema, path, depth);
    }

    /// What is said without `anyOf` and the like.
    Type plain(const Value& schema, const std::string& path, std::uint32_t depth) {
        const Value* type = member(schema, "type");
        if (type && type->is_string()) return named(schema, text_of(*type), path, depth);
        if (type && type->is_vector()) return several(schema, *type, path, depth);
        if (type) return unsaid(path, "a `type` that is no name");
        if (member(schema, "properties")) return record(schema, path, depth);
        if (member(schema, "items")) return list(schema, path, depth);
        return Type(TypeKind::Any);
    }

    Type named(const Value& schema, std::string_view name, const std::string& path, std::uint32_t depth) {
        if (name == "string") return text(schema, path);
        if (name == "integer") return number(schema, TypeKind::Int);
        if (name == "number") return number(schema, TypeKind::Float);
        if (name == "boolean") return Type(TypeKind::Bool);
        if (name == "null") return Type(TypeKind::Nil);
        if (name == "array") return list(schema, path, depth);
        if (name == "object") return record(schema, path, depth);
        return unsaid(path, "the type `" + std::string(name.substr(0, 40)) + "`");
    }

    Type text(const Value& schema, const std::string& path) {
        const Value* format = member(schema, "format");
        if (!format || !format->is_string()) return Type(TypeKind::String);
        if (text_of(*format) == "date-time") return Type(TypeKind::DateTime);
        warn(path, "`format` is not checked");
        return Type(TypeKind::String);
    }

    Type number(const Value& schema, TypeKind kind) {
        constexpr std::array<std::pair<std::string_view, Bound::Op>, 4> kLimits = {
            {{"minimum", Bound::Op::AtLeast},
             {"exclusiveMinimum", Bound::Op::Greater},
             {"maximum", Bound::Op::AtMost},
             {"exclusiveMaximum", Bound::Op::Less}}};
        Type type(kind);
        for (const auto& [name, op] : kLimits) {
            const Value* limit = member(schema, name);
            if (!limit) continue;
            if (const std::optional<Number> known = as_number(*limit)) type.bounds.push_back({op, *known});
            if (limit->is_true()) make_exclusive(type, op); // draft 4
        }
        if (const std::optional<Number> other = excluded(schema)) type.bounds.push_back({Bound::Op::NotEqual, *other});
        return type;
    }
    static std::optional<Number> as_number(const Value& value) {
        std::int64_t whole = 0;
        if (value.is_integer() && fits_int64(value, &whole)) return Number(whole);
        if (value.is_double() && std::isfinite(value.as_double())) return Number(value.as_double());
        return std::nullopt;
    }
    /// The only number that `{"not": {"const": number}}` leaves out.
    std::optional<Number> excluded(const Value& schema) {
        const Value* inner = member(schema, "not");
        if (!inner || !inner->is_map() || map_count(*inner) != 1) return std::nullopt;
        const Value* only = member(*inner, "const");
        return only ? as_number(*only) : std::nullopt;
    }
    static void make_exclusive(Type& type, Bound::Op op) {
        const bool is_lower = op == Bound::Op::Greater;
        for (Bound& bound : type.bounds) {
            if (bound.op == (is_lower ? Bound::Op::AtLeast : Bound::Op::AtMost)) bound.op = op;
        }
    }

    Type list(const Value& schema, const std::string& path, std::uint32_t depth) {
        const Value* items = member(schema, "items");
        if (member(schema, "prefixItems") || (items && items->is_vector())) {
            warn(path, "a list whose elements have types of their own cannot be said; any elements are allowed");
            return Type::list(Type(TypeKind::Any));
        }
        return Type::list(items ? read(*items, path + "[]", depth + 1) : Type(TypeKind::Any));
    }

    Type record(const Value& schema, const std::string& path, std::uint32_t depth) {
        const Value* properties = member(schema, "properties");
        if (!properties || !properties->is_map() || map_count(*properties) == 0) {
            const Value* others = member(schema, "additionalProperties");
            if (others && others->is_map() && map_count(*others) > 0)
                warn(path, "the values of a map with any keys are not checked");
            return properties ? Type::record({}) : Type(TypeKind::Map);
        }
        std::vector<Field> fields;
        const MapView view = entries(*properties);
        const std::vector<std::string> required = required_names(schema);
        for (std::size_t i = 0; i < view.size(); ++i) {
            const std::string in_schema(text_of(view.key(i)));
            if (is_without_name(in_schema, path)) continue;
            Type type = read(view.value(i), at(path, in_schema), depth + 1);
            type.is_optional = type.is_optional || !std::ranges::binary_search(required, in_schema);
            fields.push_back({in_schema, std::move(type)});
        }
        if (says_others(schema)) add_unwritten({path, std::string(kAnyField)});
        return Type::record(std::move(fields));
    }
    /// A parameter for which programs have no other name.
    bool is_without_name(const std::string& in_schema, const std::string& path) {
        if (names_ != ParameterNames::Written || !path.empty() || !name_in_programs(in_schema).empty()) return false;
        warn(in_schema, "no name is like this one; it is not checked");
        if (in_schema.size() <= kMaxWrittenName) add_unwritten({"", in_schema});
        return true;
    }
    /// Whether other fields than those of `properties` are said to be there, and not only allowed by saying nothing.
    bool says_others(const Value& schema) {
        constexpr std::array<const char*, 3> kSaying = {"additionalProperties", "patternProperties",
                                                        "unevaluatedProperties"};
        return std::ranges::any_of(kSaying, [&](const char* name) {
            const Value* said = member(schema, name);
            const bool is_pattern = std::string_view(name) == "patternProperties";
            return said && (said->is_true() || (said->is_map() && (!is_pattern || map_count(*said) > 0)));
        });
    }
    static std::vector<std::string> texts_in(const Value* list) {
        std::vector<std::string> texts;
        const std::size_t size = list && list->is_vector() ? vector_length(*list) : 0;
        for (std::size_t i = 0; i < size; ++i) {
            const Value one = vector_get(*list, i);
            if (one.is_string()) texts.emplace_back(text_of(one));
        }
        return texts;
    }
    /// Sorted.
    std::vector<std::string> required_names(const Value& schema) {
        std::vector<std::string> names = texts_in(member(schema, "required"));
        std::ranges::sort(names);
        return names;
    }
    static bool add_choice(Type& type, const Value& value) {
        std::int64_t whole = 0;
        if (value.is_nil())
            type.choices.emplace_back(std::monostate());
        else if (value.is_boolean())
            type.choices.emplace_back(value.is_true());
        else if (value.is_string())
            type.choices.emplace_back(std::string(text_of(value)));
        else if (value.is_double())
            type.choices.emplace_back(value.as_double());
        else if (value.is_integer() && fits_int64(value, &whole))
            type.choices.emplace_back(whole);
        else
            return false;
        return true;
    }
    Type enumeration(const Value& choices, const std::string& path) {
        Type type(TypeKind::Enum);
        const std::size_t size = choices.is_vector() ? vector_length(choices) : 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (!add_choice(type, vector_get(choices, i))) return unsaid(path, "`enum` with a list or map");
        }
        if (type.choices.empty()) return unsaid(path, "an `enum` without choices");
        return type;
    }

    Type several(const Value& schema, const Value& names, const std::string& path, std::uint32_t depth) {
        std::vector<Type> items;
        for (std::size_t i = 0; i < vector_length(names); ++i) {
            const Value name = vector_get(names, i);
            if (!name.is_string()) return unsaid(path, "a `type` that is no name");
            items.push_back(named(schema, text_of(name), path, depth));
        }
        return joined(std::move(items), path);
    }
    Type alternatives(const Value& schemas, const std::string& path, std::uint32_t depth) {
        std::vector<Type> items;
        for (std::size_t i = 0; schemas.is_vector() && i < vector_length(schemas); ++i)
            items.push_back(read(vector_get(schemas, i), path, depth + 1));
        return joined(std::move(items), path);
    }
    /// Beyond a hundred a repetition stays: each would be compared with all.
    static bool is_among_first(const std::vector<Type>& items, const Type& item) {
        const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(items.size(), 100));
        return std::find(items.begin(), end, item) != end;
    }
    /// Null among the alternatives makes the type optional; `:any` among them makes it `:any`.
    Type joined(std::vector<Type> items, const std::string& path) {
        Type type(TypeKind::Union);
        for (Type& item : items) {
            if (item.is(TypeKind::Any)) return std::move(item);
            type.is_optional = type.is_optional || item.is_optional || item.is(TypeKind::Nil);
            item.is_optional = false;
            if (item.is(TypeKind::Union))
                std::ranges::move(item.items, std::back_inserter(type.items));
            else if (!item.is(TypeKind::Nil) && !is_among_first(type.items, item))
                type.items.push_back(std::move(item));
        }
        if (type.items.empty())
            return type.is_optional ? Type(TypeKind::Nil) : unsaid(path, "a schema without alternatives");
        if (type.items.size() > 1) return type;
        Type only = std::move(type.items.front());
        only.is_optional = type.is_optional;
        return only;
    }
    /// What `schema` says itself comes first. Records are merged, and so are the limits of a number; of anything else
    /// only the first is checked.
    Type conjunction(const Value& schema, const Value& parts, const std::string& path, std::uint32_t depth) {
        return all_of(plain(schema, path, depth), parts, path, depth);
    }
    Type all_of(Type all, const Value& parts, const std::string& path, std::uint32_t depth) {
        for (std::size_t i = 0; parts.is_vector() && i < vector_length(parts); ++i) {
            const Value part = vector_get(parts, i);
            Type next = is_untyped_limit(part, all) ? limits(part, all.kind, path, depth) : read(part, path, depth + 1);
            if (all.is(TypeKind::Any) || (all.is(TypeKind::Map) && next.is(TypeKind::Record))) {
                all = std::move(next);
            } else if (all.is(TypeKind::Record) && next.is(TypeKind::Record)) {
                add_fields(all.fields, next.fields);
            } else if (all.is(TypeKind::Record) && next.is(TypeKind::Map)) {
                continue; // says nothing more
            } else if (is_number(all) && all.kind == next.kind) {
                std::ranges::move(next.bounds, std::back_inserter(all.bounds));
            } else {
                warn(path, "`allOf` of other things than maps cannot be said; only the first part is checked");
            }
        }
        return all;
    }
    /// Of one that both have, what the first says of its values is kept.
    void add_fields(std::vector<Field>& fields, std::vector<Field>& more) {
        std::map<std::string, std::size_t> places;
        for (std::size_t i = 0; i < fields.size(); ++i)
            places.emplace(fields[i].name, i);
        for (Field& field : more) {
            const auto [place, is_new] = places.emplace(field.name, fields.size());
            if (is_new) {
                fields.push_back(std::move(field));
                continue;
            }
            Type& known = fields[place->second].type;
            known.is_optional = known.is_optional && field.type.is_optional;
        }
    }
    /// Fields that stand beside alternatives come first; of those that only alternatives have, nothing is checked.
    Type with_alternatives(const Value& schema, const Value& schemas, const std::string& path, std::uint32_t depth) {
        Type own = record(schema, path, depth);
        warn(path, "which fields go together cannot be said and is not checked");
        for (std::size_t i = 0; schemas.is_vector() && i < vector_length(schemas); ++i)
            add_possible_fields(own, read(vector_get(schemas, i), path, depth + 1));
        return own;
    }

    // ---- Fields that may be there

    /// Fields of schemas that hold under a condition: which one that is cannot be said, so they may be there, and may
    /// be anything.
    void add_possible(Type& type, const Value& schema, const std::string& path, std::uint32_t depth) {
        const auto add = [&](const Value& part) {
            if (!part.is_map()) return;
            add_possible_fields(type, read(part, path, depth + 1));
            add_demanded(type, part, path);
        };
        for (const char* name : {"anyOf", "oneOf"}) {
            const Value* parts = member(schema, name);
            for (std::size_t i = 0; parts && parts->is_vector() && i < vector_length(*parts); ++i) {
                const Value part = vector_get(*parts, i);
                if (part.is_map()) add_demanded(type, part, path);
            }
        }
        for (const char* name : {"if", "then", "else"})
            if (const Value* part = member(schema, name)) add(*part);
        for (const char* name : {"dependentSchemas", "dependencies"}) {
            const Value* parts = member(schema, name);
            const MapView view = parts && parts->is_map() ? entries(*parts) : MapView();
            for (std::size_t i = 0; i < view.size(); ++i)
                add(view.value(i));
        }
        const Value* all = member(schema, "allOf");
        for (std::size_t i = 0; all && all->is_vector() && i < vector_length(*all); ++i) {
            const Value part = vector_get(*all, i);
            if (part.is_map() && depth < kMaxTypeNesting) add_possible_of_part(type, part, path, depth + 1);
        }
        add_demanded(type, schema, path);
    }
    /// Fields that a schema requires, perhaps beside others, and says nothing else of.
    void add_demanded(Type& type, const Value& schema, const std::string& path) {
        const Value* others = member(schema, "additionalProperties");
        if (!type.is(TypeKind::Record) || (others && others->is_boolean() && !others->is_true())) return;
        std::vector<std::string> names = texts_in(member(schema, "required"));
        for (const char* name : {"dependentRequired", "dependencies"}) {
            const Value* parts = member(schema, name);
            const MapView view = parts && parts->is_map() ? entries(*parts) : MapView();
            for (std::size_t i = 0; i < view.size(); ++i)
                std::ranges::move(texts_in(&view.value(i)), std::back_inserter(names));
        }
        if (names.empty()) return;
        std::set<std::string> known;
        for (const Field& field : type.fields)
            known.insert(field.name);
        for (std::string& name : names) {
            if (!known.insert(name).second || is_without_name(name, path)) continue;
            // A parameter gets underscores for its hyphens: what is to arrive as it is written is not declared.
            if (normalized_name(name) != name)
                add_unwritten({path, path.empty() ? name : std::string(kAnyField)});
            else
                type.fields.push_back({std::move(name), optional_any()});
        }
    }
    void add_possible_of_part(Type& type, const Value& part, const std::string& path, std::uint32_t depth) {
        const Value* reference = member(part, "$ref");
        if (!reference) return add_possible(type, part, path, depth);
        const Value* target = reference->is_string() ? find(text_of(*reference)) : nullptr;
        if (!target || !target->is_map() || std::ranges::find(following_, target) != following_.end()) return;
        following_.push_back(target);
        add_possible_of_part(type, *target, path, depth + 1);
        following_.pop_back();
    }
    /// Those that `more` has and `type` has not, at each level. What may be anything stays that.
    static void add_possible_fields(Type& type, const Type& more) { // NOLINT(misc-no-recursion)
        if (more.is(TypeKind::Union)) {
            for (const Type& item : more.items)
                add_possible_fields(type, item);
        } else if (type.is(TypeKind::Union)) {
            for (Type& item : type.items)
                add_possible_fields(item, more);
        } else if (type.is(TypeKind::List) && more.is(TypeKind::List)) {
            add_possible_fields(type.items.front(), more.element());
        } else if (type.is(TypeKind::Record) && more.is(TypeKind::Record)) {
            std::map<std::string, std::size_t> places;
            for (std::size_t i = 0; i < type.fields.size(); ++i)
                places.emplace(type.fields[i].name, i);
            for (const Field& field : more.fields) {
                const auto [place, is_new] = places.emplace(field.name, type.fields.size());
                if (is_new)
                    type.fields.push_back({field.name, optional_any()});
                else
                    add_possible_fields(type.fields[place->second].type, field.type);
            }
        }
    }
    static bool is_number(const Type& type) { return type.is(TypeKind::Int) || type.is(TypeKind::Float); }
    Type limits(const Value& part, TypeKind kind, const std::string& path, std::uint32_t depth) {
        Type type = number(part, kind);
        const Value* more = member(part, "allOf");
        if (!more) return type;
        return depth < kMaxTypeNesting ? all_of(std::move(type), *more, path, depth + 1)
                                       : unsaid(path, "a schema that cannot be followed");
    }
    bool is_untyped_limit(const Value& part, const Type& all) {
        return is_number(all) && part.is_map() && !member(part, "type") && !member(part, "$ref") &&
               !member(part, "anyOf") && !member(part, "oneOf") && !member(part, "enum") && !member(part, "const");
    }

    Heap& heap_;
    const Value& root_;
    std::vector<const Value*> following_;
    std::vector<Fault> warnings_;
    std::vector<UnwrittenField> unwritten_;
    ParameterNames names_;
    std::size_t parts_ = 0;
};

/// A field of a record, by its name.
const Field* field_named(const Type& record, const std::string& name) {
    const auto found = std::ranges::find(record.fields, name, &Field::name);
    return found == record.fields.end() ? nullptr : &*found;
}

/// Arguments that may be one of several maps have the fields of all. One is of a type where all say the same of it, and
/// needed where all need it; which go together is not checked.
std::optional<std::vector<Field>> fields_of_alternatives(const Type& type) {
    const auto is_record = [](const Type& item) { return item.is(TypeKind::Record); };
    if (!type.is(TypeKind::Union) || type.is_optional || !std::ranges::all_of(type.items, is_record)) return {};
    constexpr std::size_t kMost = 1000; // each is looked for in all alternatives
    std::vector<Field> fields;
    for (const Type& item : type.items) {
        if (fields.size() + item.fields.size() > kMost || type.items.size() > kMost) return {};
        for (const Field& field : item.fields) {
            if (std::ranges::find(fields, field.name, &Field::name) != fields.end()) continue;
            Field common = field;
            for (const Type& other : type.items) {
                const Field* same = field_named(other, field.name);
                common.type.is_optional = common.type.is_optional || !same || same->type.is_optional;
                if (same && without_optional(same->type) == without_optional(field.type)) continue;
                common.type = Type(TypeKind::Any);
                common.type.is_optional = true;
                break;
            }
            fields.push_back(std::move(common));
        }
    }
    return fields;
}

/// What is read of a schema: a value, or the arguments of a call. Other arguments than those that are named are passed
/// over, so that one without a name that can be said makes any allowed.
enum class Role : std::uint8_t { Value, Arguments };

/// One of the maps that arguments may be.
void allow_any_arguments(Type& type) {
    if (type.is(TypeKind::Record) && !can_be_said(type.fields)) type = Type(TypeKind::Map);
}

struct NamedReading {
    SchemaReading reading;
    FieldNames names;
    std::size_t parts = 0;
};

/// With ParameterNames::Written fields have the names that programs have for them.
Result<NamedReading> read_schema(std::string_view json, ParameterNames names, Role role) {
    Heap heap;
    ShapeTable shapes(heap);
    const Value schema = PTC_TRY(parse_json(heap, shapes, json));
    if (!schema.is_map() && !schema.is_boolean())
        return Error(Reason::InvalidRequest, "A JSON Schema is an object, or true or false.");
    const bool are_arguments = role == Role::Arguments;
    SchemaReader reader(heap, schema, are_arguments ? names : ParameterNames::AsTheyAre);
    NamedReading read;
    Type& type = read.reading.type;
    type = reader.read(schema, "", 0);
    if (names == ParameterNames::Written) read.names = name_fields(type, are_arguments);
    if (are_arguments) {
        allow_any_arguments(type);
        std::ranges::for_each(type.items, allow_any_arguments);
    }
    reader.rename_paths(read.names.paths);
    reader.leave_out_unwritten(type, "");
    read.reading.unwritten = reader.take_unwritten();
    read.reading.warnings = reader.take_warnings();
    read.parts = reader.parts();
    return read;
}

} // namespace

Result<SchemaReading> read_json_schema(std::string_view json) {
    NamedReading read = PTC_TRY(read_schema(json, ParameterNames::AsTheyAre, Role::Value));
    return std::move(read.reading);
}

Result<SignatureReading> read_tool_schemas(std::string_view input, std::string_view output, ParameterNames names) {
    SignatureReading made;
    NamedReading of_input = PTC_TRY(read_schema(input, names, Role::Arguments));
    SchemaReading& arguments = of_input.reading;
    made.parts = of_input.parts;
    made.warnings = std::move(arguments.warnings);
    bool are_parameters = true;
    if (arguments.type.is(TypeKind::Record)) {
        made.signature.params = std::move(arguments.type.fields);
    } else if (std::optional<std::vector<Field>> fields = fields_of_alternatives(arguments.type)) {
        made.signature.params = std::move(*fields);
        made.warnings.push_back({"", "which fields go together cannot be said and is not checked"});
    } else {
        made.warnings.push_back({"", "the tool's input is no object with known properties; any arguments are allowed"});
        made.signature.params.push_back({"", Type(TypeKind::Map)});
        are_parameters = false;
    }
    if (are_parameters) {
        made.written = std::move(of_input.names.written);
        made.argument_names = std::move(of_input.names.apart);
        made.unwritten_arguments = std::move(arguments.unwritten);
    }
    if (output.empty()) return made;
    NamedReading result = PTC_TRY(read_schema(output, names, Role::Value));
    made.parts += result.parts;
    made.signature.returns = std::move(result.reading.type);
    made.unwritten_results = std::move(result.reading.unwritten);
    made.result_names = std::move(result.names.apart);
    std::ranges::move(result.reading.warnings, std::back_inserter(made.warnings));
    return made;
}

} // namespace ptc
