// Programs that answer lines, each with several processes: which call gets which, and when none.
#include "tools/agent/program_pool.h"
#include <gtest/gtest.h>
#include <latch>
#include <thread>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;
using Fault = LineProcess::Fault;

constexpr Millis kLong{240'000};
constexpr const char* kNumber = "while read line; do echo $$; done"; ///< of its process

std::shared_ptr<ProgramPool> pool_of(ProgramPool::Bounds bounds) { return std::make_shared<ProgramPool>(bounds); }

std::vector<std::string> shell(const char* line) { return {"/bin/sh", "-c", line}; }

PooledProgram::Use must_take(PooledProgram& program) {
    auto taken = program.take({}, {});
    return std::get<PooledProgram::Use>(std::move(taken));
}

std::string answer(const PooledProgram::Use& use, std::string_view line) {
    const auto answer = use->request(line, kLong);
    const auto* fault = std::get_if<Fault>(&answer);
    return fault ? fault->message : std::get<std::string>(answer);
}

TEST(ProgramPool, CallsAtOnceHaveAProcessEach) {
    PooledProgram program(pool_of({.at_work = 3, .idle = 3}), shell(kNumber));
    std::vector<std::string> numbers;
    {
        const PooledProgram::Use one = must_take(program), two = must_take(program);
        numbers = {answer(one, "?"), answer(two, "?")};
    }
    EXPECT_NE(numbers[0], numbers[1]);
    const PooledProgram::Use one = must_take(program), two = must_take(program), three = must_take(program);
    EXPECT_EQ(answer(one, "?"), numbers[0]); // given back last
    EXPECT_EQ(answer(two, "?"), numbers[1]);
    const std::string third = answer(three, "?");
    EXPECT_TRUE(third != numbers[0] && third != numbers[1]);
}

TEST(ProgramPool, ACallWhoseTimeIsOverIsNotSent) {
    PooledProgram program(pool_of({}), shell(kNumber));
    const PooledProgram::Use busy = must_take(program);
    const auto late = program.take(Clock::now() + Millis(1), {});
    ASSERT_TRUE(std::holds_alternative<Fault>(late));
    EXPECT_EQ(std::get<Fault>(late).kind, Fault::Kind::Busy);
    EXPECT_NE(std::get<Fault>(late).message.find("its time was over"), std::string::npos);
}

TEST(ProgramPool, ACallThatNobodyWantsLeavesTheLine) {
    PooledProgram program(pool_of({}), shell(kNumber));
    const PooledProgram::Use busy = must_take(program);
    const auto unwanted = program.take({}, [] { return true; });
    ASSERT_TRUE(std::holds_alternative<Fault>(unwanted));
    EXPECT_EQ(std::get<Fault>(unwanted).kind, Fault::Kind::Unwanted);
}

TEST(ProgramPool, WhoWaitsGetsTheProcessThatIsGivenBack) {
    PooledProgram program(pool_of({}), shell(kNumber));
    std::optional<PooledProgram::Use> busy(must_take(program));
    const std::string number = answer(*busy, "?");
    std::latch asks(1);
    std::string got;
    std::jthread other([&] {
        const auto taken = program.take(Clock::now() + kLong, [&] {
            if (!asks.try_wait()) asks.count_down(); // it stands in line
            return false;
        });
        got = answer(std::get<PooledProgram::Use>(taken), "?");
    });
    asks.wait();
    busy.reset();
    other.join();
    EXPECT_EQ(got, number);
}

TEST(ProgramPool, TheIdleOnesThatAreTooManyEnd) {
    const std::shared_ptr<ProgramPool> pool = pool_of({.at_work = 2, .idle = 1});
    PooledProgram first(pool, shell(kNumber)), second(pool, shell(kNumber));
    const std::string number = answer(must_take(first), "?");
    EXPECT_EQ(answer(must_take(first), "?"), number);
    (void)answer(must_take(second), "?"); // instead of the other one's
    const PooledProgram::Use again = must_take(first);
    EXPECT_FALSE(again->is_running());
}

TEST(ProgramPool, WhatAKilledProcessSaysIsNobodysAnswer) {
    PooledProgram program(pool_of({}), shell("trap 'echo late; exit' TERM; while read line; do "
                                             "while [ $line = wait ]; do sleep 0.01; done; echo $line; done"));
    {
        const PooledProgram::Use use = must_take(program);
        EXPECT_EQ(answer(use, "a"), "a");
        EXPECT_TRUE(std::holds_alternative<Fault>(use->request("wait", Millis(1))));
    }
    EXPECT_EQ(answer(must_take(program), "b"), "b");
}

} // namespace
} // namespace ptc
