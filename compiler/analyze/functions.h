// Function literals: fn and #().
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;

/// (fn name? [params] body ..) taken apart; core code also has (fn ([params] body ..) ..). Null after a report.
const Lambda* read_fn(Analyzer& a, const Form& list);
/// #(body ..) taken apart. Null after a report.
const Lambda* read_short_fn(Analyzer& a, const Form& form);
/// Counts the parameters; a part after `&` must be the last. False after a report.
bool read_params(Analyzer& a, const Form& params, FnClause& clause);

/// A Fn node. Of several clauses the last one is taken: it accepts any number of arguments.
Node* fn_value(Analyzer& a, const Lambda& lambda, Tail tail);
/// Makes this clause the parameters and the body of `function`.
void fn_body(Analyzer& a, Function& function, const Lambda& lambda, const FnClause& clause);
/// The variable that holds a named function inside of itself, made when it is first used as a value.
Local* self_value(Analyzer& a, Function* function);

/// %1, %2 .. by index.
std::string_view placeholder_name(std::size_t index);

} // namespace ptc
