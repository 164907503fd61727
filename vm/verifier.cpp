#include "vm/verifier.h"
#include "runtime/builtin.h"
#include "runtime/string.h"
#include "vm/ownership.h"
#include <string>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMaxCode = 4u << 20;

/// Instructions that a unit of fuel pays for at most. The compiler charges about one for each.
constexpr std::int64_t kInstructionsPerFuel = 4;
/// Bounds the work of finding out; code that the compiler makes needs a few for each instruction.
constexpr std::size_t kMaxFuelSteps = 64u << 20;

/// What each register holds before an instruction. A sequence that is being iterated and its position are apart: only
/// IterInit makes them, so IterNext may trust them.
struct State {
    RegisterSet owned, sources, positions;
    friend bool operator==(const State&, const State&) = default;
};

class FunctionVerifier {
public:
    FunctionVerifier(const Program& program, const FunctionProto& f) : program_(program), f_(f) {}

    Result<void> run() {
        PTC_CHECK(check_header());
        PTC_CHECK(check_instructions());
        PTC_CHECK(check_fuel());
        return check_flow();
    }

private:
    Error bad(std::size_t at, std::string what) const {
        return Error(Reason::InvalidBytecode,
                     "Function " + std::to_string(f_.index) + ", word " + std::to_string(at) + ": " + what + ".");
    }

    Result<void> check_header() {
        if (f_.code.empty() || f_.code.size() > kMaxCode) return bad(0, "no code, or too much");
        if (f_.takes.size() != f_.code.size() || f_.spans.size() != f_.code.size())
            return bad(0, "tables of different sizes");
        if (f_.frame_size == 0 || f_.frame_size > 256 || f_.param_count > f_.frame_size)
            return bad(0, "a frame of impossible size");
        if (f_.entry_cost == 0) return bad(0, "entering costs nothing");
        if (f_.variadic && f_.param_count == 0) return bad(0, "a rest parameter without a register");
        if (f_.exact_arity != (f_.variadic ? 255 : f_.param_count))
            return bad(0, "an arity that differs from the parameters");
        return {};
    }

    Bits constant(std::uint32_t i) const { return f_.constants[i]; }
    bool has_constant(std::uint32_t i) const { return i < f_.constants.size(); }
    bool is_text(std::uint32_t i, ObjectType t) const {
        return has_constant(i) && bits::is_object(constant(i)) && bits::to_object(constant(i))->type == t;
    }
    bool is_static_function(std::uint32_t i) const {
        return has_constant(i) && (constant(i) >> bits::kTagShift) == (bits::kFunction >> bits::kTagShift);
    }
    /// A constant that may become a value in a register.
    bool is_loadable(std::uint32_t i) const {
        if (!has_constant(i)) return false;
        if (is_static_function(i)) return proto_of(constant(i)).capture_count == 0;
        return !bits::is_object(constant(i)) || bits::to_object(constant(i))->type < ObjectType::Shape;
    }
    static const FunctionProto& proto_of(Bits b) {
        return *static_cast<const FunctionProto*>(reinterpret_cast<const FunctionInfo*>(b & bits::kPointerMask));
    }

    Result<void> check_instructions() {
        starts_.assign(f_.code.size() + 1, false);
        for (std::size_t at = 0; at < f_.code.size();) {
            const Word w = f_.code[at];
            if ((w & 0xFF) >= kOpCount) return bad(at, "no such instruction");
            const OpInfo& info = op_info(word_op(w));
            if (at + info.words() > f_.code.size()) return bad(at, "an instruction cut short");
            if (word_op(w) == Op::Halt) return bad(at, "halt inside of a program");
            starts_[at] = true;
            PTC_CHECK(check_operands(at, w, info));
            at += info.words();
        }
        for (std::size_t at = 0; at < f_.code.size(); ++at) {
            if (!starts_[at]) continue;
            const OpInfo& info = op_info(word_op(f_.code[at]));
            if (info.w == Operand::Jump32) PTC_CHECK(check_jump(at));
        }
        return {};
    }

    Result<void> check_register(std::size_t at, std::uint32_t reg) const {
        if (reg >= f_.frame_size) return bad(at, "a register outside of the frame");
        return {};
    }

    Result<void> check_operands(std::size_t at, Word w, const OpInfo& info) const {
        const std::uint32_t fields[] = {word_a(w), word_b(w), word_c(w)};
        const Operand kinds[] = {info.a, info.b, info.c};
        for (int i = 0; i < 3; ++i) {
            switch (kinds[i]) {
            case Operand::Dst:
            case Operand::Use:
            case Operand::Take:
            case Operand::Win:
            case Operand::Edit: PTC_CHECK(check_register(at, fields[i])); break;
            case Operand::Const:
                if (!is_loadable(fields[i])) return bad(at, "no such constant");
                break;
            case Operand::Const16:
                if (!has_constant(word_bc(w))) return bad(at, "no such constant");
                break;
            case Operand::Check16: PTC_CHECK(check_check(at, word_bc(w))); break;
            default: break;
            }
        }
        const std::uint8_t mask = f_.takes[at];
        const std::uint8_t allowed =
            static_cast<std::uint8_t>((info.b == Operand::Use ? kTakeB : 0) | (info.c == Operand::Use ? kTakeC : 0));
        if (mask & ~allowed) return bad(at, "a take mask for operands that are not there");
        const bool both_die = mask == (kTakeB | kTakeC) || (info.b == Operand::Take && info.c == Operand::Take);
        if (both_die && word_b(w) == word_c(w)) return bad(at, "one register that dies twice");
        if (info.has(kCheck) && !program_.validation) return bad(at, "a check outside of a validator");
        if (info.w == Operand::Check32) PTC_CHECK(check_check(at, f_.code[at + 1]));
        return check_specific(at, w, info.words() == 2 ? f_.code[at + 1] : 0);
    }

    Result<void> check_check(std::size_t at, std::uint32_t index) const {
        if (!program_.validation || index >= program_.validation->checks.size()) return bad(at, "no such check");
        return {};
    }

    Result<void> check_window(std::size_t at, std::uint32_t first, std::uint32_t count) const {
        if (first + count > f_.frame_size) return bad(at, "a window outside of the frame");
        return {};
    }

    Result<void> check_specific(std::size_t at, Word w, Word second) const {
        const std::uint32_t a = word_a(w), b = word_b(w);
        switch (word_op(w)) {
        case Op::LoadConst:
            if (!is_loadable(word_bc(w))) return bad(at, "a constant that is no value");
            return {};
        case Op::GetOr: return is_loadable(second) ? Result<void>() : bad(at, "a constant that is no value");
        case Op::LoadPrim: return b <= 2 ? Result<void>() : bad(at, "no such primitive");
        case Op::LoadCapture: return b < f_.capture_count ? Result<void>() : bad(at, "no such capture");
        case Op::LoadGlobal:
        case Op::Define:
        case Op::JumpBound:
            return is_text(word_bc(w), ObjectType::Var) ? Result<void>() : bad(at, "a name that is no var");
        case Op::LoadData:
        case Op::Tool:
        case Op::IterInit:
            if (!is_text(word_bc(w), ObjectType::String)) return bad(at, "a name that is no string");
            return word_op(w) == Op::IterInit ? check_window(at, a, 2) : Result<void>();
        case Op::Test:
        case Op::JumpTest:
        case Op::JumpNotTest:
            return word_c(w) < std::size(kPredicateNames) ? Result<void>() : bad(at, "no such predicate");
        case Op::Call:
        case Op::CallSelf: return check_window(at, a, kFrameLink + b);
        case Op::Apply: return b >= 1 ? check_window(at, a, kFrameLink + b) : bad(at, "apply without a sequence");
        case Op::CallFunction: return check_known_call(at, a, b, second);
        case Op::CallNative:
            if (second >= all_builtins().size() || !builtin_at(second).arity().accepts(b))
                return bad(at, "no such builtin call");
            return check_window(at, a, b > 0 ? b : 1);
        case Op::MakeClosure:
            if (!is_static_function(word_bc(w))) return bad(at, "a closure of no function");
            return check_window(at, a, std::max<std::uint32_t>(1, proto_of(constant(word_bc(w))).capture_count));
        case Op::MakeVector:
        case Op::MakeSet: return check_window(at, a, b);
        case Op::MakeMap: return b % 2 == 0 ? check_window(at, a, b) : bad(at, "a key without a value");
        case Op::MakeRecord:
            if (b == 0 || !is_text(second, ObjectType::Shape) ||
                static_cast<const ShapeObject*>(bits::to_object(constant(second)))->count != b) {
                return bad(at, "a record that does not fit its shape");
            }
            return check_window(at, a, b);
        case Op::Field: // any constant may be a key
            return is_loadable(second & 0xFFFF) ? Result<void>() : bad(at, "a field name that is no value");
        case Op::AssocField:
            if (!is_text(second & 0xFFFF, ObjectType::Keyword) && !is_text(second & 0xFFFF, ObjectType::String))
                return bad(at, "a field name that is no key");
            return check_window(at, a, 2);
        case Op::Assoc:
        case Op::GroupAppend:
        case Op::TakeField: return check_window(at, a, 3);
        case Op::NextItem:
            if (b == a || b == a + 1) return bad(at, "an iteration that overwrites itself");
            return check_window(at, a, 2);
        case Op::PutItem: return check_window(at, a, 2);
        case Op::IterNext:
            if (b == a || b == a + 1) return bad(at, "an iteration that overwrites itself");
            return check_window(at, a, 2);
        case Op::Fork: return b <= 1 ? check_window(at, a, 2) : bad(at, "no such kind of branches");
        case Op::Finish: return a <= 1 ? Result<void>() : bad(at, "no such way to finish");
        default: return {};
        }
    }

    Result<void> check_known_call(std::size_t at, std::uint32_t a, std::uint32_t n, Word second) const {
        if (!is_static_function(second & 0xFFFF) || !is_text(second >> 16, ObjectType::Var))
            return bad(at, "a call of no function");
        const FunctionProto& callee = proto_of(constant(second & 0xFFFF));
        if (callee.exact_arity != n || callee.capture_count != 0)
            return bad(at, "a call with the wrong number of arguments");
        return check_window(at, a, kFrameLink + n);
    }

    Result<void> check_jump(std::size_t at) const {
        const std::int64_t target = static_cast<std::int64_t>(at) + 2 + static_cast<std::int32_t>(f_.code[at + 1]);
        if (target < 0 || target >= static_cast<std::int64_t>(f_.code.size()) ||
            !starts_[static_cast<std::size_t>(target)]) {
            return bad(at, "a jump to no instruction");
        }
        return {};
    }

    /// Fuel that the instruction charges, when it jumps or goes on.
    static std::int64_t charge_of(Word w) {
        const Op op = word_op(w);
        if (op == Op::Loop || op == Op::Fuel) return word_bc(w);
        if ((op >= Op::JumpLt && op <= Op::JumpNotEqK) || op == Op::RetryTrial) return word_a(w);
        return is_iteration(op) ? word_c(w) : 0;
    }

    // Work is bounded by fuel: there is a potential that grows by each instruction and falls by what it charges, and
    // that is the same on all ways to a place, so that going in a circle never gains. It is the most work on any way
    // from the entry, found by going through the code until nothing changes: once, and once more for each loop around a
    // loop. The entry's charge makes up for the largest potential.
    Result<void> check_fuel() const {
        constexpr std::int64_t kUnreached = INT64_MIN / 2;
        std::vector<std::int64_t> potential(f_.code.size() + 1, kUnreached);
        potential[0] = 0;
        const std::int64_t most = f_.entry_cost * kInstructionsPerFuel;
        std::size_t steps = 0;
        for (bool is_settled = false; !is_settled;) {
            is_settled = true;
            for (std::size_t at = 0; at < f_.code.size(); ++at) {
                if (!starts_[at] || potential[at] == kUnreached) continue;
                if (++steps > kMaxFuelSteps) return bad(at, "loops that are too deeply nested");
                const Word w = f_.code[at];
                const std::int64_t after = potential[at] + 1;
                if (after > most) return bad(at, "work that costs too little");
                const std::int64_t paid = after - charge_of(w) * kInstructionsPerFuel;
                const Successors s = successors(f_, static_cast<std::uint32_t>(at));
                const auto raise = [&](std::uint32_t to, std::int64_t by) {
                    if (to == UINT32_MAX || potential[to] >= by) return;
                    potential[to] = by;
                    is_settled = is_settled && to > at;
                };
                raise(s.next, word_op(w) == Op::Fuel ? paid : after);
                raise(s.jump, paid);
            }
        }
        return {};
    }

    Result<void> check_flow() {
        std::vector<std::int32_t> known(f_.code.size(), -1);
        std::vector<State> states;
        std::vector<std::size_t> work;
        auto arrive = [&](std::size_t at, const State& s) -> Result<void> {
            if (at >= f_.code.size()) return bad(at, "control runs off the end");
            if (known[at] < 0) {
                known[at] = static_cast<std::int32_t>(states.size());
                states.push_back(s);
                work.push_back(at);
                return {};
            }
            if (!(states[static_cast<std::size_t>(known[at])] == s))
                return bad(at, "paths meet that own different registers");
            return {};
        };
        State entry;
        for (std::uint32_t i = 0; i < f_.param_count; ++i)
            entry.owned.set(i);
        PTC_CHECK(arrive(0, entry));
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            const State before = states[static_cast<std::size_t>(known[at])];
            const Successors s = successors(f_, static_cast<std::uint32_t>(at));
            const bool is_end = is_iteration(word_op(f_.code[at]));
            if (s.jump != UINT32_MAX) PTC_CHECK(arrive(s.jump, PTC_TRY(step(at, before, false))));
            if (s.next != UINT32_MAX) PTC_CHECK(arrive(s.next, PTC_TRY(step(at, before, is_end))));
            if (s.jump == UINT32_MAX && s.next == UINT32_MAX) {
                const State after = PTC_TRY(step(at, before, false));
                if (word_op(f_.code[at]) == Op::Return && after.owned.any())
                    return bad(at, "a return that leaves values behind");
            }
        }
        return {};
    }

    Result<State> step(std::size_t at, const State& before, bool exhausted) const {
        const Word* ip = &f_.code[at];
        const Op op = word_op(*ip);
        const Effect e = effect_of(f_, ip, exhausted);
        if ((e.uses & ~before.owned).any()) return bad(at, "a register that owns nothing is read");
        State after = before;
        after.owned &= ~e.kills;
        after.sources &= ~e.kills;
        after.positions &= ~e.kills;
        const std::uint32_t a = word_a(*ip);
        // The callee's frame lies over the window's link and all registers above it.
        if (op_info(op).has(kCall) && (after.owned >> (a + 1)).any())
            return bad(at, "a call over registers that own values");
        if ((after.owned & e.gives).any()) return bad(at, "a register is overwritten while it owns a value");
        after.owned |= e.gives;
        if (op == Op::IterInit) {
            after.sources.set(a);
            after.positions.set(a + 1);
        }
        if (op == Op::IterNext && (!before.sources[a] || !before.positions[a + 1]))
            return bad(at, "an iteration over no sequence");
        return after;
    }

    const Program& program_;
    const FunctionProto& f_;
    std::vector<bool> starts_;
};

} // namespace

Result<void> verify(const Program& program) {
    if (program.functions.empty()) return Error(Reason::InvalidBytecode, "A program without a function.");
    const FunctionProto& main = *program.functions[0];
    if (main.param_count != 0 || main.capture_count != 0 || main.variadic) {
        return Error(Reason::InvalidBytecode, "The top level takes no parameters.");
    }
    for (const auto& f : program.functions)
        PTC_CHECK(FunctionVerifier(program, *f).run());
    return {};
}

} // namespace ptc
