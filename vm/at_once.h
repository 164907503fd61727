// Answers that need no more than a look: what instructions ask before they take a slow path (slow_paths.h).
#pragma once
#include "runtime/value.h"
#include "vm/opcode.h"

namespace ptc {

/// What a predicate says of most values, 1 or 0; -1: not known here. Costs no fuel, cannot fail.
int test_at_once(Predicate predicate, Bits b);

/// Whether two values are equal as `=` has it, 1 or 0, where that costs no fuel: of texts that are read for nothing,
/// and of nil, true, false and functions with anything; -1: not one of these.
int equal_at_once(Bits b, Bits c);

} // namespace ptc
