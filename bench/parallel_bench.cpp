// What pmap costs and gains beside map. The argument is EngineOptions::threads: 0 for none beside the session's own.
#include <benchmark/benchmark.h>
#include <ptc/ptc.h>
#include <string>

namespace {

using namespace ptc;

std::shared_ptr<const DataSet> orders() {
    std::string json = "[";
    for (int i = 0; i < 2000; ++i) {
        json += (i ? "," : "") + std::string(R"({"id":)") + std::to_string(i) + R"(,"region":"r)" +
                std::to_string(i % 16) + R"(","note":"paid by card no )" + std::to_string(i * 7919) +
                R"(, delivered","amount":)" + std::to_string(i % 400) + ".5}";
    }
    return DataSet::from_json("orders", json + "]").value();
}

void run(benchmark::State& state, const char* source, unsigned threads) {
    const Engine engine({.limits = {.timeout = std::chrono::minutes(1)}, .threads = threads});
    const Compiled compiled = engine.compile(source);
    const auto data = orders();
    for (auto _ : state) {
        const Outcome outcome = engine.run(compiled.program, {.data = {data}});
        if (!outcome.ok()) return state.SkipWithError(outcome.error->message.c_str());
        benchmark::DoNotOptimize(outcome.usage.fuel);
    }
}

// Work over frozen data: nothing is copied.
constexpr const char* kReport = R"(
  (pmap (fn [region]
          (let [mine (filter #(= (:region %) region) data/orders)]
            [region (sum-by :amount mine) (frequencies (map #(re-find #"[0-9]+" (:note %)) mine))]))
        (distinct (map :region data/orders)))
)";
void report_by_map(benchmark::State& state) {
    std::string source = kReport;
    source.replace(source.find("pmap"), 4, "map");
    run(state, source.c_str(), 0);
}
BENCHMARK(report_by_map)->UseRealTime();

void report_by_pmap(benchmark::State& state) { run(state, kReport, static_cast<unsigned>(state.range(0))); }
BENCHMARK(report_by_pmap)->Arg(0)->Arg(1)->Arg(3)->Arg(7)->UseRealTime();

// The opposite: nothing but branches.
void nothing_by_map(benchmark::State& state) { run(state, "(count (map inc (range 1000)))", 0); }
BENCHMARK(nothing_by_map)->UseRealTime();
void nothing_by_pmap(benchmark::State& state) {
    run(state, "(count (pmap inc (range 1000)))", static_cast<unsigned>(state.range(0)));
}
BENCHMARK(nothing_by_pmap)->Arg(0)->Arg(1)->UseRealTime();
void two_calls(benchmark::State& state) {
    run(state, "(pcalls #(do 1) (fn [] 2))", static_cast<unsigned>(state.range(0)));
}
BENCHMARK(two_calls)->Arg(0)->Arg(1)->UseRealTime();

} // namespace
