// What builtins cost and give, in extents (extent.h).
#pragma once
#include "compiler/bounds/extent.h"
#include <optional>
#include <span>

namespace ptc {

struct NativeExtent {
    double cost; ///< beyond the builtin's own
    Extent result;
};

/// Of a call of the builtin with these arguments; nothing for builtins whose work is not followed: patterns, formats,
/// JSON, dates. Where the arguments' sizes are unknown, so is the cost.
std::optional<NativeExtent> native_extent(std::uint32_t builtin, std::span<const Extent> arguments);
/// Whether calls with `n` arguments cost and give no more than calls with fewer and calls with more of the same ones.
bool takes_any_count(std::uint32_t builtin);

/// Arithmetic of two numbers, which instructions do as well. Limbs of the result are those of both together when
/// `multiplies`, else one more than the larger has.
NativeExtent arithmetic_extent(const Extent& a, const Extent& b, bool multiplies);
NativeExtent sum_extent(const Extent& a, const Extent& b);
NativeExtent difference_extent(const Extent& a, const Extent& b);

} // namespace ptc
