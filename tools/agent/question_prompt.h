// What MCP servers ask of the user in the middle of a call (elicitation), answered at a terminal or by --approve.
#pragma once
#include "ptc/mcp_client.h"
#include "tools/io.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// `mode` is that of --approve: `always` says yes to each question, or what the server takes by default, and declines
/// where that is no answer; `never` declines; `ask`, and "" where standard input and error are terminals, asks there.
/// Empty where nobody can be asked. `console` outlives what is given.
SharedFunction<Result<Datum>(const McpQuestion& question)> answerer_of_questions(const std::string& mode,
                                                                                 Console& console);

/// Yes to all that is asked, or what the server takes by default; none where that is no answer.
std::optional<Datum> agreement(const Datum& request);

/// What is asked, as lines for a terminal.
std::string question_text(const McpQuestion& question);

/// The result of `elicitation/create`, of `y`, `n`, or the answers as a JSON object; none for anything else.
std::optional<Datum> read_question_answer(const Datum& request, std::string_view line);

/// Why such a result does not fit the schema of what is asked, a sentence for whoever answers; "" when it does.
std::string answer_problem(const Datum& request, const Datum& answer);

} // namespace ptc
