// Core functions and function literals in the caller's frame.
#pragma once
#include "compiler/analyze/context.h"
#include "compiler/language/core_library.h"

namespace ptc {

struct Analyzer;
class Let;

/// Evaluating it neither does work nor has effects: it may stay where it is while other arguments are moved.
inline bool is_trivial(const Form& form) { return form.kind < FormKind::List || form.kind >= FormKind::ShortFn; }

/// The forms in `form`, itself among them; more than `limit` where there are more.
std::size_t count_forms(const Form& form, std::size_t limit);

// ---- Literals

/// `form` taken apart when it is a function literal; null when it is not.
const Lambda* literal_lambda(Analyzer& a, const Form& form);
/// A call such as (comp f g) or (complement pred) as the literal that it returns; null for other forms. Arguments that
/// must be evaluated are added to `let`.
const Lambda* combinator(Analyzer& a, const Form& form, Let& let);
/// A call of the literal: its body in the caller's frame.
Node* inline_lambda(Analyzer& a, const Lambda& lambda, const Form& list, Tail tail);

// ---- What a parameter is bound to

/// The argument itself, when it is a name that stands for a variable or a function. False: it must be evaluated.
bool pass_on(Analyzer& a, const Form& form, Binding& binding);
/// The literal, when `form` is one: to be inlined if `use` allows it, else its value. False when it is none.
bool pass_lambda(Analyzer& a, const Form& form, const ParamUse& use, Binding& binding, Let& let);
/// The argument's node, when it is a constant or may stay `in_place`; else a temporary variable.
void bind_node(Node* value, bool in_place, Binding& binding, Let& let);
/// Reports an argument that the body calls, and that can be seen not to be a function.
Node* check_callable(Analyzer& a, const CoreFunction& function, std::size_t index, const ParamUse& use, Node* value);

} // namespace ptc
