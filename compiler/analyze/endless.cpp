// Sequences that are computed by need: (iterate f x), (range), (cycle coll), (repeat x), (repeatedly f), lazy-seq, and
// what map, filter, rest .. make of them.
//
// All other sequences are vectors, so that a loop over one is a loop and costs no closure an item. A sequence by need
// is a function named `lazy%` of runtime/core: called, it gives nil at the end, or an item and the rest. Which
// functions take one is decided here, when compiling: a call whose argument is known to be one goes to the variant
// `lazy-NAME%`, if there is one. A function without a variant reads all of its argument, which is an error for one
// without an end. What is known follows the text: calls, names that are bound or defined to such calls, functions of
// the program that end in one. A sequence by need that gets anywhere else is a function there, and the error says so.
#include "compiler/analyze/endless.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/calls.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include <algorithm>
#include <string>
#include <vector>

namespace ptc {
namespace {

constexpr std::uint32_t kMaxLook = 64; ///< levels of calls that are looked into

struct Source {
    std::string_view name;
    std::size_t least, most; ///< arguments with which it is by need
    Laziness gives;
};
constexpr Source kSources[] = {
    {"iterate", 2, 2, Laziness::Endless},    {"cycle", 1, 1, Laziness::Endless},
    {"repeat", 1, 1, Laziness::Endless},     {"range", 0, 0, Laziness::Endless},
    {"repeatedly", 1, 1, Laziness::Endless}, {"lazy-seq", 0, SIZE_MAX, Laziness::ByNeed},
};

const Source* source_of(std::string_view name, std::size_t arguments) {
    for (const Source& source : kSources) {
        if (source.name == name && source.least <= arguments && arguments <= source.most) return &source;
    }
    return nullptr;
}

const CoreFunction* variant_of(const CoreLibrary& core, std::string_view name, std::size_t arguments) {
    std::string text("lazy-");
    text.append(name).append("%");
    const CoreFunction* found = core.find(text);
    return found && found->arity(arguments) ? found : nullptr;
}

/// Looks at forms without making anything of them.
class Look {
public:
    explicit Look(Analyzer& a) : a_(a) {}

    Laziness at(const Form& form) {
        if (depth_ > kMaxLook) return Laziness::None;
        ++depth_;
        const Laziness found = form.is(FormKind::Symbol) ? at_name(form)
                               : form.is(FormKind::List) ? at_list(form)
                                                         : Laziness::None;
        --depth_;
        return found;
    }

private:
    Laziness at_name(const Form& form) {
        const std::string_view name = form.text();
        if (scoped_) {
            if (const Binding* found = find_binding(a_.at.site.scope, name, name_hash(name)))
                return found->kind == BindingKind::Local ? static_cast<Laziness>(found->local->laziness)
                                                         : Laziness::None;
        }
        const GlobalName* global = a_.names.globals().find(name, name_hash(name));
        if (!global || !global->definition || global->definitions != 1) return Laziness::None;
        const FormSpan parts = global->definition->items();
        return parts[0].is_symbol("def") ? outside(parts.back()) : Laziness::None;
    }

    Laziness at_list(const Form& form) {
        if (form.size == 0 || !form.items()[0].is(FormKind::Symbol)) return Laziness::None;
        const FormSpan parts = form.items();
        const std::string_view head = parts[0].text();
        if (scoped_ && find_binding(a_.at.site.scope, head, name_hash(head))) return Laziness::None;
        if (const GlobalName* global = a_.names.globals().find(head, name_hash(head))) return of_function(*global);
        if (const Source* source = source_of(head, parts.size() - 1)) return source->gives;
        if (head == "let" || head == "let*" || head == "do" || head == "when" || head == "when-let" ||
            head == "when-not" || head == "binding" || head == "loop")
            return parts.size() > 1 ? inside(parts.back()) : Laziness::None;
        if (head == "if" || head == "if-let" || head == "if-not") {
            return parts.size() < 3 ? Laziness::None
                                    : std::max(inside(parts[2]), parts.size() > 3 ? inside(parts[3]) : Laziness::None);
        }
        if (head == "->>" || head == "->") return of_thread(parts, head == "->>");
        return of_call(head, parts.subspan(1));
    }

    /// What a variant gives for these arguments.
    Laziness of_call(std::string_view head, FormSpan arguments) {
        const CoreFunction* variant = variant_of(a_.core, head, arguments.size());
        if (!variant || !variant->lazy) return Laziness::None;
        Laziness most = Laziness::None;
        bool all = true;
        for (std::size_t i = variant->first_lazy; i < arguments.size(); ++i) {
            const Laziness one = at(arguments[i]);
            most = std::max(most, one);
            all = all && one != Laziness::None;
        }
        return variant->lazy_if_all && !all ? Laziness::None : most;
    }

    Laziness of_thread(FormSpan parts, bool last) {
        if (parts.size() < 2) return Laziness::None;
        std::vector<Form> items;
        Form value = parts[1];
        Laziness laziness = at(value);
        for (const Form& step : parts.subspan(2)) {
            const bool is_list = step.is(FormKind::List) && step.size > 0;
            const Form& head = is_list ? step.items()[0] : step;
            if (!head.is(FormKind::Symbol)) return Laziness::None;
            const std::size_t arguments = is_list ? step.size : 1;
            if (const Source* source = source_of(head.text(), arguments)) {
                laziness = source->gives;
                continue;
            }
            const CoreFunction* variant = variant_of(a_.core, head.text(), arguments);
            const bool takes = variant && variant->lazy && (last || variant->first_lazy == 0);
            if (!takes) return Laziness::None;
        }
        return laziness;
    }

    Laziness of_function(const GlobalName& global) {
        if (!global.definition || global.definitions != 1 || !global.definition->items()[0].text().starts_with("defn"))
            return Laziness::None;
        Laziness found = Laziness::None;
        for (const Form& part : global.definition->items().subspan(1)) { // any of several arities
            const bool is_clause = part.is(FormKind::List) && part.size > 1 && part.items()[0].is(FormKind::Vector);
            if (is_clause) found = std::max(found, outside(part.items().back()));
        }
        return std::max(found, outside(global.definition->items().back()));
    }

    /// Where other names are bound than here.
    Laziness inside(const Form& form) { return outside(form); }
    Laziness outside(const Form& form) {
        const bool was = std::exchange(scoped_, false);
        const Laziness found = at(form);
        scoped_ = was;
        return found;
    }

    Analyzer& a_;
    std::uint32_t depth_ = 0;
    bool scoped_ = true;
};

Form call_form(Analyzer& a, std::string_view function, const Form& argument) {
    Form* items = a.nodes.allocate<Form>(2);
    new (&items[0]) Form();
    items[0].kind = FormKind::Symbol;
    items[0].span = argument.span;
    items[0].size = static_cast<std::uint32_t>(function.size());
    items[0].chars = function.data();
    new (&items[1]) Form(argument);
    return call_of({items, 2}, argument.span);
}

Node* call_core_function(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail) {
    Resolved name;
    name.kind = Resolved::Core;
    name.name = a.core.lookup(function.name, name_hash(function.name));
    return call_name(a, list, name, tail);
}

/// Whether a function or transducer may end the reading of its own accord: it mentions what does, or something that is
/// not known here. `looks`: how many more definitions are looked into.
bool may_end(Analyzer& a, const Form& form, std::uint32_t looks) {
    if (form.is(FormKind::Symbol)) {
        const std::string_view name = form.text();
        if (name == "take" || name == "take-while" || name == "reduced" || name == "ensure-reduced") return true;
        const GlobalName* global = a.names.globals().find(name, name_hash(name));
        if (global && global->definition) return looks == 0 || may_end(a, *global->definition, looks - 1);
        return false;
    }
    if (form.kind < FormKind::List || form.is(FormKind::Var)) return false;
    return std::any_of(form.items().begin(), form.items().end(),
                       [&](const Form& item) { return may_end(a, item, looks); });
}

/// A call of reduce and its kin, which reads to the end unless its function ends it.
bool reads_to_the_end(Analyzer& a, const CoreName& name, const Form& list) {
    constexpr std::string_view kReaders[] = {"reduce", "transduce", "into", "sequence", "eduction"};
    if (std::find(std::begin(kReaders), std::end(kReaders), name.name) == std::end(kReaders)) return false;
    const FormSpan functions = list.items().subspan(1, list.size - 2); // all but the collection
    return std::none_of(functions.begin(), functions.end(), [&](const Form& form) {
        const bool is_variable =
            form.is(FormKind::Symbol) && find_binding(a.at.site.scope, form.text(), name_hash(form.text()));
        return is_variable || may_end(a, form, 2);
    });
}

/// (range) alone has been a call with too few arguments in all earlier versions of the language.
Error endless(const Form& form, Span where, std::string_view function) {
    const bool is_bare_range = form.is(FormKind::List) && form.size == 1 && form.items()[0].is_symbol("range");
    Error error(is_bare_range ? Reason::ArityError : Reason::InvalidForm, where,
                "`" + std::string(function) + "` would read all of an endless sequence.");
    error.hint = "Take what it needs first: (take n coll), or (take-while pred coll).";
    return error;
}

/// The call with what is computed to its end in place of each argument that is by need.
Node* call_realized(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const FormSpan parts = list.items();
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    auto* items = a.nodes.allocate<Form>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        new (&items[i]) Form(parts[i]);
        if (i == 0) continue;
        const Laziness laziness = laziness_of(a, parts[i]);
        if (laziness == Laziness::None) continue;
        const std::string_view hidden = a.nodes.keep_text(" realized" + std::to_string(i));
        Local* local = let.temporary(analyze_realized(a, parts[i], kValue, name.name));
        a.names.bind(hidden, local);
        items[i] = hidden_name(hidden, parts[i].span);
    }
    const Form call = call_of({items, parts.size()}, list.span);
    Resolved meaning;
    meaning.kind = name.core ? Resolved::Core : Resolved::Builtin;
    meaning.name = &name;
    Node* node = call_name(a, call, meaning, tail & kFunctionTail);
    a.at.site.scope = scope;
    return let.finish(node, a.span_of(list), tail);
}

} // namespace

bool makes_lazy(std::string_view name, std::size_t arguments) { return source_of(name, arguments) != nullptr; }

Laziness laziness_of(Analyzer& a, const Form& form) {
    if (!a.names.has_lazy() || a.at.site.core) return Laziness::None;
    return Look(a).at(form);
}

Node* analyze_realized(Analyzer& a, const Form& form, Tail tail, std::string_view reader) {
    const Laziness laziness = laziness_of(a, form);
    if (laziness == Laziness::None) return a.analyze(form, tail);
    if (laziness == Laziness::Endless) return a.failed(endless(form, a.span_of(form), reader));
    const Form call = call_form(a, "realize%", form);
    return call_core_function(a, *a.core.find("realize%"), call, tail);
}

Node* analyze_bound(Analyzer& a, const Form& pattern, const Form& form) {
    if (!pattern.is(FormKind::Vector) || laziness_of(a, form) == Laziness::None) return a.analyze(form, kValue);
    const FormSpan names = pattern.items();
    if (std::any_of(names.begin(), names.end(), [](const Form& name) { return name.is_symbol("&"); }))
        return analyze_realized(a, form, kValue, "&");
    Form* items = a.nodes.allocate<Form>(3);
    new (&items[0]) Form(hidden_name("lazy-take%", form.span));
    new (&items[1]) Form();
    items[1].kind = FormKind::Integer;
    items[1].span = form.span;
    items[1].integer = pattern.size;
    new (&items[2]) Form(form);
    return call_core_function(a, *a.core.find("lazy-take%"), call_of({items, 3}, form.span), kValue);
}

void note_laziness(Analyzer& a, const Form& name, Laziness laziness) {
    if (!name.is(FormKind::Symbol)) return;
    const Binding* found = find_binding(a.at.site.scope, name.text(), name_hash(name.text()));
    if (found && found->kind == BindingKind::Local) found->local->laziness = static_cast<std::uint8_t>(laziness);
}

Node* call_with_lazy(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    if (!a.names.has_lazy() || a.at.site.core || name.name.ends_with('%')) return nullptr;
    const FormSpan arguments = list.items().subspan(1);
    const bool is_source = makes_lazy(name.name, arguments.size());
    const bool has_lazy = std::any_of(arguments.begin(), arguments.end(),
                                      [&](const Form& form) { return laziness_of(a, form) != Laziness::None; });
    if (!is_source && !has_lazy) return nullptr;
    const CoreFunction* variant =
        has_lazy && reads_to_the_end(a, name, list) ? nullptr : variant_of(a.core, name.name, arguments.size());
    if (variant) {
        bool all = true;
        for (std::size_t i = variant->first_lazy; i < arguments.size(); ++i)
            all = all && laziness_of(a, arguments[i]) != Laziness::None;
        const CoreFunction* taken = variant;
        if (variant->lazy_if_all && !all) {
            std::string text("bounded-");
            text.append(name.name).append("%");
            taken = a.core.find(text);
        }
        if (taken && taken->arity(arguments.size())) return call_core_function(a, *taken, list, tail);
    }
    return has_lazy ? call_realized(a, name, list, tail) : nullptr;
}

// (lazy-seq body ..): the body is a sequence, or nil; it is computed when somebody looks at it.
Node* lazy_seq_form(Analyzer& a, const Form& list, Tail tail) {
    Form* params = a.nodes.create<Form>();
    params->kind = FormKind::Vector;
    params->span = list.span;
    params->first = params;
    params->size = 0;
    auto* clause = a.nodes.create<FnClause>();
    clause->params = params;
    clause->body = list.items().subspan(1);
    return fn_value(a, Lambda{"lazy-seq%", a.span_of(list), {clause, 1}, a.at.site}, tail);
}

} // namespace ptc
