// The recursion: what each kind of form means. Scalars are constants, collections and calls have files of their own.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/calls.h"
#include "compiler/analyze/collections.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/transducers.h"
#include "frontend/work.h"
#include "runtime/function.h"
#include "runtime/number.h"
#include "runtime/regex.h"

namespace ptc {
namespace {

Node* analyze_number(Analyzer& a, const Form& form, Tail tail) {
    switch (form.kind) {
    case FormKind::Integer:
        if (bits::fits_integer(form.integer))
            return a.nodes.literal(bits::from_integer(form.integer), a.span_of(form), tail);
        return a.nodes.literal(make_integer(a.heap, form.integer), a.span_of(form), tail);
    case FormKind::Float: return a.nodes.literal(bits::from_double(form.number), a.span_of(form), tail);
    default: return a.nodes.literal(parse_integer(a.heap, form.text()), a.span_of(form), tail);
    }
}

Node* analyze_regex(Analyzer& a, const Form& form, Tail tail) {
    Result<Value> regex = make_regex(a.heap, form.text());
    // The literal is wrong, nothing has run.
    if (!regex.ok() && regex.error().reason == Reason::RuntimeError) regex.error().reason = Reason::InvalidForm;
    return a.nodes.literal(std::move(regex), a.span_of(form), tail);
}

// #'name
Node* analyze_var(Analyzer& a, const Form& form, Tail tail) {
    Form name = form;
    name.kind = FormKind::Symbol;
    const Resolved meaning = a.names.resolve(name);
    if (meaning.kind == Resolved::Error) return a.nodes.nil(a.span_of(form), tail);
    if (meaning.kind == Resolved::Export || meaning.kind == Resolved::Sibling) return value_of(a, meaning, name, tail);
    return a.nodes.literal(make_var(a.heap, form.text()), a.span_of(form), tail);
}

Node* analyze_symbol(Analyzer& a, const Form& form, Tail tail) {
    return value_of(a, a.names.resolve(form), form, tail);
}

Node* analyze_short_fn(Analyzer& a, const Form& form, Tail tail) {
    const Lambda* lambda = read_short_fn(a, form);
    return lambda ? fn_value(a, *lambda, tail) : a.nodes.nil(a.span_of(form), tail);
}

Node* analyze_nested(Analyzer& a, const Form& form, Tail tail) {
    switch (form.kind) {
    case FormKind::Vector: return analyze_vector(a, form, tail);
    case FormKind::Map: return analyze_map(a, form, tail);
    case FormKind::Set: return analyze_set(a, form, tail);
    default: return analyze_list(a, form, tail);
    }
}

} // namespace

Node* Analyzer::analyze(const Form& form, Tail tail) {
    const Span span = span_of(form);
    if (stop_at_limits(span)) [[unlikely]]
        return nodes.unread(span);
    switch (form.kind) {
    case FormKind::Nil: return nodes.nil(span, tail);
    case FormKind::True: return nodes.literal(bits::kTrue, span, tail);
    case FormKind::False: return nodes.literal(bits::kFalse, span, tail);
    case FormKind::Integer:
    case FormKind::BigInteger:
    case FormKind::Float: return analyze_number(*this, form, tail);
    case FormKind::String: return nodes.string(form.text(), span, tail);
    case FormKind::Keyword: return nodes.keyword(form.text(), span, tail);
    case FormKind::Symbol: return analyze_symbol(*this, form, tail);
    case FormKind::Regex: return analyze_regex(*this, form, tail);
    case FormKind::Var: return analyze_var(*this, form, tail);
    case FormKind::Quote: return quoted_value(form.items()[0], span, tail);
    case FormKind::ShortFn: return analyze_short_fn(*this, form, tail);
    case FormKind::List:
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set: break;
    }
    ++at.depth;
    Node* node = analyze_nested(*this, form, tail);
    --at.depth;
    return node;
}

Node* Analyzer::analyze_body(FormSpan body, Span span, Tail tail) {
    if (body.empty()) return nodes.nil(span, tail);
    if (body.size() == 1) return analyze(body[0], tail);
    NodeList parts(nodes);
    for (const Form& form : body.first(body.size() - 1)) {
        if (work::is_over()) break;
        // A transducer that nobody takes lacks its collection: as at the end of the program.
        const bool is_lost = !at.site.core && !at.function->parent && makes_transducer(*this, form);
        Node* node = analyze(form, is_lost ? kFunctionTail : kValue);
        if (node->kind != NodeKind::Constant && node->kind != NodeKind::LocalRef)
            parts.add(node);
        else
            nodes.discard(node); // no work, no effect
    }
    Node* last = analyze(body.back(), tail);
    if (parts.empty()) return last;
    parts.add(last);
    Node* node = nodes.make(NodeKind::Do, span, tail);
    node->children = parts.take();
    return node;
}

} // namespace ptc
