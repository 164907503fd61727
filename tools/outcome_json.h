// How a run ended, as members of a JSON object: what `eval --batch` and `mcp` answer.
#pragma once
#include "frontend/json_writer.h"
#include "ptc/engine.h"
#include <string_view>

namespace ptc {

/// `outcome`, `value`, `json`, `error`, `prints`, `memory`, `tool_calls`, `warnings` and `usage`. `source` is what the
/// error's positions refer to; `memory` is JSON, "" leaves the member out.
void add_outcome(JsonObject& json, const Outcome& outcome, const Source& source, std::string_view memory);

} // namespace ptc
