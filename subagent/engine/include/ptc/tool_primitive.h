// Tools without an agent around them (requirements 232 to 241): made from functions, offered to a model, and called
// with what it answers. The records are those of agents, so a tool that works here works there.
//
//   ptc::Tool add = ptc::from_fn<&add_numbers>({"x", "y"}, {.description = "Adds two whole numbers."});
//   std::vector<ptc::Tool> tools = ptc::for_agent(add, web_search);
//   provider.offer(ptc::schema_of(tools[0]).value());
//   ptc::ToolResult result = ptc::dispatch(tools, {.id = "call_1", .name = "add_numbers", .arguments = arguments});
//
// from_fn and for_agent are in ptc/typed_tool.h, which needs Boost.Describe.
#pragma once
#include "ptc/shared_function.h"
#include "ptc/tool.h"
#include <span>

namespace ptc {

namespace typed {
/// A first member that no text makes: the others are given by their names.
struct ByName {
    explicit ByName() = default;
};
} // namespace typed

/// What a model reads instead of what follows from the function: `{.description = ".."}`.
struct ToolOverrides {
    typed::ByName by_name = typed::ByName();
    std::optional<std::string> name{};
    std::optional<std::string> description{};
    std::optional<std::string> input_schema_json{};
    std::optional<std::string> output_schema_json{};
    bool pass_input = false;
};
Tool with_overrides(Tool tool, const ToolOverrides& overrides);

/// Gets the arguments in the order of the signature's parameters; those that a call leaves out are nil.
/// Called on the threads on which a ToolFunction is.
using PositionalToolFunction = SharedFunction<Result<Datum>(const std::vector<Datum>& arguments)>;
/// A tool that a signature and a function of positional arguments make. Fails for a signature that cannot be read.
/// With ToolOverrides::pass_input the function gets one argument, the whole input (requirement 239).
Result<Tool> from_fn(std::string name, std::string_view signature, PositionalToolFunction function,
                     const ToolOverrides& overrides = {});

/// Name, description, and JSON Schemas as providers take them: the tool's own, else those of its signature; without
/// either any object. A result that may be anything has no schema. The same for agents, dispatch and servers. Fails for
/// a signature that cannot be read.
Result<ToolSchema> schema_of(const Tool& tool);

/// The tool with exactly this name; null for none. Points into `tools`.
const Tool* find_by_name(std::span<const Tool> tools, std::string_view name);

/// Calls the tool that the call names. Its arguments are checked against the signature and coerced as those of an
/// agent's native calls are; what it gives is for a model, and handed on as it is. Never fails and never throws: an
/// unknown name, arguments that do not fit, an Error and an exception are results with `is_error`, whose output is a
/// text for the model that says what was wrong. Runs on the calling thread.
ToolResult dispatch(std::span<const Tool> tools, const ToolCall& call, ValidationMode mode = ValidationMode::Enabled);
/// The same for tools that ask who calls.
ToolResult dispatch(std::span<const Tool> tools, const ToolCall& call, ValidationMode mode, const ToolContext& context);

} // namespace ptc
