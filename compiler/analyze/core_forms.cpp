// What only core code has (fold%, break%, update%, key-call% ..). The core library is ours, so the shapes of these
// forms are not checked. fold% and update% are the loops and updates in place that core functions are made of; the
// others choose a branch while compiling, by what is known of an argument.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/calls.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/fusion.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/loop_scope.h"
#include "compiler/analyze/split_accumulators.h"
#include "compiler/analyze/transducers.h"
#include "compiler/prelude/prelude_scope.h"
#include <algorithm>
#include <optional>
#include <utility>

namespace ptc {

// (fold% [acc init item coll index?] body)
Node* fold_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan spec = list.items()[1].items();
    Node* init = a.analyze(spec[1], kValue);
    Node* coll = a.analyze(spec[3], kValue);
    Node* node = a.nodes.fold(a.at.core_name, init, coll, span, tail);
    const Binding* const scope = a.at.site.scope;
    Local* locals[3];
    std::size_t count = 0;
    for (const std::size_t at : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
        if (at >= spec.size()) break;
        Local* local = a.nodes.new_local(spec[at].text(), span);
        locals[count++] = local;
        a.names.bind(local->name, local);
    }
    node->locals = a.nodes.copy(std::span<Local* const>(locals, count));
    Node* const outer_fold = a.at.fold;
    a.at.fold = node;
    LoopScope loop(a);
    node->children[2] = a.analyze_body(list.items().subspan(2), span, kValue);
    a.at.fold = outer_fold;
    a.at.site.scope = scope;
    return loop.finish(split_accumulator(a, fused_fold(a, node)), tail);
}

// (fold-first% [acc item coll] none step): the accumulator begins with the first item
Node* fold_first_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items();
    const FormSpan spec = parts[1].items();
    Node* coll = a.analyze(spec[2], kValue);
    Node* none = a.analyze(parts[2], kValue);
    Node* node = a.nodes.fold(a.at.core_name, nullptr, nullptr, span, tail);
    const Binding* const scope = a.at.site.scope;
    Local* const locals[2] = {a.nodes.new_local(spec[0].text(), span), a.nodes.new_local(spec[1].text(), span)};
    for (Local* local : locals)
        a.names.bind(local->name, local);
    node->locals = a.nodes.copy(std::span<Local* const>(locals));
    Node* const outer_fold = a.at.fold;
    a.at.fold = node;
    LoopScope loop(a);
    node->children[2] = a.analyze(parts[3], kValue);
    a.at.fold = outer_fold;
    a.at.site.scope = scope;
    return loop.finish(fold_from_first(a, node, coll, none, span, tail), tail);
}

// (no-text% name coll), which needs no question where the text shows a vector
Node* no_text_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    Node* coll = a.analyze(list.items()[2], kValue);
    if (a.environment.fuse && is_plain_vector(coll)) return coll;
    Let let(a.nodes);
    Local* given = let.temporary(coll);
    const auto use = [&] { return a.nodes.reference(given, span); };
    Node* refused =
        a.nodes.native_call("refuse%", span, kValue,
                            {a.analyze(list.items()[1], kValue), a.nodes.literal(bits::from_integer(2), span, kValue),
                             a.nodes.string("a vector, map or set", span, kValue), use()});
    Node* test = a.nodes.native_call("string?", span, kValue, {use()});
    return let.finish(a.nodes.make_if(test, refused, use(), span, kValue), span, tail);
}

Node* break_form(Analyzer& a, const Form& list, Tail tail) {
    Node* node = a.nodes.make(NodeKind::Break, a.span_of(list), tail, {a.analyze(list.items()[1], kValue)});
    node->target = a.at.fold;
    return node;
}

// (new-atom% x), (deref% a), (take-atom% a), (reset-atom% a x)
Node* atom_form(Analyzer& a, const Form& list, Tail tail) {
    constexpr std::string_view kOperations[] = {"new-atom%", "deref%", "take-atom%", "reset-atom%"};
    const auto* found = std::find(std::begin(kOperations), std::end(kOperations), list.items()[0].text());
    Node* node = a.nodes.make(NodeKind::AtomOp, a.span_of(list), tail);
    node->index = static_cast<std::uint32_t>(found - std::begin(kOperations));
    return analyze_arguments(a, node, list.items().subspan(1));
}

// (until-reduced% step), the next accumulator of the nearest fold%
Node* until_reduced_form(Analyzer& a, const Form& list, Tail) {
    Node* const left = a.at.leave;
    a.at.leave = a.at.fold;
    Node* node = until_reduced(a, a.analyze(list.items()[1], kStepTail), a.span_of(list));
    a.at.leave = left;
    return node;
}

// (fork% pmap f columns), (fork% pcalls nil columns)
Node* fork_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items();
    Node* function = a.analyze(parts[2], kValue);
    Node* node = a.nodes.make(NodeKind::Fork, a.span_of(list), tail, {function, a.analyze(parts[3], kValue)});
    node->index = parts[1].is_symbol("pcalls") ? 1 : 0;
    return node;
}

// (update% [old coll key] body)
Node* update_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan spec = list.items()[1].items();
    Node* coll = a.analyze(spec[1], kValue);
    Node* key = a.analyze(spec[2], kValue);
    const Binding* const scope = a.at.site.scope;
    Local* old = a.nodes.new_local(spec[0].text(), span);
    a.names.bind(old->name, old);
    Node* body = a.analyze_body(list.items().subspan(2), span, kValue);
    a.at.site.scope = scope;
    Node* node = a.nodes.make(NodeKind::Update, span, tail, {coll, key, body});
    node->locals = a.nodes.copy(std::span<Local* const>(&old, 1));
    node->text = a.at.core_name;
    return node;
}

// (key-call% f x): the functions that pick a field out of rows also take a string for a key and a vector for a path
// (spec 8.1). A vector that is called with a number is the function from its indexes, as everywhere.
Node* key_call_form(Analyzer& a, const Form& list, Tail tail) {
    const Form& function = list.items()[1];
    const Form& item = list.items()[2];
    const Resolved name = a.names.resolve(function);
    const Span span = a.span_of(list);
    Form* call = a.nodes.create<Form>(list);
    call->first = &function;
    call->size = 2;
    const auto field = [&] {
        return a.nodes.native_call("get", span, tail, {a.analyze(item, kValue), value_of(a, name, function, kValue)});
    };
    const auto field_unless_index = [&] {
        Node* is_index = a.nodes.native_call("number?", span, kValue, {a.analyze(item, kValue)});
        Node* indexed = call_name(a, *call, name, tail);
        return a.nodes.make_if(is_index, indexed, field(), span, tail);
    };
    if (name.kind == Resolved::Node && name.node->kind == NodeKind::Constant) {
        const Value constant = Value::adopt(name.node->constant);
        if (constant.is_string())
            return call_keyword(a, a.nodes.literal(name.node->constant, span, kValue), *call, tail);
        return constant.is_vector() ? field_unless_index() : call_name(a, *call, name, tail);
    }
    if (name.kind != Resolved::Local) return call_name(a, *call, name, tail);
    const auto is_a = [&](const char* predicate) {
        return a.nodes.native_call(predicate, span, kValue, {a.nodes.reference(name.local, span)});
    };
    Node* is_string = is_a("string?");
    Node* by_string = field();
    Node* is_vector = is_a("vector?");
    Node* by_path = field_unless_index();
    Node* otherwise = a.nodes.make_if(is_vector, by_path, call_name(a, *call, name, tail), span, tail);
    return a.nodes.make_if(is_string, by_string, otherwise, span, tail);
}

namespace {

/// Whether a comparator sorts downwards, where its name says so.
std::optional<bool> named_order(const Resolved& name) {
    if (name.kind != Resolved::Builtin) return std::nullopt;
    if (name.name->name == "<" || name.name->name == "compare") return false;
    if (name.name->name == ">") return true;
    return std::nullopt;
}

/// The same of one that is written out: #(compare %2 %1), (fn [a b] (> a b)).
std::optional<bool> written_order(Analyzer& a, const Lambda& lambda) {
    if (lambda.clauses.size() != 1) return std::nullopt;
    const FnClause& clause = lambda.clauses[0];
    if (clause.count != 2 || clause.variadic || clause.body.size() != 1 || clause.body[0].size != 3)
        return std::nullopt;
    const Form& call = clause.body[0];
    const FormSpan parts = call.items();
    if (!call.is(FormKind::List) || !std::ranges::all_of(parts, [](const Form& f) { return f.is(FormKind::Symbol); }))
        return std::nullopt;
    const auto is_parameter = [&](const Form& form, std::size_t i) {
        if (clause.params) return clause.params->items()[i].is_symbol(form.text());
        return form.text() == placeholder_name(i) || (i == 0 && form.text() == "%");
    };
    const bool swaps = is_parameter(parts[1], 1) && is_parameter(parts[2], 0);
    if (!swaps && !(is_parameter(parts[1], 0) && is_parameter(parts[2], 1))) return std::nullopt;
    if (is_parameter(parts[0], 0) || is_parameter(parts[0], 1) || parts[0].text() == lambda.name) return std::nullopt;
    const Site here = std::exchange(a.at.site, lambda.site);
    const std::optional<bool> descends = named_order(a.names.resolve(parts[0], false));
    a.at.site = here;
    return descends ? std::optional(*descends != swaps) : std::nullopt;
}

} // namespace

// (comparator-case% f ascending descending other): < and compare sort upwards, > downwards; another function is called.
Node* comparator_case_form(Analyzer& a, const Form& list, Tail tail) {
    const Resolved name = a.names.resolve(list.items()[1]);
    const std::optional<bool> descends =
        name.kind == Resolved::Lambda ? written_order(a, *name.argument->lambda) : named_order(name);
    const std::size_t chosen = !descends ? 4 : *descends ? 3 : 2;
    return a.analyze(list.items()[chosen], tail);
}

// (function-case% x yes no)
Node* function_case_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items();
    const Resolved name = a.names.resolve(parts[1]);
    switch (name.kind) {
    case Resolved::Lambda:
    case Resolved::Builtin:
    case Resolved::Core:
    case Resolved::Known:
    case Resolved::Self: return a.analyze(parts[2], tail);
    case Resolved::Sibling:
        if (name.sibling->clause) return a.analyze(parts[2], tail);
        break;
    case Resolved::Node:
        if (name.node->kind == NodeKind::Constant) {
            const Value constant = Value::adopt(name.node->constant);
            const bool is_called = constant.is_function() || constant.is_keyword() || constant.is_map() ||
                                   constant.is_set() || constant.is_vector();
            return a.analyze(is_called ? parts[2] : parts[3], tail);
        }
        break;
    default: break;
    }
    Node* test = a.nodes.native_call("ifn?", a.span_of(list), kValue, {value_of(a, name, parts[1], kValue)});
    Node* yes = a.analyze(parts[2], tail);
    return a.nodes.make_if(test, yes, a.analyze(parts[3], tail), a.span_of(list), tail);
}

} // namespace ptc
