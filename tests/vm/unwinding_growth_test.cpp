// Unwinding is work in proportion to what is unwound.
#include "compiler/compile.h"
#include "runtime/silent_host.h"
#include "tests/support/core.h"
#include "tests/support/growth.h"
#include "vm/vm.h"

namespace ptc {
namespace {

std::shared_ptr<const Program> compile_text(const std::string& source) {
    Diagnostics diagnostics;
    return compile(Source("test", source), CompileOptions{}, test::core(), diagnostics);
}

// What the registers of a frame own is worked out from its function's code: once, not for each of the frames.
// Frames and function four times as large: sixteen times the work if the code were looked at for each frame.
TEST(UnwindingGrowth, ADeepRecursionOfALargeFunctionIsLinear) {
    SilentHost services;
    Vm vm(services);
    EXPECT_TRUE(test::is_linear(5'000, [&](std::size_t depth) {
        std::string body;
        for (std::size_t i = 0; i < 5 * depth; ++i)
            body += " (h n)";
        std::shared_ptr<const Program> program =
            compile_text("(defn h [x] x) (defn f [n] (if (= n 0) (do" + body + ") (inc (f (inc n))))) (f 1)");
        EXPECT_TRUE(program);
        Limits limits;
        limits.max_depth = static_cast<unsigned>(depth);
        limits.fuel = std::int64_t{1} << 50;
        limits.timeout = {};
        return [&vm, program, limits] {
            EXPECT_EQ(vm.start(*program, limits, nullptr, 0), Status::Error);
            (void)vm.take_result();
            EXPECT_EQ(vm.error().reason, Reason::DepthExceeded);
        };
    }));
}

} // namespace
} // namespace ptc
