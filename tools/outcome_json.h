// How a run ended, as members of a JSON object: what `eval --batch` and `mcp` answer.
#pragma once
#include "frontend/json_writer.h"
#include "ptc/engine.h"
#include <string_view>

namespace ptc {

/// `text` as a JSON string, which takes the time of the thread's work::Scope: cut when that is over.
std::string json_text_in_time(std::string_view text);

/// The value and what was printed are as json_text_in_time writes them.
/// `outcome`, `value`, `json`, `error`, `prints`, `memory`, `tool_calls`, `warnings` and `usage`. `source` is what the
/// error's positions refer to; `memory` is JSON, "" leaves the member out.
void add_outcome(JsonObject& json, const Outcome& outcome, const Source& source, std::string_view memory);

} // namespace ptc
