// Models and tools that do what a file says: replies in order, results by rule. For playing a mission without a model
// (`script:FILE`, a tool's "do") and for tests, which watch the calls.
#pragma once
#include "ptc/ptc.h"
#include <functional>
#include <string>

namespace ptc {

/// What is to happen at the calls of scripted models and tools, which may be made on several threads. Empty members:
/// nothing; in particular nobody waits for the delays of a script.
struct ScriptWatcher {
    std::function<void(const LlmRequest& request)> on_request{};
    std::function<void()> on_past_end{}; ///< behind on_request, when the model has no further reply
    std::function<void(const std::string& name, const Datum& arguments)> on_tool_call{};
    std::function<void(std::int64_t millis)> on_delay{};
};

/// A model that gives the replies of a list, in order: {"text", "tool_calls"?, "tokens"?, "cost_usd"?, "delay_ms"?}, or
/// {"error"}, or {"raise"}.
Llm scripted_llm(Datum::List replies, ScriptWatcher watcher = {});

/// The function of a tool whose row says in "do" what it returns.
ToolFunction scripted_tool(const std::string& name, const Datum& row, ScriptWatcher watcher = {});
ContextToolFunction without_context(ToolFunction function);

} // namespace ptc
