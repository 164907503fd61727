// Arithmetic of 64-bit integers beyond the inline range, as products are that a remainder follows: without cpp_int,
// which runtime/number.cpp has for all others.
#pragma once
#include "runtime/number.h"
#include "vm/opcode.h"
#include <cstdint>
#include <optional>

namespace ptc {

/// An integer of the inline range, or beyond it one whose magnitude is below 2^63.
bool as_int64(Bits v, std::int64_t* out);

struct WideResult {
    std::int64_t value = 0;
    std::int64_t fuel = 0; ///< when the operands are not both of the inline range: as much as in runtime/number.cpp
};

/// What an instruction gives for these operands; nothing where it does not fit 64 bits, fails, or is neither arithmetic
/// nor bits of integers. Products are those of operands of the inline range.
std::optional<WideResult> wide_arithmetic(Op op, std::int64_t b, std::int64_t c);

/// Whether wide_arithmetic knows the instruction, which is one word long.
bool is_wide_step(Op op);

} // namespace ptc
