#include "tools/store/stop_signals.h"
#include <atomic>
#include <cstddef>
#include <iterator>
#include <semaphore.h>

namespace ptc {
namespace {

constexpr int kStopSignals[] = {SIGINT, SIGTERM};
sem_t stop_came; ///< a signal, or the end of the object
std::atomic<bool> has_stop_come{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_stop_signal(int) {
    has_stop_come.store(true);
    ::sem_post(&stop_came);
}

} // namespace

StopSignals::StopSignals() {
    has_stop_come.store(false);
    ::sem_init(&stop_came, 0, 0);
    watcher_ = std::jthread([this] {
        while (::sem_wait(&stop_came) != 0) {
        } // EINTR
        if (has_stop_come.load()) stop_.request_stop();
    });
    struct sigaction action {};
    action.sa_handler = on_stop_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(kStopSignals); ++i) {
        ::sigaction(kStopSignals[i], nullptr, &previous_[i]);
        if (previous_[i].sa_handler != SIG_IGN) ::sigaction(kStopSignals[i], &action, nullptr);
    }
}

StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < std::size(kStopSignals); ++i)
        ::sigaction(kStopSignals[i], &previous_[i], nullptr);
    ::sem_post(&stop_came);
    watcher_.join();
    ::sem_destroy(&stop_came);
}

} // namespace ptc
