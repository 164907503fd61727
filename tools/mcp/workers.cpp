// A queue of work and the threads that take from it: in order, but for owners that have as much at work as they may.
// What waits for somebody outside is not counted as being at work, so there are more threads than may work at once;
// whoever comes back is given the next room that becomes free, by name: nothing that waits can take it first. What an
// owner has is counted in a node that is made when its work is taken, so that nothing behind that allocates.
#include "tools/mcp/workers.h"
#include "frontend/assert.h"
#include <algorithm>
#include <exception>
#include <utility>

namespace ptc::mcp {

Workers::Workers(WorkerLimits limits) : limits_(limits) { returning_.reserve(limits.standing); }

Workers::~Workers() {
    {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
    }
    wakes_.notify_all();
    returns_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

// ---- What waits

bool Workers::run(Work work) {
    const std::scoped_lock lock(mutex_);
    if (is_over_) return false;
    OwnerEntry* const owner = work.owner.empty() ? nullptr : &*owners_.try_emplace(work.owner).first;
    waiting_.push_back({std::move(work), owner});
    if (owner) ++owner->second.waiting;
    if (is_too_full(owner)) drop_unwanted();
    const bool fits = !is_too_full(owner);
    if (fits) call_thread();
    if (!fits || threads_.empty()) { // no thread can be had: nobody would ever come to it
        waiting_.pop_back();
        if (owner) --owner->second.waiting;
        forget_unused(owner);
        return false;
    }
    wakes_.notify_one();
    return true;
}

bool Workers::is_too_full(const OwnerEntry* owner) const {
    return waiting_.size() > limits_.waiting || (owner && owner->second.waiting > limits_.of_owner.waiting);
}

void Workers::drop_unwanted() {
    const auto last = std::prev(waiting_.end());
    const auto kept = std::remove_if(waiting_.begin(), last, [](const Queued& one) {
        const bool is_dropped = one.work.is_unwanted && one.work.is_unwanted();
        if (is_dropped && one.owner) --one.owner->second.waiting;
        return is_dropped;
    });
    waiting_.erase(kept, last);
    std::erase_if(owners_, [](const OwnerEntry& owner) { return owner.second.is_unused(); });
}

void Workers::forget_unused(OwnerEntry* owner) {
    if (owner && owner->second.is_unused()) owners_.erase(owners_.find(owner->first));
}

// ---- Threads

void Workers::call_thread() {
    if (idle_ >= waiting_.size() || at_work_ + idle_ >= limits_.at_work) return;
    try {
        threads_.emplace_back([this] { loop(); });
        ++idle_;                      // as soon as it runs
    } catch (const std::exception&) { // those that are there come to it later
    }
}

bool Workers::may_begin(const OwnerEntry* owner) const {
    return at_work_ < limits_.at_work && (is_over_ || !owner || owner->second.at_work < limits_.of_owner.at_work);
}

std::deque<Workers::Queued>::iterator Workers::next() {
    return std::ranges::find_if(waiting_, [this](const Queued& one) { return may_begin(one.owner); });
}

void Workers::begin_work(OwnerEntry* owner) {
    ++at_work_;
    if (owner) ++owner->second.at_work;
}

void Workers::end_work(OwnerEntry* owner) {
    --at_work_;
    if (owner) --owner->second.at_work;
}

void Workers::give_room() {
    std::erase_if(returning_, [this](Place* place) {
        if (!may_begin(place->owner_)) return false;
        place->stop_standing();
        return true;
    });
    returns_.notify_all();
    wakes_.notify_one();
}

void Workers::loop() {
    std::unique_lock lock(mutex_);
    while (true) {
        auto found = waiting_.end();
        wakes_.wait(lock, [&] { return (found = next()) != waiting_.end() || is_over_; });
        if (found == waiting_.end()) {
            --idle_;
            return;
        }
        const Queued one = std::move(*found);
        waiting_.erase(found);
        --idle_;
        if (one.owner) --one.owner->second.waiting;
        begin_work(one.owner);
        lock.unlock();
        try {
            if (!one.work.is_unwanted || !one.work.is_unwanted()) one.work.run();
        } catch (...) { // no memory: the thread goes on with the next
        }
        lock.lock();
        end_work(one.owner);
        forget_unused(one.owner);
        ++idle_;
        give_room();
    }
}

// ---- Standing still

Workers::Place::~Place() { PTC_ASSERT(!stands_); }

void Workers::Place::leave() noexcept {
    const std::scoped_lock lock(workers_.mutex_);
    if (left_++ > 0) return;
    if (stands_) { // one of its threads has not come back yet, and need not
        std::erase(workers_.returning_, this);
        workers_.returns_.notify_all();
        return;
    }
    const auto owner = name_.empty() ? workers_.owners_.end() : workers_.owners_.find(name_);
    owner_ = owner == workers_.owners_.end() ? nullptr : &*owner;
    const std::size_t of_owner = owner_ ? owner_->second.standing : 0;
    if (workers_.standing_ >= workers_.limits_.standing || of_owner >= workers_.limits_.of_owner.standing) return;
    stands_ = true;
    ++workers_.standing_;
    if (owner_) ++owner_->second.standing;
    workers_.end_work(owner_);
    if (!workers_.is_over_) workers_.call_thread();
    workers_.give_room();
}

void Workers::Place::stop_standing() {
    stands_ = false;
    --workers_.standing_;
    if (owner_) --owner_->second.standing;
    workers_.begin_work(owner_);
}

void Workers::Place::come_back(const std::stop_token& stop) {
    // Under the lock, so that it cannot fall between a look and the wait; made and destroyed without it.
    const std::stop_callback wake(stop, [this] {
        const std::scoped_lock lock(workers_.mutex_);
        workers_.returns_.notify_all();
    });
    std::unique_lock lock(workers_.mutex_);
    if (--left_ > 0 || !stands_) return;
    std::vector<Place*>& returning = workers_.returning_;
    if (std::ranges::find(returning, this) == returning.end()) returning.push_back(this);
    workers_.give_room();
    workers_.returns_.wait(lock, [&] { return !stands_ || left_ > 0 || stop.stop_requested() || workers_.is_over_; });
    if (!stands_ || left_ > 0) return;
    std::erase(returning, this);
    stop_standing();
}

} // namespace ptc::mcp
