// Finds out which brackets are wrong in a text whose brackets do not match, and reports them.
#pragma once
#include "frontend/vocabulary.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"

namespace ptc {

/// Reports the cheapest set of insertions, deletions and replacements of closing brackets that makes the brackets of
/// `source` match. Their edits may be applied together.
/// `vocabulary`, which may be null, says how forms are usually written.
void repair_brackets(const Source& source, const Vocabulary* vocabulary, Diagnostics& diagnostics);

} // namespace ptc
