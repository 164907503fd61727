// What a program does with its host: tools, return and fail, session memory of the older dialect, journal, discovery.
#include "compiler/analyze/analysis.h"
#include "frontend/suggest.h"
#include "runtime/map.h"
#include "runtime/string.h"

namespace ptc {

// ---- Tools
// -------------------------------------------------------------------------------------------------------------

bool Analyzer::check_tool(std::string_view name, Span span, std::string_view written) {
    bool known = environment_.any_tool;
    for (const ToolInfo& tool : environment_.tools)
        known = known || tool.name == name;
    if (!known) {
        std::vector<std::string_view> names;
        for (const ToolInfo& tool : environment_.tools)
            names.push_back(tool.name);
        report(unknown_tool(span, name, suggest(name, names), !names.empty(), written));
        return false;
    }
    note_tool(name);
    return true;
}

/// One map, or keywords and values in turn (requirement 73), or nothing: always a map for the tool (74).
Node* Analyzer::tool_arguments(std::string_view name, const Form& list, FormSpan arguments) {
    const Span span = span_of(list);
    if (arguments.empty()) return literal(empty_map().give_up(), span, kValue);
    if (arguments.size() == 1) {
        const Form& only = arguments[0];
        const bool never_a_map = only.kind < FormKind::Symbol || only.is(FormKind::Regex) ||
                                 only.is(FormKind::Vector) || only.is(FormKind::Set) || only.is(FormKind::ShortFn);
        if (never_a_map) return failed(bad_tool_arguments(span_of(only), name, describe_form(only)));
        return analyze(only, kValue);
    }
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const bool key = arguments[i].is(FormKind::Keyword) || arguments[i].is(FormKind::String);
        if (key && i + 1 < arguments.size()) continue;
        const std::string what =
            key ? "a name without a value" : describe_form(arguments[i]) + " where a name should be";
        return failed(bad_tool_arguments(span_of(arguments[i]), name, what));
    }
    Form map = list;
    map.kind = FormKind::Map;
    map.first = arguments.data();
    map.size = static_cast<std::uint32_t>(arguments.size());
    return analyze_map(map, kValue);
}

Node* Analyzer::call_tool(std::string_view name, const Form& list, FormSpan arguments, Span name_span, Place place) {
    const bool known = check_tool(name, name_span, list.items()[0].is_symbol("call") ? "\"" : "tool/");
    note_prelude_tool(name, arguments);
    Node* map = tool_arguments(name, list, arguments);
    if (!known) return nil(span_of(list), place);
    Node* node = make(NodeKind::Tool, span_of(list), place, {map});
    node->text = name;
    return node;
}

/// tool/name as a value: a function of the argument map.
Node* Analyzer::tool_function(std::string_view name, Span span, Place place) {
    if (!check_tool(name, span, "tool/")) return nil(span, place);
    note_prelude_tool(name, {});
    Function* const outer = fn_;
    Function* function = new_function(name, span);
    fn_ = function;
    Local* arguments = new_local("arguments", span);
    function->params.push_back(arguments);
    function->body = make(NodeKind::Tool, span, kFunctionTail, {reference(arguments, span)});
    function->body->text = name;
    fn_ = outer;
    Node* node = make(NodeKind::Fn, span, place);
    node->function = function;
    return node;
}

// (call "tool" {..}), requirement 70; "return" and "fail" are no tools.
Node* Analyzer::call_form(const Form& list, Place place) {
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span_of(list), place);
    const Form& name = list.items()[1];
    if (!name.is(FormKind::String)) {
        return failed(
            bad_form(span_of(name), *special_of(list), "the tool's name is a string that stands in the program"));
    }
    const FormSpan arguments = list.items().subspan(2);
    if (name.text() == "return" || name.text() == "fail") {
        if (arguments.size() != 1)
            return failed(wrong_parts(span_of(list), *special_of_name(name.text()), arguments.size()));
        return make(name.text() == "return" ? NodeKind::Return : NodeKind::Fail, span_of(list), place,
                    {analyze(arguments[0], kValue)});
    }
    return call_tool(name.text(), list, arguments, span_of(name), place);
}

// ---- Ends
// --------------------------------------------------------------------------------------------------------------

Node* Analyzer::single_value(NodeKind kind, const Form& list, Place place) {
    if (!check_parts(list, 1, 1)) return nil(span_of(list), place);
    return make(kind, span_of(list), place, {analyze(list.items()[1], kValue)});
}

Node* Analyzer::return_form(const Form& list, Place place) { return single_value(NodeKind::Return, list, place); }
Node* Analyzer::fail_form(const Form& list, Place place) { return single_value(NodeKind::Fail, list, place); }

Node* Analyzer::apply_form(const Form& list, Place place) {
    if (!check_parts(list, 2, SIZE_MAX)) return nil(span_of(list), place);
    Node* node = make(NodeKind::Apply, span_of(list), place);
    return analyze_arguments(node, list.items().subspan(1), node_stack_.size());
}

// ---- Session memory of the older dialect (requirement 71)
// ----------------------------------------------------------------

namespace {

bool is_memory_key(const Form& key) { return key.is(FormKind::Keyword) || (key.is(FormKind::String) && key.size > 0); }

} // namespace

// (memory/put :k v): defines k; the value is v.
Node* Analyzer::memory_put_form(const Form& list, Place place) {
    const Span span = span_of(list);
    if (!check_parts(list, 2, 2)) return nil(span, place);
    const Form& key = list.items()[1];
    if (!is_memory_key(key))
        return failed(bad_form(span_of(key), *special_of(list), "the key is a keyword that stands in the program"));
    if (!check_stateless(list, "memory/put") || !check_unprotected(key)) return nil(span, place);
    Let let(*this);
    Local* value = let.temporary(analyze(list.items()[2], kValue));
    Node* define = definition(NodeKind::Def, key, reference(value, span), span, kValue);
    return let.finish(make(NodeKind::Do, span, place, {define, reference(value, span, place)}), span, place);
}

Node* Analyzer::memory_get_form(const Form& list, Place place) {
    if (!check_parts(list, 1, 1)) return nil(span_of(list), place);
    const Form& key = list.items()[1];
    if (!is_memory_key(key)) {
        return failed(bad_form(span_of(key), *special_of(list), "the key is a keyword that stands in the program"));
    }
    if (!check_stateless(list, "memory/get")) return nil(span_of(list), place);
    Resolved name;
    name.kind = Resolved::Memory;
    name.text = key.text();
    name.global = globals_.find(key.text(), name_hash(key.text()));
    return value_of(name, list, place);
}

// ---- Forms whose work is a native's
// --------------------------------------------------------------------------------------

/// A call of the native `name` with the arguments as they are.
Node* Analyzer::runtime_form(const char* name, const Form& list, std::size_t min, std::size_t max, Place place) {
    if (!check_parts(list, min, max)) return nil(span_of(list), place);
    const CoreName* entry = core_.lookup(name, name_hash(name));
    if (!entry || entry->builtin < 0) return failed(not_available(span_of(list), list.items()[0].text()));
    const std::size_t first = node_stack_.size();
    for (const Form& argument : list.items().subspan(1)) {
        Node* value = analyze(argument, kValue);
        node_stack_.push_back(value);
    }
    return builtin_call(static_cast<std::uint32_t>(entry->builtin), span_of(list), place, first);
}

Node* Analyzer::budget_form(const Form& list, Place place) {
    return runtime_form("budget/remaining", list, 0, 0, place);
}

Node* Analyzer::tool_servers_form(const Form& list, Place place) {
    for (const ToolInfo& tool : environment_.tools) {
        if (tool.name == "servers")
            return call_tool("servers", list, list.items().subspan(1), span_of(list.items()[0]), place);
    }
    if (!check_parts(list, 0, 0)) return nil(span_of(list), place);
    return failed(Error(Reason::RuntimeError, span_of(list), "This host has no servers that tools come from."));
}

// (task id expression): (if (task-kept?% id) (task-value% id) (task-keep% id expression))
Node* Analyzer::task_form(const Form& list, Place place) {
    const Span span = span_of(list);
    if (!check_parts(list, 2, 2)) return nil(span, place);
    Let let(*this);
    Local* id = let.temporary(builtin_call(native("str"), span, kValue, {analyze(list.items()[1], kValue)}));
    Node* test = builtin_call(native("task-kept?%"), span, kValue, {reference(id, span)});
    Node* old = builtin_call(native("task-value%"), span, place, {reference(id, span)});
    Node* value = analyze(list.items()[2], kValue);
    Node* keep = builtin_call(native("task-keep%"), span, place, {reference(id, span), value});
    return let.finish(make(NodeKind::If, span, place, {test, old, keep}), span, place);
}

} // namespace ptc
