// defmulti and defmethod. The methods of a program are known when it is compiled, so a multimethod is one function: it
// calls the dispatch function with its arguments, compares the result with the value of each method in turn, and does
// what the method that fits says. It is made where the last method stands, so that all of them may use what is defined
// above. Where all methods take the same number of arguments, so does it; else it takes any, and passes them on in a
// vector.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/definitions.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/laziness.h"
#include "compiler/analyze/matching.h"
#include "compiler/language/form_identity.h"
#include "compiler/language/form_questions.h"
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ptc {
namespace {

constexpr std::uint32_t kMostArguments = 6;
constexpr std::size_t kMostMethods = 2'000; ///< each is tried behind those before it, a level of the tree

/// What a multimethod is called with: so many variables, or one that has them all.
struct Arguments {
    std::vector<Local*> locals;
    bool are_packed = false;
};

/// A call of `function` with them.
Node* applied(Analyzer& a, Node* function, const Arguments& arguments, Span span, Tail tail) {
    NodeList parts(a.nodes);
    parts.add(function);
    for (Local* local : arguments.locals)
        parts.add(a.nodes.reference(local, span));
    Node* node = a.nodes.make(arguments.are_packed ? NodeKind::Apply : NodeKind::Invoke, span, tail);
    node->children = parts.take();
    return node;
}

/// Whether a call whose head is this form can be written out with so many arguments. What takes another number of them,
/// or is no function at all, is an error where the multimethod is called, and none where it never is.
bool may_be_head(Analyzer& a, const Form& dispatch, std::size_t count) {
    if (dispatch.is(FormKind::Keyword)) return count <= 2;
    if (dispatch.is(FormKind::Map) || dispatch.is(FormKind::Set)) return count == 1;
    if (!dispatch.is(FormKind::Symbol)) return dispatch.is(FormKind::List) && dispatch.size > 0;
    const Resolved name = a.names.resolve(dispatch, false);
    switch (name.kind) {
    case Resolved::Local:
    case Resolved::Global: return true;
    case Resolved::Known: return find_arity(name.global->known, count) != nullptr;
    case Resolved::Core: return name.name->core->arity(count) != nullptr;
    case Resolved::Builtin: return name.name->arity.accepts(count);
    default: return false;
    }
}

/// (head argument ..)
Form call_of_names(Analyzer& a, const Form& head, const Arguments& arguments, Span span) {
    const std::size_t size = arguments.locals.size() + 1;
    auto* parts = a.nodes.allocate<Form>(size);
    std::construct_at(&parts[0], head);
    for (std::size_t i = 1; i < size; ++i) {
        const std::string_view hidden = a.nodes.keep_text(" argument" + std::to_string(i));
        a.names.bind(hidden, arguments.locals[i - 1]);
        std::construct_at(&parts[i], hidden_name(hidden, span));
    }
    return call_of({parts, size}, head.span);
}

/// What the dispatch function gives for them.
Node* dispatched(Analyzer& a, const Form& dispatch, const Arguments& arguments, Span span) {
    const std::size_t count = arguments.locals.size();
    const Binding* const scope = a.at.site.scope;
    Node* node = nullptr;
    if (const Lambda* const lambda = arguments.are_packed ? nullptr : literal_lambda(a, dispatch)) {
        const bool fits = std::ranges::any_of(lambda->clauses, [&](const FnClause& c) { return c.accepts(count); });
        node = fits ? inline_lambda(a, *lambda, call_of_names(a, dispatch, arguments, span), kValue)
                    : applied(a, fn_value(a, *lambda, kValue), arguments, span, kValue);
    } else if (!arguments.are_packed && may_be_head(a, dispatch, count)) {
        node = a.analyze(call_of_names(a, dispatch, arguments, span), kValue);
    } else {
        node = applied(a, a.analyze(dispatch, kValue), arguments, span, kValue);
    }
    a.at.site.scope = scope;
    return node;
}

/// The parameters of (defmethod name value method-name? [params] body ..), if it has one arity without a rest.
std::optional<std::uint32_t> fixed_arity(const Form& method) {
    FormSpan parts = method.items().subspan(3);
    if (!parts.empty() && parts[0].is(FormKind::Symbol)) parts = parts.subspan(1);
    if (parts.size() == 1 && parts[0].is(FormKind::List)) parts = parts[0].items(); // ([params] body ..)
    if (parts.empty() || !parts[0].is(FormKind::Vector)) return std::nullopt;
    const FormSpan params = parts[0].items();
    if (std::any_of(params.begin(), params.end(), [](const Form& param) { return param.is_symbol("&"); }))
        return std::nullopt;
    return static_cast<std::uint32_t>(params.size());
}

/// How many arguments all methods take; nothing where they differ, or there are none.
std::optional<std::uint32_t> common_arity(const Multimethod& multi) {
    if (!multi.first) return std::nullopt;
    const std::optional<std::uint32_t> count = fixed_arity(*multi.first->form);
    for (const Multimethod::Method* method = multi.first; method; method = method->next) {
        if (fixed_arity(*method->form) != count) return std::nullopt;
    }
    return count && *count > 0 && *count <= kMostArguments ? count : std::nullopt;
}

/// (defmethod name value method-name? [params] body ..) taken apart; without clauses where it is wrong.
Lambda method_lambda(Analyzer& a, const Form& form) {
    FormSpan parts = form.items().subspan(3);
    std::string_view name;
    if (parts[0].is(FormKind::Symbol) && parts.size() > 1) {
        name = parts[0].text();
        parts = parts.subspan(1);
    }
    Lambda lambda{{}, a.span_of(form), read_clauses(a, parts, *a.special_of(form)), a.at.site};
    lambda.name = name;
    return lambda;
}

/// A call of the method: its body, where it is one function of the multimethod's own parameters.
Node* method_call(Analyzer& a, const Form& form, const Arguments& arguments) {
    const Span span = a.span_of(form);
    const Lambda lambda = method_lambda(a, form);
    if (lambda.clauses.empty()) return a.nodes.nil(span, kFunctionTail);
    const bool fits = lambda.clauses.size() == 1 && lambda.clauses[0].accepts(arguments.locals.size());
    if (!arguments.are_packed && fits && lambda.name.empty()) {
        const Binding* const scope = a.at.site.scope;
        Node* body = inline_lambda(a, lambda, call_of_names(a, form, arguments, span), kFunctionTail);
        a.at.site.scope = scope;
        return body;
    }
    Node* node = fn_value(a, lambda, kValue);
    if (node->function->name.empty()) node->function->name = form.items()[1].text();
    return applied(a, node, arguments, span, kFunctionTail);
}

/// Whether the method is that of all values without one: of :default, or of what the definition names instead.
bool is_default(const Form& method, const MultimethodParts& parts) {
    const Form& value = method.items()[2];
    if (parts.default_value) return same_form(value, *parts.default_value);
    return value.is(FormKind::Keyword) && value.text() == "default";
}

/// Whether every method is that of a value that is written out.
bool has_literal_values(const Multimethod& multi) {
    for (const Multimethod::Method* method = multi.first; method; method = method->next) {
        if (!is_constant_literal(method->form->items()[2])) return false;
    }
    return true;
}

/// The method whose value is what the dispatch function gave; :default behind all others.
Node* choose_method(Analyzer& a, const Multimethod& multi, const Matched& value, const Arguments& arguments,
                    Span span) {
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
        if (spans.size() > kMostMethods) {
            a.reports.stop(program_too_large(spans.back(), "methods of a multimethod", kMostMethods));
            return a.nodes.unread(span);
        }
        Node* test = value.equals(wanted);
        nodes.add(test);
        Node* result = method_call(a, form, arguments);
        nodes.add(result);
    }
    Node* node = nullptr;
    if (otherwise) {
        node = method_call(a, *otherwise, arguments);
    } else {
        const std::string text = "No method in multimethod '" + std::string(multi.name) + "' for dispatch value: ";
        Node* shown = a.nodes.native_call("pr-str", span, kValue, {value.whole(span)});
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
    const std::optional<std::uint32_t> arity = common_arity(multi);
    Arguments arguments;
    arguments.are_packed = !arity;
    for (std::uint32_t i = 0; i < arity.value_or(1); ++i)
        arguments.locals.push_back(a.nodes.new_local(arity ? "argument" : "arguments", span));
    if (arity && a.names.lazy_escapes()) {
        for (Local* local : arguments.locals)
            local->laziness = static_cast<std::uint8_t>(Laziness::Maybe);
    }
    function->variadic = !arity;
    function->params = arguments.locals;
    function->fixed = arity.value_or(0);
    Let let(a.nodes);
    const Matched value(a, dispatched(a, *multimethod_parts(form).dispatch, arguments, span), has_literal_values(multi),
                        let);
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
