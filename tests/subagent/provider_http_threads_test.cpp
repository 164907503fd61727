// The client against a server on this machine that is slow, rude or wrong: deadlines, streams that stop, connections
// that end early, replies without an end. What is looked at is the kind of the error, not how long a call took.
#include "ptc/providers.h"
#include "tests/subagent/missions.h"
#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <latch>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace ptc {
namespace {

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

std::string reply_json(std::string_view text) {
    return R"({"choices":[{"message":{"role":"assistant","content":")" + std::string(text) +
           R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})";
}
std::string delta(std::string_view text, std::string_view reason = "null") {
    return R"(data: {"choices":[{"delta":{"content":")" + std::string(text) + R"("},"finish_reason":)" +
           std::string(reason) + "}]}\n\n";
}

const Environment kNoVariables = [](const std::string&) { return std::nullopt; };

Llm client_of(const Server& server, ProviderOptions options = {}) {
    options.model = "m";
    options.base_url = server.url();
    options.api_key = "sk-test-key";
    Result<Llm> llm = provider_llm(std::move(options), kNoVariables);
    EXPECT_TRUE(llm.ok()) << llm.error().message;
    return std::move(llm).value();
}
LlmRequest question(std::string text = "q") {
    LlmRequest request;
    request.messages.push_back({.content = std::move(text)});
    return request;
}
std::string kind_of(const LlmResult& result) {
    const auto* error = std::get_if<LlmError>(&result);
    return error ? error->kind : "reply: " + std::get<LlmReply>(result).text;
}
/// For deadlines that must not be what ends a call.
constexpr Millis kNever = std::chrono::hours(24);

TEST(ProviderHttp, SendsTheKeyAndTheBodyAndKeepsTheConnection) {
    std::mutex mutex;
    std::vector<std::string> requests;
    const Server server([&](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            peer.answer(reply_json("hello"));
            const std::scoped_lock lock(mutex);
            requests.push_back(std::move(request));
        }
    });
    const Llm llm = client_of(server);
    for (int i = 0; i < 3; ++i) {
        const LlmResult result = llm(question());
        ASSERT_EQ(kind_of(result), "reply: hello");
        EXPECT_EQ(std::get<LlmReply>(result).usage.input, 3);
    }
    EXPECT_EQ(server.connections(), 1);
    const std::scoped_lock lock(mutex);
    EXPECT_TRUE(requests.at(0).starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    EXPECT_NE(requests.at(0).find("Authorization: Bearer sk-test-key\r\n"), std::string::npos);
    EXPECT_TRUE(requests.at(0).ends_with(R"({"model":"m","messages":[{"role":"user","content":"q"}]})"));
}

TEST(ProviderHttp, SeveralThreadsEachGetTheirOwnReply) {
    std::latch first(6); // each of the first requests has its answer when all have come
    const Server server([&](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            const std::size_t at = request.find("ask-");
            if (request[at + 6] == '0') first.arrive_and_wait();
            peer.answer(reply_json(request.substr(at, request.find('"', at) - at)));
        }
    });
    const Llm llm = client_of(server);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&, i] {
            for (int j = 0; j < 5; ++j) {
                const std::string text = "ask-" + std::to_string(i) + "-" + std::to_string(j);
                right += kind_of(llm(question(text))) == "reply: " + text;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(right, 30);
    EXPECT_LE(server.connections(), 6);
}

TEST(ProviderHttp, AServerThatSaysNothingIsLeftAtTheDeadline) {
    const Server server([](Peer& peer) { (void)peer.request(), peer.stall(); });
    LlmRequest request = question();
    request.time_left = Millis(150);
    EXPECT_EQ(kind_of(client_of(server)(request)), "timeout");
    EXPECT_EQ(kind_of(client_of(server, {.timeout = Millis(150)})(question())), "timeout");
}

TEST(ProviderHttp, BytesThatTrickleDoNotMoveTheDeadline) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n");
        while (!peer.is_over && peer.send(" "))
            peer.pause();
    });
    LlmRequest request = question();
    request.time_left = Millis(200);
    EXPECT_EQ(kind_of(client_of(server)(request)), "timeout");
}

TEST(ProviderHttp, WithoutTimeNobodyIsCalled) {
    const Server server([](Peer& peer) { peer.answer(reply_json("no")); });
    LlmRequest request = question();
    request.time_left = Millis(0);
    EXPECT_EQ(kind_of(client_of(server)(request)), "timeout");
    EXPECT_EQ(server.connections(), 0);
}

TEST(ProviderHttp, AStreamThatStopsIsLeftLongBeforeTheDeadline) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + delta("half"));
        peer.stall();
    });
    LlmRequest request = question();
    request.on_text = [](std::string_view) {};
    EXPECT_EQ(kind_of(client_of(server, {.timeout = kNever, .idle_timeout = Millis(150)})(request)), "timeout");
}

TEST(ProviderHttp, AStreamIsOverWhenItSaysSoAlsoIfTheConnectionStays) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + delta("all") + delta("", R"("stop")") +
                  "data: [DONE]\n\n");
        peer.stall();
    });
    LlmRequest request = question();
    request.on_text = [](std::string_view) {};
    EXPECT_EQ(kind_of(client_of(server)(request)), "reply: all");
}

TEST(ProviderHttp, ConnectionsThatEndEarlyAreTheNetworks) {
    const std::string whole = reply_json("whole");
    const std::vector<std::string> answers = {
        "", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n" + whole,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + delta("half") + "data: {\"cho"};
    for (const std::string& answer : answers) {
        const Server server([&answer](Peer& peer) { (void)peer.request(), peer.send(answer); });
        LlmRequest request = question();
        request.on_text = [](std::string_view) {};
        const LlmResult result = client_of(server)(request);
        ASSERT_EQ(kind_of(result), "network") << answer;
        EXPECT_FALSE(std::get<LlmError>(result).is_permanent);
    }
}

TEST(ProviderHttp, NobodyListensIsTheNetworks) {
    std::string url;
    {
        url = Server([](Peer&) {}).url();
    }
    const Result<Llm> llm = provider_llm({.model = "m", .base_url = url}, kNoVariables);
    ASSERT_TRUE(llm.ok()) << llm.error().message;
    EXPECT_EQ(kind_of(llm.value()(question())), "network");
}

TEST(ProviderHttp, EndlessRepliesAreCut) {
    for (const char* type : {"application/json", "text/event-stream"}) {
        const Server server([type](Peer& peer) {
            (void)peer.request();
            peer.send(std::string("HTTP/1.1 200 OK\r\nContent-Type: ") + type + "\r\n\r\ndata: ");
            while (!peer.is_over && peer.send(std::string(10'000, 'x'))) {
            }
        });
        LlmRequest request = question();
        request.on_text = [](std::string_view) {};
        EXPECT_EQ(kind_of(client_of(server, {.max_reply_bytes = 100'000})(request)), "too_large") << type;
    }
}

TEST(ProviderHttp, EndlessErrorsAreReadToTheirFirstBytes) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.send("HTTP/1.1 500 X\r\nContent-Type: text/html\r\n\r\n<h1>");
        while (!peer.is_over && peer.send(std::string(10'000, 'x'))) {
        }
    });
    const LlmResult result = client_of(server)(question());
    ASSERT_EQ(kind_of(result), "server_error");
    EXPECT_LT(std::get<LlmError>(result).message.size(), 600u);
}

TEST(ProviderHttp, APageIsNoReply) {
    const Server server([](Peer& peer) { (void)peer.request(), peer.answer("<html>Sign in</html>", "text/html"); });
    const LlmResult result = client_of(server)(question());
    ASSERT_EQ(kind_of(result), "bad_reply");
    EXPECT_NE(std::get<LlmError>(result).message.find("text/html"), std::string::npos);
}

TEST(ProviderHttp, RedirectsAreNotFollowed) {
    const Server other([](Peer& peer) { (void)peer.request(), peer.answer(reply_json("stolen")); });
    const Server server([&](Peer& peer) {
        (void)peer.request();
        peer.answer("", "text/html", 307, "Location: " + other.url() + "/chat/completions\r\n");
    });
    const LlmResult result = client_of(server)(question());
    EXPECT_EQ(kind_of(result), "invalid_request");
    EXPECT_TRUE(std::get<LlmError>(result).is_permanent);
    EXPECT_EQ(other.connections(), 0);
}

TEST(ProviderHttp, WishesForALaterTimeAreHandedOn) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.answer(R"({"error":{"message":"slow down, sk-test-key"}})", "application/json", 429, "Retry-After: 2\r\n");
    });
    const LlmResult result = client_of(server)(question());
    ASSERT_EQ(kind_of(result), "rate_limit");
    const auto& error = std::get<LlmError>(result);
    EXPECT_EQ(error.retry_after, Millis(2000));
    EXPECT_EQ(error.message, "slow down, [key]");
    EXPECT_FALSE(error.is_permanent);
}

TEST(ProviderHttp, WishesForALaterTimeAreWaitedFor) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.answer("", "application/json", 429, "Retry-After: 2\r\n");
        (void)peer.request();
        peer.answer(reply_json("now"));
    });
    const FakeTime time;
    const Step step = agent({.prompt = "x", .output = AgentOutput::Text})
                          ->run({.model = ModelRef(client_of(server)), .clock = time.clock()});
    EXPECT_EQ(step.value, Datum("now")) << reason_of(step);
    EXPECT_EQ(*time.waits, std::vector<std::int64_t>{2000});
}

TEST(ProviderHttp, TheLongestTimesAreNoneAtAll) {
    const Server server([](Peer& peer) {
        while (!peer.request().empty())
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
                      delta("ab", R"("stop")") + "data: [DONE]\n\n"),
                ::shutdown(peer.fd, SHUT_WR);
    });
    LlmRequest request = question();
    request.on_text = [](std::string_view) {};
    const Llm llm =
        client_of(server, {.timeout = Millis::max(), .connect_timeout = Millis::max(), .idle_timeout = Millis::max()});
    EXPECT_EQ(kind_of(llm(request)), "reply: ab");
    request.time_left = Millis::max();
    EXPECT_EQ(kind_of(llm(request)), "reply: ab");
    request.time_left = Millis::min();
    EXPECT_EQ(kind_of(llm(request)), "timeout");
}

TEST(ProviderHttp, WhoeverReadsAlongMayThrow) {
    const Server server([](Peer& peer) {
        while (!peer.request().empty())
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + delta("a") +
                      delta("b", R"("stop")") + "data: [DONE]\n\n"),
                ::shutdown(peer.fd, SHUT_WR);
    });
    const Llm llm = client_of(server);
    LlmRequest request = question();
    request.on_text = [](std::string_view) { throw std::runtime_error("enough"); };
    EXPECT_THROW((void)llm(request), std::runtime_error);
    request.on_text = [](std::string_view) {};
    EXPECT_EQ(kind_of(llm(request)), "reply: ab");
}

} // namespace
} // namespace ptc
