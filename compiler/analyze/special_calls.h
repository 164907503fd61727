// Calls of functions that are compiled as another one where the text shows what they are given.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct CoreName;
struct Form;

/// - (into (sorted-map-by f) ..): all keys at once, so that each finds its place; the same for sets;
/// - (sorted-map-by (comp - compare) ..) and its like: `>`, by which keys that come later find their places, too;
/// - (get-in m [a b]) and (assoc-in m [a b] x): step by step, where the path stands in the program;
/// - (re-find m), of a matcher;
/// - (into-array Class coll): the class changes nothing;
/// - (conj (rest xs) x) and its like, which add at the front: sequences.h;
/// - (str b), in a program that makes a StringBuilder: b may be one.
/// Null for any other call.
Node* special_call(Analyzer& a, const CoreName& name, const Form& list, Tail tail);

/// Whether a form gives no sequence by need.
using WholeTest = bool (*)(Analyzer&, const Form&);
/// (subseq coll >= k) and its like, whose tests are written, and (first (subseq coll >= k)), for which no more than one
/// is looked for. Null for any other call.
Node* sorted_part_call(Analyzer& a, const CoreName& name, const Form& list, Tail tail, WholeTest is_whole);

/// Whether the call, or the mere name, makes what a function of the program sorts.
bool makes_sorted(const Form& form);

} // namespace ptc
