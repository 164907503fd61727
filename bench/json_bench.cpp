// Loading JSON into values, which is half of a typical turn, and writing them out again.
#include "runtime/chunk_pool.h"
#include "runtime/json.h"
#include <benchmark/benchmark.h>
#include <string>

namespace {

using namespace ptc;

/// Rows like those of a typical context: six fields, one float.
std::string rows(int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) {
        if (i) text += ',';
        text += R"({"id":)" + std::to_string(i) + R"(,"customer":"c)" + std::to_string(i * 7 % 1000) +
                R"(","region":"north","status":"paid","amount":)" + std::to_string(i % 40000) + R"(.25,"qty":)" +
                std::to_string(1 + i % 9) + "}";
    }
    return text + "]";
}

void parse_rows(benchmark::State& state) {
    const std::string text = rows(static_cast<int>(state.range(0)));
    ChunkPool pool;
    for (auto _ : state) {
        Heap heap(Heap::Mode::Frozen, &pool);
        ShapeTable shapes(heap);
        benchmark::DoNotOptimize(parse_json(heap, shapes, text).value().raw());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_rows)->Arg(1)->Arg(200)->Arg(20'000);

void parse_numbers(benchmark::State& state) {
    std::string text = "[0";
    for (int i = 0; i < 1000; ++i)
        text += "," + std::to_string(i * 1.000123e-3);
    text += "]";
    for (auto _ : state) {
        Heap heap;
        ShapeTable shapes(heap);
        benchmark::DoNotOptimize(parse_json(heap, shapes, text).value().raw());
    }
    state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(parse_numbers);

void print_rows(benchmark::State& state) {
    Heap heap;
    ShapeTable shapes(heap);
    const Value value = parse_json(heap, shapes, rows(static_cast<int>(state.range(0)))).value();
    std::string out;
    for (auto _ : state) {
        out.clear();
        benchmark::DoNotOptimize(to_json(heap, value, out));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(print_rows)->Arg(200)->Arg(20'000);

} // namespace
