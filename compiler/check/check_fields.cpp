// Maps: fields that are read, and what is known of maps that are made from others.
#include "compiler/check/checker.h"

namespace ptc {

// ---- Reading

/// `key` is a keyword or string, or a name of a pattern that stands for a keyword.
const Fact* Checker::read_field(const Fact* map, const Form& key, bool has_default, const Form* names) {
    switch (map->kind) {
    case FactKind::Record: break;
    case FactKind::Dict: return facts_.or_nil(map->item);
    case FactKind::Bool:
    case FactKind::Numeric:
    case FactKind::String:
    case FactKind::Keyword:
    case FactKind::List:
    case FactKind::Tuple:
        if (!is_full() && !has_default) warn(no_fields(key, *map));
        return Facts::any();
    default: return Facts::any();
    }
    const FactPart* field = Facts::find(*map, key.text());
    if (field) return map->sure ? field->fact : facts_.or_nil(field->fact);
    // A default for a field of the program's own map shows that it may be absent; from outside it never comes.
    const bool meant = has_default && map->origin.empty();
    if (!meant && !is_full()) warn(unknown_field(key, *map, names));
    return Facts::any();
}

const Fact* Checker::get_call(Call& call) {
    look_at_all(call);
    if (call.size() < 2) return Facts::any();
    const Fact* map = call.arguments[0].fact;
    const Form* key = call.arguments[1].form;
    const Fact* found = Facts::any();
    if (key && is_key(*key))
        found = read_field(map, *key, call.size() > 2);
    else if (map->kind == FactKind::Dict)
        found = facts_.or_nil(map->item);
    else if (map->kind == FactKind::List)
        found = facts_.or_nil(map->item);
    return call.size() > 2 ? facts_.join(found, call.arguments[2].fact) : found;
}

// (get-in m [:a 0 :b])
const Fact* Checker::get_in_call(Call& call) {
    look_at_all(call);
    if (call.size() < 2) return Facts::any();
    const Fact* found = call.arguments[0].fact;
    const Form* path = call.arguments[1].form;
    if (!path || !path->is(FormKind::Vector)) return Facts::any();
    for (const Form& key : path->items()) {
        if (is_key(key))
            found = read_field(found, key, call.size() > 2);
        else if (key.is(FormKind::Integer) && key.integer >= 0)
            found = facts_.element_of(found, static_cast<std::size_t>(key.integer));
        else
            return Facts::any();
    }
    found = facts_.or_nil(found);
    return call.size() > 2 ? facts_.join(found, call.arguments[2].fact) : found;
}

// ---- Making

const Fact* Checker::assoc_call(Call& call) {
    look_at_all(call);
    if (call.size() == 0) return Facts::any();
    const Fact* map = call.arguments[0].fact;
    if (map->kind == FactKind::Nil) map = facts_.record({}, {});
    for (std::size_t i = 1; i + 1 < call.size(); i += 2) {
        const Form* key = call.arguments[i].form;
        if (map->kind != FactKind::Record) return Facts::any();
        if (!key || !is_key(*key)) return facts_.dict(Facts::any());
        map = facts_.with_field(map, key->text(), call.arguments[i + 1].fact);
    }
    return map;
}

/// The field may be gone, or stay as the key of the other type.
const Fact* Checker::dissoc_call(Call& call) {
    look_at_all(call);
    const Fact* map = call.size() == 0 ? Facts::any() : call.arguments[0].fact;
    for (std::size_t i = 1; i < call.size() && map->kind == FactKind::Record; ++i) {
        const Form* key = call.arguments[i].form;
        if (key && is_key(*key) && Facts::find(*map, key->text()))
            map = facts_.with_field(map, key->text(), Facts::any());
    }
    return map->kind == FactKind::Record ? as_ruled(call, map) : Facts::any();
}

const Fact* Checker::select_keys_call(Call& call) {
    look_at_all(call);
    if (call.size() != 2) return Facts::any();
    const Fact* map = call.arguments[0].fact;
    const Form* keys = call.arguments[1].form;
    if (map->kind != FactKind::Record || !keys || !keys->is(FormKind::Vector)) return Facts::any();
    std::vector<FactPart> fields;
    for (const Form& key : keys->items()) {
        if (!is_key(key)) return facts_.dict(Facts::any());
        const Fact* value = read_field(map, key, false);
        fields.push_back({key.text(), facts_.or_nil(value)});
    }
    return facts_.record(fields, map->origin);
}

const Fact* Checker::merge_call(Call& call) {
    look_at_all(call);
    const Fact* map = nullptr;
    for (const Argument& argument : call.arguments) {
        if (argument.fact->kind == FactKind::Nil) continue;
        map = map ? facts_.merged(map, argument.fact) : argument.fact;
    }
    return map ? map : Facts::nil();
}

// (update m k f a ..)
const Fact* Checker::update_call(Call& call) {
    if (call.size() < 3) return gives_call(call);
    const Fact* map = fact_of(call.arguments[0]);
    fact_of(call.arguments[1]);
    const Form* key = call.arguments[1].form;
    const bool known = map->kind == FactKind::Record && key && is_key(*key);
    const FactPart* field = known ? Facts::find(*map, key->text()) : nullptr;
    std::vector<const Fact*> arguments{field                         ? facts_.or_nil(field->fact)
                                       : map->kind == FactKind::Dict ? facts_.or_nil(map->item)
                                                                     : Facts::any()};
    for (Argument& argument : call.arguments.subspan(3))
        arguments.push_back(fact_of(argument));
    const Fact* value = apply_argument(call, 2, arguments);
    if (known) return facts_.with_field(map, key->text(), value);
    return map->kind == FactKind::Dict ? facts_.dict(Facts::any()) : Facts::any();
}

const Fact* Checker::update_vals_call(Call& call) {
    if (call.size() != 2) return gives_call(call);
    const Fact* map = fact_of(call.arguments[0]);
    const bool is_map = map->kind == FactKind::Record || map->kind == FactKind::Dict;
    const Fact* value = is_map                        ? facts_.element_of(facts_.item_of(map), 1)
                        : map->kind == FactKind::List ? map->item
                                                      : Facts::any();
    const Fact* result = apply_argument(call, 1, {&value, 1});
    if (map->kind == FactKind::List) return facts_.list(result);
    return is_map ? facts_.dict(result) : Facts::any();
}

} // namespace ptc
