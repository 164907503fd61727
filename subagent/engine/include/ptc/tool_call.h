// Tools as models know them: a description of the tool, a call, its result. The same records for agents, dispatch
// (ptc/tool_primitive.h) and providers, whatever a provider calls them on its wire (requirements 232 to 241).
#pragma once
#include "ptc/datum.h"
#include <string>

namespace ptc {

/// A tool as a model or a downstream system sees it.
struct ToolSchema {
    std::string name;
    std::string description{};        ///< "" when there is none
    std::string input_schema_json;    ///< JSON Schema of an object: the parameters
    std::string output_schema_json{}; ///< JSON Schema of the result; "" when it may be anything
    friend bool operator==(const ToolSchema&, const ToolSchema&) = default;
};

/// A call that waits for its result: one that a model made by its provider's means, or one of a program.
struct ToolCall {
    std::string id{}; ///< the provider's, which the result carries; "" for a program's, whose results go by their order
    std::string name;
    Datum arguments; ///< a map
    /// Why a model's arguments could not be read, for the model; `arguments` are empty then, nothing is called, and the
    /// call's result is this error. "" otherwise.
    std::string problem{};
    friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

/// What a call came to.
struct ToolResult {
    std::string id{}; ///< of the call
    Datum output{};   ///< of a call that failed: why, a text for the model
    bool is_error = false;
    friend bool operator==(const ToolResult&, const ToolResult&) = default;
};

} // namespace ptc
