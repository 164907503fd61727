// Threads for requests, so that those who read messages never wait.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace ptc::mcp {

struct WorkerLimits {
    std::size_t at_work = 1;
    std::size_t waiting = 1;
    std::size_t of_owner = std::numeric_limits<std::size_t>::max(); ///< at work of one owner: the rest is for others
    std::size_t standing = 0;                                       ///< beside those at work
};

/// Threads start when there is something to do for them; none ends before all do.
class Workers {
public:
    explicit Workers(WorkerLimits limits) : limits_(limits) {}
    /// Waits for all that was begun.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    struct Work {
        std::function<void()> run;           ///< what it throws is lost
        std::function<bool()> is_unwanted{}; ///< then it never begins, and does not count
        const void* owner = nullptr;         ///< nullptr: one of its own
    };
    /// In the order in which they come, but for what others of the same owner keep from beginning. False when as many
    /// wait already as may.
    bool run(Work work);

    /// While it lives, a work of `owner` waits for somebody outside: other work takes its place. With as many that
    /// stand still as may, it changes nothing.
    class Standstill {
    public:
        Standstill(Workers& workers, const void* owner);
        ~Standstill();
        Standstill(const Standstill&) = delete;
        Standstill& operator=(const Standstill&) = delete;

    private:
        Workers& workers_;
        const void* const owner_;
        const bool counts_;
    };

private:
    // Under the lock:
    void loop();
    [[nodiscard]] std::deque<Work>::iterator next(); ///< the first that may begin
    void begin_work(const void* owner);
    void end_work(const void* owner);
    /// A thread for what waits, when none is free.
    void call_thread();

    bool begin_standing(const void* owner);

    const WorkerLimits limits_;
    std::mutex mutex_;
    std::condition_variable wakes_;
    std::deque<Work> waiting_;
    std::map<const void*, std::size_t> owners_; ///< how many of each are at work
    /// Without those that stand still; and of an owner no more than may be: those that stood still go on at once.
    std::size_t at_work_ = 0;
    std::size_t standing_ = 0;
    std::size_t idle_ = 0;
    bool is_over_ = false;
    std::vector<std::thread> threads_;
};

} // namespace ptc::mcp
