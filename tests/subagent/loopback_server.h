// A server on this machine whose connections a test answers by itself, and models that call it.
#pragma once
#include "ptc/providers.h"
#include "tests/subagent/missions.h"
#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace ptc {

using Millis = std::chrono::milliseconds;

/// One connection, as the server sees it.
struct Peer {
    int fd;
    const std::atomic<bool>& is_over;
    std::string buffer{};

    /// The next request, head and body; "" when the client is gone.
    std::string request() {
        std::size_t end = std::string::npos;
        while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
            if (!more()) return {};
        std::size_t length = 0;
        const std::size_t at = buffer.find("Content-Length: ");
        if (at < end) length = std::stoul(buffer.substr(at + 16));
        while (buffer.size() < end + 4 + length)
            if (!more()) return {};
        std::string out = buffer.substr(0, end + 4 + length);
        buffer.erase(0, out.size());
        return out;
    }
    bool send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    bool answer(std::string_view body, std::string_view type = "application/json", int status = 200,
                std::string_view more_headers = "") const {
        return send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + std::string(type) + "\r\n" +
                    std::string(more_headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                    std::string(body));
    }
    /// Waits until the test is over: that the client ends the call is its own doing.
    void stall() const { is_over.wait(false); }
    /// A pause between two bytes, shorter when the client goes.
    void pause() const {
        pollfd client{.fd = fd, .events = POLLIN, .revents = 0};
        (void)::poll(&client, 1, 10);
    }

private:
    bool more() {
        char bytes[4096];
        const ssize_t got = ::recv(fd, bytes, sizeof bytes, 0);
        if (got > 0) buffer.append(bytes, static_cast<std::size_t>(got));
        return got > 0;
    }
};

/// Serves each connection on a thread of its own until the test is over.
class Server {
public:
    using Serve = std::function<void(Peer&)>;
    explicit Server(Serve serve) : serve_(std::move(serve)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket_, any, size) != 0 || ::listen(socket_, 64) != 0 || ::getsockname(socket_, any, &size) != 0)
            std::abort();
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~Server() {
        is_over_ = true;
        is_over_.notify_all();
        ::shutdown(socket_, SHUT_RDWR);
        acceptor_.join();
        {
            const std::scoped_lock lock(mutex_);
            for (const int fd : open_)
                ::shutdown(fd, SHUT_RDWR);
        }
        for (std::thread& thread : threads_)
            thread.join();
        ::close(socket_);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
    [[nodiscard]] int connections() const { return connections_; }

private:
    void accept_all() {
        while (true) {
            const int fd = ::accept(socket_, nullptr, nullptr);
            if (fd < 0) return;
            ++connections_;
            const std::scoped_lock lock(mutex_);
            open_.push_back(fd);
            threads_.emplace_back([this, fd] {
                Peer peer{fd, is_over_};
                serve_(peer);
                const std::scoped_lock closing(mutex_);
                std::erase(open_, fd);
                ::close(fd);
            });
        }
    }
    Serve serve_;
    int socket_;
    std::uint16_t port_ = 0;
    std::atomic<bool> is_over_{false};
    std::atomic<int> connections_{0};
    std::mutex mutex_;
    std::vector<int> open_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

inline std::string reply_json(std::string_view text) {
    return R"({"choices":[{"message":{"role":"assistant","content":")" + std::string(text) +
           R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})";
}
inline std::string delta(std::string_view text, std::string_view reason = "null") {
    return R"(data: {"choices":[{"delta":{"content":")" + std::string(text) + R"("},"finish_reason":)" +
           std::string(reason) + "}]}\n\n";
}

inline const Environment kNoVariables = [](const std::string&) { return std::nullopt; };

inline Llm client_of(const Server& server, ProviderOptions options = {}) {
    options.model = "m";
    options.base_url = server.url();
    options.api_key = "sk-test-key";
    Result<Llm> llm = provider_llm(std::move(options), kNoVariables);
    EXPECT_TRUE(llm.ok()) << llm.error().message;
    return std::move(llm).value();
}
inline LlmRequest question(std::string text = "q") {
    LlmRequest request;
    request.messages.push_back({.content = std::move(text)});
    return request;
}
inline std::string kind_of(const LlmResult& result) {
    const auto* error = std::get_if<LlmError>(&result);
    return error ? error->kind : "reply: " + std::get<LlmReply>(result).text;
}
/// For deadlines that must not be what ends a call.
constexpr Millis kNever = std::chrono::hours(24);

} // namespace ptc
