// Threads that help.
#pragma once
#include "vm/executor.h"
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ptc {

/// At most `threads` threads, each started when there is work that nobody else takes up, and kept until the pool goes.
/// The thread that calls `run` works too: it never waits for a free thread, so calls may be nested and come from any
/// number of threads, and with 0 threads all work is done by the callers. Owns its threads; jobs are borrowed until
/// `run` returns.
class ThreadPool : public Executor {
public:
    explicit ThreadPool(unsigned threads) : max_threads_(threads) {}
    ~ThreadPool() override;
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    /// When jobs throw, the others run nevertheless; the exception of the first of them in order is thrown here then.
    void run(std::size_t count, const std::function<void(std::size_t)>& job) override;
    /// Has a thread call `job`, which throws nothing, at once. False when all threads are at work: then it is not
    /// called.
    [[nodiscard]] bool start(std::function<void()> job);

private:
    struct Batch;
    void help();
    void work_at(Batch& batch, std::unique_lock<std::mutex>& lock);
    void call_helpers(std::size_t jobs);
    bool add_thread();

    const unsigned max_threads_;
    std::mutex mutex_;
    std::condition_variable work_came_;
    std::deque<Batch*> batches_;             ///< that have jobs to be taken
    std::deque<std::function<void()>> jobs_; ///< of `start`; never more than there are threads to take them
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool is_ending_ = false;
};

} // namespace ptc
