// defmulti and defmethod. The methods of a program are known when it is compiled, so a multimethod is one function: it
// calls the dispatch function with its arguments, compares the result with the value of each method in turn, and calls
// the method that fits. It is made where the last method stands, so that all of them may use what is defined above.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/definitions.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/language/form_identity.h"
#include "compiler/language/form_questions.h"

namespace ptc {
namespace {

Node* applied(Analyzer& a, Node* function, Local* arguments, Span span, Tail tail) {
    return a.nodes.make(NodeKind::Apply, span, tail, {function, a.nodes.reference(arguments, span)});
}

/// (defmethod name value method-name? [params] body ..): the function.
Node* method_function(Analyzer& a, const Form& form) {
    const Span span = a.span_of(form);
    FormSpan parts = form.items().subspan(3);
    std::string_view name = form.items()[1].text();
    if (parts[0].is(FormKind::Symbol) && parts.size() > 1) {
        name = parts[0].text();
        parts = parts.subspan(1);
    }
    const std::span<const FnClause> clauses = read_clauses(a, parts, *a.special_of(form));
    if (clauses.empty()) return a.nodes.nil(span);
    Lambda lambda{{}, span, clauses, a.at.site};
    lambda.name = parts.data() == form.items().subspan(3).data() ? std::string_view() : name;
    Node* node = fn_value(a, lambda, kValue);
    if (node->function->name.empty()) node->function->name = name;
    return node;
}

/// Whether the method is that of all values without one: of :default, or of what the definition names instead.
bool is_default(const Form& method, const MultimethodParts& parts) {
    const Form& value = method.items()[2];
    if (parts.default_value) return same_form(value, *parts.default_value);
    return value.is(FormKind::Keyword) && value.text() == "default";
}

/// The method whose value is what the dispatch function gave; :default behind all others.
Node* choose_method(Analyzer& a, const Multimethod& multi, Local* value, Local* arguments, Span span) {
    const Form* otherwise = nullptr;
    const MultimethodParts parts = multimethod_parts(*multi.definition);
    NodeList nodes(a.nodes);
    std::vector<Span> spans;
    for (const Multimethod::Method* method = multi.first; method; method = method->next) {
        if (a.reports.stopped()) return a.nodes.unread(span);
        const Form& form = *method->form;
        const Form& wanted = form.items()[2];
        if (is_default(form, parts)) {
            otherwise = &form;
            continue;
        }
        spans.push_back(a.span_of(form));
        Node* constant = a.analyze(wanted, kValue);
        nodes.add(a.nodes.native_call("=", spans.back(), kValue, {constant, a.nodes.reference(value, spans.back())}));
        Node* function = method_function(a, form);
        nodes.add(applied(a, function, arguments, spans.back(), kFunctionTail));
    }
    Node* node = nullptr;
    if (otherwise) {
        node = applied(a, method_function(a, *otherwise), arguments, span, kFunctionTail);
    } else {
        const std::string text = "No method in multimethod '" + std::string(multi.name) + "' for dispatch value: ";
        Node* shown = a.nodes.native_call("pr-str", span, kValue, {a.nodes.reference(value, span)});
        node = thrown(a, "IllegalArgumentException.", a.nodes.keep_text(text), shown, span, kFunctionTail);
    }
    for (std::size_t i = spans.size(); i-- > 0;)
        node = a.nodes.make_if(nodes[2 * i], nodes[2 * i + 1], node, spans[i], kFunctionTail);
    return node;
}

Node* make_multimethod(Analyzer& a, const Multimethod& multi, Tail tail) {
    const Form& form = *multi.definition;
    const Span span = a.span_of(form);
    Function* function = a.nodes.new_function(multi.name, span);
    const Context outer = a.at;
    a.at.function = function;
    a.at.recur = nullptr;
    a.at.hoist = nullptr;
    a.at.fold = nullptr;
    function->variadic = true;
    Local* arguments = a.nodes.new_local("arguments", span);
    function->params.push_back(arguments);
    Let let(a.nodes);
    Local* value =
        let.temporary(applied(a, a.analyze(*multimethod_parts(form).dispatch, kValue), arguments, span, kValue));
    Node* body = choose_method(a, multi, value, arguments, span);
    function->body = let.finish(body, span, kFunctionTail);
    a.at = outer;
    Node* node = a.nodes.make(NodeKind::Fn, span);
    node->function = function;
    return definition(a, NodeKind::Def, form.items()[1], node, span, tail);
}

} // namespace

// (defmulti name "doc"? {metadata}? dispatch :default? value); a hierarchy is part of the dispatch by now
// (hierarchies.h)
Node* defmulti_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 2, SIZE_MAX) || !check_unprotected(a, list.items()[1])) return a.nodes.nil(span, tail);
    const Form& name = list.items()[1];
    const Multimethod* multi = name.is(FormKind::Symbol) ? a.names.find_multimethod(name.text()) : nullptr;
    if (!multi || multi->definition != &list || multimethod_parts(list).is_malformed)
        return a.failed(
            bad_form(span, *a.special_of(list), "it stands once, at the top level: (defmulti area :shape)"));
    return multi->first ? a.nodes.nil(span, tail) : make_multimethod(a, *multi, tail);
}

// (defmethod name value [params] body ..)
Node* defmethod_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 3, SIZE_MAX)) return a.nodes.nil(span, tail);
    const Form& name = list.items()[1];
    const Multimethod* multi = name.is(FormKind::Symbol) ? a.names.find_multimethod(name.text()) : nullptr;
    if (!multi || !a.names.is_method_form(list)) {
        return a.failed(
            bad_form(span, *a.special_of(list), "it stands at the top level, below the defmulti of the same program"));
    }
    return multi->last->form == &list ? make_multimethod(a, *multi, tail) : a.nodes.nil(span, tail);
}

} // namespace ptc
