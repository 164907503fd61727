// Models that need no thread for a call: Agent::run makes their calls by loops on its own thread, however many agents
// work in parallel. Servers answer when the test lets them, and nothing looks at a clock.
#include "ptc/model_loop.h"
#include "ptc/providers.h"
#include "tests/subagent/loopback_server.h"
#include <filesystem>
#include <latch>
#include <set>
#include <thread>

namespace ptc {
namespace {

constexpr int kMany = 12; // fewer than the threads that an agent may start for calls

int tasks() {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return static_cast<int>(std::distance(begin(all), end(all)));
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
    const std::size_t at = text.find(begin) + begin.size();
    return text.substr(at, text.find(end, at) - at);
}

/// A reply with the number that the request asks for: "n=7." gives 7.
std::string echo(const std::string& request) {
    return reply_json("```clojure\\n(return " + between(request, "n=", ".") + ")\\n```");
}

/// The threads of a program that has had another one: a sanitizer starts one of its own beside that.
int tasks_with_any() {
    std::thread([] {}).join();
    return tasks();
}

/// Answers no call before `count` have come, and notes how many threads there are then beside its own.
struct Gate {
    explicit Gate(int count) : left(count) {}
    const int before = tasks_with_any();
    std::latch left;
    std::atomic<int> more_threads{0}; ///< less than none: one of an earlier test that was ending
    Server server{[this](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            left.arrive_and_wait();
            more_threads = tasks() - before - 1 - server.connections();
            peer.answer(echo(request));
        }
    }};
};

AgentPtr child() { return agent({.prompt = "n={{n}}.", .signature = "(n :int) -> :int"}); }

/// Asks `count` agents at once.
Llm fan_out(int count) {
    return [count](const LlmRequest&) -> LlmResult {
        return LlmReply{.text = fenced("(return (pmap #(tool/ask {:n %}) (range " + std::to_string(count) + ")))")};
    };
}
AgentPtr parent(AgentTool ask) { return agent({.prompt = "x", .tools = {std::move(ask)}, .turn_budget = 100}); }
Datum first(int count) {
    Datum::List list;
    for (int i = 0; i < count; ++i)
        list.emplace_back(i);
    return Datum(std::move(list));
}

/// The threads that a mission of so many agents at once adds. They are called by native calls: programs, whose branches
/// are run by threads, have no part in it.
int threads_of(int count, const std::function<Llm(const Llm&)>& made) {
    Gate gate(count);
    AgentTool ask = child()->as_tool("ask", ModelRef(made(client_of(gate.server))));
    ask.expose = Exposure::Native;
    const AgentPtr asking = agent({.prompt = "x", .tools = {std::move(ask)}, .output = AgentOutput::Text});
    const Step step = asking->run([count](const LlmRequest& request) -> LlmResult {
        LlmReply reply;
        for (int i = 0; request.turn == 1 && i < count; ++i)
            reply.tool_calls.push_back(
                {.id = std::to_string(i), .name = "ask", .arguments = Datum::object({{"n", i}})});
        if (request.turn > 1) reply.text = request.messages.back().content;
        return reply;
    });
    EXPECT_EQ(step.value, Datum(std::to_string(count - 1))) << reason_of(step);
    return gate.more_threads;
}

TEST(LoopedModel, AgentsThatWorkInParallelUseNoThreadACall) {
    const auto as_it_is = [](const Llm& llm) { return llm; };
    EXPECT_LE(threads_of(kMany, as_it_is), 0);
}

TEST(LoopedModel, ModelsMadeOfSuchUseNone) {
    const auto made = [](const Llm& llm) { return route({{.name = "all", .call = fallback({{"one", llm}})}}); };
    EXPECT_LE(threads_of(kMany, made), 0);
}

/// What a loop gives is what a thread gives, to the last event of usage.
TEST(LoopedModel, AnswersAreThoseOfAThreadACall) {
    const Server server([](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request())
            peer.answer(echo(request));
    });
    const Llm looped_one = client_of(server);
    const Llm plain = [looped_one](const LlmRequest& request) { return looped_one(request); };
    const Step by_loop = parent(child()->as_tool("ask", ModelRef(looped_one)))->run(fan_out(30));
    const Step by_threads = parent(child()->as_tool("ask", ModelRef(plain)))->run(fan_out(30));
    EXPECT_EQ(by_loop.value, first(30)) << reason_of(by_loop);
    EXPECT_EQ(by_loop.value, by_threads.value);
    EXPECT_EQ(by_loop.usage.llm_calls, by_threads.usage.llm_calls);
    EXPECT_EQ(by_loop.usage.tokens.total(), by_threads.usage.tokens.total());
    EXPECT_EQ(by_loop.usage.fuel, by_threads.usage.fuel);
}

TEST(LoopedModel, AStopEndsAllCallsAndClosesTheirConnections) {
    std::latch asked(kMany), gone(kMany);
    const Server server([&](Peer& peer) {
        (void)peer.request();
        asked.count_down();
        if (peer.request().empty() && !peer.is_over) gone.count_down();
    });
    std::stop_source stop;
    std::jthread stopper([&] {
        asked.wait();
        stop.request_stop();
    });
    const AgentPtr patient =
        agent({.prompt = "x",
               .tools = {child()->as_tool("ask", ModelRef(client_of(server, {.timeout = kNever})))},
               .mission_timeout = std::nullopt});
    const Step step = patient->run({.model = ModelRef(fan_out(kMany)), .stop = stop.get_token()});
    EXPECT_EQ(reason_of(step), "interrupted");
    gone.wait();
}

TEST(LoopedModel, WhatFailsIsAskedAgainAndThenTheNextModel) {
    std::mutex mutex;
    std::set<std::string> seen;
    const Server busy([&](Peer& peer) { // refuses each question once, and those of even numbers always
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            const std::string n = between(request, "n=", ".");
            const std::scoped_lock lock(mutex);
            const bool is_first = seen.insert(n).second;
            if (is_first || std::stoi(n) % 2 == 0)
                peer.answer(R"({"error":{"message":"later"}})", "application/json", 429);
            else
                peer.answer(echo(request));
        }
    });
    const Server other([](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request())
            peer.answer(echo(request));
    });
    const Llm by_own = [llm = client_of(other)](const LlmRequest& request) { return llm(request); }; // without a loop
    const auto is_even = [](const LlmRequest& request, const LlmError&) {
        return std::stoi(between(request.messages.back().content, "n=", ".")) % 2 == 0;
    };
    const Llm llm = fallback({{"busy", client_of(busy)}, {.name = "other", .call = by_own, .when = is_even}});
    const AgentPtr asking = parent(child()->as_tool("ask", ModelRef(llm)));
    const Step step = asking->run({.model = ModelRef(fan_out(kMany)), .retry = RetryPolicy{.base_delay = Millis(1)}});
    EXPECT_EQ(step.value, first(kMany)) << reason_of(step);
    EXPECT_EQ(seen.size(), std::size_t{kMany});
}

TEST(LoopedModel, ACallThatTakesTooLongEndsByItsDeadline) {
    const Server silent([](Peer& peer) { (void)peer.request(), peer.stall(); });
    const AgentPtr asking = parent(child()->as_tool("ask", ModelRef(client_of(silent, {.timeout = Millis(20)}))));
    const Step step = asking->run({.model = ModelRef(fan_out(kMany)), .retry = RetryPolicy{.max_attempts = 1}});
    EXPECT_FALSE(step.ok);
    EXPECT_NE(step.trace.at(0).message.find("time"), std::string::npos) << step.trace.at(0).message;
}

TEST(LoopedModel, RepliesAreStreamedOnTheThreadOfTheMission) {
    const Server server([](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request())
            peer.answer(delta("```clojure\\n(return ") + delta(between(request, "n=", ".") + ")\\n```", R"("stop")") +
                            "data: [DONE]\n\n",
                        "text/event-stream");
    });
    std::set<std::thread::id> threads;
    std::size_t deltas = 0;
    MissionOptions options;
    options.model = ModelRef(fan_out(kMany));
    options.on_delta = [&](const MissionDelta& one) {
        if (one.depth == 0) return;
        threads.insert(std::this_thread::get_id());
        ++deltas;
    };
    const Step step = parent(child()->as_tool("ask", ModelRef(client_of(server))))->run(std::move(options));
    EXPECT_EQ(step.value, first(kMany)) << reason_of(step);
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
    EXPECT_GE(deltas, std::size_t{2 * kMany});
}

/// A tool that keeps the mission's thread keeps no reply from arriving: it waits for those here.
TEST(LoopedModel, LoopsGoOnWhileAToolHasTheThreadOfTheMission) {
    std::latch answered(4), called(1);
    const Server server([&](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            called.wait();
            peer.answer(delta("```clojure\\n(return ") + delta(between(request, "n=", ".") + ")\\n```", R"("stop")") +
                            "data: [DONE]\n\n",
                        "text/event-stream");
        }
    });
    Tool window = host_tool("window", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        called.count_down();
        answered.wait();
        return *arguments.find("n");
    });
    window.one_at_a_time = true;
    const AgentPtr asking = agent(
        {.prompt = "x", .tools = {window, child()->as_tool("ask", ModelRef(client_of(server)))}, .turn_budget = 100});
    MissionOptions options;
    options.model = ModelRef([](const LlmRequest&) -> LlmResult {
        return LlmReply{.text =
                            fenced("(return (pmap #(if (= % 4) (tool/window {:n %}) (tool/ask {:n %})) (range 5)))")};
    });
    options.on_delta = [&](const MissionDelta& one) {
        if (one.depth > 0 && one.delta.text.find("(return") != std::string_view::npos) answered.count_down();
    };
    const Step step = asking->run(std::move(options));
    EXPECT_EQ(step.value, first(5)) << reason_of(step);
}

TEST(LoopedModel, ConnectionsAreKeptForTheNextMission) {
    const Server server([](Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request())
            peer.answer(echo(request));
    });
    const Llm llm = client_of(server);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(child()->run(llm, json(R"({"n": 7})")).value, Datum(7));
    EXPECT_EQ(server.connections(), 1);
}

/// A host's own loop: answers each call the second time that it is looked at.
class TwoLooks : public ModelLoop {
public:
    explicit TwoLooks(std::set<std::thread::id>& threads) : threads_(threads) {}
    void start(std::uint64_t id, const LlmRequest& request) override {
        if (request.messages.back().content.find("n=3.") != std::string::npos) throw std::runtime_error("not that one");
        calls_.push_back({id, &request, 0});
    }
    void cancel(std::uint64_t id) override {
        std::erase_if(calls_, [id](const Call& call) { return call.id == id; });
    }
    std::vector<Done> take_done() override {
        threads_.insert(std::this_thread::get_id());
        std::vector<Done> done;
        for (Call& call : calls_)
            if (++call.looks == 2)
                done.push_back(
                    {call.id,
                     LlmReply{.text = fenced("(return " + between(call.request->messages.back().content, "n=", ".") +
                                             ")")}});
        std::erase_if(calls_, [](const Call& call) { return call.looks == 2; });
        return done;
    }
    [[nodiscard]] int descriptor() const override { return -1; }
    using Due = decltype(std::declval<const ModelLoop&>().due());
    [[nodiscard]] Due due() const override {
        if (calls_.empty()) return std::nullopt;
        return Due::value_type(); // long ago
    }

private:
    struct Call {
        std::uint64_t id;
        const LlmRequest* request;
        int looks;
    };
    std::set<std::thread::id>& threads_;
    std::vector<Call> calls_;
};

TEST(LoopedModel, HostsMayBringLoopsOfTheirOwn) {
    std::set<std::thread::id> threads;
    const Llm llm = looped([&] { return std::make_unique<TwoLooks>(threads); });
    const AgentPtr asking = parent(child()->as_tool("ask", ModelRef(llm)));
    EXPECT_EQ(asking->run(fan_out(3)).value, first(3));
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
    const Step step = asking->run({.model = ModelRef(fan_out(4)), .retry = RetryPolicy{.max_attempts = 1}});
    EXPECT_NE(step.trace.at(0).message.find("not that one"), std::string::npos) << step.trace.at(0).message;
    LlmRequest request = question("n=5.");
    EXPECT_EQ(kind_of(llm(request)), "reply: " + fenced("(return 5)")); // as a function
    const Llm none = looped([] { return std::unique_ptr<ModelLoop>(); });
    EXPECT_EQ(kind_of(none(request)), "exception");
    EXPECT_EQ(reason_of(child()->run(
                  {.model = ModelRef(none), .context = json(R"({"n": 1})"), .retry = RetryPolicy{.max_attempts = 1}})),
              "llm_error");
}

} // namespace
} // namespace ptc
