// Patterns of maps and vectors as other languages and other corners of Clojure write them: {name age}, [a ...rest],
// {:keys ["name"]}, {:keys [a] :or [a 1]}. Each rule knows one shape and looks at the forms around the one with the
// error. Also patterns that are right as such, but not for the value that a run has met (taken_apart).
#include "compiler/check/near_key.h"
#include "compiler/repair/bindings.h"
#include <algorithm>

namespace ptc::repair {
namespace {

constexpr const char* kKeys = "{:keys [a b]}";
constexpr const char* kOr = ":or {name default}";

/// Whether the form at `place` takes a value apart: a parameter, or what stands in front of a value.
bool is_pattern(const Place& place) {
    const Form* vector = place.around();
    const Form* list = place.around(2);
    if (!vector || !vector->is(FormKind::Vector) || !list || !is_call(*list)) return false;
    if (calls(*list, "fn") || calls(*list, "defn")) return true;
    return calls_binding_form(*list) && place.index() % 2 == 0;
}

/// {name age}
Proposal map_of_names(const Place& place) {
    const Form* map = place.around();
    if (!map || !map->is(FormKind::Map) || !is_pattern(place.outer())) return std::nullopt;
    const bool names = std::ranges::all_of(map->items(), [](const Form& f) { return f.is(FormKind::Symbol); });
    if (!names) return std::nullopt;
    return Repair{rebracketing(*map, "{:keys [", "]}"), kKeys, place.around(3)->span};
}

/// (fn [:keys [name]] ..): an option without its map.
Proposal option_without_map(const Place& place) {
    const Form& form = place.form();
    const bool option = form.is(FormKind::Keyword) && (form.text() == "keys" || form.text() == "strs");
    const FormSpan items = place.siblings();
    if (!option || !is_pattern(place) || place.index() + 1 >= items.size()) return std::nullopt;
    const Form& names = items[place.index() + 1];
    if (!names.is(FormKind::Vector)) return std::nullopt;
    return Repair{wrapping({form.span.begin, names.span.end}, "{", "}"), kKeys, place.around(2)->span};
}

/// [a ...rest], [a . rest]
Proposal rest_of_vector(const Place& place) {
    const Form& form = place.form();
    const Form* around = place.around();
    if (!form.is(FormKind::Symbol) || !around || !around->is(FormKind::Vector)) return std::nullopt;
    const std::string_view name = form.text();
    const std::size_t begin = name.find_first_not_of(".&");
    const bool is_last = place.index() + 1 == around->size;
    if (begin == name.npos)
        return name != "&" && place.index() + 2 == around->size ? Proposal(replace(form, "&", "[a b & more]"))
                                                                : std::nullopt;
    if (begin == 0 || !is_last) return std::nullopt;
    Repair repair = replace(form, "& " + std::string(name.substr(begin)), "[a b & more]");
    repair.covers = place.forms.back()->span; // where the name is used
    return repair;
}

/// {:keys ["name" :age]}
Proposal quoted_names(const Place& place) {
    const Form* names = place.around();
    const Form* map = place.around(2);
    if (!names || !names->is(FormKind::Vector) || !map || !map->is(FormKind::Map)) return std::nullopt;
    Repair repair;
    for (const Form& name : names->items()) {
        const bool wrong = name.is(FormKind::String) || name.is(FormKind::Keyword);
        if (wrong) repair.edits.push_back({name.span, std::string(name.text())});
    }
    repair.hint = "The names stand without quotes: {:keys [a b]}.";
    repair.covers = names->span;
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

/// {:keys [a] :or [a 1]}, {:keys [a] :default {a 1}}
Proposal defaults(const Place& place) {
    const Form* map = place.around();
    const Form& form = place.form();
    if (!map || !map->is(FormKind::Map)) return std::nullopt;
    const std::size_t index = place.index();
    const FormSpan items = map->items();
    if (index % 2 == 1) {
        const Form& option = items[index - 1];
        const bool wrong = option.is(FormKind::Keyword) && option.text() == "or" && form.size % 2 == 0 &&
                           (form.is(FormKind::Vector) || form.is(FormKind::List));
        return wrong ? Proposal(Repair{rebracketing(form, "{", "}"), kOr, {}}) : std::nullopt;
    }
    const bool is_default = form.is(FormKind::Keyword) && (form.text() == "default" || form.text() == "defaults");
    if (!is_default || index + 1 >= items.size() || !items[index + 1].is(FormKind::Map)) return std::nullopt;
    return replace(form, ":or", kOr);
}

} // namespace

Proposal pattern_words(const Code&, const Place& place) {
    for (const auto rule : {map_of_names, option_without_map, rest_of_vector, quoted_names, defaults}) {
        if (Proposal found = rule(place)) return found;
    }
    return std::nullopt;
}

Proposal names_of_map(const Code&, const Place& place) { return map_of_names(place); }

// ---- Parts of bindings that are no patterns

namespace {

/// [x = 1 y = 2]
Proposal signs_among_names(const Code& code, const Place& place) {
    const Form* list = place.around(2);
    if (!place.around()->is(FormKind::Vector) || !list || !binds(*list)) return std::nullopt;
    Proposal found = without_signs(code, *place.around());
    if (found) found->covers = list->span;
    return found;
}

/// [[x 1] [y 2]]: what should be one vector of pairs; the error stands at a pair, or in it.
Proposal bracketed_pairs(const Code&, const Place& place) {
    for (const std::size_t level : {2, 1}) {
        const Form* pairs = place.around(level);
        const Form* list = place.around(level + 1);
        const bool is_vector = pairs && pairs->is(FormKind::Vector) && place.around()->is(FormKind::Vector);
        if (is_vector && list && binds(*list) && are_pairs(pairs->items()))
            return Repair{flattened(*pairs), kPairs, list->span};
    }
    return std::nullopt;
}

/// :name or "name", in a pattern of a map, or in a vector that may bind names.
bool is_marked_name(const Place& place) {
    const Form& form = place.form();
    if (!form.is(FormKind::Keyword) && !form.is(FormKind::String)) return false;
    const std::string_view text = form.text();
    const bool is_name = !text.empty() && text.find_first_of(" /.\"'%") == text.npos &&
                         std::isdigit(static_cast<unsigned char>(text[0])) == 0;
    const Form& around = *place.around();
    return is_name &&
           (around.is(FormKind::Map) || (around.is(FormKind::Vector) && place.around(2) && is_call(*place.around(2))));
}

/// {:key [a b]}, {:a a}
Proposal keys_before_names(const Code& code, const Place& place) {
    const Form& form = place.form();
    const FormSpan items = place.siblings();
    if (place.index() % 2 == 0 && (form.text() == "key" || form.text() == "strings"))
        return replace(form, form.text() == "key" ? ":keys" : ":strs", kKeys);
    Repair repair;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i].is(FormKind::Keyword) || !items[i + 1].is(FormKind::Symbol)) continue;
        repair.edits.push_back({items[i].span, code.copy(items[i + 1])});
        repair.edits.push_back({items[i + 1].span, code.copy(items[i])});
    }
    if (repair.edits.empty()) return std::nullopt;
    repair.hint = "In a map pattern the name comes first: {name :key}.";
    repair.covers = place.around()->span;
    return repair;
}

bool is_call_of_core(const Code& code, const Form& form) {
    return is_call(form) && form.items()[0].is(FormKind::Symbol) && code.core_name(form.items()[0].text());
}

/// (let [(a b) pair] ..), (fn [#{a b}] ..)
Proposal pattern_in_other_brackets(const Code& code, const Place& place) {
    const Form& form = place.form();
    const Form& around = *place.around();
    const Form* list = place.around(2);
    const bool binds_here =
        (around.is(FormKind::Vector) && list && is_call(*list) && (!binds(*list) || place.index() % 2 == 0)) ||
        around.is(FormKind::Map);
    if (!binds_here) return std::nullopt;
    if (form.is(FormKind::List) && !is_call_of_core(code, form))
        return Repair{rebracketing(form, "[", "]"), "A vector is taken apart by a vector: [a b].", {}};
    if (form.is(FormKind::Set)) return Repair{rebracketing(form, "{:keys [", "]}"), kKeys, {}};
    return std::nullopt;
}

/// {:or {:a 1}}, {:or {"a" 1}}
Proposal defaults_of_keys(const Form& defaults) {
    Repair repair;
    for (std::size_t i = 0; i < defaults.size; i += 2) {
        const Form& key = defaults.items()[i];
        const bool is_marked = key.is(FormKind::Keyword) || key.is(FormKind::String);
        if (is_marked) repair.edits.push_back({key.span, std::string(key.text())});
    }
    repair.hint = kOr;
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

/// {keys [a b]}, {:keys (a b)}, {:keys a}, {:or {:a 1}}
Proposal option_value(const Code&, const Place& place) {
    const Form& form = place.form();
    if (!place.around()->is(FormKind::Map) || place.index() % 2 == 0) return std::nullopt;
    const Form& option = place.siblings()[place.index() - 1];
    if (is_symbol_of(option, {"keys", "strs"})) return Repair{{insertion(option.span.begin, ":")}, kKeys, {}};
    if (!option.is(FormKind::Keyword)) return std::nullopt;
    const bool names = is_one_of(option.text(), {"keys", "strs"});
    if (names && form.is(FormKind::Symbol)) return Repair{wrapping(form.span, "[", "]"), kKeys, {}};
    if (names && has_items(form)) return Repair{rebracketing(form, "[", "]"), kKeys, {}};
    return option.text() == "or" && form.is(FormKind::Map) ? defaults_of_keys(form) : std::nullopt;
}

/// [a & b c], [a &]
Proposal names_behind_rest(const Code& code, const Place& place) {
    const Form& form = place.form();
    if (!form.is_symbol("&") || !place.around()->is(FormKind::Vector)) return std::nullopt;
    const FormSpan items = place.siblings();
    Repair repair;
    for (std::size_t i = place.index() + 2; i < items.size(); ++i)
        repair.edits.push_back(removal(code, items[i]));
    if (place.index() + 1 == items.size()) repair.edits.push_back(insertion(form.span.end, " more"));
    repair.hint = "[a b & more]";
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

} // namespace

Proposal pattern_shape(const Code& code, const Place& place) {
    if (!place.around()) return std::nullopt;
    for (const auto rule : {signs_among_names, bracketed_pairs}) {
        if (Proposal found = rule(code, place)) return found;
    }
    if (is_marked_name(place)) {
        if (place.around()->is(FormKind::Map)) return keys_before_names(code, place);
        return replace(place.form(), std::string(place.form().text()), "A name is written without colon and quotes.");
    }
    for (const auto rule : {pattern_in_other_brackets, option_value, names_behind_rest}) {
        if (Proposal found = rule(code, place)) return found;
    }
    return std::nullopt;
}

// ---- Patterns that the value does not fit

namespace {

const Form* vector_pattern(const Form& form) {
    if (!is_call(form)) return nullptr;
    for (const Form& part : form.items()) {
        if (!part.is(FormKind::Vector)) continue;
        for (const Form& item : part.items()) {
            if (item.is(FormKind::Vector) && are_names(item)) return &item;
        }
        return nullptr;
    }
    return nullptr;
}

/// Whether the run has met maps with all the names of the pattern as keys.
bool are_keys(const Code& code, const Form& pattern) {
    const auto& keys = code.surroundings().keys;
    return keys.empty() || std::ranges::all_of(pattern.items(), [&](const Form& name) {
               return !name.is(FormKind::Symbol) || name.text() == "&" ||
                      std::ranges::find_if(keys, [&](const std::string& key) {
                          return normal_key(key) == normal_key(name.text());
                      }) != keys.end();
           });
}

bool has_field_read(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    const bool reads = is_call(form) && form.size > 1 &&
                       ((form.items()[0].is(FormKind::Keyword) && form.items()[1].is_symbol(name)) ||
                        (calls_one_of(form, {"get", "get-in"}) && form.items()[1].is_symbol(name)));
    return reads || std::ranges::any_of(form.items(), [&](const Form& item) { return has_field_read(item, name); });
}

/// (for [[i row] rows] (:name row)): of the names of the pattern the last alone is used, and its fields are read: it is
/// the item.
Proposal whole_item(const Place& place, const Form& pattern) {
    const FormSpan names = pattern.items();
    if (names.size() != 2 || !names[0].is(FormKind::Symbol) || !names[1].is(FormKind::Symbol)) return std::nullopt;
    const Form& around = *place.forms.back();
    if (count_of(around, names[0].text()) != 1 || !has_field_read(around, names[1].text())) return std::nullopt;
    return replace(pattern, std::string(names[1].text()), "These items are maps: one name is bound to each.");
}

} // namespace

Proposal taken_apart(const Code& code, const Place& place, const BadCall& bad_call) {
    const Form* pattern = nullptr;
    for (std::size_t i = 0; i < place.forms.size() && !pattern; ++i) {
        const Form& form = *place.forms[i];
        if (form.is(FormKind::Vector) && are_names(form) && i + 1 < place.forms.size() &&
            place.forms[i + 1]->is(FormKind::Vector))
            pattern = &form;
        if (is_call(form)) {
            pattern = vector_pattern(form);
            for (const Form& item : form.items()) {
                if (!pattern && is_function_literal(item)) pattern = vector_pattern(item);
            }
        }
    }
    if (!pattern) return std::nullopt;
    if (Proposal found = bad_call.kind == OperandKind::Map ? whole_item(place, *pattern) : std::nullopt) return found;
    if (bad_call.kind == OperandKind::Map && !are_keys(code, *pattern)) return std::nullopt;
    if (bad_call.kind == OperandKind::Map)
        return Repair{wrapping(pattern->span, "{:keys ", "}"), "Maps are taken apart by {:keys [a b]}.", {}};
    if (pattern->size == 1) return Repair{unwrapping(*pattern), "This value has no parts: bind it to a name.", {}};
    return std::nullopt;
}

} // namespace ptc::repair
