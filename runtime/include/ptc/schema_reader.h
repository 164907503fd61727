// JSON Schema to types: for tools that come with one, from MCP servers say.
#pragma once
#include "ptc/check_report.h"
#include "ptc/signature_text.h"
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// In the place of an unwritten field's name: any fields may be there, as the schema says so (additionalProperties,
/// patternProperties).
inline constexpr std::string_view kAnyField = "*";

/// A type made from a schema. What a type cannot say is `:any`, or left out, with a warning that has its place in the
/// schema: a value that the schema allows always fits the type.
struct SchemaReading {
    Type type;
    std::vector<Fault> warnings;
    /// Fields that are left out, as no signature can write their names, and where the schema says that there may be
    /// others than it names. An object that has no others is `:map`.
    std::vector<UnwrittenField> unwritten{};
};

/// Drafts 4 to 2020-12, and `nullable` of OpenAPI. Local references are followed; one that leads back to itself is
/// `:any`. invalid_json for a text that is no JSON; a schema that is neither an object nor a boolean is an
/// invalid_request.
Result<SchemaReading> read_json_schema(std::string_view json);

/// A parameter or field that has another name in the signature than in the schema.
struct RenamedParameter {
    std::string name; ///< as programs write it
    std::string in_schema;
};

/// What becomes of parameters (not of fields within them) whose names no signature can say, `user id` or `$top`.
enum class ParameterNames : std::uint8_t {
    AsTheyAre, ///< one of them makes the signature allow any arguments
    Written,   ///< they get names that can be: user-id, top; of fields that share a name each gets one of its own
};

/// The signature of a tool: its input schema is an object's, its output schema may be empty text.
struct SignatureReading {
    Signature signature;
    std::vector<Fault> warnings;
    std::vector<UnwrittenField> unwritten_arguments{}; ///< within arguments
    std::vector<UnwrittenField> unwritten_results{};
    // With ParameterNames::Written:
    std::vector<RenamedParameter> written{}; ///< parameters that have another name as no signature can write their own
    /// Parameters and fields that share a name for programs with another one of their object (`user_id`, and
    /// `user_id_2` for `user-id`), and those whose names stand in the way of the numbers. A field has the other name
    /// only where it is beside one with which it shares its own.
    std::vector<RenamedParameter> argument_names{}, result_names{};
    std::size_t parts = 0; ///< schemas that were looked at: references may lead to one many times
};
Result<SignatureReading> read_tool_schemas(std::string_view input, std::string_view output,
                                           ParameterNames names = ParameterNames::AsTheyAre);

/// What ParameterNames::Written makes of a name: what cannot be said in it becomes a hyphen, in the middle, and nothing
/// at its ends. Empty when nothing is left, and for names of more than 200 bytes.
std::string written_parameter_name(std::string_view name);

} // namespace ptc
