// pmap and pcalls in a Vm by itself: what they give and cost is the same in whatever order somebody runs the lanes. The
// executor of the test runs the last lane first, on the thread of the test.
#include "compiler/compile.h"
#include "runtime/print.h"
#include "vm/vm.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

struct Services : HostServices {
    bool print(std::string_view) override { return ++prints < 1000; }
    std::int64_t now_millis() override { return 0; }
    int prints = 0;
};

/// The last lane first: whatever the first one does, the others have run before.
struct Backwards : Executor {
    void run(std::size_t count, const std::function<void(std::size_t)>& job) override {
        for (std::size_t i = count; i-- > 0;)
            job(i);
        ++runs;
    }
    int runs = 0;
};

class Branches : public testing::Test {
protected:
    Branches() {
        Diagnostics diagnostics;
        compile_core(core, diagnostics);
        EXPECT_FALSE(diagnostics.has_errors());
    }
    std::unique_ptr<Program> compile_text(const char* source) {
        Diagnostics diagnostics;
        CompileOptions options;
        options.environment.any_tool = true;
        auto program = compile(Source("test", source), options, core, diagnostics);
        EXPECT_TRUE(program) << source;
        return program;
    }
    /// Result or error, fuel and peak.
    static std::string describe(Vm& vm, Status status) {
        std::string text = status == Status::Error
                               ? std::string(reason_name(vm.error().reason)) + " " + vm.error().message
                               : print_to_string(vm.heap, vm.result(), PrintStyle::Readable);
        return text + " " + std::to_string(vm.fuel_used()) + " " + std::to_string(vm.heap.peak_bytes());
    }
    /// The same with `executor`; tools give the number of their call, counted by `calls`.
    std::string run(const Program& program, const Limits& limits, Executor* executor, int* calls) {
        Vm vm(services, nullptr, executor);
        Status status = vm.start(program, limits, nullptr, 0);
        while (status == Status::Suspended) {
            for (std::size_t i = 0; i < vm.calls().size(); ++i)
                vm.answer(i, Value::small_integer(++*calls));
            status = vm.resume({});
        }
        return describe(vm, status);
    }

    CoreLibrary core;
    Services services;
};

TEST_F(Branches, GiveTheSameInAnyOrder) {
    const char* programs[] = {
        "(pmap (fn [x] (reduce + (map str (range x)))) (range 40))",
        "(pmap (fn [x] (count (reduce str (map str (range x))))) (range 40))",
        "(pmap (fn [x] (if (> x 6) (name x) (loop [i 0] (if (< i 1000) (recur (inc i)) x)))) (range 20))",
        "(pmap (fn [x] (if (> x 3) (loop [] (recur)) x)) (range 20))",
        "(pmap (fn [x] (if (> x 30) (loop [v []] (recur (conj v x))) (count (vec (range 1000))))) (range 40))",
        "(pmap (fn [x] [(tool/t {:x x}) (pmap (fn [y] (tool/t {:y y})) (range (rem x 3)))]) (range 20))",
        "(pmap (fn [x] (tool/t {:x x}) (tool/t (if (= x 15) 5 {:x x})) (if (= x 9) (name x))) (range 20))",
    };
    Limits limits;
    limits.fuel = 300'000;
    limits.heap_bytes = 4u << 20;
    for (const char* source : programs) {
        const auto program = compile_text(source);
        ASSERT_TRUE(program);
        int calls = 0, calls_backwards = 0;
        Backwards backwards;
        EXPECT_EQ(run(*program, limits, nullptr, &calls), run(*program, limits, &backwards, &calls_backwards))
            << source;
        EXPECT_EQ(calls, calls_backwards) << source;
        EXPECT_GT(backwards.runs, 0);
    }
}

TEST_F(Branches, TheNumberOfLanesIsALimitOfTheRun) {
    const auto program = compile_text("(pmap (fn [x] (count (vec (range 10000)))) (range 3))");
    Limits limits;
    int calls = 0;
    for (const std::uint32_t lanes : {0u, 1u, 2u, 100u}) {
        limits.parallel_lanes = lanes;
        EXPECT_EQ(run(*program, limits, nullptr, &calls).substr(0, 19), "[10000 10000 10000]");
    }
    // One lane has half of the heap, three have a quarter each.
    limits.heap_bytes = 1u << 18;
    limits.parallel_lanes = 1;
    EXPECT_EQ(run(*program, limits, nullptr, &calls)[0], '[');
    limits.parallel_lanes = 3;
    EXPECT_EQ(run(*program, limits, nullptr, &calls).substr(0, 15), "memory_exceeded");
}

TEST_F(Branches, FuelIsTheSumOverAll) {
    Limits limits;
    int calls = 0;
    const auto fuel_of = [&](const char* source) {
        const std::string text = run(*compile_text(source), limits, nullptr, &calls);
        return std::stoll(text.substr(text.find("] ") + 2));
    };
    const auto one = fuel_of("(pmap (fn [x] (reduce + 0 (range 100000))) [1])");
    const auto four = fuel_of("(pmap (fn [x] (reduce + 0 (range 100000))) [1 2 3 4])");
    EXPECT_NEAR(static_cast<double>(four) / static_cast<double>(one), 4.0, 0.1);
}

TEST_F(Branches, PrintsAreDropped) {
    const auto program = compile_text("(println 1) (pmap println [1 2 3]) (println 2)");
    int calls = 0;
    (void)run(*program, {}, nullptr, &calls);
    EXPECT_EQ(services.prints, 2);
}

TEST_F(Branches, AVmThatGoesWhileBranchesWaitGivesEverythingBack) {
    const auto program =
        compile_text("(def a \"text\") (pmap (fn [x] (def b [a x]) (tool/t {:b b})) (map str (range 30)))");
    {
        Vm vm(services);
        EXPECT_EQ(vm.start(*program, {}, nullptr, 0), Status::Suspended);
        EXPECT_EQ(vm.calls().size(), 30u);
        vm.answer(3, vm.calls()[3].arguments->copy());
    }
    Vm vm(services);
    EXPECT_EQ(vm.start(*program, {}, nullptr, 0), Status::Suspended);
    vm.abandon();
    EXPECT_EQ(vm.error().reason, Reason::Interrupted);
    vm.shapes.sweep();
    EXPECT_EQ(vm.heap.live_bytes(), 0u);
}

} // namespace
} // namespace ptc
