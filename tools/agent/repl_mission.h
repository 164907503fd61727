// /subagent in the REPL: a mission over its data, with its tools.
#pragma once
#include "ptc/ptc.h"
#include "tools/io.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// What the REPL has and a mission gets.
struct ReplWorld {
    std::vector<std::shared_ptr<const DataSet>> data{};
    std::vector<AgentTool> tools{};
    std::vector<PreludeSource> preludes{};
    Limits limits{};
};

inline constexpr const char* kMissionUsage = "/subagent --llm PROVIDER:MODEL|NAME|cmd:PROGRAM|script:FILE [--models "
                                             "FILE] [--signature SIG] [--max-turns N] PROMPT";

/// `words`: what follows /subagent. The mission's result; none when it failed, or could not start: standard error says
/// why.
std::optional<Datum> run_repl_mission(std::string_view words, bool verbose, const ReplWorld& world, Console& console);

/// Words as a shell splits them: blanks separate, quotes of either kind keep together. invalid_request: a quote is
/// open.
Result<std::vector<std::string>> split_words(std::string_view text);

} // namespace ptc
