// What names mean. A name is looked for in the scopes around it, then in the host's preludes, among the program's own
// definitions, and in the language; a qualified one (spec 9.8) in its namespace.
//
// What to know first: a core function is inlined by analysing its body at the call, in a scope that holds its
// parameters only. There (`site.core`) names mean the language, whatever the program defines, and a parameter may stand
// for the argument's form, which is resolved at the site where the program wrote it. Definitions count from their place
// on: find_definitions (definitions.cpp) notes them all beforehand, so that a name that is used too early gets another
// message than an unknown one.
#include "compiler/analyze/names.h"
#include "compiler/analyze/analysis_errors.h"
#include "compiler/language/core_library.h"
#include "compiler/language/namespaces.h"
#include "compiler/language/prelude.h"
#include "compiler/language/special_forms.h"
#include "compiler/prelude/prelude_errors.h"
#include "compiler/prelude/prelude_scope.h"
#include "frontend/suggest.h"
#include "frontend/work.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kToolNeed = "tool:";

template <class T> void add_once(std::vector<T>& list, T item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
}

const Form* field(const Form& map, std::string_view key) {
    for (std::size_t i = 0; i + 1 < map.size; i += 2) {
        const Form& name = map.items()[i];
        if ((name.is(FormKind::Keyword) || name.is(FormKind::String)) && name.text() == key) return &map.items()[i + 1];
    }
    return nullptr;
}

/// Of the prelude's definition that is being analysed; null in programs.
PreludeScope::Uses* uses_of(PreludeScope* scope) { return scope ? scope->current_uses() : nullptr; }

/// *1, *2, *3: the values of the session's last runs.
bool is_history(std::string_view name) {
    return name.size() == 2 && name[0] == '*' && name[1] >= '1' && name[1] <= '3';
}

/// .method or Class.
bool is_method(std::string_view name) { return name.front() == '.' || (name.back() == '.' && name.size() > 1); }

/// For the core library only.
bool is_internal(const CoreName& entry) { return entry.name.back() == '%' && entry.name.size() > 1; }

bool has_shadowing(const CoreName& entry, SpecialForm::Shadowing shadowing) {
    return entry.special >= 0 && special_forms()[static_cast<std::size_t>(entry.special)].shadowing == shadowing;
}

bool is_true_special(const CoreName& entry) { return has_shadowing(entry, SpecialForm::kTrue); }

bool is_fixed(const CoreName& entry) { return has_shadowing(entry, SpecialForm::kFixed) || is_true_special(entry); }

Resolved meaning_of(const CoreName& entry) {
    Resolved result;
    result.name = &entry;
    result.kind = entry.special >= 0 ? Resolved::Special : entry.core ? Resolved::Core : Resolved::Builtin;
    return result;
}

Resolved meaning_of(const Binding& binding) {
    Resolved result;
    switch (binding.kind) {
    case BindingKind::Local:
        result.kind = Resolved::Local;
        result.local = binding.local;
        break;
    case BindingKind::Node:
        result.kind = Resolved::Node;
        result.node = binding.node;
        break;
    case BindingKind::Self:
        result.kind = Resolved::Self;
        result.function = binding.self;
        break;
    case BindingKind::Argument:
        result.kind = Resolved::Lambda;
        result.argument = binding.argument;
        break;
    }
    return result;
}

} // namespace

Names::Names(Tree& tree, Context& at, const Environment& environment, const CoreLibrary& core, Reports& reports)
    : tree_(tree), arena_(tree.arena), at_(at), environment_(environment), core_(core), reports_(reports),
      globals_(arena_, environment.globals), tools_(arena_), data_(arena_), siblings_(arena_), multimethods_(arena_),
      aliases_(arena_), refers_(arena_) {}

// ---- Scopes

void Names::bind(Binding binding) {
    binding.hash = name_hash(binding.name);
    binding.outer = at_.site.scope;
    const std::uint8_t left = binding.outer ? binding.outer->until_index : Binding::kBetweenIndexes;
    binding.until_index = left == 0 ? Binding::kBetweenIndexes : static_cast<std::uint8_t>(left - 1);
    at_.site.scope = binding.until_index == 0 ? indexed(binding)
                                              : new (arena_.allocate(sizeof(Binding), alignof(Binding)))
                                                    Binding(binding);
}

const Binding* Names::indexed(const Binding& binding) {
    auto* made = new (arena_.allocate(sizeof(IndexedBinding), alignof(IndexedBinding))) IndexedBinding{binding};
    std::vector<const Binding*> recent;
    const Binding* outer = made;
    do {
        recent.push_back(outer);
        outer = outer->outer;
    } while (outer && outer->until_index != 0);
    if (outer) made->index = static_cast<const IndexedBinding*>(outer)->index;
    (void)work::charge(4 * recent.size());
    for (std::size_t i = recent.size(); i-- > 0;)
        made->index = ScopeIndex::with(made->index, recent[i], arena_);
    return made;
}

void Names::bind(std::string_view name, Local* local) {
    Binding binding;
    binding.name = name;
    binding.local = local;
    bind(binding);
}

void Names::bind(std::string_view name, Node* node) {
    Binding binding;
    binding.name = name;
    binding.kind = BindingKind::Node;
    binding.node = node;
    bind(binding);
}

void Names::add_method(Multimethod& multi, const Form& form) {
    auto* method =
        new (arena_.allocate(sizeof(Multimethod::Method), alignof(Multimethod::Method))) Multimethod::Method{&form};
    (multi.last ? multi.last->next : multi.first) = method;
    multi.last = method;
    methods_.insert(&form);
}

// ---- Meaning

std::string_view Names::language_name(const Form& form) {
    if (!form.is(FormKind::Symbol)) return {};
    const Resolved name = resolve(form, false);
    const bool is_of_language =
        name.kind == Resolved::Builtin || name.kind == Resolved::Core || name.kind == Resolved::Special;
    return is_of_language ? name.name->name : std::string_view();
}

Resolved Names::resolve(const Form& symbol, bool report) {
    std::string_view name = symbol.text();
    if (name == "%") name = "%1"; // `%` and `%1` are one placeholder
    const std::uint32_t hash = name_hash(name);
    if (const Binding* binding = find_binding(at_.site.scope, name, hash)) {
        if (binding->kind != BindingKind::Argument || binding->argument->lambda) return meaning_of(*binding);
        const Site saved = at_.site;
        at_.site = binding->argument->site;
        const Resolved result = resolve(*binding->argument->form, report);
        at_.site = saved;
        return binding->argument->site.core ? result : sorted_variant(result);
    }
    if (!at_.site.core && (aliases_.size() > 0 || refers_.size() > 0)) {
        if (std::optional<Resolved> found = resolve_library_name(symbol, name, hash, report)) return *found;
    }
    if (!at_.site.core && (environment_.prelude || prelude_)) {
        if (std::optional<Resolved> found = resolve_export(symbol, name, report)) return *found;
        if (const Sibling* sibling = prelude_ ? find_sibling(name, hash) : nullptr) {
            Resolved result;
            result.kind = Resolved::Sibling;
            result.sibling = sibling;
            return result;
        }
    }
    if (name.front() == ' ') { // an expansion's name of something internal (language/expand.cpp)
        const CoreName* entry = core_.lookup(name.substr(1), name_hash(name.substr(1)));
        if (entry) return meaning_of(*entry);
    }
    const Resolved plain = resolve_plain(name, hash);
    return plain.kind == Resolved::Unknown ? resolve_qualified(symbol, name, hash, report) : plain;
}

Resolved Names::sorted_variant(const Resolved& name) const {
    if (!has_sorted_ || (name.kind != Resolved::Builtin && name.kind != Resolved::Core)) return name;
    const std::string variant = std::string(name.name->name) + "-sorted%";
    const CoreName* entry = core_.lookup(variant, name_hash(variant));
    return entry ? meaning_of(*entry) : name;
}

Resolved Names::resolve_head(const Form& symbol) {
    const Resolved result = resolve(symbol);
    const bool is_local = result.kind == Resolved::Local || result.kind == Resolved::Node ||
                          result.kind == Resolved::Lambda || result.kind == Resolved::Self;
    if (!is_local || at_.site.core) return result;
    const CoreName* entry = core_.lookup(symbol.text(), name_hash(symbol.text()));
    return entry && is_true_special(*entry) ? meaning_of(*entry) : result;
}

void Names::add_alias(std::string_view alias, std::string_view space) {
    aliases_.add(alias, name_hash(alias)).target = space;
}

void Names::refer(std::string_view name, std::string_view target) {
    refers_.add(name, name_hash(name)).target = target;
}

/// What `require` says a name means: looked up once more, as it is written out.
std::optional<Resolved> Names::resolve_library_name(const Form& symbol, std::string_view name, std::uint32_t hash,
                                                    bool report) {
    std::string_view target;
    const std::size_t end = namespace_end(name);
    if (end == std::string_view::npos) {
        const LibraryName* referred = refers_.find(name, hash);
        const GlobalName* global = referred ? globals_.find(name, hash) : nullptr;
        if (!referred || (global && global->defined)) return std::nullopt;
        target = referred->target;
    } else {
        const std::string_view space = name.substr(0, end);
        const LibraryName* alias = aliases_.find(space, name_hash(space));
        const bool is_host = space == "data" || space == "ctx" || space == "tool" || space == "memory";
        if (!alias || is_host || alias->target == space) return std::nullopt;
        const std::string whole = std::string(alias->target).append(name.substr(end));
        char* copy = static_cast<char*>(arena_.allocate(whole.size(), 1));
        target = {std::copy(whole.begin(), whole.end(), copy) - whole.size(), whole.size()};
    }
    Form written = symbol;
    written.chars = target.data();
    written.size = static_cast<std::uint32_t>(target.size());
    // No alias leads on from here: (require '[a :as b] '[b :as a]).
    const std::string_view target_space = target.substr(0, namespace_end(target));
    if (aliases_.find(target_space, name_hash(target_space)))
        return resolve_member(written, target_space, target.substr(target_space.size() + 1), report);
    return resolve(written, report);
}

/// Program definitions hide what the language has (spec 5.13), from the place of the definition on; core code sees only
/// the language.
Resolved Names::resolve_plain(std::string_view name, std::uint32_t hash) {
    const CoreName* entry = core_.lookup(name, hash);
    if (at_.site.core) {
        if (!entry) return {};
        Resolved result = meaning_of(*entry);
        // A core function over a native of the same name: inside of it the name means the native.
        if (entry->core && entry->builtin >= 0 && at_.core_name == name) result.kind = Resolved::Builtin;
        return result;
    }
    if (entry && is_internal(*entry)) entry = nullptr;
    GlobalName* global = globals_.find(name, hash);
    const bool is_reserved = entry && is_fixed(*entry);
    if (global && !is_reserved && (global->defined || (global->function && !entry && at_.function->parent))) {
        Resolved result;
        result.kind = global->known ? Resolved::Known : Resolved::Global;
        result.global = global;
        return result;
    }
    return entry ? meaning_of(*entry) : Resolved();
}

Resolved Names::unresolved(Error error, bool report) {
    Resolved result;
    if (report) reports_.add(std::move(error));
    result.kind = report ? Resolved::Error : Resolved::Unknown;
    return result;
}

/// Names with a rule of their own: history, constants, placeholders, methods, members of namespaces.
Resolved Names::resolve_qualified(const Form& symbol, std::string_view name, std::uint32_t hash, bool report) {
    Resolved result;
    if (is_history(name)) {
        result.kind = check_stateless(symbol, name) ? Resolved::History : Resolved::Error;
        result.index = static_cast<std::uint32_t>(name[1] - '0');
        return result;
    }
    if (const NamedConstant* constant = find_constant(name)) {
        result.kind = Resolved::Constant;
        result.constant = constant;
        return result;
    }
    const Span where = at_.span_of(symbol);
    if (name.front() == '%') {
        return unresolved(at_.site.in_short_fn ? bad_placeholder(where, symbol.text())
                                               : placeholder_outside(where, symbol.text()),
                          report);
    }
    if (is_method(name)) return resolve_method(symbol, name, report);
    const std::size_t slash = namespace_end(name);
    if (slash != std::string_view::npos)
        return resolve_member(symbol, name.substr(0, slash), name.substr(slash + 1), report);
    if (environment_.any_global) {
        GlobalName& global = globals_.add(name, hash);
        global.in_session = global.defined = true;
        result.kind = Resolved::Global;
        result.global = &global;
        return result;
    }
    return report ? unresolved(unknown(symbol), report) : result;
}

/// A class with another spelling of its package, or a method that does not exist: those that do are entries of the core
/// library.
Resolved Names::resolve_method(const Form& symbol, std::string_view name, bool report) {
    if (const CoreName* constructor = find_constructor(core_, name)) return meaning_of(*constructor);
    if (!report) return {};
    const Span where = at_.span_of(symbol);
    if (name == ".") {
        return unresolved(bad_shape(where, "`.` is not a function.", "Call a method as (.method target)."), report);
    }
    std::vector<std::string_view> methods;
    for (const CoreName& entry : core_.names()) {
        if (!entry.name.empty() && is_method(entry.name) && entry.name != "..") methods.push_back(entry.name);
    }
    return unresolved(unknown_method(where, name, suggest(name, methods)), report);
}

Resolved Names::resolve_member(const Form& symbol, std::string_view space, std::string_view member, bool report) {
    Resolved result;
    result.text = member;
    if (space == "data" || space == "ctx") {
        result.kind = Resolved::Data;
        return result;
    }
    if (space == "tool") {
        result.kind = Resolved::Tool;
        return result;
    }
    if (space == "memory") {
        result.kind = check_stateless(symbol, symbol.text()) ? Resolved::Memory : Resolved::Error;
        result.global = globals_.find(member, name_hash(member));
        return result;
    }
    for (std::string_view package : java_packages()) {
        if (!space.starts_with(package)) continue;
        const std::string_view plain = symbol.text().substr(package.size());
        const std::uint32_t hash = name_hash(plain);
        if (const CoreName* entry = core_.lookup(plain, hash)) {
            result.name = entry;
            result.kind = entry->core ? Resolved::Core : Resolved::Builtin;
            return result;
        }
        if (const NamedConstant* constant = find_constant(plain)) {
            result.kind = Resolved::Constant;
            result.constant = constant;
            return result;
        }
        space = space.substr(package.size());
    }
    const Span where = at_.span_of(symbol);
    const LanguageNamespace* known = find_namespace(space);
    if (!known) return report ? unresolved(unknown_space(where, space), report) : Resolved();
    if (const CoreName* entry = find_member(*known, member)) {
        result = meaning_of(*entry);
        result.text = member;
        return result;
    }
    return report ? unresolved(unknown_member_of(where, *known, space, member), report) : result;
}

const CoreName* Names::find_member(const LanguageNamespace& space, std::string_view member) const {
    if (const CoreName* entry = find_written_out(core_, space, member)) return entry;
    const CoreName* entry = core_.lookup(member, name_hash(member));
    return entry && holds(space, *entry) ? entry : nullptr;
}

// ---- Preludes

/// A qualified name whose namespace is a prelude's. None: it is not.
std::optional<Resolved> Names::resolve_export(const Form& symbol, std::string_view name, bool report) {
    const std::size_t end = namespace_end(name);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view space = name.substr(0, end);
    const Span where = at_.span_of(symbol);
    if (prelude_ && space == prelude_->forms->name)
        return unresolved(qualified_sibling(where, space, name.substr(end + 1)), report);
    const PreludeNamespace* known = environment_.prelude ? environment_.prelude->find_namespace(space) : nullptr;
    if (!known) return std::nullopt;
    // The message for a private name is that for an absent one: what is private is not disclosed.
    const PreludeMember* member = environment_.prelude->find(name);
    if (!member || !member->is_public) return unresolved(unknown_export(where, *known, name.substr(end + 1)), report);
    note_use(*member);
    Resolved result;
    result.kind = Resolved::Export;
    result.member = member;
    return result;
}

const Sibling* Names::find_sibling(std::string_view name, std::uint32_t hash) {
    const Sibling* sibling = siblings_.find(name, hash);
    if (!sibling) return nullptr;
    if (PreludeScope::Uses* uses = uses_of(prelude_)) add_once(uses->siblings, sibling->index);
    return sibling;
}

std::vector<const PreludeMember*> Names::exports() const {
    std::vector<const PreludeMember*> members;
    if (!environment_.prelude) return members;
    for (const PreludeNamespace& space : environment_.prelude->namespaces())
        members.insert(members.end(), space.exports.begin(), space.exports.end());
    return members;
}

bool Names::check_stateless(const Form& form, std::string_view what) {
    if (!prelude_ || at_.site.core) return true;
    reports_.add(stateful_prelude(at_.span_of(form), what));
    return false;
}

// ---- What is used

/// The program calls the tools that the export calls.
void Names::note_use(const PreludeMember& member) {
    if (PreludeScope::Uses* uses = uses_of(prelude_)) add_once(uses->members, &member);
    for (const std::string& need : member.needs) {
        if (need.starts_with(kToolNeed)) note_tool(std::string_view(need).substr(kToolNeed.size()));
    }
}

void Names::note_tool(std::string_view name) {
    const std::uint32_t hash = name_hash(name);
    if (tools_.find(name, hash)) return;
    tools_.add(name, hash);
    tree_.tool_names.push_back(name);
}

void Names::note_prelude_tool(std::string_view name, FormSpan arguments) {
    PreludeScope::Uses* uses = uses_of(prelude_);
    if (!uses) return;
    add_once(uses->tools, std::string(name));
    if (name != "call" || arguments.empty() || !arguments[0].is(FormKind::Map)) return;
    const Form* server = field(arguments[0], "server");
    const Form* tool = field(arguments[0], "tool");
    if (server && tool && server->is(FormKind::String) && tool->is(FormKind::String))
        add_once(uses->upstream, std::string(server->text()).append("/").append(tool->text()));
}

void Names::note_data(std::string_view name) {
    if (PreludeScope::Uses* uses = uses_of(prelude_)) uses->data = true;
    const std::uint32_t hash = name_hash(name);
    if (data_.find(name, hash)) return;
    data_.add(name, hash);
    tree_.data_names.push_back(name);
}

// ---- Unknown names

Error Names::unknown_space(Span where, std::string_view space) const {
    std::vector<std::string_view> spellings;
    for (const LanguageNamespace& other : language_namespaces())
        spellings.push_back(other.spelling);
    if (environment_.prelude) {
        for (const PreludeNamespace& other : environment_.prelude->namespaces())
            spellings.push_back(other.name);
    }
    return unknown_namespace(where, space, suggest(space, spellings));
}

Error Names::unknown_member_of(Span where, const LanguageNamespace& known, std::string_view space,
                               std::string_view member) const {
    std::vector<std::string_view> members;
    const std::string written_out = std::string(known.name) + "/";
    for (const CoreName& other : core_.names()) {
        if (other.name.empty()) continue;
        if (const std::string_view name = written_out_member(known, other); !name.empty())
            members.push_back(name);
        else if (known.category != Category::Core && holds(known, other))
            members.push_back(other.name);
    }
    for (const NamedConstant& constant : named_constants()) {
        if (constant.name.starts_with(written_out)) members.push_back(constant.name.substr(written_out.size()));
    }
    std::sort(members.begin(), members.end());
    return unknown_member(where, space, member, members, suggest(member, members));
}

std::vector<std::string_view> Names::visible_names() const {
    std::vector<std::string_view> names;
    for (const Binding* binding = at_.site.scope; binding; binding = binding->outer)
        names.push_back(binding->name);
    globals_.each([&](const GlobalName& global) {
        if (!global.in_session) names.push_back(global.name);
    });
    if (environment_.globals) {
        const std::vector<std::string_view> all = environment_.globals->all();
        names.insert(names.end(), all.begin(), all.end());
    }
    siblings_.each([&](const Sibling& sibling) { names.push_back(sibling.name); });
    for (const PreludeMember* member : exports())
        names.push_back(member->name);
    for (const CoreName& entry : core_.names()) {
        if (!entry.name.empty() && entry.name.back() != '%' && entry.name.front() != '.') names.push_back(entry.name);
    }
    return names;
}

bool Names::is_own(std::string_view name) const {
    return find_binding(at_.site.scope, name, name_hash(name)) || globals_.find(name, name_hash(name));
}

static bool is_within(Span where, const Form* form) {
    return form && form->span.begin <= where.begin && where.end <= form->span.end;
}

Error Names::unknown(const Form& symbol) {
    const std::string_view name = symbol.text();
    const Span where = at_.span_of(symbol);
    if (name == "data" || name == "ctx") return whole_context(where, name);
    if (GlobalName* global = globals_.find(name, name_hash(name)))
        return is_within(where, global->definition) ? used_in_itself(where, name, has_lazy())
                                                    : used_before_definition(where, name, global->first_definition);
    const std::vector<std::string> nearest = suggest(name, visible_names());
    bool is_misspelt = !nearest.empty() && edit_distance(name, nearest.front(), 1) <= 1;
    // `rand` is no misspelt `and`; but it may be a misspelt name of the program's own.
    if (is_misspelt && is_absent_name(name)) is_misspelt = !core_.lookup(nearest.front(), name_hash(nearest.front()));
    if (auto error = absent_name(where, name); error && !is_misspelt) return *std::move(error);
    return unknown_name(where, name, nearest);
}

} // namespace ptc
