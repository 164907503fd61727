// def, defonce, defn, and what the program defines anywhere.
#include "compiler/analyze/analysis.h"
#include "compiler/prelude/prelude_errors.h"

namespace ptc {
namespace {

bool is_defining(std::string_view head) { return head == "def" || head == "defn" || head == "defonce"; }

bool makes_function(const Form& value) {
    return value.is(FormKind::ShortFn) ||
           (value.is(FormKind::List) && value.size > 0 && value.items()[0].is_symbol("fn"));
}

bool is_threading(std::string_view head) { return head.ends_with("->") || head.ends_with("->>"); }

} // namespace

// ---- Before the analysis
// -----------------------------------------------------------------------------------------------

/// Notes every name that some form of the program defines, and which functions are defined once, at the top level: a
/// call below such a definition needs no look-up.
void Analyzer::find_definitions(FormSpan top_level) {
    for (const Form& form : top_level) {
        find_definitions_in(form);
        if (!form.is(FormKind::List) || form.size < 3 || !form.items()[0].is(FormKind::Symbol)) continue;
        const std::string_view head = form.items()[0].text();
        if (head != "def" && head != "defn") continue;
        if (!form.items()[1].is(FormKind::Symbol)) continue;
        const std::string_view name = form.items()[1].text();
        if (GlobalName* global = globals_.find(name, name_hash(name))) global->top_level = &form;
    }
}

void Analyzer::find_definitions_in(const Form& form) {
    if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote) || form.size == 0) return;
    const Form& head = form.items()[0];
    if ((form.is(FormKind::List) || form.is(FormKind::ShortFn)) && head.is(FormKind::Symbol)) {
        const std::string_view name = head.text();
        if (is_defining(name)) {
            if (form.size > 1 && form.items()[1].is(FormKind::Symbol)) {
                note_definition(form.items()[1], name == "defn" || makes_function(form.items().back()));
            } else {
                known_functions_ = false;
            }
        } else if (name == "memory/put") {
            if (form.size > 1 && (form.items()[1].is(FormKind::Keyword) || form.items()[1].is(FormKind::String))) {
                note_definition(form.items()[1], makes_function(form.items().back()));
            }
        } else if (is_threading(name)) { // (-> f (def g)) defines f
            for (const Form& step : form.items()) {
                if (step.is(FormKind::List) && step.size > 0 && step.items()[0].is(FormKind::Symbol) &&
                    is_defining(step.items()[0].text())) {
                    known_functions_ = false;
                    if (form.size > 1 && form.items()[1].is(FormKind::Symbol)) note_definition(form.items()[1], false);
                }
            }
        }
    }
    for (const Form& item : form.items())
        find_definitions_in(item);
}

void Analyzer::note_definition(const Form& name, bool function) {
    GlobalName& global = globals_.add(name.text(), name_hash(name.text()));
    global.function = global.function || function;
    if (global.definitions++ == 0) global.first_definition = name.span;
}

// ---- The forms
// ---------------------------------------------------------------------------------------------------------

/// Whether the name, a symbol or the key of memory/put, lies outside of what the host has for itself.
bool Analyzer::check_unprotected(const Form& name) {
    const bool is_name = name.is(FormKind::Symbol) || name.is(FormKind::Keyword) || name.is(FormKind::String);
    const std::size_t end = is_name && name.size > 0 ? namespace_end(name.text()) : std::string_view::npos;
    if (end == std::string_view::npos) return true;
    const std::string_view space = name.text().substr(0, end);
    const bool is_host = space == "tool" || space == "data" || space == "budget" || space == "ptc.core";
    if (!is_host && !(environment_.prelude && environment_.prelude->find_namespace(space))) return true;
    const PreludeMember* member = environment_.prelude ? environment_.prelude->find(name.text()) : nullptr;
    report(protected_name(span_of(name), name.text(), space, member && member->is_public));
    return false;
}

bool Analyzer::check_definition_name(const Form& name, const Form& list) {
    if (!check_stateless(list, list.items()[0].text()) || !check_unprotected(name)) return false;
    if (name.is(FormKind::Symbol) && is_binding_name(name)) return true;
    const bool qualified = name.is(FormKind::Symbol) && name.text().find('/') != std::string_view::npos;
    report(bad_form(span_of(name), *special_of(list),
                    qualified ? "a defined name has no namespace" : "it defines a name, not " + describe_form(name)));
    return false;
}

Node* Analyzer::def_form(const Form& list, Place place) { return define(NodeKind::Def, list, place); }
Node* Analyzer::defonce_form(const Form& list, Place place) { return define(NodeKind::DefOnce, list, place); }

// (def name value), (def name "doc" value)
Node* Analyzer::define(NodeKind kind, const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan parts = list.items().subspan(1);
    const bool documented = parts.size() == 3 && parts[1].is(FormKind::String);
    if (!documented && !check_parts(list, 2, 2)) return nil(span, place);
    if (!check_definition_name(parts[0], list)) {
        discard(analyze(parts.back(), kValue));
        return nil(span, place);
    }
    const std::string_view doc = documented ? parts[1].text() : std::string_view();
    const Form& value = parts.back();
    GlobalName& global = globals_.add(parts[0].text(), name_hash(parts[0].text()));
    global.doc = doc;
    global.params = nullptr;
    if (kind == NodeKind::Def && global.top_level == &list) {
        if (const Lambda* lambda = literal_lambda(value)) return define_function(parts[0], *lambda, doc, list, place);
    }
    return definition(kind, parts[0], analyze(value, kValue), span, place);
}

// (defn name "doc"? {metadata}? [params] body ..)
Node* Analyzer::defn_form(const Form& list, Place place) {
    const Span span = span_of(list);
    if (!check_parts(list, 2, SIZE_MAX)) return nil(span, place);
    FormSpan parts = list.items().subspan(1);
    const Form& name = parts[0];
    const bool named = check_definition_name(name, list);
    parts = parts.subspan(1);
    std::string_view doc;
    if (parts[0].is(FormKind::String) && parts.size() > 1) {
        doc = parts[0].text();
        parts = parts.subspan(1);
    }
    if (parts[0].is(FormKind::Map) && parts.size() > 1) parts = parts.subspan(1); // metadata
    if (!parts[0].is(FormKind::Vector)) {
        const bool arities =
            parts[0].is(FormKind::List) && parts[0].size > 0 && parts[0].items()[0].is(FormKind::Vector);
        return failed(bad_form(span_of(parts[0]), *special_of(list),
                               arities
                                   ? "a function has one list of parameters: define one function for each number of "
                                     "arguments, or take the rest with `&`"
                                   : "after the name stand the parameters, in a vector: [x y]"));
    }
    auto* clause = create<FnClause>();
    clause->body = parts.subspan(1);
    if (!read_params(parts[0], *clause) || !named) return nil(span, place);
    const Lambda lambda{{}, span, {clause, 1}, site_};
    return define_function(name, lambda, doc, list, place);
}

/// The function's own name means its definition already in its body.
Node* Analyzer::define_function(const Form& name, const Lambda& lambda, std::string_view doc, const Form& list,
                                Place place) {
    GlobalName& global = globals_.add(name.text(), name_hash(name.text()));
    Function* function = new_function(name.text(), lambda.span);
    function->doc = doc;
    global.doc = doc;
    global.params = lambda.clauses.back().params;
    if (known_functions_ && global.top_level == &list && global.definitions == 1 && !global.in_session &&
        !environment_.any_global) {
        global.known = function;
    }
    global.defined = true;
    Lambda anonymous = lambda;
    if (global.known) anonymous.name = {}; // its own name is the definition's; a second one changes nothing
    if (!lambda.name.empty() && lambda.name != name.text()) anonymous.name = lambda.name;
    fn_body(*function, anonymous, anonymous.clauses.back());
    Node* node = make(NodeKind::Fn, span_of(list));
    node->function = function;
    return definition(NodeKind::Def, name, node, span_of(list), place);
}

Node* Analyzer::definition(NodeKind kind, const Form& name, Node* value, Span span, Place place) {
    globals_.add(name.text(), name_hash(name.text())).defined = true;
    Node* node = make(kind, span, place, {value});
    node->text = name.text();
    return node;
}

} // namespace ptc
