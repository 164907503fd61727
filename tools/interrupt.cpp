#include "tools/interrupt.h"

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

InterruptFlag::InterruptFlag() { raised_flag.store(&flag_); }
InterruptFlag::~InterruptFlag() { raised_flag.store(nullptr); }

InterruptibleRun::InterruptibleRun(Session& session) { running_session.store(&session); }
InterruptibleRun::~InterruptibleRun() { running_session.store(nullptr); }

} // namespace ptc
