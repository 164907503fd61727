// Tools: what a program can call outside of its sandbox.
#pragma once
#include "ptc/datum.h"
#include <functional>
#include <string>

namespace ptc {

/// Called with the argument map (text keys). An Error or an exception becomes the program's tool_error. Must be callable
/// from the thread that runs the session.
using ToolFunction = std::function<Result<Datum>(const Datum& arguments)>;

struct Tool {
    std::string name{};
    std::string description{};
    std::string signature{};   ///< "(query :string) -> {count :int}"; for people and checkers
    ToolFunction function{};   ///< empty: the host answers through Session::resume
};

/// A call that a program waits for.
struct ToolCall {
    std::string name;
    Datum arguments;
};

/// A finished call, as Outcome lists it.
struct ToolRecord {
    std::string name;
    std::string arguments_json;
    std::string result_json; ///< "" when it failed
};

} // namespace ptc
