// A server of the Model Context Protocol, whatever its messages come by: who may say what when, and to whom answers go.
#pragma once
#include "tools/mcp/offer.h"
#include "tools/mcp/pool.h"
#include "tools/mcp/workers.h"
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

namespace ptc::mcp {

/// Where what belongs to one message goes. May be used on any thread and outlive its client.
class Outlet {
public:
    virtual ~Outlet() = default;
    /// Before the answer. False: the client cannot get it.
    virtual bool send(std::string message) = 0;
    /// The answer. `status` is that of HTTP.
    virtual void finish(std::string message, int status) = 0;
    /// No answer will come: the request was cancelled.
    virtual void drop() = 0;
    /// Nobody waits for the answer any more.
    [[nodiscard]] virtual bool is_gone() const = 0;
};
using OutletPtr = std::shared_ptr<Outlet>;

struct ServerLimits {
    std::size_t max_threads = 16;
    /// By clients that know nothing of each other: none has more than its `share` of the calls at work, of those that
    /// wait for a thread, of those that wait for tools and answers, of what is held, of questions and of listeners; no
    /// session of it more than its share of that.
    bool is_shared = false;
    std::size_t max_in_tools = 256; ///< calls that wait for tools, beside those at work and those that wait for answers
    std::size_t max_waiting = 256;  ///< requests, for a thread
    std::size_t max_of_client = 64; ///< requests of one session under way
    std::size_t max_asked = 256;    ///< questions to clients that nobody has answered yet
    /// Of messages that wait or are carried out, as they came. Read, one may take many times as much.
    std::size_t max_held_bytes = std::size_t{32} << 20;
    std::size_t max_listening = 256;
    std::chrono::milliseconds ask_timeout{300'000}; ///< for a client to answer what it is asked
};

/// Of what a client says that it can do, as JSON: a session keeps it as long as it lives.
constexpr std::size_t kMostCapabilityBytes = 4096;

class RunningCall;

/// One client: of a session, of standard input, or, without sessions, of one request.
struct Peer {
    explicit Peer(std::string who, ClientName counted_as = {})
        : principal(std::move(who)), client(std::move(counted_as)) {}
    const std::string principal;
    const ClientName client; ///< as it is counted where something is shared
    std::mutex mutex{};
    // Under the lock:
    std::optional<Revision> revision{}; ///< that a session has agreed on
    Datum capabilities{};
    std::size_t log_level = 1;                                   ///< of kLogLevels
    std::map<std::string, std::shared_ptr<RunningCall>> calls{}; ///< by the JSON of their ids
    std::map<std::int64_t, std::shared_ptr<RunningCall>>
        asked{}; ///< by the ids of questions, none of which comes again
    std::int64_t last_asked = 0;
    bool can_answer = true;                             ///< messages of it still come
    std::set<std::string, std::less<>> subscriptions{}; ///< URIs
    OutletPtr stream{};                                 ///< for what belongs to no request
    bool is_closed = false;
};
using PeerPtr = std::shared_ptr<Peer>;

/// The answer to a revision that is not spoken: which ones are.
RpcError unsupported_version(const std::string& requested);

/// `receive` and `tick` may be called by any thread. They wait for nothing but the outlets, which may have to write.
class Server {
public:
    Server(Offer offer, ServerLimits limits);
    /// Waits for the calls under way, which are stopped.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Answers a request by `outlet`, now or later. Notifications and answers need none. `bytes`: of the message, as it
    /// came.
    void receive(const PeerPtr& peer, Message message, const OutletPtr& outlet, std::size_t bytes);
    /// Nothing more will come from the client: what it is asked stays unanswered.
    void end_input(const PeerPtr& peer);
    /// The client has gone: what it waits for is stopped.
    void close(const PeerPtr& peer);
    /// Stops calls whose clients have gone; to be called a few times a second.
    void tick();
    /// One of the notifications `list_changed`: who listens is told.
    void changed(Method notification);
    void updated(const std::string& uri);
    /// Ends what only ends with the server, streams of those who listen, and stops the calls under way, whose clients
    /// are told so. Gives how many these are; from now on none begins.
    std::size_t stop();
    /// Answers requests from now on; those under way keep the offer with which they began. `can_change` and
    /// `can_update` stay what they were. Tell clients by `changed`.
    void replace(Offer offer);
    /// Of a tool that wants arguments in headers, too; "" of others, and of what is none.
    [[nodiscard]] std::string schema_with_headers(const std::string& tool) const;
    /// Of streams that belong to sessions.
    void add_session(const PeerPtr& peer);

private:
    friend class RunningCall;
    struct Listener {
        std::weak_ptr<Peer> peer;
        OutletPtr outlet;
        Datum id;
        Datum filter;
        Pool::Part part;
    };
    void take_request(const PeerPtr& peer, Message message, const OutletPtr& outlet, std::size_t bytes);
    void take_notification(const PeerPtr& peer, const Message& message);
    void take_answer(const PeerPtr& peer, Message message);
    std::optional<RpcError> admit(Peer& peer, const Message& message, Revision& revision, Datum& capabilities) const;
    static Answer initialize(RunningCall& call);
    void listen(const PeerPtr& peer, const Message& message, const OutletPtr& outlet);
    void begin(const PeerPtr& peer, const std::shared_ptr<RunningCall>& call);
    static Answer carry_out(RunningCall& call);
    static Answer carry_out_other(RunningCall& call, Method method);
    [[nodiscard]] static Answer call_tool(RunningCall& call);
    [[nodiscard]] static Answer read_resource(RunningCall& call);
    [[nodiscard]] static std::string finished(const RunningCall& call, const Answer& answer);
    void forget(RunningCall& call);
    void finish(RunningCall& call, const Answer& answer);
    void stop_call(const std::shared_ptr<RunningCall>& call);
    void stop_listening();
    [[nodiscard]] std::vector<std::shared_ptr<RunningCall>> calls();
    void notify_all(Method method, const Datum& params, std::string_view wanted, const std::string* uri);

    [[nodiscard]] std::shared_ptr<const Offer> offer() const;

    mutable std::mutex offer_mutex_; ///< of `offer_`, which points to what never changes
    std::shared_ptr<const Offer> offer_;
    const ServerLimits limits_;
    std::mutex mutex_;
    Pool listening_;
    std::vector<Listener> listeners_;
    std::vector<std::weak_ptr<Peer>> sessions_;
    std::vector<std::weak_ptr<RunningCall>> calls_;
    bool is_stopping_ = false;
    Pool held_bytes_;
    Pool asked_;
    Workers workers_; ///< last: its threads use the rest
};

} // namespace ptc::mcp
