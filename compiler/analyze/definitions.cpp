// def, defonce, defn, and what the program defines anywhere.
//
// Before the analysis all forms are searched for definitions: a body may use a function that is defined below it, and a
// call of a function that is defined once, at the top level, goes to it directly. A definition counts from its place
// on.
#include "compiler/analyze/definitions.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/lazy_escapes.h"
#include "compiler/analyze/special_calls.h"
#include "compiler/language/prelude.h"
#include "compiler/prelude/prelude_errors.h"
#include "frontend/work.h"
#include <algorithm>

namespace ptc {
namespace {

bool is_defining(std::string_view head) {
    return head == "def" || head == "defn" || head == "defn-" || head == "defonce";
}

bool is_literal(const Form& form) {
    return form.is(FormKind::ShortFn) || (form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol("fn"));
}

/// A function literal, or a call that is given one, as (memoize (fn ..)): its body may use the name that is defined.
bool makes_function(const Form& value) {
    if (is_literal(value)) return true;
    if (!value.is(FormKind::List) || value.size < 2 || !value.items()[0].is(FormKind::Symbol)) return false;
    return std::any_of(value.items().begin() + 1, value.items().end(), is_literal);
}

bool is_threading(std::string_view head) { return head.ends_with("->") || head.ends_with("->>"); }

void note_definition(Names& names, const Form& name, bool function) {
    GlobalName& global = names.globals().add(name.text(), name_hash(name.text()));
    global.function = global.function || function;
    if (global.definitions++ == 0) global.first_definition = name.span;
}

/// What the program names: whether values may be `reduced` where it is called or, as a transducer, runs; whether the
/// form of `size` items that calls it (0: none does) may give a sequence by need.
void note_name(Names& names, const CoreLibrary& core, std::string_view name, std::size_t size) {
    if (name.back() == '.' && name.ends_with("StringBuilder.")) names.note_builder();
    if (names.has_by_need_in_session()) {
        const GlobalName* global = names.globals().find(name, name_hash(name));
        if (global && global->by_need_in_session) {
            names.note_lazy();
            names.note_lazy_escapes();
        }
    }
    const CoreName* found = core.lookup(name, name_hash(name));
    if (!found) return;
    if ((found->traits & (traits::kEndsEarly | traits::kSteps)) != 0) names.note_reduced();
    const bool only_ends = (found->traits & (traits::kEndsEarly | traits::kSequence)) == traits::kEndsEarly;
    if (only_ends) names.note_makes_reduced(); // not take and its kin, whose own steps give them
    if (size > 0 && may_make_lazy(*found, size)) names.note_lazy();
}

void find_definitions_in(Names& names, const CoreLibrary& core, const Form& form) {
    if (!work::charge(2)) return;
    if (form.is(FormKind::Symbol) || form.is(FormKind::Var)) {
        if (form.is(FormKind::Symbol) && makes_sorted(form)) names.note_sorted();
        return note_name(names, core, form.text(), 0);
    }
    if (form.kind < FormKind::List || form.is(FormKind::Quote) || form.size == 0) return;
    const Form& head = form.items()[0];
    const bool is_call = (form.is(FormKind::List) || form.is(FormKind::ShortFn)) && head.is(FormKind::Symbol);
    if (is_call) {
        const std::string_view name = head.text();
        note_name(names, core, name, form.size);
        if (makes_sorted(form)) names.note_sorted();
        if (is_defining(name)) {
            if (form.size > 1 && form.items()[1].is(FormKind::Symbol)) {
                note_definition(names, form.items()[1],
                                name.starts_with("defn") || makes_function(form.items().back()));
                const std::string_view defined = form.items()[1].text();
                names.globals().add(defined, name_hash(defined)).definition = &form;
            } else {
                names.forget_functions();
            }
        } else if ((name == "binding" || name == "with-redefs") && form.size > 1 &&
                   form.items()[1].is(FormKind::Vector)) {
            for (std::size_t i = 0; i < form.items()[1].size; i += 2) {
                const Form& defined = form.items()[1].items()[i];
                if (defined.is(FormKind::Symbol)) note_definition(names, defined, false);
            }
        } else if (name == "memory/put") {
            if (form.size > 1 && (form.items()[1].is(FormKind::Keyword) || form.items()[1].is(FormKind::String))) {
                note_definition(names, form.items()[1], makes_function(form.items().back()));
            }
        } else if (is_threading(name)) { // (-> f (def g)) defines f
            for (const Form& step : form.items()) {
                if (step.is(FormKind::List) && step.size > 0 && step.items()[0].is(FormKind::Symbol) &&
                    is_defining(step.items()[0].text())) {
                    names.forget_functions();
                    if (form.size > 1 && form.items()[1].is(FormKind::Symbol))
                        note_definition(names, form.items()[1], false);
                }
            }
        }
    }
    for (const Form& item : form.items().subspan(is_call ? 1 : 0))
        find_definitions_in(names, core, item);
}

/// (defmulti name ..) and (defmethod name value ..) of the top level.
void find_multimethod_parts(Names& names, const Form& form) {
    if (!form.is(FormKind::List) || form.size < 3 || !form.items()[1].is(FormKind::Symbol)) return;
    const Form& name = form.items()[1];
    if (form.items()[0].is_symbol("defmulti")) {
        names.add_multimethod(name.text()).definition = &form;
        note_definition(names, name, true);
        return;
    }
    Multimethod* multi = form.items()[0].is_symbol("defmethod") ? names.find_multimethod(name.text()) : nullptr;
    if (multi) names.add_method(*multi, form);
}

} // namespace

void find_definitions(Names& names, const CoreLibrary& core, FormSpan top_level) {
    for (const Form& form : top_level) {
        if (work::is_over()) return;
        find_definitions_in(names, core, form);
        find_multimethod_parts(names, form);
        if (!form.is(FormKind::List) || form.size < 3 || !form.items()[0].is(FormKind::Symbol)) continue;
        const std::string_view head = form.items()[0].text();
        if (!is_defining(head) || head == "defonce") continue;
        if (!form.items()[1].is(FormKind::Symbol)) continue;
        const std::string_view name = form.items()[1].text();
        if (GlobalName* global = names.globals().find(name, name_hash(name))) global->top_level = &form;
    }
    if (names.has_lazy() && lazy_may_escape(names, core, top_level)) names.note_lazy_escapes();
}

bool check_unprotected(Analyzer& a, const Form& name) {
    const bool is_name = name.is(FormKind::Symbol) || name.is(FormKind::Keyword) || name.is(FormKind::String);
    const std::size_t end = is_name && name.size > 0 ? namespace_end(name.text()) : std::string_view::npos;
    if (end == std::string_view::npos) return true;
    const std::string_view space = name.text().substr(0, end);
    const bool is_host = space == "tool" || space == "data" || space == "budget" || space == "ptc.core";
    if (!is_host && !(a.environment.prelude && a.environment.prelude->find_namespace(space))) return true;
    const PreludeMember* member = a.environment.prelude ? a.environment.prelude->find(name.text()) : nullptr;
    a.report(protected_name(a.span_of(name), name.text(), space, member && member->is_public));
    return false;
}

Node* definition(Analyzer& a, NodeKind kind, const Form& name, Node* value, Span span, Tail tail) {
    a.names.globals().add(name.text(), name_hash(name.text())).defined = true;
    Node* node = a.nodes.make(kind, span, tail, {value});
    node->text = name.text();
    return node;
}

// ---- The forms

namespace {

bool check_definition_name(Analyzer& a, const Form& name, const Form& list) {
    if (!a.names.check_stateless(list, list.items()[0].text()) || !check_unprotected(a, name)) return false;
    const bool is_of_atom = name.is(FormKind::Symbol) && name.text().starts_with(kAtomPrefix);
    if (name.is(FormKind::Symbol) && is_binding_name(name) && !is_of_atom) return true;
    if (is_of_atom) {
        a.report(bad_form(a.span_of(name), *a.special_of(list), "names that begin with `atom%` are those of atoms"));
        return false;
    }
    const bool qualified = name.is(FormKind::Symbol) && name.text().find('/') != std::string_view::npos;
    a.report(bad_form(a.span_of(name), *a.special_of(list),
                      qualified ? "a defined name has no namespace" : "it defines a name, not " + describe_form(name)));
    return false;
}

/// The function's own name means its definition already in its body.
Node* define_function(Analyzer& a, const Form& name, const Lambda& lambda, std::string_view doc, const Form& list,
                      Tail tail) {
    GlobalName& global = a.names.globals().add(name.text(), name_hash(name.text()));
    Function* function = declare_function(a, lambda, name.text());
    function->doc = doc;
    global.doc = doc;
    global.clauses = lambda.clauses;
    if (a.names.known_functions() && global.top_level == &list && global.definitions == 1 && !global.in_session &&
        !a.environment.any_global) {
        global.known = function;
    }
    global.defined = true;
    Lambda anonymous = lambda;
    if (global.known) anonymous.name = {}; // its own name is the definition's; a second one changes nothing
    if (!lambda.name.empty() && lambda.name != name.text()) anonymous.name = lambda.name;
    fn_bodies(a, *function, anonymous);
    Function* const family[] = {function};
    a.nodes.share_captures(family);
    Node* node = a.nodes.make(NodeKind::Fn, a.span_of(list));
    node->function = function;
    return definition(a, NodeKind::Def, name, node, a.span_of(list), tail);
}

// (def name value), (def name "doc" value)
Node* define(Analyzer& a, NodeKind kind, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    const bool documented = parts.size() == 3 && parts[1].is(FormKind::String);
    if (!documented && !a.check_parts(list, 2, 2)) return a.nodes.nil(span, tail);
    if (!check_definition_name(a, parts[0], list)) {
        a.nodes.discard(a.analyze(parts.back(), kValue));
        return a.nodes.nil(span, tail);
    }
    const std::string_view doc = documented ? parts[1].text() : std::string_view();
    const Form& value = parts.back();
    GlobalName& global = a.names.globals().add(parts[0].text(), name_hash(parts[0].text()));
    global.doc = doc;
    global.clauses = {};
    if (kind == NodeKind::Def && global.top_level == &list) {
        if (const Lambda* lambda = literal_lambda(a, value))
            return define_function(a, parts[0], *lambda, doc, list, tail);
    }
    return definition(a, kind, parts[0], a.analyze(value, kValue), span, tail);
}

} // namespace

Node* def_form(Analyzer& a, const Form& list, Tail tail) { return define(a, NodeKind::Def, list, tail); }

Node* defonce_form(Analyzer& a, const Form& list, Tail tail) { return define(a, NodeKind::DefOnce, list, tail); }

// (declare name ..): they are defined further down.
Node* declare_form(Analyzer& a, const Form& list, Tail tail) {
    for (const Form& name : list.items().subspan(1)) {
        if (!check_definition_name(a, name, list)) continue;
        a.names.globals().add(name.text(), name_hash(name.text())).defined = true;
    }
    return a.nodes.nil(a.span_of(list), tail);
}

// (defn name "doc"? {metadata}? [params] body ..), (defn name "doc"? {metadata}? ([params] body ..) ..)
Node* defn_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 2, SIZE_MAX)) return a.nodes.nil(span, tail);
    FormSpan parts = list.items().subspan(1);
    const Form& name = parts[0];
    const bool named = check_definition_name(a, name, list);
    parts = parts.subspan(1);
    std::string_view doc;
    if (parts[0].is(FormKind::String) && parts.size() > 1) {
        doc = parts[0].text();
        parts = parts.subspan(1);
    }
    if (parts[0].is(FormKind::Map) && parts.size() > 1) parts = parts.subspan(1); // metadata
    if (!parts[0].is(FormKind::Vector) && !parts[0].is(FormKind::List)) {
        return a.failed(bad_form(a.span_of(parts[0]), *a.special_of(list),
                                 "after the name stand the parameters, in a vector: [x y]"));
    }
    const std::span<const FnClause> clauses = read_clauses(a, parts, *a.special_of(list));
    if (clauses.empty() || !named) return a.nodes.nil(span, tail);
    const Lambda lambda{{}, span, clauses, a.at.site};
    return define_function(a, name, lambda, doc, list, tail);
}

} // namespace ptc
