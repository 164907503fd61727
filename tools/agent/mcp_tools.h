// Tools of MCP servers, for the commands that have --mcp.
#pragma once
#include "ptc/mcp_client.h"
#include "ptc/ptc.h"
#include "tools/io.h"
#include "tools/options.h"
#include <memory>
#include <string>
#include <vector>

namespace ptc {

/// --mcp FILE
void add_mcp_option(CommandLine& line, std::string* path);

/// Where the catalogue of a config file is kept: the user's cache. "" when the user has none.
std::string mcp_catalog_file(const std::string& config);

struct McpUse {
    /// The mode of --approve. What servers ask in the middle of a call is answered by `always` where yes to each
    /// question, or what the server takes by default, is an answer; `never`, and `always` elsewhere, decline. Otherwise
    /// whoever is asked about approvals is asked (question_prompt.h): with `asks` at the terminal, or by `elicit`;
    /// where nobody is, servers know that.
    std::string approve{};
    bool asks = false;
    SharedFunction<Result<Datum>(const McpQuestion& question)> elicit{};
    /// As McpOptions has them. With `starts_beside` nothing is told of servers here: see tell_mcp_servers.
    bool follows = false;
    bool starts_beside = false;
    /// With `follows`: servers are waited for, but none that says nothing for longer than kMcpStartTime, which is told;
    /// its tools are there when it is. With `needs_tools` for longer as long as no tool of any server is known.
    bool waits_shortly = false;
    bool needs_tools = false;
    SharedFunction<void()> on_change{};
    /// False: it knows and keeps nothing of other commands, so that prompts do not depend on them.
    bool uses_catalog = true;
};
/// From the start of a command, for servers that say nothing.
constexpr std::chrono::seconds kMcpStartTime{5};

/// Connects to the servers of a config file; null for "". A server that is not there is told on standard error, and an
/// error when there is none and nothing is known of their tools. `console` outlives it: somebody at a terminal is asked
/// to agree (mcp_login.h).
Result<std::shared_ptr<McpClient>> connect_mcp(const std::string& config, Console& console, const McpUse& use = {});

/// On `err`: what of the servers is passed over, and which of them are not there. How many these are.
std::size_t tell_mcp_servers(const McpClient& client, Output& err);

/// The tools that the config file's servers had when they were last asked; none for "". `err` is told which servers
/// have none so far.
Result<std::vector<Tool>> load_mcp_catalog(const std::string& config, Output& err);

/// Of a command that runs programs: the test tools, and those of --mcp, for which there is no sandbox.
Result<std::vector<Tool>> command_tools(const std::string& mcp, bool has_test_tools, bool requires_sandbox,
                                        Console& console);

/// The row of an agent with rows for `tools` among its own, which stay where names are equal. When there are many,
/// programs search for them (the family tool_search).
Result<Datum> with_mcp_tools(const Datum& row, const std::vector<Tool>& tools);
/// `row` with rows for `tools` in place of those that it has for other tools of servers, and nothing else changed.
Datum with_mcp_rows(const Datum& row, const std::vector<Tool>& tools);
/// Gives the tools of such rows their functions.
void bind_mcp_tools(AgentOptions& options, const std::vector<Tool>& tools);
/// The same for missions that are to have what the servers change; null: there are none.
void feed_mcp_tools(AgentOptions& options, const std::shared_ptr<McpClient>& upstream);

} // namespace ptc
