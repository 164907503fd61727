// Calls of models on one thread, and what a stop does to calls under way. Nothing here looks at a clock: servers never
// answer, and what is waited for is what they see.
#include "ptc/mission.h"
#include "tests/subagent/loopback_server.h"
#include <latch>

namespace ptc {
namespace {

/// A server that never answers: when it was asked, and when the client has gone.
struct Silent {
    std::latch asked{1};
    std::latch left{1};
    Server server{[this](Peer& peer) {
        (void)peer.request();
        asked.count_down();
        if (peer.request().empty() && !peer.is_over) left.count_down();
    }};
};

/// Of one turn, that may take for ever.
AgentPtr patient() { return agent({.prompt = "x", .mission_timeout = std::nullopt, .output = AgentOutput::Text}); }
Llm patient_client(const Server& server) { return client_of(server, {.timeout = kNever}); }

LlmNeed need_of(const Llm& llm, LlmRequest request = question()) {
    return {.request = std::move(request), .model = &llm};
}

/// Until `count` calls are done.
std::map<std::uint64_t, std::string> all_of(ProviderCalls& calls, std::size_t count) {
    std::map<std::uint64_t, std::string> kinds;
    while (kinds.size() < count && calls.size() > 0)
        for (const ProviderCalls::Done& done : calls.wait(kNever))
            kinds[done.id] = kind_of(done.result);
    return kinds;
}

TEST(Cancellation, AStopEndsACallUnderWayAndClosesItsConnection) {
    Silent silent;
    std::stop_source stop;
    std::jthread stopper([&] {
        silent.asked.wait();
        stop.request_stop();
    });
    const Step step = patient()->run({.model = ModelRef(patient_client(silent.server)), .stop = stop.get_token()});
    EXPECT_EQ(reason_of(step), "interrupted");
    silent.left.wait();
}

TEST(Cancellation, TheHookOfAHostEndsACallUnderWay) {
    Silent silent;
    const Step step = patient()->run(
        {.model = ModelRef(patient_client(silent.server)), .is_interrupted = [&] { return silent.asked.try_wait(); }});
    EXPECT_EQ(reason_of(step), "interrupted");
    silent.left.wait();
}

TEST(Cancellation, AStopEndsTheWaitForAnotherAttempt) {
    const Server server([](Peer& peer) {
        while (!peer.request().empty())
            peer.answer("", "application/json", 429, "Retry-After: 500\r\n");
    });
    std::stop_source stop;
    const auto stop_it = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::LlmRetry) stop.request_stop();
    };
    const Step step =
        patient()->run({.model = ModelRef(patient_client(server)), .on_event = stop_it, .stop = stop.get_token()});
    EXPECT_EQ(reason_of(step), "interrupted");
    EXPECT_EQ(step.usage.llm_calls, 2u); // the second was not made
}

TEST(ProviderCalls, EachCallGetsItsOwnReply) {
    std::latch all(20); // no reply comes before all have asked
    const Server server([&](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            const std::size_t at = request.find("ask-");
            all.arrive_and_wait();
            peer.answer(reply_json(request.substr(at, request.find('"', at) - at)));
        }
    });
    const Llm llm = client_of(server);
    ASSERT_TRUE(ProviderCalls::takes(llm));
    ProviderCalls calls;
    for (std::uint64_t id = 1; id <= 20; ++id)
        calls.start(id, need_of(llm, question("ask-" + std::to_string(id))));
    EXPECT_EQ(calls.size(), 20u);
    const auto replies = all_of(calls, 20);
    for (std::uint64_t id = 1; id <= 20; ++id)
        EXPECT_EQ(replies.at(id), "reply: ask-" + std::to_string(id));
    EXPECT_EQ(calls.size(), 0u);
    EXPECT_TRUE(calls.wait(kNever).empty()); // nothing is under way
}

TEST(ProviderCalls, WhatIsCancelledIsNeverDone) {
    Silent silent;
    const Server other([](Peer& peer) { (void)peer.request(), peer.answer(reply_json("hello")); });
    const Llm lost = patient_client(silent.server);
    const Llm kept = client_of(other);
    ProviderCalls calls;
    calls.start(1, need_of(lost));
    while (!silent.asked.try_wait())
        EXPECT_TRUE(calls.wait(Millis(1)).empty());
    calls.cancel(1);
    silent.left.wait();
    calls.start(2, need_of(kept));
    EXPECT_EQ(all_of(calls, 2), (std::map<std::uint64_t, std::string>{{2, "reply: hello"}}));
}

TEST(ProviderCalls, AMissionThatIsDestroyedCancelsItsCall) {
    Silent silent;
    ProviderCalls calls;
    {
        Mission mission(patient(), {.model = ModelRef(patient_client(silent.server))});
        mission.start();
        calls.start(7, std::move(mission.take_needs().llm.at(0)));
        while (!silent.asked.try_wait())
            EXPECT_TRUE(calls.wait(Millis(1)).empty());
    }
    EXPECT_EQ(all_of(calls, 1), (std::map<std::uint64_t, std::string>{{7, "cancelled"}}));
    silent.left.wait();
}

TEST(ProviderCalls, AStopReachesCallsUnderWayAndThoseThatWaitForTheirTime) {
    Silent silent;
    const Llm llm = patient_client(silent.server);
    std::stop_source stop;
    LlmRequest request = question();
    request.stop = stop.get_token();
    ProviderCalls calls;
    calls.start(1, need_of(llm, request));
    LlmNeed later = need_of(llm, request);
    later.delay = kNever;
    calls.start(2, std::move(later));
    std::jthread stopper([&] {
        silent.asked.wait();
        stop.request_stop();
    });
    EXPECT_EQ(all_of(calls, 2), (std::map<std::uint64_t, std::string>{{1, "cancelled"}, {2, "cancelled"}}));
    silent.left.wait();
}

TEST(ProviderCalls, AnotherThreadMayWakeIt) {
    Silent silent;
    const Llm llm = patient_client(silent.server);
    ProviderCalls calls;
    calls.start(1, need_of(llm));
    std::jthread waker([&] {
        silent.asked.wait();
        calls.wake();
    });
    EXPECT_TRUE(calls.wait(kNever).empty());
    EXPECT_EQ(calls.size(), 1u);
}

TEST(ProviderCalls, ALoopOfTheHostsMayWaitForItsDescriptor) {
    const Server server([](Peer& peer) { (void)peer.request(), peer.answer(reply_json("hello")); });
    const Llm llm = client_of(server);
    ProviderCalls calls;
    EXPECT_EQ(calls.due(), std::nullopt);
    calls.start(1, need_of(llm));
    std::vector<ProviderCalls::Done> done;
    while (done.empty()) {
        ASSERT_NE(calls.due(), std::nullopt); // which is not waited for here: it only comes to pass
        pollfd descriptor{.fd = calls.descriptor(), .events = POLLIN, .revents = 0};
        (void)::poll(&descriptor, 1, 1);
        done = calls.wait(Millis(0));
    }
    EXPECT_EQ(kind_of(done.at(0).result), "reply: hello");
}

TEST(ProviderCalls, OtherModelsAreCalledInPlace) {
    const Llm own = [](const LlmRequest&) -> LlmResult { return LlmReply{.text = "own"}; };
    const Llm broken = [](const LlmRequest&) -> LlmResult { throw std::runtime_error("no"); };
    EXPECT_FALSE(ProviderCalls::takes(own));
    ProviderCalls calls;
    calls.start(1, need_of(own));
    calls.start(2, need_of(broken));
    EXPECT_EQ(all_of(calls, 2), (std::map<std::uint64_t, std::string>{{1, "reply: own"}, {2, "exception"}}));
}

TEST(ProviderCalls, ModelsMadeOfOthersAreCarriedLikeTheirParts) {
    const Server busy([](Peer& peer) {
        while (!peer.request().empty())
            peer.answer(R"({"error":{"message":"later"}})", "application/json", 429);
    });
    const Server other([](Peer& peer) {
        while (!peer.request().empty())
            peer.answer(reply_json("hello"));
    });
    const Llm llm =
        route({{.name = "both", .call = fallback({{"busy", client_of(busy)}, {"other", client_of(other)}})}});
    const Llm mixed = fallback(
        {{"busy", client_of(busy)}, {"own", [](const LlmRequest&) -> LlmResult { return LlmReply{.text = "own"}; }}});
    EXPECT_TRUE(ProviderCalls::takes(llm));
    EXPECT_FALSE(ProviderCalls::takes(mixed));
    ProviderCalls calls;
    calls.start(1, need_of(llm));
    calls.start(2, need_of(mixed));
    const Llm nobody = fallback({});
    calls.start(3, need_of(nobody));
    EXPECT_EQ(all_of(calls, 3),
              (std::map<std::uint64_t, std::string>{{1, "reply: hello"}, {2, "reply: own"}, {3, "invalid_request"}}));
}

TEST(ProviderCalls, WhoeverReadsAlongMayThrow) {
    const Server server([](Peer& peer) {
        (void)peer.request();
        peer.answer(delta("a") + delta("b", R"("stop")") + "data: [DONE]\n\n", "text/event-stream");
    });
    const Llm llm = client_of(server);
    LlmRequest request = question();
    request.on_text = [](std::string_view) { throw std::runtime_error("enough"); };
    ProviderCalls calls;
    calls.start(1, need_of(llm, std::move(request)));
    EXPECT_EQ(all_of(calls, 1), (std::map<std::uint64_t, std::string>{{1, "exception"}}));
}

} // namespace
} // namespace ptc
