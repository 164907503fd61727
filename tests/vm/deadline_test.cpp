// The deadline of a run, moved by a clock that the test owns.
#include "runtime/clock.h"
#include "runtime/silent_host.h"
#include "tests/support/core.h"
#include "vm/vm.h"
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string_view>

namespace ptc {
namespace {

TEST(Deadline, TimeThatIsWaitedForToolsIsAddedToIt) {
    for (const char* source : {"(tool/f {}) (tool/g {})", "(pmap (fn [x] (tool/f {:x x}) (tool/g {:x x})) [1 2 3])"}) {
        Diagnostics diagnostics;
        CompileOptions options;
        options.environment.any_tool = true;
        const std::unique_ptr<Program> program = compile(Source("test", source), options, test::core(), diagnostics);
        ASSERT_TRUE(program) << source;
        SilentHost services;
        Vm vm(services);
        Limits limits;
        limits.timeout = std::chrono::hours(1);
        ASSERT_EQ(vm.start(*program, limits, nullptr, 0), Status::Suspended) << source;
        const auto deadline = [&] { return vm.heap.meter.time_left(Meter::Clock::time_point()); };
        const auto before = deadline();
        for (std::size_t i = 0; i < vm.calls().size(); ++i)
            vm.answer(i, Value());
        ASSERT_EQ(vm.resume(std::chrono::hours(3)), Status::Suspended) << source;
        EXPECT_EQ(deadline() - before, std::chrono::hours(3)) << source;
    }
}

} // namespace
} // namespace ptc
