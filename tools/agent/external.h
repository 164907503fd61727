// Models and tools in other languages: programs that read requests, one JSON object a line, and answer with one line
// each (tools/README.md has the members).
#pragma once
#include "ptc/ptc.h"
#include <chrono>
#include <string>
#include <vector>

namespace ptc {

/// The arguments of a program: of a text, what a shell makes of it; of a list of texts, its items.
Result<std::vector<std::string>> program_arguments(const Datum& command);

/// Both may be called on several threads; each program answers one request after the other. The program starts with
/// the first one, and ends with the last copy of the function.
Llm external_llm(std::vector<std::string> arguments);
/// A call fails (tool_error) when the program says so, ends, needs longer than `timeout`, or is stopped, by which the
/// program ends as well: it is free for the next call. `environment` as child_environment gives it.
ContextToolFunction external_tool(std::string name, std::vector<std::string> arguments,
                                  std::vector<std::string> environment, std::chrono::milliseconds timeout);

/// An error of a model as programs and scripts write it: its kind, or {"kind"?, "message"?, "http"?, "permanent"?,
/// "retry_after_ms"?}.
LlmError llm_error_of(const Datum& error);
/// What a program's answer to a model's request means.
LlmResult read_llm_answer(std::string_view line, std::int64_t id);
Result<Datum> read_tool_answer(std::string_view line, std::int64_t id);
std::string llm_request_json(const LlmRequest& request, std::int64_t id);

} // namespace ptc
