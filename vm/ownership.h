// Which registers own a value at an instruction. Nothing is recorded while a program runs: the answer follows from the
// code alone, because the verifier admits only code in which it is the same on every path.
#pragma once
#include "vm/program.h"
#include <bitset>
#include <unordered_map>

namespace ptc {

using RegisterSet = std::bitset<256>;

/// What an instruction does to registers, apart from control flow; read off its row in opcodes.def.
struct Effect {
    RegisterSet uses;  ///< must be owned before
    RegisterSet kills; ///< owned before, not after
    RegisterSet gives; ///< owned after
};
/// `ip` points at the instruction's first word inside `proto`. For IterNext and its kin this is the effect of the
/// taken jump; `exhausted` gives the other.
Effect effect_of(const FunctionProto& proto, const Word* ip, bool exhausted = false);

/// What the registers hold before an instruction. A sequence that is iterated over and its position are apart: only
/// IterInit and IterPairs make them, so what iterates may trust them.
struct RegisterState {
    RegisterSet owned;
    RegisterSet sources;   ///< of them, those that are iterated over: vectors
    RegisterSet positions; ///< and where an iteration stands: small integers, not negative

    /// At the entry of a function: its parameters.
    static RegisterState at_entry(const FunctionProto& proto);
    /// After the instruction `word`, whose effect is `effect`.
    [[nodiscard]] RegisterState after(Word word, const Effect& effect) const;
    friend bool operator==(const RegisterState&, const RegisterState&) = default;
};

/// The registers that own values before an instruction. Goes through a function's code once, however often it is asked:
/// a deep recursion has thousands of frames in one function.
class OwnershipMap {
public:
    /// Before the instruction at word `at`, which control can reach.
    RegisterSet before(const FunctionProto& proto, std::uint32_t at);
    /// Before any word; null when control cannot reach an instruction there. Valid until the next call.
    const RegisterState* find(const FunctionProto& proto, std::uint32_t at);

private:
    using States = std::unordered_map<std::uint32_t, RegisterState>; ///< of the calls and whatever was asked for first
    static States states_of(const FunctionProto& proto, std::uint32_t wanted);
    std::unordered_map<const FunctionProto*, States> known_;
};

/// The successors of the instruction at `at`, as word offsets: fall-through first, jump target second.
struct Successors {
    std::uint32_t next = UINT32_MAX;
    std::uint32_t jump = UINT32_MAX;
};
Successors successors(const FunctionProto& proto, std::uint32_t at);

} // namespace ptc
