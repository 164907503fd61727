#include "tools/interrupt.h"
#include "subagent/mcp/child_process.h"
#include <iterator>
#include <semaphore.h>

namespace ptc {
namespace {

// A signal handler gets nothing but the signal's number: what it acts on can only be a global.
std::atomic<Session*> running_session{nullptr};
std::atomic<std::atomic<bool>*> raised_flag{nullptr};
static_assert(std::atomic<Session*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
    if (Session* session = running_session.load()) session->interrupt();
    if (std::atomic<bool>* flag = raised_flag.load()) flag->store(true);
}

} // namespace

InterruptHandler::InterruptHandler() {
    struct sigaction action {};
    action.sa_handler = on_interrupt; // without SA_RESTART
    ::sigaction(SIGINT, &action, &previous_);
}

InterruptHandler::~InterruptHandler() { ::sigaction(SIGINT, &previous_, nullptr); }

namespace {

constexpr int kEndSignals[] = {SIGINT, SIGTERM};
std::atomic<int> end_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

sem_t something_came; ///< a signal, or the end of the handler

void on_end_signal(int number) {
    end_signal.store(number);
    end_all_programs();
    ::sem_post(&something_came);
}

} // namespace

EndSignals::EndSignals() {
    end_signal.store(0);
    ::sem_init(&something_came, 0, 0);
    sigset_t ends, before; // the signals are for threads that wait for something else
    ::sigemptyset(&ends);
    for (const int number : kEndSignals)
        ::sigaddset(&ends, number);
    ::pthread_sigmask(SIG_BLOCK, &ends, &before);
    watcher_ = std::jthread([this] {
        while (::sem_wait(&something_came) != 0) {
        } // EINTR
        if (came()) stop_.request_stop();
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    struct sigaction action {};
    action.sa_handler = on_end_signal;
    action.sa_flags = SA_RESETHAND; // without SA_RESTART: what waits looks up
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(kEndSignals); ++i) {
        ::sigaction(kEndSignals[i], nullptr, &previous_[i]);
        if (previous_[i].sa_handler != SIG_IGN) ::sigaction(kEndSignals[i], &action, nullptr);
    }
}

EndSignals::~EndSignals() {
    for (std::size_t i = 0; i < std::size(kEndSignals); ++i)
        ::sigaction(kEndSignals[i], &previous_[i], nullptr);
    ::sem_post(&something_came);
    watcher_.join();
    ::sem_destroy(&something_came);
}

bool EndSignals::came() { return end_signal.load() != 0; }

void EndSignals::end_process() {
    const int number = end_signal.load();
    if (number == 0) return;
    std::signal(number, SIG_DFL);
    (void)::raise(number);
}

InterruptFlag::InterruptFlag() { raised_flag.store(&flag_); }
InterruptFlag::~InterruptFlag() { raised_flag.store(nullptr); }

InterruptibleRun::InterruptibleRun(Session& session) { running_session.store(&session); }
InterruptibleRun::~InterruptibleRun() { running_session.store(nullptr); }

} // namespace ptc
