// Whether sequences that are computed by need may get anywhere in a program.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

class CoreLibrary;
class Names;

/// False when each call that makes a sequence by need stands where a call takes what it needs of it, as in
/// (take n (iterate f x)) and (->> (range) (map f) (take n)): then nothing else can be one, and no code has to ask. The
/// names of the program's definitions have to be known.
bool lazy_may_escape(const Names& names, const CoreLibrary& core, FormSpan top_level);

} // namespace ptc
