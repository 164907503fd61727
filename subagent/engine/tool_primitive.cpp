// Tools without an agent around them (ptc/tool_primitive.h): a record, its schema, a call. A call goes the way of an
// agent's native call: by name, its arguments checked and coerced by the signature, and whatever goes wrong is a
// result.
#include "ptc/tool_primitive.h"
#include "frontend/try.h"
#include "ptc/json_schema.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/tool_calls.h"
#include <algorithm>

namespace ptc {
namespace {

ToolResult failed(const ToolCall& call, std::string why) {
    return {.id = call.id, .output = Datum(std::move(why)), .is_error = true};
}

std::string unknown_tool(std::span<const Tool> tools, std::string_view name) {
    std::string text = "There is no tool `" + std::string(name) + "`.";
    for (std::size_t i = 0; i < tools.size(); ++i)
        text += (i == 0 ? " Tools: " : ", ") + tools[i].name;
    return text;
}

Result<SignaturePtr> signature_of_tool(const Tool& tool) {
    if (tool.signature.empty()) return SignaturePtr();
    return compile_signature(tool.signature);
}

Result<Datum> run(const Tool& tool, const ToolCall& call, ValidationMode mode, const ToolContext& context) {
    const SignaturePtr signature = PTC_TRY(signature_of_tool(tool));
    const Datum input = call.arguments.is_nil() ? Datum(Datum::Map()) : call.arguments;
    if (!input.map()) return Error(Reason::InvalidToolArgs, "The input of a tool is a map of named arguments.");
    const Datum arguments = PTC_TRY(arguments_for(tool, signature.get(), input, mode));
    Datum result = PTC_TRY(call_tool(tool, arguments, context));
    PTC_CHECK(take_attachments(result)); // a ToolResult is a value
    return result;
}

} // namespace

Tool with_overrides(Tool tool, const ToolOverrides& overrides) {
    if (overrides.name) tool.name = *overrides.name;
    if (overrides.description) tool.description = *overrides.description;
    if (overrides.input_schema_json) tool.input_schema_json = *overrides.input_schema_json;
    if (overrides.output_schema_json) tool.output_schema_json = *overrides.output_schema_json;
    tool.pass_input = tool.pass_input || overrides.pass_input;
    return tool;
}

Result<Tool> from_fn(std::string name, std::string_view signature, PositionalToolFunction function,
                     const ToolOverrides& overrides) {
    const SignaturePtr compiled = PTC_TRY(compile_signature(signature));
    const bool is_whole = overrides.pass_input;
    Tool tool{.name = std::move(name), .signature = std::string(signature)};
    tool.function = [compiled, is_whole, f = std::move(function)](const Datum& input) -> Result<Datum> {
        if (is_whole) return f({input});
        std::vector<Datum> arguments;
        for (const Field& parameter : signature_of(*compiled).params) {
            const Datum* given = input.find(normalized_name(parameter.name));
            arguments.push_back(given ? *given : Datum());
        }
        return f(arguments);
    };
    return with_overrides(std::move(tool), overrides);
}

Result<ToolSchema> schema_of(const Tool& tool) {
    ToolSchema schema{.name = tool.name,
                      .description = tool.description,
                      .input_schema_json = tool.input_schema_json,
                      .output_schema_json = tool.output_schema_json};
    const SignaturePtr signature = PTC_TRY(signature_of_tool(tool));
    if (schema.input_schema_json.empty())
        schema.input_schema_json = signature ? input_schema(signature_of(*signature)) : R"({"type":"object"})";
    for (const std::string* json : {&schema.input_schema_json, &schema.output_schema_json}) {
        if (json->empty()) continue;
        const Datum read = PTC_TRY(Datum::from_json(*json));
        if (!read.map())
            return Error(Reason::InvalidRequest, "A schema of the tool `" + tool.name + "` is no JSON object.");
    }
    if (schema.output_schema_json.empty() && signature && !signature_of(*signature).returns.is(TypeKind::Any))
        schema.output_schema_json = json_schema(public_type(signature_of(*signature).returns), SchemaStyle::Tool);
    return schema;
}

const Tool* find_by_name(std::span<const Tool> tools, std::string_view name) {
    const auto found = std::ranges::find(tools, name, [](const Tool& tool) { return std::string_view(tool.name); });
    return found == tools.end() ? nullptr : &*found;
}

ToolResult dispatch(std::span<const Tool> tools, const ToolCall& call, ValidationMode mode) {
    return dispatch(tools, call, mode, ToolContext());
}

ToolResult dispatch(std::span<const Tool> tools, const ToolCall& call, ValidationMode mode,
                    const ToolContext& context) {
    const Tool* tool = find_by_name(tools, call.name);
    if (!tool) return failed(call, unknown_tool(tools, call.name));
    if (!call.problem.empty()) return failed(call, call.problem);
    Result<Datum> result = run(*tool, call, mode, context);
    if (!result.ok()) return failed(call, result.error().message);
    return {.id = call.id, .output = std::move(result).value()};
}

} // namespace ptc
