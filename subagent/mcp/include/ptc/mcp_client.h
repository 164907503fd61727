// Tools of Model Context Protocol servers, for programs and agents:
//
//   ptc::McpConfig config = ptc::read_mcp_config(text).value(); // {"mcpServers": {"files": {"command": "npx", ..}}}
//   auto upstream = ptc::McpClient::connect({.servers = config.servers});
//   ptc::Engine engine({.tools = upstream.value()->tools()});    // (tool/files.read_text_file {:path "a.txt"})
//
// Not part of <ptc/ptc.h>: link ptc::mcp.
#pragma once
#include "ptc/shared_function.h"
#include "ptc/tool_feed.h"
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

/// Who we are at the authorization server of one server over HTTP, and what is asked of it. Members that are empty are
/// those of McpOptions; a `client_id` is used without the secret and the issuer of these.
struct McpOAuth {
    std::string client_id{}; ///< known there already: at `issuer`, or the one that the server names first, and no other
    std::string client_secret{};
    /// The only authorization server that is asked for anything. "": the one that the server names; a secret is sent to
    /// such a one only where it is of the server's own host or of one below the same registered name.
    std::string issuer{};
    std::string client_metadata_url{};
    std::string redirect_uri{};        ///< where the person is sent back to
    std::vector<std::string> scopes{}; ///< instead of those that the server's metadata list
};

/// A server to connect to: a program that is started, or an address.
struct McpServer {
    std::string name{}; ///< its tools are called NAME.TOOL
    /// NAME in programs, where that is another one: read_mcp_config gives one to each of several whose names programs
    /// would write in the same way. "": what cannot be written in `name` is replaced.
    std::string program_name{};
    std::vector<std::string> command{}; ///< the program and its arguments: spoken with over its standard streams
    std::string program{};              ///< as messages call it, where `command` has secrets in it
    /// What the program gets beside what all get of ours: how to find programs, folders and the language.
    std::vector<std::pair<std::string, std::string>> environment{};
    std::string folder{};                                       ///< for the program to work in; "": ours
    std::string url{};                                          ///< instead of `command`: streamable HTTP
    std::vector<std::pair<std::string, std::string>> headers{}; ///< of every request over HTTP
    /// A program and its arguments that prints further headers, a JSON object of texts, which come before those of the
    /// same name: run when it is connected with, and once more when the server is not content (HTTP 401). It gets what
    /// servers that are programs get of our environment, CLAUDE_CODE_MCP_SERVER_NAME and CLAUDE_CODE_MCP_SERVER_URL,
    /// and `environment`. One that requests have by themselves, as Host and Content-Length, is a failure of it.
    std::vector<std::string> headers_command{};
    std::chrono::milliseconds headers_timeout{10'000};
    McpOAuth oauth{};                          ///< where such a server wants a token
    std::string revision{};                    ///< of the protocol; "": agreed on with the server
    std::chrono::milliseconds timeout{60'000}; ///< of a call, at most
    /// To start and to list its tools; none: McpOptions::connect_timeout.
    std::optional<std::chrono::milliseconds> connect_timeout{};
    bool approval = false; ///< calls of all tools need it: see Tool::approval
    /// Calls of these need it, and of these never; by the names that the server gives them.
    std::vector<std::string> tools_to_approve{};
    std::vector<std::string> tools_not_to_approve{};
    /// Nobody has others than these, unless there is no list, nor these; by the names that the server gives them.
    std::optional<std::vector<std::string>> only_tools{};
    std::vector<std::string> hidden_tools{};
    /// That it may ask the user in one call; those that it asks beyond are cancelled.
    std::size_t max_questions = 20;
    bool keeps_text = false; ///< a lone text stays one, also where it is JSON
};

struct McpConfig {
    std::vector<McpServer> servers{};
    std::vector<std::string> notices{}; ///< sentences: what was passed over, and why
};

/// A config file as other clients have it: {"mcpServers": {NAME: {"command", "args", "env", "cwd"} or {"url",
/// "headers"}}}, `servers` or `context_servers` instead of `mcpServers` as well, all within `mcp`, or `mcp` itself;
/// `command` may be a list, or an object of `path`, `args` and `env`; `env` may be called `environment` and have lines
/// of an `envFile` before it. Comments and commas before closing brackets are allowed. ${NAME} and ${NAME:-otherwise}
/// are replaced by what `variable` gives, by default the environment, and so is $NAME in `env` and `headers` if there
/// is such a variable. What an editor asks for, ${input:api-key}, is the variable API_KEY; ${userHome} is HOME, and
/// ${workspaceFolder} PWD. `includeTools` and `excludeTools`, also as enabledTools, disabledTools, enabled_tools or
/// disabled_tools, say which tools there are. `oauth`, also as `auth`, has clientId, clientSecret, scopes, redirectUri
/// or callbackPort, clientMetadataUrl, and issuer, in any spelling (client_id, CLIENT_ID); where its server is asked
/// for a token is found out, so that other addresses in there get a notice. `headersHelper` is a command of the shell,
/// whose ${NAME} the shell replaces (it gets the variables that are named there), or an object of `command` (a list,
/// too), `environment` and `timeout` (milliseconds): McpServer::headers_command. Where a file says what needs no
/// approval (`autoApprove`, `alwaysAllow`: no more is read of it), a `timeout` of at most 3600 counts seconds. Of our
/// own members, which others pass over: "approval" (true, a list of tools, or all but some: {"except": [..]}),
/// "timeout" (milliseconds: of a call, and to start), "questions" (that it may ask the user in one call), "revision",
/// "jsonText" ("keep"). Servers with "disabled": true are left out, and so is one that is wrong or names a variable
/// that is not there, with a notice; members that are not known are passed over. Names that programs would write in the
/// same way, "my server" and "my-server", get a number, whoever of them is left out: McpServer::program_name.
/// invalid_request: no server is left, and why the first one is not.
Result<McpConfig> read_mcp_config(std::string_view json,
                                  SharedFunction<std::optional<std::string>(const std::string& name)> variable = {});

/// Where a server sends a person who is to say that we may use it (OAuth).
struct McpAuthorization {
    std::string server{};
    std::string url{};          ///< to be opened by the person
    std::string redirect_uri{}; ///< where the person is sent back to
};

/// What a server asks of the user in the middle of a call.
struct McpQuestion {
    const std::string& server; ///< its name in the configuration
    const Datum& request;      ///< the parameters of `elicitation/create`
    /// Of the call in which it asks. Null where that cannot be known: before 2026-07-28 a program says what it asks,
    /// and not for which of the calls that are under way.
    const ToolContext* context = nullptr;
};

struct McpOptions {
    std::vector<McpServer> servers{};
    /// Answers questions, by the result of `elicitation/create`: {"action": "accept", "content": {..}} or {"action":
    /// "decline"}. None: servers know that they cannot ask. Called on the threads of tools, for
    /// McpServer::max_questions of one call; an error cancels the question.
    SharedFunction<Result<Datum>(const McpQuestion& question)> elicit{};
    /// Sends the person to the address and gives the one to which they came back. None: servers that need it fail, but
    /// for those whose authorization server gives tokens to a client with a secret by itself (client_credentials).
    /// Called on the thread whose connection or call needs it, which waits; by several at once for several servers.
    SharedFunction<Result<std::string>(const McpAuthorization& request)> authorize{};
    /// Where the person is sent back to.
    std::string redirect_uri = "http://127.0.0.1:8765/callback";
    /// The client's metadata document, for authorization servers that take its address as the client's id.
    std::string client_metadata_url{};
    /// Known at the authorization server `client_issuer` already; of another one they are not used. "": of the one that
    /// the server names when they are first used, and of no other one then (`token_file` remembers it); where there is
    /// a secret that is for one server over HTTP only, and for an authorization server of its site: see
    /// McpOAuth::issuer.
    std::string client_id{};
    std::string client_secret{};
    std::string client_issuer{};
    /// Keeps tokens from one process to the next, for the owner of the file alone; "": not kept.
    std::string token_file{};
    /// Keeps what servers offer, and what their results look like: see McpClient::connect. "": not kept.
    std::string catalog_file{};
    std::chrono::milliseconds connect_timeout{30'000}; ///< of each server that has none of its own
    /// Follows the servers, on a thread of the client's: those that say that their tools have changed are asked for
    /// them at once, those that are not there after 1 s, then 2, 4 .. 64 s. Otherwise they are asked by who calls
    /// `tools`, `ask_again` or a tool.
    bool follows = false;
    /// `connect` waits for no server: they start beside it, and `await_start` waits for them. `changes` grows when one
    /// is there. With `follows` only.
    bool starts_beside = false;
    /// Called where a server could not be started that way: why, as `problems` has it. On a thread of the client's.
    SharedFunction<void(const std::string& problem)> on_problem{};
    /// Called on that thread when `changes` has grown. An exception is dropped.
    SharedFunction<void()> on_change{};
};

/// A tool as its server lists it, within the bounds of what is kept.
struct McpListedTool {
    std::string server{};
    std::string name{}; ///< the server's own
    std::string description{};
    std::string input_schema{};  ///< JSON Schema with all that it says: a signature says less
    std::string output_schema{}; ///< "" when there is none
};

/// Connections to servers, and their tools. Any number of threads may use it; it lives until the last of its tools is
/// gone. Programs of servers end with it, and what they started. A server that ends is started again by the next call,
/// five times in a minute at most; what it was doing is a tool_error of the call, as is all else that goes wrong there.
class McpClient {
public:
    /// Asks all servers at the same time for their tools. One that cannot be asked is in `problems`; its tools are
    /// those of `catalog_file`, if it has any, and calls of them try again. invalid_request: a server without name,
    /// command and address, or two of one name.
    static Result<std::shared_ptr<McpClient>> connect(McpOptions options);
    ~McpClient();
    McpClient(const McpClient&) = delete;
    McpClient& operator=(const McpClient&) = delete;

    /// As they are now: servers may change them, of which `changes` counts. In the order of the servers, and of their
    /// lists. What a server says of a tool is quoted in its description, on one line and bounded. Calls wait on the
    /// thread that makes them, for `McpServer::timeout` or the end of the program's time, whichever is first.
    /// A tool that the server has no more is a tool_error of its call. So is one that the server has changed since its
    /// call was approved, or that needs approval now and did not when it was given here. What results look like is
    /// learnt where the server declares no type: their names of fields are Tool::seen_result, and Tool::description_now
    /// has the hint that prompts give.
    [[nodiscard]] std::vector<Tool> tools(const std::stop_token& stop = {}) const;
    /// What the server says of the tool that programs call `name` ("files.read_text_file"). None: there is no such
    /// tool.
    [[nodiscard]] std::optional<McpListedTool> listed(std::string_view name) const;
    /// The same for agents whose missions are to have what changes (AgentOptions::tool_feed).
    [[nodiscard]] ToolFeed feed() const;
    /// Waits, until `deadline` or `stop`, for servers that are being asked for the first time (starts_beside): all, or
    /// those of which `is_meant` is true, by the names that programs have for them. Whether none of these is left.
    bool await_start(const std::stop_token& stop, std::chrono::steady_clock::time_point deadline,
                     const SharedFunction<bool(const std::string& name)>& is_meant = {}) const;
    /// The names of those that are being asked for the first time.
    [[nodiscard]] std::vector<std::string> starting() const;
    /// Asks servers that are not there, and those whose tools have changed, for their tools, until `stop`.
    void ask_again(const std::stop_token& stop = {}) const;
    /// Grows when `tools` may give others: a server says that its own have changed, or one came that was not there.
    [[nodiscard]] std::size_t changes() const;
    /// Servers that are not there: why, in sentences that have the server's name in backticks.
    [[nodiscard]] std::vector<std::string> problems() const;
    /// What was changed or left out: names that programs cannot write, schemas that no signature says.
    [[nodiscard]] std::vector<std::string> notices() const;

private:
    struct Impl;
    explicit McpClient(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

/// The tools that `servers` have by a catalogue that `McpClient::connect` kept, without any server: for checking
/// programs. Which tools there are, and which need approval, is what `servers` say now, not when it was made. They have
/// no function. Where a server declares no type of results, the names of fields that were seen are Tool::seen_result,
/// so that reading other ones is warned of. invalid_request: there is no such file, or it is none.
Result<std::vector<Tool>> read_mcp_catalog(const std::string& path, std::span<const McpServer> servers);

} // namespace ptc
