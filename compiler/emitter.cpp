// The resolved tree to bytecode: one walk, children before parents, no second pass. Here is what computes values:
// expressions, calls, operations, literals; conditions and loops are in control_flow.cpp. What the walk keeps, and the
// rules that its parts go by, are in function_emitter.h.
#include "compiler/emitter.h"
#include "compiler/dead_fields.h"
#include "compiler/function_emitter.h"
#include "compiler/last_use.h"
#include "compiler/live_fields.h"
#include "compiler/operations.h"
#include "compiler/pair_items.h"
#include "compiler/zipped_items.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include "runtime/equality.h"
#include "runtime/function.h"
#include "vm/verifier.h"
#include <algorithm>
#include <unordered_map>

namespace ptc {
namespace {

constexpr unsigned kBatch = 48; ///< items of a literal that are gathered in registers at once

bool is_number_constant(const Node& n) {
    return n.kind == NodeKind::Constant && (bits::is_integer(n.constant) || bits::is_double(n.constant));
}

/// A literal of variables and constants: nothing happens where it is made.
bool is_vector_of_atoms(const Node& n) {
    return n.kind == NodeKind::Vector && std::all_of(n.children.begin(), n.children.end(), [](const Node* item) {
               return item->kind == NodeKind::LocalRef || item->kind == NodeKind::Constant;
           });
}

bool is_key(const Node& n) {
    if (n.kind != NodeKind::Constant || !bits::is_object(n.constant)) return false;
    const ObjectType t = bits::to_object(n.constant)->type;
    return t == ObjectType::Keyword || t == ObjectType::String;
}

} // namespace

bool FunctionEmitter::run() {
    for (Local* p : f_.params) {
        p->reg = static_cast<std::uint8_t>(fresh());
        p->varies = f_.has_recur;
    }
    proto_.param_count = static_cast<std::uint8_t>(f_.params.size());
    for (Local* p : f_.params)
        drop_if_dead(*p);
    load_captures();
    emit_label(start_);
    loop_head_cost_ = cost_;
    emit_tail(*f_.body);
    if (has_failed()) return false;
    shorten_jumps();
    pay_for_first_round(function_round_cost_, loop_head_cost_);
    proto_.frame_size = registers_.frame_size();
    proto_.entry_cost = static_cast<std::uint32_t>(std::min<std::int64_t>(cost_ + 1, 0xFFF'FFFF));
    return !has_failed();
}

void FunctionEmitter::load_captures() {
    for (std::size_t i = 0; i < f_.captures.size(); ++i) {
        Local& c = *f_.captures[i];
        if (c.by_use || c.dead_at_birth) continue;
        c.reg = static_cast<std::uint8_t>(fresh());
        word(Op::LoadCapture, c.reg, static_cast<std::uint32_t>(i), 0, f_.span);
    }
    if (f_.self && !f_.self->by_use && !f_.self->dead_at_birth) {
        f_.self->reg = static_cast<std::uint8_t>(fresh());
        word(Op::LoadSelf, f_.self->reg, 0, 0, f_.span);
    }
}

Operand8 FunctionEmitter::evaluate(Node& n) {
    if (in_register(n)) return {n.local->reg, n.last_use};
    const std::uint32_t r = fresh();
    emit(n, r);
    return {r, true};
}

void FunctionEmitter::window(std::span<Node* const> children, std::uint32_t first) {
    for (std::size_t i = 0; i < children.size(); ++i)
        into_window(*children[i], first + static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < children.size(); ++i)
        late_into_window(*children[i], first + static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < children.size(); ++i)
        fetch_local(*children[i], first + static_cast<std::uint32_t>(i));
}

// ---- Expressions

void FunctionEmitter::emit(Node& n, std::uint32_t dst) {
    if (!work::charge(4) || here() > kMaxCode) failed_ = true;
    if (has_failed()) return;
    const RegisterScope registers = scope();
    switch (n.kind) {
    case NodeKind::Constant: emit_constant(n.constant, dst, n.span); break;
    case NodeKind::LocalRef: emit_local(n, dst); break;
    case NodeKind::Global:
        word16(Op::LoadGlobal, dst, text_constant(ObjectType::Var, n.text), n.span);
        second(cache_number(), n.span);
        break;
    case NodeKind::DataRef:
        word16(Op::LoadData, dst, text_constant(ObjectType::String, n.text), n.span);
        second(cache_number(), n.span);
        break;
    case NodeKind::DataAll: word(Op::LoadAllData, dst, 0, 0, n.span); break;
    case NodeKind::History: word(Op::LoadHistory, dst, n.index, 0, n.span); break;
    case NodeKind::If: emit_if(n, dst, Goal::Register); break;
    case NodeKind::And:
    case NodeKind::Or: emit_short_circuit(n, dst); break;
    case NodeKind::Do: emit_do(n, dst, Goal::Register); break;
    case NodeKind::Let: emit_let(n, dst, Goal::Register); break;
    case NodeKind::Loop: emit_loop(n, dst, Goal::Register); break;
    case NodeKind::Recur: emit_recur(n); break;
    case NodeKind::Fn: emit_closure(n, dst); break;
    case NodeKind::Invoke: emit_invoke(n, dst); break;
    case NodeKind::CallFunction: emit_known_call(n, dst); break;
    case NodeKind::CallSelf: emit_self_call(n, dst); break;
    case NodeKind::Apply: emit_call(n, Op::Apply, n.children.subspan(1), 0, dst); break;
    case NodeKind::CallBuiltin: emit_builtin(n, dst); break;
    case NodeKind::KeywordCall: emit_keyword_call(n, dst); break;
    case NodeKind::Field: emit_keyword_call(n, dst); break;
    case NodeKind::Tool: {
        WindowScope w(*this, dst);
        window(n.children, w.base());
        word16(Op::Tool, w.base(), text_constant(ObjectType::String, n.text), n.span);
        w.deliver(n.span);
        break;
    }
    case NodeKind::Fork: {
        WindowScope w(*this, dst);
        window(n.children, w.base());
        word(Op::Fork, w.base(), n.index, 0, n.span);
        w.deliver(n.span);
        break;
    }
    case NodeKind::Def: emit_def(n, dst); break;
    case NodeKind::DefOnce: {
        CodeLabel bound;
        word16(Op::JumpBound, 0, text_constant(ObjectType::Var, n.text), n.span);
        jump_to(bound, n.span);
        const std::int64_t before = cost_;
        define(n);
        if (n.drops) {
            CodeLabel end;
            jump(end, n.span);
            emit_label(bound);
            drop_all(n.drops->second);
            emit_label(end);
        } else {
            emit_label(bound);
        }
        cost_ = std::max(before, cost_);
        word16(Op::LoadConst, dst, text_constant(ObjectType::Var, n.text), n.span);
        break;
    }
    case NodeKind::Return: emit_end(n, 0); break;
    case NodeKind::Fail: emit_end(n, 1); break;
    case NodeKind::Throw: emit_end(n, 2); break;
    case NodeKind::AtomOp: emit_atom_operation(n, dst); break;
    case NodeKind::Try: emit_try(n, dst); break;
    case NodeKind::Vector: emit_items(n, Op::MakeVector, dst); break;
    case NodeKind::Set: emit_items(n, Op::MakeSet, dst); break;
    case NodeKind::Map: emit_map(n, dst); break;
    case NodeKind::Fold: emit_fold(n, dst); break;
    case NodeKind::Break: emit_break(n); break;
    case NodeKind::Assign:
        emit_assign(n);
        emit_constant(Value().raw(), dst, n.span);
        break;
    case NodeKind::Elem: {
        const Operand8 v = evaluate(*n.children[0]);
        word(v.take ? Op::ElemLast : Op::Elem, dst, v.reg, n.index, n.span);
        break;
    }
    case NodeKind::Tail: {
        const Operand8 v = take_operand(*n.children[0]);
        word(Op::Tail, dst, v.reg, n.index, n.span);
        break;
    }
    case NodeKind::Update: emit_update(n, dst); break;
    }
}

void FunctionEmitter::emit_effect(Node& n) {
    if (n.kind == NodeKind::Constant) return;
    if (n.kind == NodeKind::Def) return define(n);
    if (n.kind == NodeKind::Assign) return emit_assign(n);
    if (in_register(n)) {
        if (n.last_use) word(Op::Drop, n.local->reg, 0, 0, n.span);
        return;
    }
    const RegisterScope registers = scope();
    const std::uint32_t r = fresh();
    emit(n, r);
    if (!never_returns(n)) word(Op::Drop, r, 0, 0, n.span);
}

/// Whether the node becomes instructions that change the collection, its first child, where it is.
static bool changes_in_place(const Node& n) {
    if (n.kind == NodeKind::Update) return true;
    return n.kind == NodeKind::CallBuiltin && special_of(n.index) == Special::Assoc && n.children.size() % 2 == 1 &&
           n.children.size() <= kBatch;
}

Operand8 FunctionEmitter::take_operand(Node& n) {
    if (in_register(n) && n.last_use) return {n.local->reg, true};
    const std::uint32_t r = has_place(n) ? n.children[0]->local->reg : fresh();
    emit(n, r);
    return {r, true};
}

bool FunctionEmitter::has_place(const Node& n) const {
    if (!options_.optimize || !changes_in_place(n)) return false;
    const Node& coll = *n.children[0];
    return in_register(coll) && coll.last_use && !coll.local->varies;
}

void FunctionEmitter::emit_constant(Bits value, std::uint32_t dst, Span span) {
    if (bits::is_integer(value) && bits::to_integer(value) >= INT16_MIN && bits::to_integer(value) <= INT16_MAX) {
        word16(Op::LoadInt, dst, static_cast<std::uint32_t>(static_cast<std::uint16_t>(bits::to_integer(value))), span);
    } else if (value == bits::kNil || value == bits::kFalse || value == bits::kTrue) {
        word(Op::LoadPrim, dst, static_cast<std::uint32_t>(value - bits::kNil), 0, span);
    } else {
        word16(Op::LoadConst, dst, constant(value), span);
    }
}

void FunctionEmitter::emit_local(const Node& n, std::uint32_t dst) {
    if (!n.local->by_use) {
        if (dst != n.local->reg) word(n.last_use ? Op::Move : Op::Copy, dst, n.local->reg, 0, n.span);
        return;
    }
    if (n.local == f_.self) {
        word(Op::LoadSelf, dst, 0, 0, n.span);
        return;
    }
    for (const Function::Sibling& sibling : f_.siblings) {
        if (sibling.local != n.local) continue;
        const Op op = f_.captures.empty() ? Op::LoadConst : Op::LoadSibling;
        return word16(op, dst, function_constant(sibling.function), n.span);
    }
    const auto it = std::find(f_.captures.begin(), f_.captures.end(), n.local);
    word(Op::LoadCapture, dst, static_cast<std::uint32_t>(it - f_.captures.begin()), 0, n.span);
}

void FunctionEmitter::bind_locals(Node& n, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        Local& l = *n.locals[i];
        Node& value = *n.children[i];
        if (l.dead_at_birth && is_vector_of_atoms(value)) { // a path that is written out where it is used
            for (Node* item : value.children)
                emit_effect(*item);
            continue;
        }
        // Another name for a value that goes by no other: it stays where it is.
        if (in_register(value) && value.last_use && !value.local->varies && !l.varies) {
            l.reg = value.local->reg;
        } else {
            const std::uint32_t r = fresh();
            emit(value, r);
            l.reg = static_cast<std::uint8_t>(r);
        }
        if (!never_returns(value)) drop_if_dead(l);
    }
}

void FunctionEmitter::emit_closure(Node& n, std::uint32_t dst) {
    const Function& g = *n.function;
    if (g.captures.empty()) {
        word16(Op::LoadConst, dst, function_constant(&g), n.span);
        return;
    }
    WindowScope w(*this, dst);
    registers_.reserve_to(w.base() + static_cast<std::uint32_t>(g.captures.size()));
    for (std::size_t i = 0; i < g.captured_from.size(); ++i) {
        Node ref;
        ref.kind = NodeKind::LocalRef;
        ref.span = n.span;
        ref.local = g.captured_from[i];
        ref.last_use = g.capture_takes[i];
        emit_local(ref, w.base() + static_cast<std::uint32_t>(i));
    }
    word16(Op::MakeClosure, w.base(), function_constant(&g), n.span);
    w.deliver(n.span);
}

void FunctionEmitter::emit_call(Node& n, Op op, std::span<Node*> arguments, std::uint32_t second_word,
                                std::uint32_t dst) {
    const auto count = static_cast<std::uint32_t>(arguments.size());
    WindowScope w(*this, dst);
    const std::uint32_t base = w.base();
    const bool has_callee = op == Op::Call || op == Op::Apply;
    if (has_callee) into_window(*n.children[0], base);
    registers_.reserve_to(base + kFrameLink);
    window(arguments, base + kFrameLink);
    if (has_callee) fetch_local(*n.children[0], base);
    word(op, base, count, 0, n.span);
    second(second_word, n.span);
    w.deliver(n.span);
}

void FunctionEmitter::emit_invoke(Node& n, std::uint32_t dst) {
    if (n.children.size() != 2) return emit_call(n, Op::Call, n.children.subspan(1), 0, dst);
    const RegisterScope registers = scope();
    // Operands may lie inside of the window, as they die in the call; locals that do not lie below it.
    const bool is_newest = registers_.is_newest(dst);
    Operand8 callee = evaluate(*n.children[0]);
    const Operand8 argument = evaluate(*n.children[1]);
    if (callee.reg == argument.reg && callee.take && argument.take) callee.take = false;
    std::uint32_t window = dst;
    if (!is_newest) window = fresh();
    registers_.reserve_to(window + kFrameLink + 1);
    word(Op::CallOne, window, callee.reg, argument.reg, n.span, takes(callee, argument));
    second(takes(callee, argument), n.span);
    if (n.forgets != 0) emit_forget_item(callee, argument, n.span);
    if (window != dst) word(Op::Move, dst, window, 0, n.span);
}

void FunctionEmitter::emit_self_call(Node& n, std::uint32_t dst) {
    const Function& arity = *n.function;
    if (&arity == &f_ || arity.variadic || !f_.captures.empty()) return emit_call(n, Op::CallSelf, n.children, 0, dst);
    const std::uint32_t name = text_constant(ObjectType::Var, "");
    emit_call(n, Op::CallFunction, n.children, function_constant(&arity) | name << 16, dst);
}

void FunctionEmitter::emit_known_call(Node& n, std::uint32_t dst) {
    if (!n.function->variadic) {
        const std::uint32_t name = text_constant(ObjectType::Var, options_.is_sealed ? "" : n.text);
        return emit_call(n, Op::CallFunction, n.children, function_constant(n.function) | name << 16, dst);
    }
    // A rest parameter is packed by the general call.
    Node callee;
    callee.span = n.span;
    callee.kind = options_.is_sealed ? NodeKind::Fn : NodeKind::Global;
    callee.text = n.text;
    if (options_.is_sealed) callee.function = n.function;
    std::vector<Node*> children{&callee};
    children.insert(children.end(), n.children.begin(), n.children.end());
    Node call;
    call.kind = NodeKind::Invoke;
    call.span = n.span;
    call.children = children;
    emit_call(call, Op::Call, call.children.subspan(1), 0, dst);
}

void FunctionEmitter::emit_native(std::uint32_t index, std::span<Node*> arguments, std::uint32_t dst, Span span) {
    const auto count = static_cast<std::uint32_t>(arguments.size());
    WindowScope w(*this, dst);
    window(arguments, w.base());
    word(Op::CallNative, w.base(), count, 0, span);
    second(index, span);
    w.deliver(span);
}

void FunctionEmitter::emit_wide_native(Node& n, std::uint32_t dst) {
    WindowScope w(*this, dst);
    word16(Op::LoadConst, w.base(), constant(Value::builtin(n.index).raw()), n.span);
    registers_.reserve_to(w.base() + kFrameLink + 1);
    emit_items(n, Op::MakeVector, w.base() + kFrameLink);
    word(Op::Apply, w.base(), 1, 0, n.span);
    second(0, n.span);
    w.deliver(n.span);
}

void FunctionEmitter::emit_builtin(Node& n, std::uint32_t dst) {
    if (options_.optimize) {
        if (const auto operation = operation_for(n)) return emit_operation(n, *operation, dst);
        switch (special_of(n.index)) {
        case Special::Sum:
            if (n.children.size() > 2) return emit_chain(n, dst);
            break;
        case Special::Get: // with a default, or it would be an operation
            if (n.children[2]->kind == NodeKind::Constant) return emit_get_or(n, dst);
            break;
        case Special::Assoc:
            if (n.children.size() % 2 == 1) return emit_assoc_many(n, dst);
            break;
        case Special::GroupAppend: {
            WindowScope w(*this, dst);
            window(n.children, w.base());
            word(Op::GroupAppend, w.base(), 0, 0, n.span);
            return w.deliver(n.span);
        }
        default: break;
        }
    }
    if (n.children.size() > kBatch) return emit_wide_native(n, dst);
    emit_native(n.index, n.children, dst, n.span);
}

std::optional<std::uint32_t> FunctionEmitter::small_constant(const Node& n) {
    if (n.kind != NodeKind::Constant) return std::nullopt;
    const std::uint32_t index = constant(n.constant);
    if (index > 0xFF) return std::nullopt;
    return index;
}

void FunctionEmitter::emit_operation(Node& n, const Operation& operation, std::uint32_t dst) {
    const RegisterScope registers = scope();
    switch (operation.kind) {
    case Operation::Kind::Unary: {
        const Operand8 b = evaluate(*n.children[0]);
        word(operation.op, dst, b.reg, 0, n.span, takes(b));
        break;
    }
    case Operation::Kind::UnaryTake: {
        const Operand8 b = take_operand(*n.children[0]);
        word(operation.op, dst, b.reg, 0, n.span);
        break;
    }
    case Operation::Kind::Predicate: {
        const Operand8 b = evaluate(*n.children[0]);
        word(operation.op, dst, b.reg, static_cast<std::uint32_t>(operation.predicate), n.span, takes(b));
        break;
    }
    case Operation::Kind::Consuming: emit_consuming(n, operation.op, dst); break;
    case Operation::Kind::Assoc: emit_assoc(n, dst); break;
    case Operation::Kind::Nth: {
        const Operand8 b = evaluate(*n.children[0]);
        const Operand8 c = evaluate(*n.children[1]);
        const bool is_last = b.take && b.reg != c.reg;
        emit_binary(is_last ? Op::NthLast : Op::Nth, dst, is_last ? Operand8{b.reg, false} : b, c, n.span);
        if (n.forgets != 0) emit_forget_item(b, c, n.span);
        break;
    }
    case Operation::Kind::Field:
        if (is_key(*n.children[1])) {
            emit_field(n, n.children[1]->constant, dst);
            break;
        }
        [[fallthrough]];
    case Operation::Kind::Binary:
    case Operation::Kind::Comparison: {
        const bool is_binary = operation.kind == Operation::Kind::Binary;
        const auto with_constant = [&](Op op, Node& constant, Node& other) {
            if (!is_binary || op == Op::Nop || !is_number_constant(constant)) return false;
            const auto k = small_constant(constant);
            if (!k) return false;
            const Operand8 b = evaluate(other);
            word(op, dst, b.reg, *k, n.span, takes(b));
            return true;
        };
        if (with_constant(operation.op_k, *n.children[1], *n.children[0])) break;
        if (with_constant(with_left_constant(operation.op), *n.children[0], *n.children[1])) break;
        const Operand8 b = evaluate(*n.children[0]);
        const Operand8 c = evaluate(*n.children[1]);
        emit_binary(operation.op, dst, b, c, n.span);
        if (n.forgets != 0) emit_forget_item(b, c, n.span);
        break;
    }
    }
}

void FunctionEmitter::emit_binary(Op op, std::uint32_t dst, Operand8 b, Operand8 c, Span span) {
    // The same dying local twice: it dies once.
    if (b.reg == c.reg && b.take && c.take) b.take = false;
    word(op, dst, b.reg, c.reg, span, takes(b, c));
}

void FunctionEmitter::emit_consuming(Node& n, Op op, std::uint32_t dst) {
    Operand8 operands[2];
    const auto rank = [](const Node& operand) { return in_register(operand) ? 2 : operand.is_late ? 1 : 0; };
    for (const int now : {0, 1, 2}) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (rank(*n.children[i]) == now) operands[i] = take_operand(*n.children[i]);
        }
    }
    word(op, dst, operands[0].reg, operands[1].reg, n.span);
}

void FunctionEmitter::emit_chain(Node& n, std::uint32_t dst) {
    const RegisterScope registers = scope();
    const auto two = [&] {
        Node call;
        call.kind = NodeKind::CallBuiltin;
        call.index = n.index;
        call.children = n.children.first(2);
        return *operation_for(call);
    }();
    const Op op_left = with_left_constant(two.op);
    // All operands first, in order, then the sums: locals are read when the node runs.
    struct Term {
        Operand8 operand;
        std::optional<std::uint32_t> constant;
    };
    std::vector<Term> terms;
    for (Node* c : n.children) {
        Term term;
        if (two.op_k != Op::Nop && is_number_constant(*c) &&
            (terms.empty() ? op_left != Op::Nop : !terms[0].constant || terms.size() > 1))
            term.constant = small_constant(*c);
        if (!term.constant) term.operand = evaluate(*c);
        terms.push_back(term);
    }
    const std::uint32_t sum = fresh();
    for (std::size_t i = 1; i < terms.size(); ++i) {
        const Operand8 left = i == 1 ? terms[0].operand : Operand8{sum, true};
        const std::uint32_t target = i + 1 == terms.size() ? dst : sum;
        if (i == 1 && terms[0].constant)
            word(op_left, target, terms[1].operand.reg, *terms[0].constant, n.span, takes(terms[1].operand));
        else if (terms[i].constant)
            word(two.op_k, target, left.reg, *terms[i].constant, n.span, takes(left));
        else
            emit_binary(two.op, target, left, terms[i].operand, n.span);
    }
}

void FunctionEmitter::emit_field(Node& n, Bits key, std::uint32_t dst) {
    const Operand8 b = evaluate(*n.children[0]);
    const std::uint32_t k = constant(key);
    word(Op::Field, dst, b.reg, 0, n.span, takes(b));
    second(k | (cache_number() & 0xFFFF) << 16, n.span);
    if (n.forgets != 0 && !b.take) emit_forget(b.reg, key, n.span);
}

void FunctionEmitter::emit_forget(std::uint32_t map, Bits key, Span span) {
    if (!options_.optimize) return;
    word(Op::ForgetKey, map, 0, 0, span);
    second(constant(key), span);
}

void FunctionEmitter::emit_forget_item(Operand8 coll, Operand8 at, Span span) {
    if (options_.optimize && !coll.take && !at.take) word(Op::ForgetItem, coll.reg, at.reg, 0, span);
}

void FunctionEmitter::emit_forgets(const Node& assoc) {
    for (std::size_t i = 1; i < assoc.children.size(); i += 2) {
        if ((assoc.forgets >> (i / 2) & 1) == 0) continue;
        const std::uint32_t coll = assoc.children[0]->local->reg;
        const Node& key = *assoc.children[i];
        if (key.kind == NodeKind::LocalRef)
            emit_forget_item({coll, false}, {key.local->reg, false}, assoc.span);
        else
            emit_forget(coll, key.constant, assoc.span);
    }
}

void FunctionEmitter::emit_keyword_call(Node& n, std::uint32_t dst) {
    if (n.children.size() == 1) return emit_field(n, n.constant, dst);
    // With a default: (get m key default).
    static const int get = find_builtin("get");
    Node key;
    key.kind = NodeKind::Constant;
    key.span = n.span;
    key.constant = n.constant;
    Node* arguments[] = {n.children[0], &key, n.children[1]};
    emit_native(static_cast<std::uint32_t>(get), arguments, dst, n.span);
}

void FunctionEmitter::emit_get_or(Node& n, std::uint32_t dst) {
    Operand8 b = evaluate(*n.children[0]);
    const Operand8 c = evaluate(*n.children[1]);
    if (b.reg == c.reg && b.take && c.take) b.take = false;
    word(Op::GetOr, dst, b.reg, c.reg, n.span, takes(b, c));
    second(constant(n.children[2]->constant), n.span);
    if (n.forgets != 0) emit_forget_item(b, c, n.span);
}

void FunctionEmitter::emit_assoc(Node& n, std::uint32_t dst) {
    Node& coll = *n.children[0];
    Node& key = *n.children[1];
    Node& value = *n.children[2];
    const RegisterScope registers = scope();
    const auto is_at = [](const Node& operand, std::uint32_t reg) {
        return in_register(operand) && operand.local->reg == reg;
    };
    // The collection is changed where it is when it dies here, else in dst, unless another operand is there.
    const bool is_free = in_register(coll) ? !is_at(coll, dst) : !is_accumulator(dst);
    const std::uint32_t target = in_register(coll) && coll.last_use                  ? coll.local->reg
                                 : is_free && !is_at(key, dst) && !is_at(value, dst) ? dst
                                                                                     : fresh();
    const bool by_cache = is_key(key);
    emit_forgets(n);
    Operand8 at, item;
    for (const bool late : {false, true}) {
        if (!in_register(coll) && coll.is_late == late) emit(coll, target);
        if (!by_cache && key.is_late == late) at = evaluate(key);
        if (value.is_late == late) item = take_operand(value);
    }
    if (in_register(coll)) emit_local(coll, target);
    emit_assoc_at(target, by_cache ? &key : nullptr, at, item, n.span);
    if (target != dst) word(Op::Move, dst, target, 0, n.span);
}

void FunctionEmitter::emit_assoc_at(std::uint32_t target, const Node* key, Operand8 at, Operand8 item, Span span) {
    if (!key) return word(Op::Assoc, target, at.reg, item.reg, span, takes(at));
    word(Op::AssocField, target, item.reg, 0, span);
    second(constant(key->constant) | (cache_number() & 0xFFFF) << 16, span);
}

void FunctionEmitter::emit_assoc_many(Node& n, std::uint32_t dst) {
    if (n.children.size() > kBatch) return emit_wide_native(n, dst);
    // (assoc m k v k v ..): all operands are evaluated before the first update, as a call would.
    const RegisterScope registers = scope();
    const Node& coll = *n.children[0];
    const std::uint32_t target = in_register(coll) && coll.last_use ? coll.local->reg : fresh();
    std::vector<Operand8> operands(n.children.size());
    emit_forgets(n);
    for (const bool late : {false, true}) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            Node& operand = *n.children[i];
            if (in_register(operand) || (i % 2 == 1 && is_key(operand)) || operand.is_late != late) continue;
            operands[i] = {i == 0 ? target : fresh(), true};
            emit(operand, operands[i].reg);
        }
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        Node& operand = *n.children[i];
        if (!in_register(operand)) continue;
        if (i == 0)
            emit_local(operand, target);
        else
            operands[i] = i % 2 == 1 ? evaluate(operand) : take_operand(operand);
    }
    for (std::size_t i = 1; i + 1 < operands.size(); i += 2)
        emit_assoc_at(target, is_key(*n.children[i]) ? n.children[i] : nullptr, operands[i], operands[i + 1], n.span);
    if (target != dst) word(Op::Move, dst, target, 0, n.span);
}

/// Whether the body mentions the operand, a local, and may so use it up or drop it. Looks at `left` nodes at most.
static bool may_use_up(const Node& body, const Node& operand, int& left) {
    if (--left < 0 || body.kind == NodeKind::Fn) return true;
    if (body.kind == NodeKind::LocalRef) return body.local == operand.local;
    return std::any_of(body.children.begin(), body.children.end(),
                       [&](const Node* child) { return may_use_up(*child, operand, left); });
}
static bool may_use_up(const Node& body, const Node& operand) {
    constexpr int kMostLooks = 24;
    int left = kMostLooks;
    return operand.kind != NodeKind::LocalRef || operand.local->varies || may_use_up(body, operand, left);
}

void FunctionEmitter::emit_update(Node& n, std::uint32_t dst) {
    const RegisterScope registers = scope();
    Node& coll = *n.children[0];
    const Node* key = is_key(*n.children[1]) ? n.children[1] : nullptr;
    const bool is_there = in_register(coll) && coll.last_use && coll.local->reg == dst;
    const std::uint32_t target = is_accumulator(dst) && !is_there ? fresh() : dst;
    emit(coll, target);
    Operand8 at;
    if (!key) at = may_use_up(*n.children[2], *n.children[1]) ? take_operand(*n.children[1]) : evaluate(*n.children[1]);
    Local& old = *n.locals[0];
    old.reg = static_cast<std::uint8_t>(fresh());
    if (key) {
        word(Op::TakeKey, target, 0, old.reg, n.span);
        second(constant(key->constant) | (cache_number() & 0xFFFF) << 16, n.span);
    } else {
        word(Op::TakeField, target, at.reg, old.reg, n.span);
    }
    drop_if_dead(old);
    const Operand8 item = take_operand(*n.children[2]);
    if (never_returns(*n.children[2])) return;
    emit_assoc_at(target, key, at, item, n.span);
    if (target != dst) word(Op::Move, dst, target, 0, n.span);
}

void FunctionEmitter::define(Node& n) {
    const RegisterScope registers = scope();
    const Operand8 v = take_operand(*n.children[0]);
    word16(Op::Define, v.reg, text_constant(ObjectType::Var, n.text), n.span);
}

void FunctionEmitter::emit_def(Node& n, std::uint32_t dst) {
    define(n);
    word16(Op::LoadConst, dst, text_constant(ObjectType::Var, n.text), n.span);
}

void FunctionEmitter::emit_atom_operation(Node& n, std::uint32_t dst) {
    constexpr Op kOps[] = {Op::NewAtom, Op::Deref, Op::TakeAtom, Op::ResetAtom};
    const Op op = kOps[n.index];
    if (op == Op::Deref || op == Op::TakeAtom) {
        const RegisterScope registers = scope();
        const Operand8 atom = evaluate(*n.children[0]);
        return word(op, dst, atom.reg, 0, n.span, takes(atom));
    }
    WindowScope w(*this, dst);
    window(n.children, w.base());
    word(op, w.base(), 0, 0, n.span);
    w.deliver(n.span);
}

// ---- Literals

void FunctionEmitter::emit_items(Node& n, Op make, std::uint32_t dst) {
    const auto count = static_cast<std::uint32_t>(n.children.size());
    if (count <= kBatch) {
        WindowScope w(*this, dst);
        window(n.children, w.base());
        word(make, w.base(), count, 0, n.span);
        return w.deliver(n.span);
    }
    // A long literal: item by item. Locals are copied, and those that die here are dropped at the end.
    const RegisterScope registers = scope();
    const std::uint32_t result = fresh();
    word(make, result, 0, 0, n.span);
    for (Node* item : n.children) {
        const RegisterScope inner = scope();
        const std::uint32_t r = fresh();
        if (in_register(*item))
            word(Op::Copy, r, item->local->reg, 0, item->span);
        else
            emit(*item, r);
        word(Op::Conj, result, result, r, n.span);
    }
    for (Node* item : n.children) {
        if (in_register(*item) && item->last_use) word(Op::Drop, item->local->reg, 0, 0, item->span);
    }
    word(Op::Move, dst, result, 0, n.span);
}

void FunctionEmitter::emit_map(Node& n, std::uint32_t dst) {
    if (options_.optimize && emit_record(n, dst)) return;
    const auto count = static_cast<std::uint32_t>(n.children.size());
    if (count <= kBatch) {
        WindowScope w(*this, dst);
        window(n.children, w.base());
        word(Op::MakeMap, w.base(), count, 0, n.span);
        return w.deliver(n.span);
    }
    WindowScope w(*this, dst);
    const std::uint32_t base = w.base();
    registers_.reserve_to(base + 3);
    word(Op::MakeMap, base, 0, 0, n.span);
    for (std::size_t i = 0; i < n.children.size(); i += 2) {
        for (std::uint32_t j = 0; j < 2; ++j) {
            Node& child = *n.children[i + j];
            if (in_register(child))
                word(Op::Copy, base + 1 + j, child.local->reg, 0, child.span);
            else
                emit(child, base + 1 + j);
        }
        word(Op::Assoc, base, base + 1, base + 2, n.span, kTakeB);
    }
    for (Node* child : n.children) {
        if (in_register(*child) && child->last_use) word(Op::Drop, child->local->reg, 0, 0, child->span);
    }
    w.deliver(n.span);
}

bool FunctionEmitter::emit_record(Node& n, std::uint32_t dst) {
    const std::size_t count = n.children.size() / 2;
    if (count == 0 || count > ShapeObject::kMaxFields) return false;
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Node& key = *n.children[2 * i];
        if (!is_key(key) || static_cast<StringObject*>(bits::to_object(key.constant))->size > ShapeObject::kMaxKeyBytes)
            return false;
        order[i] = i;
    }
    const auto key_of = [&](std::size_t i) { return n.children[2 * i]->constant; };
    const auto is_before = [&](std::size_t x, std::size_t y) {
        Value a = Value::adopt(key_of(x)), b = Value::adopt(key_of(y));
        const int o = total_order(program_.heap, a, b);
        (void)a.give_up();
        (void)b.give_up();
        return o < 0;
    };
    std::sort(order.begin(), order.end(), is_before);
    for (std::size_t i = 1; i < count; ++i) {
        if (!is_before(order[i - 1], order[i]))
            return false; // equal keys, computed while compiling: the last one counts
    }
    std::vector<Value> keys;
    for (std::size_t i : order) {
        (void)constant(key_of(i)); // frozen from here on
        keys.push_back(Value::adopt((key_of(i) & bits::kPointerMask) | bits::kFrozen));
    }
    ShapeObject* shape = program_.shapes.intern(keys);
    if (!shape) {
        failed_ = true;
        return true;
    }
    shape->refs = kImmortal; // VMs on several threads make records of it
    std::vector<std::uint32_t> slot(count);
    for (std::size_t s = 0; s < count; ++s)
        slot[order[s]] = static_cast<std::uint32_t>(s);
    WindowScope w(*this, dst);
    const std::uint32_t base = w.base();
    for (std::size_t i = 0; i < count; ++i)
        into_window(*n.children[2 * i + 1], base + slot[i]);
    for (std::size_t i = 0; i < count; ++i)
        late_into_window(*n.children[2 * i + 1], base + slot[i]);
    for (std::size_t i = 0; i < count; ++i)
        fetch_local(*n.children[2 * i + 1], base + slot[i]);
    word(Op::MakeRecord, base, static_cast<std::uint32_t>(count), 0, n.span);
    second(constant(bits::kFrozen | reinterpret_cast<Bits>(shape)), n.span);
    w.deliver(n.span);
    return true;
}

// ---- Programs

namespace {

// As #fn[x y & more] shows them: a pattern is "_".
std::string parameter_names(const Function& f) {
    std::string text;
    for (std::size_t i = 0; i < f.params.size(); ++i) {
        if (i > 0) text += ' ';
        if (f.variadic && i + 1 == f.params.size()) text += "& ";
        const std::string_view name = f.params[i]->name;
        text += name.empty() ? "_" : name;
    }
    return text;
}

void describe_function(const Function& f, FunctionProto& proto, bool is_core) {
    proto.name_text = f.name.empty() ? "fn" : std::string(f.name);
    proto.name = proto.name_text.c_str();
    proto.doc_text = std::string(f.doc);
    proto.doc = f.doc.empty() ? nullptr : proto.doc_text.c_str();
    if (!is_core) {
        proto.parameters_text = parameter_names(f);
        proto.parameters = proto.parameters_text.c_str();
    }
    proto.variadic = f.variadic;
    const std::size_t fixed = f.params.size() - (f.variadic ? 1 : 0);
    proto.min_arity = proto.max_arity = static_cast<std::uint8_t>(fixed);
    proto.exact_arity = f.variadic ? 255 : static_cast<std::uint8_t>(f.params.size());
    proto.capture_count = static_cast<std::uint16_t>(f.captures.size());
}

// What messages say of a function with several arities; one that takes any more arguments is what it is printed as.
void note_all_arities(FunctionProto& proto) {
    bool is_open = proto.variadic;
    for (const FunctionProto* p = proto.next_arity; p; p = p->next_arity) {
        const auto fixed = static_cast<std::uint8_t>(p->param_count - (p->variadic ? 1 : 0));
        proto.min_arity = std::min(proto.min_arity, fixed);
        proto.max_arity = std::max(proto.max_arity, fixed);
        is_open = is_open || p->variadic;
        if (!p->variadic || !p->parameters) continue;
        proto.parameters_text = p->parameters_text;
        proto.parameters = proto.parameters_text.c_str();
    }
    if (is_open) proto.max_arity = Arity::kOpen;
}

} // namespace

void emit_program(Tree& tree, Program& program, const EmitOptions& options, Diagnostics& diagnostics) {
    std::unordered_map<const Function*, FunctionProto*> protos;
    for (Function& f : tree.functions) {
        auto proto = std::make_unique<FunctionProto>();
        proto->program = &program;
        proto->index = static_cast<std::uint32_t>(program.functions.size());
        describe_function(f, *proto, options.is_core);
        protos.emplace(&f, proto.get());
        program.functions.push_back(std::move(proto));
    }
    for (Function& f : tree.functions) {
        if (f.next_arity) protos.at(&f)->next_arity = protos.at(f.next_arity);
        if (f.first_arity && f.first_arity != &f) protos.at(&f)->first_arity = protos.at(f.first_arity);
    }
    for (auto& proto : program.functions)
        note_all_arities(*proto);
    std::deque<Drops> drops;
    std::uint32_t next_cache = 0;
    for (Function& f : tree.functions) {
        FunctionProto& proto = *protos.at(&f);
        if (f.params.size() > 200) {
            diagnostics.error(Error(Reason::LimitExceeded, f.span, "A function takes at most 200 parameters."));
            continue;
        }
        if (options.optimize) {
            find_pair_items(f, tree.arena);
            find_zipped_items(f, tree.arena);
        }
        const bool is_short = find_last_uses(f, drops);
        if (options.optimize && is_short && find_dead_fields(f)) find_taken_fields(f);
        if (work::is_over()) return;
        if (is_short && FunctionEmitter(f, proto, program, options, protos, next_cache).run()) continue;
        const std::string many = is_short && proto.code.size() <= kMaxCode
                                     ? "more than 250 values at once, or more than 65,536 constants."
                                     : "more than 4,194,304 words of code.";
        diagnostics.error(
            Error(Reason::LimitExceeded, f.span, "This function needs " + many, "Split it into several functions."));
    }
}

} // namespace ptc
