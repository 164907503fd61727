// Accepts code whose execution is memory-safe, whatever bytes it was read from.
//
// Four passes over a function, each relying on those before it. The header: sizes that fit each other. Each instruction
// by itself: its operands by their kinds (one case a kind, so a new opcode needs none here), its window inside the
// frame, and the few rules that tie an operand to another (check_specific). Fuel: no loop is free (code_blocks.h has
// the potential that proves it). Flow: each path is followed with the set of registers that own values; nothing is read
// that owns nothing, nothing is overwritten that owns something, and paths that meet agree, which is what ownership.h
// relies on: so each block is gone through once. Constants that a program brings along are checked by who reads them
// (program_file.cpp).
#include "vm/verifier.h"
#include "frontend/try.h"
#include "runtime/builtin.h"
#include "runtime/string.h"
#include "vm/code_blocks.h"
#include "vm/ownership.h"
#include <algorithm>
#include <string>
#include <vector>

namespace ptc {
namespace {

/// Instructions that a unit of fuel pays for at most. The compiler charges about one for each.
constexpr std::int64_t kInstructionsPerFuel = 4;

class FunctionVerifier {
public:
    FunctionVerifier(const Program& program, const FunctionProto& f, Meter& meter)
        : program_(program), f_(f), meter_(meter) {}

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
            if (!meter_.charge(1)) return meter_.error();
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
        if (repeats_take_mask(info) ? word_c(w) != mask : info.w == Operand::Dying32 && second != mask)
            return bad(at, "two take masks that differ");
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

    Result<void> check_fuel() {
        blocks_ = CodeBlocks(f_, starts_);
        return bound_work(blocks_, kInstructionsPerFuel, std::int64_t{f_.entry_cost} * kInstructionsPerFuel, meter_,
                          [this](std::size_t at) { return bad(at, "work that costs too little"); });
    }

    /// What a block is entered with. Paths that meet agree, so there is one state for a block; those that follow each
    /// other in the order of arrival and are equal are kept once.
    class BlockStates {
    public:
        BlockStates(std::size_t blocks, std::uint32_t registers)
            : known_(blocks, kUnknown), words_((registers + 63) / 64) {}
        [[nodiscard]] bool is_known(std::uint32_t block) const { return known_[block] != kUnknown; }
        void set(std::uint32_t block, const RegisterState& state) {
            if (packed_.empty() || !is_at(packed_.size() - 2 * words_, state)) append(state);
            known_[block] = static_cast<std::uint32_t>(packed_.size() / (2 * words_) - 1);
        }
        [[nodiscard]] bool holds(std::uint32_t block, const RegisterState& state) const {
            return is_at(std::size_t{known_[block]} * 2 * words_, state);
        }
        [[nodiscard]] RegisterState get(std::uint32_t block) const {
            const std::size_t from = std::size_t{known_[block]} * 2 * words_;
            RegisterSet plain, special;
            for (std::size_t i = words_; i-- > 0;) {
                plain = plain << 64 | RegisterSet(packed_[from + i]);
                special = special << 64 | RegisterSet(packed_[from + words_ + i]);
            }
            return {plain | special, special & ~plain, special & plain};
        }

    private:
        static constexpr std::uint32_t kUnknown = UINT32_MAX;
        // Two bits for a register, as it is one of four: empty, or it owns a value (plain), a sequence that is iterated
        // over (special), or the position in it (both).
        static RegisterSet plain_of(const RegisterState& s) { return s.owned & ~s.sources; }
        static RegisterSet special_of(const RegisterState& s) { return s.sources | s.positions; }
        static std::uint64_t word_of(const RegisterSet& set, std::size_t i) {
            return ((set >> (64 * i)) & RegisterSet(UINT64_MAX)).to_ullong();
        }
        void append(const RegisterState& state) {
            for (const RegisterSet& set : {plain_of(state), special_of(state)}) {
                for (std::size_t i = 0; i < words_; ++i)
                    packed_.push_back(word_of(set, i));
            }
        }
        [[nodiscard]] bool is_at(std::size_t from, const RegisterState& state) const {
            const RegisterSet plain = plain_of(state), special = special_of(state);
            for (std::size_t i = 0; i < words_; ++i) {
                if (packed_[from + i] != word_of(plain, i) || packed_[from + words_ + i] != word_of(special, i))
                    return false;
            }
            return true;
        }

        std::vector<std::uint32_t> known_; ///< the number of the state, by block
        std::vector<std::uint64_t> packed_;
        std::size_t words_;
    };

    Result<void> check_flow() {
        BlockStates states(blocks_.size(), f_.frame_size);
        std::vector<std::uint32_t> work;
        const auto arrive = [&](std::uint32_t block, const RegisterState& s) -> Result<void> {
            if (block == CodeBlocks::kNone) return bad(f_.code.size(), "control runs off the end");
            if (!states.is_known(block)) {
                states.set(block, s);
                work.push_back(block);
                return {};
            }
            if (!states.holds(block, s)) return bad(blocks_[block].begin, "paths meet that own different registers");
            return {};
        };
        PTC_CHECK(arrive(0, RegisterState::at_entry(f_)));
        while (!work.empty()) {
            const CodeBlock& block = blocks_[work.back()];
            RegisterState state = states.get(work.back());
            work.pop_back();
            if (!meter_.charge(1 + (block.last - block.begin))) return meter_.error();
            for (std::size_t at = block.begin; at != block.last; at += op_info(word_op(f_.code[at])).words())
                state = PTC_TRY(step(at, state, false));
            const Op last = word_op(f_.code[block.last]);
            const OpInfo& info = op_info(last);
            const RegisterState after = PTC_TRY(step(block.last, state, false));
            if (info.has(kBranch)) PTC_CHECK(arrive(block.jump, after));
            if (!info.has(kEnd))
                PTC_CHECK(arrive(block.next, is_iteration(last) ? PTC_TRY(step(block.last, state, true)) : after));
            if (last == Op::Return && after.owned.any()) return bad(block.last, "a return that leaves values behind");
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
    Meter& meter_;
    std::vector<bool> starts_;
    CodeBlocks blocks_;
};

} // namespace

Result<void> verify(const Program& program, Meter& meter) {
    if (program.functions.empty()) return Error(Reason::InvalidBytecode, "A program without a function.");
    const FunctionProto& main = *program.functions[0];
    if (main.param_count != 0 || main.capture_count != 0 || main.variadic) {
        return Error(Reason::InvalidBytecode, "The top level takes no parameters.");
    }
    for (const auto& f : program.functions)
        PTC_CHECK(FunctionVerifier(program, *f, meter).run());
    return {};
}

Result<void> verify(const Program& program) {
    Meter unlimited;
    return verify(program, unlimited);
}

} // namespace ptc
