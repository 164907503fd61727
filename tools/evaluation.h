// One evaluation as JSON asks for it: the members that requests of `eval --batch` and conformance rows have in common.
#pragma once
#include "ptc/ptc.h"
#include <string>

namespace ptc {

struct Evaluation {
    std::string source;
    RunOptions options;  ///< limits and data
    Datum::Map memory;   ///< defined names and their values
    Datum::List history; ///< earlier results, the oldest first
};

/// Reads `src`, `context`, `memory`, `history` and `limits` of an object; what is absent in `limits` is as in
/// `defaults`. Other members are not looked at. invalid_request names the member that is wrong.
Result<Evaluation> read_evaluation(const Datum& object, const Limits& defaults);

/// Defines the names of `memory`. Fails when they do not fit.
Result<void> give_memory(Session& session, const Evaluation& evaluation);

/// Gives a fresh session the memory and history, and runs the program in it. Fails when those do not fit.
Result<Outcome> evaluate(Session& session, const Evaluation& evaluation);

} // namespace ptc
