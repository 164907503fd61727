// let, loop, recur and letfn. A loop whose body never recurs is a let.
//
// The variables of a loop get new values by recur, so each is a variable of its own even when its first value is a
// constant. With patterns a loop has one variable for each pattern, which the body takes apart at the start of every
// round.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/cursors.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/held_fronts.h"
#include "compiler/analyze/loop_scope.h"
#include "compiler/analyze/loop_tests.h"
#include "compiler/analyze/patterns.h"
#include "compiler/analyze/sequences.h"
#include "compiler/analyze/transducers.h"
#include "compiler/analyze/update_path.h"

namespace ptc {
namespace {

bool is_number(const Form& form) {
    return form.is(FormKind::Integer) || form.is(FormKind::BigInteger) || form.is(FormKind::Float);
}

// [a b]
bool is_pair_of_names(const Form& pattern) {
    return pattern.is(FormKind::Vector) && pattern.size == 2 && is_binding_name(pattern.items()[0]) &&
           is_binding_name(pattern.items()[1]);
}

/// `form` is a vector of pairs; reports what it is instead.
bool check_bindings(Analyzer& a, const Form& form, const Form& list) {
    const SpecialForm* special = a.special_of(list);
    if (!form.is(FormKind::Vector)) {
        a.report(bad_form(a.span_of(form), *special, "bindings stand in a vector: [name value]"));
        return false;
    }
    if (form.size % 2 != 0) {
        a.report(
            bad_form(a.span_of(form), *special, "bindings are pairs of name and value; the last name has no value"));
        return false;
    }
    for (std::size_t i = 0; i < form.size; i += 2) {
        const Form& value = form.items()[i + 1];
        if (!form.items()[i].is(FormKind::Map) || !is_number(value)) continue;
        Error error = bad_shape(a.span_of(value), "A number has no keys: a map pattern takes a map apart.", {});
        error.reason = Reason::DestructureError;
        a.report(std::move(error));
        return false;
    }
    return true;
}

/// Of a variable of a loop that begins with a sequence by need: what it has later may be one.
std::uint8_t in_loop(Laziness first) {
    return static_cast<std::uint8_t>(first == Laziness::None ? Laziness::None : Laziness::Maybe);
}

/// A complete Loop that recurs, with less to do in each round.
Node* quicker_loop(Analyzer& a, Node* loop, Tail tail) {
    const Span span = loop->span;
    Let around(a.nodes);
    take_out_of_test(a, *loop, around);
    return around.finish(with_cursors(a, loop, tail), span, tail & kFunctionTail);
}

Node* plain_loop(Analyzer& a, const Form& list, Tail tail, RecurTarget& target) {
    const FormSpan bindings = list.items()[1].items();
    Let let(a.nodes);
    for (std::size_t i = 0; i < bindings.size() && !a.reports.stopped(); i += 2) {
        const Laziness laziness = laziness_of(a, bindings[i + 1]);
        Node* value = a.analyze(first_of_loop(a, bindings[i], bindings[i + 1], list.items().subspan(2)), kValue);
        Local* local = a.nodes.new_local(bindings[i].text(), bindings[i].span);
        local->laziness = in_loop(laziness);
        let.add(local, value);
        a.names.bind(local->name, local);
    }
    a.at.recur = &target;
    LoopScope loop(a);
    Node* body = a.analyze_body(list.items().subspan(2), a.span_of(list), static_cast<Tail>(tail | kRecurTail));
    Node* node = let.finish(body, a.span_of(list), tail, target.loop);
    return loop.finish(target.used ? quicker_loop(a, node, tail) : node, tail);
}

/// With patterns the first values are taken apart twice: once because later values may use the parts, and in each
/// round.
Node* pattern_loop(Analyzer& a, const Form& list, Tail tail, RecurTarget& target) {
    const Span span = a.span_of(list);
    const FormSpan bindings = list.items()[1].items();
    const Binding* const scope = a.at.site.scope;
    Let first(a.nodes);
    std::vector<Local*> values;
    for (std::size_t i = 0; i < bindings.size() && !a.reports.stopped(); i += 2) {
        const Laziness laziness = laziness_of(a, bindings[i + 1]);
        const Form begin = first_of_loop(a, bindings[i], bindings[i + 1], list.items().subspan(2));
        Local* value = first.temporary(a.analyze(begin, kValue));
        value->laziness = in_loop(laziness);
        values.push_back(value);
        if (is_binding_name(bindings[i]))
            a.names.bind(bindings[i].text(), value);
        else
            destructure(a, bindings[i], a.nodes.reference(value, value->span), first);
    }
    a.at.site.scope = scope;
    a.at.recur = &target;
    LoopScope loop(a);
    Let variables(a.nodes);
    for (std::size_t i = 0; i < bindings.size() && !a.reports.stopped(); i += 2) {
        const Form& pattern = bindings[i];
        Local* variable =
            a.nodes.new_local(is_binding_name(pattern) ? pattern.text() : std::string_view(), pattern.span);
        variable->laziness = values[i / 2]->laziness;
        variables.add(variable, a.nodes.reference(values[i / 2], values[i / 2]->span));
        values[i / 2] = variable;
    }
    Let parts(a.nodes);
    for (std::size_t i = 0; i < bindings.size() && !a.reports.stopped(); i += 2) {
        const Form& pattern = bindings[i];
        if (is_binding_name(pattern))
            a.names.bind(pattern.text(), values[i / 2]);
        else
            destructure(a, pattern, a.nodes.reference(values[i / 2], pattern.span), parts);
    }
    Node* body = a.analyze_body(list.items().subspan(2), span, static_cast<Tail>(tail | kRecurTail));
    body = parts.finish(body, span, tail);
    Node* node = variables.finish(body, span, tail, target.loop);
    if (target.used) node = quicker_loop(a, node, tail);
    return loop.finish(first.finish(node, span, tail), tail);
}

} // namespace

Node* let_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    const Form& bindings = list.items()[1];
    if (!check_bindings(a, bindings, list)) return a.nodes.nil(a.span_of(list), tail);
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    for (std::size_t i = 0; i < bindings.size && !a.reports.stopped(); i += 2) {
        const Form& pattern = bindings.items()[i];
        const Laziness laziness = laziness_of(a, bindings.items()[i + 1]);
        const bool is_sequence = is_binding_name(pattern) && gives_sequence(a, bindings.items()[i + 1]);
        hold_fronts(a, bindings.items()[i + 1], let);
        const Laziness rest = is_pair_of_names(pattern) ? laziness_of_rest(a, bindings.items()[i + 1]) : Laziness::None;
        Node* value = rest != Laziness::None ? call_keeping_rest(a, bindings.items()[i + 1])
                                             : a.analyze(bindings.items()[i + 1], kValue);
        if (laziness != Laziness::None && pattern.is(FormKind::Vector)) {
            Local* whole = let.temporary(value);
            whole->laziness = static_cast<std::uint8_t>(laziness);
            value = a.nodes.reference(whole, whole->span);
        }
        destructure(a, pattern, value, let);
        if (laziness != Laziness::None) note_laziness(a, pattern, laziness);
        if (rest != Laziness::None) note_laziness(a, pattern.items()[1], rest);
        if (is_sequence) note_sequence(a, pattern);
        note_path(a, pattern, value);
        note_transducer(a, pattern, bindings.items()[i + 1]);
    }
    Node* body = a.analyze_body(list.items().subspan(2), a.span_of(list), tail);
    a.at.site.scope = scope;
    return let.finish(body, a.span_of(list), tail);
}

Node* loop_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    const Form& bindings = list.items()[1];
    if (!check_bindings(a, bindings, list)) return a.nodes.nil(span, tail);
    bool patterns = false;
    for (std::size_t i = 0; i < bindings.size; i += 2)
        patterns = patterns || !is_binding_name(bindings.items()[i]);
    const Binding* const scope = a.at.site.scope;
    RecurTarget* const outer = a.at.recur;
    RecurTarget target{a.nodes.make(NodeKind::Loop, span, tail), bindings.size / 2};
    Node* result = patterns ? pattern_loop(a, list, tail, target) : plain_loop(a, list, tail, target);
    a.at.recur = outer;
    a.at.site.scope = scope;
    if (!target.used) target.loop->kind = NodeKind::Let;
    return result;
}

Node* recur_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan arguments = list.items().subspan(1);
    if ((tail & kRecurTail) == 0 || !a.at.recur) {
        if (!check_dropped(a, arguments)) return a.nodes.nil(span, tail);
        return a.failed(misplaced_recur(span, a.at.recur != nullptr));
    }
    if (a.at.recur->around && !a.at.site.core) {
        if (!check_dropped(a, arguments)) return a.nodes.nil(span, tail);
        return a.failed(recur_inside(span, a.at.recur->around));
    }
    if (arguments.size() != a.at.recur->count) {
        if (!check_dropped(a, arguments)) return a.nodes.nil(span, tail);
        return a.failed(wrong_recur(span, a.at.recur->count, arguments.size(), a.at.recur->loop != nullptr));
    }
    RecurTarget& target = *a.at.recur;
    target.used = true;
    Node* node = a.nodes.make(NodeKind::Recur, span, tail);
    analyze_arguments(a, node, arguments);
    node->target = target.loop;
    return node;
}

namespace {

/// The functions of a letfn, (name [params] body ..) each; empty after a report.
std::vector<Lambda> read_functions(Analyzer& a, const Form& list) {
    const Form& bindings = list.items()[1];
    std::vector<Lambda> lambdas;
    for (const Form& function : bindings.items()) {
        const bool is_named = function.is(FormKind::List) && function.size > 1 && is_binding_name(function.items()[0]);
        if (!is_named) {
            a.report(bad_form(a.span_of(function), *a.special_of(list), "a function is written (name [x] body)"));
            return {};
        }
        const auto clauses = read_clauses(a, function.items().subspan(1), *a.special_of(list));
        if (clauses.empty()) return {};
        lambdas.push_back({function.items()[0].text(), a.span_of(function), clauses, {}});
    }
    return lambdas;
}

} // namespace

// (letfn [(f [x] ..) (g [y] ..)] body ..): the functions share one list of captures, so that each can make any of the
// others from its own closure. None holds another one: values are acyclic.
Node* letfn_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    const Form& bindings = list.items()[1];
    if (!bindings.is(FormKind::Vector))
        return a.failed(
            bad_form(a.span_of(bindings), *a.special_of(list), "functions stand in a vector: [(f [x] ..)]"));
    std::vector<Lambda> lambdas = read_functions(a, list);
    if (lambdas.size() != bindings.size) return a.nodes.nil(span, tail);
    const Binding* const scope = a.at.site.scope;
    std::vector<Function*> functions;
    for (const Lambda& lambda : lambdas) {
        Function* first = declare_function(a, lambda, lambda.name);
        functions.push_back(first);
        for (Function* arity = first; arity; arity = arity->next_arity)
            arity->family = functions[0];
        Binding self;
        self.name = lambda.name;
        self.kind = BindingKind::Self;
        self.self = first;
        a.names.bind(self);
    }
    for (std::size_t i = 0; i < lambdas.size() && !a.reports.stopped(); ++i) {
        lambdas[i].name = {};
        lambdas[i].site = a.at.site;
        fn_bodies(a, *functions[i], lambdas[i]);
    }
    a.at.site.scope = scope;
    if (a.reports.stopped()) return a.nodes.unread(span);
    a.nodes.share_captures(functions);
    Let let(a.nodes);
    for (Function* function : functions) {
        Node* value = a.nodes.make(NodeKind::Fn, function->span);
        value->function = function;
        Local* local = a.nodes.new_local(function->name, function->span);
        let.add(local, value);
        a.names.bind(local->name, local);
    }
    Node* body = a.analyze_body(list.items().subspan(2), span, tail);
    a.at.site.scope = scope;
    return let.finish(body, span, tail);
}

} // namespace ptc
