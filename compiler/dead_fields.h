// The dead-field pass: where a map's hold on the value of a field ends before the map does.
//
// (assoc state :items (conj (:items state) x)), the last use of state: what conj is given belongs to the state as well,
// so it would be copied, although the state's field is about to be overwritten and nobody reads it in between. Here the
// state lets go of the value when it was read, so that a sole owner is changed in place. The same where the field was
// read before: (let [{:keys [items]} state] .. (assoc state :items (conj items x))).
#pragma once
#include "compiler/language/tree.h"

namespace ptc {

/// Sets Node::forgets. Runs behind the last-use pass, whose results it reads. Whether there is something for the
/// live-field pass: a field of a map is read that is needed behind that.
bool find_dead_fields(Function& function);

} // namespace ptc
