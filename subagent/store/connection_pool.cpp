// Whose connection it is. Whoever wants one of its own waits for one that is free (`take`). Whole transactions stand in
// a line: the first of them that finds a free connection takes all that are there along, has them done on it, and tells
// each of them when it is. So more threads write than there are connections, and the more of them wait the more go
// together. A thread that waits sleeps on a condition of its own and is woken once; what it waits with stands on its
// stack, so nobody touches that after it was told.
#include "subagent/store/connection_pool.h"
#include <algorithm>
#include <random>
#include <thread>

namespace ptc {

namespace {
constexpr std::size_t kMostTogether = 32; ///< whole transactions: none is to wait for many
} // namespace

Result<ConnectionPool::Lease> ConnectionPool::take(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, end, [&] { return has_free(); })) return none_is_free();
    return take_free(lock);
}

Error ConnectionPool::none_is_free() {
    return Error(Reason::StoreUnavailable, "All connections to the store were in use for too long.");
}

Result<ConnectionPool::Lease> ConnectionPool::take_free(std::unique_lock<std::mutex>& lock) {
    ++taken_;
    if (!free_.empty()) {
        std::unique_ptr<Database> database = std::move(free_.back());
        free_.pop_back();
        lock.unlock();
        return Lease(*this, std::move(database));
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
    if (!waiting_.empty()) waiting_.front()->changed.notify_one();
}

// ---- Whole transactions

/// Those that are done together. Whatever happens, their waits end.
class ConnectionPool::Together {
public:
    Together(ConnectionPool& pool, std::vector<Waiting*> all) : pool_(pool), left_(std::move(all)) {}
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;
    ~Together() {
        const std::lock_guard lock(pool_.mutex_);
        for (Waiting* one : left_)
            end(*one);
    }
    [[nodiscard]] std::vector<WholeTransaction*> wholes() const {
        std::vector<WholeTransaction*> all;
        for (const Waiting* one : left_)
            all.push_back(one->whole);
        return all;
    }
    void note_done(const WholeTransaction& whole) {
        const std::lock_guard lock(pool_.mutex_);
        const auto one = std::ranges::find(left_, &whole, &Waiting::whole);
        end(**one);
        left_.erase(one);
    }

private:
    /// With the lock, after which it may be gone.
    static void end(Waiting& one) {
        one.whole->is_done = true;
        one.changed.notify_one();
    }

    ConnectionPool& pool_;
    std::vector<Waiting*> left_;
};

void ConnectionPool::run(WholeTransaction& whole, Clock::time_point end) {
    std::unique_lock lock(mutex_);
    Waiting self{.whole = &whole};
    waiting_.push_back(&self);
    while (!whole.is_done) {
        const auto place = std::ranges::find(waiting_, &self);
        if (place == waiting_.end()) { // somebody is at it
            self.changed.wait(lock);
        } else if (has_free()) {
            run_together(lock);
        } else if (self.changed.wait_until(lock, end) == std::cv_status::timeout && !whole.is_done && !has_free()) {
            if (std::erase(waiting_, &self) == 0) continue;
            whole.answers = none_is_free();
            whole.failure = Failure::Lost;
            return;
        }
    }
}

/// Begins and ends with the lock.
void ConnectionPool::run_together(std::unique_lock<std::mutex>& lock) {
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMostTogether));
    std::vector<Waiting*> all(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    {
        Together together(*this, std::move(all));
        const std::vector<WholeTransaction*> wholes = together.wholes();
        Result<Lease> lease = take_free(lock);
        if (lease.ok()) {
            (*lease.value()).execute_wholes(wholes, [&](const WholeTransaction& one) { together.note_done(one); });
        } else {
            for (WholeTransaction* one : wholes) {
                one->answers = lease.error();
                one->failure = failure_to_connect(lease.error());
            }
        }
    }
    lock.lock();
}

void pause_before_attempt(int attempt, ConnectionPool::Clock::time_point end) {
    constexpr int kLongest = 8; // 256 ms
    std::random_device source;
    const auto most = std::chrono::milliseconds(1 << std::min(attempt, kLongest));
    const auto pause = most / 2 + std::chrono::milliseconds(source() % static_cast<unsigned>(most.count() + 1));
    std::this_thread::sleep_until(std::min(end, ConnectionPool::Clock::now() + pause));
}

} // namespace ptc
