// Types as JSON Schema.
#pragma once
#include "ptc/signature_text.h"

namespace ptc {

enum class SchemaStyle : std::uint8_t {
    Exact,  ///< draft 2020-12: what validates is exactly what a result of the type may be as JSON
    Closed, ///< the same, without fields that are not declared
    Tool,   ///< the subset that providers take as a tool's input and output: no nulls, optional fields are not required
    Structured ///< the same for structured output: closed objects, every list and map is an object
};

/// The schema of a value of `type`, compact JSON. Names have underscores. Exact and Closed carry `$schema`.
std::string json_schema(const Type& type, SchemaStyle style);

/// The object of a tool's parameters.
std::string input_schema(const Signature& signature, SchemaStyle style = SchemaStyle::Tool);

/// The result's schema for a provider's structured output, which must be an object: a list becomes {"items": [..]}.
std::string structured_output_schema(const Type& returns);
/// True if that wraps the result.
bool is_wrapped_for_output(const Type& returns);

} // namespace ptc
