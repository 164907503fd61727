// Threads for requests, so that those who read messages never wait.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ptc::mcp {

/// Threads start when there is something to do for them; none ends before all do.
class Workers {
public:
    Workers(std::size_t max_at_work, std::size_t max_waiting) : max_at_work_(max_at_work), max_waiting_(max_waiting) {}
    /// Waits for all that was begun.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    /// False when as many wait already as may; those of which `is_unwanted` holds do not count, and never begin. What
    /// `work` throws is lost.
    bool run(std::function<void()> work, std::function<bool()> is_unwanted = {});

    /// While it lives, the work of its thread waits for somebody outside: other work takes its place.
    class Standstill {
    public:
        explicit Standstill(Workers& workers);
        ~Standstill();
        Standstill(const Standstill&) = delete;
        Standstill& operator=(const Standstill&) = delete;

    private:
        Workers& workers_;
    };

private:
    struct Work {
        std::function<void()> run;
        std::function<bool()> is_unwanted;
    };
    void loop();
    /// A thread for what waits, when none is free.
    void call_thread();

    const std::size_t max_at_work_;
    const std::size_t max_waiting_;
    std::mutex mutex_;
    std::condition_variable wakes_;
    std::deque<Work> waiting_;
    std::size_t at_work_ = 0; ///< without those that stand still
    std::size_t idle_ = 0;
    bool is_over_ = false;
    std::vector<std::thread> threads_;
};

} // namespace ptc::mcp
