// Dumping and loading suspended runs: with 200 orders in the run's own memory, with a small state, with data that are
// referred to.
#include <benchmark/benchmark.h>
#include <ptc/ptc.h>

namespace ptc {
namespace {

/// 200 records of six fields, 17.7 KB of JSON.
std::string orders_json() {
    std::string out = "[";
    for (int i = 0; i < 200; ++i) {
        const std::string n = std::to_string(i);
        out += std::string(i ? "," : "") + R"({"id":)" + std::to_string(1000 + i) + R"(,"customer":"customer )" + n +
               R"(","region":")" + (i % 3 ? "north" : "south-west") + R"(","amount":)" + std::to_string(i * 7 % 500) +
               R"(.25,"status":")" + (i % 2 ? "paid" : "open") + R"(","items":)" + std::to_string(i % 9) + "}";
    }
    return out + "]";
}

Engine& engine() {
    static Engine made(EngineOptions{.tools = {{.name = "pause"}}, .warnings = false, .threads = 0, .tool_threads = 0});
    return made;
}

struct Suspension {
    Session session{engine()};
    RunOptions options;
    explicit Suspension(const std::string& program, bool with_orders = false, bool with_data = false) {
        if (with_orders) (void)session.define("orders", Datum::from_json(orders_json()).value());
        if (with_data) options.data = {DataSet::from_json("orders", orders_json()).value()};
        if (!std::holds_alternative<Suspended>(session.start(program, options))) std::abort();
    }
};

void dump(benchmark::State& state, Suspension& run) {
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes = run.session.save().value().size();
    state.counters["bytes"] = static_cast<double>(bytes);
    state.counters["json"] = static_cast<double>(orders_json().size());
}

void load(benchmark::State& state, Suspension& run) {
    const std::string bytes = run.session.save().value();
    for (auto _ : state)
        benchmark::DoNotOptimize(Session::restore(engine(), bytes, run.options).value());
}

constexpr const char* kOwn =
    "(let [paid (filter (fn [o] (= (:status o) \"paid\")) orders)] (tool/pause {}) (count paid))";
constexpr const char* kData = "(let [o (first data/orders)] (tool/pause {:id (:id o)}) (count data/orders))";

void dump_orders(benchmark::State& state) {
    Suspension run(kOwn, true);
    dump(state, run);
}
void load_orders(benchmark::State& state) {
    Suspension run(kOwn, true);
    load(state, run);
}
void dump_small(benchmark::State& state) {
    Suspension run("(+ 1 (tool/pause {}))");
    dump(state, run);
}
void load_small(benchmark::State& state) {
    Suspension run("(+ 1 (tool/pause {}))");
    load(state, run);
}
void dump_data(benchmark::State& state) {
    Suspension run(kData, false, true);
    dump(state, run);
}
void load_data(benchmark::State& state) {
    Suspension run(kData, false, true);
    load(state, run);
}

BENCHMARK(dump_orders);
BENCHMARK(load_orders);
BENCHMARK(dump_small);
BENCHMARK(load_small);
BENCHMARK(dump_data);
BENCHMARK(load_data);

} // namespace
} // namespace ptc
