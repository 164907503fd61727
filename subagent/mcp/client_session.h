// What is said with one upstream server: which revision, who we are, its tools, calls. Over any transport.
#pragma once
#include "subagent/mcp/client_transport.h"
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace ptc::mcp {

/// A tool as its server lists it. Nothing in it is trusted.
struct ListedTool {
    std::string name;
    std::string description;
    std::string input_schema;  ///< JSON
    std::string output_schema; ///< JSON; "" when there is none
    bool is_read_only = false; ///< says the server
};

struct Listing {
    std::vector<ListedTool> tools;
    std::vector<std::string> notices; ///< of what was left out, and why
};

/// What the host answers when a server asks for something.
struct SessionHost {
    SharedFunction<Result<Datum>(const McpQuestion& question)>
        elicit{}; ///< none: servers are not told that they may ask
    std::function<void()> on_tools_changed{};
};

/// May be used by several threads at once. Connects with the first request, and again when the server has ended.
class Session {
public:
    Session(McpServer server, SessionHost host, std::shared_ptr<Authorizer> authorizer);
    ~Session();

    /// Nothing when it is connected.
    std::optional<Failure> connect(const CallTerms& terms);
    /// All pages.
    std::variant<Listing, Failure> list_tools(const CallTerms& terms);
    /// `input_schema` says which arguments are headers, too.
    Answer call_tool(const std::string& name, const Datum& arguments, std::string_view input_schema,
                     const CallTerms& terms);
    Answer request(Outgoing request, const CallTerms& given);
    void close();
    [[nodiscard]] const McpServer& server() const { return server_; }
    /// What the server says of itself; only for people.
    [[nodiscard]] std::string instructions() const;

private:
    std::optional<Failure> negotiate(const CallTerms& terms);
    std::optional<Failure> discover(const CallTerms& terms, bool& is_old);
    std::optional<Failure> initialize(const CallTerms& terms);
    Answer send(Outgoing& request, const CallTerms& terms);
    std::string answer_server(const Message& request, Questions& questions);
    void hear(const Message& notification);
    void listen(const std::stop_token& stop);
    [[nodiscard]] Datum capabilities() const;
    [[nodiscard]] Datum ask_host(const Datum& request, Questions& questions) const;
    [[nodiscard]] Datum input_responses(const Datum& requests, Questions& questions,
                                        std::optional<Failure>& failed) const;

    const McpServer server_;
    const SessionHost host_;
    std::timed_mutex connecting_;
    std::atomic<bool> is_connected_{false};
    std::atomic<std::int64_t> last_id_{0};
    mutable std::mutex mutex_; ///< of what follows
    std::optional<Revision> revision_;
    std::string instructions_;
    std::map<std::int64_t, SharedFunction<void(Datum)>> progress_;
    std::unique_ptr<Transport> transport_; ///< its threads use what stands above
    std::jthread listening_;               ///< to changes, since 2026-07-28
};

} // namespace ptc::mcp
