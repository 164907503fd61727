// Where the code of a function goes on: conditions as jumps, tail position, try, loops and iterations. How registers,
// ownership and fuel are kept is said in function_emitter.h.
//
// A condition is emitted as the jump that it decides, never as a boolean first: emit_condition hands `not`, `and` and
// `or` down to the comparisons in them. An arm may drop locals that the other arm uses (Drops); where a jump leaves in
// the middle of an `and`, it goes by a pad that drops them, and by those of the later exits: what they drop dies there,
// too. Both arms of a branch begin at the same cost and meet in the larger one. A loop whose test is one comparison or
// predicate is turned round: the test stands at the entry and once more at the jump back, so that a round takes one
// jump.
#include "compiler/function_emitter.h"
#include "compiler/last_use.h"
#include "frontend/assert.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include <utility>

namespace ptc {
namespace {

/// So many exits of an And or Or drop something, or go on to one that does.
std::size_t dropping_exits(const Node& n) {
    std::size_t count = n.drops ? n.drops->exits.size() : 0;
    while (count > 0 && n.drops->exits[count - 1].locals.empty())
        --count;
    return count;
}

/// Whether it gives true or false, and is emitted as a jump where it is a condition.
bool is_test(const Node& n) {
    if (n.kind != NodeKind::CallBuiltin) return false;
    const std::optional<Operation> operation = operation_for(n);
    return operation &&
           (operation->kind == Operation::Kind::Comparison || operation->kind == Operation::Kind::Predicate);
}

/// Whether it gives nothing but true or false, and is emitted as jumps where it is a condition. It is asked at each
/// level of conditions within conditions, so it looks at `left` nodes at most.
bool is_tests(const Node& n, int& left) {
    if (--left < 0) return false;
    switch (n.kind) {
    case NodeKind::And:
    case NodeKind::Or:
        return std::ranges::all_of(n.children, [&left](const Node* child) { return is_tests(*child, left); });
    case NodeKind::Do:
    case NodeKind::Let: return is_tests(*n.children.back(), left);
    default: return is_test(n);
    }
}
bool is_tests(const Node& n) {
    int left = 32;
    return is_tests(n, left);
}

/// Whether the last local of a Let is a test's answer, which its body asks for, and needs again where it is true only.
bool is_asked_first(const Node& let) {
    const Node& body = *let.children.back();
    if (let.locals.empty() || body.kind != NodeKind::If || body.children[0]->kind != NodeKind::LocalRef) return false;
    const Local* local = let.locals.back();
    if (body.children[0]->local != local || local->varies || !is_test(*let.children[let.locals.size() - 1]))
        return false;
    return body.drops &&
           std::find(body.drops->second.begin(), body.drops->second.end(), local) != body.drops->second.end();
}

bool mentions(const Node& n, const Local* local) {
    if (!work::charge(1)) return true;
    if (n.kind == NodeKind::LocalRef) return n.local == local;
    if (n.kind == NodeKind::Fn &&
        std::ranges::find(n.function->captured_from, local) != n.function->captured_from.end())
        return true;
    return std::ranges::any_of(n.children, [&](const Node* child) { return mentions(*child, local); });
}

/// Whether a node gives that constant wherever it gives something.
bool gives_only(const Node& n, Bits constant) {
    switch (n.kind) {
    case NodeKind::Constant: return n.constant == constant;
    case NodeKind::If: return gives_only(*n.children[1], constant) && gives_only(*n.children[2], constant);
    case NodeKind::Do:
    case NodeKind::Let: return gives_only(*n.children.back(), constant);
    case NodeKind::Break:
    case NodeKind::Return:
    case NodeKind::Fail:
    case NodeKind::Throw: return true;
    default: return false;
    }
}

/// Where the step of a Fold that begins with its first item asks whether that was there: the If, which gives the next
/// accumulator. Null: nowhere, or it is no small step without loops, or the Fold stands inside of the one that begins.
const Node* question_of_begun(const Node& fold) {
    if (fold.children[0]->kind != NodeKind::Constant || fold.children[0]->constant != bits::kNil) return nullptr;
    const Node& body = *fold.children[2];
    std::size_t left = 64;
    const std::function<bool(const Node&)> is_small = [&](const Node& n) {
        if (left == 0 || n.kind == NodeKind::Fold || n.kind == NodeKind::Loop || n.kind == NodeKind::Fn) return false;
        --left;
        return std::ranges::all_of(n.children, [&](const Node* child) { return is_small(*child); });
    };
    const std::function<const Node*(const Node&)> find = [&](const Node& n) -> const Node* {
        switch (n.kind) {
        case NodeKind::If: {
            const Node& test = *n.children[0];
            if (test.kind == NodeKind::LocalRef && test.local->says_begun) return &n;
            const Node* found = find(*n.children[1]);
            return found ? found : find(*n.children[2]);
        }
        case NodeKind::Do:
        case NodeKind::Let: return find(*n.children.back());
        default: return nullptr;
        }
    };
    const Node* const question = find(body);
    return question && is_small(body) ? question : nullptr;
}

/// (some f coll), (every? f coll), doseq: what is there at first stays there until the end.
bool keeps_accumulator(const Node& fold) {
    const Node& first = *fold.children[0];
    return fold.locals[0]->dead_at_birth && first.kind == NodeKind::Constant &&
           gives_only(*fold.children[2], first.constant);
}

/// The comparison or predicate that a test is, without the `not` around it, which turns `when` round; null: neither.
Node* test_in(Node& n, bool& when) {
    if (n.kind != NodeKind::CallBuiltin) return nullptr;
    if (builtin_at(n.index).instruction != Instruction::Not) return is_test(n) ? &n : nullptr;
    when = !when;
    return test_in(*n.children[0], when);
}

/// Whether some Recur of the loop is in `n`. After too much work: yes.
bool goes_round(const Node& n, const Node& loop) {
    if (!work::charge(1)) return true;
    if (n.kind == NodeKind::Recur && n.target == &loop) return true;
    return std::ranges::any_of(n.children, [&](const Node* child) { return child && goes_round(*child, loop); });
}

// (loop [..] (if (< i n) .. ..)): the test is repeated where the loop goes round, as one jump back. Only for a test
// that is one comparison or predicate of locals and constants, of which none dies in it.
bool can_invert(const Node& loop, const Node& body) {
    if (body.kind != NodeKind::If) return false;
    for (const Local* l : loop.locals) {
        if (l->dead_at_birth) return false;
    }
    bool when = true;
    const Node* const test = test_in(*body.children[0], when);
    return test && is_simple_operation(*test) && std::ranges::none_of(test->children, [](const Node* c) {
               return c->kind == NodeKind::LocalRef && (c->last_use || c->local->by_use);
           });
}

} // namespace

// ---- Conditions

void FunctionEmitter::emit_condition(Node& n, CodeLabel& target, bool when, std::uint32_t taken_cost) {
    const RegisterScope registers = scope();
    if (n.kind == NodeKind::Constant) {
        if (bits::is_truthy(n.constant) == when) jump(target, n.span);
        return;
    }
    if (options_.optimize && n.kind == NodeKind::CallBuiltin) {
        if (const auto operation = operation_for(n)) {
            if (operation->op == Op::Not && operation->kind == Operation::Kind::Unary)
                return emit_condition(*n.children[0], target, !when, taken_cost);
            if (operation->kind == Operation::Kind::Comparison) {
                return emit_comparison_jump(n, operation->op, target, when, taken_cost);
            }
        }
        if (const auto predicate = condition_for(n)) {
            const Operand8 b = evaluate(*n.children[0]);
            word(when ? Op::JumpTest : Op::JumpNotTest, taken_cost, b.reg, static_cast<std::uint32_t>(*predicate),
                 n.span, takes(b));
            return jump_to(target, n.span);
        }
    }
    if (n.kind == NodeKind::And || n.kind == NodeKind::Or) return emit_short_circuit_jump(n, target, when);
    if (n.kind == NodeKind::Let) {
        bind_locals(n);
        return emit_condition(*n.children.back(), target, when, taken_cost);
    }
    if (n.kind == NodeKind::Do) {
        for (std::size_t i = 0; i + 1 < n.children.size(); ++i)
            emit_effect(*n.children[i]);
        return emit_condition(*n.children.back(), target, when, taken_cost);
    }
    const Operand8 b = evaluate(n);
    if (never_returns(n)) return;
    word(when ? Op::JumpIf : Op::JumpIfNot, 0, b.reg, 0, n.span, takes(b));
    jump_to(target, n.span);
}

void FunctionEmitter::emit_comparison_jump(Node& n, Op comparison, CodeLabel& target, bool when,
                                           std::uint32_t taken_cost) {
    Node* first = n.children[0];
    Node* second = n.children[1];
    if (first->kind == NodeKind::Constant) { // a constant is a right operand
        std::swap(first, second);
        comparison = mirrored(comparison);
    }
    const ComparisonJumps jumps = *jumps_of(comparison);
    const Operand8 b = evaluate(*first);
    if (const auto k = small_constant(*second)) {
        word(when ? jumps.jump_k : jumps.jump_not_k, taken_cost, b.reg, *k, n.span, takes(b));
    } else {
        Operand8 c = evaluate(*second);
        Operand8 left = b;
        if (left.reg == c.reg && left.take && c.take) left.take = false;
        word(when ? jumps.jump : jumps.jump_not, taken_cost, left.reg, c.reg, n.span, takes(left, c));
    }
    jump_to(target, n.span);
}

void FunctionEmitter::emit_exits(const Node& n, std::span<CodeLabel* const> labels,
                                 const std::function<void()>& leave) {
    bool comes_here = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i]) {
            emit_label(*labels[i]);
            comes_here = true;
        }
        if (!comes_here || !n.drops || i >= n.drops->exits.size()) continue;
        drop_all(n.drops->exits[i].locals);
        if (n.drops->exits[i].goes_on) continue;
        leave();
        comes_here = false;
    }
    if (comes_here) leave();
}

void FunctionEmitter::emit_short_circuit_jump(Node& n, CodeLabel& target, bool when) {
    const bool deciding = n.kind == NodeKind::Or;
    CodeLabel fall;
    CodeLabel& decided = deciding == when ? target : fall;
    std::vector<CodeLabel> pads(dropping_exits(n));
    for (std::size_t i = 0; i + 1 < n.children.size(); ++i)
        emit_condition(*n.children[i], i < pads.size() ? pads[i] : decided, deciding);
    emit_condition(*n.children.back(), target, when);
    if (!pads.empty()) {
        const std::int64_t before = cost_;
        CodeLabel over;
        jump(over, n.span);
        std::vector<CodeLabel*> labels;
        for (CodeLabel& pad : pads)
            labels.push_back(&pad);
        emit_exits(n, labels, [&] { jump(decided, n.span); });
        emit_label(over);
        cost_ = std::max(before + 1, cost_);
    }
    emit_label(fall);
}

void FunctionEmitter::emit_short_circuit(Node& n, std::uint32_t dst) {
    const bool deciding = n.kind == NodeKind::Or;
    const RegisterScope registers = scope();
    if (is_accumulator(dst)) { // which a later child may read
        const std::uint32_t r = fresh();
        emit_short_circuit(n, r);
        return word(Op::Move, dst, r, 0, n.span);
    }
    CodeLabel end;
    const std::size_t exits = n.children.size() - 1, dropping = dropping_exits(n);
    std::vector<CodeLabel> pads(exits);
    std::vector<CodeLabel*> of_tests(exits), of_values(exits); // the answer of a test is in no register
    bool has_pads = false;
    for (std::size_t i = 0; i < exits; ++i) {
        Node& child = *n.children[i];
        const bool is_jump = options_.optimize && is_tests(child);
        has_pads = has_pads || is_jump || i < dropping;
        if (is_jump) {
            of_tests[i] = &pads[i];
            emit_condition(child, pads[i], deciding);
            continue;
        }
        emit(child, dst);
        if (never_returns(child)) break;
        if (i < dropping) of_values[i] = &pads[i];
        word(deciding ? Op::JumpIf : Op::JumpIfNot, 0, dst, 0, n.span);
        jump_to(i < dropping ? pads[i] : end, n.span);
        word(Op::Drop, dst, 0, 0, n.span);
    }
    emit(*n.children.back(), dst);
    if (has_pads) {
        const std::int64_t before = cost_;
        if (!never_returns(*n.children.back())) jump(end, n.span);
        std::int64_t dearest = cost_;
        cost_ = before;
        emit_exits(n, of_tests, [&] {
            emit_constant(Value::boolean(deciding).raw(), dst, n.span);
            jump(end, n.span);
        });
        dearest = std::max(dearest, cost_);
        cost_ = before;
        emit_exits(n, of_values, [&] { jump(end, n.span); });
        cost_ = std::max(dearest, cost_);
    }
    emit_label(end);
}

void FunctionEmitter::emit_to(Node& n, std::uint32_t dst, Goal goal) {
    switch (goal) {
    case Goal::Register: return emit(n, dst);
    case Goal::Return: return emit_tail(n);
    case Goal::Nowhere: return emit_nowhere(n);
    }
}

void FunctionEmitter::emit_do(Node& n, std::uint32_t dst, Goal goal) {
    for (std::size_t i = 0; i + 1 < n.children.size(); ++i)
        emit_effect(*n.children[i]);
    emit_to(*n.children.back(), dst, goal);
}

// (let [next (conj accumulator x)] (if more next (break next))): nothing looks at the old one behind the first part.
// What a call gives is moved there anyway.
bool FunctionEmitter::replaces_accumulator(const Node& let, std::uint32_t dst) const {
    if (folds_.empty() || folds_.back().accumulator != dst || folds_.back().keeps || let.locals.size() != 1)
        return false;
    const Local& local = *let.locals[0];
    const NodeKind made_by = let.children[0]->kind;
    if (made_by == NodeKind::Invoke || made_by == NodeKind::CallFunction || made_by == NodeKind::CallSelf) return false;
    return !local.dead_at_birth && !local.varies && !mentions(*let.children[1], folds_.back().held);
}

void FunctionEmitter::emit_in_place(Node& let, std::uint32_t dst) {
    Local& local = *let.locals[0];
    emit(*let.children[0], dst);
    local.reg = static_cast<std::uint8_t>(dst);
    const std::size_t fold = folds_.size() - 1;
    const Local* const held = std::exchange(folds_[fold].held, &local);
    emit_to(*let.children[1], dst, Goal::Register);
    folds_[fold].held = held;
}

void FunctionEmitter::emit_let(Node& n, std::uint32_t dst, Goal goal) {
    Node& body = *n.children.back();
    if (!options_.optimize || !is_asked_first(n)) {
        if (options_.optimize && goal == Goal::Register && replaces_accumulator(n, dst)) return emit_in_place(n, dst);
        bind_locals(n);
        return emit_to(body, dst, goal);
    }
    // (let [x (> a b)] (if x (f x) y)): true where the jump is not taken, and not there where it is.
    const std::size_t last = n.locals.size() - 1;
    bind_locals(n, last);
    Local& local = *n.locals[last];
    const std::uint32_t r = fresh();
    local.reg = static_cast<std::uint8_t>(r);
    CodeLabel otherwise;
    emit_condition(*n.children[last], otherwise, false);
    emit_constant(Value::boolean(true).raw(), r, n.span);
    std::vector<Local*> dropped = body.drops->second;
    std::erase(body.drops->second, &local);
    emit_arms(body, true, otherwise, dst, goal);
    std::swap(body.drops->second, dropped); // a step may be emitted twice (emit_fold)
}

void FunctionEmitter::emit_nowhere(Node& n) {
    if (has_failed()) return;
    const RegisterScope registers = scope();
    switch (n.kind) {
    case NodeKind::Constant: break;
    case NodeKind::If: emit_if(n, 0, Goal::Nowhere); break;
    case NodeKind::Do: emit_do(n, 0, Goal::Nowhere); break;
    case NodeKind::Let: emit_let(n, 0, Goal::Nowhere); break;
    default: emit(n, registers_.top()); // it does not come back
    }
}

void FunctionEmitter::emit_if(Node& n, std::uint32_t dst, Goal goal) {
    Node& test = *n.children[0];
    if (&n == begun_.question) {
        if (n.drops) drop_all(begun_.has_begun ? n.drops->first : n.drops->second);
        emit_to(*n.children[begun_.has_begun ? 1 : 2], dst, goal);
        if (begun_.has_begun) return;
        begun_.round_cost = charge_all_but(255, cost_ - begun_.head_cost + 2, n.span);
        jump(*begun_.goes_on, n.span);
        begun_.end = here();
        cost_ = begun_.head_cost; // control does not come here: this path has been paid for
        return;
    }
    if (test.kind == NodeKind::Constant) {
        const bool truth = bits::is_truthy(test.constant);
        if (n.drops) drop_all(truth ? n.drops->first : n.drops->second);
        return emit_to(*n.children[truth ? 1 : 2], dst, goal);
    }
    CodeLabel otherwise;
    emit_condition(test, otherwise, false);
    emit_arms(n, true, otherwise, dst, goal);
}

void FunctionEmitter::emit_arm(Node& n, bool when, std::uint32_t dst, Goal goal) {
    if (n.drops) drop_all(when ? n.drops->first : n.drops->second);
    emit_to(*n.children[when ? 1 : 2], dst, goal);
}

void FunctionEmitter::emit_arms(Node& n, bool when, CodeLabel& otherwise, std::uint32_t dst, Goal goal) {
    CodeLabel end;
    const std::int64_t before = cost_;
    emit_arm(n, when, dst, goal);
    if (goal != Goal::Return && !never_returns(*n.children[when ? 1 : 2])) jump(end, n.span);
    const std::int64_t behind_first = cost_;
    cost_ = before;
    emit_label(otherwise);
    emit_arm(n, !when, dst, goal);
    emit_label(end);
    cost_ = std::max(cost_, behind_first);
}

void FunctionEmitter::emit_end(Node& n, std::uint32_t ending) {
    const Operand8 v = take_operand(*n.children[0]);
    word(Op::Finish, ending, v.reg, 0, n.span);
}

void FunctionEmitter::emit_try(Node& n, std::uint32_t dst) {
    CodeLabel failed, end;
    std::uint32_t window = 0;
    {
        WindowScope w(*this, dst);
        window = w.base();
        registers_.reserve_to(window + kFrameLink);
        into_window(*n.children[0], window);
        fetch_local(*n.children[0], window);
        word(Op::Try, window, 0, 0, n.span);
        jump_to(failed, n.span);
        if (n.drops) drop_all(n.drops->first);
        w.deliver(n.span);
    }
    jump(end, n.span);
    const std::int64_t before = cost_;
    emit_label(failed);
    {
        const RegisterScope registers = scope();
        registers_.reserve_to(window + 1); // not over the failure
        const std::uint32_t failure = fresh();
        word(Op::Move, failure, window, 0, n.span);
        n.locals[0]->reg = static_cast<std::uint8_t>(failure);
        drop_if_dead(*n.locals[0]);
        if (n.drops) drop_all(n.drops->second);
        emit(*n.children[1], dst);
    }
    emit_label(end);
    cost_ = std::max(cost_, before);
}

// ---- Tail position

void FunctionEmitter::emit_tail(Node& n) {
    if (has_failed()) return;
    const RegisterScope registers = scope();
    switch (n.kind) {
    case NodeKind::If: emit_if(n, 0, Goal::Return); break;
    case NodeKind::Do: emit_do(n, 0, Goal::Return); break;
    case NodeKind::Let: emit_let(n, 0, Goal::Return); break;
    case NodeKind::Loop: emit_loop(n, 0, Goal::Return); break;
    case NodeKind::Recur: emit_recur(n); break;
    case NodeKind::Return:
    case NodeKind::Fail:
    case NodeKind::Throw:
    case NodeKind::Break: {
        emit(n, registers_.top());
        break;
    }
    default: {
        if (in_register(n) && n.last_use) {
            word(Op::Return, 0, n.local->reg, 0, n.span);
            break;
        }
        const std::uint32_t r = fresh();
        emit(n, r);
        word(Op::Return, 0, r, 0, n.span);
    }
    }
}

void FunctionEmitter::emit_loop(Node& n, std::uint32_t dst, Goal goal) {
    const RegisterScope registers = scope();
    bind_loop_locals(n);
    CodeLabel head, body, exit;
    emit_label(head);
    for (Local* l : n.locals)
        drop_if_dead(*l);
    LoopState state{&n, &head, cost_};
    Node& inner = *n.children.back();
    if (options_.optimize && can_invert(n, inner)) {
        state.body = &body;
        state.exit = &exit;
        state.test = inner.children[0];
        const bool first_goes_on = goes_round(*inner.children[1], n),
                   second_goes_on = goes_round(*inner.children[2], n);
        state.stays_when = first_goes_on || !second_goes_on;
        state.exit_goes_on = first_goes_on && second_goes_on;
        loops_.push_back(state);
        emit_inverted(inner, dst, goal);
    } else {
        loops_.push_back(state);
        emit_to(inner, dst, goal);
    }
    pay_for_first_round(loops_.back().round_cost, state.head_cost);
    loops_.pop_back();
}

void FunctionEmitter::bind_loop_locals(Node& n) {
    for (std::size_t i = 0; i < n.locals.size(); ++i) {
        const std::uint32_t r = fresh();
        emit(*n.children[i], r);
        n.locals[i]->reg = static_cast<std::uint8_t>(r);
        n.locals[i]->varies = true;
    }
}

void FunctionEmitter::emit_inverted(Node& n, std::uint32_t dst, Goal goal) {
    CodeLabel& exit = *loops_.back().exit;
    CodeLabel& body = *loops_.back().body;
    const bool stays_when = loops_.back().stays_when;
    emit_condition(*n.children[0], exit, !stays_when);
    emit_label(body);
    emit_arms(n, stays_when, exit, dst, goal);
}

/// The children, as the last-use pass has planned it.
void FunctionEmitter::emit_new_values(Node& n, std::span<Local* const> vars) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> late; // variable register, temporary
    for (std::uint32_t i : n.drops->order) {
        const std::uint32_t variable = vars[i]->reg;
        Node& value = *n.children[i];
        if (n.drops->writes[i] == Drops::Write::Direct) {
            emit(value, variable);
            continue;
        }
        const std::uint32_t r = fresh();
        emit(value, r);
        if (n.drops->writes[i] == Drops::Write::AtOnce)
            word(Op::Move, variable, r, 0, n.span);
        else
            late.emplace_back(variable, r);
    }
    for (auto [variable, r] : late)
        word(Op::Move, variable, r, 0, n.span);
}

void FunctionEmitter::emit_recur(Node& n) {
    const RegisterScope registers = scope();
    std::size_t loop = n.target ? loops_.size() : 0;
    while (loop > 0 && loops_[loop - 1].node != n.target)
        --loop;
    const LoopState state =
        loop > 0 ? loops_[loop - 1]
                 : LoopState{nullptr, &start_, loop_head_cost_}; // a copy: values may hold loops of their own
    std::span<Local* const> vars =
        n.target ? std::span<Local* const>(n.target->locals) : std::span<Local* const>(f_.params);
    emit_new_values(n, vars);
    std::int64_t& dearest_round = loop > 0 ? loops_[loop - 1].round_cost : function_round_cost_;
    dearest_round = std::max(dearest_round, cost_ - state.head_cost + 1);
    const std::uint32_t round_cost = charge_all_but(60'000, cost_ - state.head_cost + 1, n.span);
    if (!n.target) {
        // Parameters that nothing reads are released on entry; here at once.
        for (Local* p : f_.params)
            drop_if_dead(*p);
    }
    if (state.test && round_cost <= 255 && state.exit->at < 0) {
        emit_condition(*state.test, *state.body, state.stays_when, round_cost);
        // And no jump: the last time round counts as an iteration, too. Where the other arm may go round as well it is
        // a round like any other.
        word16(Op::Loop, 0, state.exit_goes_on ? round_cost : 1, n.span);
        jump_to(*state.exit, n.span);
    } else {
        word16(Op::Loop, 0, round_cost, n.span);
        jump_to(*state.head, n.span);
    }
    cost_ = state.head_cost; // control does not come here: this path has been paid for
}

void FunctionEmitter::emit_fold(Node& n, std::uint32_t dst) {
    if (is_iterated(n)) return emit_iterated(n, dst);
    const RegisterScope registers = scope();
    Local& accumulator = *n.locals[0];
    Local& item = *n.locals[1];
    const bool by_pairs = n.target != nullptr;
    const bool zipped = is_zipped(n);
    const bool from_first = options_.optimize && !by_pairs && n.locals.size() == 2 && is_from_first(n) &&
                            n.children[1]->kind == NodeKind::CallBuiltin;
    const std::uint32_t acc = registers_.is_newest(dst) ? dst : fresh();
    if (!from_first) emit(*n.children[0], acc);
    accumulator.reg = static_cast<std::uint8_t>(acc);
    for (Local* l : n.locals)
        l->varies = true;
    const std::uint32_t source = fresh();
    emit(from_first ? *n.children[1]->children[0] : *n.children[1], source);
    (void)fresh();               // the position
    if (by_pairs) (void)fresh(); // the values, or the record
    if (zipped) emit(*n.children[3], fresh());
    word16(by_pairs ? Op::IterPairs : Op::IterInit, source,
           text_constant(ObjectType::String, n.text.empty() ? "for" : n.text), n.span);
    item.reg = static_cast<std::uint8_t>(fresh());
    const bool has_two = by_pairs || zipped;
    if (has_two) n.locals.back()->reg = static_cast<std::uint8_t>(fresh());
    Local* index = n.locals.size() > (has_two ? 3 : 2) ? n.locals[2] : nullptr;
    if (index) index->reg = static_cast<std::uint8_t>(fresh());
    const bool keeps = options_.optimize && keeps_accumulator(n);
    CodeLabel done;
    const auto emit_step = [&] {
        if (index && !index->dead_at_birth) word(Op::Dec, index->reg, source + 1, 0, n.span);
        if (!keeps) drop_if_dead(accumulator);
        drop_if_dead(item);
        if (has_two) drop_if_dead(*n.locals.back());
        if (n.drops) drop_all(n.drops->second);
        folds_.push_back({&n, source, acc, &done, keeps, &accumulator});
        emit_to(*n.children[2], acc, keeps ? Goal::Nowhere : Goal::Register);
        folds_.pop_back();
    };
    const auto emit_next = [&](CodeLabel& body, std::uint32_t round_cost) {
        if (by_pairs)
            word(Op::IterPair, source, 0, round_cost, n.target->span);
        else if (zipped)
            word(Op::IterZipped, source, 0, round_cost, n.span);
        else
            word(Op::IterNext, source, item.reg, round_cost, n.span);
        jump_to(body, n.span);
    };
    CodeLabel body, next;
    const Node* const question = options_.optimize && !keeps ? question_of_begun(n) : nullptr;
    std::int64_t ended = 0; ///< what it costs up to the end of a loop that only looks for the first item
    if (question) {
        CodeLabel first_next, first_body;
        emit_label(first_next);
        const std::uint32_t looks = here();
        emit_next(first_body, 0);
        const std::int64_t head_cost = cost_;
        if (n.drops) drop_all(n.drops->first);
        jump(done, n.span);
        ended = cost_;
        cost_ = head_cost;
        emit_label(first_body);
        begun_ = {question, false, head_cost, &next, 0, 0};
        emit_step();
        PTC_ASSERT(has_failed() || work::is_over() || begun_.end != 0); // the question was met
        std::uint32_t round_cost = begun_.round_cost;
        if (!ends_at(begun_.end)) { // some items are passed over
            round_cost = std::max(round_cost, charge_all_but(255, cost_ - head_cost + 2, n.span));
            jump(first_next, n.span);
        }
        set_field_c(looks, round_cost);
        cost_ = head_cost;
        begun_.has_begun = true;
    } else if (from_first) {
        word(Op::IterNext, source, acc, 0, n.span);
        jump_to(next, n.span);
        const std::int64_t found = cost_;
        word(Op::LoadPrim, acc, 0, 0, n.span); // not met: it is known to have items
        if (n.drops) drop_all(n.drops->first);
        jump(done, n.span);
        cost_ = found;
    } else {
        jump(next, n.span);
    }
    const std::int64_t before = cost_;
    emit_label(body);
    emit_step();
    emit_label(next);
    begun_ = {};
    emit_next(body, charge_all_but(255, cost_ - before + 1, n.span));
    cost_ = question ? before : before + 1;
    if (n.drops) drop_all(n.drops->first);
    cost_ = std::max(cost_, ended);
    emit_label(done);
    if (acc != dst) word(Op::Move, dst, acc, 0, n.span);
}

// A jump back, as in a Loop, for there is no collection that ends.
void FunctionEmitter::emit_iterated(Node& n, std::uint32_t dst) {
    const RegisterScope registers = scope();
    Local& accumulator = *n.locals[0];
    Local& item = *n.locals[1];
    const std::uint32_t acc = registers_.is_newest(dst) ? dst : fresh();
    emit(*n.children[0], acc);
    accumulator.reg = static_cast<std::uint8_t>(acc);
    const std::uint32_t source = fresh();
    item.reg = static_cast<std::uint8_t>(source);
    emit(*n.children[1], source);
    accumulator.varies = item.varies = true;
    CodeLabel head, done;
    emit_label(head);
    const std::int64_t head_cost = cost_;
    const bool keeps = options_.optimize && keeps_accumulator(n);
    if (!keeps) drop_if_dead(accumulator);
    drop_if_dead(item);
    if (n.drops) drop_all(n.drops->second);
    folds_.push_back({&n, source, acc, &done, keeps, &accumulator});
    emit_to(*n.children[2], acc, keeps ? Goal::Nowhere : Goal::Register);
    folds_.pop_back();
    emit_new_value(*n.children[3], source);
    const std::int64_t round_cost = cost_ - head_cost + 1;
    word16(Op::Loop, 0, charge_all_but(60'000, round_cost, n.span), n.span);
    jump_to(head, n.span);
    cost_ = head_cost;
    pay_for_first_round(round_cost, head_cost);
    emit_label(done);
    if (acc != dst) word(Op::Move, dst, acc, 0, n.span);
}

void FunctionEmitter::emit_new_value(Node& value, std::uint32_t variable) {
    if (is_simple_operation(value) || value.kind == NodeKind::LocalRef || value.kind == NodeKind::Constant)
        return emit(value, variable);
    const RegisterScope registers = scope();
    const std::uint32_t r = fresh();
    emit(value, r);
    word(Op::Move, variable, r, 0, value.span);
}

void FunctionEmitter::emit_assign(Node& n) {
    const RegisterScope registers = scope();
    emit_new_values(n, n.locals);
    drop_all(n.drops->first);
}

void FunctionEmitter::emit_break(Node& n) {
    const auto it = std::find_if(folds_.begin(), folds_.end(), [&](const FoldState& s) { return s.node == n.target; });
    const auto number = static_cast<std::size_t>(it - folds_.begin());
    const FoldState left = *it; // a copy: the value may hold folds of its own
    const RegisterScope registers = scope();
    const std::uint32_t r = fresh();
    emit(*n.children[0], r);
    // Iterations inside the one that is left end with it.
    for (std::size_t i = folds_.size(); i-- > number;) {
        const FoldState& ended = folds_[i];
        if (is_iterated(*ended.node)) continue;
        word(Op::Drop, ended.source, 0, 0, n.span);
        word(Op::Drop, ended.source + 1, 0, 0, n.span);
        if (ended.node->target || is_zipped(*ended.node)) word(Op::Drop, ended.source + 2, 0, 0, n.span);
    }
    if (left.keeps) word(Op::Drop, left.accumulator, 0, 0, n.span);
    word(Op::Move, left.accumulator, r, 0, n.span);
    jump(*left.done, n.span);
}

} // namespace ptc
