// `ptcc serve`: checks the options, makes the agent and one set of models for each mission that may run at the same
// time, listens, and serves until a signal.
#include "frontend/try.h"
#include "ptc/template.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/shared_data.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/self_test.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/agent_setup.h"
#include "tools/agent/approval_prompt.h"
#include "tools/agent/mcp_tools.h"
#include "tools/command.h"
#include "tools/run_options.h"
#include "tools/serve/chat_service.h"
#include "tools/serve/http_access.h"
#include "tools/store/store_options.h"
#include "tools/store/stored_agent.h"
#include "tools/store/stored_chat.h"
#include <algorithm>
#include <thread>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Any client of OpenAI's can talk to the agent: POST /v1/chat/completions and /v1/responses (also as a stream), GET
/v1/models. The last message of the user is the mission's, earlier ones are its history; the reply is the result, a text as it
is, any other value as JSON. --prompt is what the agent reads about all missions. The agent's options are those of `ptcc
agent --help`; tools/README.md has what clients may send.

A tool with "approval": true in TOOLS.json is called when the user approves it: the assistant's message says what is to be called,
the user's next one `approve`, `approve` and other arguments as JSON, or why not. The mission waits in the server's memory meanwhile.

With --store each request is a mission of a store (`ptcc submit`), which any `ptcc worker` carries; the request waits for its result,
and the mission goes on when the client leaves. Its id is the answer's, and x-request-id of every answer. Approvals are given by
`ptcc missions approve`. Who still waits when the server is to stop is answered 503 (`mission_goes_on`) with the id, a second before
--grace-ms is over at the latest: `ptcc missions show ID` has the result.

Standard output has one line, `listening on http://127.0.0.1:PORT/v1`. SIGINT and SIGTERM end the server when the missions
under way are done, after --grace-ms at the latest. Without a key only programs of this machine are answered, and never pages
in browsers.

Exit codes: 0 stopped; 1 stopped, and missions were cut off; 2 wrong usage, or the port is taken.

Examples:
  ptcc serve --data orders=orders.json --llm 'cmd:python3 model.py' --port 8080
  PTC_KEY=.. ptcc serve --agent agent.json --llm 'cmd:python3 model.py' --host 0.0.0.0 --key-env PTC_KEY)";

struct Options {
    AgentArguments agent;
    std::string mcp;
    StoreArguments store;
    std::string queue = "default";
    bool is_openai = false;
    std::string name = "agent";
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;
    std::string key_env;
    std::size_t max_missions = 8;
    std::int64_t grace_ms = 10'000;
    std::int64_t keep_alive_ms = 10'000;
    std::int64_t read_timeout_ms = 30'000;
    HttpLimits http;
};

/// What the agent reads about all missions: the prompt, with the data in it. Its own prompt is each user's message.
Result<void> move_prompt(AgentOptions& options, const DataSets& data) {
    const Template prompt = PTC_TRY(Template::parse(options.prompt));
    const Datum shown = PTC_TRY(context_shown_by(prompt, Datum(Datum::Map()), data));
    const Expansion expansion = PTC_TRY(prompt.expand(public_view(shown)));
    if (!expansion.missing.empty())
        return invalid_request("The prompt names `" + expansion.missing.front() + "`, which is no name of --data.");
    // It becomes the agent's instructions, as in any chat, but is expanded once: no signature has its parameters.
    const bool is_plain = expansion.text.find("{{") == std::string::npos;
    options.prompt = is_plain && !expansion.text.empty() ? expansion.text : "Answer the user.";
    std::string& suffix = options.system_prompt.suffix;
    if (!is_plain) suffix += (suffix.empty() ? "" : "\n\n") + expansion.text;
    return {};
}

/// `upstream`: the servers of --mcp, or null.
Result<ChatServiceOptions> plan_service(const Options& given, const std::shared_ptr<McpClient>& upstream,
                                        Console& console) {
    ChatServiceOptions options;
    options.name = given.name;
    options.key = PTC_TRY(take_key(given.key_env));
    options.keep_alive = std::chrono::milliseconds(given.keep_alive_ms);
    options.trace_folder = given.agent.trace;
    if (!given.agent.approve.empty()) options.approve = given.agent.approve;
    if (!options.trace_folder.empty() && !is_folder(options.trace_folder))
        return invalid_request("There is no folder " + options.trace_folder + ".");
    AgentArguments arguments = given.agent;
    GivenReplies replies;
    for (std::size_t i = 0; i < given.max_missions; ++i) { // models of their own: they work side by side
        options.slots.push_back(PTC_TRY(read_mission_options(arguments, replies)));
        if (i > 0) options.slots[i].data = options.slots[0].data;
        arguments.data.clear();
    }
    const std::vector<Tool> tools = upstream ? upstream->tools() : std::vector<Tool>();
    const Datum row = PTC_TRY(with_mcp_tools(PTC_TRY(agent_row(given.agent)), tools));
    AgentOptions agent = PTC_TRY(agent_options_of(row, PTC_TRY(load_preludes(given.agent.preludes)), given.agent.limits,
                                                  command_line_parts(given.agent.limits.timeout)));
    feed_mcp_tools(agent, upstream);
    PTC_CHECK(check_prices(given.agent, agent));
    PTC_CHECK(move_prompt(agent, options.slots[0].data));
    if (!given.store.url.empty()) {
        bool has_key = false;
        std::shared_ptr<MissionStore> store = PTC_TRY(open_store(given.store, &has_key));
        const auto chat = std::make_shared<StoredChat>(PTC_TRY(stored_chat(given.agent, agent, std::move(store))));
        if (!has_key && StoredAgents::has_firewalled(chat->agent.to_json(), chat->context)) console.message(kInClear);
        chat->queue = given.queue;
        options.carry = [chat](const std::string& id, const ChatRequest& request, const std::string& signature,
                               const std::function<bool()>& is_unwanted) {
            return carry_in_store(*chat, id, request, signature, is_unwanted);
        };
    }
    options.agent = PTC_TRY(Agent::create(std::move(agent)));
    return options;
}

int run(Options given, Console& console) {
    if (given.agent.llm.empty()) return console.usage_error("--llm is required.");
    if (!given.mcp.empty() && !given.store.url.empty())
        return console.usage_error("--mcp cannot be used with --store: the missions are carried by workers.");
    const Result<std::shared_ptr<McpClient>> upstream =
        connect_mcp(given.mcp, console, {.approve = given.agent.approve, .follows = true, .waits_shortly = true});
    if (!upstream.ok()) return console.usage_error(upstream.error());
    Result<ChatServiceOptions> planned = plan_service(given, upstream.value(), console);
    if (!planned.ok()) return console.usage_error(planned.error());
    if (const Result<void> tested = self_test(); !tested.ok()) return console.usage_error(tested.error());
    ChatServiceOptions options = std::move(planned).value();
    const bool has_key = !options.key.empty();
    given.http.read_timeout = std::chrono::milliseconds(given.read_timeout_ms);
    std::shared_ptr<ChatService> service;
    const auto error_body = [](int status, std::string_view message) {
        return error_json({.status = status,
                           .type = status < 500 ? "invalid_request_error" : "server_error",
                           .message = std::string(message)});
    };
    Result<std::unique_ptr<HttpServer>> listening = HttpServer::listen(
        given.host, given.port, given.http, [&service](const HttpRequest& head) { return service->judge(head); },
        [&service](HttpRequest request, std::shared_ptr<HttpResponder> responder) {
            service->handle(std::move(request), std::move(responder));
        },
        error_body);
    if (!listening.ok()) return console.usage_error(listening.error());
    HttpServer& server = *listening.value();
    if (const Result<void> safe = check_reach(given.host, server.is_loopback(), has_key); !safe.ok())
        return console.usage_error(safe.error());
    options.is_loopback = server.is_loopback();
    service = std::make_shared<ChatService>(std::move(options));
    console.out.line("listening on http://" + address_text(given.host, server.port()) + "/v1");
    console.out.flush();
    server.every(std::chrono::milliseconds(std::max<std::int64_t>(given.keep_alive_ms / 4, 10)),
                 [&service] { service->tick(); });
    const std::chrono::milliseconds grace(given.grace_ms);
    const bool is_done = server.run(grace, [&] { service->leave(grace); });
    for (int i = 0; is_done && service->busy() > 0 && i < 1000; ++i) // what has answered is about to end
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // Threads of missions that were cut off still wait for their models.
    if (service->busy() > 0) std::_Exit(is_done ? kSuccess : kFailed);
    return is_done ? kSuccess : kFailed;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    line.flag("--openai", &options->is_openai, "The wires of OpenAI, which are all that there are: may be left out");
    add_agent_options(line, &options->agent);
    add_mcp_option(line, &options->mcp);
    line.text("--name", &options->name, "Of the agent, as clients call the model [agent]");
    line.text("--host", &options->host, "An IP address to listen on [127.0.0.1]");
    line.number("--port", &options->port, "0 takes a free one [8080]");
    line.text("--key-env", &options->key_env, "A variable of the environment that has the key for clients")
        .value_name("NAME");
    line.number("--max-missions", &options->max_missions, "At the same time; more are answered 429 [8]")
        .range(std::size_t{1}, std::size_t{1000});
    line.number("--max-connections", &options->http.max_connections,
                "More are answered 503; fewer where there are fewer descriptors [128]")
        .range(std::size_t{1}, std::size_t{100'000});
    line.number("--max-body-bytes", &options->http.max_body_bytes, "Of a request [8388608]")
        .range(std::size_t{1}, std::size_t{1} << 30);
    constexpr std::int64_t kMaxMillis = 1'000'000'000;
    line.number("--read-timeout-ms", &options->read_timeout_ms, "For a request to arrive, and between two [30000]")
        .range(std::int64_t{1}, kMaxMillis);
    line.number("--keep-alive-ms", &options->keep_alive_ms, "Silence after which a stream has a comment [10000]")
        .range(std::int64_t{1}, kMaxMillis);
    line.number("--grace-ms", &options->grace_ms, "For missions under way when the server is to stop [10000]")
        .range(std::int64_t{0}, kMaxMillis);
    add_store_options(line, &options->store);
    line.text("--queue", &options->queue, "Of the store, for the missions of this server [default]");
    add_approve_option(line, &options->agent.approve,
                       "Calls of tools that need approval: ask does so in the chat [ask]");
    line.text("--trace", &options->agent.trace, "Writes the trace of each mission there, as ID.jsonl")
        .value_name("FOLDER")
        .not_empty();
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kServeCommand{"serve", "Lets clients of chat models talk to an agent.", declare};

} // namespace ptc
