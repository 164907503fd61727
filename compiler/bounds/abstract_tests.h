// What tests give for values of which only abstract values are known.
#pragma once
#include "compiler/bounds/abstract_value.h"
#include "vm/opcode.h"

namespace ptc {

enum class Tristate : std::uint8_t { No, Yes, Maybe };

constexpr Tristate opposite(Tristate truth) {
    return truth == Tristate::Maybe ? truth : truth == Tristate::Yes ? Tristate::No : Tristate::Yes;
}
/// Whether the value is truthy, whichever it is.
Tristate truth_of(const AbstractValue& value);
AbstractValue abstract_boolean(Tristate truth);

/// Op::Lt, Le, Gt, Ge, Eq or Ne of two values.
Tristate relation(Op op, const AbstractValue& b, const AbstractValue& c);
/// The fuel for that.
double comparison_cost(const AbstractValue& b, const AbstractValue& c);
Tristate predicate(Predicate test, const AbstractValue& b);

/// The comparison that a jump makes, and whether it jumps when that does not hold.
struct Comparison {
    Op relation;
    bool negated;
};
Comparison comparison_of(Op jump);

} // namespace ptc
