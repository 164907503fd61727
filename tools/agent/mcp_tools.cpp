// From a config file of MCP servers to tools. An agent gets them as rows beside those of --tools, so that recordings
// and checkpoints know them as they know others; their functions, which no row can hold, are put in when the agent is
// made.
#include "tools/agent/mcp_tools.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/text_hash.h"
#include "subagent/mcp/catalog.h"
#include "tools/agent/line_process.h"
#include "tools/agent/mcp_login.h"
#include "tools/agent/mcp_nesting.h"
#include "tools/agent/question_prompt.h"
#include "tools/test_tools.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

namespace ptc {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;
constexpr std::size_t kMostListed = 40; ///< tools that prompts list; more of them are searched for

Datum with_member(const Datum& object, const char* name, Datum value) {
    Datum::Map out;
    for (const auto& [key, own] : object.entries()) {
        if (key != Datum(name)) out.emplace_back(key, own);
    }
    out.emplace_back(Datum(name), std::move(value));
    return Datum(std::move(out));
}

/// $XDG_CACHE_HOME, or ~/.cache; "" without a home.
std::string cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/') return cache;
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache" : "";
}

/// What has been told already: a server may fail while, and after, the others are told of.
class Told {
public:
    bool is_new(const std::string& problem) {
        const std::scoped_lock lock(mutex_);
        return known_.insert(problem).second;
    }

private:
    std::mutex mutex_;
    std::set<std::string> known_;
};

std::size_t tell_servers(const McpClient& client, Output& err, Told& told) {
    for (const std::string& notice : client.notices())
        err.line("ptcc: " + notice);
    const std::vector<std::string> problems = client.problems();
    for (const std::string& problem : problems) {
        if (told.is_new(problem)) err.line("ptcc: " + problem);
    }
    err.flush();
    return problems.size();
}

/// Those that are left then are told: why their tools are not there.
void await_shortly(const McpClient& client, bool needs_tools, Output& err) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kBetweenLooks{50};
    bool is_over = client.await_start({}, Clock::now() + kMcpStartTime);
    while (!is_over && needs_tools && client.tools().empty())
        is_over = client.await_start({}, Clock::now() + kBetweenLooks);
    for (const std::string& server : client.starting())
        err.line("ptcc: The MCP server " + quoted_excerpt(server) + " has said nothing for " +
                 std::to_string(kMcpStartTime.count()) + " s: its tools will be there when it has.");
    err.flush();
}

/// Whether the server is known to have tools, and lets none of them through.
bool hides_all(const std::string& catalog, McpServer server) {
    if (!server.only_tools && server.hidden_tools.empty()) return false;
    server.only_tools.reset();
    server.hidden_tools.clear();
    const Result<std::vector<Tool>> all = read_mcp_catalog(catalog, std::span(&server, 1));
    return all.ok() && !all.value().empty();
}

} // namespace

void add_mcp_option(CommandLine& line, std::string* path) {
    line.text("--mcp", path, R"(Tools of MCP servers, as (tool/SERVER.NAME {..}); the file is {"mcpServers": {..}})")
        .value_name("FILE.json");
}

std::string mcp_catalog_file(const std::string& config) {
    const std::string folder = cache_folder();
    if (folder.empty()) return "";
    std::error_code error;
    const std::filesystem::path path = std::filesystem::weakly_canonical(config, error);
    return folder + "/ptc/mcp/" + hash_digits(text_hash(error ? config : path.string())) + ".json";
}

Result<std::shared_ptr<McpClient>> connect_mcp(const std::string& config, Console& console, const McpUse& use) {
    if (config.empty()) return std::shared_ptr<McpClient>();
    PTC_CHECK(check_mcp_nesting());
    Result<McpConfig> read = read_mcp_config(PTC_TRY(read_file(config, kMostConfigBytes)));
    if (!read.ok()) return invalid_request(config + ": " + read.error().message);
    keep_from_nesting(read.value(), config);
    end_programs_with_us();
    McpOptions options;
    options.servers = std::move(read.value().servers);
    const std::size_t servers = options.servers.size();
    if (use.uses_catalog) options.catalog_file = mcp_catalog_file(config);
    options.token_file = mcp_token_file();
    options.elicit = use.elicit;
    if (use.asks || use.approve == "always" || use.approve == "never")
        options.elicit = answerer_of_questions(use.approve, console);
    options.follows = use.follows;
    options.starts_beside = use.starts_beside || use.waits_shortly;
    options.on_change = use.on_change;
    const auto told = std::make_shared<Told>();
    if (use.waits_shortly)
        options.on_problem = [told](const std::string& problem) {
            Output err{2}; // one of its own: others write at the same time
            if (told->is_new(problem)) err.line("ptcc: " + problem);
        };
    // Tokens that are there are used in any case; for new ones there must be somebody.
    const bool has_person = console.err.is_terminal();
    options.authorize = [&console, has_person](const McpAuthorization& request) -> Result<std::string> {
        if (has_person) return log_in(request, console);
        return Error(Reason::ToolError, "Somebody has to agree: use it once from a terminal.");
    };
    for (const std::string& notice : read.value().notices)
        console.message("ptcc: " + notice + "\n");
    std::shared_ptr<McpClient> client = PTC_TRY(McpClient::connect(std::move(options)));
    if (use.waits_shortly) await_shortly(*client, use.needs_tools, console.err);
    const std::size_t missing = use.starts_beside ? 0 : tell_servers(*client, console.err, *told);
    if (missing == servers && client->tools().empty())
        return invalid_request("There is no MCP server that could be asked for its tools.");
    return client;
}

std::size_t tell_mcp_servers(const McpClient& client, Output& err) {
    Told told;
    return tell_servers(client, err, told);
}

Result<std::vector<Tool>> load_mcp_catalog(const std::string& config, Output& err) {
    if (config.empty()) return std::vector<Tool>();
    // Nothing is started: what variables hold is of no interest.
    Result<McpConfig> read = read_mcp_config(PTC_TRY(read_file(config, kMostConfigBytes)),
                                             [](const std::string& name) { return std::optional(name); });
    if (!read.ok()) return invalid_request(config + ": " + read.error().message);
    Result<std::vector<Tool>> tools = read_mcp_catalog(mcp_catalog_file(config), read.value().servers);
    if (tools.ok()) {
        const auto is_of = [](const Tool& tool, const McpServer& server) {
            return tool.name.starts_with(mcp::program_name_of(server) + ".");
        };
        for (const McpServer& server : read.value().servers) {
            if (std::ranges::any_of(tools.value(), [&](const Tool& tool) { return is_of(tool, server); })) continue;
            const std::string name = quoted_excerpt(server.name);
            err.line(hides_all(mcp_catalog_file(config), server)
                         ? "ptcc: all tools of the MCP server " + name + " are hidden by what " + config +
                               " says of it (`includeTools`, `excludeTools` and the like)."
                         : "ptcc: no tools of the MCP server " + name + " are known so far; `ptcc eval --mcp " +
                               config + " nil` asks it.");
        }
        err.flush();
        return tools;
    }
    return invalid_request(config + ": it is not known yet which tools its servers have; `ptcc eval --mcp " + config +
                           " nil` asks them. " + tools.error().message);
}

Result<std::vector<Tool>> command_tools(const std::string& mcp, bool has_test_tools, bool requires_sandbox,
                                        Console& console) {
    std::vector<Tool> tools;
    if (has_test_tools) tools = test_tools();
    if (mcp.empty()) return tools;
    if (requires_sandbox)
        return invalid_request("--mcp starts programs and uses the network, which --require-sandbox forbids.");
    const std::shared_ptr<McpClient> client = PTC_TRY(connect_mcp(mcp, console, {.asks = true}));
    std::ranges::move(client->tools(), std::back_inserter(tools));
    return tools;
}

Datum with_mcp_rows(const Datum& row, const std::vector<Tool>& tools) {
    Datum::Map rows;
    for (const auto& [name, own] : row["tools"].entries()) {
        if (own["mcp"] != Datum(true)) rows.emplace_back(name, own);
    }
    const Datum own{Datum::Map(rows)};
    for (const Tool& tool : tools) {
        if (own.find(tool.name)) continue;
        std::vector<std::pair<std::string, Datum>> members = {{"mcp", true}, {"description", tool.description}};
        if (!tool.signature.empty()) members.emplace_back("signature", tool.signature);
        if (!tool.details.empty()) members.emplace_back("details", tool.details);
        if (tool.approval) members.emplace_back("approval", true);
        if (tool.keeps_keys) members.emplace_back("keeps_keys", true);
        Datum::List unwritten;
        for (const UnwrittenField& field : tool.unwritten)
            unwritten.push_back(Datum::object({{"path", field.path}, {"name", field.name}}));
        if (!unwritten.empty()) members.emplace_back("unwritten", Datum(std::move(unwritten)));
        Datum::List others(tool.other_arguments.begin(), tool.other_arguments.end());
        if (!others.empty()) members.emplace_back("other_arguments", Datum(std::move(others)));
        rows.emplace_back(Datum(tool.name), Datum::object(std::move(members)));
    }
    return with_member(row, "tools", Datum(std::move(rows)));
}

Result<Datum> with_mcp_tools(const Datum& row, const std::vector<Tool>& tools) {
    if (tools.empty()) return row;
    const Datum out = with_mcp_rows(row, tools);
    Datum::List families = row["builtin_tools"].items();
    const Datum search("tool_search");
    if (tools.size() <= kMostListed || std::ranges::find(families, search) != families.end()) return out;
    families.push_back(search);
    return with_member(out, "builtin_tools", Datum(std::move(families)));
}

void bind_mcp_tools(AgentOptions& options, const std::vector<Tool>& tools) {
    std::map<std::string_view, const Tool*> by_name;
    for (const Tool& tool : tools)
        by_name.emplace(tool.name, &tool);
    for (AgentTool& tool : options.tools) {
        const auto found = by_name.find(tool.tool.name);
        if (found == by_name.end() || !tool.is_fed) continue;
        tool.tool.context_function = found->second->context_function;
    }
}

void feed_mcp_tools(AgentOptions& options, const std::shared_ptr<McpClient>& upstream) {
    if (upstream) options.tool_feed = upstream->feed();
}

} // namespace ptc
