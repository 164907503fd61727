// What core code has of its own (fold%, break%, update% ..), and update-in along a path that stands in the program.
#include "compiler/analyze/analysis.h"

namespace ptc {

/// A Fold whose variables are made by the caller, who also sets the body.
Node* Analyzer::fold(std::string_view text, Node* init, Node* coll, Span span, Place place) {
    Node* node = make(NodeKind::Fold, span, place, {init, coll, nullptr});
    node->text = text;
    return node;
}

// (fold% [acc init item coll index?] body)
Node* Analyzer::fold_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan spec = list.items()[1].items();
    Node* init = analyze(spec[1], kValue);
    Node* coll = analyze(spec[3], kValue);
    Node* node = fold(core_name_, init, coll, span, place);
    const Binding* const scope = site_.scope;
    Local* locals[3];
    std::size_t count = 0;
    for (const std::size_t at : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
        if (at >= spec.size()) break;
        Local* local = new_local(spec[at].text(), span);
        locals[count++] = local;
        push(local->name, local);
    }
    node->locals = copy(std::span<Local* const>(locals, count));
    Node* const outer_fold = fold_;
    fold_ = node;
    LoopScope loop(*this);
    node->children[2] = analyze_body(list.items().subspan(2), span, kValue);
    fold_ = outer_fold;
    site_.scope = scope;
    return loop.finish(node, place);
}

Node* Analyzer::break_form(const Form& list, Place place) {
    Node* node = make(NodeKind::Break, span_of(list), place, {analyze(list.items()[1], kValue)});
    node->target = fold_;
    return node;
}

// (fork% pmap f columns), (fork% pcalls nil columns)
Node* Analyzer::fork_form(const Form& list, Place place) {
    const FormSpan parts = list.items();
    Node* function = analyze(parts[2], kValue);
    Node* node = make(NodeKind::Fork, span_of(list), place, {function, analyze(parts[3], kValue)});
    node->index = parts[1].is_symbol("pcalls") ? 1 : 0;
    return node;
}

// (update% [old coll key] body)
Node* Analyzer::update_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan spec = list.items()[1].items();
    Node* coll = analyze(spec[1], kValue);
    Node* key = analyze(spec[2], kValue);
    const Binding* const scope = site_.scope;
    Local* old = new_local(spec[0].text(), span);
    push(old->name, old);
    Node* body = analyze_body(list.items().subspan(2), span, kValue);
    site_.scope = scope;
    Node* node = make(NodeKind::Update, span, place, {coll, key, body});
    node->locals = copy(std::span<Local* const>(&old, 1));
    node->text = core_name_;
    return node;
}

/// The names of (f it a ..), which no source text can contain.
static constexpr std::string_view kUpdateCall[] = {" f", " it", " a", " b", " c", " d", " e"};

/// Binds f and the arguments after the old value to kUpdateCall; what must be evaluated is added to `let`.
void Analyzer::bind_update_call(const CoreFunction& function, FormSpan arguments, Let& let,
                                std::span<Binding> bindings) {
    ParamUse use;
    use.direct = true;
    if (arguments.size() < ParamUse::kCounted)
        use.calls[arguments.size()] = 1;
    else
        use.escapes = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::size_t at = i == 0 ? 0 : i + 1; // 1 is the old value
        Binding& binding = bindings[at];
        if (!pass_on(arguments[i], binding) && !(i == 0 && pass_lambda(arguments[i], use, binding, let))) {
            Node* value = analyze(arguments[i], kValue);
            if (i == 0) value = check_callable(function, 2, use, value);
            if (value->kind == NodeKind::Constant) {
                binding.kind = BindingKind::Node;
                binding.node = value;
            } else {
                binding.local = let.temporary(value);
            }
        }
        binding.name = kUpdateCall[at];
    }
}

// (update-in m [k1 k2] f a ..): the path is known, so is the nesting:
// (update m k1 (fn [it] (update it k2 (fn [it] (f it a ..))))).
Node* Analyzer::update_path(const CoreFunction& function, const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan arguments = list.items().subspan(1);
    const FormSpan path = arguments[1].items();
    const std::size_t count = arguments.size() - 1;
    const Binding* const scope = site_.scope;
    Let let(*this);
    Node* coll = analyze(arguments[0], kValue);
    if (count > 2 || !is_trivial(arguments[2])) coll = reference(let.temporary(coll), span);
    const std::size_t keys = node_stack_.size();
    for (const Form& form : path) {
        Node* key = analyze(form, kValue);
        if (key->kind != NodeKind::Constant) key = reference(let.temporary(key), key->span);
        node_stack_.push_back(key);
    }
    Binding bindings[std::size(kUpdateCall)];
    bind_update_call(function, arguments.subspan(2), let, bindings);

    Node* root = nullptr;
    Node** hole = &root;
    Local* old = nullptr;
    for (std::size_t i = 0; i < path.size(); ++i) {
        Node* from = i == 0 ? coll : reference(old, span);
        Node* node = make(NodeKind::Update, span, i == 0 ? place : kValue, {from, node_stack_[keys + i], nullptr});
        old = new_local("", span);
        node->locals = copy(std::span<Local* const>(&old, 1));
        node->text = function.name;
        *hole = node;
        hole = &node->children[2];
    }
    node_stack_.resize(keys);
    bindings[1].local = old;
    bindings[1].name = kUpdateCall[1];
    auto* items = static_cast<Form*>(arena_.allocate(count * sizeof(Form), alignof(Form)));
    for (std::size_t i = 0; i < count; ++i) {
        push(bindings[i]);
        items[i] = hidden_name(kUpdateCall[i], span);
    }
    *hole = analyze(call_of({items, count}, span), kValue);
    site_.scope = scope;
    return let.finish(root, span, place);
}

// (key-call% f x): the functions that pick a field out of rows also take a string for a key and a vector for a path
// (spec 8.1). A vector that is called with a number is the function from its indexes, as everywhere.
Node* Analyzer::key_call_form(const Form& list, Place place) {
    const Form& function = list.items()[1];
    const Form& item = list.items()[2];
    const Resolved name = resolve(function);
    const Span span = span_of(list);
    Form* call = create<Form>(list);
    call->first = &function;
    call->size = 2;
    const auto field = [&] {
        return builtin_call(native("get"), span, place, {analyze(item, kValue), value_of(name, function, kValue)});
    };
    const auto field_unless_index = [&] {
        Node* is_index = builtin_call(native("number?"), span, kValue, {analyze(item, kValue)});
        Node* indexed = call_name(*call, name, place);
        return make_if(is_index, indexed, field(), span, place);
    };
    if (name.kind == Resolved::Node && name.node->kind == NodeKind::Constant) {
        const Value constant = Value::adopt(name.node->constant);
        if (constant.is_string()) return call_keyword(literal(name.node->constant, span, kValue), *call, place);
        return constant.is_vector() ? field_unless_index() : call_name(*call, name, place);
    }
    if (name.kind != Resolved::Local) return call_name(*call, name, place);
    const auto is_a = [&](const char* predicate) {
        return builtin_call(native(predicate), span, kValue, {reference(name.local, span)});
    };
    Node* is_string = is_a("string?");
    Node* by_string = field();
    Node* is_vector = is_a("vector?");
    Node* by_path = field_unless_index();
    Node* otherwise = make_if(is_vector, by_path, call_name(*call, name, place), span, place);
    return make_if(is_string, by_string, otherwise, span, place);
}

// (comparator-case% f ascending descending other): < and compare sort upwards, > downwards; another function is called.
Node* Analyzer::comparator_case_form(const Form& list, Place place) {
    const Resolved name = resolve(list.items()[1]);
    std::size_t chosen = 4;
    if (name.kind == Resolved::Builtin) {
        if (name.name->name == "<" || name.name->name == "compare") chosen = 2;
        if (name.name->name == ">") chosen = 3;
    }
    return analyze(list.items()[chosen], place);
}

// (function-case% x yes no)
Node* Analyzer::function_case_form(const Form& list, Place place) {
    const FormSpan parts = list.items();
    const Resolved name = resolve(parts[1]);
    switch (name.kind) {
    case Resolved::Lambda:
    case Resolved::Builtin:
    case Resolved::Core:
    case Resolved::Known:
    case Resolved::Self: return analyze(parts[2], place);
    case Resolved::Sibling:
        if (name.sibling->clause) return analyze(parts[2], place);
        break;
    case Resolved::Node:
        if (name.node->kind == NodeKind::Constant) {
            const Value constant = Value::adopt(name.node->constant);
            const bool is_called = constant.is_function() || constant.is_keyword() || constant.is_map() ||
                                   constant.is_set() || constant.is_vector();
            return analyze(is_called ? parts[2] : parts[3], place);
        }
        break;
    default: break;
    }
    Node* test = builtin_call(native("ifn?"), span_of(list), kValue, {value_of(name, parts[1], kValue)});
    Node* yes = analyze(parts[2], place);
    return make_if(test, yes, analyze(parts[3], place), span_of(list), place);
}

} // namespace ptc
