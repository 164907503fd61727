// One line of execution.
#pragma once
#include "runtime/value.h"
#include "vm/opcode.h"

namespace ptc {

/// A stack of frames, and where its execution stands. The interpreter keeps base, pc and constants in registers of its
/// own while it runs. The stack is a scratch object of the heap of the VM that runs it.
struct Fiber {
    Object* stack_object = nullptr;
    Bits* stack = nullptr;
    std::size_t stack_size = 0; ///< in slots
    Bits* base = nullptr;       ///< of the innermost frame
    const Word* pc = nullptr;
    const Bits* constants = nullptr;
    const Word* fault = nullptr; ///< the instruction that failed or suspended
    std::uint32_t depth = 0;     ///< calls around it, those of the fibers that it was forked from included
};

} // namespace ptc
