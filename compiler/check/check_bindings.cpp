// Names: what they are bound to, patterns, and bindings that nothing reads.
#include "compiler/check/checker.h"
#include "compiler/language/special_forms.h"

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

const Form* default_of(const Form* defaults, const Form& name) {
    for (std::size_t i = 0; defaults && name.is(FormKind::Symbol) && i + 1 < defaults->size; i += 2) {
        const Form& key = defaults->items()[i];
        if (key.is(FormKind::Symbol) && key.text() == name.text()) return &defaults->items()[i + 1];
    }
    return nullptr;
}

} // namespace

// ---- Scopes

Checker::Variable* Checker::bind(const Form& name, const Fact* fact, Unused unused) {
    const std::string_view text = name.text();
    const std::uint32_t hash = name_hash(text);
    Name& entry = names_.add(text, hash);
    auto* variable = new (arena_.allocate(sizeof(Variable), alignof(Variable))) Variable;
    variable->name = text;
    variable->span = name.span;
    variable->fact = fact->kind == FactKind::Never ? Facts::any() : fact;
    variable->unused = text.starts_with('_') || text.starts_with(' ') ? Unused::Silent : unused;
    variable->shadowed = entry.variable;
    variable->previous = innermost_;
    variable->entry = &entry;
    entry.variable = variable;
    innermost_ = variable;
    return variable;
}

void Checker::unbind(Variable* outer) {
    for (; innermost_ != outer; innermost_ = innermost_->previous) {
        innermost_->entry->variable = innermost_->shadowed;
        if (innermost_->unused != Unused::Silent) report_unused(*innermost_);
    }
}

/// Called from the last binding to the first. A pattern `[a b c]` names positions: its unused names are there to be
/// counted, unless all of them are.
void Checker::report_unused(Variable& variable) {
    if (variable.unused == Unused::Element) {
        if (variable.used) variable.pattern->used = true;
        if (variable.pattern != &variable) return;
    }
    if (!variable.used) warn(unused_binding(variable.span, variable.name, variable.unused != Unused::Key));
}

// ---- Patterns

/// `group`: of the vector pattern that holds this one, its first name, once there is one.
void Checker::bind_pattern(const Form& pattern, const Fact* fact, Unused unused, Variable** group) {
    if (is_name(pattern)) {
        const bool element = group && unused != Unused::Silent;
        Variable* variable = bind(pattern, fact, element ? Unused::Element : unused);
        if (!group || variable->unused != Unused::Element) return;
        if (!*group) *group = variable;
        variable->pattern = *group;
        return;
    }
    if (pattern.is(FormKind::Vector)) {
        Variable* own_group = nullptr;
        bind_vector(pattern.items(), fact, unused, group ? group : &own_group);
    } else if (pattern.is(FormKind::Map)) {
        bind_map(pattern.items(), fact, unused);
    }
}

// [a b & rest :as all]
void Checker::bind_vector(FormSpan items, const Fact* fact, Unused unused, Variable** group) {
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
    const Form* defaults = defaults_of(items);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const Form& part = items[i];
        const Form& what = items[i + 1];
        if (!part.is(FormKind::Keyword)) {
            bind_pattern(part, field_or_default(fact, what, default_of(defaults, part)),
                         unused == Unused::Silent ? Unused::Key : unused);
        } else if (part.text() == "as") {
            if (is_name(what)) bind(what, fact, Unused::Key);
        } else if ((part.text() == "keys" || part.text() == "strs") && what.is(FormKind::Vector)) {
            bind_keys(what, fact, defaults);
        }
    }
}

void Checker::bind_keys(const Form& names, const Fact* map, const Form* defaults) {
    for (const Form& item : names.items()) {
        if (!item.is(FormKind::Symbol) && !item.is(FormKind::Keyword)) continue;
        Form name = item;
        name.kind = FormKind::Symbol;
        if (!is_name(name)) continue;
        bind(name, field_or_default(map, name, default_of(defaults, name), &names), Unused::Key);
    }
}

/// What a pattern takes at `key`, a keyword or string, or the name of a variable that is one.
const Fact* Checker::field_or_default(const Fact* map, const Form& key, const Form* otherwise, const Form* names) {
    const bool known = is_key(key) || key.is(FormKind::Symbol);
    const Fact* value = known ? read_field(map, key, otherwise != nullptr, names) : Facts::any();
    return otherwise ? facts_.join(value, check(*otherwise)) : value;
}

void Checker::bind_let(FormSpan bindings, Unused unused) {
    for (std::size_t i = 0; i + 1 < bindings.size(); i += 2) {
        const Fact* value = check(bindings[i + 1]);
        bind_pattern(bindings[i], value, unused);
    }
}

// ---- Meaning

const CoreName* Checker::core_name(std::string_view text, std::uint32_t hash) const {
    if (const CoreName* name = core_.lookup(text, hash)) return name->name.ends_with('%') ? nullptr : name;
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) return nullptr;
    const std::string_view space = text.substr(0, slash);
    if (space == "tool" || space == "data" || space == "ctx" || space == "memory") return nullptr;
    if (environment_.prelude && environment_.prelude->find_namespace(space)) return nullptr;
    const std::string_view member = text.substr(slash + 1); // clojure.string/join
    return core_.lookup(member, name_hash(member));
}

/// A variable hides everything, a definition everything but the fixed special forms.
Checker::Meaning Checker::meaning_of(std::string_view text) {
    Meaning meaning;
    const std::uint32_t hash = name_hash(text);
    const Name* name = names_.find(text, hash);
    if (name && name->variable) {
        meaning.variable = name->variable;
        meaning.variable->used = true;
        return meaning;
    }
    const CoreName* core = core_name(text, hash);
    const bool fixed = core && core->special >= 0 &&
                       special_forms()[static_cast<std::size_t>(core->special)].shadowing == SpecialForm::kFixed;
    if (name && name->defined && !fixed)
        meaning.global = name;
    else
        meaning.core = core;
    return meaning;
}

} // namespace ptc
