// Core functions and function literals in the caller's frame: (map (fn [x] ..) xs) becomes one loop without a call.
//
// A core function's body is analysed anew at each call, in a scope that holds its parameters only. A parameter is bound
// - to the argument itself, when it is the name of a variable or function, a constant, or a function literal that is
//   called at one place: then the call in the body becomes the literal's body, analysed in the scope where it was
//   written;
// - to the argument's node, when the body uses it once, before anything else (ParamUse::in_place);
// - else to a temporary variable. Arguments with effects are evaluated once, in order.
//
// A literal is inlined in the same way: its parameters become variables of the caller, or stand for arguments that are
// names. When its body recurs it becomes a Loop with a variable for each parameter. Two sites take part, the caller's
// for arguments and the literal's for parameters and body, and the context is switched between them.
#include "compiler/analyze/inlining.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/call_nodes.h"
#include "compiler/analyze/functions.h"
#include "compiler/analyze/loop_scope.h"
#include "compiler/analyze/patterns.h"
#include "compiler/analyze/sequences.h"
#include "compiler/language/form_questions.h"
#include "compiler/prelude/prelude_scope.h"
#include "runtime/print.h"
#include <algorithm>
#include <functional>

namespace ptc {

std::size_t count_forms(const Form& form, std::size_t limit) {
    std::size_t count = 1;
    if (form.kind < FormKind::List || form.is(FormKind::Var)) return count;
    for (const Form& item : form.items()) {
        if (count > limit) break;
        count += count_forms(item, limit - std::min(limit, count));
    }
    return count;
}

namespace {

constexpr std::size_t kSmallLiteral = 8; ///< forms; a function literal of this size is inlined at several places

/// Whether `form` may recur to the literal that it stands in: a recur in a loop or function inside belongs to that one.
bool mentions_recur(const Form& form) {
    if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::ShortFn) || form.size == 0)
        return false;
    const Form& head = form.items()[0];
    if (form.is(FormKind::List) && head.is(FormKind::Symbol)) {
        if (head.text() == "recur") return true;
        if (head.text() == "fn" || head.text() == "loop") return false;
    }
    for (const Form& item : form.items()) {
        if (item.is_symbol("recur") || mentions_recur(item)) return true; // (-> x recur)
    }
    return false;
}

bool is_callable_constant(Bits bits, bool string_key) {
    const Value value = Value::adopt(bits);
    return value.is_function() || value.is_keyword() || value.is_collection() || value.is(ObjectType::Var) ||
           (string_key && value.is_string());
}

/// Whether a name stands in the core library's text.
bool is_core_text(const CoreLibrary& core, std::string_view name) {
    const std::string_view text = core.source().text();
    return std::less_equal<>()(text.data(), name.data()) && std::less<>()(name.data(), text.data() + text.size());
}

/// A collection, written out, without items: nothing is called for it.
bool goes_through_nothing(const CoreFunction& function, const Form& last) {
    if (!function.calls_for_items) return false;
    switch (last.kind) {
    case FormKind::Nil: return true;
    case FormKind::String:
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set: return last.size == 0;
    default: return false;
    }
}

const Argument* argument(Analyzer& a, const Form* form, const Lambda* lambda) {
    return a.nodes.create<Argument>(form, a.at.site, lambda);
}

} // namespace

// ---- Arguments

bool pass_on(Analyzer& a, const Form& form, Binding& binding) {
    if (!form.is(FormKind::Symbol) && !form.is(FormKind::Var)) return false;
    std::string_view name = form.text();
    if (name == "%") name = "%1";
    if (const Binding* found = find_binding(a.at.site.scope, name, name_hash(name))) {
        switch (found->kind) {
        case BindingKind::Local:
            binding.kind = BindingKind::Local;
            binding.local = found->local;
            return true;
        case BindingKind::Argument:
            binding.kind = BindingKind::Argument;
            binding.argument = found->argument;
            return true;
        case BindingKind::Node:
            if (found->node->kind != NodeKind::Constant) return false;
            binding.kind = BindingKind::Node;
            binding.node = found->node;
            return true;
        case BindingKind::Self: break;
        }
    }
    Form* symbol = a.nodes.create<Form>(form);
    symbol->kind = FormKind::Symbol;
    const Resolved meaning = a.names.resolve(*symbol);
    switch (meaning.kind) {
    case Resolved::Sibling:
        if (!meaning.sibling->clause) return false;
        [[fallthrough]];
    case Resolved::Builtin:
    case Resolved::Core:
    case Resolved::Known:
    case Resolved::Self:
    case Resolved::Tool:
        binding.kind = BindingKind::Argument;
        binding.argument = argument(a, symbol, nullptr);
        return true;
    default: return false;
    }
}

const Lambda* literal_lambda(Analyzer& a, const Form& form) {
    if (form.is(FormKind::ShortFn)) return read_short_fn(a, form);
    if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is_symbol("fn")) return nullptr;
    const Resolved head = a.names.resolve(form.items()[0]);
    if (head.kind != Resolved::Special) return nullptr;
    return read_fn(a, form);
}

void bind_node(Node* value, bool in_place, Binding& binding, Let& let) {
    if (in_place || value->kind == NodeKind::Constant) {
        binding.kind = BindingKind::Node;
        binding.node = value;
    } else {
        binding.kind = BindingKind::Local;
        binding.local = let.temporary(value);
    }
}

Node* check_callable(Analyzer& a, const CoreFunction& function, std::size_t index, const ParamUse& use, Node* value) {
    if (!use.direct || a.at.site.core || value->kind != NodeKind::Constant) return value;
    if (is_callable_constant(value->constant, use.string_key)) return value;
    return a.failed(
        not_a_function_argument(value->span, function.name, index + 1, describe_type(Value::adopt(value->constant))));
}

namespace {

/// Which arguments may stay where they are (a bit each): those after which nothing is evaluated before the body.
std::uint32_t arguments_in_place(const CoreFunction::ArityForm& arity, FormSpan arguments) {
    std::uint32_t in_place = 0;
    for (std::size_t i = arity.count; i-- > 0;) {
        if (arity.uses[i].in_place)
            in_place |= 1u << i;
        else if (!is_trivial(arguments[i]))
            break;
    }
    return in_place;
}

/// The scope of a core function's body: its parameters only. What must be evaluated before it is added to `let`.
const Binding* bind_arguments(Analyzer& a, const CoreFunction& function, const CoreFunction::ArityForm& arity,
                              const Form& list, Let& let) {
    const FormSpan arguments = list.items().subspan(1);
    const FormSpan params = arity.params->items();
    const std::uint32_t in_place = arguments_in_place(arity, arguments);
    const Binding* scope = nullptr;
    for (std::size_t i = 0; i < arity.count; ++i) {
        const Form& form = arguments[i];
        Binding binding;
        binding.name = params[i].text();
        binding.hash = name_hash(binding.name);
        binding.outer = scope;
        if (!pass_on(a, form, binding) && !pass_lambda(a, form, arity.uses[i], binding, let)) {
            Form argument = form;
            if (form.is(FormKind::Var) && arity.uses[i].direct)
                argument.kind = FormKind::Symbol; // #'f is called as f is
            const std::size_t reports = a.reports.count();
            Node* value = a.analyze(argument, kValue);
            if (a.reports.count() == reports && !goes_through_nothing(function, arguments[arity.count - 1]))
                value = check_callable(a, function, i, arity.uses[i], value);
            bind_node(value, (in_place >> i & 1) != 0, binding, let);
        }
        scope = a.nodes.create<Binding>(binding);
    }
    if (arity.variadic) {
        Node* rest = a.nodes.nil(a.span_of(list));
        if (arguments.size() > arity.count) {
            rest = a.nodes.make(NodeKind::Vector, a.span_of(list));
            analyze_arguments(a, rest, arguments.subspan(arity.count));
        }
        Binding binding;
        binding.name = params.back().text();
        binding.hash = name_hash(binding.name);
        binding.outer = scope;
        bind_node(rest, false, binding, let);
        scope = a.nodes.create<Binding>(binding);
    }
    return scope;
}

} // namespace

const Lambda* combinator(Analyzer& a, const Form& form, Let& let) {
    if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is(FormKind::Symbol)) return nullptr;
    const Resolved head = a.names.resolve(form.items()[0], false);
    if (head.kind != Resolved::Core || !head.name->core->inlined) return nullptr;
    const CoreFunction::ArityForm* arity = head.name->core->arity(form.size - 1);
    if (!arity || !arity->combinator) return nullptr;
    const Binding* scope = bind_arguments(a, *head.name->core, *arity, form, let);
    const Site saved = a.at.site;
    a.at.site = Site{scope, true, false, a.span_of(form)};
    const Lambda* lambda = read_fn(a, arity->body[0]);
    a.at.site = saved;
    return lambda;
}

bool pass_lambda(Analyzer& a, const Form& form, const ParamUse& use, Binding& binding, Let& let) {
    const Lambda* lambda = literal_lambda(a, form);
    const bool literal = lambda != nullptr;
    if (!literal && !use.escapes) lambda = combinator(a, form, let);
    if (!lambda) return false;
    std::size_t calls = 0;
    for (std::size_t n = 0; n < ParamUse::kCounted; ++n) {
        for (const FnClause& clause : lambda->clauses) {
            if (!clause.accepts(n)) continue;
            calls += use.calls[n];
            break;
        }
    }
    const bool inlined = !use.escapes && lambda->name.empty() &&
                         (calls == 1 || (calls > 1 && count_forms(form, kSmallLiteral) <= kSmallLiteral));
    if (inlined) {
        binding.kind = BindingKind::Argument;
        binding.argument = argument(a, &form, lambda);
    } else {
        binding.kind = BindingKind::Local;
        binding.local = let.temporary(fn_value(a, *lambda, kValue));
    }
    return true;
}

// ---- Core functions

Node* Analyzer::inline_core(const CoreFunction& function, const CoreFunction::ArityForm& arity, const Form& list,
                            Tail tail) {
    const Span span = span_of(list);
    Let let(nodes);
    const Binding* scope = bind_arguments(*this, function, arity, list, let);
    const Site site = at.site;
    const std::string_view name = at.core_name;
    at.site = Site{scope, true, false, span};
    if (!function.name.ends_with('%') || name.empty())
        at.core_name = function.name; // errors name what the program called
    Node* body = analyze_body(arity.body, span, tail & kFunctionTail);
    at.core_name = name;
    at.site = site;
    return let.finish(body, span, tail);
}

// ---- Function literals

namespace {

/// A literal that core code calls with a number of arguments that it does not take. Whether that happens is known when
/// run, so what is called is a function with its parameters and without its body.
Node* mismatched_literal(Analyzer& a, const Lambda& lambda, const Form& list, Tail tail) {
    Lambda last = lambda;
    if (lambda.site.core) last.clauses = lambda.clauses.last(1);
    Function* stand_in = declare_function(a, last, lambda.name);
    for (Function* arity = stand_in; arity; arity = arity->next_arity) {
        for (std::size_t i = 0; i < arity->fixed + (arity->variadic ? 1 : 0); ++i)
            arity->params.push_back(a.nodes.new_local_of(*arity, "", lambda.span));
        arity->body = a.nodes.nil(lambda.span, kFunctionTail);
    }
    Node* callee = a.nodes.make(NodeKind::Fn, lambda.span);
    callee->function = stand_in;
    return call_at_run_time(a, callee, list, tail);
}

/// A call of a function literal while it is inlined: arguments are analysed at the caller's site, parameters are bound
/// at the literal's.
struct Inlining {
    struct Pattern {
        const Form* form;
        Local* value;
        bool rest;
    };
    const FnClause& clause;
    Span span;
    Site caller;
    Site callee;
    bool recurs; ///< parameters are variables of a Loop: each has one of its own
    Let let;
    std::vector<Pattern> patterns; ///< to take apart at the start of the body, in each round
};

/// Whether the pattern of a parameter, or one in front of it, has a name that a later plain parameter has, too: then
/// they are taken apart when all parameters have their values, and the name is the pattern's.
bool is_late_pattern(const Inlining& call, std::size_t index) {
    const FormSpan params = call.clause.params->items();
    for (std::size_t i = 0; i <= index; ++i) {
        if (is_binding_name(params[i])) continue;
        const bool is_hidden = std::ranges::any_of(params.subspan(i + 1), [&](const Form& later) {
            return is_binding_name(later) && count_bindings(params[i], later.text()) > 0;
        });
        if (is_hidden) return true;
    }
    return false;
}

void bind_parameter(Analyzer& a, Inlining& call, std::string_view name, const Form* pattern, Node* value, bool rest,
                    bool is_late = false) {
    std::swap(a.at.site, call.callee);
    if (!name.empty()) {
        if (value->kind == NodeKind::Constant && !call.recurs) {
            a.names.bind(name, value);
        } else {
            Local* local = a.nodes.new_local(name, pattern ? pattern->span : call.span);
            local->is_sequence = rest && !a.at.site.core;
            call.let.add(local, value);
            a.names.bind(name, local);
        }
    } else if (call.recurs || rest || is_late) {
        call.patterns.push_back({pattern, call.let.temporary(value), rest});
    } else {
        destructure(a, *pattern, value, call.let);
    }
    std::swap(a.at.site, call.callee);
}

void bind_argument(Analyzer& a, Inlining& call, std::size_t index, const Form& argument) {
    const Form* pattern = call.clause.params ? &call.clause.params->items()[index] : nullptr;
    const std::string_view name = !pattern ? placeholder_name(index) : is_binding_name(*pattern) ? pattern->text() : "";
    Binding binding;
    if (call.recurs || name.empty() || !pass_on(a, argument, binding)) {
        const bool is_sequence = !call.recurs && !call.callee.core && gives_sequence(a, argument);
        const bool is_late = name.empty() && is_late_pattern(call, index);
        bind_parameter(a, call, name, pattern, a.analyze(argument, kValue), false, is_late);
        const Binding* bound = name.empty() ? nullptr : call.callee.scope;
        if (is_sequence && bound && bound->kind == BindingKind::Local) bound->local->is_sequence = true;
        return;
    }
    binding.name = name;
    // What core code calls `x` is what the program calls by this name.
    if (binding.kind == BindingKind::Local && is_core_text(a.core, binding.local->name)) binding.local->name = name;
    std::swap(a.at.site, call.callee);
    a.names.bind(binding);
    std::swap(a.at.site, call.callee);
}

void bind_rest_arguments(Analyzer& a, Inlining& call, FormSpan arguments) {
    const Form* pattern = call.clause.params ? &call.clause.params->items().back() : nullptr;
    const std::string_view name = !pattern ? "%&" : is_binding_name(*pattern) ? pattern->text() : "";
    Node* rest = a.nodes.nil(call.span);
    if (!arguments.empty()) {
        rest = a.nodes.make(NodeKind::Vector, call.span);
        analyze_arguments(a, rest, arguments);
    }
    bind_parameter(a, call, name, pattern, rest, true);
}

Node* inlined_body(Analyzer& a, Inlining& call, Tail tail) {
    Let let(a.nodes);
    for (const Inlining::Pattern& pattern : call.patterns) {
        Node* value = a.nodes.reference(pattern.value, call.span);
        if (pattern.rest)
            bind_rest(a, *pattern.form, value, let);
        else
            destructure(a, *pattern.form, value, let);
    }
    return let.finish(a.analyze_body(call.clause.body, call.span, tail), call.span, tail);
}

Node* inlined_loop(Analyzer& a, Inlining& call, Tail tail) {
    RecurTarget* const outer = a.at.recur;
    RecurTarget target{a.nodes.make(NodeKind::Loop, call.span, tail),
                       call.clause.count + (call.clause.variadic ? 1u : 0u)};
    a.at.recur = &target;
    LoopScope loop(a);
    Node* body = inlined_body(a, call, static_cast<Tail>((tail & kFunctionTail) | kRecurTail));
    a.at.recur = outer;
    call.let.finish(body, call.span, tail, target.loop);
    if (!target.used) target.loop->kind = NodeKind::Let;
    return loop.finish(target.loop, tail);
}

/// The literal's body where it is called. Parameters become variables of the caller; a body that recurs becomes a Loop.
Node* inline_body(Analyzer& a, const Lambda& lambda, const FnClause& clause, FormSpan arguments, const Form& list,
                  Tail tail) {
    bool recurs = false;
    for (const Form& form : clause.body)
        recurs = recurs || mentions_recur(form);
    Inlining call{clause, a.span_of(list), a.at.site, lambda.site, recurs, Let(a.nodes), {}};
    call.callee.in_short_fn = call.callee.in_short_fn || clause.params == nullptr;
    for (std::size_t i = 0; i < clause.count; ++i)
        bind_argument(a, call, i, arguments[i]);
    if (clause.variadic) bind_rest_arguments(a, call, arguments.subspan(clause.count));

    a.at.site = call.callee;
    Node* result = recurs ? inlined_loop(a, call, tail)
                          : call.let.finish(inlined_body(a, call, tail & (kFunctionTail | kStepTail)), call.span, tail);
    a.at.site = call.caller;
    return result;
}

} // namespace

Node* inline_lambda(Analyzer& a, const Lambda& lambda, const Form& list, Tail tail) {
    const FormSpan arguments = list.items().subspan(1);
    for (const FnClause& clause : lambda.clauses) {
        if (!clause.accepts(arguments.size())) continue;
        if (lambda.name.empty()) return inline_body(a, lambda, clause, arguments, list, tail);
        return call_value(a, fn_value(a, lambda, kValue), arguments, a.span_of(list), tail);
    }
    if (a.at.site.core || lambda.site.core) return mismatched_literal(a, lambda, list, tail);
    if (!check_dropped(a, arguments)) return a.nodes.nil(a.span_of(list), tail);
    return a.failed(wrong_arity(Reason::ArityMismatch, a.span_of(list),
                                lambda.name.empty() ? "this function" : lambda.name,
                                arguments_taken(declare_function(a, lambda, {})), arguments.size(), {}));
}

} // namespace ptc
