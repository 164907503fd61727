// What a command line that describes an agent makes: its options, and what a mission gets. For every command that runs
// agents.
#pragma once
#include "tools/agent/agent_arguments.h"
#include "tools/agent/agent_options.h"
#include "tools/options.h"
#include <map>
#include <memory>
#include <string>

namespace ptc {

/// --prompt, --signature, --tools, --data, --prelude, --llm, --model, --agent, --output, --max-turns, .. and limits.
void add_agent_options(CommandLine& line, AgentArguments* arguments);

/// The options of the agent as read_agent takes them: those of its file, and over them those of the command line.
Result<Datum> agent_row(const AgentArguments& arguments);
/// The same over another row than that of the file.
Result<Datum> agent_row_over(Datum::Map row, const AgentArguments& arguments);
/// `row` is what agent_row gave.
Result<AgentOptions> agent_options_of(const Datum& row, std::vector<PreludeSource> preludes, const Limits& limits,
                                      const PartMakers& makers);
/// How many replies models have given already, by their names in the registry; "" is the mission's own.
using GivenReplies = std::map<std::string, std::size_t>;

/// Everything that a mission gets, but for those who watch it.
Result<MissionOptions> read_mission_options(const AgentArguments& arguments, GivenReplies& given);
/// The images and files of --image and --file. An image may be at an http or https address.
Result<std::vector<Attachment>> read_attachments(const AgentArguments& arguments);
/// invalid_request: `max_cost_usd` with a provider's model whose price is not known: the budget would never be used.
Result<void> check_prices(const AgentArguments& arguments, const AgentOptions& options);
/// How models of `script:` are asked again: nobody has to wait for a file.
RetryPolicy script_retry();

} // namespace ptc
