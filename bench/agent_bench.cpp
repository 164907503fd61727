// What the agent layer costs beside the time of models and tools: a turn of the loop, and many missions at once. Models
// answer at once and tools wait for a fixed time, so what is measured above that is ours. Numbers and targets are in
// bench/README.md.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <fstream>
#include <ptc/ptc.h>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace ptc;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void give_up(const std::string& why) {
    std::fprintf(stderr, "agent_bench: %s\n", why.c_str());
    std::abort();
}

Datum records(int count) {
    Datum::List rows;
    for (int i = 0; i < count; ++i)
        rows.push_back(Datum::object({{"id", i},
                                      {"region", "region-" + std::to_string(i % 7)},
                                      {"status", i % 3 ? "paid" : "open"},
                                      {"amount", (i * 37 % 500) + 0.5},
                                      {"note", "paid by card no " + std::to_string(i * 7919)}}));
    return Datum::object({{"orders", Datum(std::move(rows))}});
}

// Twenty lines, as models write them.
constexpr const char* kReply = R"(I sum up what was paid, by region.
```clojure
(defn tidy [order]
  {:region (upper-case (:region order))
   :status (keyword (:status order))
   :amount (or (:amount order) 0)})

(def paid
  (->> data/orders
       (map tidy)
       (filter #(= (:status %) :paid))))

(def by-region
  (->> (group-by :region paid)
       (map (fn [[region rows]]
              {:region region
               :orders (count rows)
               :total  (sum-by :amount rows)}))
       (sort-by :total >)))

{:best  (first by-region)
 :total (sum-by :total by-region)
 :count (count paid)}
```)";

/// All of a turn but the model: the request with its prompts is made, the program is found in the reply, compiled and
/// run, its result becomes data and is told.
void turn(benchmark::State& state) {
    constexpr std::size_t kTurns = 50;
    const AgentPtr agent = Agent::create({.prompt = "Which region pays most?",
                                          .signature = "() -> {region :string}",
                                          .max_turns = kTurns,
                                          .turn_budget = kTurns})
                               .value();
    MissionOptions options;
    options.context = records(200);
    options.model = ModelRef([](const LlmRequest&) -> LlmResult { return LlmReply{.text = kReply}; });
    std::size_t turns = 0;
    for (auto _ : state) {
        const Step step = agent->run(options);
        if (step.trace.size() != kTurns || !step.trace.back().ok) return state.SkipWithError("a turn failed");
        turns += kTurns;
    }
    state.counters["turn"] =
        benchmark::Counter(static_cast<double>(turns), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(turn)->Unit(benchmark::kMillisecond);

// ---- Missions over a data set that they share

std::shared_ptr<const DataSet> shared_orders(int count) {
    return DataSet::from_json("orders", records(count)["orders"].to_json()).value();
}

/// One program over `data`, which is looked at for the first time or not.
void mission_over(benchmark::State& state, const AgentPtr& agent, const std::shared_ptr<const DataSet>& data) {
    MissionOptions options;
    options.data = {data};
    options.model = ModelRef([](const LlmRequest&) -> LlmResult {
        return LlmReply{.text = "```clojure\n(return (:region (peek data/orders)))\n```"};
    });
    if (!agent->run(std::move(options)).ok) state.SkipWithError("a mission failed");
}

void shared_data(benchmark::State& state) {
    const AgentPtr agent = Agent::create({.prompt = "Which region is last?"}).value();
    const auto data = shared_orders(static_cast<int>(state.range(0)));
    mission_over(state, agent, data);
    for (auto _ : state)
        mission_over(state, agent, data);
}
BENCHMARK(shared_data)->ArgName("rows")->Arg(10)->Arg(100'000)->Unit(benchmark::kMicrosecond);

void shared_data_first(benchmark::State& state) {
    const AgentPtr agent = Agent::create({.prompt = "Which region is last?"}).value();
    for (auto _ : state) {
        state.PauseTiming();
        auto data = shared_orders(static_cast<int>(state.range(0)));
        state.ResumeTiming();
        mission_over(state, agent, data);
        state.PauseTiming();
        data.reset();
        state.ResumeTiming();
    }
}
BENCHMARK(shared_data_first)->ArgName("rows")->Arg(10)->Arg(100'000)->Unit(benchmark::kMicrosecond)->Iterations(10);

// ---- Many missions: five turns each, as many as agents have by default; four wait for a tool that takes 50 ms

constexpr std::size_t kMissions = 1000;
constexpr milliseconds kToolTime{50};
constexpr int kCalls = 4;

Llm waiting_model() {
    return [](const LlmRequest& request) -> LlmResult {
        const std::string n = std::to_string(request.turn);
        const std::string program =
            request.turn <= kCalls ? "(def row" + n + " (tool/look {:id " + n + "}))\n" + "(:amount row" + n + ")"
                                   : "(return {:sum (+ (:amount row1) (:amount row2) (:amount row3) (:amount row4))})";
        return LlmReply{.text = "```clojure\n" + program + "\n```"};
    };
}

AgentPtr waiting_agent(ToolFunction look) {
    return Agent::create({.prompt = "Look four times.",
                          .signature = "() -> {sum :int}",
                          .tools = {Tool{
                              .name = "look", .signature = "(id :int) -> {amount :int}", .function = std::move(look)}}})
        .value();
}

Result<Datum> answer_of(const Datum& arguments) { return Datum::object({{"amount", *arguments.find("id")}}); }

void check(const Step& step) {
    if (!step.ok || *step.value.find("sum") != Datum(10)) give_up("a mission failed");
}

std::size_t status_kib(const char* field) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t value = 0;
        if (word == std::string(field) + ":" && status >> value) return value;
    }
    return 0;
}

void report(benchmark::State& state, SteadyClock::duration took) {
    const double ideal = kCalls * std::chrono::duration<double>(kToolTime).count();
    state.SetIterationTime(std::chrono::duration<double>(took).count());
    state.counters["of_ideal"] = std::chrono::duration<double>(took).count() / ideal;
    state.counters["peak_MiB"] = static_cast<double>(status_kib("VmHWM")) / 1024;
}

struct Timer {
    SteadyClock::time_point due;
    std::size_t mission;
    ToolNeed need;
    friend bool operator<(const Timer& a, const Timer& b) { return a.due > b.due; } // the next one is on top
};

/// An event loop over some of the missions: a tool is a timer.
void drive(const AgentPtr& agent, std::size_t count) {
    std::vector<Mission> missions;
    std::priority_queue<Timer> timers;
    const auto serve = [&](std::size_t i) {
        for (Needs needs = missions[i].take_needs(); !needs.empty(); needs = missions[i].take_needs()) {
            for (const ToolNeed& need : needs.tools)
                timers.push({SteadyClock::now() + kToolTime, i, need});
            for (const LlmNeed& need : needs.llm)
                missions[i].answer(need.id, (*need.model)(need.request));
        }
    };
    for (std::size_t i = 0; i < count; ++i) {
        missions.emplace_back(agent, MissionOptions{.model = ModelRef(waiting_model())});
        missions[i].start();
        serve(i);
    }
    while (!timers.empty()) {
        const Timer next = timers.top();
        timers.pop();
        std::this_thread::sleep_until(next.due);
        missions[next.mission].answer(next.need.id, ToolAnswer(answer_of(next.need.arguments).value()));
        serve(next.mission);
    }
    for (const Mission& mission : missions)
        check(mission.step());
}

void missions_in_event_loops(benchmark::State& state) {
    const AgentPtr agent = waiting_agent({});
    const auto loops = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        const auto start = SteadyClock::now();
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < loops; ++i)
            threads.emplace_back([&] { drive(agent, kMissions / loops); });
        for (std::thread& thread : threads)
            thread.join();
        report(state, SteadyClock::now() - start);
    }
}
BENCHMARK(missions_in_event_loops)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5);

/// The simple form: Agent::run on a thread for each mission, tools that sleep on it.
void missions_on_threads(benchmark::State& state) {
    const AgentPtr agent = waiting_agent([](const Datum& arguments) {
        std::this_thread::sleep_for(kToolTime);
        return answer_of(arguments);
    });
    for (auto _ : state) {
        const auto start = SteadyClock::now();
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < kMissions; ++i)
            threads.emplace_back([&] { check(agent->run(waiting_model())); });
        for (std::thread& thread : threads)
            thread.join();
        report(state, SteadyClock::now() - start);
    }
}
BENCHMARK(missions_on_threads)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

} // namespace
