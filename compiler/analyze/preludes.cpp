// Namespaces of preludes: values and calls of what they define, and the analysis of their own bodies.
//
// An export is a frozen value, so a program holds it as it holds its own constants. Inside of its namespace a
// definition is a Sibling: a function is called directly, as all functions of a namespace are compiled together; a
// constant is its value when it has been made, else opaque. Which of them an analysis looks at is up to PreludeScope,
// which also takes down what each definition uses.
#include "compiler/analyze/preludes.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/functions.h"
#include "compiler/language/prelude.h"
#include "compiler/prelude/prelude_scope.h"

namespace ptc {
namespace {

bool is_callable(const Value& value) {
    return value.is_function() || value.is_keyword() || value.is_map() || value.is_set() || value.is_vector();
}

/// A constant of a prelude in front of arguments: (crm/page-size) is its value too.
Node* call_member_constant(Analyzer& a, Bits value, std::string_view name, const Form& list, Tail tail) {
    const Value constant = Value::adopt(value); // frozen: never counted
    const Span span = a.span_of(list);
    if (list.size == 1 && !constant.is_function()) return a.nodes.literal(value, span, tail);
    if (!is_callable(constant)) return a.failed(not_a_function(a.span_of(list.items()[0]), name));
    const Node* callee = a.nodes.literal(value, span, kValue);
    return call_constant(a, *callee, list, tail);
}

} // namespace

// ---- Values and calls

Node* call_export(Analyzer& a, const PreludeMember& member, const Form& list, Tail tail) {
    if (!member.is_function) return call_member_constant(a, member.value, member.name, list, tail);
    const FormSpan arguments = list.items().subspan(1);
    const bool fits =
        member.variadic ? arguments.size() >= member.fixed_arguments : arguments.size() == member.fixed_arguments;
    if (!fits && !a.at.site.core) {
        if (!check_dropped(a, arguments)) return a.nodes.nil(a.span_of(list), tail);
        const std::size_t most = member.variadic ? SIZE_MAX : member.fixed_arguments;
        return a.failed(wrong_arity(Reason::ArityMismatch, a.span_of(list), member.name,
                                    argument_count(member.fixed_arguments, most), arguments.size(), member.usage));
    }
    return call_value(a, a.nodes.literal(member.value, a.span_of(list), kValue), arguments, a.span_of(list), tail);
}

Node* sibling_value(Analyzer& a, const Sibling& sibling, Span span, Tail tail) {
    if (const std::optional<Bits>& known = a.names.prelude()->values[sibling.index])
        return a.nodes.literal(*known, span, tail);
    Node* node = a.nodes.make(sibling.clause ? NodeKind::Fn : NodeKind::Global, span, tail);
    if (sibling.clause)
        node->function = a.names.prelude()->functions[sibling.index];
    else
        node->text = sibling.name; // not made yet: only looked at, never run
    return node;
}

Node* call_sibling(Analyzer& a, const Sibling& sibling, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    const std::string& name = a.names.prelude()->names[sibling.index];
    if (!sibling.clause) {
        if (const std::optional<Bits>& known = a.names.prelude()->values[sibling.index])
            return call_member_constant(a, *known, name, list, tail);
        return call_value(a, sibling_value(a, sibling, a.span_of(list), kValue), arguments, a.span_of(list), tail);
    }
    if (!sibling.clause->accepts(arguments.size())) {
        if (a.at.site.core) return call_at_run_time(a, sibling_value(a, sibling, a.span_of(list), kValue), list, tail);
        if (!check_dropped(a, arguments)) return a.nodes.nil(a.span_of(list), tail);
        const std::size_t most = sibling.clause->variadic ? SIZE_MAX : sibling.clause->count;
        Error error = wrong_arity(Reason::ArityMismatch, a.span_of(list), name,
                                  argument_count(sibling.clause->count, most), arguments.size(), {});
        return a.failed(std::move(error).with_label(a.names.prelude()->forms->definitions[sibling.index].name_span,
                                                    "defined here"));
    }
    Node* node = a.nodes.make(NodeKind::CallFunction, a.span_of(list), tail);
    node->function = a.names.prelude()->functions[sibling.index];
    return analyze_arguments(a, node, arguments);
}

// ---- Bodies

namespace {

void declare_sibling(Analyzer& a, std::size_t index) {
    const PreludeDefinition& definition = a.names.prelude()->forms->definitions[index];
    Sibling& sibling = a.names.siblings().add(definition.name, name_hash(definition.name));
    sibling.index = index;
    if (!definition.params) return;
    auto* clause = a.nodes.create<FnClause>();
    clause->body = definition.body;
    if (read_params(a, *definition.params, *clause)) sibling.clause = clause;
    if (!a.names.prelude()->wanted[index]) return;
    Function* function = a.nodes.new_function(a.names.prelude()->names[index], definition.form->span);
    function->doc = definition.doc;
    a.names.prelude()->functions[index] = function;
}

void analyze_sibling(Analyzer& a, std::size_t index) {
    const PreludeDefinition& definition = a.names.prelude()->forms->definitions[index];
    const Sibling* sibling = a.names.siblings().find(definition.name, name_hash(definition.name));
    if (!sibling->clause) return; // reported
    a.names.prelude()->current = index;
    const Lambda lambda{{}, definition.form->span, {sibling->clause, 1}, Site{}};
    fn_body(a, *a.names.prelude()->functions[index], lambda, *sibling->clause);
}

} // namespace

void analyze_definitions(Analyzer& a, PreludeScope& scope) {
    a.names.enter(scope);
    scope.functions.assign(scope.size(), nullptr);
    scope.uses.assign(scope.size(), {});
    a.at.function = a.nodes.new_function("", scope.forms->span);
    for (std::size_t i = 0; i < scope.size(); ++i)
        declare_sibling(a, i);
    for (std::size_t i = 0; i < scope.size(); ++i) {
        if (scope.functions[i]) analyze_sibling(a, i);
    }
    a.at.function->body = a.nodes.nil(scope.forms->span, kFunctionTail);
    for (std::size_t i = 0; i < scope.size(); ++i) {
        const PreludeDefinition& definition = scope.forms->definitions[i];
        if (definition.params || (scope.constant != PreludeScope::kNone && scope.constant != i)) continue;
        scope.current = i;
        a.at.function->body = a.analyze(definition.body[0], kFunctionTail);
    }
    scope.current = PreludeScope::kNone;
}

} // namespace ptc
