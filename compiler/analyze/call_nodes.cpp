// Calls whose callee is a node or a key already: what is left is to analyse the arguments.
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/analysis.h"
#include "runtime/string.h"
#include "vm/arity_text.h"
#include <algorithm>
#include <vector>

namespace ptc {

Node* analyze_arguments(Analyzer& a, Node* node, FormSpan arguments) {
    NodeList values(a.nodes);
    a.analyze_all(arguments, values);
    node->children = values.take();
    return node;
}

bool check_dropped(Analyzer& a, FormSpan arguments) {
    const std::size_t before = a.reports.count();
    for (const Form& argument : arguments) {
        if (a.reports.stopped()) return false;
        a.nodes.discard(a.analyze(argument, kValue));
    }
    return a.reports.count() == before;
}

Node* call_value(Analyzer& a, Node* callee, FormSpan arguments, Span span, Tail tail) {
    Node* node = a.nodes.make(NodeKind::Invoke, span, tail);
    NodeList parts(a.nodes);
    parts.add(callee);
    a.analyze_all(arguments, parts);
    node->children = parts.take();
    return node;
}

Node* call_at_run_time(Analyzer& a, Node* callee, const Form& list, Tail tail) {
    return call_value(a, callee, list.items().subspan(1), a.span_of(list), tail);
}

Node* call_keyword(Analyzer& a, Node* keyword, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    if (arguments.empty() || arguments.size() > 2) {
        return a.failed(bad_keyword_call(a.span_of(list), text_of(Value::adopt(keyword->constant)), arguments.size()));
    }
    Node* node = a.nodes.make(NodeKind::KeywordCall, a.span_of(list), tail);
    node->constant = keyword->constant;
    return analyze_arguments(a, node, arguments);
}

Node* call_constant(Analyzer& a, const Node& callee, const Form& list, Tail tail) {
    const Value value = Value::adopt(callee.constant);
    const std::size_t count = list.size - 1;
    if (value.is_keyword() && (count == 1 || count == 2))
        return call_keyword(a, a.nodes.literal(callee.constant, a.span_of(list), kValue), list, tail);
    return call_value(a, a.nodes.literal(callee.constant, a.span_of(list), kValue), list.items().subspan(1),
                      a.span_of(list), tail);
}

std::string arguments_taken(const Function* function) {
    if (!function->next_arity) return argument_count(function->fixed, function->variadic ? SIZE_MAX : function->fixed);
    std::vector<Arity> arities;
    for (; function; function = function->next_arity) {
        const auto fixed = static_cast<std::uint8_t>(std::min<std::uint32_t>(function->fixed, Arity::kOpen - 1));
        arities.push_back({fixed, function->variadic ? Arity::kOpen : fixed});
    }
    return arguments_text(arities);
}

// ---- Names as values

Node* thrown(Analyzer& a, const char* constructor, std::string_view text, Node* value, Span span, Tail tail) {
    Node* message = a.nodes.native_call("str", span, kValue, {a.nodes.string(text, span, kValue), value});
    return a.nodes.make(NodeKind::Throw, span, tail, {a.nodes.native_call(constructor, span, kValue, {message})});
}

} // namespace ptc
