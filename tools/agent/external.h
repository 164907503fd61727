// Models and tools in other languages: programs that read requests, one JSON object a line, and answer with one line
// each (tools/README.md has the members).
#pragma once
#include "ptc/ptc.h"
#include "tools/agent/program_pool.h"
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// The arguments of a program: of a text, what a shell makes of it; of a list of texts, its items.
Result<std::vector<std::string>> program_arguments(const Datum& command);

/// invalid_request: the program that `command` plainly begins with is not there. `folder`: where relative names of
/// files are looked for, and the command is to run; "" is ours.
Result<void> check_program(const Datum& command, const std::string& folder = "");

/// Both may be called on several threads; as many processes as `pool` allows, one where it is null, answer requests,
/// each one after the other. The first starts with the first request, all end with the last copy of the function. A
/// call that finds no free process in its time is not sent, and fails.
Llm external_llm(std::vector<std::string> arguments, std::shared_ptr<ProgramPool> pool);
/// A call fails (tool_error) when the program says so, ends, needs longer than `timeout`, or is stopped, by which the
/// process ends as well. It waits for a process until ToolContext::deadline; where there is none, for `timeout`.
/// `environment` as child_environment gives it.
ContextToolFunction external_tool(std::string name, std::vector<std::string> arguments,
                                  std::vector<std::string> environment, std::chrono::milliseconds timeout,
                                  std::shared_ptr<ProgramPool> pool);

/// An error of a model as programs and scripts write it: its kind, or {"kind"?, "message"?, "http"?, "permanent"?,
/// "retry_after_ms"?}.
LlmError llm_error_of(const Datum& error);
/// What a program's answer to a model's request means.
LlmResult read_llm_answer(std::string_view line, std::int64_t id);
Result<Datum> read_tool_answer(std::string_view line, std::int64_t id);
/// `time_left` is what the request's has become.
std::string llm_request_json(const LlmRequest& request, std::int64_t id,
                             std::optional<std::chrono::milliseconds> time_left);

} // namespace ptc
