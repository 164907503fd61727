// Calls whose callee is a node or a key already.
#pragma once
#include "compiler/analyze/context.h"
#include <string>

namespace ptc {

struct Analyzer;

/// Sets the children of `node` to the arguments' values.
Node* analyze_arguments(Analyzer& a, Node* node, FormSpan arguments);
/// Looks at arguments of a call that cannot be made. False when they have errors of their own: those come first, as the
/// number of arguments may change with them.
bool check_dropped(Analyzer& a, FormSpan arguments);

/// A call of a value that is only known when the program runs.
Node* call_value(Analyzer& a, Node* callee, FormSpan arguments, Span span, Tail tail);
/// A call of the core library with a wrong number of arguments: left to the run, as it may never be reached.
Node* call_at_run_time(Analyzer& a, Node* callee, const Form& list, Tail tail);
/// A keyword (or string) that is called: a field access.
Node* call_keyword(Analyzer& a, Node* keyword, const Form& list, Tail tail);
/// A parameter of an inlined function whose argument is known.
Node* call_constant(Analyzer& a, const Node& callee, const Form& list, Tail tail);

/// "2 arguments", "1 or 3 arguments": what a function takes, by all of its arities.
std::string arguments_taken(const Function* function);

/// Throws an exception of this class (`AssertionError.`), whose message is `text` and `value` behind it.
Node* thrown(Analyzer& a, const char* constructor, std::string_view text, Node* value, Span span, Tail tail);

} // namespace ptc
