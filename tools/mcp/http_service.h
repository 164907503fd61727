// The protocol over streamable HTTP, on the house's HTTP server: sessions by a header (revisions until 2025-11-25), or
// requests that stand for themselves (2026-07-28), on one path.
#pragma once
#include "tools/io.h"
#include "tools/mcp/server.h"
#include "tools/serve/http_server.h"
#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace ptc::mcp {

struct HttpServiceOptions {
    std::string path = "/mcp";
    std::string key{};                  ///< that clients must bring; "" for none
    std::vector<std::string> origins{}; ///< of pages that may ask, besides those of this machine on the loopback
    bool is_loopback = true;            ///< names of other hosts in requests are refused
    std::string resource{};             ///< the URL of this server, for OAuth's metadata (RFC 9728); "" for none
    std::vector<std::string> issuers{}; ///< authorization servers, in that metadata
    std::size_t max_sessions = 10'000;  ///< with more, the client that has most loses its oldest
    /// That sessions have for what belongs to no request; each is a connection. A client has its `share` at most.
    std::size_t max_streams = 768;
    std::chrono::milliseconds session_idle{3'600'000};
    std::chrono::milliseconds keep_alive{10'000}; ///< after so much silence a stream has a comment
    MessageLimits messages{};
};

class HttpOutlet;

/// `judge`, `handle` and `tick` are called on the thread of the HTTP server.
class HttpService : public std::enable_shared_from_this<HttpService> {
public:
    HttpService(Server& server, HttpServiceOptions options);
    [[nodiscard]] std::optional<HttpReply> judge(const HttpRequest& head) const;
    void handle(HttpRequest request, std::shared_ptr<HttpResponder> responder);
    void tick();
    /// Whether the server listens on the loopback only, once it is known.
    void set_loopback(bool is_loopback) { options_.is_loopback = is_loopback; }
    /// The body of an answer that the HTTP server gives by itself.
    static std::string error_body(int status, std::string_view message);

private:
    struct Session {
        PeerPtr peer;
        std::chrono::steady_clock::time_point last_used;
        std::string client{}; ///< HttpRequest::client of its beginning
    };
    using Sessions = std::map<std::string, Session>;
    [[nodiscard]] Sessions::iterator oldest_of_most(); ///< under the lock; there is one
    void post(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder);
    void take(const HttpRequest& request, Message message, const std::shared_ptr<HttpResponder>& responder);
    void take_stateless(const HttpRequest& request, Message message, const std::shared_ptr<HttpResponder>& responder);
    void begin_session(const HttpRequest& request, Message message, const std::shared_ptr<HttpResponder>& responder);
    void open_stream(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder);
    void end_session(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder);
    [[nodiscard]] std::variant<PeerPtr, HttpReply> session_of(const HttpRequest& request);
    [[nodiscard]] std::shared_ptr<HttpOutlet>
    outlet_for(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder, HttpHeaders headers);
    [[nodiscard]] bool is_own_origin(const HttpRequest& request) const;
    [[nodiscard]] std::string metadata_url() const;
    [[nodiscard]] std::string metadata_json() const;
    /// Of all clients: they have the one key, or are of this machine.
    [[nodiscard]] std::string principal() const;
    [[nodiscard]] bool is_metadata_path(std::string_view path) const;

    Server& server_;
    HttpServiceOptions options_;
    std::mutex mutex_;
    Sessions sessions_;
    struct Stream {
        std::string client{};
        std::weak_ptr<HttpOutlet> outlet{};
    };
    std::vector<Stream> streams_;
    std::vector<std::weak_ptr<HttpOutlet>> outlets_;
    Pool unread_bytes_; ///< of large bodies that have arrived
    Workers readers_;   ///< of large bodies; last: its threads use the rest
};

struct HttpRun {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0; ///< 0 takes a free one
    HttpLimits limits{};
    std::chrono::milliseconds grace{10'000};
};
/// Listens, writes `listening on http://HOST:PORT/mcp`, and serves until a signal. False when answers were cut off.
/// invalid_request: the address cannot be had, or needs a key.
Result<bool> serve_http(Server& server, HttpServiceOptions options, HttpRun run, Console& console);

} // namespace ptc::mcp
