// if, when, cond, case, condp, the conditional bindings, and, or, do, assert.
//
// All of them become nested Ifs; a test that is a constant leaves one branch. Clauses are analysed in the order in
// which they are written, so that errors and captures are, and the nodes are built from the last one, as each clause
// lies within the one before.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/held_fronts.h"
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/matching.h"
#include "compiler/analyze/patterns.h"
#include "compiler/analyze/sequences.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/form_text.h"
#include "frontend/utf8.h"
#include <algorithm>
#include <utility>

namespace ptc {

namespace {

/// (if test then else?) and, where `swapped`, (if-not test then else?).
Node* two_arms(Analyzer& a, const Form& list, Tail tail, bool swapped) {
    if (!a.check_parts(list, 2, 3)) return a.nodes.nil(a.span_of(list), tail);
    const FormSpan parts = list.items();
    HeldFronts held(a, parts[1]);
    Node* test = a.analyze(parts[1], kValue);
    Node* first = a.analyze(parts[2], tail);
    Node* second = parts.size() == 4 ? a.analyze(parts[3], tail) : a.nodes.nil(a.span_of(list), tail);
    return held.finish(swapped ? a.nodes.make_if(test, second, first, a.span_of(list), tail)
                               : a.nodes.make_if(test, first, second, a.span_of(list), tail),
                       a.span_of(list), tail);
}

} // namespace

Node* if_form(Analyzer& a, const Form& list, Tail tail) { return two_arms(a, list, tail, false); }

Node* if_not_form(Analyzer& a, const Form& list, Tail tail) { return two_arms(a, list, tail, true); }

Node* when_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    HeldFronts held(a, list.items()[1]);
    Node* test = a.analyze(list.items()[1], kValue);
    Node* body = a.analyze_body(list.items().subspan(2), a.span_of(list), tail);
    Node* node = a.nodes.make_if(test, body, a.nodes.nil(a.span_of(list), tail), a.span_of(list), tail);
    return held.finish(node, a.span_of(list), tail);
}

Node* when_not_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    HeldFronts held(a, list.items()[1]);
    Node* test = a.analyze(list.items()[1], kValue);
    Node* body = a.analyze_body(list.items().subspan(2), a.span_of(list), tail);
    Node* node = a.nodes.make_if(test, a.nodes.nil(a.span_of(list), tail), body, a.span_of(list), tail);
    return held.finish(node, a.span_of(list), tail);
}

namespace {

constexpr std::size_t kMostCopied = 64; ///< parts of clauses, each time

/// (cond clause ..) with the last clauses of another one.
Form cond_of(Analyzer& a, const Form& list, FormSpan clauses) {
    Form* items = a.nodes.allocate<Form>(clauses.size() + 1);
    std::construct_at(&items[0], list.items()[0]);
    std::uninitialized_copy(clauses.begin(), clauses.end(), items + 1);
    return call_of({items, clauses.size() + 1}, {clauses.front().span.begin, list.span.end});
}

/// Test and result, which end before `end`.
Span clause_span(const Analyzer& a, FormSpan clauses, std::size_t end) {
    return {a.span_of(clauses[end - 2]).begin, a.span_of(clauses[end - 1]).end};
}

} // namespace

Node* cond_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan clauses = list.items().subspan(1);
    if (clauses.size() % 2 != 0) {
        return a.failed(bad_condition(a.span_of(clauses.back()),
                                      "`cond` takes pairs of test and result; this test has no result.",
                                      "(cond test result :else otherwise)"));
    }
    if (clauses.empty()) return a.nodes.nil(a.span_of(list), tail);
    const std::uint32_t depth = a.at.depth;
    HeldFronts held(a, clauses[0]);
    NodeList parts(a.nodes);
    Node* node = nullptr;
    for (std::size_t i = 0; i < clauses.size() && !node; i += 2, ++a.at.depth) {
        if (a.reports.stopped()) return a.nodes.unread(a.span_of(list));
        if (i > 0 && clauses.size() - i <= kMostCopied && has_fronts(a, clauses[i])) {
            node = a.analyze(cond_of(a, list, clauses.subspan(i)), tail);
            break;
        }
        a.analyze_all(clauses.subspan(i, 1), parts);
        Node* result = a.analyze(clauses[i + 1], tail);
        parts.add(result);
    }
    a.at.depth = depth;
    if (!node) node = a.nodes.nil(a.span_of(list), tail);
    for (std::size_t i = parts.items().size(); i > 0; i -= 2)
        node = a.nodes.make_if(parts[i - 2], parts[i - 1], node, clause_span(a, clauses, i), tail);
    return held.finish(node, a.span_of(list), tail);
}

// ---- case and condp

namespace {

constexpr std::string_view kCondpPredicate = " pred";
constexpr std::string_view kCondpValue = " value";
constexpr std::string_view kCondpGiven = " given";

/// (= constant value)
Node* case_test(Analyzer& a, const Form& constant, const Matched& value) {
    if (!is_constant_literal(constant)) {
        const Span span = a.span_of(constant);
        a.report(
            bad_form(span, *a.special_of_name("case"),
                     "it compares with constants: keywords, strings, numbers, booleans, nil and collections of them, "
                     "or a list of those, not with " +
                         describe_form(constant)));
        return a.nodes.nil(span);
    }
    return value.equals(constant);
}

/// A list of constants: any of them may match.
Node* case_list_test(Analyzer& a, const Form& list, const Form& constants, const Matched& value) {
    if (constants.size == 0) {
        a.report(bad_form(a.span_of(constants), *a.special_of(list), "an empty list of constants matches nothing"));
        return a.nodes.nil(a.span_of(list));
    }
    NodeList tests(a.nodes);
    for (const Form& constant : constants.items()) {
        if (a.reports.stopped()) return a.nodes.unread(a.span_of(constants));
        Node* test = case_test(a, constant, value);
        tests.add(test);
    }
    if (constants.size == 1) return tests[0];
    Node* node = a.nodes.make(NodeKind::Or, a.span_of(constants));
    node->children = tests.take();
    return node;
}

} // namespace

Node* case_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.failed(bad_form(span, *a.special_of(list), "the value is missing"));
    const FormSpan clauses = parts.subspan(1);
    Let let(a.nodes);
    const Matched value(a, a.analyze(parts[0], kValue), true, let);
    const std::uint32_t depth = a.at.depth;
    NodeList nodes(a.nodes);
    for (std::size_t i = 0; i + 1 < clauses.size(); i += 2, ++a.at.depth) {
        if (a.reports.stopped()) return a.nodes.unread(span);
        Node* test = clauses[i].is(FormKind::List) ? case_list_test(a, list, clauses[i], value)
                                                   : case_test(a, clauses[i], value);
        nodes.add(test);
        Node* result = a.analyze(clauses[i + 1], tail);
        nodes.add(result);
    }
    Node* node = clauses.size() % 2 != 0 ? a.analyze(clauses.back(), tail) : a.nodes.nil(span, tail);
    a.at.depth = depth;
    for (std::size_t i = clauses.size() / 2 * 2; i > 0; i -= 2)
        node = a.nodes.make(NodeKind::If, clause_span(a, clauses, i), tail, {nodes[i - 2], nodes[i - 1], node});
    return let.finish(node, span, tail);
}

namespace {

/// A call with names of our own among its parts.
Node* analyze_call(Analyzer& a, std::initializer_list<Form> parts, Span span, Tail tail) {
    auto* items = a.nodes.allocate<Form>(parts.size());
    std::uninitialized_copy(parts.begin(), parts.end(), items);
    return a.analyze(call_of({items, parts.size()}, span), tail);
}

Node* condp_function_clause(Analyzer& a, const Form& list, FormSpan clauses, Tail tail);

/// test result .. default, up to the first `test :>> function`, which is nested below it.
Node* condp_clauses(Analyzer& a, const Form& list, FormSpan clauses, Tail tail) {
    const auto has_function = [&](std::size_t i) {
        return i + 1 < clauses.size() && clauses[i + 1].is(FormKind::Keyword) && clauses[i + 1].text() == ">>";
    };
    const std::uint32_t depth = a.at.depth;
    NodeList nodes(a.nodes);
    std::size_t i = 0;
    for (; i + 1 < clauses.size() && !has_function(i); i += 2, ++a.at.depth) {
        if (a.reports.stopped()) return a.nodes.unread(a.span_of(list));
        const Span where = a.span_of(clauses[i]);
        Node* test = analyze_call(a, {hidden_name(kCondpPredicate, where), clauses[i], hidden_name(kCondpValue, where)},
                                  where, kValue);
        nodes.add(test);
        Node* result = a.analyze(clauses[i + 1], tail);
        nodes.add(result);
    }
    Node* node = nullptr;
    if (has_function(i))
        node = condp_function_clause(a, list, clauses.subspan(i), tail);
    else
        node = i < clauses.size() ? a.analyze(clauses[i], tail) : a.nodes.nil(a.span_of(list), tail);
    a.at.depth = depth;
    for (; i > 0; i -= 2)
        node = a.nodes.make_if(nodes[i - 2], nodes[i - 1], node, clause_span(a, clauses, i), tail);
    return node;
}

/// test :>> function, and the clauses after it: the function is called with what the predicate gave (GAP-S38).
Node* condp_function_clause(Analyzer& a, const Form& list, FormSpan clauses, Tail tail) {
    if (clauses.size() < 3 || a.at.depth > kMaxDepth) {
        return a.failed(bad_form(a.span_of(clauses[1]), *a.special_of(list), "after `:>>` stands a function"));
    }
    const Span where = a.span_of(clauses[0]);
    const Binding* const scope = a.at.site.scope;
    ++a.at.depth;
    Let let(a.nodes);
    Local* given = let.temporary(analyze_call(
        a, {hidden_name(kCondpPredicate, where), clauses[0], hidden_name(kCondpValue, where)}, where, kValue));
    a.names.bind(kCondpGiven, given);
    Node* result = analyze_call(a, {clauses[2], hidden_name(kCondpGiven, where)}, a.span_of(clauses[2]), tail);
    a.at.site.scope = scope;
    Node* others = condp_clauses(a, list, clauses.subspan(3), tail);
    --a.at.depth;
    const Span span{where.begin, a.span_of(clauses[2]).end};
    return let.finish(a.nodes.make_if(a.nodes.reference(given, where), result, others, span, tail), span, tail);
}

} // namespace

// (condp pred value test result .. default): (pred test value), the predicate and the value evaluated once.
Node* condp_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 3)
        return a.failed(bad_form(span, *a.special_of(list), "it takes a predicate, a value and at least one result"));
    const FormSpan clauses = parts.subspan(2);
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    ParamUse use;
    use.calls[2] = static_cast<std::uint8_t>(std::min<std::size_t>(clauses.size() / 2, 255));
    const Form names[2] = {hidden_name(kCondpPredicate, a.span_of(parts[0])),
                           hidden_name(kCondpValue, a.span_of(parts[1]))};
    Binding bindings[2];
    for (std::size_t i = 0; i < 2; ++i) {
        Binding& binding = bindings[i];
        if (!pass_on(a, parts[i], binding) && !(i == 0 && pass_lambda(a, parts[i], use, binding, let))) {
            binding.local = let.temporary(a.analyze(parts[i], kValue));
        }
        binding.name = names[i].text();
    }
    a.names.bind(bindings[0]);
    a.names.bind(bindings[1]);
    Node* node = condp_clauses(a, list, clauses, tail);
    a.at.site.scope = scope;
    return let.finish(node, span, tail);
}

// ---- Conditional bindings

namespace {

/// if-let and its like. A pattern is bound in the branch that has the value (DIV-14 is an open fault of the reference).
Node* conditional_binding(Analyzer& a, const Form& list, Tail tail, bool only_nil, bool has_else) {
    const Span span = a.span_of(list);
    const FormSpan parts = list.items();
    const Form& bindings = parts[1];
    if (!bindings.is(FormKind::Vector)) {
        Error error =
            bad_form(a.span_of(bindings), *a.special_of(list), "the binding stands in a vector: [name value]");
        error.reason = Reason::InvalidArity;
        return a.failed(std::move(error));
    }
    if (bindings.size != 2) {
        Error error = bad_form(a.span_of(bindings), *a.special_of(list), "it binds exactly one name: [name value]");
        if (has_else && parts.size() == 3) error.reason = Reason::InvalidArity;
        return a.failed(std::move(error));
    }
    const Form& pattern = bindings.items()[0];
    if (!is_pattern(pattern)) {
        return a.failed(
            bad_form(a.span_of(pattern), *a.special_of(list), "it binds a name, not " + describe_form(pattern)));
    }
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    const Laziness laziness = laziness_of(a, bindings.items()[1]);
    const bool is_sequence = gives_sequence(a, bindings.items()[1]);
    Node* value = a.analyze(bindings.items()[1], kValue);
    Local* local =
        a.nodes.new_local(is_binding_name(pattern) ? pattern.text() : std::string_view(), a.span_of(pattern));
    local->laziness = static_cast<std::uint8_t>(laziness);
    local->is_sequence = is_sequence;
    let.add(local, value);
    Let inner(a.nodes);
    if (is_binding_name(pattern))
        a.names.bind(pattern.text(), local);
    else
        destructure(a, pattern, a.nodes.reference(local, a.span_of(pattern)), inner);
    Node* yes = has_else ? a.analyze(parts[2], tail) : a.analyze_body(parts.subspan(2), span, tail);
    yes = inner.finish(yes, span, tail);
    a.at.site.scope = scope;
    Node* no = has_else && parts.size() == 4 ? a.analyze(parts[3], tail) : a.nodes.nil(span, tail);
    Node* test = a.nodes.reference(local, a.span_of(bindings));
    if (only_nil) {
        test = a.nodes.native_call("nil?", a.span_of(bindings), kValue, {test});
        std::swap(yes, no);
    }
    return let.finish(a.nodes.make(NodeKind::If, span, tail, {test, yes, no}), span, tail);
}

} // namespace

Node* if_let_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 2, 3)) return a.nodes.nil(a.span_of(list), tail);
    return conditional_binding(a, list, tail, false, true);
}

Node* if_some_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 2, 3)) return a.nodes.nil(a.span_of(list), tail);
    return conditional_binding(a, list, tail, true, true);
}

Node* when_let_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    return conditional_binding(a, list, tail, false, false);
}

Node* when_some_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    return conditional_binding(a, list, tail, true, false);
}

Node* when_first_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(span, tail);
    const Form& bindings = list.items()[1];
    if (!bindings.is(FormKind::Vector) || bindings.size != 2) {
        Error error = bad_form(a.span_of(bindings), *a.special_of(list), "it binds exactly one name: [name coll]");
        if (!bindings.is(FormKind::Vector)) error.reason = Reason::InvalidArity;
        return a.failed(std::move(error));
    }
    if (const Form& pattern = bindings.items()[0]; !is_pattern(pattern)) {
        return a.failed(
            bad_form(a.span_of(pattern), *a.special_of(list), "it binds a name, not " + describe_form(pattern)));
    }
    const Span where = a.span_of(bindings);
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    Node* items = a.nodes.native_call("seq", where, kValue, {a.analyze(bindings.items()[1], kValue)});
    Local* local = let.temporary(items);
    Let inner(a.nodes);
    Node* item = a.nodes.native_call("first", where, kValue, {a.nodes.reference(local, where)});
    destructure(a, bindings.items()[0], item, inner);
    Node* yes = inner.finish(a.analyze_body(list.items().subspan(2), span, tail), span, tail);
    a.at.site.scope = scope;
    Node* node =
        a.nodes.make(NodeKind::If, span, tail, {a.nodes.reference(local, where), yes, a.nodes.nil(span, tail)});
    return let.finish(node, span, tail);
}

// ---- Sequences of expressions

Node* do_form(Analyzer& a, const Form& list, Tail tail) {
    return a.analyze_body(list.items().subspan(1), a.span_of(list), tail);
}

// (with-precision digits :rounding? mode body ..)
Node* precision_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 2, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    if (precision_body(list).empty())
        return a.failed(bad_form(a.span_of(list), *a.special_of(list), "it needs a body: (with-precision 10 (/ a b))"));
    return a.analyze_body(precision_body(list), a.span_of(list), tail);
}

namespace {

/// An And or Or of at least two parts.
Node* shortcut(Analyzer& a, NodeKind kind, const Form& list, Tail tail) {
    const FormSpan parts = list.items().subspan(1);
    NodeList values(a.nodes);
    a.analyze_all(parts.first(parts.size() - 1), values);
    Node* last = a.analyze(parts.back(), tail);
    values.add(last);
    Node* node = a.nodes.make(kind, a.span_of(list), tail);
    node->children = values.take();
    return node;
}

} // namespace

Node* and_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.nodes.literal(bits::kTrue, a.span_of(list), tail);
    if (parts.size() == 1) return a.analyze(parts[0], tail);
    return shortcut(a, NodeKind::And, list, tail);
}

Node* or_form(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return a.nodes.nil(a.span_of(list), tail);
    if (parts.size() == 1) return a.analyze(parts[0], tail);
    return shortcut(a, NodeKind::Or, list, tail);
}

Node* comment_form(Analyzer& a, const Form& list, Tail tail) { return a.nodes.nil(a.span_of(list), tail); }

Node* quote_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, 1)) return a.nodes.nil(a.span_of(list), tail);
    return a.quoted_value(list.items()[1], a.span_of(list), tail);
}

// (assert test), (assert test message)
Node* assert_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 1, 2)) return a.nodes.nil(span, tail);
    const FormSpan parts = list.items();
    Node* test = a.analyze(parts[1], kValue);
    const std::string text = a.source ? form_text(*a.source, parts[1]) : std::string();
    const auto kept = [&](std::string_view lead) {
        return a.nodes.string(a.nodes.keep_text(std::string(lead).append(utf8::prefix(text, 200))), span, kValue);
    };
    Node* message = parts.size() == 3
                        ? a.nodes.native_call("str", span, kValue, {a.analyze(parts[2], kValue), kept("\n")})
                        : kept("");
    Node* failure = thrown(a, "AssertionError.", "Assert failed: ", message, span, tail);
    return a.nodes.make_if(test, a.nodes.nil(span, tail), failure, span, tail);
}

} // namespace ptc
