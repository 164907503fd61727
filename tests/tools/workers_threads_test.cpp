// The threads of `ptcc mcp`: how many works are at it at once, whoever waits for others meanwhile.
#include "tools/mcp/workers.h"
#include <atomic>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <thread>

namespace ptc::mcp {
namespace {

/// Raises `most` to `value`.
void note(std::atomic<int>& most, int value) {
    for (int seen = most; seen < value && !most.compare_exchange_weak(seen, value);) {
    }
}

TEST(Workers, WhoComesBackWaitsForRoom) {
    constexpr int kWorks = 40;
    std::atomic<int> at_work{0}, most{0};
    std::latch done(kWorks);
    Workers workers({.at_work = 2, .waiting = kWorks, .standing = kWorks});
    const auto work = [&] {
        note(most, ++at_work);
        std::this_thread::yield();
        --at_work;
    };
    for (int i = 0; i < kWorks; ++i) {
        ASSERT_TRUE(workers.run({.run = [&] {
            Workers::Place place(workers, {});
            for (int round = 0; round < 50; ++round) {
                work();
                place.leave();
                std::this_thread::yield();
                place.come_back({});
            }
            work();
            done.count_down();
        }}));
    }
    done.wait();
    EXPECT_LE(most, 2);
}

TEST(Workers, OneThatIsStoppedComesBackAtOnce) {
    std::latch has_left(1), has_begun(1), is_over(1), is_back(1);
    std::stop_source stop;
    Workers workers({.at_work = 1, .waiting = 2, .standing = 1});
    ASSERT_TRUE(workers.run({.run = [&] {
        Workers::Place place(workers, {});
        place.leave();
        has_left.count_down();
        place.come_back(stop.get_token());
        is_back.count_down();
    }}));
    has_left.wait();
    ASSERT_TRUE(workers.run({.run = [&] {
        has_begun.count_down();
        is_over.wait();
    }}));
    has_begun.wait(); // in the place of the first
    stop.request_stop();
    is_back.wait();
    is_over.count_down();
}

TEST(Workers, SeveralThreadsOfAWorkComeBackWithTheLast) {
    std::latch done(1), next_begins(1);
    Workers workers({.at_work = 1, .waiting = 2, .standing = 1});
    ASSERT_TRUE(workers.run({.run = [&] {
        Workers::Place place(workers, {});
        place.leave();
        std::thread other([&] {
            place.leave();
            next_begins.wait(); // as nobody of this work is at it
            place.come_back({});
        });
        next_begins.wait();
        place.come_back({});
        other.join();
        done.count_down();
    }}));
    ASSERT_TRUE(workers.run({.run = [&] { next_begins.count_down(); }}));
    done.wait();
}

/// Works of an owner that go on until `end`; the first `at_work` of them have begun.
class Busy {
public:
    Busy(Workers& workers, const ClientName& owner, int count, int at_work)
        : shared_(std::make_shared<Shared>(at_work)) {
        for (int i = 0; i < count; ++i) {
            const auto work = [shared = shared_, counts = i < at_work] {
                if (counts) shared->begun.count_down();
                shared->end.wait();
            };
            taken_ += workers.run({.run = work, .owner = owner}) ? 1 : 0;
        }
        shared_->begun.wait();
    }
    void end() { shared_->end.count_down(); }
    [[nodiscard]] int taken() const { return taken_; }

private:
    struct Shared {
        explicit Shared(int at_work) : begun(at_work) {}
        std::latch begun, end{1};
    };
    std::shared_ptr<Shared> shared_;
    int taken_ = 0;
};

TEST(Workers, AnOwnerLeavesRoomToOthers) {
    std::latch is_done(1);
    Workers workers({.at_work = 4, .waiting = 8, .of_client = {.at_work = 3, .waiting = 6}});
    Busy busy(workers, {.address = "a", .session = {}}, 3, 3);
    Busy waits(workers, {.address = "a", .session = {}}, 8, 0);
    EXPECT_EQ(waits.taken(), 6);
    EXPECT_TRUE(workers.run({.run = [&] { is_done.count_down(); }, .owner = {.address = "b", .session = {}}}));
    is_done.wait();
    busy.end();
    waits.end();
}

TEST(Workers, SessionsOfAClientAreCountedTogether) {
    std::latch is_done(1);
    Workers workers({.at_work = 4, .waiting = 8, .of_client = {.at_work = 3, .waiting = 6}});
    Busy one(workers, {.address = "a", .session = "1"}, 2, 2), two(workers, {.address = "a", .session = "2"}, 1, 1);
    Busy waits(workers, {.address = "a", .session = "3"}, 8, 0);
    EXPECT_EQ(waits.taken(), 6);
    EXPECT_TRUE(workers.run({.run = [&] { is_done.count_down(); }, .owner = {.address = "b", .session = {}}}));
    is_done.wait();
    one.end();
    two.end();
    waits.end();
}

TEST(Workers, ASessionLeavesRoomToOthersOfItsClient) {
    std::latch is_done(1);
    Workers workers({.at_work = 4,
                     .waiting = 8,
                     .of_client = {.at_work = 3, .waiting = 6},
                     .of_session = {.at_work = 2, .waiting = 4}});
    Busy busy(workers, {.address = "a", .session = "1"}, 2, 2), waits(workers, {.address = "a", .session = "1"}, 8, 0);
    EXPECT_EQ(waits.taken(), 4);
    EXPECT_TRUE(workers.run({.run = [&] { is_done.count_down(); }, .owner = {.address = "a", .session = "2"}}));
    is_done.wait();
    busy.end();
    waits.end();
}

TEST(Workers, AnOwnerLeavesRoomToOthersThatStandStill) {
    std::latch end(1), both_left(2), begun(1), is_done(1);
    Workers workers({.at_work = 2, .waiting = 8, .standing = 2, .of_client = {.standing = 1}});
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(workers.run({.run =
                                     [&] {
                                         Workers::Place place(workers, {.address = "a", .session = {}});
                                         place.leave(); // the second stays at work
                                         both_left.count_down();
                                         end.wait();
                                         place.come_back({});
                                     },
                                 .owner = {.address = "a", .session = {}}}));
    }
    both_left.wait();
    ASSERT_TRUE(workers.run({.run =
                                 [&] {
                                     Workers::Place place(workers, {.address = "b", .session = {}});
                                     place.leave();
                                     EXPECT_TRUE(workers.run({.run = [&] { begun.count_down(); }}));
                                     begun.wait();
                                     place.come_back({});
                                     is_done.count_down();
                                 },
                             .owner = {.address = "b", .session = {}}}));
    is_done.wait();
    end.count_down();
}

TEST(Workers, WhatNobodyWantsMakesRoom) {
    std::atomic<bool> is_unwanted{false};
    Workers workers({.at_work = 1, .waiting = 2});
    Busy busy(workers, {}, 1, 1);
    const auto add = [&] {
        return workers.run({.run = [] {},
                            .is_unwanted = [&] { return is_unwanted.load(); },
                            .owner = {.address = "a", .session = {}}});
    };
    EXPECT_TRUE(add());
    EXPECT_TRUE(add());
    EXPECT_FALSE(add());
    is_unwanted = true;
    EXPECT_TRUE(workers.run({.run = [] {}, .owner = {.address = "a", .session = {}}}));
    busy.end();
}

} // namespace
} // namespace ptc::mcp
