// Vectors, maps and sets as they are written.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;

Node* analyze_vector(Analyzer& a, const Form& form, Tail tail);
Node* analyze_map(Analyzer& a, const Form& form, Tail tail);
Node* analyze_set(Analyzer& a, const Form& form, Tail tail);

/// A list, vector, map or set behind a quote.
Node* quoted_collection(Analyzer& a, const Form& form, Tail tail);

} // namespace ptc
