// Threads for requests, so that those who read messages never wait.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ptc::mcp {

/// Started when there is something to do for them; none ends before all do.
class Workers {
public:
    Workers(std::size_t max_threads, std::size_t max_waiting) : max_threads_(max_threads), max_waiting_(max_waiting) {}
    /// Waits for all that was begun.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    /// False when as many wait already as may.
    bool run(std::function<void()> work);

private:
    void loop();

    const std::size_t max_threads_;
    const std::size_t max_waiting_;
    std::mutex mutex_;
    std::condition_variable wakes_;
    std::deque<std::function<void()>> waiting_;
    std::size_t idle_ = 0;
    bool is_over_ = false;
    std::vector<std::thread> threads_;
};

} // namespace ptc::mcp
