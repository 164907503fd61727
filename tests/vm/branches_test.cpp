// pmap and pcalls in a Vm by itself: what they give and cost is the same in whatever order somebody runs the lanes. The
// executor of the test runs the last lane first, on the thread of the test.
#include "compiler/compile.h"
#include "runtime/print.h"
#include "runtime/string.h"
#include "tests/support/untimed.h"
#include "vm/vm.h"
#include <gtest/gtest.h>
#include <map>

namespace ptc {
namespace {

struct Services : HostServices {
    bool print(std::string_view) override { return ++prints < 1000; }
    std::int64_t now_millis() override { return 0; }
    int prints = 0;
};

/// Keeps what tasks came to as text, and says in which order.
struct KeepingServices : Services {
    struct Said : SaidTask {
        std::string text;
    };
    bool has_task(std::string_view id) override { return kept.contains(id); }
    Result<Value> task_value(Heap& heap, ShapeTable&, std::string_view id) override {
        return make_string(heap, kept.find(id)->second);
    }
    [[nodiscard]] bool has_journal() const override { return true; }
    Result<std::unique_ptr<SaidTask>> say_task(Heap& heap, std::string_view, const Value& value) override {
        auto said = std::make_unique<Said>();
        said->text = print_to_string(heap, value, PrintStyle::Readable);
        said->is_whole = false;
        said->bytes = said->text.size();
        return Result<std::unique_ptr<SaidTask>>(std::move(said));
    }
    Result<Value> value_of(Heap& heap, const SaidTask& said) override {
        return make_string(heap, static_cast<const Said&>(said).text);
    }
    Result<void> keep_task(std::string_view id, std::unique_ptr<SaidTask> said) override {
        kept[std::string(id)] = static_cast<const Said&>(*said).text;
        log += std::string(id) + "=" + static_cast<const Said&>(*said).text + " ";
        return {};
    }
    void forget_task(std::string_view id) override {
        kept.erase(std::string(id));
        log += "-" + std::string(id) + " ";
    }
    std::map<std::string, std::string, std::less<>> kept;
    std::string log;
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
        return run(services, program, limits, executor, calls);
    }
    static std::string run(HostServices& host, const Program& program, const Limits& limits, Executor* executor,
                           int* calls) {
        Vm vm(host, nullptr, executor);
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
    Limits limits = test::untimed();
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

TEST_F(Branches, KeepTheSameInAnyOrder) {
    const char* programs[] = {
        "(pmap (fn [x] (task (str x) (tool/t {:x x}))) (range 20))",
        // One fails behind its call, before it, and in a fork of its own; so do others.
        "(pmap (fn [x] (task (str x) (+ (tool/t {:x x}) (if (> x 8) (name x) x)))) (range 20))",
        "(pmap (fn [x] (task (str \"a\" x) x) (tool/t {:x x}) (task (str \"b\" x) (if (= x 9) (name x) x))) (range "
        "20))",
        "(pmap (fn [x] (if (= x 9) (name x) (task (str x) (tool/t {:x x})))) (range 20))",
        "(pmap (fn [x] (pmap (fn [y] (task (str x \"/\" y) (tool/t {:y y})) (task (str x \"-\" y) (if (= 15 (+ x y)) "
        "(name x) y))) (range (rem x 4)))) (range 20))",
        "(pmap (fn [x] (task (str x) (if (= x 9) (name x) x))) (range 20))",
        // The same ones in several branches.
        "(pmap (fn [x] (try (task (str (rem x 3)) (tool/t {:x x})) (catch Exception e 0))) (range 20))",
        "(pmap (fn [x] (tool/t {:x x}) (task (str (rem x 3)) x) (task-reset (str (rem x 4))) (tool/t {:x x})) (range "
        "20))",
        // Work behind a failure, which counts where the lane is the one that failed.
        "(pmap (fn [x] (tool/t {:x x}) (task (str x) (if (= x 3) (name x) (count (vec (range (* 100 x))))))) (range "
        "20))",
    };
    for (const std::uint32_t lanes : {1U, 3U, 64U}) {
        Limits limits = test::untimed();
        limits.fuel = 300'000;
        limits.heap_bytes = 4u << 20;
        limits.parallel_lanes = lanes;
        for (const char* source : programs) {
            const auto program = compile_text(source);
            ASSERT_TRUE(program);
            KeepingServices host, one_lane, backwards_host;
            int calls = 0, calls_of_one = 0, calls_backwards = 0;
            Backwards backwards;
            EXPECT_EQ(run(host, *program, limits, nullptr, &calls),
                      run(backwards_host, *program, limits, &backwards, &calls_backwards))
                << source;
            EXPECT_EQ(host.log, backwards_host.log) << source;
            EXPECT_EQ(calls, calls_backwards) << source;
            EXPECT_FALSE(host.log.empty()) << source;
            limits.parallel_lanes = 1;
            (void)run(one_lane, *program, limits, nullptr, &calls_of_one);
            limits.parallel_lanes = lanes;
            EXPECT_EQ(host.log, one_lane.log) << source << lanes;
            EXPECT_EQ(calls, calls_of_one) << source;
        }
    }
}

TEST_F(Branches, TheNumberOfLanesIsALimitOfTheRun) {
    const auto program = compile_text("(pmap (fn [x] (count (vec (range 10000)))) (range 3))");
    Limits limits = test::untimed();
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
    Limits limits = test::untimed();
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
        EXPECT_EQ(vm.start(*program, test::untimed(), nullptr, 0), Status::Suspended);
        EXPECT_EQ(vm.calls().size(), 30u);
        vm.answer(3, vm.calls()[3].arguments->copy());
    }
    Vm vm(services);
    EXPECT_EQ(vm.start(*program, test::untimed(), nullptr, 0), Status::Suspended);
    vm.abandon();
    EXPECT_EQ(vm.error().reason, Reason::Interrupted);
    vm.shapes.sweep();
    EXPECT_EQ(vm.heap.live_bytes(), 0u);
}

} // namespace
} // namespace ptc
