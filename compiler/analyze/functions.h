// Function literals: fn and #().
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct SpecialForm;

/// (fn name? [params] body ..), (fn name? ([params] body ..) ..) taken apart. Null after a report.
const Lambda* read_fn(Analyzer& a, const Form& list);
/// #(body ..) taken apart. Null after a report.
const Lambda* read_short_fn(Analyzer& a, const Form& form);
/// Counts the parameters; a part after `&` must be the last. False after a report.
bool read_params(Analyzer& a, const Form& params, FnClause& clause);

/// [params] body .. or ([params] body ..) .., as they stand in a form of this kind, which has some. Empty after a
/// report.
std::span<const FnClause> read_clauses(Analyzer& a, FormSpan parts, const SpecialForm& special);

/// A Fn node.
Node* fn_value(Analyzer& a, const Lambda& lambda, Tail tail);
/// A Function for each clause, without bodies; the first of them. What it takes can be asked for before it has a body.
Function* declare_function(Analyzer& a, const Lambda& lambda, std::string_view name);
/// Gives a declared function its bodies. Whoever makes a value of it shares the captures afterwards.
void fn_bodies(Analyzer& a, Function& first, const Lambda& lambda);
/// Makes this clause the parameters and the body of `function`.
void fn_body(Analyzer& a, Function& function, const Lambda& lambda, const FnClause& clause);
/// The variable that holds a named function inside of itself or of its family, made when it is first used as a value.
Local* self_value(Analyzer& a, Function* function);

/// %1, %2 .. by index.
std::string_view placeholder_name(std::size_t index);

} // namespace ptc
