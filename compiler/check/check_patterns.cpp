// Patterns: what their names are bound to, and what is known of the parts that they take of a value. A part has the
// fact of its place or field; one with a default has that of both. How an unused name is judged depends on where it
// stands (NamesInScope::Unused): the names of one vector pattern form a group, as some of them only count positions.
#include "compiler/check/checker.h"
#include "frontend/work.h"

namespace ptc {
namespace {

bool is_name(const Form& form) {
    return form.is(FormKind::Symbol) && form.size > 0 && form.text() != "&" && form.text().front() != '%';
}

/// The map of an `:or` in the items of a map pattern; null without one.
const Form* defaults_of(std::span<const Form> items) {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i].is(FormKind::Keyword) && items[i].text() == "or" && items[i + 1].is(FormKind::Map))
            return &items[i + 1];
    }
    return nullptr;
}

const Form* default_of(const PatternDefaults& defaults, const Form& name) {
    return name.is(FormKind::Symbol) ? defaults.find(name.text()) : nullptr;
}

} // namespace

// ---- Patterns

/// `group`: of the vector pattern that holds this one, its first name, once there is one.
void Checker::bind_pattern(const Form& pattern, const Fact* fact, Unused unused, NamesInScope::Variable** group) {
    if (!work::charge(8)) return;
    if (is_name(pattern)) {
        const bool element = group && unused != Unused::Silent;
        NamesInScope::Variable* variable = names_.bind(pattern, fact, element ? Unused::Element : unused);
        if (!group || variable->unused != Unused::Element) return;
        if (!*group) *group = variable;
        variable->pattern = *group;
        return;
    }
    if (pattern.is(FormKind::Vector)) {
        NamesInScope::Variable* own_group = nullptr;
        bind_vector(pattern.items(), fact, unused, group ? group : &own_group);
    } else if (pattern.is(FormKind::Map)) {
        bind_map(pattern.items(), fact, unused);
    }
}

// [a b & rest :as all]
void Checker::bind_vector(FormSpan items, const Fact* fact, Unused unused, NamesInScope::Variable** group) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_rest = items[i].is_symbol("&");
        const bool is_whole = items[i].is(FormKind::Keyword) && items[i].text() == "as";
        if (!is_rest && !is_whole) {
            bind_pattern(items[i], facts_.element_of(fact, i), unused, group);
            continue;
        }
        if (++i == items.size()) return;
        if (is_whole)
            bind_pattern(items[i], fact, unused);
        else if (items[i].is(FormKind::Map))
            bind_pattern(items[i], Facts::any(), unused, group); // names and values in turn
        else
            bind_pattern(items[i], facts_.or_nil(facts_.list(facts_.item_of(fact))), unused, group);
    }
}

// {name :key, :keys [a b], :strs [c], :or {a 1}, :as all}
void Checker::bind_map(FormSpan items, const Fact* fact, Unused unused) {
    const PatternDefaults defaults(defaults_of(items));
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const Form& part = items[i];
        const Form& what = items[i + 1];
        if (!part.is(FormKind::Keyword)) {
            bind_pattern(part, field_or_default(fact, what, default_of(defaults, part)),
                         unused == Unused::Silent ? Unused::Key : unused);
        } else if (part.text() == "as") {
            if (is_name(what)) names_.bind(what, fact, Unused::Key);
        } else if ((part.text() == "keys" || part.text() == "strs") && what.is(FormKind::Vector)) {
            bind_keys(what, fact, defaults);
        } else if (what.is(FormKind::Vector)) { // :syms, :user/keys
            bind_keys(what, Facts::any(), defaults);
        }
    }
}

void Checker::bind_keys(const Form& names, const Fact* map, const PatternDefaults& defaults) {
    for (const Form& item : names.items()) {
        if (!work::charge(4)) return;
        if (!item.is(FormKind::Symbol) && !item.is(FormKind::Keyword)) continue;
        Form name = item;
        name.kind = FormKind::Symbol;
        if (const std::size_t slash = name.text().rfind('/'); slash != std::string_view::npos) { // user/name
            name.chars += slash + 1;
            name.size -= static_cast<std::uint32_t>(slash + 1);
            if (name.size > 0 && is_name(name)) names_.bind(name, Facts::any(), Unused::Key);
            continue;
        }
        if (!is_name(name)) continue;
        names_.bind(name, field_or_default(map, name, default_of(defaults, name), &names), Unused::Key);
    }
}

/// What a pattern takes at `key`, a keyword or string, or the name of a variable that is one.
const Fact* Checker::field_or_default(const Fact* map, const Form& key, const Form* otherwise, const Form* names) {
    const bool known = is_key_form(key) || key.is(FormKind::Symbol);
    const Fact* value =
        known ? lints_.read_field(map, key, otherwise != nullptr, {names ? KeyRead::Name : KeyRead::Other, names})
              : Facts::any();
    return otherwise ? facts_.join(value, check(*otherwise)) : value;
}

void Checker::bind_let(FormSpan bindings, Unused unused) {
    for (std::size_t i = 0; i + 1 < bindings.size(); i += 2) {
        const Fact* value = check(bindings[i + 1]);
        NamesInScope::Variable* const before = names_.innermost();
        bind_pattern(bindings[i], value, unused);
        if (names_.innermost() != before && is_name(bindings[i]) && is_function_form(bindings[i + 1]))
            names_.innermost()->function = &bindings[i + 1];
    }
}

} // namespace ptc
