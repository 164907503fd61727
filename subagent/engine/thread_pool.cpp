// The threads that an engine may start. Work comes in two forms: batches (`run`: the jobs of one caller, who works at
// them too and returns when all are done) and single jobs (`start`). One mutex guards everything: jobs are runs of
// branches or calls of tools, long beside a lock. A caller never waits for a free thread, so nested batches cannot lock
// each other out.
#include "subagent/engine/thread_pool.h"
#include <algorithm>
#include <system_error>

namespace ptc {

/// The jobs of one `run`, on whose stack it is. Everything in it is guarded by the pool's mutex.
struct ThreadPool::Batch {
    std::size_t count;
    const std::function<void(std::size_t)>& job;
    std::size_t next = 0; ///< to be taken
    std::size_t running = 0;
    std::condition_variable is_done{};
    std::exception_ptr failure{};
    std::size_t failed = 0; ///< the job that it is of
};

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    work_came_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& job) {
    if (count == 0) return;
    Batch batch{.count = count, .job = job};
    std::unique_lock lock(mutex_);
    if (count > 1 && max_threads_ > 0) {
        batches_.push_back(&batch);
        call_helpers(count - 1);
    }
    work_at(batch, lock);
    batch.is_done.wait(lock, [&] { return batch.running == 0; });
    if (batch.failure) std::rethrow_exception(batch.failure);
}

// Takes jobs of the batch until there are none left to take. The batch is gone once its last job has returned.
void ThreadPool::work_at(Batch& batch, std::unique_lock<std::mutex>& lock) {
    while (batch.next < batch.count) {
        const std::size_t i = batch.next++;
        if (batch.next == batch.count) std::erase(batches_, &batch);
        ++batch.running;
        lock.unlock();
        std::exception_ptr failure;
        try {
            batch.job(i);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure && (!batch.failure || i < batch.failed)) {
            batch.failure = failure;
            batch.failed = i;
        }
        const bool is_last = --batch.running == 0 && batch.next == batch.count;
        if (!is_last) continue;
        batch.is_done.notify_one();
        return;
    }
}

void ThreadPool::help() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        work_came_.wait(lock, [this] { return is_ending_ || !batches_.empty() || !jobs_.empty(); });
        --idle_;
        if (!jobs_.empty()) { // first of all: `start` has promised it
            const std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        } else if (!batches_.empty()) {
            work_at(*batches_.front(), lock);
        } else {
            return;
        }
    }
}

void ThreadPool::call_helpers(std::size_t jobs) {
    for (std::size_t i = 0; i < std::min(jobs, idle_); ++i)
        work_came_.notify_one();
    for (std::size_t wanted = jobs - std::min(jobs, idle_); wanted > 0; --wanted) {
        if (!add_thread()) return;
    }
}

/// False when there are as many as may be, or as the system has.
bool ThreadPool::add_thread() {
    if (threads_.size() == max_threads_) return false;
    try {
        threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
        return false;
    }
    return true;
}

bool ThreadPool::start(std::function<void()> job) {
    const std::scoped_lock lock(mutex_);
    if (idle_ > jobs_.size())
        work_came_.notify_one();
    else if (!add_thread())
        return false;
    jobs_.push_back(std::move(job));
    return true;
}

} // namespace ptc
