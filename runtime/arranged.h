// Maps and sets that are read in another order than that of their keys: what sorted-map-by and sorted-set-by make.
#pragma once
#include "runtime/map.h"
#include "runtime/set.h"

namespace ptc {

/// The same map or set, read from the last key to the first. Keys that come later find their places.
Result<Value> read_downwards(Heap& heap, const Value& coll);
/// A map of these [key value] vectors, read in their order, which is that of `comparator`; of equal keys the first
/// stays. Further keys are put where the comparator wants them, by who calls it (`insert-at%`).
Result<Value> arranged_map(Heap& heap, const Value& comparator, const Value& entries);
/// A set of these items, as arranged_map.
Result<Value> arranged_set(Heap& heap, const Value& comparator, const Value& items);

} // namespace ptc
