// Names as values, and lists as calls.
//
// A list is a call of what its head means: a special form, whose own function reads the parts; a function that is known
// now, whose number of arguments is checked here; or a value that is only known when the program runs. Calls of core
// functions and of function literals become their bodies where that is possible (inlining.h). A call that is wrong is
// reported after its arguments have been looked at, so that one pass finds every mistake.
#include "compiler/analyze/calls.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/endless.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/fusion.h"
#include "compiler/analyze/handlers.h"
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/loop_scope.h"
#include "compiler/analyze/preludes.h"
#include "compiler/analyze/special_calls.h"
#include "compiler/analyze/tools.h"
#include "compiler/analyze/transducers.h"
#include "compiler/analyze/update_path.h"
#include "compiler/language/prelude.h"
#include "frontend/quoted.h"
#include "runtime/number.h"
#include <algorithm>

namespace ptc {
namespace {

// A function of the core program; while that is being compiled, one of its own.
Node* core_function_value(Analyzer& a, const CoreFunction& function, Span span, Tail tail) {
    for (const auto& [form, target] : a.core_targets) {
        if (form != &function.arities.front()) continue;
        Node* node = a.nodes.make(NodeKind::Fn, span, tail);
        node->function = target;
        return node;
    }
    Node* node = a.nodes.literal(Value::function(a.core.value_of(function)).raw(), span, tail);
    node->text = function.name;
    return node;
}

/// (range start end step) with a step that can be seen to be zero.
bool is_endless_range(Analyzer& a, const Form& form) {
    if (!form.is(FormKind::List) || form.size != 4 || !form.items()[0].is(FormKind::Symbol)) return false;
    const Form& step = form.items()[3];
    const auto is_zero = [&] {
        if (step.is(FormKind::Integer)) return step.integer == 0;
        if (step.is(FormKind::Float)) return step.number == 0;
        if (!step.is(FormKind::Symbol)) return false;
        const Resolved name = a.names.resolve(step, false);
        return name.kind == Resolved::Node && name.node->kind == NodeKind::Constant &&
               is_zero_number(Value::adopt(name.node->constant));
    };
    if (!is_zero()) return false;
    const Resolved head = a.names.resolve(form.items()[0], false);
    return head.kind == Resolved::Builtin && head.name->name == "range";
}

Node* call_builtin(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    const auto index = static_cast<std::uint32_t>(name.builtin);
    const Span span = a.span_of(list);
    if (!name.arity.accepts(arguments.size())) [[unlikely]] {
        if (a.at.site.core)
            return call_at_run_time(a, a.nodes.literal(Value::builtin(index).raw(), span, kValue), list, tail);
        const Builtin& row = builtin_at(index);
        if (!check_dropped(a, arguments)) return a.nodes.nil(span, tail);
        return a.failed(
            wrong_arity(row.category >= Category::Agent ? Reason::InvalidArity : Reason::ArityError, span, row.name,
                        argument_count(name.arity.min, name.arity.max == Arity::kOpen ? SIZE_MAX : name.arity.max),
                        arguments.size(), row.usage));
    }
    if (name.name == "take" && is_endless_range(a, arguments[1])) { // GAP-S45
        const FormSpan range = arguments[1].items();
        Node* count = a.analyze(arguments[0], kValue);
        Node* start = a.analyze(range[1], kValue);
        Node* end = a.analyze(range[2], kValue);
        return a.nodes.native_call("take-endless%", span, tail, {count, start, end});
    }
    if (name.name == "reduced" && (tail & kStepTail) != 0) { // the loop that it ends is here
        Node* node = a.nodes.make(NodeKind::Break, span, tail, {a.analyze(arguments[0], kValue)});
        node->target = a.at.leave;
        return node;
    }
    NodeList values(a.nodes);
    a.analyze_all(arguments, values);
    if (Node* walk = fused_call(a, index, values.items(), span, tail)) return walk;
    return a.nodes.builtin_call(index, span, tail, values.items());
}

/// Whether a clause of a core function over a native of the same name only hands its arguments on.
bool is_native_call(const CoreFunction& function, const CoreFunction::ArityForm& arity) {
    if (arity.variadic || arity.body.size() != 1) return false;
    const Form& body = arity.body[0];
    if (!body.is(FormKind::List) || body.size != arity.count + 1u || !body.items()[0].is_symbol(function.name))
        return false;
    for (std::size_t i = 0; i < arity.count; ++i) {
        if (!body.items()[i + 1].is_symbol(arity.params->items()[i].text())) return false;
    }
    return true;
}

/// What can be seen to be no transducer and no function.
bool is_plain_data(const Form& form) {
    if (form.is(FormKind::Symbol)) return form.text().starts_with("data/") || form.text().starts_with("ctx/");
    return form.kind < FormKind::Keyword || form.is(FormKind::Vector);
}

/// A call that makes a transducer, or takes one, and seems to lack its collection: (map data/rows), (into [] 1 2), or
/// (map inc) as the value of the program.
bool is_missing_collection(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail) {
    if (a.at.site.core) return false;
    const std::size_t count = list.size - 1;
    if (function.name == "into") return count == 3 && is_plain_data(list.items()[2]);
    if (!makes_transducer(a, list)) return false;
    if ((tail & kFunctionTail) != 0 && !a.at.function->parent) return true;
    if (count != 1 || !is_plain_data(list.items()[1])) return false;
    if (function.transducer == Transducer::Take) // not (take data/n)
        return !list.items()[1].is(FormKind::Integer) && !list.items()[1].is(FormKind::Symbol);
    return takes_function(function.transducer);
}

/// `is_short`: the call is that of a transducer, or with one, and is not meant so.
Node* wrong_core_arity(Analyzer& a, const CoreFunction& function, const Form& list, bool is_short) {
    const std::size_t count = list.size - 1;
    if (!check_dropped(a, list.items().subspan(1))) return a.nodes.nil(a.span_of(list));
    std::size_t min = SIZE_MAX, max = 0;
    for (const CoreFunction::ArityForm& form : function.arities) {
        if (is_short && form.count == count) continue;
        min = std::min<std::size_t>(min, form.count);
        max = form.variadic ? SIZE_MAX : std::max<std::size_t>(max, form.count);
    }
    return a.failed(wrong_arity(function.special ? Reason::InvalidArity : Reason::ArityError, a.span_of(list),
                                function.name, argument_count(min, max), count, std::string(function.usage)));
}

/// An argument that is a transducer where a collection is wanted: (reduce + (map :price) orders).
const Form* transducer_as_collection(Analyzer& a, const CoreFunction& function, const Form& list) {
    if (a.at.site.core || (!function.calls_for_items && function.name != "reduce")) return nullptr;
    for (std::size_t i = 2; i < list.size; ++i) {
        if (makes_transducer(a, list.items()[i])) return &list.items()[i];
    }
    return nullptr;
}

Node* call_core(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    const CoreFunction& function = *name.core;
    const std::size_t count = list.size - 1;
    const bool is_short = is_missing_collection(a, function, list, tail);
    const CoreFunction::ArityForm* arity = is_short ? nullptr : function.arity(count);
    if (const Form* part = transducer_as_collection(a, function, list))
        return wrong_core_arity(a, *a.names.resolve(part->items()[0]).name->core, *part, true);
    if (arity && function.name == "update-in" && !a.at.site.core && count <= kMaxPathArguments &&
        list.items()[2].is(FormKind::Vector) && list.items()[2].size > 0 && list.items()[2].size <= kMaxPathKeys) {
        return update_path(a, function, list, tail);
    }
    if (arity && name.builtin >= 0 && is_native_call(function, *arity)) return call_builtin(a, name, list, tail);
    if (arity && !a.at.site.core) {
        if (Node* loop = transducer_loop(a, function, list, tail)) return loop;
    }
    if (arity && function.inlined) return a.inline_core(function, *arity, list, tail);
    if (arity && !a.core_targets.empty()) { // the core library itself is being compiled
        for (const auto& [form, target] : a.core_targets) {
            if (form != arity) continue;
            Node* node = a.nodes.make(NodeKind::CallFunction, a.span_of(list), tail);
            node->function = target;
            node->text = function.name;
            return analyze_arguments(a, node, list.items().subspan(1));
        }
    }
    if (!arity && !a.at.site.core) return wrong_core_arity(a, function, list, is_short);
    return call_at_run_time(a, core_function_value(a, function, a.span_of(list), kValue), list, tail);
}

Node* call_known(Analyzer& a, const GlobalName& global, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    Function* const function = find_arity(global.known, arguments.size());
    if (!function) {
        if (a.at.site.core) {
            Node* callee = a.nodes.make(NodeKind::Global, a.span_of(list));
            callee->text = global.name;
            return call_at_run_time(a, callee, list, tail);
        }
        if (!check_dropped(a, arguments)) return a.nodes.nil(a.span_of(list), tail);
        Error error = wrong_arity(Reason::ArityMismatch, a.span_of(list), global.name, arguments_taken(global.known),
                                  arguments.size(), {});
        return a.failed(std::move(error).with_label(global.first_definition, "defined here"));
    }
    Node* node = a.nodes.make(NodeKind::CallFunction, a.span_of(list), tail);
    node->function = function;
    node->text = global.name;
    return analyze_arguments(a, node, arguments);
}

Node* call_self(Analyzer& a, Function* function, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    Function* const arity = find_arity(function, arguments.size());
    if (!arity && !a.at.site.core) {
        if (!check_dropped(a, arguments)) return a.nodes.nil(a.span_of(list), tail);
        return a.failed(wrong_arity(Reason::ArityMismatch, a.span_of(list), function->name, arguments_taken(function),
                                    arguments.size(), {}));
    }
    if (!arity || first_arity(*a.at.function) != function) {
        return call_value(a, a.nodes.reference(self_value(a, function), a.span_of(list)), arguments, a.span_of(list),
                          tail);
    }
    Node* node = a.nodes.make(NodeKind::CallSelf, a.span_of(list), tail);
    node->function = arity;
    return analyze_arguments(a, node, arguments);
}

void bind_names(Analyzer& a, const Form& pattern) {
    if (is_binding_name(pattern)) a.names.bind(pattern.text(), a.nodes.new_local(pattern.text(), a.span_of(pattern)));
    if (!pattern.is(FormKind::Vector) && !pattern.is(FormKind::Map)) return;
    for (const Form& part : pattern.items())
        bind_names(a, part);
}

/// A form that does not exist may bind names, as (defun area [w h] ..) and (with-open [r (reader f)] ..) do. That these
/// are unknown follows from its being unknown, so it is not said beside it.
void bind_introduced(Analyzer& a, FormSpan arguments) {
    for (std::size_t i = 0; i < arguments.size() && i < 2; ++i) {
        if (!arguments[i].is(FormKind::Vector)) continue;
        if (i == 1) bind_names(a, arguments[0]);
        bind_names(a, arguments[i]);
    }
}

/// The same for a definition of another language: (defun area (w h) ..), (define (area w h) ..). Its name is defined
/// from here on, its parameters are bound.
void define_introduced(Analyzer& a, std::string_view head, FormSpan arguments) {
    if (!head.starts_with("def") || arguments.size() < 2) return;
    const bool is_list = arguments[0].is(FormKind::List) && arguments[0].size > 0;
    const Form& name = is_list ? arguments[0].items()[0] : arguments[0];
    if (!is_binding_name(name)) return;
    a.names.globals().add(name.text(), name_hash(name.text())).defined = true;
    const Form& parameters = arguments[is_list ? 0 : 1];
    if (!parameters.is(FormKind::List)) return;
    for (const Form& parameter : parameters.items())
        bind_names(a, parameter);
}

} // namespace

Node* value_of(Analyzer& a, const Resolved& written, const Form& form, Tail tail) {
    const Resolved name = a.at.site.core ? written : a.names.sorted_variant(written);
    const Span span = a.span_of(form);
    switch (name.kind) {
    case Resolved::Unknown:
    case Resolved::Error: return a.nodes.nil(span, tail);
    case Resolved::Local: return a.nodes.reference(name.local, span, tail);
    case Resolved::Node: {
        if (name.node->kind != NodeKind::Constant)
            return const_cast<Node*>(name.node); // used once: see BindingKind::Node
        return a.nodes.literal(name.node->constant, span, tail);
    }
    case Resolved::Lambda: return fn_value(a, *name.argument->lambda, tail);
    case Resolved::Self: return a.nodes.reference(self_value(a, name.function), span, tail);
    case Resolved::Known:
    case Resolved::Global: {
        Node* node = a.nodes.make(NodeKind::Global, span, tail);
        node->text = name.global->name;
        return node;
    }
    case Resolved::Special: {
        if (name.name->core) break; // `apply` is a function too
        if (const GlobalName* global =
                a.at.site.core ? nullptr : a.names.globals().find(form.text(), name_hash(form.text()));
            global && global->defined) { // (def let 1): the name has a value, though a call is still the special form
            Node* node = a.nodes.make(NodeKind::Global, span, tail);
            node->text = global->name;
            return node;
        }
        if (a.at.site.core) return a.nodes.nil(span, tail);
        if (form.text() == "budget/remaining") { // also read as a value
            return budget_form(a, call_of({&form, 1}, span), tail);
        }
        return a.failed(special_form_as_value(span, form.text()));
    }
    case Resolved::Core: break;
    case Resolved::Builtin:
        return a.nodes.literal(Value::builtin(static_cast<std::uint32_t>(name.name->builtin)).raw(), span, tail);
    case Resolved::Constant: return a.nodes.named_constant(*name.constant, span, tail);
    case Resolved::Tool: return tool_function(a, name.text, span, tail);
    case Resolved::Data: return data_reference(a, name.text, span, tail);
    case Resolved::Memory: {
        if (!name.global && !a.environment.any_global)
            return a.nodes.nil(span, tail); // older form: an absent name is nil
        Node* node = a.nodes.make(NodeKind::Global, span, tail);
        node->text = name.text;
        return node;
    }
    case Resolved::History: {
        Node* node = a.nodes.make(NodeKind::History, span, tail);
        node->index = name.index;
        return node;
    }
    case Resolved::Export: return a.nodes.literal(name.member->value, span, tail);
    case Resolved::Sibling: return sibling_value(a, *name.sibling, span, tail);
    }
    return core_function_value(a, *name.name->core, span, tail);
}

// ---- Lists

Node* call_name(Analyzer& a, const Form& list, const Resolved& name, Tail tail) {
    const Form& head = list.items()[0];
    const FormSpan arguments = list.items().subspan(1);
    if (name.kind == Resolved::Builtin || name.kind == Resolved::Core) {
        if (Node* node = special_call(a, *name.name, list, tail)) return node;
        if (Node* node = call_with_lazy(a, *name.name, list, tail)) return node;
        constexpr WholeTest kIsWhole = [](Analyzer& at, const Form& form) {
            return laziness_of(at, form) <= Laziness::Maybe; // whatever else it is, it is not sorted
        };
        if (Node* node = sorted_part_call(a, *name.name, list, tail, kIsWhole)) return node;
        // (conj coll x), where a function of the program may sort coll
        const Resolved variant = a.at.site.core ? name : a.names.sorted_variant(name);
        if (variant.name != name.name && variant.name->core->arity(arguments.size()))
            return call_name(a, list, variant, tail);
    }
    if (name.kind == Resolved::Special && name.name->core) { // `apply` is a function too
        if (Node* node = special_call(a, *name.name, list, tail)) return node;
    }
    switch (name.kind) {
    case Resolved::Special: return handler_of(static_cast<std::size_t>(name.name->special))(a, list, tail);
    case Resolved::Builtin: return call_builtin(a, *name.name, list, tail);
    case Resolved::Core: return call_core(a, *name.name, list, tail);
    case Resolved::Known: return call_known(a, *name.global, list, tail);
    case Resolved::Self: return call_self(a, name.function, list, tail);
    case Resolved::Lambda: return inline_lambda(a, *name.argument->lambda, list, tail);
    case Resolved::Export: return call_export(a, *name.member, list, tail);
    case Resolved::Sibling: return call_sibling(a, *name.sibling, list, tail);
    case Resolved::Tool: return call_tool(a, name.text, list, arguments, a.span_of(head), tail);
    case Resolved::Node:
        if (name.node->kind == NodeKind::Constant) return call_constant(a, *name.node, list, tail);
        break;
    case Resolved::Constant:
        if (arguments.empty())
            return a.nodes.named_constant(*name.constant, a.span_of(list), tail); // (Double/POSITIVE_INFINITY)
        return a.failed(not_a_function(a.span_of(head), head.text()));
    case Resolved::Data:
        if ((arguments.size() == 1 || arguments.size() == 2) && a.is_data(name.text))
            break; // (data/prices :tea): a map is a function of its keys
        return a.failed(bad_shape(a.span_of(head), quoted(head.text()) + " is a value of the context, not a function.",
                                  "Write it without brackets."));
    case Resolved::Error: {
        const Binding* const scope = a.at.site.scope;
        bind_introduced(a, arguments);
        define_introduced(a, head.text(), arguments);
        check_dropped(a, arguments); // every error counts
        a.at.site.scope = scope;
        return a.nodes.nil(a.span_of(list), tail);
    }
    default: break;
    }
    return call_value(a, value_of(a, name, head, kValue), arguments, a.span_of(list), tail);
}

Node* analyze_list(Analyzer& a, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    if (list.size == 0) return a.quoted_value(list, span, tail); // () is '()
    const Form& head = list.items()[0];
    const FormSpan arguments = list.items().subspan(1);
    switch (head.kind) {
    case FormKind::Symbol:
    case FormKind::Var: {
        Form name = head;
        name.kind = FormKind::Symbol;
        return call_name(a, list, a.names.resolve_head(name), tail);
    }
    case FormKind::Keyword: return call_keyword(a, a.nodes.keyword(head.text(), a.span_of(head), kValue), list, tail);
    case FormKind::Map:
        if (arguments.empty() || arguments.size() > 2) return a.failed(bad_map_call(span, arguments.size()));
        return call_value(a, a.analyze(head, kValue), arguments, span, tail);
    case FormKind::Set:
        if (arguments.size() != 1) {
            return a.failed(
                wrong_arity(Reason::ArityError, span, "a set", "1 argument", arguments.size(), "(#{1 2} item)"));
        }
        return call_value(a, a.analyze(head, kValue), arguments, span, tail);
    case FormKind::Vector: return call_value(a, a.analyze(head, kValue), arguments, span, tail);
    case FormKind::ShortFn: {
        const Lambda* lambda = read_short_fn(a, head);
        return lambda ? inline_lambda(a, *lambda, list, tail) : a.nodes.nil(span, tail);
    }
    case FormKind::List: {
        if (head.size == 0)
            return a.failed(bad_shape(a.span_of(head), "`()` calls nothing.", "An empty sequence is written []."));
        if (const Lambda* lambda = literal_lambda(a, head)) return inline_lambda(a, *lambda, list, tail);
        Let let(a.nodes);
        if (const Lambda* lambda = combinator(a, head, let)) {
            Node* node = inline_lambda(a, *lambda, list, tail);
            return let.finish(node, span, tail);
        }
        return call_value(a, a.analyze(head, kValue), arguments, span, tail);
    }
    default:
        return a.failed(not_a_function(a.span_of(head), head.is(FormKind::String) ? "a string" : describe_form(head)));
    }
}

} // namespace ptc
