// Signals of a worker: the first one lets it drain.
#pragma once
#include <csignal>
#include <stop_token>
#include <thread>

namespace ptc {

/// While it lives, the first SIGINT or SIGTERM requests a stop, and nothing else; one that comes a second later or
/// more ends the process. Those in between are the same wish: who signals a process and its group sends two.
/// Signals that are ignored stay so. One at a time.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    [[nodiscard]] std::stop_source& source() { return stop_; }
    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

private:
    struct sigaction previous_[2];
    std::stop_source stop_;
    std::jthread watcher_; ///< a handler may not do what a stop calls: it wakes this thread up
};

} // namespace ptc
