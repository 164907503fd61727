// Calls of the host's tools. A tool takes one map; the shorter ways to write its arguments become that map here.
#include "compiler/analyze/tools.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/collections.h"
#include "frontend/suggest.h"
#include "runtime/map.h"

namespace ptc {
namespace {

bool check_tool(Analyzer& a, std::string_view name, Span span, std::string_view written) {
    bool known = a.environment.any_tool;
    for (const ToolInfo& tool : a.environment.tools)
        known = known || tool.name == name;
    if (!known) {
        std::vector<std::string_view> names;
        for (const ToolInfo& tool : a.environment.tools)
            names.push_back(tool.name);
        a.report(unknown_tool(span, name, suggest(name, names), !names.empty(), written));
        return false;
    }
    a.names.note_tool(name);
    return true;
}

/// One map, or keywords and values in turn (requirement 73), or nothing: always a map for the tool (74).
Node* tool_arguments(Analyzer& a, std::string_view name, const Form& list, FormSpan arguments) {
    const Span span = a.span_of(list);
    if (arguments.empty()) return a.nodes.literal(empty_map().give_up(), span, kValue);
    if (arguments.size() == 1) {
        const Form& only = arguments[0];
        const bool never_a_map = only.kind < FormKind::Symbol || only.is(FormKind::Regex) ||
                                 only.is(FormKind::Vector) || only.is(FormKind::Set) || only.is(FormKind::ShortFn);
        if (never_a_map) return a.failed(bad_tool_arguments(a.span_of(only), name, describe_form(only)));
        return a.analyze(only, kValue);
    }
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const bool key = arguments[i].is(FormKind::Keyword) || arguments[i].is(FormKind::String);
        if (key && i + 1 < arguments.size()) continue;
        const std::string what =
            key ? "a name without a value" : describe_form(arguments[i]) + " where a name should be";
        return a.failed(bad_tool_arguments(a.span_of(arguments[i]), name, what));
    }
    Form map = list;
    map.kind = FormKind::Map;
    map.first = arguments.data();
    map.size = static_cast<std::uint32_t>(arguments.size());
    return analyze_map(a, map, kValue);
}

} // namespace

Node* call_tool(Analyzer& a, std::string_view name, const Form& list, FormSpan arguments, Span name_span, Tail tail) {
    const bool known = check_tool(a, name, name_span, list.items()[0].is_symbol("call") ? "\"" : "tool/");
    a.names.note_prelude_tool(name, arguments);
    Node* map = tool_arguments(a, name, list, arguments);
    if (!known) return a.nodes.nil(a.span_of(list), tail);
    Node* node = a.nodes.make(NodeKind::Tool, a.span_of(list), tail, {map});
    node->text = name;
    return node;
}

Node* tool_function(Analyzer& a, std::string_view name, Span span, Tail tail) {
    if (!check_tool(a, name, span, "tool/")) return a.nodes.nil(span, tail);
    a.names.note_prelude_tool(name, {});
    Function* const outer = a.at.function;
    Function* function = a.nodes.new_function(name, span);
    a.at.function = function;
    Local* arguments = a.nodes.new_local("arguments", span);
    function->params.push_back(arguments);
    function->body = a.nodes.make(NodeKind::Tool, span, kFunctionTail, {a.nodes.reference(arguments, span)});
    function->body->text = name;
    a.at.function = outer;
    Node* node = a.nodes.make(NodeKind::Fn, span, tail);
    node->function = function;
    return node;
}

} // namespace ptc
