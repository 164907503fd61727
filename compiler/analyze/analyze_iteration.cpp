// for and doseq: nested Folds over one accumulator, the vector of results or nil.
#include "compiler/analyze/analysis.h"

namespace ptc {
namespace {

bool is_modifier(const Form& form) { return form.is(FormKind::Keyword); }

} // namespace

/// [name coll modifier value ..]: every pair is checked before anything is built.
bool Analyzer::check_clauses(const Form& vector, const Form& list) {
    const SpecialForm& special = *special_of(list);
    const auto fails = [&](const Form& where, const char* what) {
        report(bad_form(span_of(where), special, what));
        return false;
    };
    const auto misplaced = [&](const Form& where, std::string_view what) {
        Error error = bad_form(span_of(where), special, what);
        error.reason = Reason::InvalidArity;
        report(std::move(error));
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

Node* Analyzer::comprehension(const Form& list, Place place, bool collect) {
    const Span span = span_of(list);
    const FormSpan parts = list.items();
    if (collect ? !check_parts(list, 2, SIZE_MAX) : !check_parts(list, 1, SIZE_MAX)) return nil(span, place);
    if (!check_clauses(parts[1], list)) return nil(span, place);
    const Comprehension it{parts[1].items(), parts.subspan(2), collect, span};
    Node* init = collect ? literal(empty_vector_bits(), span, kValue) : nil(span);
    return comprehend_fold(it, 0, init, place);
}

Node* Analyzer::for_form(const Form& list, Place place) { return comprehension(list, place, true); }
Node* Analyzer::doseq_form(const Form& list, Place place) { return comprehension(list, place, false); }

/// The Fold of the binding at `at`, with everything after it as its body.
Node* Analyzer::comprehend_fold(const Comprehension& it, std::size_t at, Node* init, Place place) {
    const Form& pattern = it.clauses[at];
    const Binding* const scope = site_.scope;
    Node* coll = analyze(it.clauses[at + 1], kValue);
    Node* node = fold(it.collect ? "for" : "doseq", init, coll, it.span, place);
    Local* accumulator = new_local("", it.span);
    Local* item = new_local(is_binding_name(pattern) ? pattern.text() : std::string_view(), span_of(pattern));
    Local* const locals[2] = {accumulator, item};
    node->locals = copy(std::span<Local* const>(locals));
    LoopScope loop(*this);
    Let let(*this);
    if (is_binding_name(pattern))
        push(pattern.text(), item);
    else
        destructure(pattern, reference(item, span_of(pattern)), let);
    Node* body = comprehend(it, at + 2, accumulator, node);
    node->children[2] = let.finish(body, it.span, kValue);
    site_.scope = scope;
    return loop.finish(node, place);
}

/// What follows the clause before `at`, as the next value of the accumulator.
Node* Analyzer::comprehend(const Comprehension& it, std::size_t at, Local* accumulator, Node* enclosing) {
    ++depth_;
    const auto done = [this](Node* node) {
        --depth_;
        return node;
    };
    if (stop_at_limits(it.span)) return done(nil(it.span));
    if (at == it.clauses.size()) {
        if (!it.collect) {
            const std::size_t first = node_stack_.size();
            for (const Form& form : it.body) {
                Node* value = analyze(form, kValue);
                node_stack_.push_back(value);
            }
            node_stack_.push_back(nil(it.span));
            Node* body = make(NodeKind::Do, it.span);
            body->children = take_nodes(first);
            return done(body);
        }
        Node* value = analyze_body(it.body, it.span, kValue);
        return done(builtin_call(native("conj"), it.span, kValue, {reference(accumulator, it.span), value}));
    }
    const Form& name = it.clauses[at];
    const Form& value = it.clauses[at + 1];
    if (!is_modifier(name)) return done(comprehend_fold(it, at, reference(accumulator, it.span), kValue));
    if (name.text() == "let") {
        const Binding* const scope = site_.scope;
        Let let(*this);
        for (std::size_t i = 0; i < value.size; i += 2) {
            Node* bound = analyze(value.items()[i + 1], kValue);
            destructure(value.items()[i], bound, let);
        }
        Node* body = comprehend(it, at + 2, accumulator, enclosing);
        site_.scope = scope;
        return done(let.finish(body, it.span, kValue));
    }
    Node* test = analyze(value, kValue);
    Node* yes = comprehend(it, at + 2, accumulator, enclosing);
    Node* no = reference(accumulator, it.span);
    if (name.text() == "while") {
        no = make(NodeKind::Break, span_of(value), kValue, {no});
        no->target = enclosing;
    }
    return done(make_if(test, yes, no, span_of(value), kValue));
}

} // namespace ptc
