// The client against a server on this machine that is slow, rude or wrong: deadlines, streams that stop, connections
// that end early, replies without an end. What is looked at is the kind of the error, not how long a call took.
#include "tests/subagent/loopback_server.h"
#include <latch>

namespace ptc {
namespace {

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

/// One line of it, or many.
TEST(ProviderHttp, HeadsThatAreTooLongAreSaidToBe) {
    for (const std::size_t line : {std::size_t{200'000}, std::size_t{1000}}) {
        const Server server([line](Peer& peer) {
            (void)peer.request();
            peer.send("HTTP/1.1 200 OK\r\n");
            for (std::size_t sent = 0; sent < 400'000 && !peer.is_over; sent += line)
                peer.send("x-filler: " + std::string(line, 'x') + "\r\n");
            peer.send("\r\n{}");
        });
        const LlmResult result = client_of(server)(question());
        ASSERT_EQ(kind_of(result), "too_large") << line;
        EXPECT_TRUE(std::get<LlmError>(result).is_permanent);
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

TEST(ProviderHttp, AWishForAVeryLateTimeIsOne) {
    for (const char* const when : {"1000000000", "9223372036854775807"}) {
        const Server server([when](Peer& peer) {
            (void)peer.request();
            peer.answer("", "application/json", 429, "Retry-After: " + std::string(when) + "\r\n");
        });
        const LlmResult result = client_of(server)(question());
        ASSERT_EQ(kind_of(result), "rate_limit");
        EXPECT_EQ(std::get<LlmError>(result).retry_after, std::chrono::hours(1)) << when;
    }
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
