#include "tools/mcp/workers.h"
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

bool Workers::run(std::function<void()> work, std::function<bool()> is_unwanted) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= max_waiting_)
        std::erase_if(waiting_, [](const Work& one) { return one.is_unwanted && one.is_unwanted(); });
    if (is_over_ || waiting_.size() >= max_waiting_) return false;
    waiting_.push_back({std::move(work), std::move(is_unwanted)});
    call_thread();
    if (threads_.empty()) { // and none can be had: nobody would ever come to it
        waiting_.pop_back();
        return false;
    }
    wakes_.notify_one();
    return true;
}

void Workers::call_thread() {
    if (idle_ >= waiting_.size() || at_work_ + idle_ >= max_at_work_) return;
    try {
        threads_.emplace_back([this] { loop(); });
        ++idle_;                         // as soon as it runs
    } catch (const std::system_error&) { // those that are there come to it later
    }
}

void Workers::loop() {
    std::unique_lock lock(mutex_);
    while (true) {
        wakes_.wait(lock, [this] { return (!waiting_.empty() && at_work_ < max_at_work_) || is_over_; });
        if (waiting_.empty()) {
            --idle_;
            return;
        }
        const Work work = std::move(waiting_.front());
        waiting_.pop_front();
        --idle_;
        ++at_work_;
        lock.unlock();
        try {
            if (!work.is_unwanted || !work.is_unwanted()) work.run();
        } catch (...) { // no memory: the thread goes on with the next
        }
        lock.lock();
        --at_work_;
        ++idle_;
        wakes_.notify_one();
    }
}

Workers::Standstill::Standstill(Workers& workers) : workers_(workers) {
    const std::scoped_lock lock(workers.mutex_);
    --workers.at_work_;
    if (!workers.is_over_) workers.call_thread();
    workers.wakes_.notify_one();
}

Workers::Standstill::~Standstill() {
    const std::scoped_lock lock(workers_.mutex_);
    ++workers_.at_work_;
}

} // namespace ptc::mcp
