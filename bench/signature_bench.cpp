// Signatures: parsing, compiling, looking up, and checking 10,000 records of 8 typed fields beside a bare loop over
// them.
#include "compiler/compile.h"
#include "compiler/signature/signature_cache.h"
#include "runtime/freeze.h"
#include "runtime/json.h"
#include "vm/vm.h"
#include <benchmark/benchmark.h>

namespace ptc {
namespace {

constexpr std::string_view kRecord =
    "{id :int, name :string, price :float, quantity :int, paid :bool, region :string, status :keyword, note :string?}";
/// 200 characters.
constexpr std::string_view kSignature =
    "(query :string, limit :int?, filter {tag :string?, since :datetime, status :enum[open done]}) -> {total :int, "
    "results "
    "[{id :int, name :string, score :float, tags [:string], meta :map?}], next :string?}";

std::string records(std::size_t n) {
    std::string json = "[";
    for (std::size_t i = 0; i < n; ++i) {
        json += i > 0 ? "," : "";
        json += R"({"id":)" + std::to_string(i) + R"(,"name":"item )" + std::to_string(i) + R"(","price":)" +
                std::to_string(i) + R"(.25,"quantity":)" + std::to_string(i % 7 + 1) +
                R"(,"paid":true,"region":"north","status":"open","note":"x"})";
    }
    return json + "]";
}

class Silent : public HostServices {
public:
    bool print(std::string_view) override { return true; }
    std::int64_t now_millis() override { return 0; }
};

struct Bed {
    Silent services;
    Vm vm{services};
    CoreLibrary core;

    Bed() {
        Diagnostics diagnostics;
        compile_core(core, diagnostics);
    }
    void meter() { vm.heap.meter.start(Meter::kUnlimited / 2, Meter::Clock::now() + std::chrono::hours(1), nullptr); }
};

void check(benchmark::State& state, const std::string& type, bool coerced) {
    Bed bed;
    const auto validator =
        compile_validator(parse_signature(type).value().returns, coerced ? Direction::Input : Direction::Output)
            .value();
    const Value rows = parse_json(bed.vm.heap, bed.vm.shapes, records(10'000)).value();
    bed.meter();
    for (auto _ : state) {
        CheckReport report;
        Result<Value> value = bed.vm.check(*validator, rows.copy(), {}, report);
        if (!value.ok() || !report.ok()) state.SkipWithError("not valid");
    }
    state.SetItemsProcessed(state.iterations() * 10'000);
}

void CheckRecords(benchmark::State& state) {
    // A keyword in JSON is a text: compare what ajv compares.
    std::string type(kRecord);
    type.replace(type.find(":keyword"), 8, ":string");
    check(state, "[" + type + "]", false);
}
BENCHMARK(CheckRecords);

void CheckRecordsAsArguments(benchmark::State& state) {
    std::string type(kRecord);
    type.replace(type.find(":keyword"), 8, ":string");
    check(state, "[" + type + "]", true);
}
BENCHMARK(CheckRecordsAsArguments);

/// The same fields of the same records, read in the VM and tested for truth: nothing is checked.
void BareLoop(benchmark::State& state) {
    Bed bed;
    CompileOptions options;
    Diagnostics diagnostics;
    const std::string source = "(reduce (fn [n r] (if (and (:id r) (:name r) (:price r) (:quantity r) (:paid r) "
                               "(:region r) (:status r) (:note r)) "
                               "(inc n) n)) 0 data/rows)";
    const auto program = compile(Source("bare", source), options, bed.core, diagnostics);
    const std::string json = R"({"rows":)" + records(10'000) + "}";
    bed.vm.data.push_back(parse_json(bed.vm.heap, bed.vm.shapes, json).value());
    Limits limits;
    limits.timeout = std::chrono::milliseconds(100'000);
    limits.heap_bytes = std::uint64_t{1} << 30;
    for (auto _ : state) {
        const Status status = bed.vm.start(*program, limits, nullptr, 0);
        if (status != Status::Done || bed.vm.take_result().small_integer() != 10'000)
            state.SkipWithError("wrong answer");
    }
    state.SetItemsProcessed(state.iterations() * 10'000);
}
BENCHMARK(BareLoop);

void ParseSignature(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(parse_signature(kSignature).ok());
}
BENCHMARK(ParseSignature);

void ParseAndCompile(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(compile_signature(parse_signature(kSignature).value()).ok());
}
BENCHMARK(ParseAndCompile);

void CachedLookup(benchmark::State& state) {
    SignatureCache cache;
    for (int i = 0; i < 100; ++i)
        (void)cache.get("{f" + std::to_string(i) + " :int}");
    for (auto _ : state)
        benchmark::DoNotOptimize(cache.get(kSignature).ok());
}
BENCHMARK(CachedLookup);

} // namespace
} // namespace ptc
