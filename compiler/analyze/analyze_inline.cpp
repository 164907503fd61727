// Core functions and function literals in the caller's frame: (map (fn [x] ..) xs) becomes one loop without a call.
//
// A core function's body is analysed anew at each call, in a scope that holds its parameters only. A parameter is bound
// - to the argument itself, when it is the name of a variable or function, a constant or a function literal that is
// called
//   at one place: then the call in the body becomes the literal's body, analysed in the scope where it was written;
// - to the argument's node, when the body uses it once, before anything else (ParamUse::in_place);
// - else to a temporary variable. Arguments with effects are evaluated once, in order.
#include "compiler/analyze/analysis.h"
#include "runtime/print.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kSmallLiteral = 8; ///< forms; a function literal of this size is inlined at several places

std::size_t count_forms(const Form& form, std::size_t limit) {
    std::size_t count = 1;
    if (form.kind < FormKind::List || form.is(FormKind::Var)) return count;
    for (const Form& item : form.items()) {
        if (count > limit) break;
        count += count_forms(item, limit - std::min(limit, count));
    }
    return count;
}

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

} // namespace

// ---- Arguments
// ---------------------------------------------------------------------------------------------------------

const Argument* Analyzer::argument(const Form* form, const Lambda* lambda) {
    return create<Argument>(form, site_, lambda);
}

/// Names that stand for a variable or a function are passed on unevaluated.
bool Analyzer::pass_on(const Form& form, Binding& binding) {
    if (!form.is(FormKind::Symbol) && !form.is(FormKind::Var)) return false;
    std::string_view name = form.text();
    if (name == "%") name = "%1";
    if (const Binding* found = find_binding(site_.scope, name, name_hash(name))) {
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
    Form* symbol = create<Form>(form);
    symbol->kind = FormKind::Symbol;
    const Resolved meaning = resolve(*symbol);
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
        binding.argument = argument(symbol, nullptr);
        return true;
    default: return false;
    }
}

/// `form` taken apart when it is a function literal.
const Lambda* Analyzer::literal_lambda(const Form& form) {
    if (form.is(FormKind::ShortFn)) return read_short_fn(form);
    if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is_symbol("fn")) return nullptr;
    const Resolved head = resolve(form.items()[0]);
    if (head.kind != Resolved::Special) return nullptr;
    return read_fn(form);
}

/// A call such as (comp f g) or (complement pred) as the literal that it returns. Arguments that must be evaluated are
/// added to `let`.
const Lambda* Analyzer::combinator(const Form& form, Let& let) {
    if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is(FormKind::Symbol)) return nullptr;
    const Resolved head = resolve(form.items()[0], false);
    if (head.kind != Resolved::Core || !head.name->core->inlined) return nullptr;
    const CoreFunction::ArityForm* arity = head.name->core->arity(form.size - 1);
    if (!arity || !arity->combinator) return nullptr;
    const Binding* scope = bind_arguments(*head.name->core, *arity, form, let);
    const Site saved = site_;
    site_ = Site{scope, true, false, span_of(form)};
    const Lambda* lambda = read_fn(arity->body[0]);
    site_ = saved;
    return lambda;
}

bool Analyzer::pass_lambda(const Form& form, const ParamUse& use, Binding& binding, Let& let) {
    const Lambda* lambda = literal_lambda(form);
    const bool literal = lambda != nullptr;
    if (!literal && !use.escapes) lambda = combinator(form, let);
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
        binding.argument = argument(&form, lambda);
    } else {
        binding.kind = BindingKind::Local;
        binding.local = let.temporary(fn_value(*lambda, kValue));
    }
    return true;
}

/// An argument that the body calls, and that can be seen not to be a function.
Node* Analyzer::check_callable(const CoreFunction& function, std::size_t index, const ParamUse& use, Node* value) {
    if (!use.direct || site_.core || value->kind != NodeKind::Constant) return value;
    if (is_callable_constant(value->constant, use.string_key)) return value;
    return failed(
        not_a_function_argument(value->span, function.name, index + 1, describe_type(Value::adopt(value->constant))));
}

namespace {

// What calls its first argument for the items of the last one, and for nothing else.
constexpr std::string_view kCallsForItems[] = {
    "avg-by",       "distinct-by",  "drop-while",  "every?", "filter",  "filterv",    "group-by", "keep",
    "keep-indexed", "map",          "map-indexed", "mapcat", "mapv",    "max-by",     "min-by",   "not-any?",
    "not-every?",   "partition-by", "remove",      "some",   "sort-by", "split-with", "sum-by",   "take-while"};

/// A collection, written out, without items: nothing is called for it.
bool goes_through_nothing(const CoreFunction& function, const Form& last) {
    if (std::find(std::begin(kCallsForItems), std::end(kCallsForItems), function.name) == std::end(kCallsForItems))
        return false;
    switch (last.kind) {
    case FormKind::Nil: return true;
    case FormKind::String:
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set: return last.size == 0;
    default: return false;
    }
}

} // namespace

const Binding* Analyzer::bind_arguments(const CoreFunction& function, const CoreFunction::ArityForm& arity,
                                        const Form& list, Let& let) {
    const FormSpan arguments = list.items().subspan(1);
    const FormSpan params = arity.params->items();
    std::uint32_t in_place = 0;
    bool blocked = false;
    for (std::size_t i = arity.count; i-- > 0;) {
        if (!blocked && arity.uses[i].in_place)
            in_place |= 1u << i;
        else if (!is_trivial(arguments[i]))
            blocked = true;
    }
    const Binding* scope = nullptr;
    for (std::size_t i = 0; i < arity.count; ++i) {
        const Form& form = arguments[i];
        Binding binding;
        binding.name = params[i].text();
        binding.hash = name_hash(binding.name);
        binding.outer = scope;
        if (!pass_on(form, binding) && !pass_lambda(form, arity.uses[i], binding, let)) {
            Form argument = form;
            if (form.is(FormKind::Var) && arity.uses[i].direct)
                argument.kind = FormKind::Symbol; // #'f is called as f is
            const std::size_t reports = reports_;
            Node* value = analyze(argument, kValue);
            if (reports_ == reports && !goes_through_nothing(function, arguments[arity.count - 1]))
                value = check_callable(function, i, arity.uses[i], value);
            if (value->kind == NodeKind::Constant || (in_place >> i & 1) != 0) {
                binding.kind = BindingKind::Node;
                binding.node = value;
            } else {
                binding.kind = BindingKind::Local;
                binding.local = let.temporary(value);
            }
        }
        scope = create<Binding>(binding);
    }
    if (arity.variadic) {
        Node* rest = nil(span_of(list));
        if (arguments.size() > arity.count) {
            rest = make(NodeKind::Vector, span_of(list));
            analyze_arguments(rest, arguments.subspan(arity.count), node_stack_.size());
        }
        Binding binding;
        binding.name = params.back().text();
        binding.hash = name_hash(binding.name);
        binding.outer = scope;
        if (rest->kind == NodeKind::Constant) {
            binding.kind = BindingKind::Node;
            binding.node = rest;
        } else {
            binding.local = let.temporary(rest);
        }
        scope = create<Binding>(binding);
    }
    return scope;
}

// ---- Bodies
// ------------------------------------------------------------------------------------------------------------

Node* Analyzer::inline_core(const CoreFunction& function, const CoreFunction::ArityForm& arity, const Form& list,
                            Place place) {
    const Span span = span_of(list);
    Let let(*this);
    const Binding* scope = bind_arguments(function, arity, list, let);
    const Site site = site_;
    const std::string_view name = core_name_;
    site_ = Site{scope, true, false, span};
    if (!function.name.ends_with('%') || name.empty())
        core_name_ = function.name; // errors name what the program called
    Node* body = analyze_body(arity.body, span, place & kFunctionTail);
    core_name_ = name;
    site_ = site;
    return let.finish(body, span, place);
}

Node* Analyzer::inline_lambda(const Lambda& lambda, const Form& list, Place place) {
    const FormSpan arguments = list.items().subspan(1);
    for (const FnClause& clause : lambda.clauses) {
        if (!clause.accepts(arguments.size())) continue;
        if (lambda.name.empty()) return inline_body(lambda, clause, arguments, list, place);
        return call_value(fn_value(lambda, kValue), arguments, span_of(list), place);
    }
    if (site_.core || lambda.site.core) return mismatched_literal(lambda, list, place);
    const FnClause& clause = lambda.clauses.back();
    if (!check_dropped(arguments)) return nil(span_of(list), place);
    return failed(wrong_arity(Reason::ArityMismatch, span_of(list), lambda.name.empty() ? "this function" : lambda.name,
                              argument_count(clause.count, clause.variadic ? SIZE_MAX : clause.count), arguments.size(),
                              {}));
}

/// A literal that core code calls with a number of arguments that it does not take. Whether that happens is known when
/// run, so what is called is a function with its parameters and without its body.
Node* Analyzer::mismatched_literal(const Lambda& lambda, const Form& list, Place place) {
    const FnClause& clause = lambda.clauses.back();
    Function* stand_in = new_function(lambda.name, lambda.span);
    Function* saved = fn_;
    fn_ = stand_in;
    for (std::size_t i = 0; i < clause.count + (clause.variadic ? 1 : 0); ++i) {
        stand_in->params.push_back(new_local("", lambda.span));
    }
    stand_in->variadic = clause.variadic;
    stand_in->body = nil(lambda.span, kFunctionTail);
    fn_ = saved;
    Node* callee = make(NodeKind::Fn, lambda.span);
    callee->function = stand_in;
    return call_at_run_time(callee, list, place);
}

/// A call of a function literal while it is inlined: arguments are analysed at the caller's site, parameters are bound
/// at the literal's.
struct Analyzer::Inlining {
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

/// The literal's body where it is called. Parameters become variables of the caller; a body that recurs becomes a Loop.
Node* Analyzer::inline_body(const Lambda& lambda, const FnClause& clause, FormSpan arguments, const Form& list,
                            Place place) {
    bool recurs = false;
    for (const Form& form : clause.body)
        recurs = recurs || mentions_recur(form);
    Inlining call{clause, span_of(list), site_, lambda.site, recurs, Let(*this), {}};
    call.callee.in_short_fn = call.callee.in_short_fn || clause.params == nullptr;
    for (std::size_t i = 0; i < clause.count; ++i)
        bind_argument(call, i, arguments[i]);
    if (clause.variadic) bind_rest_arguments(call, arguments.subspan(clause.count));

    site_ = call.callee;
    const Place tail = place & kFunctionTail;
    Node* result = recurs ? inlined_loop(call, place) : call.let.finish(inlined_body(call, tail), call.span, place);
    site_ = call.caller;
    return result;
}

void Analyzer::bind_argument(Inlining& call, std::size_t index, const Form& argument) {
    const Form* pattern = call.clause.params ? &call.clause.params->items()[index] : nullptr;
    const std::string_view name = !pattern ? placeholder_name(index) : is_binding_name(*pattern) ? pattern->text() : "";
    Binding binding;
    if (call.recurs || name.empty() || !pass_on(argument, binding)) {
        return bind_parameter(call, name, pattern, analyze(argument, kValue), false);
    }
    binding.name = name;
    // What core code calls `x` is what the program calls by this name.
    if (binding.kind == BindingKind::Local && is_core_text(binding.local->name)) binding.local->name = name;
    std::swap(site_, call.callee);
    push(binding);
    std::swap(site_, call.callee);
}

void Analyzer::bind_rest_arguments(Inlining& call, FormSpan arguments) {
    const Form* pattern = call.clause.params ? &call.clause.params->items().back() : nullptr;
    const std::string_view name = !pattern ? "%&" : is_binding_name(*pattern) ? pattern->text() : "";
    Node* rest = nil(call.span);
    if (!arguments.empty()) {
        rest = make(NodeKind::Vector, call.span);
        analyze_arguments(rest, arguments, node_stack_.size());
    }
    bind_parameter(call, name, pattern, rest, true);
}

void Analyzer::bind_parameter(Inlining& call, std::string_view name, const Form* pattern, Node* value, bool rest) {
    std::swap(site_, call.callee);
    if (!name.empty()) {
        if (value->kind == NodeKind::Constant && !call.recurs) {
            Binding binding;
            binding.name = name;
            binding.kind = BindingKind::Node;
            binding.node = value;
            push(binding);
        } else {
            Local* local = new_local(name, pattern ? pattern->span : call.span);
            call.let.add(local, value);
            push(name, local);
        }
    } else if (call.recurs || rest) {
        call.patterns.push_back({pattern, call.let.temporary(value), rest});
    } else {
        destructure(*pattern, value, call.let);
    }
    std::swap(site_, call.callee);
}

Node* Analyzer::inlined_body(Inlining& call, Place place) {
    Let let(*this);
    for (const Inlining::Pattern& pattern : call.patterns) {
        Node* value = reference(pattern.value, call.span);
        if (pattern.rest)
            bind_rest(*pattern.form, value, let);
        else
            destructure(*pattern.form, value, let);
    }
    return let.finish(analyze_body(call.clause.body, call.span, place), call.span, place);
}

Node* Analyzer::inlined_loop(Inlining& call, Place place) {
    RecurTarget* const outer = recur_;
    RecurTarget target{make(NodeKind::Loop, call.span, place), call.clause.count + (call.clause.variadic ? 1u : 0u)};
    recur_ = &target;
    LoopScope loop(*this);
    Node* body = inlined_body(call, static_cast<Place>((place & kFunctionTail) | kRecurTail));
    recur_ = outer;
    call.let.finish(body, call.span, place, target.loop);
    if (!target.used) target.loop->kind = NodeKind::Let;
    return loop.finish(target.loop, place);
}

} // namespace ptc
