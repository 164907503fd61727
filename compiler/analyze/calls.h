// Names as values, and lists as calls.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct Resolved;

/// What `name` means where it is not called; `form` is the name as it stands there.
Node* value_of(Analyzer& a, const Resolved& name, const Form& form, Tail tail);
/// (head argument ..)
Node* analyze_list(Analyzer& a, const Form& list, Tail tail);
/// The same when it is known what the head means.
Node* call_name(Analyzer& a, const Form& list, const Resolved& name, Tail tail);

} // namespace ptc
