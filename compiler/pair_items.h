// The pair-item pass: loops that take each item apart as a pattern [k v] does, and look at nothing else of it.
//
// Such loops go over maps most of all, and a map has no entries to hand out: each was a vector made for its key and its
// value. A loop by pairs gets the two in registers.
#pragma once
#include "compiler/language/tree.h"

namespace ptc {

/// Gives the Folds of `function` that may be loops by pairs a `target`. The item is the key then, a last local is the
/// value, and what took them out of the item is no binding any longer. Runs in front of the last-use pass.
void find_pair_items(Function& function, Arena& arena);

} // namespace ptc
