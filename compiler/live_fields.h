// The live-field pass: which fields of a map are read again behind a place.
//
// (let [{:keys [items] :as state} state, items (conj items x)] .. (assoc state :items items)): the state holds the
// items as well while they are changed, and so they would be copied, although on every way on from the pattern the
// state's field is overwritten, or the state is let go of, before somebody reads it. Such a field is taken out of its
// map where it is read.
#pragma once
#include "compiler/language/tree.h"

namespace ptc {

/// Sets Node::forgets of accesses to fields whose values are changed later, while their maps are needed for other
/// fields only. Runs behind the last-use pass, whose results it reads.
void find_taken_fields(Function& function);

} // namespace ptc
