// The browser comes back with one GET on the loopback. Whatever else asks there is sent away, and nothing of a request
// but the first line is looked at; whether it is the answer to what was asked is found out by who asked
// (subagent/mcp/client_oauth.cpp).
#include "tools/agent/mcp_login.h"
#include "frontend/quoted.h"
#include "subagent/providers/http_client.h"
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kPatience{3};
constexpr std::chrono::seconds kRequestTime{5};
constexpr std::size_t kMostRequest = 16u << 10;

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }

private:
    int fd_;
};

Error failed(const std::string& what) { return {Reason::ToolError, what + ": " + std::strerror(errno) + "."}; }

bool is_ready(int fd, Clock::time_point until) {
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        if (left <= 0) return false;
        pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
        const int count = ::poll(&ready, 1, static_cast<int>(left));
        if (count > 0) return true;
        if (count < 0 && errno != EINTR) return false;
    }
}

int listen_on_loopback(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const int yes = 1;
    (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && ::listen(fd, 4) == 0) return fd;
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
}

/// Where a browser can come back to: a port of this machine, and what its path begins with. None: it cannot.
struct Return {
    int port = 0;
    std::string path{};
};
std::optional<Return> way_back(const std::string& redirect_uri) {
    const std::optional<HttpAddress> address = parse_address(redirect_uri);
    const std::string origin = origin_of(redirect_uri);
    const std::size_t path = redirect_uri.find('/', std::string_view("http://").size());
    if (!address || address->has_more || path == std::string::npos) return std::nullopt;
    for (const std::string_view here : {"http://127.0.0.1:", "http://localhost:"}) {
        if (origin.starts_with(here))
            return Return{.port = std::atoi(origin.c_str() + here.size()), .path = redirect_uri.substr(path)};
    }
    return std::nullopt;
}

/// "/callback?code=..": what a GET asks for; "" for anything else.
std::string path_of_request(int fd) {
    std::string request;
    const Clock::time_point until = Clock::now() + kRequestTime;
    while (request.find("\r\n\r\n") == std::string::npos && request.size() < kMostRequest && is_ready(fd, until)) {
        char bytes[4096];
        const ssize_t count = ::recv(fd, bytes, sizeof bytes, 0);
        if (count <= 0) break;
        request.append(bytes, static_cast<std::size_t>(count));
    }
    const std::size_t end = request.find(" HTTP/1.");
    return request.starts_with("GET /") && end != std::string::npos ? request.substr(4, end - 4) : "";
}

void answer(int fd, bool is_it) {
    const std::string text = is_it ? "ptcc has the answer; this page can be closed.\n" : "Nothing is here.\n";
    const std::string reply =
        std::string("HTTP/1.1 ") + (is_it ? "200 OK" : "404 Not Found") +
        "\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) +
        "\r\n\r\n" + text;
    (void)::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
}

} // namespace

Result<std::string> log_in(const McpAuthorization& request, Console& console) {
    const std::optional<Return> back = way_back(request.redirect_uri);
    if (!back) return Error(Reason::ToolError, "Nobody can come back to " + quoted_excerpt(request.redirect_uri) + ".");
    const Descriptor listener(listen_on_loopback(back->port));
    if (listener.get() < 0) return failed("Nobody can come back to port " + std::to_string(back->port));
    console.message("ptcc: The MCP server " + request.server + " asks whether it may be used. Open\n" + request.url +
                    "\n");
    const Clock::time_point until = Clock::now() + kPatience;
    while (is_ready(listener.get(), until)) {
        const Descriptor browser(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (browser.get() < 0) continue;
        const std::string path = path_of_request(browser.get());
        const bool is_it = path.starts_with(back->path + "?");
        answer(browser.get(), is_it);
        if (is_it) return request.redirect_uri + path.substr(back->path.size());
    }
    return Error(Reason::ToolError, "Nobody agreed in time.");
}

std::string mcp_token_file() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') return std::string(state) + "/ptc/mcp-tokens.json";
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.local/state/ptc/mcp-tokens.json" : "";
}

} // namespace ptc
