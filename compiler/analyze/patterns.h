// Destructuring.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
class Let;

/// What can be bound: a name, or a vector or map of patterns.
inline bool is_pattern(const Form& form) {
    return is_binding_name(form) || form.is(FormKind::Vector) || form.is(FormKind::Map);
}

/// Binds the names of `pattern` to the parts of `value`; the variables are added to `let`.
void destructure(Analyzer& a, const Form& pattern, Node* value, Let& let);
/// The same for what follows `&`; a map pattern takes it as keys and values (GAP-S07).
void bind_rest(Analyzer& a, const Form& pattern, Node* rest, Let& let);

} // namespace ptc
