// Values from one heap to another.
#pragma once
#include "runtime/heap.h"
#include "runtime/shape.h"

namespace ptc {

/// A copy of `v` that belongs to `into`, whose shapes are in `shapes`: what is shared inside of `v` is shared in the copy.
/// Frozen parts are shared with `v` unless `copy_frozen`. Copies are in their simplest form (no slices, ranges or
/// overlays). In a frozen heap the copy is complete for readers on other threads. Works with a stack of its own.
Result<Value> deep_copy(Heap& into, ShapeTable& shapes, const Value& v, bool copy_frozen);

} // namespace ptc
