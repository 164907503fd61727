#include "tools/store/stop_signals.h"
#include <atomic>
#include <cstddef>
#include <ctime>
#include <iterator>
#include <semaphore.h>

namespace ptc {
namespace {

constexpr int kStopSignals[] = {SIGINT, SIGTERM};
sem_t stop_came; ///< a signal, or the end of the object
std::atomic<bool> has_stop_come{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t kSameWish = 1'000; ///< ms
std::atomic<std::int64_t> first_came{0};  ///< on the monotonic clock; 0: none has

std::int64_t monotonic_ms() {
    std::timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000 + 1;
}

void on_stop_signal(int number) {
    std::int64_t first = 0;
    const std::int64_t now = monotonic_ms();
    if (first_came.compare_exchange_strong(first, now)) {
        has_stop_come.store(true);
        ::sem_post(&stop_came);
    } else if (now - first >= kSameWish) {
        ::signal(number, SIG_DFL);
        ::raise(number); // comes when this returns
    }
}

} // namespace

StopSignals::StopSignals() {
    has_stop_come.store(false);
    first_came.store(0);
    ::sem_init(&stop_came, 0, 0);
    watcher_ = std::jthread([this] {
        while (::sem_wait(&stop_came) != 0) {
        } // EINTR
        if (has_stop_come.load()) stop_.request_stop();
    });
    struct sigaction action {};
    action.sa_handler = on_stop_signal;
    action.sa_flags = SA_RESTART;
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
