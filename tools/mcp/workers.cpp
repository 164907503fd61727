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

bool Workers::run(std::function<void()> work) {
    const std::scoped_lock lock(mutex_);
    if (is_over_ || waiting_.size() >= max_waiting_) return false;
    if (idle_ <= waiting_.size() && threads_.size() < max_threads_) {
        try {
            threads_.emplace_back([this] { loop(); });
        } catch (const std::system_error&) {
            if (threads_.empty()) return false; // nobody would ever come to it
        }
    }
    waiting_.push_back(std::move(work));
    wakes_.notify_one();
    return true;
}

void Workers::loop() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        wakes_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        const std::function<void()> work = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        work();
        lock.lock();
    }
}

} // namespace ptc::mcp
