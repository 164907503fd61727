// Loops whose accumulator is a vector that each round takes apart and makes anew: its items are variables instead.
#pragma once
#include "compiler/language/tree.h"

namespace ptc {

struct Analyzer;

/// The Fold in `whole`, which may stand in Lets, with a variable for each item of its accumulator. `whole` itself where
/// something looks at the vector, or where it is not seen that each round gives as many items.
Node* split_accumulator(Analyzer& a, Node* whole);

} // namespace ptc
