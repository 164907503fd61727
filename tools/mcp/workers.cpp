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

// ---- Who is counted

Workers::OwnerEntry* Workers::entry_of(const ClientName& name) {
    if (name.address.empty()) return nullptr;
    Clients::value_type& client = *clients_.try_emplace(name.address).first;
    return &*owners_.try_emplace(name, Owner{{}, &client}).first;
}

void Workers::count(OwnerEntry* owner, std::size_t Counts::*what, bool is_more) {
    if (!owner) return;
    for (Counts* const counts : {&owner->second.counts, &owner->second.client->second})
        is_more ? ++(counts->*what) : --(counts->*what);
}

bool Workers::fits_shares(const OwnerEntry* owner, std::size_t Counts::*what, std::size_t WorkerLimits::Shares::*most,
                          std::size_t more) const {
    if (!owner) return true;
    const auto fits = [&](const Counts& has, const WorkerLimits::Shares& share) {
        return has.*what <= share.*most && more <= share.*most - has.*what;
    };
    return fits(owner->second.counts, limits_.of_session) && fits(owner->second.client->second, limits_.of_client);
}

// Clients stay as long as they have an entry of a session: those with nothing at all go last.
void Workers::forget_unused(OwnerEntry* owner) {
    if (!owner || !owner->second.counts.is_unused()) return;
    Clients::value_type* const client = owner->second.client;
    owners_.erase(owners_.find(owner->first));
    if (client->second.is_unused()) forget_all_unused();
}

void Workers::forget_all_unused() {
    std::erase_if(owners_, [](const OwnerEntry& owner) { return owner.second.counts.is_unused(); });
    std::erase_if(clients_, [](const Clients::value_type& client) { return client.second.is_unused(); });
}

// ---- What waits

bool Workers::run(Work work) {
    const std::scoped_lock lock(mutex_);
    if (is_over_) return false;
    OwnerEntry* const owner = entry_of(work.owner);
    waiting_.push_back({std::move(work), owner});
    count(owner, &Counts::waiting, true);
    if (is_too_full(owner)) drop_unwanted();
    const bool fits = !is_too_full(owner);
    if (fits) call_thread();
    if (!fits || threads_.empty()) { // no thread can be had: nobody would ever come to it
        waiting_.pop_back();
        count(owner, &Counts::waiting, false);
        forget_unused(owner);
        return false;
    }
    wakes_.notify_one();
    return true;
}

bool Workers::is_too_full(const OwnerEntry* owner) const {
    return waiting_.size() > limits_.waiting ||
           !fits_shares(owner, &Counts::waiting, &WorkerLimits::Shares::waiting, 0);
}

void Workers::drop_unwanted() {
    const auto last = std::prev(waiting_.end());
    const auto kept = std::remove_if(waiting_.begin(), last, [](const Queued& one) {
        const bool is_dropped = one.work.is_unwanted && one.work.is_unwanted();
        if (is_dropped) count(one.owner, &Counts::waiting, false);
        return is_dropped;
    });
    waiting_.erase(kept, last);
    forget_all_unused();
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
    return at_work_ < limits_.at_work &&
           (is_over_ || fits_shares(owner, &Counts::at_work, &WorkerLimits::Shares::at_work, 1));
}

std::deque<Workers::Queued>::iterator Workers::next() {
    return std::ranges::find_if(waiting_, [this](const Queued& one) { return may_begin(one.owner); });
}

void Workers::begin_work(OwnerEntry* owner) {
    ++at_work_;
    count(owner, &Counts::at_work, true);
}

void Workers::end_work(OwnerEntry* owner) {
    --at_work_;
    count(owner, &Counts::at_work, false);
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
        count(one.owner, &Counts::waiting, false);
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
    const auto owner = workers_.owners_.find(name_);
    owner_ = owner == workers_.owners_.end() ? nullptr : &*owner;
    if (workers_.standing_ >= workers_.limits_.standing ||
        !workers_.fits_shares(owner_, &Counts::standing, &WorkerLimits::Shares::standing, 1))
        return;
    stands_ = true;
    ++workers_.standing_;
    count(owner_, &Counts::standing, true);
    workers_.end_work(owner_);
    if (!workers_.is_over_) workers_.call_thread();
    workers_.give_room();
}

void Workers::Place::stop_standing() {
    stands_ = false;
    --workers_.standing_;
    count(owner_, &Counts::standing, false);
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
