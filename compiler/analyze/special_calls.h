// Calls of functions that are compiled as another one where the text shows what they are given.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct CoreName;

/// - (into (sorted-map-by f) ..): all keys at once, so that each finds its place; the same for sets;
/// - (sorted-map-by (comp - compare) ..) and its like: `>`, by which keys that come later find their places, too;
/// - (into-array Class coll): the class changes nothing;
/// - (str b), in a program that makes a StringBuilder: b may be one.
/// Null for any other call.
Node* special_call(Analyzer& a, const CoreName& name, const Form& list, Tail tail);

} // namespace ptc
