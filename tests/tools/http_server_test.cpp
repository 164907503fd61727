// What one address leaves unread does not fill the memory, and those who read get their answers.
#include "tools/serve/http_server.h"
#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kAnswer = std::size_t{8} << 20;

/// A client that has asked, and reads when it is told to.
class Client {
public:
    Client(std::uint16_t port, const char* from, const std::string& line = "GET / HTTP/1.1")
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const int size = 4096;
        EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size), 0);
        sockaddr_in own = address(from, 0), other = address("127.0.0.1", port);
        EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&other), sizeof other), 0);
        const std::string request = line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        EXPECT_EQ(::send(socket_, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    bool reads_all() { return answer().size() >= kAnswer; }
    bool reads_all_of(const std::string& body) {
        const std::string all = answer();
        return all.ends_with("\r\n\r\n" + body);
    }

private:
    std::string answer() {
        std::string all, piece(std::size_t{1} << 16, '\0');
        for (ssize_t got = 0; (got = ::recv(socket_, piece.data(), piece.size(), 0)) > 0;)
            all.append(piece, 0, static_cast<std::size_t>(got));
        return all;
    }
    static sockaddr_in address(const char* text, std::uint16_t port) {
        sockaddr_in made{};
        made.sin_family = AF_INET;
        made.sin_port = htons(port);
        EXPECT_EQ(::inet_pton(AF_INET, text, &made.sin_addr), 1);
        return made;
    }
    int socket_;
};

TEST(HttpServer, AnswersThatNobodyReadsAreBoundedTogether) {
    HttpLimits limits;
    limits.max_unsent_of_all = 20u << 20;
    std::atomic<int> answered = 0;
    auto made = HttpServer::listen(
        "127.0.0.1", 0, limits, [](const HttpRequest&) { return std::optional<HttpReply>(); },
        [&](HttpRequest, const std::shared_ptr<HttpResponder>& responder) {
            responder->reply({.status = 200, .body = std::string(kAnswer, 'x'), .headers = {}});
            ++answered;
            answered.notify_all();
        },
        [](int, std::string_view) { return std::string(); });
    ASSERT_TRUE(made.ok()) << made.error().message;
    HttpServer& server = *made.value();
    std::thread running([&] { server.run_until_end(); });
    constexpr int kIdle = 8;
    std::vector<std::unique_ptr<Client>> idle;
    for (int i = 0; i < kIdle; ++i)
        idle.push_back(std::make_unique<Client>(server.port(), "127.0.0.1"));
    for (int now = answered; now < kIdle; now = answered)
        answered.wait(now);
    EXPECT_TRUE(Client(server.port(), "127.0.0.2").reads_all());
    int whole = 0;
    for (const auto& client : idle)
        whole += client->reads_all() ? 1 : 0;
    EXPECT_LE(whole, 2);
    EXPECT_TRUE(Client(server.port(), "127.0.0.1").reads_all()); // nothing is held any more
    server.end();
    running.join();
}

/// In one piece or in many, however these lie to the slices in which they are sent.
TEST(HttpServer, AnswersComeWhole) {
    std::string body;
    for (int i = 0; body.size() < (std::size_t{1} << 20) + 17; ++i)
        body += std::to_string(i);
    auto made = HttpServer::listen(
        "127.0.0.1", 0, {}, [](const HttpRequest&) { return std::optional<HttpReply>(); },
        [&](const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) {
            if (request.path == "/whole") return responder->reply({.status = 200, .body = body, .headers = {}});
            responder->begin_stream({});
            for (std::size_t at = 0, size = 1; at < body.size(); at += size, size = size * 3 + 1)
                responder->send(body.substr(at, size));
            responder->end_stream();
        },
        [](int, std::string_view) { return std::string(); });
    ASSERT_TRUE(made.ok()) << made.error().message;
    HttpServer& server = *made.value();
    std::thread running([&] { server.run_until_end(); });
    EXPECT_TRUE(Client(server.port(), "127.0.0.1", "GET /whole HTTP/1.1").reads_all_of(body));
    EXPECT_TRUE(Client(server.port(), "127.0.0.1", "GET /parts HTTP/1.0").reads_all_of(body)); // without chunks
    server.end();
    running.join();
}

} // namespace
} // namespace ptc
