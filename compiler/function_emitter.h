// Emits one function: what the emitter knows while it walks the function's tree. The bodies are in emitter.cpp (what is
// computed) and control_flow.cpp (where it goes on: conditions, tail position, loops).
//
// Registers. A function's registers are a stack. Locals live in registers of their own for as long as their scope;
// every other value lives in a fresh register until the instruction that takes it. Instructions with windows (calls,
// literals) want their operands side by side: WindowScope puts the window at the destination when that is the newest
// register, so nested calls build their arguments in place. RegisterScope gives registers back; the code must leave
// nothing in them.
//
// Ownership. The last-use pass (last_use.h) has decided where each local dies. An operand that is a local is read where
// it is: `take` says whether it dies there (the take mask, or Take and windows by a Move; a Copy otherwise). Locals are
// fetched after all other operands were evaluated, as last_use assumes. Temporaries always die in the instruction that
// reads them. Drops stand where a path does not use what another path does.
//
// Fuel. `cost_` is the cost of the dearest path from the last charge to here: an instruction adds one, arms of a branch
// meet in the larger of the two. Entering the function charges the dearest path to its end or to the first jump back. A
// jump back charges a whole round, so a loop's head starts counting from its own cost, and whoever enters a loop pays
// for the first round (pay_for_first_round). A field that is too small for a round's cost charges the rest by Fuel in
// front of it (charge_all_but). The verifier checks that no circle is free.
#pragma once
#include "compiler/code_writer.h"
#include "compiler/emitter.h"
#include "compiler/operations.h"
#include "compiler/registers.h"
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace ptc {

/// Where an operand is, and whether it dies there.
struct Operand8 {
    std::uint32_t reg = 0;
    bool take = false;
};

/// Owns its registers, labels and loops; borrows the function's tree and fills the prototype and the program's
/// constants.
class FunctionEmitter : CodeWriter {
public:
    FunctionEmitter(Function& f, FunctionProto& proto, Program& program, const EmitOptions& options,
                    const std::unordered_map<const Function*, FunctionProto*>& protos, std::uint32_t& next_cache)
        : CodeWriter(proto, program, next_cache), f_(f), options_(options), protos_(protos) {}

    /// False when it ran out of registers or constants.
    bool run();

private:
    // ---- registers -------------------------------------------------------------------------------------------------
    // Whoever takes registers for its own work opens a scope. Those that a function returns or binds to a local
    // (evaluate, take_operand, bind_locals) belong to the scope of its caller.
    std::uint32_t fresh() { return registers_.fresh(); }
    RegisterScope scope() { return RegisterScope(registers_); }

    void load_captures();

    [[nodiscard]] bool has_failed() const { return failed_ || registers_.has_failed(); }

    /// Whether `reg` holds the accumulator of a Fold whose body is being emitted: what is written there early is gone
    /// for the rest of the body.
    [[nodiscard]] bool is_accumulator(std::uint32_t reg) const {
        return std::any_of(folds_.begin(), folds_.end(), [reg](const FoldState& f) { return f.accumulator == reg; });
    }

    void drop_if_dead(const Local& l) {
        if (l.dead_at_birth) word(Op::Drop, l.reg, 0, 0, l.span);
    }
    void drop_all(const std::vector<Local*>& locals) {
        for (std::size_t i = 0; i < locals.size(); i += 2) {
            const Local& l = *locals[i];
            if (i + 1 == locals.size()) return word(Op::Drop, l.reg, 0, 0, l.span);
            word(Op::Drop2, 0, l.reg, locals[i + 1]->reg, l.span);
        }
    }

    // ---- constants -------------------------------------------------------------------------------------------------
    std::uint32_t function_constant(const Function* f) { return constant(Value::function(protos_.at(f)).raw()); }

    // ---- operands --------------------------------------------------------------------------------------------------
    static bool in_register(const Node& n) { return n.kind == NodeKind::LocalRef && !n.local->by_use; }

    /// Evaluates what is no local into a fresh register; locals are left where they are, and read when the instruction
    /// runs.
    Operand8 evaluate(Node& n);
    static std::uint8_t takes(Operand8 b, Operand8 c = {}) {
        return static_cast<std::uint8_t>((b.take ? kTakeB : 0) | (c.take ? kTakeC : 0));
    }
    /// Puts a child into a window register. What is late comes by a second pass (late_into_window), after all the
    /// others, and locals are fetched by a third one (fetch_local).
    void into_window(Node& n, std::uint32_t reg) {
        registers_.reserve_to(reg + 1);
        if (!in_register(n) && !n.is_late) emit(n, reg);
    }
    void late_into_window(Node& n, std::uint32_t reg) {
        if (n.is_late) emit(n, reg);
    }
    void fetch_local(const Node& n, std::uint32_t reg) {
        if (in_register(n)) word(n.last_use ? Op::Move : Op::Copy, reg, n.local->reg, 0, n.span);
    }
    /// Children into registers first, first+1, ..
    void window(std::span<Node* const> children, std::uint32_t first);
    /// The registers of a window, whose result goes to `dst`: they begin at dst itself when it is the newest register,
    /// else the result is moved there. They are taken one after the other, each when its value is made, so that a value
    /// with a window of its own is built in its place, too. Given back when it goes out of scope.
    class WindowScope {
    public:
        WindowScope(FunctionEmitter& emitter, std::uint32_t dst)
            : emitter_(emitter), scope_(emitter.registers_), dst_(dst), base_(dst) {
            if (!emitter.registers_.is_newest(dst)) base_ = emitter.fresh();
        }
        [[nodiscard]] std::uint32_t base() const { return base_; }
        void deliver(Span span) {
            if (base_ != dst_) emitter_.word(Op::Move, dst_, base_, 0, span);
        }

    private:
        FunctionEmitter& emitter_;
        RegisterScope scope_;
        std::uint32_t dst_;
        std::uint32_t base_;
    };

    // ---- expressions -----------------------------------------------------------------------------------------------
    // `dst` is a fresh register (owns nothing), except that simple operations may write a variable's register, and
    // what is a Fold's next accumulator writes to the last one's (is_accumulator).
    void emit(Node& n, std::uint32_t dst);
    /// Evaluates for the effects only.
    void emit_effect(Node& n);
    static bool never_returns(const Node& n) {
        return n.kind == NodeKind::Return || n.kind == NodeKind::Fail || n.kind == NodeKind::Throw ||
               n.kind == NodeKind::Recur || n.kind == NodeKind::Break;
    }

    /// An operand that the instruction consumes: a dying local where it is, else a copy or the value in a fresh
    /// register.
    Operand8 take_operand(Node& n);
    /// Whether the node changes a local that dies there and is not given other values later: its value then stays where
    /// the local was.
    [[nodiscard]] bool has_place(const Node& n) const;
    void emit_constant(Bits value, std::uint32_t dst, Span span);
    void emit_local(const Node& n, std::uint32_t dst);
    /// Let: each value into a register of its own, which lives until the surrounding emit gives it back.
    void bind_locals(Node& n) { bind_locals(n, n.locals.size()); }
    void bind_locals(Node& n, std::size_t count);
    void emit_closure(Node& n, std::uint32_t dst);
    void emit_call(Node& n, Op op, std::span<Node*> arguments, std::uint32_t second_word, std::uint32_t dst);
    void emit_invoke(Node& n, std::uint32_t dst);
    /// Another arity of a closure is chosen when it runs, by the number of arguments.
    void emit_self_call(Node& n, std::uint32_t dst);
    void emit_known_call(Node& n, std::uint32_t dst);
    void emit_native(std::uint32_t index, std::span<Node*> arguments, std::uint32_t dst, Span span);
    /// A call with more arguments than a window should hold: the function applied to a vector of them.
    void emit_wide_native(Node& n, std::uint32_t dst);
    void emit_builtin(Node& n, std::uint32_t dst);
    /// A right operand that fits the K form: any constant with an index below 256.
    std::optional<std::uint32_t> small_constant(const Node& n);
    void emit_operation(Node& n, const Operation& operation, std::uint32_t dst);
    void emit_binary(Op op, std::uint32_t dst, Operand8 b, Operand8 c, Span span);
    /// conj: both operands are taken.
    void emit_consuming(Node& n, Op op, std::uint32_t dst);
    /// (+ a b c ..): from left to right.
    void emit_chain(Node& n, std::uint32_t dst);
    void emit_field(Node& n, Bits key, std::uint32_t dst);
    void emit_forget(std::uint32_t map, Bits key, Span span);
    void emit_forget_item(Operand8 coll, Operand8 at, Span span);
    void emit_forgets(const Node& assoc);
    void emit_keyword_call(Node& n, std::uint32_t dst);
    void emit_get_or(Node& n, std::uint32_t dst);
    void emit_assoc(Node& n, std::uint32_t dst);
    /// Several keys and values.
    void emit_assoc_many(Node& n, std::uint32_t dst);
    /// Changes the collection in `target`: at `key`, a constant, or at the operand `at`.
    void emit_assoc_at(std::uint32_t target, const Node* key, Operand8 at, Operand8 item, Span span);
    void emit_update(Node& n, std::uint32_t dst);
    void define(Node& n);
    void emit_def(Node& n, std::uint32_t dst);
    void emit_atom_operation(Node& n, std::uint32_t dst);

    // ---- literals --------------------------------------------------------------------------------------------------
    void emit_items(Node& n, Op make, std::uint32_t dst);
    void emit_map(Node& n, std::uint32_t dst);
    /// A literal whose keys are constant keywords or strings: values over a constant shape. Values are evaluated in the
    /// order of the text, each straight into its slot.
    bool emit_record(Node& n, std::uint32_t dst);

    // ---- conditions ------------------------------------------------------------------------------------------------
    /// Jumps to `target` when the truth of `n` is `when`; falls through otherwise.
    void emit_condition(Node& n, CodeLabel& target, bool when, std::uint32_t taken_cost = 0);
    void emit_comparison_jump(Node& n, Op comparison, CodeLabel& target, bool when, std::uint32_t taken_cost);

    /// And/Or as a condition. The deciding truth of a child is false for And, true for Or.
    void emit_short_circuit_jump(Node& n, CodeLabel& target, bool when);
    void emit_short_circuit(Node& n, std::uint32_t dst);
    /// The pads of those exits that have a label, each of which goes through the drops of all behind it, up to `leave`.
    void emit_exits(const Node& n, std::span<CodeLabel* const> labels, const std::function<void()>& leave);
    /// Where a value goes: into a register, out of the function, or nowhere, as it is in its register already
    /// (gives_only).
    enum class Goal : std::uint8_t { Register, Return, Nowhere };
    void emit_to(Node& n, std::uint32_t dst, Goal goal);
    void emit_if(Node& n, std::uint32_t dst, Goal goal);
    /// One arm of an If: that of the outcome `when`.
    void emit_arm(Node& n, bool when, std::uint32_t dst, Goal goal);
    /// Both arms behind the jump of the test, that of `when` first: it goes to `otherwise` at the other outcome.
    void emit_arms(Node& n, bool when, CodeLabel& otherwise, std::uint32_t dst, Goal goal);
    void emit_let(Node& n, std::uint32_t dst, Goal goal);
    void emit_do(Node& n, std::uint32_t dst, Goal goal);
    /// The effects of a node that gives nothing but a value that is there.
    void emit_nowhere(Node& n);
    void emit_end(Node& n, std::uint32_t ending);
    /// The body is a function of its own, so that a failure inside of it ends frames and no more: what this frame owns
    /// is the same on both ways.
    void emit_try(Node& n, std::uint32_t dst);

    // ---- tail position ---------------------------------------------------------------------------------------------
    /// Evaluates and leaves the function with the value.
    void emit_tail(Node& n);

    // ---- loops -----------------------------------------------------------------------------------------------------
    struct LoopState {
        const Node* node; ///< null: the function itself
        CodeLabel* head;
        std::int64_t head_cost;
        CodeLabel* body = nullptr; ///< behind the loop's test, when the test is short enough to stand twice
        CodeLabel* exit = nullptr; ///< the start of the arm that leaves
        Node* test = nullptr;
        bool stays_when = true;      ///< the test's outcome with which a round begins
        bool exit_goes_on = false;   ///< the other arm may go round, too
        std::int64_t round_cost = 0; ///< of the dearest way back to the head
    };

    void emit_loop(Node& n, std::uint32_t dst, Goal goal);
    // A jump back pays for the next round; whoever enters the loop pays for the first one.
    void pay_for_first_round(std::int64_t round_cost, std::int64_t head_cost) {
        cost_ = std::max(cost_, head_cost + round_cost);
    }
    void bind_loop_locals(Node& n);
    void emit_inverted(Node& n, std::uint32_t dst, Goal goal);
    void emit_recur(Node& n);
    void emit_new_values(Node& n, std::span<Local* const> vars);

    struct FoldState {
        const Node* node;
        std::uint32_t source; ///< window of the iteration
        std::uint32_t accumulator;
        CodeLabel* done;
        bool keeps;        ///< each round leaves the accumulator as it is, and a Break is the first to change it
        const Local* held; ///< by the accumulator's register
    };

    /// The step of a Fold that begins with its first item is emitted twice, once for a loop that looks for that item
    /// and once for the one that goes on from there: so `question`, its If that asks which it is, needs no test.
    struct Begun {
        const Node* question; ///< null: no such step is being emitted
        bool has_begun;
        std::int64_t head_cost;   ///< of the loop that looks
        CodeLabel* goes_on;       ///< where the other loop is entered
        std::uint32_t round_cost; ///< of the way there
        std::uint32_t end;        ///< where that way ends
    };

    /// Whether the one variable of a Let may be made where the accumulator of the innermost Fold is.
    [[nodiscard]] bool replaces_accumulator(const Node& let, std::uint32_t dst) const;
    void emit_in_place(Node& let, std::uint32_t dst);
    void emit_fold(Node& n, std::uint32_t dst);
    void emit_iterated(Node& n, std::uint32_t dst);
    void emit_assign(Node& n);
    /// The variable owns nothing here, or only what the new value is made of.
    void emit_new_value(Node& value, std::uint32_t variable);
    void emit_break(Node& n);

    Function& f_;
    const EmitOptions& options_;
    const std::unordered_map<const Function*, FunctionProto*>& protos_;
    std::vector<LoopState> loops_;
    std::vector<FoldState> folds_;
    Begun begun_{};
    CodeLabel start_;
    Registers registers_;
    std::int64_t loop_head_cost_ = 0;
    std::int64_t function_round_cost_ = 0;
};

} // namespace ptc
