// What tests give for values of which only extents are known.
#pragma once
#include "compiler/bounds/extent.h"
#include "vm/opcode.h"

namespace ptc {

enum class Truth : std::uint8_t { No, Yes, Maybe };

constexpr Truth opposite(Truth truth) {
    return truth == Truth::Maybe ? truth : truth == Truth::Yes ? Truth::No : Truth::Yes;
}
/// Whether any value of the extent is truthy.
Truth truth_of(const Extent& extent);
Extent extent_of_truth(Truth truth);

/// Op::Lt, Le, Gt, Ge, Eq or Ne of two values.
Truth relation(Op op, const Extent& b, const Extent& c);
/// The fuel for that.
double comparison_cost(const Extent& b, const Extent& c);
Truth predicate(Predicate test, const Extent& b);

/// The comparison that a jump makes, and whether it jumps when that does not hold.
struct Comparison {
    Op relation;
    bool negated;
};
Comparison comparison_of(Op jump);

} // namespace ptc
