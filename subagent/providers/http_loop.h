// HTTP over libcurl, as clients of models need it: POSTs, any number at once on one thread, whose answers are handed
// over as they arrive, and which end in time. Clients of MCP servers send other methods, too.
#pragma once
#include "ptc/shared_function.h"
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptc {

/// What is sent. (The server of tools has an HttpRequest: names of both are linked into one program.)
struct HttpPost {
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::string method{}; ///< "": POST; GET, DELETE and the like have no body
    std::chrono::steady_clock::time_point deadline;
    std::chrono::milliseconds connect_timeout{0};
    std::optional<std::chrono::milliseconds> idle_timeout{}; ///< without a byte from the server
    std::string ca_file{};                                   ///< "": the system's
    bool is_direct = false;                                  ///< no proxy, whatever the environment says
    bool wants_head = false;              ///< the sink is called when the headers are there, without bytes
    std::stop_token stop{};               ///< ends the call at once
    SharedFunction<bool()> is_unwanted{}; ///< asked 40 times a second; true: the call ends at once
};

/// Status and headers.
struct HttpHead {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers{}; ///< names in lower case
    /// The last value of a header; "" when there is none.
    [[nodiscard]] std::string_view find(std::string_view name) const;
};

/// Why there is no answer, or only a part of one.
struct HttpFault {
    enum class Kind : std::uint8_t { Timeout, Network, Tls, Cancelled, TooLarge };
    Kind kind = Kind::Network;
    std::string message;
};

/// The next bytes of the body. False: that is enough, the rest is not waited for.
using HttpSink = std::function<bool(const HttpHead& head, std::string_view bytes)>;

/// How a POST ended.
using HttpOutcome = std::variant<HttpHead, HttpFault>;

/// POSTs under way. Belongs to one thread at a time, but for `wake` and stops that are requested; all that it calls, it
/// calls in `start` and `wait`. Keeps connections for later POSTs. Certificates are verified, redirects not followed,
/// no signal is sent or needed. May be made and waited for without libcurl; `start` needs it.
class HttpLoop {
public:
    HttpLoop();
    ~HttpLoop(); ///< what is under way is aborted
    HttpLoop(const HttpLoop&) = delete;
    HttpLoop& operator=(const HttpLoop&) = delete;

    /// `id`, of the caller's choice, is not under way yet.
    void start(std::uint64_t id, HttpPost request, HttpSink sink);
    /// Aborts it and closes its connection; no end of it is told.
    void cancel(std::uint64_t id);
    struct End {
        std::uint64_t id;
        HttpOutcome outcome;
    };
    /// Lets transfers go on until one has ended, `wake` is called, or the time is over.
    [[nodiscard]] std::vector<End> wait(std::chrono::milliseconds timeout);
    void wake(); ///< from any thread: `wait` returns, the next one if there is none
    [[nodiscard]] bool is_idle() const { return transfers_.empty(); }

    /// For loops of others: ready to be read when `wait(0)` has something to do; none of theirs to read or to close.
    [[nodiscard]] int descriptor() const { return poll_; }
    /// When `wait(0)` has something to do although nothing comes: none for never.
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const;

private:
    struct Transfer;
    struct Callbacks; ///< of libcurl
    void act(std::chrono::milliseconds timeout);
    void hand_over();
    void finish(Transfer& transfer, HttpOutcome outcome);
    void read_results();
    void look_after();

    void* multi_ = nullptr; ///< a CURLM
    int poll_ = -1;         ///< an epoll of all sockets and `event_`
    int event_ = -1;
    bool is_woken_ = false;
    std::atomic<bool> has_stop_{false};                            ///< a token has stopped
    std::optional<std::chrono::steady_clock::time_point> timer_{}; ///< libcurl's
    std::chrono::steady_clock::time_point next_look_{};            ///< of ours after transfers
    std::map<std::uint64_t, std::unique_ptr<Transfer>> transfers_;
    std::vector<Transfer*> arrived_; ///< have bytes that their sinks have not seen
    std::vector<End> ends_;
};

} // namespace ptc
