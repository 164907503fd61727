// Text to forms: a turn's program, and a long one.
#include "frontend/reader/reader.h"
#include <benchmark/benchmark.h>
#include <string>

namespace {

using namespace ptc;

constexpr const char* kTurn =
    R"((let [open (filter (fn [o] (or (= (:status o) "paid") (= (:status o) "shipped"))) data/orders)
      groups (group-by :region open)
      rows (map (fn [[region os]]
                  (let [total (reduce + 0 (map (fn [o] (* (:amount o) (:qty o))) os))]
                    {:region region :n (count os) :total total :best (apply max (map :amount os))}))
                groups)
      top (take 3 (sort-by :total > rows))]
  (clojure.string/join ";"
    (map (fn [r] (str (:region r) "=" (:n r) "," (int (:total r)) "," (int (:best r)))) top)))
)";

void read_turns(benchmark::State& state) {
    std::string text;
    for (std::int64_t i = 0; i < state.range(0); ++i)
        text += kTurn;
    const Source source("turn", text);
    for (auto _ : state) {
        Diagnostics diagnostics;
        const Forms forms = read_forms(source, ReadLimits{}, diagnostics);
        benchmark::DoNotOptimize(forms.top_level().data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_turns)->Arg(1)->Arg(100);

} // namespace
