// One call of a host's tool: the arguments that a model wrote, and the callable with its exceptions caught.
#pragma once
#include "ptc/tool.h"

namespace ptc {

/// The arguments as the tool gets them, checked and coerced; validation_error when they do not fit. A tool with
/// pass_input gets them as they are, and so does one without a signature (`signature` is null). What was let through is
/// added to `warnings`, if there are any.
Result<Datum> arguments_for(const Tool& tool, const CompiledSignature* signature, const Datum& input,
                            ValidationMode mode, std::vector<Fault>* warnings = nullptr);

/// Calls it. What it throws is a tool_error.
Result<Datum> call_tool(const Tool& tool, const Datum& arguments, const ToolContext& context);

} // namespace ptc
