// Connections that are shared by threads, and transactions that are repeated while that may help.
#pragma once
#include "frontend/try.h"
#include "subagent/store/database.h"
#include <chrono>
#include <condition_variable>
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

private:
    void give_back(std::unique_ptr<Database> database);

    DatabaseSource& source_;
    std::size_t most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t taken_ = 0;
    std::vector<std::unique_ptr<Database>> free_;
};

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

/// `run` makes a transaction, and its commit is part of it.
template <class Run>
auto repeated(ConnectionPool& pool, Millis64 busy, Run run) -> decltype(run(std::declval<Database&>(), true)) {
    const auto end = ConnectionPool::Clock::now() + busy;
    for (int attempt = 0;; ++attempt) {
        Failure failure = Failure::Lost;
        ErrorPtr error;
        {
            Result<ConnectionPool::Lease> lease = pool.take(end);
            if (lease.ok()) {
                Database& database = *lease.value();
                auto result = run(database, attempt > 0);
                if (result.ok()) return result;
                failure = database.failure();
                database.rollback();
                error = result.take_error();
            } else {
                failure = lease.error().reason == Reason::StoreUnavailable ? Failure::Lost : Failure::Wrong;
                error = lease.take_error();
            }
        }
        const bool may_help = failure == Failure::Again || failure == Failure::Lost;
        if (!may_help || ConnectionPool::Clock::now() >= end) return error;
        pause_before_attempt(attempt, end);
    }
}
} // namespace transaction_detail

/// `work(database, is_repeat)`, whose result is kept when it is no error. Deadlocks, serialisation failures and lost
/// connections are tried again until `busy` is over; then `is_repeat` is true, for the first time may have been
/// committed although nobody heard of it.
template <class Work>
auto in_transaction(ConnectionPool& pool, Millis64 busy, Work work) -> decltype(work(std::declval<Database&>(), true)) {
    return transaction_detail::repeated(pool, busy, [&work](Database& database, bool is_repeat) {
        return transaction_detail::run_once(database, work, is_repeat);
    });
}

/// The same for `work` that makes its transactions by Database::execute_whole.
template <class Work>
auto in_whole(ConnectionPool& pool, Millis64 busy, Work work) -> decltype(work(std::declval<Database&>(), true)) {
    return transaction_detail::repeated(pool, busy, std::move(work));
}

} // namespace ptc
