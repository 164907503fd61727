// update-in along a path that stands in the program.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct CoreFunction;

/// The most parts that such a call may have, besides its head.
inline constexpr std::size_t kMaxPathArguments = 7;

/// (update-in m [k1 k2] f a ..); `function` is update-in.
Node* update_path(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail);

} // namespace ptc
