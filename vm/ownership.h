// Which registers own a value at an instruction. Nothing is recorded while a program runs: the answer follows from the
// code alone, because the verifier admits only code in which it is the same on every path.
#pragma once
#include "vm/program.h"
#include <bitset>
#include <vector>

namespace ptc {

using RegisterSet = std::bitset<256>;

/// What an instruction does to registers, apart from control flow.
struct Effect {
    RegisterSet uses;  ///< must be owned before
    RegisterSet kills; ///< owned before, not after
    RegisterSet gives; ///< owned after
};
/// `ip` points at the instruction's first word inside `proto`. For IterNext and NextItem this is the effect of the taken
/// jump; `exhausted` gives the other.
inline bool is_iteration(Op op) { return op == Op::IterNext || op == Op::NextItem; }
Effect effect_of(const FunctionProto& proto, const Word* ip, bool exhausted = false);

/// The registers that own values before the instruction at word `at`.
RegisterSet owned_before(const FunctionProto& proto, std::uint32_t at);

/// The successors of the instruction at `at`, as word offsets: fall-through first, jump target second.
struct Successors { std::uint32_t next = UINT32_MAX; std::uint32_t jump = UINT32_MAX; };
Successors successors(const FunctionProto& proto, std::uint32_t at);

} // namespace ptc
