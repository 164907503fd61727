// What Clojure has lists and lazy sequences for: there conj and into work at the front.
//
// Here all of it is vectors, to whose end they add. Where the text shows that a collection is such a sequence, it is
// made a list (as-list% in runtime/builtins/collections.cpp) before anything is added to it. What a function of the
// program is given, and what data hold, is a vector.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct CoreName;

/// Whether a form gives a sequence: a call of rest, map, filter .., or a name that is bound to one.
bool gives_sequence(Analyzer& a, const Form& form);
/// (as-list% form)
Form as_list_form(Analyzer& a, const Form& form);
/// What a variable of a loop begins with: as a list, if it is a sequence and `body` adds to it.
Form first_of_loop(Analyzer& a, const Form& pattern, const Form& first, FormSpan body);
/// The name that was bound last stands for a sequence.
void note_sequence(Analyzer& a, const Form& name);

/// (conj (rest xs) x), (into (rest xs) ys), (apply conj (rest xs) ys), (reduce f (rest xs) ys): the call with a list in
/// its place; null for any other call.
Node* call_with_list(Analyzer& a, const CoreName& name, const Form& list, Tail tail);

} // namespace ptc
