// The same body on several threads at once.
#pragma once
#include <thread>
#include <vector>

namespace ptc::test {

inline constexpr int kThreads = 4;

/// body(0), body(1) .., each on a thread of its own; waits for all of them.
template <class Body> void on_threads(Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&body, i] { body(i); });
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace ptc::test
