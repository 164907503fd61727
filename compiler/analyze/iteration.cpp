// for, doseq, dotimes and while. The first two are nested Folds over one accumulator, the vector of results or nil.
//
// Each binding is a Fold over its collection; what follows it, down to the body, is the Fold's body, whose value is the
// next accumulator. :when and :while leave the accumulator as it is, :while by a Break of its binding's Fold.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/fusion.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/loop_scope.h"
#include "compiler/analyze/patterns.h"
#include "runtime/vector.h"
#include <utility>

namespace ptc {
namespace {

bool is_modifier(const Form& form) { return form.is(FormKind::Keyword); }

struct Comprehension {
    FormSpan clauses;
    FormSpan body;
    bool collect = false; ///< for; else doseq
    Span span;
};

/// [name coll modifier value ..]: every pair is checked before anything is built.
bool check_clauses(Analyzer& a, const Form& vector, const Form& list) {
    const SpecialForm& special = *a.special_of(list);
    const auto fails = [&](const Form& where, const char* what) {
        a.report(bad_form(a.span_of(where), special, what));
        return false;
    };
    const auto misplaced = [&](const Form& where, std::string_view what) {
        Error error = bad_form(a.span_of(where), special, what);
        error.reason = Reason::InvalidArity;
        a.report(std::move(error));
        return false;
    };
    if (!vector.is(FormKind::Vector)) return misplaced(vector, "bindings stand in a vector: [name coll]");
    if (vector.size == 0) return fails(vector, "it needs a binding: [name coll]");
    if (vector.size % 2 != 0)
        return fails(vector.items().back(), "bindings are pairs of name and collection; the last part stands alone");
    if (is_modifier(vector.items()[0]))
        return fails(vector.items()[0], "a modifier follows a binding: [name coll :when test]");
    for (std::size_t i = 0; i < vector.size; i += 2) {
        const Form& name = vector.items()[i];
        const Form& value = vector.items()[i + 1];
        if (is_modifier(name)) {
            if (name.text() == "let") {
                if (!value.is(FormKind::Vector)) return fails(value, "`:let` takes a vector: :let [name value]");
                if (value.size % 2 != 0) return fails(value, "`:let` takes pairs of name and value");
            } else if (name.text() != "when" && name.text() != "while") {
                return fails(name, "the modifiers are `:when`, `:while` and `:let`");
            }
            continue;
        }
        if (value.kind < FormKind::Symbol && !value.is(FormKind::Nil) && !value.is(FormKind::String)) {
            return misplaced(value, "it goes through a collection, not through " + describe_form(value));
        }
    }
    return true;
}

Node* comprehend(Analyzer& a, const Comprehension& it, std::size_t at, Local* accumulator, Node* enclosing);

/// The Fold of the binding at `at`, with everything after it as its body.
Node* comprehend_fold(Analyzer& a, const Comprehension& it, std::size_t at, Node* init, Tail tail) {
    const Form& pattern = it.clauses[at];
    const Binding* const scope = a.at.site.scope;
    Node* coll = analyze_realized(a, it.clauses[at + 1], kValue, "A loop");
    Node* node = a.nodes.fold(it.collect ? "for" : "doseq", init, coll, it.span, tail);
    Local* accumulator = a.nodes.new_local("", it.span);
    Local* item = a.nodes.new_local(is_binding_name(pattern) ? pattern.text() : std::string_view(), a.span_of(pattern));
    Local* const locals[2] = {accumulator, item};
    node->locals = a.nodes.copy(std::span<Local* const>(locals));
    LoopScope loop(a);
    Let let(a.nodes);
    if (is_binding_name(pattern))
        a.names.bind(pattern.text(), item);
    else
        destructure(a, pattern, a.nodes.reference(item, a.span_of(pattern)), let);
    Node* body = comprehend(a, it, at + 2, accumulator, node);
    node->children[2] = let.finish(body, it.span, kValue);
    a.at.site.scope = scope;
    return loop.finish(fused_fold(a, node), tail);
}

/// What follows the clause before `at`, as the next value of the accumulator.
Node* comprehend(Analyzer& a, const Comprehension& it, std::size_t at, Local* accumulator, Node* enclosing) {
    ++a.at.depth;
    const auto done = [&a](Node* node) {
        --a.at.depth;
        return node;
    };
    if (a.stop_at_limits(it.span)) return done(a.nodes.nil(it.span));
    if (at == it.clauses.size()) {
        if (!it.collect) {
            NodeList parts(a.nodes);
            a.analyze_all(it.body, parts);
            parts.add(a.nodes.nil(it.span));
            Node* body = a.nodes.make(NodeKind::Do, it.span);
            body->children = parts.take();
            return done(body);
        }
        Node* value = a.analyze_body(it.body, it.span, kValue);
        return done(a.nodes.native_call("conj", it.span, kValue, {a.nodes.reference(accumulator, it.span), value}));
    }
    const Form& name = it.clauses[at];
    const Form& value = it.clauses[at + 1];
    if (!is_modifier(name)) return done(comprehend_fold(a, it, at, a.nodes.reference(accumulator, it.span), kValue));
    if (name.text() == "let") {
        const Binding* const scope = a.at.site.scope;
        Let let(a.nodes);
        for (std::size_t i = 0; i < value.size; i += 2) {
            Node* bound = a.analyze(value.items()[i + 1], kValue);
            destructure(a, value.items()[i], bound, let);
        }
        Node* body = comprehend(a, it, at + 2, accumulator, enclosing);
        a.at.site.scope = scope;
        return done(let.finish(body, it.span, kValue));
    }
    Node* test = a.analyze(value, kValue);
    Node* yes = comprehend(a, it, at + 2, accumulator, enclosing);
    Node* no = a.nodes.reference(accumulator, it.span);
    if (name.text() == "while") {
        no = a.nodes.make(NodeKind::Break, a.span_of(value), kValue, {no});
        no->target = enclosing;
    }
    return done(a.nodes.make_if(test, yes, no, a.span_of(value), kValue));
}

Node* comprehension(Analyzer& a, const Form& list, Tail tail, bool collect) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items();
    if (collect ? !a.check_parts(list, 2, SIZE_MAX) : !a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    if (!check_clauses(a, parts[1], list)) return a.nodes.nil(span, tail);
    const Comprehension it{parts[1].items(), parts.subspan(2), collect, span};
    Node* init = collect ? a.nodes.literal(empty_vector().give_up(), span, kValue) : a.nodes.nil(span);
    return comprehend_fold(a, it, 0, init, tail);
}

} // namespace

Node* for_form(Analyzer& a, const Form& list, Tail tail) {
    const std::optional<Form> by_need = endless_for(a, list);
    return by_need ? a.analyze(*by_need, tail) : comprehension(a, list, tail, true);
}
Node* doseq_form(Analyzer& a, const Form& list, Tail tail) { return comprehension(a, list, tail, false); }

namespace {

/// What is done each round, then `again`.
Node* round_of(Analyzer& a, FormSpan body, Node* again, Span span, Tail tail) {
    NodeList parts(a.nodes);
    a.analyze_all(body, parts);
    parts.add(again);
    Node* node = a.nodes.make(NodeKind::Do, span, tail);
    node->children = parts.take();
    return node;
}

} // namespace

// (while test body ..)
Node* while_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    RecurTarget* const outer = std::exchange(a.at.recur, nullptr); // a recur in it stands in no last place
    Node* loop = a.nodes.make(NodeKind::Loop, span, tail);
    LoopScope scope(a);
    Node* test = a.analyze(list.items()[1], kValue);
    Node* again = a.nodes.make(NodeKind::Recur, span, tail);
    again->target = loop;
    Node* body = round_of(a, list.items().subspan(2), again, span, tail);
    a.at.recur = outer;
    Node* inner = a.nodes.make(NodeKind::If, span, tail, {test, body, a.nodes.nil(span, tail)});
    Let none(a.nodes);
    return scope.finish(none.finish(inner, span, tail, loop), tail);
}

// (dotimes [name n] body ..): name counts from 0.
Node* dotimes_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    const Form& binding = list.items()[1];
    if (!binding.is(FormKind::Vector) || binding.size != 2 || !is_binding_name(binding.items()[0]))
        return a.failed(bad_form(a.span_of(binding), *a.special_of(list), "it binds one name to a number: [i 10]"));
    const Binding* const names = a.at.site.scope;
    Let count(a.nodes);
    Local* end = count.temporary(a.nodes.native_call("int", span, kValue, {a.analyze(binding.items()[1], kValue)}));
    RecurTarget* const outer = std::exchange(a.at.recur, nullptr);
    Node* loop = a.nodes.make(NodeKind::Loop, span, tail);
    LoopScope scope(a);
    Let let(a.nodes);
    Local* index = a.nodes.new_local(binding.items()[0].text(), a.span_of(binding.items()[0]));
    let.add(index, a.nodes.literal(bits::from_integer(0), span, kValue));
    a.names.bind(index->name, index);
    Node* test = a.nodes.native_call("<", span, kValue, {a.nodes.reference(index, span), a.nodes.reference(end, span)});
    Node* again = a.nodes.make(NodeKind::Recur, span, tail);
    again->target = loop;
    Node* body = round_of(a, list.items().subspan(2), again, span, tail);
    Node* next = a.nodes.native_call("inc", span, kValue, {a.nodes.reference(index, span)});
    again->children = a.nodes.copy(std::span<Node* const>(&next, 1));
    a.at.recur = outer;
    a.at.site.scope = names;
    Node* inner = a.nodes.make(NodeKind::If, span, tail, {test, body, a.nodes.nil(span, tail)});
    Node* rounds = scope.finish(let.finish(inner, span, tail, loop), tail);
    return count.finish(rounds, span, tail);
}

} // namespace ptc
