// JSON Schema to types: for tools that come with one, from MCP servers say.
#pragma once
#include "ptc/check_report.h"
#include "ptc/signature_text.h"

namespace ptc {

/// A type made from a schema. What a type cannot say is `:any`, or left out, with a warning that has its place in the
/// schema: a value that the schema allows always fits the type.
struct SchemaReading {
    Type type;
    std::vector<Fault> warnings;
};

/// Drafts 4 to 2020-12, and `nullable` of OpenAPI. Local references are followed; one that leads back to itself is
/// `:any`. invalid_json for a text that is no JSON; a schema that is neither an object nor a boolean is an
/// invalid_request.
Result<SchemaReading> read_json_schema(std::string_view json);

/// The signature of a tool: its input schema is an object's, its output schema may be empty text.
struct SignatureReading {
    Signature signature;
    std::vector<Fault> warnings;
};
Result<SignatureReading> read_tool_schemas(std::string_view input, std::string_view output);

} // namespace ptc
