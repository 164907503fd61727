// Threads that call tools and models for a worker: what they call may wait for as long as it likes.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace ptc {

/// At most `most` threads, each started when there is a call that no other takes up. Calls beyond wait in line.
class CallThreads {
public:
    explicit CallThreads(std::size_t most);
    /// Calls that nobody has begun are dropped. Those under way go on without being waited for: they own what they use.
    ~CallThreads();
    CallThreads(const CallThreads&) = delete;
    CallThreads& operator=(const CallThreads&) = delete;

    /// `call` throws nothing. It is made on the caller's thread when the system has no thread at all.
    void start(std::function<void()> call);

private:
    struct State;
    const std::shared_ptr<State> state_;
};

} // namespace ptc
