// The frames of a fiber that stands still.
#pragma once
#include "vm/fiber.h"
#include "vm/vm.h"

namespace ptc {

/// The outermost frame returns here, to its third word: a call instruction that names window 0, then Halt.
extern const Word kHaltCode[3];

/// Calls `visit(proto, base, at, innermost)` for the frames of a fiber that stands still, from the innermost out, until
/// it answers false. `at` is the word where the frame's execution stands.
template <class Visit> void for_each_frame(const Fiber& fiber, Visit visit) {
    const Word* ip = fiber.fault;
    Bits* base = fiber.base;
    for (bool innermost = true;; innermost = false) {
        const FunctionProto* proto = proto_of(base[-3]);
        const Word* return_to = reinterpret_cast<const Word*>(base[-2]);
        if (!visit(*proto, base, static_cast<std::uint32_t>(ip - proto->code.data()), innermost)) return;
        if (return_to == kHaltCode + 2) return;
        ip = return_to - 2;
        base -= word_a(*ip) + kFrameLink;
    }
}

} // namespace ptc
