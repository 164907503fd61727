// What the command line of `ptcc agent` gives, and how a checkpoint keeps it for --resume.
#pragma once
#include "ptc/ptc.h"
#include <optional>
#include <string>
#include <vector>

namespace ptc {

struct AgentArguments {
    std::string file;
    std::string prompt;
    std::string signature;
    std::string tools;
    std::string mcp; ///< the file of --mcp
    std::vector<std::string> data;
    std::vector<std::string> preludes;
    std::string llm;
    std::vector<std::string> fallbacks;
    std::vector<std::string> images; ///< files or addresses
    std::vector<std::string> files;
    std::vector<std::string> models;
    std::string catalog; ///< the file of --models
    std::string output;
    std::string transport;
    std::string effort;
    std::string tool_choice;
    std::string max_cost_usd; ///< a number
    std::optional<std::int64_t> max_turns;
    std::optional<std::int64_t> mission_timeout;
    std::optional<std::int64_t> retry_turns;
    std::optional<std::int64_t> turn_budget;
    std::optional<std::int64_t> token_limit;
    std::optional<std::int64_t> compact_turns;
    std::optional<std::int64_t> compact_tokens;
    std::optional<std::int64_t> keep_turns;
    std::string approve; ///< never, always or ask; "" for what suits
    std::string checkpoint;
    std::string resume;
    std::string mission = "mission";
    std::string trace;
    std::string telemetry; ///< the address of a collector
    bool telemetry_content = false;
    std::string record;
    std::string replay;
    std::string journal; ///< a file of what tasks came to
    bool verbose = false;
    bool stream = false;
    bool step = false;
    Limits limits{.timeout = AgentOptions{}.timeout};
};

/// All that makes the agent and its models, as JSON: files by their names. Data are not in it, a snapshot has them; nor
/// is how the mission is shown.
std::string write_note(const AgentArguments& arguments);
/// Puts it into `arguments`, whose models stay if they were given again. invalid_request when it is no such text.
Result<void> read_note(std::string_view note, AgentArguments& arguments);

} // namespace ptc
