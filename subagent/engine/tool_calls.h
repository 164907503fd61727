// One call of a host's tool: the arguments that a model wrote, and the callable with its exceptions caught.
#pragma once
#include "ptc/tool.h"
#include <optional>

namespace ptc {

/// `input` with the parameters' names of the signature in place of those that the tool's own schema has
/// (Tool::other_arguments), where they stand for one and it is not given; none: there are no such names.
std::optional<Datum> with_written_names(const Tool& tool, const CompiledSignature& compiled, const Datum& input);

/// The arguments as the tool gets them, checked and coerced; validation_error when they do not fit. A tool with
/// pass_input gets them as they are, and so does one without a signature (`signature` is null). What was let through is
/// added to `warnings`, if there are any.
Result<Datum> arguments_for(const Tool& tool, const CompiledSignature* signature, const Datum& input,
                            ValidationMode mode, std::vector<Fault>* warnings = nullptr);

/// Calls it. What it throws is a tool_error.
Result<Datum> call_tool(const Tool& tool, const Datum& arguments, const ToolContext& context);

} // namespace ptc
