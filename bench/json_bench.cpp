// Loading JSON into values, which is half of a typical turn, and writing them out again. Beside it, where it is
// installed, what simdjson takes to walk through the same text on demand: each key and each value is looked at, and
// nothing kept.
#include "runtime/chunk_pool.h"
#include "runtime/json.h"
#include <benchmark/benchmark.h>
#include <ptc/data_set.h>
#include <string>
#ifdef PTC_HAS_SIMDJSON
#include <simdjson.h>
#endif

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

/// Records that are less even: spaces, records within records, texts that are all different or not ASCII, long
/// fractions.
std::string events(int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i * 2'654'435'761u);
        if (i) text += ", ";
        text += R"({"id": "e)" + n + R"(", "at": "2026-11-24T09:)" + std::to_string(10 + i % 50) +
                R"(:00Z", "user": {"name": "Zo\u00eb )" + n +
                R"(", "city": "Zürich", "tags": ["new", "vip"]}, "score": 0.)" + n + n +
                R"(, "ok": true, "note": null, "text": "said \"no\" )" +
                (i % 3 ? "and went on to the next thing on the list" : "") + "\"}";
    }
    return text + "]";
}

/// 100 MB of each, as a host imports a file.
const std::string& large_rows() {
    static const std::string text = rows(1'190'000);
    return text;
}
const std::string& large_events() {
    static const std::string text = events(460'000);
    return text;
}

void import_text(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        const auto data = DataSet::from_json("rows", text);
        if (!data.ok()) state.SkipWithError(data.error().message.c_str());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
void import_large_rows(benchmark::State& state) { import_text(state, large_rows()); }
BENCHMARK(import_large_rows)->Unit(benchmark::kMillisecond);
void import_large_events(benchmark::State& state) { import_text(state, large_events()); }
BENCHMARK(import_large_events)->Unit(benchmark::kMillisecond);

#ifdef PTC_HAS_SIMDJSON
namespace ondemand = simdjson::ondemand;

struct Walked {
    std::size_t bytes = 0;
    double sum = 0;
};

void walk(ondemand::value value, Walked& walked) {
    switch (value.type()) {
    case ondemand::json_type::array:
        for (auto item : value.get_array())
            walk(item.value(), walked);
        break;
    case ondemand::json_type::object:
        for (auto field : value.get_object()) {
            walked.bytes += field.unescaped_key().value().size();
            walk(field.value(), walked);
        }
        break;
    case ondemand::json_type::string: walked.bytes += value.get_string().value().size(); break;
    case ondemand::json_type::number: walked.sum += value.get_number().value().as_double(); break;
    case ondemand::json_type::boolean: walked.bytes += value.get_bool().value(); break;
    case ondemand::json_type::null: break;
    }
}

void simdjson_walk(benchmark::State& state, const std::string& text) {
    const simdjson::padded_string padded(text);
    ondemand::parser parser;
    Walked walked;
    for (auto _ : state) {
        auto document = parser.iterate(padded);
        for (auto item : document.get_array())
            walk(item.value(), walked);
    }
    benchmark::DoNotOptimize(walked);
    state.SetLabel(simdjson::get_active_implementation()->name());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
void simdjson_walks_large_rows(benchmark::State& state) { simdjson_walk(state, large_rows()); }
BENCHMARK(simdjson_walks_large_rows)->Unit(benchmark::kMillisecond);
void simdjson_walks_large_events(benchmark::State& state) { simdjson_walk(state, large_events()); }
BENCHMARK(simdjson_walks_large_events)->Unit(benchmark::kMillisecond);
void simdjson_walks_rows(benchmark::State& state) { simdjson_walk(state, rows(20'000)); }
BENCHMARK(simdjson_walks_rows);
#endif

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
