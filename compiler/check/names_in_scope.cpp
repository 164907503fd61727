// The names around a form while it is checked: what is bound, what the program defines, what the language has, and what
// is known of each.
#include "compiler/check/names_in_scope.h"
#include "compiler/check/check_warnings.h"
#include "compiler/language/namespaces.h"
#include "compiler/language/prelude.h"
#include "compiler/language/special_forms.h"
#include "frontend/work.h"

namespace ptc {

NamesInScope::NamesInScope(const Tree& tree, const Environment& environment, const CoreLibrary& core, Arena& arena,
                           WarningSink& report)
    : environment_(environment), core_(core), arena_(arena), report_(report), names_(arena) {
    for (const DataInfo& one : environment.received)
        receive(one.name, one.fact);
    for (std::string_view name : tree.defined_names) {
        Name& entry = entry_of(name, name_hash(name));
        entry.once = !entry.defined;
        entry.defined = true;
        entry.fact = Facts::any();
    }
    for (std::string_view name : tree.redefined_names)
        entry_of(name, name_hash(name)).once = false;
}

NamesInScope::Name& NamesInScope::entry_of(std::string_view name, std::uint32_t hash) {
    if (Name* entry = names_.find(name, hash)) return *entry;
    Name& made = names_.add(name, hash);
    made.defined = environment_.globals && environment_.globals->has(name);
    return made;
}

void NamesInScope::receive(std::string_view name, const Fact* fact) {
    Name& entry = entry_of(name, name_hash(name));
    if (entry.defined && fact->kind != FactKind::Never) entry.fact = fact;
}

// ---- Variables

NamesInScope::Variable* NamesInScope::bind(const Form& name, const Fact* fact, Unused unused) {
    const std::string_view text = name.text();
    const std::uint32_t hash = name_hash(text);
    Name& entry = entry_of(text, hash);
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

void NamesInScope::unbind(Variable* outer) {
    for (; innermost_ != outer; innermost_ = innermost_->previous) {
        innermost_->entry->variable = innermost_->shadowed;
        if (innermost_->unused != Unused::Silent && work::charge(1)) report_unused(*innermost_);
    }
}

NamesInScope::Elsewhere::Elsewhere(NamesInScope& names, Variable* place) : names_(names), here_(names.innermost_) {
    for (; names_.innermost_ != place; names_.innermost_ = names_.innermost_->previous)
        names_.innermost_->entry->variable = names_.innermost_->shadowed;
}

/// Back to where it was: the variables in the order in which they were bound.
NamesInScope::Elsewhere::~Elsewhere() {
    std::vector<Variable*> bound;
    for (Variable* variable = here_; variable != names_.innermost_; variable = variable->previous)
        bound.push_back(variable);
    for (std::size_t i = bound.size(); i-- > 0;)
        bound[i]->entry->variable = bound[i];
    names_.innermost_ = here_;
}

/// Called from the last binding to the first. A pattern `[a b c]` names positions: its unused names are there to be
/// counted, unless all of them are.
void NamesInScope::report_unused(Variable& variable) {
    if (work::is_over()) return;
    if (variable.unused == Unused::Element) {
        if (variable.used) variable.pattern->used = true;
        if (variable.pattern != &variable) return;
    }
    if (!variable.used) report_.warn(unused_binding(variable.span, variable.name, variable.unused != Unused::Key));
}

void NamesInScope::define(std::string_view name, const Fact* value, const Form* function) {
    Name& entry = entry_of(name, name_hash(name));
    if (!entry.once || value->kind == FactKind::Never) return;
    entry.fact = value;
    entry.function = function;
}

// ---- Meaning

const CoreName* NamesInScope::core_name(std::string_view name) const { return core_name(name, name_hash(name)); }

const CoreName* NamesInScope::core_name(std::string_view text, std::uint32_t hash) const {
    if (const CoreName* name = core_.lookup(text, hash)) return name->name.ends_with('%') ? nullptr : name;
    if (const CoreName* constructor = find_constructor(core_, text)) return constructor;
    if (const std::string_view plain = without_package(text); plain.size() < text.size())
        return core_.lookup(plain, name_hash(plain));
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) return nullptr;
    const std::string_view space = text.substr(0, slash);
    if (space == "tool" || space == "data" || space == "ctx" || space == "memory") return nullptr;
    if (environment_.prelude && environment_.prelude->find_namespace(space)) return nullptr;
    const std::string_view member = text.substr(slash + 1); // clojure.string/join
    return core_.lookup(member, name_hash(member));
}

/// A variable hides everything, a definition everything but the fixed special forms.
NamesInScope::Meaning NamesInScope::meaning_of(std::string_view text) {
    Meaning meaning;
    const std::uint32_t hash = name_hash(text);
    const Name* name = environment_.globals ? &entry_of(text, hash) : names_.find(text, hash);
    if (name && name->variable) {
        meaning.variable = name->variable;
        meaning.variable->used = true;
        return meaning;
    }
    const CoreName* core = core_name(text, hash);
    const bool fixed = core && core->special >= 0 &&
                       special_forms()[static_cast<std::size_t>(core->special)].shadowing <= SpecialForm::kFixed;
    if (name && name->defined && !fixed)
        meaning.global = name;
    else
        meaning.core = core;
    return meaning;
}

} // namespace ptc
