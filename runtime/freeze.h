// From a heap's counted values to frozen ones that all threads may read.
#pragma once
#include "runtime/heap.h"

namespace ptc {

/// Makes `v` and everything that can be reached from it frozen (immortal, never written again) and builds the sorted
/// views, so that readers never have to. All of it that is counted lives in one heap, which may exceed its cap by the
/// views (8 bytes an entry). Once every value that the heap shall keep is frozen, call Heap::freeze. Works with a stack
/// of its own.
void freeze_value(Value& v);

} // namespace ptc
