// try and throw.
//
// The body of a try becomes a function without parameters, which the instruction Try calls: a failure then ends frames
// and nothing else, so what the frame of the try owns is the same whichever way its body ends (vm/opcodes.def).
// Handlers are a chain of tests of the exception's class, and what none of them takes is thrown again.
//
// (try body .. (finally after ..)) is a try around all the rest whose value comes in a vector: what is behind it then
// knows an exception, which is a map, from a value, and runs `after` in one place for both.
#include "compiler/analyze/exceptions.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/patterns.h"
#include "frontend/suggest.h"
#include "runtime/exceptions.h"
#include <vector>

namespace ptc {
namespace {

bool is_clause(const Form& form, std::string_view head) {
    return form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol(head);
}

/// A try taken apart. `list` without its `finally` is what stands in front of that.
struct TryParts {
    FormSpan body;
    FormSpan handlers;
    const Form* after = nullptr;
};

/// False after a report: the body comes first, then handlers, then at most one `finally`.
bool read_try(Analyzer& a, const Form& list, TryParts& parts) {
    const FormSpan items = list.items().subspan(1);
    std::size_t i = 0;
    while (i < items.size() && !is_clause(items[i], "catch") && !is_clause(items[i], "finally"))
        ++i;
    parts.body = items.first(i);
    const std::size_t first = i;
    while (i < items.size() && is_clause(items[i], "catch"))
        ++i;
    parts.handlers = items.subspan(first, i - first);
    if (i < items.size() && is_clause(items[i], "finally")) parts.after = &items[i++];
    if (i == items.size()) return true;
    a.report(bad_form(a.span_of(items[i]), *a.special_of(list),
                      "the body comes first, then `catch` clauses, then `finally`"));
    return false;
}

/// The forms as a function without parameters.
Node* as_function(Analyzer& a, FormSpan body, Span span) {
    Form* params = a.nodes.create<Form>();
    params->kind = FormKind::Vector;
    params->span = span;
    params->first = params;
    params->size = 0;
    auto* clause = a.nodes.create<FnClause>();
    clause->params = params;
    clause->body = body;
    const Lambda lambda{{}, span, {clause, 1}, a.at.site};
    a.at.body_of = "try";
    Node* function = fn_value(a, lambda, kValue);
    a.at.body_of = nullptr;
    return function;
}

/// The class that a clause names; JavaScript's and ClojureScript's word for any. Null after a report.
const ExceptionClass* class_of(Analyzer& a, const Form& clause, const SpecialForm& form) {
    const Form& name = clause.items()[1];
    if (name.is(FormKind::Keyword) && name.text() == "default") return find_exception_class("Throwable");
    if (!name.is(FormKind::Symbol)) {
        a.report(bad_form(a.span_of(name), form, "a `catch` names a class: (catch Exception e ..)"));
        return nullptr;
    }
    if (const ExceptionClass* found = find_exception_class(name.text())) return found;
    if (name.text() == "Object" || name.text() == "js/Error" || name.text() == "js/Object")
        return find_exception_class("Throwable");
    std::vector<std::string_view> names;
    for (const ExceptionClass& known : exception_classes())
        names.push_back(known.name);
    Error error = bad_form(a.span_of(name), form, "there is no class of exceptions of this name");
    const std::vector<std::string> near = suggest(name.text(), names);
    error.hint = "`Exception` catches all of them.";
    error.edits.push_back({a.span_of(name), near.empty() ? "Exception" : near.front()});
    a.report(std::move(error));
    return nullptr;
}

/// What a clause does with the exception, whose name it binds.
Node* handle(Analyzer& a, const Form& clause, Local* caught) {
    const Span span = a.span_of(clause);
    const FormSpan parts = clause.items();
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    destructure(a, parts[2], a.nodes.reference(caught, a.span_of(parts[2])), let);
    Node* body = a.analyze_body(parts.subspan(3), span, kValue);
    Node* node = let.finish(body, span, kValue);
    a.at.site.scope = scope;
    return node;
}

bool check_clause(Analyzer& a, const Form& clause, const SpecialForm& form) {
    const FormSpan parts = clause.items();
    if (parts.size() >= 3 && is_pattern(parts[2])) return true;
    const bool is_short = parts.size() >= 2 && parts[1].is(FormKind::Symbol) && !find_exception_class(parts[1].text());
    Error error = bad_form(a.span_of(clause), form, "a handler is (catch Exception e ..): a class, a name, what to do");
    if (is_short) error.edits.push_back({{parts[1].span.begin, parts[1].span.begin}, "Exception "});
    a.report(std::move(error));
    return false;
}

/// The handlers from `from` on: the first whose class takes the exception; else it is thrown again.
Node* handlers(Analyzer& a, FormSpan clauses, Local* caught, Span span, const SpecialForm& form) {
    if (clauses.empty()) return a.nodes.make(NodeKind::Throw, span, kValue, {a.nodes.reference(caught, span)});
    const Form& clause = clauses.front();
    if (a.stop_at_limits(a.span_of(clause)) || !check_clause(a, clause, form)) return a.nodes.nil(span);
    const ExceptionClass* known = class_of(a, clause, form);
    if (!known) return a.nodes.nil(span);
    const Span where = a.span_of(clause);
    if (known->parent.empty()) return handle(a, clause, caught); // takes all: what follows is never reached
    Node* test = a.nodes.native_call("caught%", where, kValue,
                                     {a.nodes.reference(caught, where), a.nodes.string(known->name, where, kValue)});
    Node* yes = handle(a, clause, caught);
    Node* no = handlers(a, clauses.subspan(1), caught, span, form);
    return a.nodes.make(NodeKind::If, where, kValue, {test, yes, no});
}

Node* try_node(Analyzer& a, Node* body, Local* caught, Node* handler, Span span) {
    Node* node = a.nodes.make(NodeKind::Try, span, kValue, {body, handler});
    node->locals = a.nodes.copy(std::span<Local* const>(&caught, 1));
    return node;
}

Node* try_without_after(Analyzer& a, FormSpan body, FormSpan clauses, Span span, const SpecialForm& form) {
    if (clauses.empty()) return a.analyze_body(body, span, kValue);
    Node* function = as_function(a, body, span);
    Local* caught = a.nodes.new_local("", span);
    return try_node(a, function, caught, handlers(a, clauses, caught, span, form), span);
}

} // namespace

Node* guarded_body(Analyzer& a, FormSpan body, Local* caught, Node* handler, Span span) {
    return try_node(a, as_function(a, body, span), caught, handler, span);
}

// (try body .. (catch Class name body ..) .. (finally body ..))
Node* try_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    TryParts parts;
    if (!read_try(a, list, parts)) return a.nodes.nil(span, tail);
    const SpecialForm& form = *a.special_of(list);
    if (!parts.after) {
        Node* node = try_without_after(a, parts.body, parts.handlers, span, form);
        return node;
    }
    // Everything in front of `finally`, as the only item of a vector.
    Form* inner = a.nodes.create<Form>(list);
    inner->size = list.size - 1;
    Form* wrapped = a.nodes.create<Form>();
    wrapped->kind = FormKind::Vector;
    wrapped->span = list.span;
    wrapped->size = 1;
    wrapped->first = inner;
    Node* function = as_function(a, {wrapped, 1}, span);
    Local* caught = a.nodes.new_local("", span);
    Node* outcome = try_node(a, function, caught, a.nodes.reference(caught, span), span);
    Let let(a.nodes);
    Local* held = let.temporary(outcome);
    Node* after = a.analyze_body(parts.after->items().subspan(1), a.span_of(*parts.after), kValue);
    Node* test = a.nodes.native_call("vector?", span, kValue, {a.nodes.reference(held, span)});
    Node* value = a.nodes.native_call("first", span, kValue, {a.nodes.reference(held, span)});
    Node* again = a.nodes.make(NodeKind::Throw, span, kValue, {a.nodes.reference(held, span)});
    Node* chosen = a.nodes.make(NodeKind::If, span, kValue, {test, value, again});
    return let.finish(a.nodes.make(NodeKind::Do, span, kValue, {after, chosen}), span, tail);
}

// (throw exception)
Node* throw_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, 1)) return a.nodes.nil(a.span_of(list), tail);
    return a.nodes.make(NodeKind::Throw, a.span_of(list), tail, {a.analyze(list.items()[1], kValue)});
}

// A clause of try that stands somewhere else.
Node* loose_clause_form(Analyzer& a, const Form& list, Tail) {
    return a.failed(bad_form(a.span_of(list), *a.special_of(list), "it stands at the end of a `try`"));
}

} // namespace ptc
