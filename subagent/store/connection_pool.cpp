#include "subagent/store/connection_pool.h"
#include <algorithm>
#include <random>
#include <thread>

namespace ptc {

Result<ConnectionPool::Lease> ConnectionPool::take(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    const auto is_possible = [&] { return !free_.empty() || taken_ < most_; };
    if (!changed_.wait_until(lock, end, is_possible))
        return Error(Reason::StoreUnavailable, "All connections to the store were in use for too long.");
    ++taken_;
    if (!free_.empty()) {
        Lease lease(*this, std::move(free_.back()));
        free_.pop_back();
        return lease;
    }
    lock.unlock();
    Result<std::unique_ptr<Database>> connected = source_.connect();
    if (connected.ok()) return Lease(*this, std::move(connected).value());
    give_back(nullptr);
    return connected.take_error();
}

void ConnectionPool::give_back(std::unique_ptr<Database> database) {
    if (database) database->rollback(); // whatever made its user leave it within a transaction
    const std::lock_guard lock(mutex_);
    --taken_;
    if (database && database->is_usable()) free_.push_back(std::move(database));
    changed_.notify_one();
}

void pause_before_attempt(int attempt, ConnectionPool::Clock::time_point end) {
    constexpr int kLongest = 8; // 256 ms
    std::random_device source;
    const auto most = std::chrono::milliseconds(1 << std::min(attempt, kLongest));
    const auto pause = most / 2 + std::chrono::milliseconds(source() % static_cast<unsigned>(most.count() + 1));
    std::this_thread::sleep_until(std::min(end, ConnectionPool::Clock::now() + pause));
}

} // namespace ptc
