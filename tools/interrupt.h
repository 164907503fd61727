// Signals: in the REPL Ctrl-C ends the program that runs, or the line that is typed, and not the process; in a mission
// it and SIGTERM end the mission first.
#pragma once
#include "ptc/engine.h"
#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace ptc {

/// While it lives, SIGINT makes blocking reads return (EINTR) instead of ending the process. One at a time.
class InterruptHandler {
public:
    InterruptHandler();
    ~InterruptHandler();
    InterruptHandler(const InterruptHandler&) = delete;
    InterruptHandler& operator=(const InterruptHandler&) = delete;

private:
    struct sigaction previous_;
};

/// Whether SIGINT came while it lives.
class InterruptFlag {
public:
    InterruptFlag();
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;
    [[nodiscard]] bool is_set() const { return flag_.load(); }

private:
    std::atomic<bool> flag_{false};
};

/// While it lives, the first SIGINT or SIGTERM kills the programs that were started (line_process.h) and is noted; the
/// second ends the process. Signals that are ignored stay so. One at a time.
class EndSignals {
public:
    EndSignals();
    ~EndSignals();
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;
    [[nodiscard]] static bool came();
    /// Ends the process by the signal that came, as whoever waits for it expects. Nothing when none came.
    static void end_process();
    /// Stops when one came.
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

private:
    struct sigaction previous_[2];
    std::stop_source stop_;
    std::jthread watcher_; ///< a handler may not do what a stop calls: it wakes this thread up
};

/// While it lives, SIGINT ends the run of `session` too.
class InterruptibleRun {
public:
    explicit InterruptibleRun(Session& session);
    ~InterruptibleRun();
    InterruptibleRun(const InterruptibleRun&) = delete;
    InterruptibleRun& operator=(const InterruptibleRun&) = delete;
};

} // namespace ptc
