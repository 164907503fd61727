// Connections that are shared by threads, and transactions that are repeated while that may help.
#pragma once
#include "frontend/try.h"
#include "subagent/store/database.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace ptc {

class ConnectionPool {
public:
    using Clock = std::chrono::steady_clock;

    ConnectionPool(DatabaseSource& source, std::size_t most) : source_(source), most_(most) {}

    /// Returns to the pool with its end.
    class Lease {
    public:
        Lease() = default;
        Lease(ConnectionPool& pool, std::unique_ptr<Database> database)
            : pool_(&pool), database_(std::move(database)) {}
        Lease(Lease&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), database_(std::move(other.database_)) {}
        Lease& operator=(Lease&&) = delete;
        ~Lease() {
            if (pool_) pool_->give_back(std::move(database_));
        }
        Database& operator*() const { return *database_; }

    private:
        ConnectionPool* pool_ = nullptr;
        std::unique_ptr<Database> database_{};
    };

    /// A connection that is free, or a new one. store_unavailable when there is none until `end`.
    Result<Lease> take(Clock::time_point end);

    /// Has it done. When all connections are in use, those that wait for one are done together by the first of them
    /// that gets one: they go to the server at once, and wait for the disk once.
    void run(WholeTransaction& whole, Clock::time_point end);

private:
    struct Waiting {
        WholeTransaction* whole;
        std::condition_variable changed{};
    };
    class Together;

    void give_back(std::unique_ptr<Database> database);
    [[nodiscard]] bool has_free() const { return !free_.empty() || taken_ < most_; }
    /// One that is free, or a new one; ends the lock.
    Result<Lease> take_free(std::unique_lock<std::mutex>& lock);
    static Error none_is_free();
    void run_together(std::unique_lock<std::mutex>& lock);

    DatabaseSource& source_;
    std::size_t most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t taken_ = 0;
    std::vector<std::unique_ptr<Database>> free_;
    std::deque<Waiting*> waiting_; ///< whole transactions
};

/// What makes whole transactions for `in_whole`.
class WholeRunner {
public:
    WholeRunner(ConnectionPool& pool, ConnectionPool::Clock::time_point end) : pool_(pool), end_(end) {}
    Result<std::vector<Answer>> execute_whole(std::span<const Statement> statements,
                                              Durability durability = Durability::AtOnce) {
        WholeTransaction whole{.statements = statements, .durability = durability};
        pool_.run(whole, end_);
        failure_ = whole.answers.ok() ? Failure::None : whole.failure;
        return std::move(whole.answers);
    }
    /// Of the last one.
    [[nodiscard]] Failure failure() const { return failure_; }

private:
    ConnectionPool& pool_;
    ConnectionPool::Clock::time_point end_;
    Failure failure_ = Failure::None;
};

inline Failure failure_to_connect(const Error& error) {
    return error.reason == Reason::StoreUnavailable ? Failure::Lost : Failure::Wrong;
}

/// Waits between two attempts, longer each time, not the same for all who wait.
void pause_before_attempt(int attempt, ConnectionPool::Clock::time_point end);

namespace transaction_detail {
template <class Work> auto run_once(Database& database, Work& work, bool is_repeat) -> decltype(work(database, true)) {
    PTC_CHECK(database.begin());
    auto result = work(database, is_repeat);
    if (!result.ok()) return result;
    PTC_CHECK(database.commit());
    return result;
}

/// `attempt(end, is_repeat, failure)` makes a transaction, and says in `failure` what is to be done about its error.
template <class Attempt>
auto repeated(Millis64 busy, Attempt attempt)
    -> decltype(attempt(ConnectionPool::Clock::now(), true, std::declval<Failure&>())) {
    const auto end = ConnectionPool::Clock::now() + busy;
    for (int count = 0;; ++count) {
        Failure failure = Failure::None;
        auto result = attempt(end, count > 0, failure);
        const bool may_help = failure == Failure::Again || failure == Failure::Lost;
        if (result.ok() || !may_help || ConnectionPool::Clock::now() >= end) return result;
        pause_before_attempt(count, end);
    }
}
} // namespace transaction_detail

/// `work(database, is_repeat)`, whose result is kept when it is no error. Deadlocks, serialisation failures and lost
/// connections are tried again until `busy` is over; then `is_repeat` is true, for the first time may have been
/// committed although nobody heard of it.
template <class Work>
auto in_transaction(ConnectionPool& pool, Millis64 busy, Work work) -> decltype(work(std::declval<Database&>(), true)) {
    using Made = decltype(work(std::declval<Database&>(), true));
    return transaction_detail::repeated(
        busy, [&](ConnectionPool::Clock::time_point end, bool is_repeat, Failure& failure) -> Made {
            Result<ConnectionPool::Lease> lease = pool.take(end);
            if (!lease.ok()) {
                failure = failure_to_connect(lease.error());
                return lease.take_error();
            }
            Database& database = *lease.value();
            Made made = transaction_detail::run_once(database, work, is_repeat);
            if (made.ok()) return made;
            failure = database.failure();
            database.rollback();
            return made;
        });
}

/// The same for `work(runner, is_repeat)` that makes its transactions by WholeRunner::execute_whole.
template <class Work>
auto in_whole(ConnectionPool& pool, Millis64 busy, Work work) -> decltype(work(std::declval<WholeRunner&>(), true)) {
    using Made = decltype(work(std::declval<WholeRunner&>(), true));
    return transaction_detail::repeated(
        busy, [&](ConnectionPool::Clock::time_point end, bool is_repeat, Failure& failure) -> Made {
            WholeRunner runner(pool, end);
            Made made = work(runner, is_repeat);
            if (!made.ok()) failure = runner.failure();
            return made;
        });
}

} // namespace ptc
