// Patterns of maps and vectors as other languages and other corners of Clojure write them: {name age}, [a ...rest],
// {:keys ["name"]}, {:keys [a] :or [a 1]}. Each rule knows one shape and looks at the forms around the one with the
// error.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

constexpr const char* kKeys = "{:keys [a b]}";

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
    constexpr const char* kOr = ":or {name default}";
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

} // namespace ptc::repair
