// if, when, cond, case, condp, the conditional bindings, and, or, do.
#include "compiler/analyze/analysis.h"
#include <algorithm>

namespace ptc {

/// An If; only the branch that is taken when the test is constant.
Node* Analyzer::make_if(Node* test, Node* yes, Node* no, Span span, Place place) {
    if (test->kind == NodeKind::Constant) {
        const bool truthy = bits::is_truthy(test->constant);
        discard(truthy ? no : yes);
        return truthy ? yes : no;
    }
    return make(NodeKind::If, span, place, {test, yes, no});
}

Node* Analyzer::if_form(const Form& list, Place place) {
    if (!check_parts(list, 2, 3)) return nil(span_of(list), place);
    const FormSpan parts = list.items();
    Node* test = analyze(parts[1], kValue);
    Node* yes = analyze(parts[2], place);
    Node* no = parts.size() == 4 ? analyze(parts[3], place) : nil(span_of(list), place);
    return make_if(test, yes, no, span_of(list), place);
}

Node* Analyzer::if_not_form(const Form& list, Place place) {
    if (!check_parts(list, 2, 3)) return nil(span_of(list), place);
    const FormSpan parts = list.items();
    Node* test = analyze(parts[1], kValue);
    Node* no = analyze(parts[2], place);
    Node* yes = parts.size() == 4 ? analyze(parts[3], place) : nil(span_of(list), place);
    return make_if(test, yes, no, span_of(list), place);
}

Node* Analyzer::when_form(const Form& list, Place place) {
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span_of(list), place);
    Node* test = analyze(list.items()[1], kValue);
    Node* body = analyze_body(list.items().subspan(2), span_of(list), place);
    return make_if(test, body, nil(span_of(list), place), span_of(list), place);
}

Node* Analyzer::when_not_form(const Form& list, Place place) {
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span_of(list), place);
    Node* test = analyze(list.items()[1], kValue);
    Node* body = analyze_body(list.items().subspan(2), span_of(list), place);
    return make_if(test, nil(span_of(list), place), body, span_of(list), place);
}

Node* Analyzer::cond_form(const Form& list, Place place) {
    const FormSpan clauses = list.items().subspan(1);
    if (clauses.size() % 2 != 0) {
        return failed(bad_condition(span_of(clauses.back()),
                                    "`cond` takes pairs of test and result; this test has no result.",
                                    "(cond test result :else otherwise)"));
    }
    // Read in order, built from the last clause. In the tree each clause lies within the one before.
    const std::uint32_t depth = depth_;
    const std::size_t first = node_stack_.size();
    for (std::size_t i = 0; i < clauses.size(); i += 2, ++depth_) {
        Node* test = analyze(clauses[i], kValue);
        node_stack_.push_back(test);
        Node* result = analyze(clauses[i + 1], place);
        node_stack_.push_back(result);
    }
    depth_ = depth;
    Node* node = nil(span_of(list), place);
    for (std::size_t i = clauses.size(); i > 0; i -= 2) {
        Node* test = node_stack_[first + i - 2];
        node = make_if(test, node_stack_[first + i - 1], node,
                       Span{span_of(clauses[i - 2]).begin, span_of(clauses[i - 1]).end}, place);
    }
    node_stack_.resize(first);
    return node;
}

// ---- case and condp
// ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kCondpPredicate = " pred";
constexpr std::string_view kCondpValue = " value";
constexpr std::string_view kCondpGiven = " given";

/// A literal that is the same each time: no name and no call in it (GAP-S72).
bool is_case_constant(const Form& form) {
    if (form.kind < FormKind::Symbol) return true;
    if (!form.is(FormKind::Vector) && !form.is(FormKind::Map) && !form.is(FormKind::Set)) return false;
    return std::all_of(form.items().begin(), form.items().end(), is_case_constant);
}

} // namespace

/// (= constant value)
Node* Analyzer::case_test(const Form& constant, Local* value) {
    const Span span = span_of(constant);
    if (!is_case_constant(constant)) {
        report(
            bad_form(span, *special_of_name("case"),
                     "it compares with constants: keywords, strings, numbers, booleans, nil and collections of them, "
                     "or a list of those, not with " +
                         describe_form(constant)));
        return nil(span);
    }
    return builtin_call(native("="), span, kValue, {analyze(constant, kValue), reference(value, span)});
}

Node* Analyzer::case_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return failed(bad_form(span, *special_of(list), "the value is missing"));
    const FormSpan clauses = parts.subspan(1);
    Let let(*this);
    Local* value = let.temporary(analyze(parts[0], kValue));
    const std::uint32_t depth = depth_;
    const std::size_t first = node_stack_.size();
    for (std::size_t i = 0; i + 1 < clauses.size(); i += 2, ++depth_) {
        const Form& constants = clauses[i];
        Node* test = nullptr;
        if (constants.is(FormKind::List)) {
            if (constants.size == 0)
                report(bad_form(span_of(constants), *special_of(list), "an empty list of constants matches nothing"));
            const std::size_t tests = node_stack_.size();
            for (const Form& constant : constants.items()) {
                Node* one = case_test(constant, value);
                node_stack_.push_back(one);
            }
            if (constants.size == 0)
                test = nil(span);
            else if (constants.size == 1)
                test = node_stack_.back();
            else {
                test = make(NodeKind::Or, span_of(constants));
                test->children = copy(std::span<Node* const>(node_stack_).subspan(tests));
            }
            node_stack_.resize(tests);
        } else {
            test = case_test(constants, value);
        }
        node_stack_.push_back(test);
        Node* result = analyze(clauses[i + 1], place);
        node_stack_.push_back(result);
    }
    Node* node = clauses.size() % 2 != 0 ? analyze(clauses.back(), place) : nil(span, place);
    depth_ = depth;
    for (std::size_t i = clauses.size() / 2 * 2; i > 0; i -= 2) {
        node = make(NodeKind::If, Span{span_of(clauses[i - 2]).begin, span_of(clauses[i - 1]).end}, place,
                    {node_stack_[first + i - 2], node_stack_[first + i - 1], node});
    }
    node_stack_.resize(first);
    return let.finish(node, span, place);
}

// (condp pred value test result .. default): (pred test value), the predicate and the value evaluated once.
Node* Analyzer::condp_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 3)
        return failed(bad_form(span, *special_of(list), "it takes a predicate, a value and at least one result"));
    const FormSpan clauses = parts.subspan(2);
    const Binding* const scope = site_.scope;
    Let let(*this);
    ParamUse use;
    use.calls[2] = static_cast<std::uint8_t>(std::min<std::size_t>(clauses.size() / 2, 255));
    const Form names[2] = {hidden_name(kCondpPredicate, span_of(parts[0])),
                           hidden_name(kCondpValue, span_of(parts[1]))};
    Binding bindings[2];
    for (std::size_t i = 0; i < 2; ++i) {
        Binding& binding = bindings[i];
        if (!pass_on(parts[i], binding) && !(i == 0 && pass_lambda(parts[i], use, binding, let))) {
            binding.local = let.temporary(analyze(parts[i], kValue));
        }
        binding.name = names[i].text();
    }
    push(bindings[0]);
    push(bindings[1]);
    Node* node = condp_clauses(list, clauses, place);
    site_.scope = scope;
    return let.finish(node, span, place);
}

/// A call with names of our own among its parts.
Node* Analyzer::analyze_call(std::initializer_list<Form> parts, Span span, Place place) {
    auto* items = static_cast<Form*>(arena_.allocate(parts.size() * sizeof(Form), alignof(Form)));
    std::uninitialized_copy(parts.begin(), parts.end(), items);
    return analyze(call_of({items, parts.size()}, span), place);
}

/// test result .. default, up to the first `test :>> function`, which is nested below it.
Node* Analyzer::condp_clauses(const Form& list, FormSpan clauses, Place place) {
    const auto has_function = [&](std::size_t i) {
        return i + 1 < clauses.size() && clauses[i + 1].is(FormKind::Keyword) && clauses[i + 1].text() == ">>";
    };
    const std::uint32_t depth = depth_;
    const std::size_t first = node_stack_.size();
    std::size_t i = 0;
    for (; i + 1 < clauses.size() && !has_function(i); i += 2, ++depth_) {
        const Span where = span_of(clauses[i]);
        Node* test = analyze_call({hidden_name(kCondpPredicate, where), clauses[i], hidden_name(kCondpValue, where)},
                                  where, kValue);
        node_stack_.push_back(test);
        Node* result = analyze(clauses[i + 1], place);
        node_stack_.push_back(result);
    }
    Node* node = nullptr;
    if (has_function(i))
        node = condp_function_clause(list, clauses.subspan(i), place);
    else
        node = i < clauses.size() ? analyze(clauses[i], place) : nil(span_of(list), place);
    depth_ = depth;
    for (; i > 0; i -= 2) {
        node = make_if(node_stack_[first + i - 2], node_stack_[first + i - 1], node,
                       Span{span_of(clauses[i - 2]).begin, span_of(clauses[i - 1]).end}, place);
    }
    node_stack_.resize(first);
    return node;
}

/// test :>> function, and the clauses after it: the function is called with what the predicate gave (GAP-S38).
Node* Analyzer::condp_function_clause(const Form& list, FormSpan clauses, Place place) {
    if (clauses.size() < 3 || depth_ > kMaxDepth) {
        return failed(bad_form(span_of(clauses[1]), *special_of(list), "after `:>>` stands a function"));
    }
    const Span where = span_of(clauses[0]);
    const Binding* const scope = site_.scope;
    ++depth_;
    Let let(*this);
    Local* given = let.temporary(analyze_call(
        {hidden_name(kCondpPredicate, where), clauses[0], hidden_name(kCondpValue, where)}, where, kValue));
    push(kCondpGiven, given);
    Node* result = analyze_call({clauses[2], hidden_name(kCondpGiven, where)}, span_of(clauses[2]), place);
    site_.scope = scope;
    Node* others = condp_clauses(list, clauses.subspan(3), place);
    --depth_;
    const Span span{where.begin, span_of(clauses[2]).end};
    return let.finish(make_if(reference(given, where), result, others, span, place), span, place);
}

// ---- Conditional bindings
// ----------------------------------------------------------------------------------------------

/// if-let and its like. A pattern is bound in the branch that has the value (DIV-14 is an open fault of the reference).
Node* Analyzer::conditional_binding(const Form& list, Place place, bool only_nil, bool has_else) {
    const Span span = span_of(list);
    const FormSpan parts = list.items();
    const Form& bindings = parts[1];
    if (!bindings.is(FormKind::Vector)) {
        Error error = bad_form(span_of(bindings), *special_of(list), "the binding stands in a vector: [name value]");
        error.reason = Reason::InvalidArity;
        return failed(std::move(error));
    }
    if (bindings.size != 2) {
        Error error = bad_form(span_of(bindings), *special_of(list), "it binds exactly one name: [name value]");
        if (has_else && parts.size() == 3) error.reason = Reason::InvalidArity;
        return failed(std::move(error));
    }
    const Form& pattern = bindings.items()[0];
    if (!is_pattern(pattern)) {
        return failed(bad_form(span_of(pattern), *special_of(list), "it binds a name, not " + describe_form(pattern)));
    }
    const Binding* const scope = site_.scope;
    Let let(*this);
    Node* value = analyze(bindings.items()[1], kValue);
    Local* local = new_local(is_binding_name(pattern) ? pattern.text() : std::string_view(), span_of(pattern));
    let.add(local, value);
    Let inner(*this);
    if (is_binding_name(pattern))
        push(pattern.text(), local);
    else
        destructure(pattern, reference(local, span_of(pattern)), inner);
    Node* yes = has_else ? analyze(parts[2], place) : analyze_body(parts.subspan(2), span, place);
    yes = inner.finish(yes, span, place);
    site_.scope = scope;
    Node* no = has_else && parts.size() == 4 ? analyze(parts[3], place) : nil(span, place);
    Node* test = reference(local, span_of(bindings));
    if (only_nil) {
        test = builtin_call(native("nil?"), span_of(bindings), kValue, {test});
        std::swap(yes, no);
    }
    return let.finish(make(NodeKind::If, span, place, {test, yes, no}), span, place);
}

Node* Analyzer::if_let_form(const Form& list, Place place) {
    if (!check_parts(list, 2, 3)) return nil(span_of(list), place);
    return conditional_binding(list, place, false, true);
}

Node* Analyzer::if_some_form(const Form& list, Place place) {
    if (!check_parts(list, 2, 3)) return nil(span_of(list), place);
    return conditional_binding(list, place, true, true);
}

Node* Analyzer::when_let_form(const Form& list, Place place) {
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span_of(list), place);
    return conditional_binding(list, place, false, false);
}

Node* Analyzer::when_some_form(const Form& list, Place place) {
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span_of(list), place);
    return conditional_binding(list, place, true, false);
}

Node* Analyzer::when_first_form(const Form& list, Place place) {
    const Span span = span_of(list);
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span, place);
    const Form& bindings = list.items()[1];
    if (!bindings.is(FormKind::Vector) || bindings.size != 2) {
        Error error = bad_form(span_of(bindings), *special_of(list), "it binds exactly one name: [name coll]");
        if (!bindings.is(FormKind::Vector)) error.reason = Reason::InvalidArity;
        return failed(std::move(error));
    }
    if (const Form& pattern = bindings.items()[0]; !is_pattern(pattern)) {
        return failed(bad_form(span_of(pattern), *special_of(list), "it binds a name, not " + describe_form(pattern)));
    }
    const Span where = span_of(bindings);
    const Binding* const scope = site_.scope;
    Let let(*this);
    Node* items = builtin_call(native("seq"), where, kValue, {analyze(bindings.items()[1], kValue)});
    Local* local = let.temporary(items);
    Let inner(*this);
    Node* item = builtin_call(native("first"), where, kValue, {reference(local, where)});
    destructure(bindings.items()[0], item, inner);
    Node* yes = inner.finish(analyze_body(list.items().subspan(2), span, place), span, place);
    site_.scope = scope;
    Node* node = make(NodeKind::If, span, place, {reference(local, where), yes, nil(span, place)});
    return let.finish(node, span, place);
}

// ---- Sequences of expressions
// --------------------------------------------------------------------------------------------

Node* Analyzer::do_form(const Form& list, Place place) {
    return analyze_body(list.items().subspan(1), span_of(list), place);
}

Node* Analyzer::and_form(const Form& list, Place place) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return literal(bits::kTrue, span_of(list), place);
    if (parts.size() == 1) return analyze(parts[0], place);
    const std::size_t first = node_stack_.size();
    for (const Form& part : parts) {
        Node* value = analyze(part, &part == &parts.back() ? place : kValue);
        node_stack_.push_back(value);
    }
    Node* node = make(NodeKind::And, span_of(list), place);
    node->children = take_nodes(first);
    return node;
}

Node* Analyzer::or_form(const Form& list, Place place) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return nil(span_of(list), place);
    if (parts.size() == 1) return analyze(parts[0], place);
    const std::size_t first = node_stack_.size();
    for (const Form& part : parts) {
        Node* value = analyze(part, &part == &parts.back() ? place : kValue);
        node_stack_.push_back(value);
    }
    Node* node = make(NodeKind::Or, span_of(list), place);
    node->children = take_nodes(first);
    return node;
}

Node* Analyzer::comment_form(const Form& list, Place place) { return nil(span_of(list), place); }

Node* Analyzer::quote_form(const Form& list, Place place) {
    if (!check_parts(list, 1, 1)) return nil(span_of(list), place);
    return quoted(list.items()[1], place, span_of(list));
}

} // namespace ptc
