// Making the tree. Three things are decided here, wherever a node comes from:
//
// - Constants are frozen as soon as they are made, so that any number of nodes can hold one as a word; a text becomes
//   one keyword and one string of the program. Calls of pure natives with constant arguments become constants, too.
// - A variable of an enclosing function is captured when it is first referred to: every function in between gets a
//   variable of its own for it. `uses` counts the references, for the last-use pass; who drops a subtree takes its
//   references back (discard).
// - Children and bindings are collected on stacks and copied to the arena when they are complete, so no node has a
//   container of its own.
#include "compiler/analyze/nodes.h"
#include "compiler/analyze/analysis_errors.h"
#include "compiler/analyze/environment.h"
#include "compiler/language/core_library.h"
#include "compiler/language/namespaces.h"
#include "frontend/work.h"
#include "runtime/freeze.h"
#include "runtime/number.h"
#include "runtime/sorted_view.h"
#include "runtime/string.h"
#include <algorithm>
#include <cassert>

namespace ptc {
namespace {

constexpr std::size_t kMaxCaptures = 250;      ///< operands of one instruction
constexpr std::size_t kMaxFoldedArguments = 8; ///< of a call that is made while compiling
constexpr std::size_t kFirstLocals = 16;       ///< that a function gets room for at once

} // namespace

Nodes::Nodes(Tree& tree, const Context& at, const Environment& environment, const CoreLibrary& core,
             const CompileLimits& limits, Heap& heap, Reports& reports)
    : tree_(tree), arena_(tree.arena), at_(at), environment_(environment), core_(core), limits_(limits), heap_(heap),
      reports_(reports), folder_(heap), texts_(arena_) {}

// ---- Nodes

Node* Nodes::make(NodeKind kind, Span span, Tail tail) {
    if (!work::charge(2)) [[unlikely]]
        reports_.stop();
    Node* node = create<Node>();
    node->kind = kind;
    node->span = span;
    node->tail = (tail & kFunctionTail) != 0;
    ++node_count_;
    return node;
}

Node* Nodes::make(NodeKind kind, Span span, Tail tail, std::initializer_list<Node*> children) {
    Node* node = make(kind, span, tail);
    node->children = copy(std::span<Node* const>(children.begin(), children.size()));
    return node;
}

Node* Nodes::make_if(Node* test, Node* yes, Node* no, Span span, Tail tail) {
    if (test->kind == NodeKind::Constant) {
        const bool truthy = bits::is_truthy(test->constant);
        discard(truthy ? no : yes);
        return truthy ? yes : no;
    }
    return make(NodeKind::If, span, tail, {test, yes, no});
}

Node* Nodes::fold(std::string_view text, Node* init, Node* coll, Span span, Tail tail) {
    Node* node = make(NodeKind::Fold, span, tail, {init, coll, nullptr});
    node->text = text;
    return node;
}

Node* Nodes::iterated_fold(std::string_view text, Node* init, Node* first, Span span) {
    Node* node = make(NodeKind::Fold, span, kValue, {init, first, nullptr, nullptr});
    node->text = text;
    node->index = 1;
    return node;
}

Node* Nodes::reference(Local* local, Span span, Tail tail) {
    Local* own = local->function == at_.function ? local : capture(local, at_.function);
    Node* node = make(NodeKind::LocalRef, span, tail);
    node->local = own;
    ++own->uses;
    return node;
}

/// The variable that holds `local`, which belongs to an enclosing function, inside of `into`.
Local* Nodes::capture(Local* local, Function* into) {
    if (local->function == into) return local;
    Local* outer = into->parent ? capture(local, into->parent) : local;
    for (std::size_t i = 0; i < into->captured_from.size(); ++i) {
        if (into->captured_from[i] == outer) return into->captures[i];
    }
    if (into->captures.size() == kMaxCaptures)
        reports_.stop(program_too_large(into->span, "variables captured by one function", kMaxCaptures));
    Local* own = new_local_of(*into, local->name, local->span);
    into->captured_from.push_back(outer);
    into->captures.push_back(own);
    ++outer->uses;
    return own;
}

// Only a first arity is made into a value, so it alone uses what is captured.
void Nodes::share_captures(std::span<Function* const> firsts) {
    if (firsts.size() == 1 && !firsts[0]->next_arity) return;
    std::vector<Local*> outer;
    for (Function* first : firsts) {
        for (Function* f = first; f; f = f->next_arity) {
            for (Local* local : f->captured_from) {
                --local->uses;
                if (std::find(outer.begin(), outer.end(), local) == outer.end()) outer.push_back(local);
            }
        }
    }
    if (outer.size() > kMaxCaptures)
        return reports_.stop(program_too_large(firsts[0]->span, "variables captured by one function", kMaxCaptures));
    for (Function* first : firsts) {
        for (Function* f = first; f; f = f->next_arity) {
            std::vector<Local*> own;
            for (Local* local : outer) {
                const auto found = std::find(f->captured_from.begin(), f->captured_from.end(), local);
                own.push_back(found != f->captured_from.end()
                                  ? f->captures[static_cast<std::size_t>(found - f->captured_from.begin())]
                                  : new_local_of(*f, local->name, local->span));
            }
            f->captures = std::move(own);
            f->captured_from = f == first ? outer : std::vector<Local*>();
        }
        for (Local* local : outer)
            ++local->uses;
    }
}

Node* Nodes::assign(std::span<Local* const> locals, std::span<Node* const> values, Span span) {
    for (Local* local : locals)
        local->varies = true;
    Node* node = make(NodeKind::Assign, span);
    node->locals = copy(locals);
    node->children = copy(values);
    return node;
}

void Nodes::discard(const Node* node) {
    if (node->kind == NodeKind::LocalRef) --node->local->uses;
    if (node->kind == NodeKind::Fn) {
        for (Local* local : node->function->captured_from)
            --local->uses;
    }
    for (const Node* child : node->children)
        discard(child);
}

void Nodes::rename(Node& node, Local* from, Local* to) {
    PTC_ASSERT(!from->varies);
    const auto renamed = [&](Local*& local) {
        if (local != from) return;
        local = to;
        --from->uses;
        ++to->uses;
    };
    if (node.kind == NodeKind::LocalRef) renamed(node.local);
    if (node.kind == NodeKind::Fn) {
        for (Local*& local : node.function->captured_from)
            renamed(local);
    }
    for (Node* child : node.children)
        rename(*child, from, to);
}

bool Nodes::all_known(std::span<Node* const> arguments) const {
    for (const Node* argument : arguments) {
        if (argument->kind != NodeKind::Constant) return false;
        // A core function is not a value yet while the core itself is compiled.
        if (Value::adopt(argument->constant).is_static_function()) return false;
    }
    return true;
}

Node* Nodes::builtin_call(std::uint32_t index, Span span, Tail tail, std::span<Node* const> arguments) {
    if (environment_.fold && arguments.size() <= kMaxFoldedArguments && all_known(arguments)) {
        Bits values[kMaxFoldedArguments];
        for (std::size_t i = 0; i < arguments.size(); ++i)
            values[i] = arguments[i]->constant;
        if (auto folded = folder_.call(builtin_at(index), {values, arguments.size()}))
            return literal(*folded, span, tail);
    }
    if (environment_.fold && is_chain_of_comparisons(index, arguments))
        return comparisons(index, span, tail, arguments);
    Node* node = make(NodeKind::CallBuiltin, span, tail);
    node->index = index;
    node->children = copy(arguments);
    return node;
}

/// (< a b c), which is (and (< a b) (< b c)) where all that is computed has a variable.
bool Nodes::is_chain_of_comparisons(std::uint32_t index, std::span<Node* const> arguments) {
    constexpr std::size_t kMostOperands = 6;
    if (arguments.size() < 3 || arguments.size() > kMostOperands) return false;
    switch (builtin_at(index).instruction) {
    case Instruction::Less:
    case Instruction::LessOrEqual:
    case Instruction::Greater:
    case Instruction::GreaterOrEqual:
    case Instruction::Equal:
    case Instruction::NotEqual: return true;
    default: return false;
    }
}

Node* Nodes::comparisons(std::uint32_t index, Span span, Tail tail, std::span<Node* const> given) {
    if (builtin_at(index).instruction == Instruction::NotEqual)
        return native_call("not", span, tail, {native_call("=", span, kValue, given)});
    const auto is_at_hand = [](const Node* n) {
        return n->kind == NodeKind::LocalRef || n->kind == NodeKind::Constant;
    };
    const auto once_more = [&](const Node* operand) {
        return operand->kind == NodeKind::LocalRef ? reference(operand->local, operand->span)
                                                   : literal(operand->constant, operand->span, kValue);
    };
    Let computed(*this);
    std::vector<Node*> operands(given.begin(), given.end());
    // The first one is read once, so it stays where it is if nothing is computed behind it.
    const bool first_stays = std::all_of(given.begin() + 1, given.end(), is_at_hand);
    for (std::size_t i = first_stays ? 1 : 0; i < operands.size(); ++i) {
        if (!is_at_hand(operands[i])) operands[i] = reference(computed.temporary(operands[i]), operands[i]->span);
    }
    std::vector<Node*> pairs;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        Node* const pair[] = {i == 0 ? operands[0] : once_more(operands[i]), operands[i + 1]};
        pairs.push_back(builtin_call(index, span, kValue, pair));
    }
    Node* all = make(NodeKind::And, span, tail);
    all->children = copy(std::span<Node* const>(pairs));
    return computed.finish(all, span, tail);
}

Node* Nodes::native_call(const char* name, Span span, Tail tail, std::span<Node* const> arguments) {
    const CoreName* entry = core_.lookup(name, name_hash(name));
    assert(entry && entry->builtin >= 0);
    return builtin_call(static_cast<std::uint32_t>(entry->builtin), span, tail, arguments);
}

// ---- Constants

Node* Nodes::nil(Span span, Tail tail) { return literal(bits::kNil, span, tail); }

Node* Nodes::unread(Span span) {
    if (!unread_) unread_ = nil(span);
    return unread_;
}

Node* Nodes::literal(Bits bits, Span span, Tail tail) {
    Node* node = make(NodeKind::Constant, span, tail);
    node->constant = bits;
    return node;
}

Node* Nodes::literal(Result<Value> value, Span span, Tail tail) {
    if (!value.ok()) {
        value.error().span = span;
        value.error().has_span = true;
        reports_.add(std::move(value.error()));
        return nil(span, tail);
    }
    if (++constant_count_ > limits_.max_constants && !reports_.stopped())
        reports_.stop(program_too_large(span, "constants", limits_.max_constants));
    freeze_value(value.value());
    const Value& made = value.value();
    // Sorted once: a frozen set or large map without a view is sorted whenever somebody looks.
    if (made.is_set() || (made.is_map() && !made.is(ObjectType::Record))) prepare_views(heap_, made);
    return literal(value.value().give_up(), span, tail);
}

Node* Nodes::named_constant(const NamedConstant& constant, Span span, Tail tail) {
    if (constant.maker) return native_call(constant.maker, span, tail, {string(constant.text, span, kValue)});
    if (!constant.text.empty()) return string(constant.text, span, tail);
    if (!constant.is_integer) return literal(constant.value, span, tail);
    if (bits::fits_integer(constant.integer)) return literal(bits::from_integer(constant.integer), span, tail);
    return literal(make_integer(heap_, constant.integer), span, tail);
}

Node* Nodes::keyword(std::string_view text, Span span, Tail tail) {
    ConstantText& entry = texts_.add(text, name_hash(text));
    if (entry.keyword != 0) return literal(entry.keyword, span, tail);
    Node* node = literal(make_keyword(heap_, text), span, tail);
    entry.keyword = node->constant;
    return node;
}

Node* Nodes::string(std::string_view text, Span span, Tail tail) {
    ConstantText& entry = texts_.add(text, name_hash(text));
    if (entry.string != 0) return literal(entry.string, span, tail);
    Node* node = literal(make_string(heap_, text), span, tail);
    entry.string = node->constant;
    return node;
}

// ---- Variables and functions

Local* Nodes::new_local(std::string_view name, Span span) {
    // Positions in the core library mean nothing in the program's text.
    return new_local_of(*at_.function, name, at_.site.core ? at_.site.span : span);
}

Local* Nodes::new_local_of(Function& function, std::string_view name, Span span) {
    Local* local = create<Local>();
    local->name = name;
    local->span = span;
    local->function = &function;
    local->index = static_cast<std::uint32_t>(function.locals.size());
    if (function.locals.empty()) function.locals.reserve(kFirstLocals);
    function.locals.push_back(local);
    ++local_count_;
    return local;
}

Function* Nodes::new_function(std::string_view name, Span span) {
    Function& function = tree_.functions.emplace_back();
    function.name = name;
    function.span = span;
    function.parent = at_.function;
    function.index = static_cast<std::uint32_t>(tree_.functions.size() - 1);
    return &function;
}

Local* Let::temporary(Node* value) {
    Local* local = nodes_.new_local("", value->span);
    add(local, value);
    return local;
}

Node* Let::finish(Node* body, Span span, Tail tail, Node* into) {
    const auto bindings = std::span(nodes_.let_stack_.data(), nodes_.let_stack_.size()).subspan(first_);
    if (bindings.empty() && !into) return body;
    Node* node = into ? into : nodes_.make(NodeKind::Let, span, tail);
    auto* children = nodes_.allocate<Node*>(bindings.size() + 1);
    auto* locals = nodes_.allocate<Local*>(bindings.size() + 1);
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        locals[i] = bindings[i].local;
        children[i] = bindings[i].value;
    }
    children[bindings.size()] = body;
    node->children = {children, bindings.size() + 1};
    node->locals = {locals, bindings.size()};
    nodes_.let_stack_.resize(first_);
    return node;
}

// ---- Forms that expansions make

Form hidden_name(std::string_view name, Span span) {
    Form form;
    form.kind = FormKind::Symbol;
    form.span = span;
    form.chars = name.data();
    form.size = static_cast<std::uint32_t>(name.size());
    return form;
}

Form call_of(std::span<const Form> items, Span span) {
    Form form;
    form.kind = FormKind::List;
    form.span = span;
    form.first = items.data();
    form.size = static_cast<std::uint32_t>(items.size());
    return form;
}

} // namespace ptc
