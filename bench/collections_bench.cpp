// What one operation of the collections costs when its collection has one owner, is shared, or is frozen. These three
// decide whether an update is in place, copies or makes an overlay (vector.cpp, keyed.cpp), so each has a line of its
// own.
#include "runtime/freeze.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <benchmark/benchmark.h>

namespace ptc {
namespace {

/// 200,000 distinct integers in no order.
std::int64_t scattered(std::int64_t i) { return i * 7919 % 200'003; }
constexpr std::int64_t kMany = 200'000;

struct Session {
    Heap heap;
    ShapeTable shapes{heap};
};

Value integers(Heap& heap, std::int64_t n) {
    Value v = empty_vector();
    for (std::int64_t i = 0; i < n; ++i)
        v = vector_conj(heap, std::move(v), Value::small_integer(i)).value();
    return v;
}
Value integer_map(Heap& heap, std::int64_t n) {
    Value m = empty_map();
    for (std::int64_t i = 0; i < n; ++i)
        m = map_assoc(heap, std::move(m), Value::small_integer(scattered(i)), Value::small_integer(i)).value();
    return m;
}

void per_item(benchmark::State& state, std::int64_t n) {
    state.counters["per_item"] = benchmark::Counter(
        static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void vector_conj_sole_owner(benchmark::State& state) {
    Session s;
    for (auto _ : state)
        benchmark::DoNotOptimize(integers(s.heap, 1'000'000).raw());
    per_item(state, 1'000'000);
}
BENCHMARK(vector_conj_sole_owner)->Unit(benchmark::kMillisecond);

void vector_conj_every_version_kept_a_moment(benchmark::State& state) {
    Session s;
    for (auto _ : state) {
        Value v = empty_vector();
        for (std::int64_t i = 0; i < 100'000; ++i) {
            Value before = v.copy();
            v = vector_conj(s.heap, std::move(v), Value::small_integer(i)).value();
        }
    }
    per_item(state, 100'000);
}
BENCHMARK(vector_conj_every_version_kept_a_moment)->Unit(benchmark::kMillisecond);

void vector_sum(benchmark::State& state) {
    Session s;
    Value v = integers(s.heap, 1'000'000);
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < 1'000'000; ++i)
            sum += vector_get(v, i).small_integer();
        benchmark::DoNotOptimize(sum);
    }
    per_item(state, 1'000'000);
}
BENCHMARK(vector_sum)->Unit(benchmark::kMillisecond);

void vector_assoc_over_frozen(benchmark::State& state) {
    Heap data;
    Value frozen = integers(data, kMany);
    freeze_value(frozen);
    Session s;
    for (auto _ : state) {
        Value v = frozen.copy();
        for (std::int64_t i = 0; i < kMany; ++i)
            v = vector_assoc(s.heap, std::move(v), static_cast<std::size_t>(scattered(i) % kMany), Value()).value();
    }
    per_item(state, kMany);
}
BENCHMARK(vector_assoc_over_frozen)->Unit(benchmark::kMillisecond);

void vector_rest_loop(benchmark::State& state) {
    Session s;
    Value all = integers(s.heap, kMany);
    for (auto _ : state) {
        Value v = all.copy();
        while (vector_length(v) != 0)
            v = vector_slice(s.heap, std::move(v), 1, vector_length(v)).value();
    }
    per_item(state, kMany);
}
BENCHMARK(vector_rest_loop)->Unit(benchmark::kMillisecond);

void map_assoc_sole_owner(benchmark::State& state) {
    Session s;
    for (auto _ : state)
        benchmark::DoNotOptimize(integer_map(s.heap, kMany).raw());
    per_item(state, kMany);
}
BENCHMARK(map_assoc_sole_owner)->Unit(benchmark::kMillisecond);

void map_replace_sole_owner(benchmark::State& state) {
    Session s;
    Value m = integer_map(s.heap, kMany);
    for (auto _ : state) {
        for (std::int64_t i = 0; i < kMany; ++i)
            m = map_assoc(s.heap, std::move(m), Value::small_integer(i), Value::small_integer(i)).value();
    }
    per_item(state, kMany);
}
BENCHMARK(map_replace_sole_owner)->Unit(benchmark::kMillisecond);

void map_find_integers(benchmark::State& state) {
    Session s;
    Value m = integer_map(s.heap, kMany);
    for (auto _ : state) {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < kMany; ++i) {
            if (const Value* found = map_find(s.heap, m, Value::small_integer(i))) sum += found->small_integer();
        }
        benchmark::DoNotOptimize(sum);
    }
    per_item(state, kMany);
}
BENCHMARK(map_find_integers)->Unit(benchmark::kMillisecond);

void map_assoc_over_frozen(benchmark::State& state) {
    Heap data;
    ShapeTable data_shapes(data);
    Value frozen = integer_map(data, kMany);
    freeze_value(frozen);
    Session s;
    for (auto _ : state) {
        Value m = frozen.copy();
        for (std::int64_t i = 0; i < kMany; ++i)
            m = map_assoc(s.heap, std::move(m), Value::small_integer(scattered(i)), Value::small_integer(i)).value();
    }
    per_item(state, kMany);
}
BENCHMARK(map_assoc_over_frozen)->Unit(benchmark::kMillisecond);

void map_count_words(benchmark::State& state) {
    Session s;
    std::vector<Value> words;
    for (int i = 0; i < 5000; ++i)
        words.push_back(make_string(s.heap, "word" + std::to_string(i)).value());
    for (auto _ : state) {
        Value counts = empty_map();
        for (std::int64_t i = 0; i < 100'000; ++i)
            counts = map_count_at(s.heap, std::move(counts), words[static_cast<std::size_t>(i * 7919 % 5000)].copy())
                         .value();
    }
    per_item(state, 100'000);
}
BENCHMARK(map_count_words)->Unit(benchmark::kMillisecond);

void map_group(benchmark::State& state) {
    Session s;
    std::vector<Value> keys;
    for (int i = 0; i < 8; ++i)
        keys.push_back(make_keyword(s.heap, "group" + std::to_string(i)).value());
    for (auto _ : state) {
        Value groups = empty_map();
        for (std::int64_t i = 0; i < 100'000; ++i)
            groups = map_append_at(s.heap, std::move(groups), keys[static_cast<std::size_t>(i & 7)].copy(),
                                   Value::small_integer(i))
                         .value();
    }
    per_item(state, 100'000);
}
BENCHMARK(map_group)->Unit(benchmark::kMillisecond);

void map_sorted_view(benchmark::State& state) {
    Session s;
    for (auto _ : state) {
        state.PauseTiming();
        Value m = integer_map(s.heap, kMany);
        state.ResumeTiming();
        benchmark::DoNotOptimize(MapView::of(s.heap, m).value().size());
        state.PauseTiming();
        m = Value();
        state.ResumeTiming();
    }
    per_item(state, kMany);
}
BENCHMARK(map_sorted_view)->Unit(benchmark::kMillisecond);

/// Six fields each time; `assoc` walks the transitions of shapes.
void record_build(benchmark::State& state) {
    Session s;
    std::vector<Value> keys;
    for (const char* name : {"id", "name", "price", "qty", "status", "total"})
        keys.push_back(make_keyword(s.heap, name).value());
    for (auto _ : state) {
        Value m = empty_map();
        for (const Value& key : keys)
            m = map_assoc(s.heap, std::move(m), key.copy(), Value()).value();
        benchmark::DoNotOptimize(m.raw());
    }
}
BENCHMARK(record_build);

void record_replace(benchmark::State& state, bool shared) {
    Session s;
    std::vector<Value> keys;
    Value m = empty_map();
    for (const char* name : {"id", "name", "price", "qty", "status", "total"}) {
        keys.push_back(make_keyword(s.heap, name).value());
        m = map_assoc(s.heap, std::move(m), keys.back().copy(), Value()).value();
    }
    Value other = shared ? m.copy() : Value();
    for (auto _ : state) {
        Value changed =
            map_assoc(s.heap, shared ? other.copy() : std::move(m), keys[3].copy(), Value::small_integer(1)).value();
        m = std::move(changed);
    }
}
BENCHMARK_CAPTURE(record_replace, in_place, false);
BENCHMARK_CAPTURE(record_replace, copied, true);

void set_conj_sole_owner(benchmark::State& state) {
    Session s;
    for (auto _ : state) {
        Value set = empty_set();
        for (std::int64_t i = 0; i < kMany; ++i)
            set = set_conj(s.heap, std::move(set), Value::small_integer(scattered(i))).value();
    }
    per_item(state, kMany);
}
BENCHMARK(set_conj_sole_owner)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace ptc
