// A queue of work and the threads that take from it: in order, but for owners that have as much at work as they may.
// What waits for somebody outside is not counted as being at work, so there are more threads than may work at once.
#include "tools/mcp/workers.h"
#include <algorithm>
#include <system_error>
#include <utility>

namespace ptc::mcp {

Workers::~Workers() {
    {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
    }
    wakes_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

bool Workers::run(Work work) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= limits_.waiting)
        std::erase_if(waiting_, [](const Work& one) { return one.is_unwanted && one.is_unwanted(); });
    if (is_over_ || waiting_.size() >= limits_.waiting) return false;
    waiting_.push_back(std::move(work));
    call_thread();
    if (threads_.empty()) { // and none can be had: nobody would ever come to it
        waiting_.pop_back();
        return false;
    }
    wakes_.notify_one();
    return true;
}

void Workers::call_thread() {
    if (idle_ >= waiting_.size() || at_work_ + idle_ >= limits_.at_work) return;
    try {
        threads_.emplace_back([this] { loop(); });
        ++idle_;                         // as soon as it runs
    } catch (const std::system_error&) { // those that are there come to it later
    }
}

std::deque<Workers::Work>::iterator Workers::next() {
    if (at_work_ >= limits_.at_work) return waiting_.end();
    return std::ranges::find_if(waiting_, [this](const Work& work) {
        const auto found = owners_.find(work.owner);
        return is_over_ || found == owners_.end() || found->second < limits_.of_owner;
    });
}

void Workers::begin_work(const void* owner) {
    if (!owner || ++owners_[owner] <= limits_.of_owner) ++at_work_;
}

void Workers::end_work(const void* owner) {
    if (!owner || owners_[owner] <= limits_.of_owner) --at_work_;
    if (owner && --owners_[owner] == 0) owners_.erase(owner);
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
        const Work work = std::move(*found);
        waiting_.erase(found);
        --idle_;
        begin_work(work.owner);
        lock.unlock();
        try {
            if (!work.is_unwanted || !work.is_unwanted()) work.run();
        } catch (...) { // no memory: the thread goes on with the next
        }
        lock.lock();
        end_work(work.owner);
        ++idle_;
        wakes_.notify_one();
    }
}

bool Workers::begin_standing(const void* owner) {
    const std::scoped_lock lock(mutex_);
    if (standing_ >= limits_.standing) return false;
    ++standing_;
    end_work(owner);
    if (!is_over_) call_thread();
    wakes_.notify_one();
    return true;
}

Workers::Standstill::Standstill(Workers& workers, const void* owner)
    : workers_(workers), owner_(owner), counts_(workers.begin_standing(owner)) {}

Workers::Standstill::~Standstill() {
    if (!counts_) return;
    const std::scoped_lock lock(workers_.mutex_);
    --workers_.standing_;
    workers_.begin_work(owner_);
}

} // namespace ptc::mcp
