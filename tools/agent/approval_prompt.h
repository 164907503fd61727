// Approvals from a person at a terminal, or from a pipe.
#pragma once
#include "ptc/approval.h"
#include "tools/io.h"
#include "tools/options.h"
#include <mutex>
#include <optional>
#include <string>

namespace ptc {

/// --approve never|always|ask
void add_approve_option(CommandLine& line, std::string* mode, const char* doc);

/// `mode` is that of --approve; "" asks where standard input and error are terminals, and denies elsewhere. With
/// `may_wait` an answer may be put off: the input's end does so, and `later`. `console` outlives what is given.
Approver approver_of(const std::string& mode, bool may_wait, Console& console);

/// The next line of standard input; none at its end, or when a signal came. Questions of several threads are asked one
/// after the other: who asks holds `prompt_mutex`.
std::optional<std::string> read_answer_line();
std::mutex& prompt_mutex();

/// What is asked, as lines for a terminal.
std::string approval_text(const ApprovalRequest& request);

/// `y`, `n` and a reason, or arguments as a JSON object; none for anything else.
std::optional<ApprovalAnswer> read_approval_answer(std::string_view line);

} // namespace ptc
