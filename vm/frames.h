// Frames on the value stack: where a call keeps what it returns to, and how to walk the frames of a fiber that stands
// still.
//
// A call's window is three link slots and the arguments. The callee's registers begin at the arguments, `base`, so its
// link lies right below them: the function that runs (the window's first register, where the result goes), the address
// that it returns to, and the caller's constants.
#pragma once
#include "vm/fiber.h"
#include "vm/program.h"

namespace ptc {

/// Slots of the link, counted from a frame's base.
inline constexpr int kFunctionSlot = -3, kReturnSlot = -2, kConstantsSlot = -1;
static_assert(kFunctionSlot == -static_cast<int>(kFrameLink) && kConstantsSlot == -1);

inline const FunctionProto* proto_of_frame(const Bits* base) { return proto_of(base[kFunctionSlot]); }
/// The word behind the call instruction.
inline const Word* return_address(const Bits* base) { return reinterpret_cast<const Word*>(base[kReturnSlot]); }
inline const Bits* caller_constants(const Bits* base) { return reinterpret_cast<const Bits*>(base[kConstantsSlot]); }
inline void link_frame(Bits* base, const Word* return_to, const Bits* constants) {
    base[kReturnSlot] = reinterpret_cast<Bits>(return_to);
    base[kConstantsSlot] = reinterpret_cast<Bits>(constants);
}
/// The frame that called this one, by the call instruction's window.
inline Bits* caller_base(Bits* base, const Word* return_to) { return base - (word_a(return_to[-2]) + kFrameLink); }
inline const Bits* caller_base(const Bits* base, const Word* return_to) {
    return base - (word_a(return_to[-2]) + kFrameLink);
}

/// The outermost frame returns here, to its third word: a call instruction that names window 0, then Halt.
inline constexpr Word kHaltCode[3] = {make_word(Op::Call, 0, 0, 0), 0, make_word(Op::Halt, 0, 0, 0)};
inline constexpr const Word* kHaltAddress = kHaltCode + 2;

/// Calls `visit(proto, base, at, innermost)` for the frames of a fiber that stands still, from the innermost out, until
/// it returns false. `at` is the word where the frame's execution stands.
template <class Visit> void for_each_frame(const Fiber& fiber, Visit visit) {
    const Word* ip = fiber.fault;
    Bits* base = fiber.base;
    for (bool innermost = true;; innermost = false) {
        const FunctionProto* proto = proto_of_frame(base);
        const Word* return_to = return_address(base);
        if (!visit(*proto, base, static_cast<std::uint32_t>(ip - proto->code.data()), innermost)) return;
        if (return_to == kHaltAddress) return;
        ip = return_to - 2;
        base = caller_base(base, return_to);
    }
}

} // namespace ptc
