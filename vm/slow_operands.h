// How the slow paths of instructions get at their operands and give their result.
#pragma once
#include "runtime/value.h"
#include "vm/frames.h"
#include "vm/opcode.h"
#include "vm/program.h"
#include <utility>

namespace ptc {

// Moves a register's value out; the register holds nil until the instruction's result is written.
inline Value take(Bits& reg) { return Value::adopt(std::exchange(reg, bits::kNil)); }

inline std::uint8_t take_mask(const Bits* r, const Word* ip) {
    const FunctionProto* proto = proto_of_frame(r);
    return proto->takes[static_cast<std::size_t>(ip - proto->code.data())];
}

// The right operand: a register, or a constant in the K forms.
inline bool is_constant_form(Op op) { return op_info(op).c == Operand::Const; }
inline Bits right_operand(const Bits* r, const Bits* k, Word w) {
    return is_constant_form(word_op(w)) ? k[word_c(w)] : r[word_c(w)];
}

// Writes `result` to register A, releasing the operands that die here.
inline bool write(Bits* r, const Word* ip, Value result) {
    const Bits bits_out = result.give_up();
    const std::uint8_t mask = take_mask(r, ip);
    const Word w = *ip;
    // C may be no register but a constant's number; nothing is taken from it then. A may be one of the two.
    const Bits b = mask & kTakeB ? r[word_b(w)] : bits::kNil;
    const Bits c = mask & kTakeC ? r[word_c(w)] : bits::kNil;
    bits::release(b);
    bits::release(c);
    r[word_a(w)] = bits_out;
    return true;
}

} // namespace ptc
