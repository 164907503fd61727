// Any bytes as what a client of `ptcc serve` sends: each connection ends when the client has nothing more to say, what
// is handed on is within the limits, and the next client is served.
#include "tests/fuzz/fuzz_check.h"
#include "tools/serve/http_server.h"
#include <arpa/inet.h>
#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace ptc;

constexpr HttpLimits kLimits{
    .max_body_bytes = 4096, .max_header_bytes = 1024, .max_arriving_bytes = 8192, .max_unsent_bytes = 1 << 20};

void answer(HttpRequest request, const std::shared_ptr<HttpResponder>& responder) {
    FUZZ_CHECK(!request.method.empty() && request.body.size() <= kLimits.max_body_bytes);
    FUZZ_CHECK(request.path.size() + request.host.size() + request.authorization.size() <= kLimits.max_header_bytes);
    FUZZ_CHECK(request.path.find('?') == std::string::npos);
    if (!request.path.starts_with("/stream")) return responder->reply({.status = 200, .body = "{}"});
    responder->begin_stream({});
    responder->send(request.body);
    responder->end_stream();
}

HttpServer& server() {
    static HttpServer* const listening = [] {
        ::signal(SIGPIPE, SIG_IGN);
        auto made = HttpServer::listen(
            "127.0.0.1", 0, kLimits, [](const HttpRequest&) { return std::optional<HttpReply>(); }, answer,
            [](int, std::string_view) { return std::string("{}"); });
        FUZZ_CHECK(made.ok());
        HttpServer* running = std::move(made).value().release(); // until the process ends
        std::thread([running] { running->run(std::chrono::milliseconds(0), [] {}); }).detach();
        return running;
    }();
    return *listening;
}

/// All that the server answers to `bytes`.
std::string exchange(std::string_view bytes) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server().port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    FUZZ_CHECK(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) break; // it does not want to hear more
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    ::shutdown(socket, SHUT_WR);
    std::string answer;
    char part[4096];
    ssize_t got = 0;
    while ((got = ::recv(socket, part, sizeof part, 0)) > 0)
        answer.append(part, static_cast<std::size_t>(got));
    FUZZ_CHECK(got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK));
    // Nothing is left waiting in the system for a port.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(socket);
    return answer;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string answered = exchange({reinterpret_cast<const char*>(data), size});
    FUZZ_CHECK(answered.empty() || answered.starts_with("HTTP/1."));
    const std::string next = exchange("GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    FUZZ_CHECK(next.starts_with("HTTP/1.1 200 ") && next.ends_with("\r\n\r\n{}"));
    return 0;
}
