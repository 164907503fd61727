// What a unit of fuel buys at worst in the loop of the machine, and what a byte costs outside of programs, in
// instructions: nothing is above twenty times the median of its kind (bench/PRICES.md has the list, and what is to be
// said of those that are). tests/runtime/price_growth_test.cpp has native functions.
#include "tests/support/growth.h"
#include "tests/support/host_steps.h"
#include "tests/support/hostile_programs.h"

namespace ptc::test {
namespace {

constexpr std::uint64_t kMostOfAUnit = 20 * 47;
constexpr std::uint64_t kMostOfAByte = 20 * 70;

TEST(PriceList, AnyInstructionIsPaidFor) {
    std::set<Op> seen;
    for (const HostileProgram& row : kHostilePrograms) {
        HostileRun program(row);
        ASSERT_TRUE(program.ok()) << row.body;
        seen.merge(program.instructions());
        Outcome outcome;
        const std::uint64_t count = instructions([&] { outcome = program.run(); });
        ASSERT_TRUE(outcome.ok()) << row.body << ": " << outcome.error->message;
        ASSERT_GT(count, 0u) << "nothing was counted: run this under callgrind, as ctest does";
        EXPECT_LT(count, kMostOfAUnit * static_cast<std::uint64_t>(outcome.usage.fuel)) << name_of(row);
    }
    for (std::size_t i = 0; i < kOpCount; ++i) {
        const Op op = static_cast<Op>(i);
        EXPECT_TRUE(seen.contains(op) || is_outside_of_loops(op)) << op_info(op).mnemonic << " is in no program";
    }
}

/// What is dearer, with a reason (bench/PRICES.md).
std::uint64_t most_of(const std::string& step) {
    for (const char* search : {"check: names that are none", "compile: names that are none"})
        if (step == search) return 25'000; // of 4 KiB; 50 names at most
    for (const char* automata : {"check: regexes", "compile: regexes"})
        if (step == automata) return 9'000; // and most have a table of their own, which is quicker to search by
    return step == "signature: lists in lists" ? 10'000 : kMostOfAByte;
}

TEST(PriceList, AnyByteOutsideOfProgramsCostsLittle) {
    const HostSteps steps(std::size_t{4} << 10);
    for (const HostStep& step : steps.all()) {
        const std::uint64_t count = instructions(step.work);
        ASSERT_GT(count, 0u) << "nothing was counted: run this under callgrind, as ctest does";
        EXPECT_LT(count, most_of(step.name) * step.bytes) << step.name;
    }
}

} // namespace
} // namespace ptc::test
