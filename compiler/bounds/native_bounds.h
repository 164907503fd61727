// What builtins cost and give, in abstract values (abstract_value.h).
#pragma once
#include "compiler/bounds/abstract_value.h"
#include <optional>
#include <span>

namespace ptc {

struct NativeBound {
    double cost; ///< beyond the builtin's own
    AbstractValue result;
};

/// Of a call of the builtin with these arguments; nothing for builtins whose work is not followed: patterns, formats,
/// JSON, dates. Where the arguments' sizes are unknown, so is the cost.
std::optional<NativeBound> native_bound(std::uint32_t builtin, std::span<const AbstractValue> arguments);
/// Whether calls with `n` arguments cost and give no more than calls with fewer and calls with more of the same ones.
bool takes_any_count(std::uint32_t builtin);

/// Arithmetic of two numbers, which instructions do as well. Limbs of the result are those of both together when
/// `multiplies`, else one more than the larger has.
NativeBound arithmetic_bound(const AbstractValue& a, const AbstractValue& b, bool multiplies);
NativeBound sum_bound(const AbstractValue& a, const AbstractValue& b);
NativeBound difference_bound(const AbstractValue& a, const AbstractValue& b);

} // namespace ptc
