// The pool of threads: each job runs once, the caller works as well, jobs may use the pool themselves, and the first
// failure counts. That jobs run at the same time is shown by letting them wait for each other (Meeting).
#include "subagent/engine/thread_pool.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

namespace ptc {
namespace {

/// Lets everybody through once `count` have come; false when they do not all come.
class Meeting {
public:
    explicit Meeting(std::size_t count) : missing_(count) {}
    bool arrive() {
        std::unique_lock lock(mutex_);
        if (--missing_ == 0) everybody_.notify_all();
        return everybody_.wait_for(lock, std::chrono::minutes(4), [&] { return missing_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable everybody_;
    std::size_t missing_;
};

TEST(ThreadPool, RunsEveryJobOnce) {
    for (const unsigned threads : {0u, 1u, 3u}) {
        ThreadPool pool(threads);
        for (std::size_t count : {0u, 1u, 2u, 100u}) {
            std::vector<std::atomic<int>> runs(count);
            pool.run(count, [&](std::size_t i) { ++runs[i]; });
            for (const auto& n : runs)
                EXPECT_EQ(n, 1);
        }
    }
}

TEST(ThreadPool, WithoutThreadsTheCallerDoesItAllInOrder) {
    ThreadPool pool(0);
    std::vector<std::size_t> order;
    std::set<std::thread::id> threads;
    pool.run(5, [&](std::size_t i) {
        order.push_back(i);
        threads.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(ThreadPool, AllItsThreadsAndTheCallerWorkAtTheSameTime) {
    ThreadPool pool(7);
    for (int round = 0; round < 20; ++round) {
        Meeting meeting(8);
        std::atomic<int> met{0};
        pool.run(8, [&](std::size_t) { met += meeting.arrive(); });
        EXPECT_EQ(met, 8);
    }
}

TEST(ThreadPool, MayBeUsedFromItsOwnJobs) {
    ThreadPool pool(2);
    std::atomic<int> sum{0};
    pool.run(6, [&](std::size_t i) {
        pool.run(6, [&](std::size_t j) { pool.run(3, [&](std::size_t) { sum += static_cast<int>(i * j); }); });
    });
    EXPECT_EQ(sum, 15 * 15 * 3);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
    ThreadPool pool(2);
    std::atomic<int> sum{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c) {
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round)
                pool.run(5, [&](std::size_t) { ++sum; });
        });
    }
    for (std::thread& caller : callers)
        caller.join();
    EXPECT_EQ(sum, 4 * 50 * 5);
}

TEST(ThreadPool, ThrowsWhatTheFirstFailingJobThrew) {
    ThreadPool pool(3);
    std::atomic<int> ran{0};
    const auto job = [&](std::size_t i) {
        ++ran;
        if (i % 3 == 2) throw std::runtime_error(std::to_string(i));
    };
    try {
        pool.run(30, job);
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "2");
    }
    EXPECT_EQ(ran, 30);
}

TEST(ThreadPool, StartsAsManyJobsAsItHasThreadsAndNoMore) {
    ThreadPool pool(3);
    Meeting meeting(4);
    std::atomic<int> met{0};
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(pool.start([&] { met += meeting.arrive(); }));
    EXPECT_FALSE(pool.start([] {}));
    EXPECT_TRUE(meeting.arrive());
    while (met < 3)
        std::this_thread::yield();
    EXPECT_FALSE(ThreadPool(0).start([] {}));
}

TEST(ThreadPool, AJobThatIsStartedIsTakenUpBesideBatches) {
    ThreadPool pool(2);
    for (int round = 0; round < 200; ++round) {
        Meeting meeting(2);
        std::atomic<bool> is_over{false};
        const bool is_started = pool.start([&] {
            meeting.arrive();
            is_over = true;
        });
        pool.run(3, [](std::size_t) {});
        if (!is_started) continue;
        ASSERT_TRUE(meeting.arrive());
        while (!is_over)
            std::this_thread::yield();
    }
}

} // namespace
} // namespace ptc
