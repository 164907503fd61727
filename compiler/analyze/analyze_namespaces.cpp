// What names mean: local, program, core; qualified names of spec 9.8; Java methods and constants.
#include "compiler/analyze/analysis.h"
#include "compiler/language/namespaces.h"
#include "frontend/suggest.h"
#include "runtime/number.h"
#include <algorithm>
#include <array>

namespace ptc {
Analyzer::Resolved Analyzer::resolve(const Form& symbol, bool report) {
    std::string_view name = symbol.text();
    if (name == "%") name = "%1"; // `%` and `%1` are one placeholder
    const std::uint32_t hash = name_hash(name);
    Resolved result;
    if (const Binding* binding = find_binding(site_.scope, name, hash)) {
        switch (binding->kind) {
        case BindingKind::Local:
            result.kind = Resolved::Local;
            result.local = binding->local;
            return result;
        case BindingKind::Node:
            result.kind = Resolved::Node;
            result.node = binding->node;
            return result;
        case BindingKind::Self:
            result.kind = Resolved::Self;
            result.function = binding->self;
            return result;
        case BindingKind::Argument: {
            if (binding->argument->lambda) {
                result.kind = Resolved::Lambda;
                result.argument = binding->argument;
                return result;
            }
            const Site saved = site_;
            site_ = binding->argument->site;
            result = resolve(*binding->argument->form, report);
            site_ = saved;
            return result;
        }
        }
    }
    if (!site_.core && (environment_.prelude || prelude_)) {
        if (std::optional<Resolved> found = resolve_export(symbol, name, report)) return *found;
        if (const Sibling* sibling = prelude_ ? find_sibling(name, hash) : nullptr) {
            result.kind = Resolved::Sibling;
            result.sibling = sibling;
            return result;
        }
    }
    result = resolve_plain(name, hash);
    if (result.kind == Resolved::Unknown) result = resolve_qualified(symbol, name, hash, report);
    return result;
}

/// Program definitions hide what the language has (spec 5.13), from the place of the definition on; core code sees only
/// the language.
Analyzer::Resolved Analyzer::resolve_plain(std::string_view name, std::uint32_t hash) {
    Resolved result;
    const CoreName* entry = core_.lookup(name, hash);
    if (entry && !site_.core) {
        if (entry->name.back() == '%' && entry->name.size() > 1) entry = nullptr; // internal
    }
    if (!site_.core) {
        GlobalName* global = globals_.find(name, hash);
        const bool fixed = entry && entry->special >= 0 &&
                           special_forms()[static_cast<std::size_t>(entry->special)].shadowing == SpecialForm::kFixed;
        if (global && !fixed && (global->defined || (global->function && !entry && fn_->parent))) {
            result.kind = global->known ? Resolved::Known : Resolved::Global;
            result.global = global;
            return result;
        }
    }
    if (!entry) return result;
    result.name = entry;
    result.kind = entry->special >= 0 ? Resolved::Special : entry->core ? Resolved::Core : Resolved::Builtin;
    // A core function over a native of the same name: inside of it the name means the native.
    if (site_.core && entry->core && entry->builtin >= 0 && core_name_ == name) result.kind = Resolved::Builtin;
    return result;
}

Analyzer::Resolved Analyzer::resolve_qualified(const Form& symbol, std::string_view name, std::uint32_t hash,
                                               bool report) {
    Resolved result;
    const auto fails = [&](Error error) {
        if (report) this->report(std::move(error));
        result.kind = report ? Resolved::Error : Resolved::Unknown;
        return result;
    };
    if (name.size() == 2 && name[0] == '*' && name[1] >= '1' && name[1] <= '3') {
        if (!check_stateless(symbol, name)) {
            result.kind = Resolved::Error;
            return result;
        }
        result.kind = Resolved::History;
        result.index = static_cast<std::uint32_t>(name[1] - '0');
        return result;
    }
    if (const NamedConstant* constant = find_constant(name)) {
        result.kind = Resolved::Constant;
        result.constant = constant;
        return result;
    }
    if (name.front() == '%') {
        return fails(site_.in_short_fn ? bad_placeholder(span_of(symbol), symbol.text())
                                       : placeholder_outside(span_of(symbol), symbol.text()));
    }
    if (name.front() == '.' || (name.back() == '.' && name.size() > 1)) {
        if (name == ".")
            return fails(bad_shape(span_of(symbol), "`.` is not a function.", "Call a method as (.method target)."));
        std::vector<std::string_view> methods;
        for (const CoreName& entry : core_.names()) {
            if (!entry.name.empty() &&
                (entry.name.front() == '.' || (entry.name.back() == '.' && entry.name.size() > 1))) {
                methods.push_back(entry.name);
            }
        }
        return fails(unknown_method(span_of(symbol), name, suggest(name, methods)));
    }
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
    if (report) {
        report_unknown(symbol);
        result.kind = Resolved::Error;
    }
    return result;
}

Analyzer::Resolved Analyzer::resolve_member(const Form& symbol, std::string_view space, std::string_view member,
                                            bool report) {
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
    const auto fails = [&](Error error) {
        if (report) this->report(std::move(error));
        result.kind = report ? Resolved::Error : Resolved::Unknown;
        return result;
    };
    if (space == "memory") {
        if (!check_stateless(symbol, symbol.text())) {
            result.kind = Resolved::Error;
            return result;
        }
        result.kind = Resolved::Memory;
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
    const Namespace* known = find_namespace(space);
    if (!known) {
        std::vector<std::string_view> spellings;
        for (const Namespace& other : language_namespaces())
            spellings.push_back(other.spelling);
        if (environment_.prelude) {
            for (const PreludeNamespace& other : environment_.prelude->namespaces())
                spellings.push_back(other.name);
        }
        return fails(unknown_namespace(span_of(symbol), space, suggest(space, spellings)));
    }
    const CoreName* entry = find_written_out(core_, *known, member);
    if (!entry) {
        entry = core_.lookup(member, name_hash(member));
        if (entry && !holds(*known, *entry)) entry = nullptr;
    }
    if (entry) {
        result.name = entry;
        result.kind = entry->special >= 0 ? Resolved::Special : entry->core ? Resolved::Core : Resolved::Builtin;
        return result;
    }
    if (!report) return result;
    std::vector<std::string_view> members;
    const std::string written_out = std::string(known->name) + "/";
    for (const CoreName& other : core_.names()) {
        if (other.name.empty()) continue;
        if (const std::string_view name = written_out_member(*known, other); !name.empty())
            members.push_back(name);
        else if (known->category != Category::Core && holds(*known, other))
            members.push_back(other.name);
    }
    for (const NamedConstant& constant : named_constants()) {
        if (constant.name.starts_with(written_out)) members.push_back(constant.name.substr(written_out.size()));
    }
    std::sort(members.begin(), members.end());
    return fails(unknown_member(span_of(symbol), space, member, members, suggest(member, members)));
}

Node* Analyzer::named_constant(const NamedConstant& constant, Span span, Place place) {
    if (!constant.is_integer) return literal(constant.value, span, place);
    if (bits::fits_integer(constant.integer)) return literal(bits::from_integer(constant.integer), span, place);
    return literal(make_integer(heap_, constant.integer), span, place);
}

std::vector<std::string_view> Analyzer::visible_names() const {
    std::vector<std::string_view> names;
    for (const Binding* binding = site_.scope; binding; binding = binding->outer)
        names.push_back(binding->name);
    globals_.each([&](const GlobalName& global) { names.push_back(global.name); });
    siblings_.each([&](const Sibling& sibling) { names.push_back(sibling.name); });
    for_each_export([&](const PreludeMember& member) { names.push_back(member.name); });
    for (const CoreName& entry : core_.names()) {
        if (!entry.name.empty() && entry.name.back() != '%' && entry.name.front() != '.') names.push_back(entry.name);
    }
    return names;
}

void Analyzer::report_unknown(const Form& symbol) {
    const std::string_view name = symbol.text();
    const Span where = span_of(symbol);
    if (name == "data" || name == "ctx") return report(whole_context(where, name));
    if (GlobalName* global = globals_.find(name, name_hash(name))) {
        return report(used_before_definition(where, name, global->first_definition));
    }
    const std::vector<std::string> nearest = suggest(name, visible_names());
    bool sure = !nearest.empty() && edit_distance(name, nearest.front(), 1) <= 1;
    // `rand` is no misspelt `and`; but it may be a misspelt name of the program's own.
    if (sure && is_absent_name(name)) sure = !core_.lookup(nearest.front(), name_hash(nearest.front()));
    if (auto error = absent_name(where, name); error && !sure) return report(*std::move(error));
    report(unknown_name(where, name, nearest));
}

} // namespace ptc
