#include "subagent/engine/tool_calls.h"
#include "frontend/try.h"
#include <algorithm>
#include <iterator>

namespace ptc {

Result<Datum> arguments_for(const Tool& tool, const CompiledSignature* signature, const Datum& input,
                            ValidationMode mode, std::vector<Fault>* warnings) {
    if (tool.pass_input || !signature) return input;
    const ValidationOptions how{.mode = tool.validation.value_or(mode), .is_json_text = true};
    Validation checked = PTC_TRY(validate(*signature, Direction::Input, input, how));
    if (!checked.ok) return Error(Reason::ValidationError, validation_errors_text(checked.errors, checked.more_errors));
    if (warnings) std::ranges::move(checked.warnings, std::back_inserter(*warnings));
    return std::move(checked.data);
}

Result<Datum> call_tool(const Tool& tool, const Datum& arguments, const ToolContext& context) {
    if (!tool.is_callable()) return Error(Reason::ToolError, "no function is registered for it");
    try {
        if (tool.context_function) return tool.context_function(arguments, context);
        return tool.keyed_function ? tool.keyed_function(arguments, context.key) : tool.function(arguments);
    } catch (const std::exception& e) {
        return Error(Reason::ToolError, e.what());
    } catch (...) {
        return Error(Reason::ToolError, "an exception of unknown type");
    }
}

void ToolContext::report(Datum state) const {
    if (!progress) return;
    try {
        progress(std::move(state));
    } catch (...) { // whoever watches cannot break it
    }
}

} // namespace ptc
