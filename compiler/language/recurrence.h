// Sequences that are defined by themselves: (def fibs (lazy-cat [0 1] (map + fibs (rest fibs)))).
#pragma once
#include "compiler/language/form_maker.h"
#include <optional>

namespace ptc {

/// (def name (map first (iterate (fn [items] (conj (subvec items 1) (f (nth items i) ..))) [x ..]))) for a definition
/// that begins with the items x .. and goes on with (map f name (rest name) ..); nothing for all other forms.
std::optional<Form> sequence_of_itself(const Form& form, FormMaker& make);
/// Whether `form` gives a meaning of its own to a name that such definitions are read or written with.
bool redefines_sequences(const Form& form);

} // namespace ptc
