#include "subagent/store/call_threads.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace ptc {

struct CallThreads::State {
    explicit State(std::size_t limit) : most(limit) {}

    /// On a thread of its own, until there are no calls any more.
    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            ++idle;
            changed.wait(lock, [this] { return is_over || !calls.empty(); });
            --idle;
            if (is_over) return;
            std::function<void()> call = std::move(calls.front());
            calls.pop_front();
            lock.unlock();
            call();
            call = {}; // what it owns may end here, without the lock
            lock.lock();
        }
    }

    const std::size_t most;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> calls;
    std::size_t threads = 0;
    std::size_t idle = 0;
    bool is_over = false;
};

CallThreads::CallThreads(std::size_t most) : state_(std::make_shared<State>(most)) {}

CallThreads::~CallThreads() {
    std::deque<std::function<void()>> dropped;
    {
        const std::scoped_lock lock(state_->mutex);
        state_->is_over = true;
        dropped.swap(state_->calls);
    }
    state_->changed.notify_all();
}

void CallThreads::start(std::function<void()> call) {
    std::unique_lock lock(state_->mutex);
    state_->calls.push_back(std::move(call));
    if (state_->idle >= state_->calls.size() || state_->threads == state_->most) {
        state_->changed.notify_one();
        return;
    }
    try {
        std::thread([state = state_] { state->work(); }).detach();
        ++state_->threads;
    } catch (const std::system_error&) {
        if (state_->threads > 0) return; // one of them takes it
        const std::function<void()> own = std::move(state_->calls.back());
        state_->calls.pop_back();
        lock.unlock();
        own();
    }
}

} // namespace ptc
