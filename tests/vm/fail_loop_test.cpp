// Runs programs with every budget from nothing up to enough: each time the breach is a typed error, and the session owns
// afterwards what it owned before.
#include "compiler/compile.h"
#include "tests/support/language_file.h"
#include "vm/vm.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

struct NoServices : HostServices {
    bool print(std::string_view) override { return true; }
    std::int64_t now_millis() override { return 0; }
};

const CoreLibrary& core() {
    static const CoreLibrary& library = [] () -> const CoreLibrary& {
        static CoreLibrary made;
        Diagnostics diagnostics;
        compile_core(made, diagnostics);
        EXPECT_FALSE(diagnostics.has_errors());
        return made;
    }();
    return library;
}

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
    vm.shapes.sweep();
    return status;
}

/// Runs to the end once: what stays afterwards (bound names, the table of shapes) is what each later run starts from.
std::size_t settled_bytes(Vm& vm, const Program& program) {
    EXPECT_NE(run(vm, program, {}), Status::Error);
    return vm.heap.live_bytes();
}

/// Programs of tests/language that end without an error.
std::vector<std::string> sources() {
    std::vector<std::string> all;
    for (const auto& file : test::files_below(PTC_TEST_DATA "/language", ".ptc")) {
        if (file.parent_path().filename() == "limits") continue;
        for (const auto& c : test::read_language_file(file)) {
            if (!c.is_error && c.source.find("tool/") == std::string::npos) all.push_back(c.source);
        }
    }
    return all;
}

TEST(FailLoop, EveryAmountOfFuelLeavesTheSessionClean) {
    NoServices services;
    for (const std::string& source : sources()) {
        const auto program = compile_text(source);
        ASSERT_TRUE(program) << source;
        Vm vm(services);
        Limits limits;
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
    NoServices services;
    for (const std::string& source : sources()) {
        const auto program = compile_text(source);
        ASSERT_TRUE(program) << source;
        Vm vm(services);
        Limits limits;
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

TEST(FailLoop, ARunThatFailsDefinesNothing) {
    NoServices services;
    Vm vm(services);
    const auto program = compile_text("(def a [1 2]) (def b (conj a 3)) (+ 1 nil)");
    ASSERT_TRUE(program);
    EXPECT_EQ(run(vm, *program, {}), Status::Error);
    EXPECT_FALSE(vm.names.is_bound("a"));
    EXPECT_FALSE(vm.names.is_bound("b"));
}

} // namespace
} // namespace ptc
