// An HTTP/1.1 server for few routes and long answers, on Boost.Beast, which only http_server.cpp includes.
#pragma once
#include "ptc/result.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// Of a Host header: "[::1]:8080" is ::1, "localhost:8080" localhost; "" is what has another form.
std::string host_name(const std::string& host);

struct HttpRequest {
    std::string method;
    std::string path; ///< without the query
    std::string host; ///< of the Host header, in small letters, without the port; "" when it is malformed
    /// Whom the network shows as the client: the address at the other end of the connection, or, as IPv6 gives one
    /// client very many, the first half of it ("2001:db8:1:2::").
    std::string client;
    bool is_of_a_page = false; ///< a browser sent it for a page: it has an Origin, or a Sec-Fetch-Site but `none`
    std::string authorization;
    std::string body;
    HttpHeaders headers{}; ///< with HttpLimits::keeps_headers: all of them, the names in small letters
    /// The value of a header, by its name in small letters; null when there is none.
    [[nodiscard]] const std::string* header(std::string_view name) const;
};

struct HttpReply {
    int status = 200;
    std::string body{}; ///< JSON; "" for none
    HttpHeaders headers{};
};

/// Where the answer to one request goes. May be used on any thread, and outlive the connection: then nothing happens.
/// Either `reply` once, or `begin_stream`, `send` and `end_stream`. Whoever drops it without an answer closes the
/// connection.
class HttpResponder {
public:
    virtual ~HttpResponder() = default;
    virtual void reply(HttpReply reply) = 0;
    /// Answers 200 with a stream of server-sent events.
    virtual void begin_stream(HttpHeaders headers) = 0;
    virtual void send(std::string bytes) = 0;
    virtual void end_stream() = 0;
    /// Stops, on the server's thread, when the client is gone, has closed its direction of the connection, or does not
    /// read what it is sent: nobody may be waiting for the answer. One that is given all the same is sent if it can be.
    [[nodiscard]] virtual std::stop_token gone() const = 0;
    [[nodiscard]] bool is_gone() const { return gone().stop_requested(); }
};

struct HttpLimits {
    std::size_t max_body_bytes = std::size_t{8} << 20;
    std::size_t max_header_bytes = std::size_t{32} << 10;
    /// When there are more, one that waits for its client ends: the oldest of the address that has most. More that are
    /// answered at once are refused with 503.
    /// Fewer where the process may not have as many descriptors.
    std::size_t max_connections = 128;
    /// Of bodies that are on their way. When there are more, connections end as above.
    std::size_t max_arriving_bytes = std::size_t{64} << 20;
    std::size_t max_unsent_bytes = std::size_t{64} << 20; ///< of one answer; a client that reads too slowly is left
    /// Of all answers that their clients have not taken. When there are more, connections end: of the address that has
    /// most of it the one that has most, unless it is the only one that has any.
    std::size_t max_unsent_of_all = std::size_t{256} << 20;
    bool keeps_headers = false;                      ///< HttpRequest::headers
    std::chrono::milliseconds read_timeout{30'000};  ///< for a whole request, and between two
    std::chrono::milliseconds write_timeout{30'000}; ///< for the client to take 256 KiB of an answer
};

/// Judges a request before its body is read: an answer refuses it, and ends the connection when a body follows. On the
/// server's thread: must not block.
using HttpGate = std::function<std::optional<HttpReply>(const HttpRequest& head)>;
/// Called on the server's thread: must not block.
using HttpHandler = std::function<void(HttpRequest request, std::shared_ptr<HttpResponder> responder)>;
/// The body of an answer that the server gives by itself, e.g. 413.
using HttpErrorBody = std::function<std::string(int status, std::string_view message)>;

/// Runs on the thread that calls `run`.
class HttpServer {
public:
    /// Listens. Port 0 picks one. invalid_request when the address is none or taken.
    static Result<std::unique_ptr<HttpServer>> listen(const std::string& host, std::uint16_t port, HttpLimits limits,
                                                      HttpGate gate, HttpHandler handler, HttpErrorBody error_body);
    ~HttpServer();
    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] bool is_loopback() const;
    /// Calls `action` again and again while it runs, on its thread.
    void every(std::chrono::milliseconds interval, std::function<void()> action);
    /// Serves until SIGINT or SIGTERM; then takes no more requests, calls `on_stop`, and ends when all answers under
    /// way are sent, at the latest after `grace` or with a second signal. False when answers were cut off.
    bool run(std::chrono::milliseconds grace, const std::function<void()>& on_stop);
    /// Serves until `end`, and heeds no signal.
    void run_until_end();
    void end(); ///< from any thread; what is under way is cut off

private:
    struct Impl;
    explicit HttpServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
