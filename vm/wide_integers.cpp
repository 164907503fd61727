// The operation of each instruction on 64-bit integers, with checks for what does not fit (wide_integers.h).
#include "vm/wide_integers.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::int64_t kSum = 3, kDivision = 4; // units of fuel
constexpr std::int64_t kMostPlaces = 62;        // by which 1 is shifted in 64 bits with a sign

/// The operation, whichever operand is a constant. Nop where it is none of these.
enum class Step : std::uint8_t {
    None,
    Add,
    Subtract,
    Multiply,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Quotient,
    Remainder,
    Modulo
};

Step step_of(Op op) {
    switch (op) {
    case Op::Add:
    case Op::AddK:
    case Op::AddToK: return Step::Add;
    case Op::Sub:
    case Op::SubK: return Step::Subtract;
    case Op::Mul:
    case Op::MulK:
    case Op::MulWithK: return Step::Multiply;
    case Op::Quot:
    case Op::QuotK: return Step::Quotient;
    case Op::Rem:
    case Op::RemK: return Step::Remainder;
    case Op::Mod:
    case Op::ModK: return Step::Modulo;
    case Op::BitAnd:
    case Op::BitAndK:
    case Op::BitAndWithK: return Step::BitAnd;
    case Op::BitOr:
    case Op::BitOrK:
    case Op::BitOrWithK: return Step::BitOr;
    case Op::BitXor:
    case Op::BitXorK:
    case Op::BitXorWithK: return Step::BitXor;
    case Op::ShiftLeft:
    case Op::ShiftLeftK: return Step::ShiftLeft;
    case Op::ShiftRight:
    case Op::ShiftRightK: return Step::ShiftRight;
    default: return Step::None;
    }
}

} // namespace

bool is_wide_step(Op op) { return step_of(op) != Step::None; }

bool as_int64(Bits v, std::int64_t* out) {
    if (bits::is_integer(v)) {
        *out = bits::to_integer(v);
        return true;
    }
    if (!bits::is_object(v) || bits::to_object(v)->type != ObjectType::BigInteger) return false;
    const auto* big = static_cast<const BigIntegerObject*>(bits::to_object(v));
    if (big->limb_count != 1 || big->limbs()[0] > static_cast<std::uint64_t>(INT64_MAX)) return false;
    const auto magnitude = static_cast<std::int64_t>(big->limbs()[0]);
    *out = big->negative ? -magnitude : magnitude;
    return true;
}

std::optional<WideResult> wide_arithmetic(Op op, std::int64_t b, std::int64_t c) {
    const bool is_wide = !bits::fits_integer(b) || !bits::fits_integer(c);
    const auto result = [&](std::int64_t value, std::int64_t fuel) { return WideResult{value, is_wide ? fuel : 0}; };
    const Step step = step_of(op);
    if (step >= Step::Quotient && (c == 0 || c == -1)) return std::nullopt; // an error, or -2^63 / -1
    std::int64_t value = 0;
    switch (step) {
    case Step::None: return std::nullopt;
    case Step::Add: return __builtin_add_overflow(b, c, &value) ? std::nullopt : std::optional(result(value, kSum));
    case Step::Subtract:
        return __builtin_sub_overflow(b, c, &value) ? std::nullopt : std::optional(result(value, kSum));
    case Step::Multiply:
        return is_wide || __builtin_mul_overflow(b, c, &value) ? std::nullopt : std::optional(result(value, 0));
    case Step::BitAnd: return result(b & c, 0);
    case Step::BitOr: return result(b | c, 0);
    case Step::BitXor: return result(b ^ c, 0);
    case Step::ShiftLeft:
        if (c < 0 || c > kMostPlaces || __builtin_mul_overflow(b, std::int64_t{1} << c, &value)) return std::nullopt;
        return result(value, 0);
    case Step::ShiftRight: return c < 0 ? std::nullopt : std::optional(result(b >> std::min(c, kMostPlaces + 1), 0));
    case Step::Quotient: return result(b / c, kDivision);
    case Step::Remainder: return result(b % c, kDivision);
    case Step::Modulo: break;
    }
    value = b % c;
    return result(value != 0 && (value < 0) != (c < 0) ? value + c : value, kDivision);
}

} // namespace ptc
