// What a program does with its host, besides calling tools by name: the older form of tool calls, return and fail,
// apply, session memory of the older dialect, the journal.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/calls.h"
#include "compiler/analyze/definitions.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/fusion.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/tools.h"

namespace ptc {

// ---- Tools

namespace {

/// The end of the program with `value`, which all tasks around it come to.
Node* return_node(Analyzer& a, Node* value, Span span, Tail tail) {
    for (const OpenTask* task = a.at.task; task; task = task->around)
        value = a.nodes.native_call("task-return%", span, kValue, {a.nodes.reference(task->id, span), value});
    return a.nodes.make(NodeKind::Return, span, tail, {value});
}

} // namespace

// (call "tool" {..}), requirement 70; "return" and "fail" are no tools.
Node* call_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    const Form& name = list.items()[1];
    if (!name.is(FormKind::String)) {
        return a.failed(
            bad_form(a.span_of(name), *a.special_of(list), "the tool's name is a string that stands in the program"));
    }
    const FormSpan arguments = list.items().subspan(2);
    if (name.text() == "return" || name.text() == "fail") {
        if (arguments.size() != 1)
            return a.failed(wrong_parts(a.span_of(list), *a.special_of_name(name.text()), arguments.size()));
        Node* value = analyze_whole(a, arguments[0], kValue, "The result");
        if (name.text() == "return") return return_node(a, value, a.span_of(list), tail);
        return a.nodes.make(NodeKind::Fail, a.span_of(list), tail, {value});
    }
    return call_tool(a, name.text(), list, arguments, a.span_of(name), tail);
}

// ---- Ends

namespace {

Node* single_value(Analyzer& a, const Form& list) { return analyze_whole(a, list.items()[1], kValue, "The result"); }

} // namespace

Node* return_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, 1)) return a.nodes.nil(a.span_of(list), tail);
    return return_node(a, single_value(a, list), a.span_of(list), tail);
}

Node* fail_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, 1)) return a.nodes.nil(a.span_of(list), tail);
    return a.nodes.make(NodeKind::Fail, a.span_of(list), tail, {single_value(a, list)});
}

namespace {

/// (apply max-key f coll) as (max-key-of% f coll), which keeps the best item in a variable; null for all other calls.
Node* item_of_best_key(Analyzer& a, const Form& list, Tail tail) {
    const FormSpan parts = list.items();
    if (a.at.site.core || parts.size() != 4 || !parts[1].is(FormKind::Symbol)) return nullptr;
    const Resolved name = a.names.resolve(parts[1], false);
    if (name.kind != Resolved::Core || (name.name->name != "min-key" && name.name->name != "max-key")) return nullptr;
    if (laziness_of(a, parts[3]) != Laziness::None) return nullptr;
    const Form call[] = {hidden_name(name.name->name == "min-key" ? " min-key-of%" : " max-key-of%", parts[1].span),
                         parts[2], parts[3]};
    const CalledAs called(a.at, name.name->name);
    return a.analyze(call_of(a.nodes.copy(std::span<const Form>(call)), list.span), tail);
}

} // namespace

Node* apply_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 2, SIZE_MAX)) return a.nodes.nil(a.span_of(list), tail);
    if (Node* best = item_of_best_key(a, list, tail)) return best;
    if (Node* gathered = concat_with_lazy(a, list, tail)) return gathered;
    Node* node = a.nodes.make(NodeKind::Apply, a.span_of(list), tail);
    const FormSpan parts = list.items();
    NodeList values(a.nodes);
    a.analyze_all(parts.subspan(1, parts.size() - 2), values);
    values.add(analyze_realized(a, parts.back(), kValue, "apply"));
    if (values.items().size() == 2) {
        Node* walked = fused_apply(a, values[0], values[1], node->span, tail);
        if (walked) return walked;
    }
    node->children = values.take();
    return node;
}

// ---- Session memory of the older dialect (requirement 71)

namespace {

bool is_memory_key(const Form& key) { return key.is(FormKind::Keyword) || (key.is(FormKind::String) && key.size > 0); }

} // namespace

// (memory/put :k v): defines k; the value is v.
Node* memory_put_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 2, 2)) return a.nodes.nil(span, tail);
    const Form& key = list.items()[1];
    if (!is_memory_key(key))
        return a.failed(
            bad_form(a.span_of(key), *a.special_of(list), "the key is a keyword that stands in the program"));
    if (!a.names.check_stateless(list, "memory/put") || !check_unprotected(a, key)) return a.nodes.nil(span, tail);
    Let let(a.nodes);
    Local* value = let.temporary(a.analyze(list.items()[2], kValue));
    Node* define = definition(a, NodeKind::Def, key, a.nodes.reference(value, span), span, kValue);
    return let.finish(a.nodes.make(NodeKind::Do, span, tail, {define, a.nodes.reference(value, span, tail)}), span,
                      tail);
}

Node* memory_get_form(Analyzer& a, const Form& list, Tail tail) {
    if (!a.check_parts(list, 1, 1)) return a.nodes.nil(a.span_of(list), tail);
    const Form& key = list.items()[1];
    if (!is_memory_key(key)) {
        return a.failed(
            bad_form(a.span_of(key), *a.special_of(list), "the key is a keyword that stands in the program"));
    }
    if (!a.names.check_stateless(list, "memory/get")) return a.nodes.nil(a.span_of(list), tail);
    Resolved name;
    name.kind = Resolved::Memory;
    name.text = key.text();
    name.global = a.names.globals().find(key.text(), name_hash(key.text()));
    return value_of(a, name, list, tail);
}

// ---- Forms whose work is a native's

namespace {

/// A call of the native `name` with the arguments as they are.
Node* native_form(Analyzer& a, const char* name, const Form& list, std::size_t min, std::size_t max, Tail tail) {
    if (!a.check_parts(list, min, max)) return a.nodes.nil(a.span_of(list), tail);
    const CoreName* entry = a.core.lookup(name, name_hash(name));
    if (!entry || entry->builtin < 0) return a.failed(not_available(a.span_of(list), list.items()[0].text()));
    NodeList values(a.nodes);
    a.analyze_all(list.items().subspan(1), values);
    return a.nodes.builtin_call(static_cast<std::uint32_t>(entry->builtin), a.span_of(list), tail, values.items());
}

} // namespace

Node* budget_form(Analyzer& a, const Form& list, Tail tail) {
    return native_form(a, "budget/remaining", list, 0, 0, tail);
}

Node* tool_servers_form(Analyzer& a, const Form& list, Tail tail) {
    for (const ToolInfo& tool : a.environment.tools) {
        if (tool.name == "servers")
            return call_tool(a, "servers", list, list.items().subspan(1), a.span_of(list.items()[0]), tail);
    }
    if (!a.check_parts(list, 0, 0)) return a.nodes.nil(a.span_of(list), tail);
    return a.failed(Error(Reason::RuntimeError, a.span_of(list), "This host has no servers that tools come from."));
}

// (task id expression): (if (task-kept?% id) (task-value% id) (task-keep% id expression)). A (return v) that stands in
// the expression is (return (task-return% id v)).
Node* task_form(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (!a.check_parts(list, 2, 2)) return a.nodes.nil(span, tail);
    Let let(a.nodes);
    Local* id = let.temporary(a.nodes.native_call("str", span, kValue, {a.analyze(list.items()[1], kValue)}));
    Node* test = a.nodes.native_call("task-kept?%", span, kValue, {a.nodes.reference(id, span)});
    Node* old = a.nodes.native_call("task-value%", span, tail, {a.nodes.reference(id, span)});
    const OpenTask open{id, a.at.task};
    a.at.task = &open;
    Node* value = a.analyze(list.items()[2], kValue);
    a.at.task = open.around;
    Node* keep = a.nodes.native_call("task-keep%", span, tail, {a.nodes.reference(id, span), value});
    return let.finish(a.nodes.make(NodeKind::If, span, tail, {test, old, keep}), span, tail);
}

} // namespace ptc
