// Runs programs with every budget from nothing up to enough: each time the breach is a typed error, and the session
// owns afterwards what it owned before.
#include "compiler/compile.h"
#include "runtime/copy.h"
#include "runtime/silent_host.h"
#include "tests/support/core.h"
#include "tests/support/language_file.h"
#include "tests/support/untimed.h"
#include "vm/vm.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

using test::core;
using test::untimed;

std::unique_ptr<Program> compile_text(const std::string& source) {
    Diagnostics diagnostics;
    CompileOptions options;
    options.environment.any_tool = true;
    return compile(Source("test", source), options, core(), diagnostics);
}

/// Status of one run in `vm`; the result is dropped.
Status run(Vm& vm, const Program& program, const Limits& limits) {
    const Status status = vm.start(program, limits, nullptr, 0);
    (void)vm.take_result();
    if (status == Status::Done || status == Status::Returned) vm.settle(true);
    vm.shapes.sweep();
    return status;
}

/// Runs to the end once: what stays afterwards (bound names, the table of shapes) is what each later run starts from.
std::size_t settled_bytes(Vm& vm, const Program& program) {
    EXPECT_NE(run(vm, program, untimed()), Status::Error);
    return vm.heap.live_bytes();
}

/// Programs of tests/language that end without an error.
std::vector<std::string> sources() {
    std::vector<std::string> all;
    for (const auto& file : test::files_below(PTC_TEST_DATA "/language", ".ptc")) {
        if (const auto folder = file.parent_path().filename(); folder == "limits" || folder == "preludes")
            continue; // need a host
        for (const auto& c : test::read_language_file(file)) {
            if (!c.is_error && c.source.find("tool/") == std::string::npos) all.push_back(c.source);
        }
    }
    return all;
}

TEST(FailLoop, EveryAmountOfFuelLeavesTheSessionClean) {
    SilentHost services;
    for (const std::string& source : sources()) {
        const auto program = compile_text(source);
        ASSERT_TRUE(program) << source;
        Vm vm(services);
        Limits limits = untimed();
        const std::size_t before = settled_bytes(vm, *program);
        Status status = Status::Error;
        for (std::int64_t fuel = 0; status == Status::Error && fuel < 3000; fuel += 1 + fuel / 40) {
            limits.fuel = fuel;
            status = run(vm, *program, limits);
            if (status != Status::Error) break;
            EXPECT_EQ(vm.error().reason, Reason::FuelExhausted) << source << vm.error().message;
            EXPECT_EQ(vm.heap.live_bytes(), before) << source << "\nfuel " << fuel;
        }
    }
}

TEST(FailLoop, EveryFailingAllocationLeavesTheSessionClean) {
    SilentHost services;
    for (const std::string& source : sources()) {
        const auto program = compile_text(source);
        ASSERT_TRUE(program) << source;
        Vm vm(services);
        Limits limits = untimed();
        const std::size_t before = settled_bytes(vm, *program);
        Status status = Status::Error;
        for (std::uint64_t bytes = 0; status == Status::Error && bytes < 200'000; bytes += 16 + bytes / 50) {
            limits.heap_bytes = bytes;
            status = run(vm, *program, limits);
            if (status != Status::Error) break;
            EXPECT_EQ(vm.error().reason, Reason::MemoryExceeded) << source << vm.error().message;
            EXPECT_EQ(vm.heap.live_bytes(), before) << source << "\nbytes " << bytes;
        }
    }
}

// Branches that wait for tools, some inside of others; each call gives back its arguments.
constexpr const char* kWaitingBranches[] = {
    "(def a (pmap (fn [x] (let [b (tool/echo {:n x}) c (tool/echo {:n b})] [b c x])) (map str (range 20))))",
    "(def a 1) (pmap (fn [x] (def a [x a]) (pmap (fn [y] (tool/echo {:k (str y)}) (def a [y a]) (tool/echo {:a a})) "
    "(range 3)) a) [\"p\" \"q\"])",
    "(let [m (zipmap (range 40) (map str (range 40)))] (pcalls (fn [] (tool/echo {:m m})) (fn [] (keys m)) #(tool/echo "
    "{:n (count m)})))",
};

Status run_answered(Vm& vm, const Program& program, const Limits& limits) {
    Status status = vm.start(program, limits, nullptr, 0);
    while (status == Status::Suspended) {
        for (std::size_t i = 0; i < vm.calls().size(); ++i) {
            Heap& heap = *vm.calls()[i].heap;
            Result<Value> echo = deep_copy(heap, *heap.shapes, *vm.calls()[i].arguments, false);
            const bool has_failed = !echo.ok();
            vm.answer(i, std::move(echo));
            if (has_failed) break;
        }
        status = vm.resume({});
    }
    (void)vm.take_result();
    vm.shapes.sweep();
    return status;
}

TEST(FailLoop, WaitingBranchesLeaveTheSessionCleanWhateverRunsOut) {
    SilentHost services;
    for (const char* source : kWaitingBranches) {
        const auto program = compile_text(source);
        ASSERT_TRUE(program) << source;
        Vm vm(services);
        ASSERT_NE(run_answered(vm, *program, untimed()), Status::Error) << source << vm.error().message;
        const std::size_t before = vm.heap.live_bytes();
        Limits limits = untimed();
        for (limits.fuel = 0; run_answered(vm, *program, limits) == Status::Error; limits.fuel += 13) {
            EXPECT_EQ(vm.error().reason, Reason::FuelExhausted) << source << vm.error().message;
            EXPECT_EQ(vm.heap.live_bytes(), before) << source << "\nfuel " << limits.fuel;
        }
        limits = untimed();
        for (limits.heap_bytes = 0; run_answered(vm, *program, limits) == Status::Error; limits.heap_bytes += 200) {
            EXPECT_EQ(vm.error().reason, Reason::MemoryExceeded) << source << vm.error().message;
            EXPECT_EQ(vm.heap.live_bytes(), before) << source << "\nbytes " << limits.heap_bytes;
        }
    }
}

TEST(FailLoop, CallsThatCannotBeMadeLeaveTheSessionClean) {
    SilentHost services;
    Limits limits = untimed();
    limits.max_depth = 10;
    // Calls of closures by themselves, by name after a redefinition, and of what takes other arguments.
    for (const std::string source :
         {"(let [x [1 2]] ((fn f [n] (f (conj x n))) 0))",
          "(defn f [n] 1) (let [x [1 2]] (def f (fn [n] (f (conj x n))))) (f 1)",
          "(defn f [n] 1) (defn g [] (f [1])) (let [x [1 2]] (def f (fn [n m] [x n m]))) (g)"}) {
        CompileOptions options;
        Diagnostics diagnostics;
        const auto program = compile(Source("test", source), options, core(), diagnostics);
        ASSERT_TRUE(program) << source;
        Vm vm(services);
        EXPECT_EQ(run(vm, *program, limits), Status::Error) << source;
        const std::size_t before = vm.heap.live_bytes();
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(run(vm, *program, limits), Status::Error);
        EXPECT_EQ(vm.heap.live_bytes(), before) << source;
    }
}

TEST(FailLoop, ARunThatFailsDefinesNothing) {
    SilentHost services;
    Vm vm(services);
    const auto program = compile_text("(def a [1 2]) (def b (conj a 3)) (+ 1 nil)");
    ASSERT_TRUE(program);
    EXPECT_EQ(run(vm, *program, untimed()), Status::Error);
    EXPECT_FALSE(vm.names.is_bound("a"));
    EXPECT_FALSE(vm.names.is_bound("b"));
}

} // namespace
} // namespace ptc
