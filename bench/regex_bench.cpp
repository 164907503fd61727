// Compiling and searching with the patterns that programs write: by the scanner of our own, and by RE2 alone.
#include "runtime/regex.h"
#include <benchmark/benchmark.h>
#include <iterator>
#include <string>

namespace {

using namespace ptc;

constexpr const char* kPatterns[] = {"[a-z0-9]+@[a-z]+\\.com",
                                     "\\d+",
                                     "\\w+",
                                     "error: (\\w+)",
                                     "ERROR|FATAL",
                                     "(?i)warn",
                                     "\"[^\"]*\"",
                                     "#.*",
                                     "[^,\\n]+",
                                     "\\bcat\\b",
                                     "\\d{4}-\\d{2}-\\d{2}"};

/// Words of small letters, with what the patterns look for here and there.
const std::string& text() {
    static const std::string made = [] {
        constexpr const char* kRare[] = {"ann12@mail.com", "error: disk", "FATAL", "Warning", "\"a word\"",
                                         "# rest of it",   "2026-11-24",  "a,b,c", "cat",     "4711"};
        std::string out;
        std::uint32_t state = 1;
        const auto random = [&](std::uint32_t below) {
            return (state = state * 1'664'525 + 1'013'904'223) / 65'536 % below;
        };
        while (out.size() < 1'000'000) {
            if (random(40) == 0) {
                out += kRare[random(std::size(kRare))];
            } else {
                for (std::uint32_t i = 2 + random(8); i > 0; --i)
                    out += static_cast<char>('a' + random(26));
            }
            out += random(12) == 0 ? '\n' : ' ';
        }
        return out;
    }();
    return made;
}

void compile(benchmark::State& state) {
    const char* pattern = kPatterns[state.range(0)];
    state.SetLabel(pattern);
    for (auto _ : state) {
        Heap heap;
        benchmark::DoNotOptimize(make_regex(heap, pattern).value().raw());
    }
}
BENCHMARK(compile)->DenseRange(0, std::size(kPatterns) - 1);

/// Compiled, and used once on a short text.
void use_once(benchmark::State& state) {
    const char* pattern = kPatterns[state.range(0)];
    state.SetLabel(pattern);
    for (auto _ : state) {
        Heap heap;
        const Value regex = make_regex(heap, pattern).value();
        benchmark::DoNotOptimize(
            RegexSearch(heap, regex, "2026-11-24 error: the disk of ann12@mail.com").next().value());
    }
}
BENCHMARK(use_once)->DenseRange(0, std::size(kPatterns) - 1);

void search(benchmark::State& state, bool by_scanner) {
    const char* pattern = kPatterns[state.range(0)];
    state.SetLabel(pattern);
    Heap heap;
    const Value regex = make_regex(heap, pattern).value();
    std::size_t found = 0;
    for (auto _ : state) {
        RegexSearch search(heap, regex, text());
        if (!by_scanner) search.leave_out_scanner();
        for (found = 0; search.next().value(); ++found) {
        }
    }
    state.counters["matches"] = static_cast<double>(found);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text().size()));
}
void search_by_scanner(benchmark::State& state) { search(state, true); }
void search_by_re2(benchmark::State& state) { search(state, false); }
BENCHMARK(search_by_scanner)->DenseRange(0, std::size(kPatterns) - 1);
BENCHMARK(search_by_re2)->DenseRange(0, std::size(kPatterns) - 1);

} // namespace
