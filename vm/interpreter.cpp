// The interpreter loop, and nothing else.
//
// One function, one label an instruction, and a jump through a table of labels at the end of each handler: the branch
// predictor then sees which instruction follows which. What does not fit a few machine instructions is a slow path in
// slow_paths.cpp; a handler is the common case and a way out.
//
// Rules that keep it correct:
//  1. Before anything that can fail or look at the run, `vm.fiber_.fault` is the failing instruction and the meter has
//     the slice (SLOW does both).
//  2. Nothing with a destructor lives in this function: computed jumps skip destructors.
//  3. A handler reads its operands before it writes its result: the two may be the same register.
//  4. A Use operand that dies here (take mask) is released by the handler, after it succeeded. On the fast paths of
//     arithmetic there is nothing to release: plain numbers are not counted.
//  5. Fuel is charged where control enters a stretch of code that runs to its end: on calls, and on jumps that carry a
//     cost. Only there, and in slow paths, can it run out.
//  6. The frame of a call starts kFrameLink registers above its window (frames.h names the slots between).
//  7. Code is trusted: the verifier has checked every register, constant, jump and owner. Builds with PTC_ASSERT check
//     them again at each instruction (check_step), so that a mistake of the compiler ends where it is made.
#include "frontend/assert.h"
#include "runtime/string.h"
#include "vm/at_once.h"
#include "vm/frames.h"
#include "vm/number_cases.h"
#include "vm/slow_paths.h"
#include "vm/vm.h"
#include <utility>

namespace ptc {

namespace {

/// The operands that die in the instruction. Where field C has the mask too, DIES is quicker.
inline std::uint8_t taken(const Bits* base, const Word* pc) {
    const FunctionProto* proto = proto_of_frame(base);
    return proto->takes[static_cast<std::size_t>(pc - proto->code.data())];
}
inline bool takes_b(const Bits* base, const Word* pc) { return (taken(base, pc) & kTakeB) != 0; }

/// Whether `next` reads a part of what register `to` holds, which may die in it (read_part).
inline bool reads_part(Word next, std::uint32_t to) {
    if (word_b(next) != to) return false;
    const Op op = word_op(next);
    return op == Op::Field ? word_c(next) != 0 : (op == Op::NthLast || op == Op::Get) && word_c(next) != to;
}

/// Whether both are texts of one type that differ in their length or first byte: a `case` on keywords asks for one
/// after the other. False: not at this look.
inline bool are_other_texts(Bits b, Bits c) {
    if (!bits::is_object(b) || !bits::is_object(c)) return false;
    const Object *left = bits::to_object(b), *right = bits::to_object(c);
    if (left->type != right->type || (left->type != ObjectType::Keyword && left->type != ObjectType::String))
        return false;
    const auto *x = static_cast<const StringObject*>(left), *y = static_cast<const StringObject*>(right);
    return x->size != y->size || (x->size != 0 && x->bytes[0] != y->bytes[0]);
}

} // namespace

struct Interpreter {
    static Status run(Vm& vm);
#ifndef NDEBUG
    static void check_step(const Vm& vm, const Bits* base, const Bits* k, const Word* pc);
#endif
};

Status Vm::execute() {
    open_caches();
    return Interpreter::run(*this);
}

#ifndef NDEBUG
namespace {

/// What a register that owns a value may hold: bits of a known kind, and an object that still has owners. A frozen one
/// is never counted.
bool is_alive(Bits b) {
    if (bits::is_object(b)) {
        const Object* object = bits::to_object(b);
        return object->type != ObjectType::Free && object->refs != 0 &&
               (bits::is_counted(b) || object->refs == kImmortal);
    }
    const Bits tag = b >> bits::kTagShift;
    return bits::is_double(b) || bits::is_integer(b) || tag == bits::kBuiltin >> bits::kTagShift ||
           tag == bits::kFunction >> bits::kTagShift || (b >= bits::kNil && b <= bits::kHole);
}

} // namespace

void Interpreter::check_step(const Vm& vm, const Bits* base, const Bits* k, const Word* pc) {
    if (pc == kHaltAddress) return; // behind the outermost frame
    const FunctionProto& f = *proto_of_frame(base);
    PTC_ASSERT(pc >= f.code.data() && pc < f.code.data() + f.code.size());
    PTC_ASSERT(k == f.constants.data());
    PTC_ASSERT(base >= vm.fiber_.stack + kFrameLink);
    PTC_ASSERT(base + f.frame_size <= vm.fiber_.stack + vm.fiber_.stack_size);
    const Word w = *pc;
    PTC_ASSERT((w & 0xFF) < kOpCount);
    const OpInfo& info = op_info(word_op(w));
    PTC_ASSERT(pc + info.words() <= f.code.data() + f.code.size());
    const auto check_operand = [&](Operand kind, std::uint32_t field) {
        if (is_register(kind)) PTC_ASSERT(field < f.frame_size);
        if (kind == Operand::Use || kind == Operand::Take || kind == Operand::Edit) PTC_ASSERT(is_alive(base[field]));
        if (kind == Operand::Const) PTC_ASSERT(field < f.constants.size());
        if (general_kind(kind) == Operand::Const16) PTC_ASSERT(word_bc(w) < f.constants.size());
        if (kind == Operand::Capture) PTC_ASSERT(field < f.capture_count);
    };
    check_operand(info.a, word_a(w));
    check_operand(info.b, word_b(w));
    check_operand(info.c, word_c(w));
    if (!info.window.exists()) return;
    const bool has_captures = info.window.tail == Window::Tail::Captures;
    const std::uint32_t size = window_size(w, has_captures ? proto_of_constant(f, word_bc(w)).capture_count : 0u);
    PTC_ASSERT(word_a(w) + size <= f.frame_size);
    const std::uint32_t owned = info.window.taken | info.window.read;
    for (std::uint32_t i = 0; i < size; ++i) {
        if (i >= info.window.slots ? info.window.tail != Window::Tail::None && (word_b(w) > 0 || has_captures)
                                   : (owned >> i & 1) != 0) {
            PTC_ASSERT(is_alive(base[word_a(w) + i]));
        }
    }
    if (info.window.iterates) PTC_ASSERT(bits::is_object(base[word_a(w)]) && bits::is_integer(base[word_a(w) + 1]));
}
#endif

// ---- The loop's words, undefined again at its end. They stand for control flow that a function cannot express, or for
// one handler that many instructions share.

#ifdef NDEBUG
#define FETCH() (*pc)
#else
#define FETCH() (check_step(vm, base, k, pc), *pc)
#endif
// Goes on with the instruction at pc. The mask lets the compiler see that the table has an entry for every byte.
#define NEXT goto* labels[(word = FETCH()) & 0xFF]
// The handler of an instruction.
#define CASE(Name) op_##Name
// Fields of the instruction, and the register that a field names.
#define A word_a(word)
#define B word_b(word)
#define C word_c(word)
#define R(x) base[x]
// Whether operand B dies, for instructions that have the take mask in field C.
#define DIES (C != 0)
// Steps over `n` words.
#define ADVANCE(n) (pc += (n))
// Jumps where the predicate that field C names answers `wanted` for the value.
#define JUMP_TEST(wanted)                                                                                              \
    do {                                                                                                               \
        const Bits b = R(B);                                                                                           \
        int holds = -1;                                                                                                \
        if (bits::is_object(b))                                                                                        \
            holds = test_by_type(static_cast<Predicate>(C), bits::to_object(b));                                       \
        else if (bits::is_integer(b))                                                                                  \
            holds = test_integer_by_table(static_cast<Predicate>(C), bits::to_integer(b));                             \
        if (holds < 0) holds = test_at_once(static_cast<Predicate>(C), b);                                             \
        if (holds < 0) [[unlikely]] {                                                                                  \
            bool is_error = false;                                                                                     \
            vm.heap.meter.set_slice(fuel);                                                                             \
            vm.fiber_.fault = pc;                                                                                      \
            holds = SlowPaths::test_holds(vm, base, pc, &is_error);                                                    \
            if (is_error) goto failed;                                                                                 \
        }                                                                                                              \
        if (bits::is_counted(b) && taken(base, pc) != 0) SlowPaths::drop_taken(vm, base, pc);                          \
        if (holds == (wanted)) goto take_jump;                                                                         \
        ADVANCE(2);                                                                                                    \
        NEXT;                                                                                                          \
    } while (false)
// Runs a slow path for the instruction at pc and goes on behind it.
#define SLOW(function, words)                                                                                          \
    do {                                                                                                               \
        vm.heap.meter.set_slice(fuel);                                                                                 \
        vm.fiber_.fault = pc;                                                                                          \
        if (!SlowPaths::function(vm, base, k, pc)) [[unlikely]]                                                        \
            goto slow_path_failed;                                                                                     \
        fuel = vm.heap.meter.slice();                                                                                  \
        pc += (words);                                                                                                 \
        NEXT;                                                                                                          \
    } while (false)
// The same for the instruction's own slow path.
#define SLOW_STEP(Name) SLOW(step<Op::Name>, op_info(Op::Name).words())
// Charges what the code at pc costs up to the next charge. `pc` is already there: when the slice is used up, the run
// goes on at pc with a new one, or ends.
#define CHARGE(cost)                                                                                                   \
    do {                                                                                                               \
        if (!Meter::kCharges) break;                                                                                   \
        fuel -= (cost);                                                                                                \
        if (fuel < 0) [[unlikely]]                                                                                     \
            goto out_of_slice;                                                                                         \
    } while (false)

// Gives register A the part `v` of what lives on behind the instruction, which has so many words; goes on.
#define DELIVER_PART(v, words)                                                                                         \
    do {                                                                                                               \
        to = A;                                                                                                        \
        pc += (words);                                                                                                 \
        part = v;                                                                                                      \
        if (bits::is_object(part) && reads_part(*pc, to)) goto read_part;                                              \
        bits::retain(part);                                                                                            \
        R(to) = part;                                                                                                  \
        NEXT;                                                                                                          \
    } while (false)

__attribute__((noinline)) Status Interpreter::run(Vm& vm) {
    __extension__ static const void* const normal_labels[256] = {
#define PTC_OP(Name, ...) &&op_##Name,
#include "vm/opcodes.def"
#undef PTC_OP
    };
    // After a redefinition of a function that code calls directly: the same, but such calls look the name up.
    __extension__ static const void* const rebound_labels[256] = {
#define PTC_OP(Name, ...) (Op::Name == Op::CallFunction ? &&op_CallByName : &&op_##Name),
#include "vm/opcodes.def"
#undef PTC_OP
    };
    const void* const* labels = vm.rebound_ ? rebound_labels : normal_labels;
    Bits* base = vm.fiber_.base;
    const Word* pc = vm.fiber_.pc;
    const Bits* k = vm.fiber_.constants;
    std::int64_t fuel = vm.heap.meter.slice();
    Word word;
    Bits part; // read_part
    std::uint32_t to;
    NEXT;

    CASE(Nop) : ADVANCE(1);
    NEXT;
    CASE(Move) : R(A) = R(B);
    ADVANCE(1);
    NEXT;
    CASE(Copy) : {
        const Bits b = R(B);
        bits::retain(b);
        R(A) = b;
        ADVANCE(1);
        NEXT;
    }
    CASE(LoadConst) : R(A) = k[word_bc(word)];
    ADVANCE(1);
    NEXT;
    CASE(LoadInt) : R(A) = bits::from_integer(static_cast<std::int16_t>(word_bc(word)));
    ADVANCE(1);
    NEXT;
    CASE(LoadPrim) : R(A) = bits::kNil + B;
    ADVANCE(1);
    NEXT;
    CASE(Drop) : bits::release(R(A));
    ADVANCE(1);
    NEXT;
    CASE(Drop2) : bits::release(R(B));
    bits::release(R(C));
    ADVANCE(1);
    NEXT;
    CASE(LoadCapture) : {
        const auto* closure = static_cast<ClosureObject*>(bits::to_object(base[kFunctionSlot]));
        const Bits v = closure->captures()[B].raw();
        bits::retain(v);
        R(A) = v;
        ADVANCE(1);
        NEXT;
    }
    CASE(LoadSelf) : {
        const Bits v = base[kFunctionSlot];
        bits::retain(v);
        R(A) = v;
        ADVANCE(1);
        NEXT;
    }
    CASE(LoadGlobal) : {
        const InlineCache& cache = vm.caches_->at(pc[1]);
        if (cache.shape == &vm.names && cache.key == k[word_bc(word)]) [[likely]] {
            const Bits v = vm.names.slot(static_cast<std::uint32_t>(cache.slot)).value.raw();
            if (v != bits::kHole) [[likely]] {
                bits::retain(v);
                R(A) = v;
                ADVANCE(2);
                NEXT;
            }
        }
        SLOW_STEP(LoadGlobal);
    }
    CASE(LoadData) : {
        const InlineCache& cache = vm.caches_->at(pc[1]);
        if (cache.shape == &vm.data && cache.key == k[word_bc(word)]) [[likely]] {
            const Bits v = reinterpret_cast<const Value*>(cache.slot)->raw();
            bits::retain(v);
            R(A) = v;
            ADVANCE(2);
            NEXT;
        }
        SLOW_STEP(LoadData);
    }
    CASE(LoadAllData) : SLOW_STEP(LoadAllData);
    CASE(LoadHistory) : SLOW_STEP(LoadHistory);
    CASE(Define) : {
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        if (!SlowPaths::step<Op::Define>(vm, base, k, pc)) goto failed;
        fuel = vm.heap.meter.slice();
        if (vm.rebound_) labels = rebound_labels;
        ADVANCE(1);
        NEXT;
    }
    CASE(JumpBound) : {
        if (SlowPaths::bound(vm, k, pc)) goto take_jump_free;
        ADVANCE(2);
        NEXT;
    }

    ARITHMETIC(Add, b + (c - bits::kIntegerBase), +, R(C))
    ARITHMETIC(Sub, b - (c - bits::kIntegerBase), -, R(C))
    ARITHMETIC(AddK, b + (c - bits::kIntegerBase), +, k[C])
    ARITHMETIC(AddToK, b + (c - bits::kIntegerBase), +, k[C])
    ARITHMETIC(SubK, b - (c - bits::kIntegerBase), -, k[C])
    MULTIPLY(Mul, R(C))
    MULTIPLY(MulK, k[C])
    MULTIPLY(MulWithK, k[C])
    DIVISION(Div, R(C))
    DIVISION(DivK, k[C])
    INTEGER_DIVISION(Quot, R(C), x / y)
    INTEGER_DIVISION(QuotK, k[C], x / y)
    INTEGER_DIVISION(Rem, R(C), x % y)
    INTEGER_DIVISION(RemK, k[C], x % y)
    INTEGER_DIVISION(Mod, R(C), x % y + ((x % y != 0 && ((x % y < 0) != (y < 0))) ? y : 0))
    INTEGER_DIVISION(ModK, k[C], x % y + ((x % y != 0 && ((x % y < 0) != (y < 0))) ? y : 0))
    CASE(Inc) : {
        const Bits b = R(B);
        if (bits::is_integer(b) && b != ~Bits{0}) [[likely]] {
            R(A) = b + 1;
            ADVANCE(1);
            NEXT;
        }
        SLOW(arithmetic, 1);
    }
    CASE(Dec) : {
        const Bits b = R(B);
        if (b > bits::kFirstInteger) [[likely]] {
            R(A) = b - 1;
            ADVANCE(1);
            NEXT;
        }
        SLOW(arithmetic, 1);
    }
    CASE(Neg) : SLOW(arithmetic, 1);
    BITWISE(BitAnd, &)
    BITWISE(BitOr, |)
    BITWISE(BitXor, ^)
    SHIFT_LEFT(ShiftLeft, R(C))
    SHIFT_LEFT(ShiftLeftK, k[C])
    SHIFT_RIGHT(ShiftRight, R(C))
    SHIFT_RIGHT(ShiftRightK, k[C])
    CASE(BitTest) : {
        const Bits b = R(B), c = R(C);
        if (!bits::is_integer(b & c) || static_cast<std::uint64_t>(bits::to_integer(c)) > 63) SLOW(arithmetic, 1);
        R(A) = (bits::to_integer(b) >> bits::to_integer(c) & 1) != 0 ? bits::kTrue : bits::kFalse;
        ADVANCE(1);
        NEXT;
    }
    EXTREME(Min, <)
    EXTREME(Max, >)
    COMPARE(Lt, <)
    COMPARE(Le, <=)
    COMPARE(Gt, >)
    COMPARE(Ge, >=)
    CASE(Eq) : SLOW(compare_value, 1);
    CASE(Ne) : SLOW(compare_value, 1);
    CASE(Not) : {
        const Bits b = R(B);
        if (bits::is_counted(b)) SLOW(test, 1);
        R(A) = bits::is_truthy(b) ? bits::kFalse : bits::kTrue;
        ADVANCE(1);
        NEXT;
    }
    CASE(Test) : SLOW(test, 1);

    CASE(Jump) : goto take_jump_free;
    CASE(Loop) : {
        const std::uint32_t cost = word_bc(word);
        pc += 2 + static_cast<std::int32_t>(pc[1]);
        CHARGE(cost);
        NEXT;
    }
    CASE(JumpIf) : {
        const Bits b = R(B);
        if (DIES) bits::release(b);
        if (bits::is_truthy(b)) goto take_jump_free;
        ADVANCE(2);
        NEXT;
    }
    CASE(JumpIfNot) : {
        const Bits b = R(B);
        if (!bits::is_truthy(b)) goto take_jump_free;
        if (DIES) bits::release(b);
        ADVANCE(2);
        NEXT;
    }
    COMPARE_JUMP(JumpLt, <, true, R(C))
    COMPARE_JUMP(JumpLe, <=, true, R(C))
    COMPARE_JUMP(JumpGt, >, true, R(C))
    COMPARE_JUMP(JumpGe, >=, true, R(C))
    EQUAL_JUMP(JumpEq, true, R(C))
    COMPARE_JUMP(JumpNotLt, <, false, R(C))
    COMPARE_JUMP(JumpNotLe, <=, false, R(C))
    COMPARE_JUMP(JumpNotGt, >, false, R(C))
    COMPARE_JUMP(JumpNotGe, >=, false, R(C))
    EQUAL_JUMP(JumpNotEq, false, R(C))
    COMPARE_JUMP(JumpLtK, <, true, k[C])
    COMPARE_JUMP(JumpLeK, <=, true, k[C])
    COMPARE_JUMP(JumpGtK, >, true, k[C])
    COMPARE_JUMP(JumpGeK, >=, true, k[C])
    EQUAL_JUMP(JumpEqK, true, k[C])
    COMPARE_JUMP(JumpNotLtK, <, false, k[C])
    COMPARE_JUMP(JumpNotLeK, <=, false, k[C])
    COMPARE_JUMP(JumpNotGtK, >, false, k[C])
    COMPARE_JUMP(JumpNotGeK, >=, false, k[C])
    EQUAL_JUMP(JumpNotEqK, false, k[C])

compare_jump_slow_true : {
    vm.heap.meter.set_slice(fuel);
    const bool holds = SlowPaths::holds(vm, base, k, pc);
    SlowPaths::drop_taken(vm, base, pc);
    fuel = vm.heap.meter.slice();
    if (holds) goto take_jump;
    ADVANCE(2);
    NEXT;
}
compare_jump_slow_false : {
    vm.heap.meter.set_slice(fuel);
    const bool holds = SlowPaths::holds(vm, base, k, pc);
    SlowPaths::drop_taken(vm, base, pc);
    fuel = vm.heap.meter.slice();
    if (!holds) goto take_jump;
    ADVANCE(2);
    NEXT;
}
take_jump : {
    const std::uint32_t cost = A;
    pc += 2 + static_cast<std::int32_t>(pc[1]);
    CHARGE(cost);
    NEXT;
}
take_jump_free:
    pc += 2 + static_cast<std::int32_t>(pc[1]);
    NEXT;

    CASE(JumpTest) : JUMP_TEST(true);
    CASE(JumpNotTest) : JUMP_TEST(false);

    CASE(CallFunction) : {
        Bits* const window = base + A;
        const Bits function = k[pc[1] & 0xFFFF];
        const FunctionProto* const f = proto_of(function);
        if (window + kFrameLink + f->frame_size > vm.fiber_.stack + vm.fiber_.stack_size) [[unlikely]] {
            vm.fiber_.base = base;
            vm.fiber_.fault = pc;
            if (!vm.grow_stack(static_cast<std::size_t>(window - vm.fiber_.stack) + kFrameLink + f->frame_size))
                goto failed;
            base = vm.fiber_.base;
            NEXT;
        }
        if (++vm.fiber_.depth > vm.limits_.max_depth) [[unlikely]]
            goto too_deep;
        base = window + kFrameLink;
        base[kFunctionSlot] = function;
        link_frame(base, pc + 2, k);
        k = f->constants.data();
        pc = f->code.data();
        CHARGE(f->entry_cost);
        NEXT;
    }
op_CallByName : {
    // The function's name was redefined somewhere in this session: call what it is bound to now.
    vm.heap.meter.set_slice(fuel);
    vm.fiber_.fault = pc;
    Bits v;
    if (!SlowPaths::load_callee(vm, k, pc, &v)) goto failed;
    fuel = vm.heap.meter.slice();
    if (v == bits::kHole) goto* normal_labels[word & 0xFF];
    R(A) = v;
    goto op_Call;
}
    CASE(CallSelf) : {
        const Bits v = base[kFunctionSlot];
        bits::retain(v);
        R(A) = v;
        goto op_Call;
    }
    CASE(Call) : {
        Bits* window = base + A;
        const Bits function = window[0];
        const FunctionProto* f;
        if (bits::is_object(function) ? bits::to_object(function)->type == ObjectType::Closure
                                      : (function >> bits::kTagShift) == (bits::kFunction >> bits::kTagShift))
            [[likely]] {
            f = proto_of(function);
            if (f->exact_arity == B) [[likely]]
                goto enter;
        } else if (B == 1 && bits::is_object(function) && bits::to_object(function)->type == ObjectType::Vector &&
                   bits::is_integer(window[kFrameLink])) { // (v i)
            const auto* vector = static_cast<const VectorObject*>(bits::to_object(function));
            const auto i = static_cast<std::uint64_t>(bits::to_integer(window[kFrameLink]));
            if (i < vector->length) [[likely]] {
                window[0] = vector->data[i].raw();
                bits::retain(window[0]);
                bits::release(function);
                ADVANCE(2);
                NEXT;
            }
        }
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        vm.fiber_.base = base;
        switch (SlowPaths::prepare_call(vm, &window, B, &f)) {
        case CallKind::Error: goto call_failed;
        case CallKind::Done:
            fuel = vm.heap.meter.slice();
            ADVANCE(2);
            CHARGE(0);
            NEXT;
        case CallKind::Enter:
            fuel = vm.heap.meter.slice();
            base = vm.fiber_.base;
            ++vm.fiber_.depth;
            goto entered;
        }
    enter:
        if (window + kFrameLink + f->frame_size > vm.fiber_.stack + vm.fiber_.stack_size) [[unlikely]] {
            vm.fiber_.base = base;
            vm.fiber_.fault = pc;
            if (!vm.grow_stack(static_cast<std::size_t>(window - vm.fiber_.stack) + kFrameLink + f->frame_size))
                goto call_failed;
            base = vm.fiber_.base;
            window = base + A;
        }
        if (vm.fiber_.depth + 1 > vm.limits_.max_depth) [[unlikely]] {
            vm.fiber_.base = base;
            vm.fiber_.fault = pc;
            SlowPaths::depth_exceeded(vm);
            goto call_failed;
        }
        ++vm.fiber_.depth;
    entered:
        base = window + kFrameLink;
        link_frame(base, pc + 2, k);
        k = f->constants.data();
        pc = f->code.data();
        CHARGE(f->entry_cost);
        NEXT;
    }
wide_product:
    // A product beyond the inline range is often taken back into it at once, as in a linear congruence.
    vm.heap.meter.set_slice(fuel);
    if (const Word* const behind = SlowPaths::fused_product(vm, base, k, pc)) {
        fuel = vm.heap.meter.slice();
        pc = behind;
        NEXT;
    }
    SLOW(arithmetic, 1);
    CASE(CallOne) : {
        const Bits function = R(B), argument = R(C);
        if (bits::is_object(function) ? bits::to_object(function)->type == ObjectType::Closure
                                      : (function >> bits::kTagShift) == (bits::kFunction >> bits::kTagShift))
            [[likely]] {
            Bits* const window = base + A;
            const FunctionProto* const f = proto_of(function);
            if (f->exact_arity == 1 && window + kFrameLink + f->frame_size <= vm.fiber_.stack + vm.fiber_.stack_size &&
                vm.fiber_.depth < vm.limits_.max_depth) [[likely]] {
                const Word mask = pc[1];
                if (!(mask & kTakeB)) bits::retain(function);
                if (!(mask & kTakeC)) bits::retain(argument);
                ++vm.fiber_.depth;
                base = window + kFrameLink;
                base[kFunctionSlot] = function;
                base[0] = argument;
                link_frame(base, pc + 2, k);
                k = f->constants.data();
                pc = f->code.data();
                CHARGE(f->entry_cost);
                NEXT;
            }
        } else if (bits::is_object(function) && bits::to_object(function)->type == ObjectType::Vector &&
                   bits::is_integer(argument)) { // (v i)
            const auto* vector = static_cast<const VectorObject*>(bits::to_object(function));
            const auto i = static_cast<std::uint64_t>(bits::to_integer(argument));
            if (i < vector->length) [[likely]] {
                const Bits v = vector->data[i].raw();
                if (!(pc[1] & kTakeB)) DELIVER_PART(v, 2);
                bits::retain(v);
                bits::release(function);
                R(A) = v;
                ADVANCE(2);
                NEXT;
            }
        }
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        vm.fiber_.base = base;
        const FunctionProto* f = nullptr;
        const CallKind kind = SlowPaths::call_one(vm, pc, &f);
        if (kind == CallKind::Error) goto failed_at_base;
        base = vm.fiber_.base;
        fuel = vm.heap.meter.slice();
        if (kind == CallKind::Done) {
            ADVANCE(2);
            CHARGE(0);
            NEXT;
        }
        ++vm.fiber_.depth;
        base = base + A + kFrameLink;
        link_frame(base, pc + 2, k);
        k = f->constants.data();
        pc = f->code.data();
        CHARGE(f->entry_cost);
        NEXT;
    }
    // A call without arguments; what makes it a try is how Vm::catch_failure reads its return address.
    CASE(Try) : vm.has_try_ = true;
    goto op_Call;
    CASE(NewAtom) : SLOW_STEP(NewAtom);
    CASE(Deref) : {
        const Bits b = R(B), held = SlowPaths::held_at_once(vm, b);
        if (held != bits::kHole) [[likely]] {
            bits::retain(held);
            if (DIES) bits::release(b);
            R(A) = held;
            ADVANCE(1);
            NEXT;
        }
        SLOW_STEP(Deref);
    }
    CASE(TakeAtom) : SLOW_STEP(TakeAtom);
    CASE(ResetAtom) : SLOW_STEP(ResetAtom);
    CASE(Apply) : {
        const FunctionProto* f = nullptr;
        Bits* window = base + A;
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        vm.fiber_.base = base;
        const CallKind kind = SlowPaths::prepare_apply(vm, &window, B, &f);
        if (kind == CallKind::Error) goto failed_at_base;
        base = vm.fiber_.base;
        fuel = vm.heap.meter.slice();
        if (kind == CallKind::Done) {
            ADVANCE(2);
            CHARGE(0);
            NEXT;
        }
        ++vm.fiber_.depth;
        base = window + kFrameLink;
        link_frame(base, pc + 2, k);
        k = f->constants.data();
        pc = f->code.data();
        CHARGE(f->entry_cost);
        NEXT;
    }
    CASE(CallNative) : {
        const Builtin& builtin = *vm.builtins_[pc[1]];
        const std::int64_t cost = builtin.cost;
        if (builtin.at_once && B == 1 && fuel >= cost) {
            const Bits argument = R(A), result = builtin.at_once(argument);
            if (result != bits::kHole) [[likely]] {
                bits::retain(result);
                bits::release(argument);
                R(A) = result;
                if (Meter::kCharges) fuel -= cost;
                ADVANCE(2);
                NEXT;
            }
        }
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        if (!SlowPaths::step<Op::CallNative>(vm, base, k, pc)) [[unlikely]]
            goto failed;
        fuel = vm.heap.meter.slice();
        ADVANCE(2);
        CHARGE(0);
        NEXT;
    }
    CASE(Return) : {
        const Bits result = R(B);
        const Bits function = base[kFunctionSlot];
        pc = return_address(base);
        k = caller_constants(base);
        base[kFunctionSlot] = result;
        bits::release(function);
        --vm.fiber_.depth;
        base = caller_base(base, pc);
        NEXT;
    }
    CASE(Finish) : {
        vm.fiber_.fault = pc;
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.base = base;
        if (A == 2) {
            SlowPaths::throw_value(vm, R(B));
            goto failed;
        }
        vm.result_ = Value::adopt(R(B));
        R(B) = bits::kNil;
        return A == 0 ? Status::Returned : Status::Failed;
    }
    CASE(Halt) : {
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.base = base;
        vm.result_ = Value::adopt(R(0));
        R(0) = bits::kNil;
        return Status::Done;
    }
    CASE(Tool) : {
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        vm.fiber_.base = base;
        vm.fiber_.constants = k;
        if (!SlowPaths::step<Op::Tool>(vm, base, k, pc)) goto failed;
        vm.fiber_.pc = pc + 1;
        return Status::Suspended;
    }
    CASE(Fork) : {
        vm.heap.meter.set_slice(fuel);
        vm.fiber_.fault = pc;
        vm.fiber_.base = base;
        vm.fiber_.constants = k;
        if (!SlowPaths::step<Op::Fork>(vm, base, k, pc)) goto failed;
        vm.fiber_.pc = pc + 1;
        return Status::Suspended;
    }
#include "vm/collection_cases.def"
    CASE(Fuel) : {
        const std::uint32_t cost = word_bc(word);
        ADVANCE(1);
        CHARGE(cost);
        NEXT;
    }
#include "vm/check_cases.def"

out_of_slice:
    // pc is the next instruction to run; everything before it is complete.
    vm.heap.meter.set_slice(fuel);
    vm.fiber_.fault = pc;
    if (!vm.heap.meter.refill() || !SlowPaths::loop_limit(vm, word)) {
        if (!vm.error_) vm.set_error(ErrorPtr(vm.heap.meter.error()));
        goto failed;
    }
    fuel = vm.heap.meter.slice();
    NEXT;
call_failed:
    // CallSelf and calls by name fetched the callee themselves: it is theirs to release, the unwinder knows nothing of
    // it.
    if (word_op(word) != Op::Call && word_op(word) != Op::Try) bits::release(vm.fiber_.base[A]);
    goto failed_at_base;
too_deep:
    --vm.fiber_.depth;
    vm.fiber_.fault = pc;
    SlowPaths::depth_exceeded(vm);
    goto failed;
slow_path_failed:
    // Running out of fuel, memory or time ends any instruction; other failures only those whose row says so.
    PTC_ASSERT(op_info(word_op(word)).has(kCanFail) || vm.heap.meter.remaining() < 0);
failed:
    vm.fiber_.base = base;
failed_at_base:
    return Status::Error;
}

#undef FETCH
#undef NEXT
#undef CASE
#undef A
#undef B
#undef C
#undef R
#undef ADVANCE
#undef DIES
#undef EXTREME
#undef DELIVER_PART
#undef SLOW
#undef SLOW_STEP
#undef JUMP_TEST
#undef CHARGE
#undef ARITHMETIC
#undef MULTIPLY
#undef DIVISION
#undef INTEGER_DIVISION
#undef BITWISE
#undef BITWISE_FORM
#undef SHIFT_LEFT
#undef SHIFT_RIGHT
#undef COMPARE
#undef COMPARE_JUMP
#undef EQUAL_JUMP

} // namespace ptc
