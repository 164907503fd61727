// Loops that walk along a vector by first and rest, as loops over its positions.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;

/// `loop`, a Loop that is complete and recurs; when variables of it are only walked along, one that keeps positions in
/// their place, beside the loop as it is for what is no vector.
Node* with_cursors(Analyzer& a, Node* loop, Tail tail);
/// The same for a function that recurs, whose parameters are its variables.
void with_cursors(Analyzer& a, Function& function);

} // namespace ptc
