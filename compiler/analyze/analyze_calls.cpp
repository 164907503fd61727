// Symbols as values and lists as calls.
#include "compiler/analyze/analysis.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include <algorithm>

namespace ptc {

// ---- Names as values
// ---------------------------------------------------------------------------------------------------

Node* Analyzer::analyze_symbol(const Form& form, Place place) { return value_of(resolve(form), form, place); }

Node* Analyzer::value_of(const Resolved& name, const Form& form, Place place) {
    const Span span = span_of(form);
    switch (name.kind) {
    case Resolved::Unknown:
    case Resolved::Error: return nil(span, place);
    case Resolved::Local: return reference(name.local, span, place);
    case Resolved::Node: {
        if (name.node->kind != NodeKind::Constant)
            return const_cast<Node*>(name.node); // used once: see BindingKind::Node
        return literal(name.node->constant, span, place);
    }
    case Resolved::Lambda: return fn_value(*name.argument->lambda, place);
    case Resolved::Self: return reference(self_value(name.function), span, place);
    case Resolved::Known:
    case Resolved::Global: {
        Node* node = make(NodeKind::Global, span, place);
        node->text = name.global->name;
        return node;
    }
    case Resolved::Special: {
        if (name.name->core) break; // `apply` is a function too
        if (const GlobalName* global = site_.core ? nullptr : globals_.find(form.text(), name_hash(form.text()));
            global && global->defined) { // (def let 1): the name has a value, though a call is still the special form
            Node* node = make(NodeKind::Global, span, place);
            node->text = global->name;
            return node;
        }
        if (site_.core) return nil(span, place);
        if (form.text() == "budget/remaining") { // also read as a value
            return budget_form(call_of({&form, 1}, span), place);
        }
        return failed(special_form_as_value(span, form.text()));
    }
    case Resolved::Core: break;
    case Resolved::Builtin:
        return literal(Value::builtin(static_cast<std::uint32_t>(name.name->builtin)).raw(), span, place);
    case Resolved::Constant: return named_constant(*name.constant, span, place);
    case Resolved::Tool: return tool_function(name.text, span, place);
    case Resolved::Data: return data_reference(name.text, span, place);
    case Resolved::Memory: {
        if (!name.global && !environment_.any_global) return nil(span, place); // older form: an absent name is nil
        Node* node = make(NodeKind::Global, span, place);
        node->text = name.text;
        return node;
    }
    case Resolved::History: {
        Node* node = make(NodeKind::History, span, place);
        node->index = name.index;
        return node;
    }
    case Resolved::Export: return member_value(name.member->value, span, place);
    case Resolved::Sibling: return sibling_value(*name.sibling, span, place);
    }
    return core_function_value(*name.name->core, span, place);
}

// A function of the core program; while that is being compiled, one of its own.
Node* Analyzer::core_function_value(const CoreFunction& function, Span span, Place place) {
    for (const auto& [form, target] : core_targets_) {
        if (form != &function.arities.front()) continue;
        Node* node = make(NodeKind::Fn, span, place);
        node->function = target;
        return node;
    }
    Node* node = literal(Value::function(function.function).raw(), span, place);
    node->text = function.name;
    return node;
}

// ---- Lists
// -------------------------------------------------------------------------------------------------------------

Node* Analyzer::analyze_list(const Form& list, Place place) {
    const Span span = span_of(list);
    if (list.size == 0) {
        return failed(bad_shape(span, "`()` calls nothing.", "An empty sequence is written []."));
    }
    const Form& head = list.items()[0];
    const FormSpan arguments = list.items().subspan(1);
    switch (head.kind) {
    case FormKind::Symbol:
    case FormKind::Var: {
        Form name = head;
        name.kind = FormKind::Symbol;
        return call_name(list, resolve(name), place);
    }
    case FormKind::Keyword: return call_keyword(keyword(head.text(), span_of(head), kValue), list, place);
    case FormKind::Map:
        if (arguments.empty() || arguments.size() > 2) return failed(bad_map_call(span, arguments.size()));
        return call_value(analyze(head, kValue), arguments, span, place);
    case FormKind::Set:
        if (arguments.size() != 1) {
            return failed(
                wrong_arity(Reason::ArityError, span, "a set", "1 argument", arguments.size(), "(#{1 2} item)"));
        }
        return call_value(analyze(head, kValue), arguments, span, place);
    case FormKind::Vector: return call_value(analyze(head, kValue), arguments, span, place);
    case FormKind::ShortFn: {
        const Lambda* lambda = read_short_fn(head);
        return lambda ? inline_lambda(*lambda, list, place) : nil(span, place);
    }
    case FormKind::List: {
        if (const Lambda* lambda = literal_lambda(head)) return inline_lambda(*lambda, list, place);
        Let let(*this);
        if (const Lambda* lambda = combinator(head, let)) {
            Node* node = inline_lambda(*lambda, list, place);
            return let.finish(node, span, place);
        }
        return call_value(analyze(head, kValue), arguments, span, place);
    }
    default: return failed(not_a_function(span_of(head), head.is(FormKind::String) ? "a string" : describe_form(head)));
    }
}

Node* Analyzer::analyze_arguments(Node* node, FormSpan arguments, std::size_t first) {
    for (const Form& argument : arguments) {
        Node* value = analyze(argument, kValue);
        node_stack_.push_back(value);
    }
    node->children = take_nodes(first);
    return node;
}

/// Looks at arguments of a call that cannot be made. False when they have errors of their own: those come first, as the
/// number of arguments may change with them.
bool Analyzer::check_dropped(FormSpan arguments) {
    const std::size_t before = reports_;
    for (const Form& argument : arguments)
        discard(analyze(argument, kValue));
    return reports_ == before;
}

Node* Analyzer::call_value(Node* callee, FormSpan arguments, Span span, Place place) {
    Node* node = make(NodeKind::Invoke, span, place);
    const std::size_t first = node_stack_.size();
    node_stack_.push_back(callee);
    return analyze_arguments(node, arguments, first);
}

/// A keyword (or string) that is called: a field access.
Node* Analyzer::call_keyword(Node* keyword, const Form& list, Place place) {
    const FormSpan arguments = list.items().subspan(1);
    if (arguments.empty() || arguments.size() > 2) {
        return failed(bad_keyword_call(span_of(list), text_of(Value::adopt(keyword->constant)), arguments.size()));
    }
    Node* node = make(NodeKind::KeywordCall, span_of(list), place);
    node->constant = keyword->constant;
    return analyze_arguments(node, arguments, node_stack_.size());
}

Node* Analyzer::call_name(const Form& list, const Resolved& name, Place place) {
    const Form& head = list.items()[0];
    const FormSpan arguments = list.items().subspan(1);
    switch (name.kind) {
    case Resolved::Special: return (this->*kHandlers[name.name->special])(list, place);
    case Resolved::Builtin: return call_builtin(*name.name, list, place);
    case Resolved::Core: return call_core(*name.name->core, list, place);
    case Resolved::Known: return call_known(*name.global, list, place);
    case Resolved::Self: return call_self(name.function, list, place);
    case Resolved::Lambda: return inline_lambda(*name.argument->lambda, list, place);
    case Resolved::Export: return call_export(*name.member, list, place);
    case Resolved::Sibling: return call_sibling(*name.sibling, list, place);
    case Resolved::Tool: return call_tool(name.text, list, arguments, span_of(head), place);
    case Resolved::Node:
        if (name.node->kind == NodeKind::Constant) return call_constant(*name.node, list, place);
        break;
    case Resolved::Constant:
        if (arguments.empty())
            return named_constant(*name.constant, span_of(list), place); // (Double/POSITIVE_INFINITY)
        return failed(not_a_function(span_of(head), head.text()));
    case Resolved::Data:
        return failed(bad_shape(span_of(head),
                                "`" + std::string(head.text()) + "` is a value of the context, not a function.",
                                "Write it without brackets."));
    case Resolved::Error: {
        check_dropped(arguments); // every error counts
        return nil(span_of(list), place);
    }
    default: break;
    }
    return call_value(value_of(name, head, kValue), arguments, span_of(list), place);
}

/// A parameter of an inlined function whose argument is known.
Node* Analyzer::call_constant(const Node& callee, const Form& list, Place place) {
    const Value value = Value::adopt(callee.constant);
    const std::size_t count = list.size - 1;
    if (value.is_keyword() && (count == 1 || count == 2))
        return call_keyword(literal(callee.constant, span_of(list), kValue), list, place);
    return call_value(literal(callee.constant, span_of(list), kValue), list.items().subspan(1), span_of(list), place);
}

Node* Analyzer::call_at_run_time(Node* callee, const Form& list, Place place) {
    return call_value(callee, list.items().subspan(1), span_of(list), place);
}

Node* Analyzer::call_builtin(const CoreName& name, const Form& list, Place place) {
    const FormSpan arguments = list.items().subspan(1);
    const auto index = static_cast<std::uint32_t>(name.builtin);
    const Span span = span_of(list);
    if (!name.arity.accepts(arguments.size())) [[unlikely]] {
        if (site_.core) return call_at_run_time(literal(Value::builtin(index).raw(), span, kValue), list, place);
        const Builtin& row = builtin_at(index);
        if (!check_dropped(arguments)) return nil(span, place);
        return failed(
            wrong_arity(row.category >= Category::Agent ? Reason::InvalidArity : Reason::ArityError, span, row.name,
                        argument_count(name.arity.min, name.arity.max == Arity::kOpen ? SIZE_MAX : name.arity.max),
                        arguments.size(), row.usage));
    }
    const std::size_t first = node_stack_.size();
    if (name.name == "take" && is_endless_range(arguments[1])) { // GAP-S45
        const Form& range = arguments[1];
        for (const Form* argument : {&arguments[0], &range.items()[1], &range.items()[2]}) {
            Node* value = analyze(*argument, kValue);
            node_stack_.push_back(value);
        }
        return builtin_call(native("take-endless%"), span, place, first);
    }
    for (const Form& argument : arguments) {
        Node* value = analyze(argument, kValue);
        node_stack_.push_back(value);
    }
    return builtin_call(index, span, place, first);
}

/// (range start end step) with a step that can be seen to be zero.
bool Analyzer::is_endless_range(const Form& form) {
    if (!form.is(FormKind::List) || form.size != 4 || !form.items()[0].is(FormKind::Symbol)) return false;
    const Form& step = form.items()[3];
    const auto is_zero = [&] {
        if (step.is(FormKind::Integer)) return step.integer == 0;
        if (step.is(FormKind::Float)) return step.number == 0;
        if (!step.is(FormKind::Symbol)) return false;
        const Resolved name = resolve(step, false);
        return name.kind == Resolved::Node && name.node->kind == NodeKind::Constant &&
               is_zero_number(Value::adopt(name.node->constant));
    };
    if (!is_zero()) return false;
    const Resolved head = resolve(form.items()[0], false);
    return head.kind == Resolved::Builtin && head.name->name == "range";
}

Node* Analyzer::call_core(const CoreFunction& function, const Form& list, Place place) {
    const std::size_t count = list.size - 1;
    const CoreFunction::ArityForm* arity = function.arity(count);
    if (arity && function.name == "update-in" && !site_.core && count <= 7 && list.items()[2].is(FormKind::Vector) &&
        list.items()[2].size > 0) {
        return update_path(function, list, place);
    }
    if (arity && function.inlined) return inline_core(function, *arity, list, place);
    if (arity && !core_targets_.empty()) { // the core library itself is being compiled
        for (const auto& [form, target] : core_targets_) {
            if (form != arity) continue;
            Node* node = make(NodeKind::CallFunction, span_of(list), place);
            node->function = target;
            node->text = function.name;
            return analyze_arguments(node, list.items().subspan(1), node_stack_.size());
        }
    }
    if (!arity && !site_.core) {
        if (!check_dropped(list.items().subspan(1))) return nil(span_of(list), place);
        std::size_t min = SIZE_MAX, max = 0;
        for (const CoreFunction::ArityForm& form : function.arities) {
            min = std::min<std::size_t>(min, form.count);
            max = form.variadic ? SIZE_MAX : std::max<std::size_t>(max, form.count);
        }
        return failed(wrong_arity(function.special ? Reason::InvalidArity : Reason::ArityError, span_of(list),
                                  function.name, argument_count(min, max), count, std::string(function.usage)));
    }
    return call_at_run_time(core_function_value(function, span_of(list), kValue), list, place);
}

Node* Analyzer::call_known(const GlobalName& global, const Form& list, Place place) {
    const Function& function = *global.known;
    const FormSpan arguments = list.items().subspan(1);
    const std::size_t fixed = function.params.size() - (function.variadic ? 1 : 0);
    const bool fits = function.variadic ? arguments.size() >= fixed : arguments.size() == fixed;
    if (!fits) {
        if (site_.core) {
            Node* callee = make(NodeKind::Global, span_of(list));
            callee->text = global.name;
            return call_at_run_time(callee, list, place);
        }
        if (!check_dropped(arguments)) return nil(span_of(list), place);
        Error error = wrong_arity(Reason::ArityMismatch, span_of(list), global.name,
                                  argument_count(fixed, function.variadic ? SIZE_MAX : fixed), arguments.size(), {});
        return failed(std::move(error).with_label(global.first_definition, "defined here"));
    }
    Node* node = make(NodeKind::CallFunction, span_of(list), place);
    node->function = const_cast<Function*>(global.known);
    node->text = global.name;
    return analyze_arguments(node, arguments, node_stack_.size());
}

Node* Analyzer::call_self(Function* function, const Form& list, Place place) {
    const FormSpan arguments = list.items().subspan(1);
    const std::size_t fixed = function->params.size() - (function->variadic ? 1 : 0);
    const bool fits = function->variadic ? arguments.size() >= fixed : arguments.size() == fixed;
    if (!fits && !site_.core) {
        if (!check_dropped(arguments)) return nil(span_of(list), place);
        return failed(wrong_arity(Reason::ArityMismatch, span_of(list), function->name,
                                  argument_count(fixed, function->variadic ? SIZE_MAX : fixed), arguments.size(), {}));
    }
    if (!fits || fn_ != function) {
        return call_value(reference(self_value(function), span_of(list)), arguments, span_of(list), place);
    }
    Node* node = make(NodeKind::CallSelf, span_of(list), place);
    return analyze_arguments(node, arguments, node_stack_.size());
}

// ---- Data
// --------------------------------------------------------------------------------------------------------------

/// data/name. Context does not change while a program runs: inside of a loop it is read once, before the loop.
Node* Analyzer::data_reference(std::string_view name, Span span, Place place) {
    if (PreludeScope::Uses* uses = prelude_ ? prelude_->current_uses() : nullptr) uses->data = true;
    const GlobalName* seen = data_.find(name, name_hash(name));
    if (!seen) {
        seen = &data_.add(name, name_hash(name));
        tree_.data_names.push_back(name);
    }
    if (!hoist_) {
        Node* node = make(NodeKind::DataRef, span, place);
        node->text = name;
        return node;
    }
    for (Hoisted* hoisted = hoist_->first; hoisted; hoisted = hoisted->next) {
        if (hoisted->name == name) return reference(hoisted->local, span, place);
    }
    Local* local = new_local(name, span);
    hoist_->first = create<Hoisted>(name, local, span, hoist_->first);
    return reference(local, span, place);
}

Node* Analyzer::LoopScope::finish(Node* loop, Place place) {
    if (!outermost) return loop;
    analyzer.hoist_ = nullptr;
    if (!frame.first) return loop;
    Let let(analyzer);
    for (Hoisted* hoisted = frame.first; hoisted; hoisted = hoisted->next) {
        Node* node = analyzer.make(NodeKind::DataRef, hoisted->span);
        node->text = hoisted->name;
        let.add(hoisted->local, node);
    }
    return let.finish(loop, loop->span, place);
}

} // namespace ptc
