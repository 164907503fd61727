// What a program would be that reads its data in another way: found by looking at it again with that supposed.
#pragma once
#include "compiler/check/supposition.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <functional>

namespace ptc {

/// What a walk through the program found wrong with the shapes of values.
struct ShapeProblems {
    std::vector<Span> found;       ///< fields that are read and there
    std::uint32_t clashes = 0;     ///< values that a function can never use
    std::vector<DataPoint> points; ///< in their order
};

/// Gives the field reads of `diagnostics` that have no edit one: the nearest other reading of the data under which the
/// program finds every field, where there is only one as near. `walk` goes through the program with suppositions.
using WalkSupposing = std::function<ShapeProblems(std::span<const Supposition>, Diagnostics&)>;
void mend_by_supposing(const Source& source, Facts& facts, const ShapeProblems& problems, const WalkSupposing& walk,
                       Diagnostics& diagnostics);

} // namespace ptc
