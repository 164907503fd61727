// Accepts code whose execution is memory-safe, whatever bytes it was read from.
//
// Four passes over a function, each relying on those before it. The header: sizes that fit each other. Each instruction
// by itself: its operands by their kinds (one case a kind, so a new opcode needs none here), its window inside the
// frame, and the few rules that tie an operand to another (check_specific). Fuel: no loop is free (check_fuel explains
// the potential that proves it). Flow: each path is followed with the set of registers that own values; nothing is read
// that owns nothing, nothing is overwritten that owns something, and paths that meet agree, which is what ownership.h
// relies on. Constants that a program brings along are checked by who reads them (program_file.cpp).
#include "vm/verifier.h"
#include "runtime/builtin.h"
#include "runtime/string.h"
#include "vm/ownership.h"
#include <algorithm>
#include <string>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMaxCode = 4u << 20;

/// Instructions that a unit of fuel pays for at most. The compiler charges about one for each.
constexpr std::int64_t kInstructionsPerFuel = 4;
/// Bounds the work of finding out; code that the compiler makes needs a few for each instruction.
constexpr std::size_t kMaxFuelSteps = 64u << 20;

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
        if (is_static_function(i)) return proto_of_constant(f_, i).capture_count == 0;
        return !bits::is_object(constant(i)) || bits::to_object(constant(i))->type < ObjectType::Shape;
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
        const Word second = info.words() == 2 ? f_.code[at + 1] : 0;
        PTC_CHECK(check_operand(at, info.a, word_a(w), w));
        PTC_CHECK(check_operand(at, info.b, word_b(w), w));
        PTC_CHECK(check_operand(at, info.c, word_c(w), w));
        const std::uint8_t mask = f_.takes[at];
        const std::uint8_t allowed =
            static_cast<std::uint8_t>((info.b == Operand::Use ? kTakeB : 0) | (info.c == Operand::Use ? kTakeC : 0));
        if (mask & ~allowed) return bad(at, "a take mask for operands that are not there");
        const bool both_die = mask == (kTakeB | kTakeC) || (info.b == Operand::Take && info.c == Operand::Take);
        if (both_die && word_b(w) == word_c(w)) return bad(at, "one register that dies twice");
        if (info.has(kCheck) && !program_.validation) return bad(at, "a check outside of a validator");
        PTC_CHECK(check_operand(at, info.w, second, w));
        if (info.window.exists()) PTC_CHECK(check_window(at, w, info));
        return check_specific(at, w, second);
    }

    /// One operand by its kind. `field` is the part of the word that it stands in; a kind of 16 bits takes its own from
    /// `w`.
    Result<void> check_operand(std::size_t at, Operand kind, std::uint32_t field, Word w) const {
        const auto expect = [&](bool holds, const char* fault) { return holds ? Result<void>() : bad(at, fault); };
        if (is_register(kind)) return expect(field < f_.frame_size, "a register outside of the frame");
        if (general_kind(kind) == Operand::Const16 && !has_constant(word_bc(w))) return bad(at, "no such constant");
        switch (kind) {
        case Operand::Const: return expect(is_loadable(field), "no such constant");
        case Operand::Value16: return expect(is_loadable(word_bc(w)), "a constant that is no value");
        case Operand::Value32: return expect(is_loadable(field), "a constant that is no value");
        case Operand::Var16: return expect(is_text(word_bc(w), ObjectType::Var), "a name that is no var");
        case Operand::Text16: return expect(is_text(word_bc(w), ObjectType::String), "a name that is no string");
        case Operand::Closure16: return expect(is_static_function(word_bc(w)), "a closure of no function");
        case Operand::ValueCache32: return expect(is_loadable(field & 0xFFFF), "a field name that is no value");
        case Operand::KeyCache32:
            return expect(is_text(field & 0xFFFF, ObjectType::Keyword) || is_text(field & 0xFFFF, ObjectType::String),
                          "a field name that is no key");
        case Operand::Shape32: return expect(is_text(field, ObjectType::Shape), "a record that does not fit its shape");
        case Operand::Function32:
            return expect(is_static_function(field & 0xFFFF) && is_text(field >> 16, ObjectType::Var),
                          "a call of no function");
        case Operand::Native32: return expect(field < all_builtins().size(), "no such builtin call");
        case Operand::Check16: return check_check(at, word_bc(w));
        case Operand::Check32: return check_check(at, field);
        case Operand::Primitive: return expect(field <= 2, "no such primitive");
        case Operand::Capture: return expect(field < f_.capture_count, "no such capture");
        case Operand::PredicateOf: return expect(field < std::size(kPredicateNames), "no such predicate");
        case Operand::Branching: return expect(field <= 1, "no such kind of branches");
        case Operand::Ending: return expect(field <= 2, "no such way to finish");
        default: return {};
        }
    }

    Result<void> check_check(std::size_t at, std::uint32_t index) const {
        if (!program_.validation || index >= program_.validation->checks.size()) return bad(at, "no such check");
        return {};
    }

    Result<void> check_window(std::size_t at, Word w, const OpInfo& info) const {
        const bool has_captures = info.window.tail == Window::Tail::Captures;
        const std::uint32_t size = window_size(w, has_captures ? proto_of_constant(f_, word_bc(w)).capture_count : 0u);
        if (word_a(w) + size > f_.frame_size) return bad(at, "a window outside of the frame");
        if (info.b == Operand::Dst && word_b(w) >= word_a(w) && word_b(w) < word_a(w) + size)
            return bad(at, "an iteration that overwrites itself");
        return {};
    }

    /// What ties operands of one instruction to each other.
    Result<void> check_specific(std::size_t at, Word w, Word second) const {
        const std::uint32_t b = word_b(w);
        switch (word_op(w)) {
        case Op::Try: return b == 0 ? Result<void>() : bad(at, "arguments for the body of a try");
        case Op::Apply: return b >= 1 ? Result<void>() : bad(at, "apply without a sequence");
        case Op::CallFunction: return check_known_call(at, b, second);
        case Op::LoadSibling:
            return f_.capture_count > 0 && proto_of_constant(f_, word_bc(w)).capture_count == f_.capture_count
                       ? Result<void>()
                       : bad(at, "a function with other captures");
        case Op::CallNative:
            return builtin_at(second).arity().accepts(b) ? Result<void>() : bad(at, "no such builtin call");
        case Op::MakeMap: return b % 2 == 0 ? Result<void>() : bad(at, "a key without a value");
        case Op::MakeRecord:
            if (b == 0 || static_cast<const ShapeObject*>(bits::to_object(constant(second)))->count != b)
                return bad(at, "a record that does not fit its shape");
            return {};
        default: return {};
        }
    }

    Result<void> check_known_call(std::size_t at, std::uint32_t n, Word second) const {
        const FunctionProto& callee = proto_of_constant(f_, second & 0xFFFF);
        if (callee.exact_arity != n || callee.capture_count != 0)
            return bad(at, "a call with the wrong number of arguments");
        return {};
    }

    Result<void> check_jump(std::size_t at) const {
        const std::int64_t target = static_cast<std::int64_t>(at) + 2 + static_cast<std::int32_t>(f_.code[at + 1]);
        if (target < 0 || target >= static_cast<std::int64_t>(f_.code.size()) ||
            !starts_[static_cast<std::size_t>(target)]) {
            return bad(at, "a jump to no instruction");
        }
        return {};
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
                const bool jumps = op_info(word_op(w)).has(kBranch);
                const std::int64_t paid = after - std::int64_t{charge_of(w)} * kInstructionsPerFuel;
                const Successors s = successors(f_, static_cast<std::uint32_t>(at));
                const auto raise = [&](std::uint32_t to, std::int64_t by) {
                    if (to == UINT32_MAX || potential[to] >= by) return;
                    potential[to] = by;
                    is_settled = is_settled && to > at;
                };
                raise(s.next, jumps ? after : paid);
                raise(s.jump, paid);
            }
        }
        return {};
    }

    Result<void> check_flow() {
        std::vector<std::int32_t> known(f_.code.size(), -1);
        std::vector<RegisterState> states;
        std::vector<std::size_t> work;
        auto arrive = [&](std::size_t at, const RegisterState& s) -> Result<void> {
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
        PTC_CHECK(arrive(0, RegisterState::at_entry(f_)));
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            const RegisterState before = states[static_cast<std::size_t>(known[at])];
            const Successors s = successors(f_, static_cast<std::uint32_t>(at));
            const bool is_end = is_iteration(word_op(f_.code[at]));
            if (s.jump != UINT32_MAX) PTC_CHECK(arrive(s.jump, PTC_TRY(step(at, before, false))));
            if (s.next != UINT32_MAX) PTC_CHECK(arrive(s.next, PTC_TRY(step(at, before, is_end))));
            if (s.jump == UINT32_MAX && s.next == UINT32_MAX) {
                const RegisterState after = PTC_TRY(step(at, before, false));
                if (word_op(f_.code[at]) == Op::Return && after.owned.any())
                    return bad(at, "a return that leaves values behind");
            }
        }
        return {};
    }

    Result<RegisterState> step(std::size_t at, const RegisterState& before, bool exhausted) const {
        const Word* ip = &f_.code[at];
        const Op op = word_op(*ip);
        const Effect e = effect_of(f_, ip, exhausted);
        if ((e.uses & ~before.owned).any()) return bad(at, "a register that owns nothing is read");
        const RegisterSet kept = before.owned & ~e.kills;
        const std::uint32_t a = word_a(*ip);
        // The callee's frame lies over the window's link and all registers above it.
        if (op_info(op).has(kCall) && (kept >> (a + 1)).any()) return bad(at, "a call over registers that own values");
        if ((kept & e.gives).any()) return bad(at, "a register is overwritten while it owns a value");
        if (op_info(op).window.iterates && (!before.sources[a] || !before.positions[a + 1]))
            return bad(at, "an iteration over no sequence");
        return before.after(*ip, e);
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
