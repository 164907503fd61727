// The zipped-item pass: loops that take the item of a second vector at each position, as (map f a b) does.
//
// Such a loop asked at each position whether the second vector has an item there, and read it by its index. As one
// iteration over both it gets the two in registers and ends with the shorter one.
#pragma once
#include "compiler/language/tree.h"

namespace ptc {

/// Gives the Folds of `function` that may be loops over two vectors a fourth child, the second vector; their last local
/// is its item then, and nobody asks for the position. Runs in front of the last-use pass.
void find_zipped_items(Function& function, Arena& arena);

} // namespace ptc
