// Types compared as sets of JSON values: does each value that an agent may give fit what the client's schema takes? A
// schema that was read as a type (ptc/schema_reader.h) takes at least what it took, so only what is plainly too much is
// refused. Keywords and points in time are texts in JSON; nil and absent fields are what `?` allows.
#include "tools/serve/schema_fit.h"
#include "frontend/json_pointer.h"
#include "frontend/quoted.h"
#include "subagent/agent/firewall.h"
#include "tools/members.h"
#include <algorithm>
#include <set>
#include <string_view>

namespace ptc {
namespace {

using Misfit = std::optional<std::string>;

Misfit unlike(const Type& given, const Type& asked, const std::string& path) {
    return (path.empty() ? "The agent gives " : "At " + quoted(path) + " the agent gives ") + quoted(type_text(given)) +
           ", the schema asks for " + quoted(type_text(asked)) + ".";
}

bool is_text(const Choice& choice) {
    return std::holds_alternative<std::string>(choice) || std::holds_alternative<KeywordChoice>(choice);
}

/// What stands in JSON for a value of this kind.
TypeKind json_kind(TypeKind kind) {
    return kind == TypeKind::Keyword || kind == TypeKind::DateTime ? TypeKind::String : kind;
}

std::string choice_text(const Choice& choice) {
    const auto* keyword = std::get_if<KeywordChoice>(&choice);
    if (keyword) return keyword->name;
    const auto* text = std::get_if<std::string>(&choice);
    return text ? *text : std::string();
}

bool is_same_choice(const Choice& a, const Choice& b) {
    return is_text(a) && is_text(b) ? choice_text(a) == choice_text(b) : a == b;
}

class Fit {
public:
    Misfit check(const Type& given, const Type& asked, const std::string& path) const {
        if (asked.is(TypeKind::Any)) return {};
        if (given.is_optional && !takes_nil(asked)) return unlike(given, asked, path);
        if (given.is(TypeKind::Union)) {
            for (const Type& one : given.items)
                if (Misfit found = check(one, asked, path)) return found;
            return {};
        }
        if (asked.is(TypeKind::Union)) {
            const bool fits =
                std::ranges::any_of(asked.items, [&](const Type& one) { return !check(one_of(given), one, path); });
            return fits ? Misfit() : unlike(given, asked, path);
        }
        return check_kind(given, asked, path);
    }

private:
    static bool takes_nil(const Type& asked) {
        const auto is_nil = [](const Type& one) { return one.is(TypeKind::Nil) || one.is_optional; };
        const bool has_nil = asked.is(TypeKind::Enum) && std::ranges::any_of(asked.choices, [](const Choice& choice) {
                                 return std::holds_alternative<std::monostate>(choice);
                             });
        return is_nil(asked) || has_nil || (asked.is(TypeKind::Union) && std::ranges::any_of(asked.items, is_nil));
    }
    /// nil is dealt with already.
    static Type one_of(const Type& given) {
        Type required = given;
        required.is_optional = false;
        return required;
    }
    Misfit check_kind(const Type& given, const Type& asked, const std::string& path) const {
        if (given.is(TypeKind::Enum)) return check_enum(given, asked, path);
        if (asked.is(TypeKind::Map) && given.is(TypeKind::Record)) return {};
        if (asked.is(TypeKind::Float) && given.is(TypeKind::Int) && asked.bounds.empty()) return {};
        if (json_kind(given.kind) != json_kind(asked.kind)) return unlike(given, asked, path);
        if (!std::ranges::all_of(asked.bounds, [&](const Bound& bound) { return holds(given, bound); }))
            return unlike(given, asked, path);
        if (asked.is(TypeKind::List)) return check(given.element(), asked.element(), path + "[]");
        if (asked.is(TypeKind::Record)) return check_fields(given, asked, path);
        return {};
    }
    /// By a bound of its own, or because it is that of all whole numbers that a double can say: clients add those to
    /// each integer, and ours are not larger than what JSON's readers there can read.
    static bool holds(const Type& given, const Bound& bound) {
        constexpr std::int64_t kMostExact = 9'007'199'254'740'991;
        const auto* limit = std::get_if<std::int64_t>(&bound.limit);
        const bool is_of_all = limit && given.is(TypeKind::Int) &&
                               ((bound.op == Bound::Op::AtLeast && *limit == -kMostExact) ||
                                (bound.op == Bound::Op::AtMost && *limit == kMostExact));
        return is_of_all || std::ranges::find(given.bounds, bound) != given.bounds.end();
    }
    Misfit check_enum(const Type& given, const Type& asked, const std::string& path) const {
        const bool fits = std::ranges::all_of(given.choices, [&](const Choice& choice) {
            if (asked.is(TypeKind::String)) return is_text(choice);
            return asked.is(TypeKind::Enum) && std::ranges::any_of(asked.choices, [&](const Choice& other) {
                       return is_same_choice(choice, other);
                   });
        });
        return fits ? Misfit() : unlike(given, asked, path);
    }
    Misfit check_fields(const Type& given, const Type& asked, const std::string& path) const {
        const std::string prefix = path.empty() ? "" : path + ".";
        for (const Field& field : asked.fields) {
            const Field* own = find(given, field.name);
            if (!own && !field.type.is_optional)
                return "The schema asks for " + quoted(prefix + field.name) + ", which the agent does not give.";
            if (!own) continue;
            if (Misfit found = check(own->type, field.type, prefix + field.name)) return found;
        }
        for (const Field& field : given.fields)
            if (!find(asked, field.name))
                return "The agent gives " + quoted(prefix + field.name) + ", which the schema does not have.";
        return {};
    }
    /// By the name that JSON has: the one with underscores.
    static const Field* find(const Type& record, const std::string& name) {
        const auto found = std::ranges::find_if(
            record.fields, [&](const Field& field) { return normalized_name(field.name) == normalized_name(name); });
        return found == record.fields.end() ? nullptr : &*found;
    }
};

/// Puts values into the shape that a schema wants, as deep as the values are.
class Shaper {
public:
    explicit Shaper(const Datum& root) : root_(root) {}

    void shape(Datum& value, const Datum& schema) const {
        const Datum& here = resolved(schema);
        if (value.list()) {
            const Datum* items = here.find("items");
            if (!items) return;
            Datum::List shaped = *value.list();
            for (Datum& item : shaped)
                shape(item, *items);
            value = Datum(std::move(shaped));
        } else if (const Datum* properties = here.find("properties"); value.map() && properties && properties->map()) {
            shape_object(value, here, *properties);
        }
    }

private:
    /// Behind references, and of alternatives the one that says fields or items.
    [[nodiscard]] const Datum& resolved(const Datum& schema) const {
        constexpr int kMostHops = 16; // references may lead back to themselves
        const Datum* at = &schema;
        for (int hop = 0; hop < kMostHops; ++hop) {
            const Datum* next = step(*at);
            if (!next) break;
            at = next;
        }
        return *at;
    }
    [[nodiscard]] const Datum* step(const Datum& schema) const {
        if (const Datum* reference = schema.find("$ref"); reference && reference->text())
            return target(*reference->text());
        for (const char* name : {"anyOf", "oneOf"}) {
            const Datum* choices = schema.find(name);
            if (!choices || !choices->list()) continue;
            const Datum* only = nullptr;
            for (const Datum& choice : *choices->list()) {
                if (!choice.find("properties") && !choice.find("items") && !choice.find("$ref")) continue;
                if (only) return nullptr;
                only = &choice;
            }
            return only;
        }
        return nullptr;
    }
    /// "#/$defs/Item"; null for what is elsewhere.
    [[nodiscard]] const Datum* target(std::string_view reference) const {
        return referred(root_, reference, [](const Datum& in, const std::string& name) { return in.find(name); });
    }
    void shape_object(Datum& value, const Datum& schema, const Datum& properties) const {
        const Datum* others = schema.find("additionalProperties");
        const bool is_closed = others && others->get_if<bool>() && !*others->get_if<bool>();
        const std::set<std::string> required = required_by(schema);
        Datum::Map shaped;
        for (const auto& [key, given] : *value.map()) {
            const std::string name(key_name(key));
            const Datum* property = properties.find(name);
            if (!property && is_closed) continue;
            if (given.is_nil() && !required.contains(name)) continue;
            shaped.emplace_back(key, given);
            if (property) shape(shaped.back().second, *property);
        }
        for (const std::string& name : required) {
            if (!value.find(name)) shaped.emplace_back(Datum(name), Datum());
        }
        value = Datum(std::move(shaped));
    }
    static std::set<std::string> required_by(const Datum& schema) {
        std::set<std::string> names;
        for (const Datum& name : items_of(schema, "required")) {
            if (name.text()) names.insert(*name.text());
        }
        return names;
    }

    const Datum& root_;
};

} // namespace

Datum shaped(Datum value, const Datum& schema) {
    Shaper(schema).shape(value, schema);
    return value;
}

std::optional<std::string> misfit(const Type& given, const Type& asked) { return Fit().check(given, asked, ""); }

} // namespace ptc
