// `ptcc mcp`: checks the options, makes the host of programs and what is offered, and serves standard input.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/agent/program_name.h"
#include "subagent/engine/self_test.h"
#include "subagent/mcp/child_process.h"
#include "subagent/mcp/digest.h"
#include "tools/agent/agent_options.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/mcp_tools.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/mcp/http_service.h"
#include "tools/mcp/lisp_offer.h"
#include "tools/mcp/stdio.h"
#include "tools/run_options.h"
#include "tools/serve/http_access.h"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(A server of the Model Context Protocol. Transports: stdio, for a client that starts it by itself (Claude Desktop, Claude Code, Cursor,
Windsurf, VS Code, Codex: "command": "ptcc", "args": ["mcp"]), or streamable HTTP with --http, for any number of clients.
Revisions 2025-03-26 to 2026-07-28. Tools: lisp_eval, lisp_check, lisp_explain, lisp_reference; tools/README.md has the rest.

--upstream follows its servers: tools that change, and servers that come later, are offered from then on (list_changed). What they ask of
their user (elicitation) goes to the client in whose call they ask, if it has forms; otherwise it is declined, and the client told by a
message. --approve always or never answers in its place.

TOOLS.json is as for `ptcc agent`: what programs may call. A tool with "approval": true is called when the client's user says so;
the program stands still meanwhile. --state-key FILE keeps the key by which waiting programs are sealed, so that another process
can go on with them.

--http writes one line, `listening on http://127.0.0.1:PORT/mcp`, and serves until SIGINT or SIGTERM. Other addresses than the
loopback need --key-env.

SIGINT and SIGTERM end it: calls under way are cancelled, and programs of tools and servers killed. Over HTTP their clients are told so
(503); calls that do not end by that are left behind --grace-ms, or with a second signal.

Exit codes: 0 input ended, or stopped; 1 stopped, and answers were cut off; 2 wrong usage, a port that is taken, or output that
cannot be written.

Examples:
  ptcc mcp --data orders=orders.json
  ptcc mcp --tools tools.json --state-key ~/.ptcc_key
  PTC_KEY=.. ptcc mcp --http 0.0.0.0:8080 --key-env PTC_KEY)";

struct Options {
    std::string tools;
    std::vector<std::string> data;
    std::vector<std::string> preludes;
    std::string upstream;
    mcp::LispOptions lisp;
    mcp::ServerLimits server;
    mcp::MessageLimits messages;
    std::int64_t session_idle_ms = 3'600'000;
    std::int64_t approval_ms = 900'000;
    std::int64_t grace_ms = 10'000;
    std::optional<mcp::HttpRun> http;
    mcp::HttpServiceOptions service;
    std::string key_env;
    std::size_t max_connections = 1024;
    std::int64_t read_timeout_ms = 30'000;
};

constexpr std::chrono::milliseconds kCutOffPatience{2000}; ///< for calls to end that were stopped

/// Ends the process when what was stopped does not end: an output that nobody reads, a tool that hears nothing.
class LastResort {
public:
    LastResort() = default;
    ~LastResort() {
        {
            const std::scoped_lock lock(mutex_);
            is_over_ = true;
        }
        wakes_.notify_all();
        if (watch_.joinable()) watch_.join();
    }
    LastResort(const LastResort&) = delete;
    LastResort& operator=(const LastResort&) = delete;
    void arm(std::chrono::milliseconds patience) {
        watch_ = std::thread([this, patience] {
            std::unique_lock lock(mutex_);
            if (!wakes_.wait_for(lock, patience, [this] { return is_over_; })) ::_exit(kFailed);
        });
    }

private:
    std::mutex mutex_;
    std::condition_variable wakes_;
    bool is_over_ = false;
    std::thread watch_;
};

/// [HOST:]PORT, "[::1]:8080"
Result<mcp::HttpRun> read_address(const std::string& text) {
    mcp::HttpRun run;
    const std::size_t colon = text.rfind(':');
    const std::string port = text.substr(colon == std::string::npos ? 0 : colon + 1);
    if (colon != std::string::npos) run.host = text.substr(0, colon);
    if (run.host.size() > 2 && run.host.front() == '[' && run.host.back() == ']')
        run.host = run.host.substr(1, run.host.size() - 2);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), run.port);
    if (error != std::errc() || end != port.data() + port.size())
        return Error(Reason::InvalidRequest, "[HOST:]PORT, not `" + text + "`");
    return run;
}

/// The tools of TOOLS.json, with the programs that answer them.
Result<std::vector<Tool>> read_tool_file(const std::string& path, std::chrono::milliseconds timeout) {
    if (path.empty()) return std::vector<Tool>();
    const Datum rows = PTC_TRY(read_object(path));
    PartMakers makers = command_line_parts(timeout);
    const AgentOptions agent = PTC_TRY(read_agent(Datum::object({{"tools", rows}}), makers));
    std::vector<Tool> tools;
    for (const AgentTool& one : agent.tools) {
        if (one.agent || one.is_self)
            return Error(Reason::InvalidRequest,
                         path + ": the tool `" + one.tool.name + "` is an agent, which needs a mission.");
        if (!is_program_name(one.tool.name))
            return Error(Reason::InvalidRequest,
                         path + ": no program can write the name of the tool " + quoted_excerpt(one.tool.name) + ".");
        tools.push_back(one.tool);
    }
    return tools;
}

constexpr std::size_t kMostOptionBytes = std::size_t{64} << 20;

/// Of what is in the files; "" is none.
Result<std::string> digest_of_files(const std::vector<std::string>& paths) {
    std::string all;
    for (const std::string& path : paths) {
        const std::string text = path.empty() ? "" : PTC_TRY(read_file(path, kMostOptionBytes));
        all += std::to_string(text.size()) + ":" + text;
    }
    return mcp::sha256(all);
}

/// `own` and the tools of `upstream`, if there is one; of two with the same name that of TOOLS.json.
std::vector<Tool> joined_tools(const std::vector<Tool>& own, const std::shared_ptr<McpClient>& upstream) {
    std::vector<Tool> all = own;
    for (Tool& tool : upstream ? upstream->tools() : std::vector<Tool>()) {
        if (std::ranges::find(own, tool.name, &Tool::name) == own.end()) all.push_back(std::move(tool));
    }
    return all;
}

Result<std::shared_ptr<mcp::LispHost>> make_host(const Options& given, std::vector<Tool> tools) {
    mcp::LispOptions lisp = given.lisp;
    lisp.tools = std::move(tools);
    lisp.tools_digest = PTC_TRY(digest_of_files({given.tools, given.upstream}));
    lisp.max_message_bytes = given.messages.max_bytes;
    lisp.data = PTC_TRY(load_data(given.data));
    lisp.preludes = PTC_TRY(load_preludes(given.preludes));
    lisp.session_idle = std::chrono::milliseconds(given.session_idle_ms);
    lisp.approval_lifetime = std::chrono::milliseconds(given.approval_ms);
    return mcp::lisp_host(std::move(lisp));
}

/// What is done when the tools of upstream servers change: nothing before there is a server that offers them.
class ChangeRelay {
public:
    void call() {
        const std::scoped_lock lock(mutex_);
        if (action_) action_();
    }
    /// A call that is under way is waited for.
    void set(std::function<void()> action) {
        const std::scoped_lock lock(mutex_);
        action_ = std::move(action);
    }

private:
    std::mutex mutex_;
    std::function<void()> action_;
};

/// Whether the request shows what upstream servers have, or uses it.
bool needs_tools(const mcp::Message& request) {
    const mcp::MethodRow* const row = mcp::find_method(request.method);
    if (!row) return false;
    switch (row->method) {
    case mcp::Method::ToolsList:
    case mcp::Method::ToolsCall:
    case mcp::Method::ResourcesList:
    case mcp::Method::ResourcesTemplates:
    case mcp::Method::ResourcesRead:
    case mcp::Method::PromptsList:
    case mcp::Method::PromptsGet:
    case mcp::Method::Complete: return true;
    default: return false;
    }
}

/// Upstream servers start beside ours. Requests that show or use their tools wait for them, for kMcpStartTime after our
/// own start; a program that names some of them, `tool/NAME.`, waits for these, until they were asked.
class UpstreamStart {
public:
    UpstreamStart(std::shared_ptr<McpClient> upstream, std::shared_ptr<ChangeRelay> relay)
        : upstream_(std::move(upstream)), relay_(std::move(relay)) {
        teller_ = std::jthread([this](const std::stop_token& stop) {
            if (!upstream_->await_start(stop, never()) || are_programs_ending()) return;
            Output err(2); // the command's belongs to its thread
            (void)tell_mcp_servers(*upstream_, err);
        });
    }
    void await(mcp::Call& call) {
        if (is_over_ || !needs_tools(call.request())) return;
        call.stand_still(true);
        const std::string* const source = call.arguments()["source"].text();
        bool names_some = false;
        if (source)
            (void)upstream_->await_start(call.stop(), never(), [&](const std::string& name) {
                const bool is_named = source->find("tool/" + name + ".") != std::string::npos;
                names_some = names_some || is_named;
                return is_named;
            });
        const bool is_over = upstream_->await_start(call.stop(), names_some ? Clock::now() : until_);
        relay_->call(); // what is there now is offered before this call is carried out
        call.stand_still(false);
        has_shown_ = true;
        if (is_over) is_over_ = true;
    }
    /// Whether a client may have seen tools that change now.
    [[nodiscard]] bool has_shown() const { return has_shown_; }

private:
    using Clock = std::chrono::steady_clock;
    static Clock::time_point never() { return Clock::now() + std::chrono::hours(24); }

    const std::shared_ptr<McpClient> upstream_;
    const std::shared_ptr<ChangeRelay> relay_;
    const Clock::time_point until_ = Clock::now() + kMcpStartTime;
    std::atomic<bool> is_over_{false}, has_shown_{false};
    std::jthread teller_;
};

void make_changeable(mcp::Offer& offer, const std::shared_ptr<UpstreamStart>& start) {
    offer.can_change = true;
    offer.ttl_ms = 10'000;
    offer.settle = [start](mcp::Call& call) { start->await(call); };
}

/// Follows upstream servers: when their tools change, or one comes that was not there, the server offers the new ones
/// and tells its clients.
class UpstreamWatch {
public:
    UpstreamWatch(mcp::Server& server, std::shared_ptr<mcp::LispHost> host, std::vector<Tool> own,
                  std::shared_ptr<McpClient> upstream, std::shared_ptr<UpstreamStart> start,
                  std::shared_ptr<ChangeRelay> relay, std::size_t seen)
        : server_(server), host_(std::move(host)), own_(std::move(own)), upstream_(std::move(upstream)),
          start_(std::move(start)), relay_(std::move(relay)), seen_(seen) {
        if (!upstream_) return;
        relay_->set([this] { renew(); });
        relay_->call(); // of what has changed before
    }
    ~UpstreamWatch() { relay_->set({}); }
    UpstreamWatch(const UpstreamWatch&) = delete;
    UpstreamWatch& operator=(const UpstreamWatch&) = delete;

private:
    void renew() {
        // Before they are listed: what comes meanwhile is seen the next time.
        const std::size_t changes = upstream_->changes();
        if (std::exchange(seen_, changes) == changes) return;
        Result<std::shared_ptr<mcp::LispHost>> host = mcp::with_tools(*host_, joined_tools(own_, upstream_));
        if (!host.ok()) return;
        host_ = std::move(host).value();
        mcp::Offer offer = mcp::lisp_offer(host_);
        make_changeable(offer, start_);
        server_.replace(std::move(offer));
        if (!start_->has_shown()) return; // nobody knows what has changed
        server_.changed(mcp::Method::ToolsChanged);
        server_.changed(mcp::Method::ResourcesChanged);
    }

    mcp::Server& server_;
    std::shared_ptr<mcp::LispHost> host_;
    const std::vector<Tool> own_;
    const std::shared_ptr<McpClient> upstream_;
    const std::shared_ptr<UpstreamStart> start_;
    const std::shared_ptr<ChangeRelay> relay_;
    std::size_t seen_;
};

/// "https://example.com", with a path only where it `may_have_path`.
bool is_address(std::string_view text, bool may_have_path) {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos || scheme == 0) return false;
    const std::string_view rest = text.substr(scheme + 3);
    const auto is_odd = [](char c) { return c <= ' ' || c == '"' || c == '#' || c == 0x7F; };
    if (rest.empty() || rest.front() == '/' || std::ranges::any_of(text, is_odd)) return false;
    const std::string_view name = text.substr(0, scheme);
    if (may_have_path) return name == "https" || name == "http";
    return rest.find_first_of("/?@") == std::string_view::npos;
}

/// Addresses that nobody could use would be found out where nobody looks: a browser is refused, metadata are passed on.
Result<void> check_addresses(const mcp::HttpServiceOptions& service) {
    const auto wrong = [](const char* option, const std::string& text, const char* right) {
        return Error(Reason::InvalidRequest, std::string(option) + " " + quoted_excerpt(text) + ": " + right);
    };
    for (const std::string& origin : service.origins) {
        if (!is_address(origin, false)) return wrong("--origin", origin, "an origin is as https://app.example.com");
    }
    if (!service.resource.empty() && !is_address(service.resource, true))
        return wrong("--resource", service.resource, "an address is as https://mcp.example.com/mcp");
    for (const std::string& issuer : service.issuers) {
        if (!is_address(issuer, true)) return wrong("--issuer", issuer, "an address is as https://login.example.com");
    }
    return {};
}

int run(Options given, Console& console) {
    if (const Result<void> checked = check_addresses(given.service); !checked.ok())
        return console.usage_error(checked.error());
    if (!given.service.issuers.empty() && given.service.resource.empty())
        return console.usage_error(
            Error(Reason::InvalidRequest, "--issuer stands in the metadata of --resource URL, which is missing."));
    const auto relay = std::make_shared<ChangeRelay>();
    McpUse use{
        .approve = given.lisp.approve, .follows = true, .starts_beside = true, .on_change = [relay] { relay->call(); }};
    if (given.lisp.approve == "ask") use.elicit = mcp::forward_question;
    Console beside; // for threads that ask a person to agree, while answers go out by ours
    const Result<std::shared_ptr<McpClient>> upstream = connect_mcp(given.upstream, beside, use);
    if (!upstream.ok()) return console.usage_error(upstream.error());
    const Result<std::vector<Tool>> own = read_tool_file(given.tools, given.lisp.limits.timeout);
    if (!own.ok()) return console.usage_error(own.error());
    const std::size_t seen = upstream.value() ? upstream.value()->changes() : 0;
    const Result<std::shared_ptr<mcp::LispHost>> host = make_host(given, joined_tools(own.value(), upstream.value()));
    if (!host.ok()) return console.usage_error(host.error());
    if (const Result<void> tested = self_test(); !tested.ok()) return console.usage_error(tested.error());
    given.server.ask_timeout = std::chrono::milliseconds(given.approval_ms);
    given.server.max_held_bytes = std::max(given.server.max_held_bytes, 2 * given.messages.max_bytes);
    given.server.is_shared = given.http.has_value();
    LastResort last; // behind the server's end
    mcp::Offer offer = mcp::lisp_offer(host.value());
    std::shared_ptr<UpstreamStart> start;
    if (upstream.value()) {
        start = std::make_shared<UpstreamStart>(upstream.value(), relay);
        make_changeable(offer, start);
    }
    mcp::Server server(std::move(offer), given.server);
    const UpstreamWatch watch(server, host.value(), own.value(), upstream.value(), start, relay, seen);
    if (given.http) {
        Result<std::string> key = take_key(given.key_env);
        if (!key.ok()) return console.usage_error(key.error());
        given.service.key = std::move(key).value();
        given.service.messages = given.messages;
        given.service.session_idle = std::chrono::milliseconds(given.session_idle_ms);
        given.http->limits.max_connections = given.max_connections;
        given.http->limits.read_timeout = std::chrono::milliseconds(given.read_timeout_ms);
        given.service.max_streams = given.max_connections - given.max_connections / 4;
        given.http->grace = std::chrono::milliseconds(given.grace_ms);
        const Result<bool> served = mcp::serve_http(server, given.service, *given.http, console);
        if (!served.ok()) return console.usage_error(served.error());
        last.arm(kCutOffPatience);
        return served.value() ? kSuccess : kFailed;
    }
    const EndSignals signals; // over HTTP its server has its own
    const int status =
        mcp::serve_stdio(server, console, given.messages, std::chrono::milliseconds(given.grace_ms), signals);
    last.arm(kCutOffPatience);
    return status;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    options->lisp.limits.timeout = std::chrono::seconds(60);
    line.text("--tools", &options->tools, "What programs may call").value_name("TOOLS.json");
    line.text("--upstream", &options->upstream, "What they may call of other MCP servers: a file with \"mcpServers\"")
        .value_name("FILE");
    add_data_option(line, &options->data);
    add_prelude_option(line, &options->preludes);
    line.parsed(
            "--http",
            [options](const std::string& text) -> Result<void> {
                options->http = PTC_TRY(read_address(text));
                return {};
            },
            "Listens there, at /mcp, instead of standard input; on 127.0.0.1 unless HOST says otherwise")
        .value_name("[HOST:]PORT");
    line.text("--key-env", &options->key_env, "A variable of the environment that has the key for clients")
        .value_name("NAME");
    line.texts("--origin", &options->service.origins, "Of pages in browsers that may ask, besides this machine's")
        .value_name("URL");
    line.text("--resource", &options->service.resource, "This server's URL, in OAuth's metadata of it")
        .value_name("URL");
    line.texts("--issuer", &options->service.issuers, "An authorization server, in that metadata").value_name("URL");
    line.number("--max-connections", &options->max_connections,
                "More are answered 503; fewer where there are fewer descriptors [1024]")
        .range(std::size_t{1}, std::size_t{100'000});
    constexpr std::int64_t kMaxMillis = 1'000'000'000;
    line.number("--read-timeout-ms", &options->read_timeout_ms,
                "For a request over HTTP to arrive, and between two [30000]")
        .range(std::int64_t{1}, kMaxMillis);
    line.text("--approve", &options->lisp.approve, "Calls of tools that need approval: ask the client, or decide [ask]")
        .one_of({"never", "always", "ask"});
    line.text("--state-key", &options->lisp.key_file, "Holds the key that seals programs which wait; made when missing")
        .value_name("FILE");
    line.number("--approval-ms", &options->approval_ms, "For the client's user to say yes or no [900000]")
        .range(std::int64_t{1}, kMaxMillis);
    line.number("--max-sessions", &options->lisp.max_sessions,
                "Of programs, kept between calls; of the client that has most, the oldest go first [1000]")
        .range(std::size_t{1}, std::size_t{1'000'000});
    line.number("--session-idle-ms", &options->session_idle_ms,
                "After which a session, of a client or of programs, is gone [3600000]")
        .range(std::int64_t{1}, kMaxMillis);
    line.number("--max-calls", &options->server.max_threads,
                "At work at the same time, without those that wait for a tool or for their user [16]")
        .range(std::size_t{1}, std::size_t{1000});
    line.number("--max-message-bytes", &options->messages.max_bytes, "Of a request [8388608]")
        .range(std::size_t{1}, std::size_t{1} << 30);
    line.number("--max-result-bytes", &options->lisp.max_result_bytes,
                "Of an answer's value or error, JSON, prints and tool calls, each; what is longer is cut, and says so "
                "[1048576]")
        .range(std::size_t{1}, std::size_t{1} << 30);
    line.number("--grace-ms", &options->grace_ms,
                "For requests under way at the end of input, or over HTTP for cancelled ones to end [10000]")
        .range(std::int64_t{0}, kMaxMillis);
    add_limit_options(line, &options->lisp.limits);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kMcpCommand{"mcp", "Lets clients of the Model Context Protocol run programs.", declare};

} // namespace ptc
