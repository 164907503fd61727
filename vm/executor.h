// Who runs the branches of pmap and pcalls.
#pragma once
#include <cstddef>
#include <functional>

namespace ptc {

/// Runs jobs, perhaps on several threads. A Vm without one runs them itself, one after the other.
class Executor {
public:
    virtual ~Executor() = default;
    /// Calls job(0) .. job(count - 1), each once, in any order and on any threads, and returns when all of them have
    /// returned; what they wrote can be seen then. Must get on even if no other thread is free.
    virtual void run(std::size_t count, const std::function<void(std::size_t)>& job) = 0;
};

} // namespace ptc
