// Source text to a Program, without and with the checks of check.h: every program of bench/programs and
// tools/demo_programs.
#include "compiler/compile.h"
#include "tests/support/core.h"
#include <benchmark/benchmark.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace ptc;

using test::core;

std::vector<std::string> texts(const std::string& folder, const std::string& extension) {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(PTC_SOURCE_DIR) + "/" + folder)) {
        if (entry.path().extension() != extension) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        result.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return result;
}

void compile_all(benchmark::State& state, const std::vector<std::string>& programs) {
    CompileOptions options;
    options.environment.any_tool = true;
    options.environment.any_global = true;
    options.warnings = state.range(0) != 0;
    for (auto _ : state) {
        for (const std::string& text : programs) {
            Diagnostics diagnostics;
            const auto program = compile(Source("program", text), options, core(), diagnostics);
            if (!program) state.SkipWithError("a program does not compile");
            benchmark::DoNotOptimize(program.get());
        }
    }
}

void compile_bench_programs(benchmark::State& state) { compile_all(state, texts("bench/programs", ".lisp")); }
BENCHMARK(compile_bench_programs)->Arg(0)->Arg(1)->ArgName("checks");

void compile_demo_programs(benchmark::State& state) { compile_all(state, texts("tools/demo_programs", ".ptc")); }
BENCHMARK(compile_demo_programs)->Arg(0)->Arg(1)->ArgName("checks");

void compile_trivial(benchmark::State& state) { compile_all(state, {"(+ 1 2)"}); }
BENCHMARK(compile_trivial)->Arg(0)->Arg(1)->ArgName("checks");

} // namespace
