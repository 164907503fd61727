// Calls of the host's tools.
#pragma once
#include "compiler/analyze/context.h"
#include <string_view>

namespace ptc {

struct Analyzer;

/// A call of the tool `name`, which stands at `name_span`; `list` is the whole form.
Node* call_tool(Analyzer& a, std::string_view name, const Form& list, FormSpan arguments, Span name_span, Tail tail);
/// tool/name as a value: a function of the argument map.
Node* tool_function(Analyzer& a, std::string_view name, Span span, Tail tail);

} // namespace ptc
