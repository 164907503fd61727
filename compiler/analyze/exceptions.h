// A try for forms that undo something when their body fails.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;

/// The value of `body`; when that fails, of `handler`, where `caught` is the exception. No tail call leaves the body.
Node* guarded_body(Analyzer& a, FormSpan body, Local* caught, Node* handler, Span span);

} // namespace ptc
