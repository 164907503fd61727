// A child process with two pipes, driven by poll so that every wait has a deadline; it is killed with all that it
// started when it is late. SIGPIPE is ignored by ptcc, so a child that ends shows as an error of the write.
#include "tools/agent/line_process.h"
#include "frontend/quoted.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <variant>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;
using Fault = LineProcess::Fault;

constexpr std::size_t kMaxAnswerBytes = std::size_t{64} << 20;
constexpr Millis kPatience{1000};
constexpr Millis kAsk{50}; ///< between two looks whether the answer is wanted

extern "C" void end_groups(int signal) {
    end_all_programs();
    ::raise(signal); // its disposition is the default again, and it waits until this ends
}

/// From now on a signal that ends us kills all groups first. Signals that are ignored, or handled already, stay so.
void handle_signals() {
    struct sigaction action {};
    action.sa_handler = end_groups;
    action.sa_flags = SA_RESETHAND;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
    }
}

Fault too_late() { return {Fault::Kind::Timeout, "It did not answer in time."}; }

} // namespace

void end_programs_with_us() {
    static const bool is_prepared = (handle_signals(), true);
    (void)is_prepared;
}

/// None when `fd` is ready.
std::optional<Fault> LineProcess::wait_for(int fd, short events, const Patience& patience) {
    while (true) {
        if (patience.is_unwanted && patience.is_unwanted()) return unwanted();
        int left = patience.is_unwanted ? static_cast<int>(kAsk.count()) : -1;
        if (patience.deadline) {
            const auto millis = std::chrono::ceil<Millis>(*patience.deadline - SteadyClock::now()).count();
            if (millis <= 0) return too_late();
            const int bounded = static_cast<int>(std::min<std::int64_t>(millis, 1'000'000'000));
            left = left < 0 ? bounded : std::min(left, bounded);
        }
        pollfd ready{.fd = fd, .events = events, .revents = 0};
        const int count = ::poll(&ready, 1, left);
        if (count > 0) return std::nullopt;
        if (count < 0 && errno != EINTR) return std::nullopt; // the read or write reports why
    }
}

LineProcess::~LineProcess() { stop(kPatience); }

Fault LineProcess::unwanted() { return {Fault::Kind::Unwanted, "Nobody waits for its answer any more."}; }

std::optional<Fault> LineProcess::start() {
    if (child_.pid > 0) return std::nullopt;
    if (are_programs_ending()) return Fault{Fault::Kind::NotStarted, "No program is started while ptcc ends."};
    end_programs_with_us();
    const std::variant<Child, int> started = start_child({.arguments = arguments_, .environment = environment_});
    if (const int* error = std::get_if<int>(&started))
        return Fault{Fault::Kind::NotStarted,
                     quoted(arguments_[0]) + " cannot be started: " + std::strerror(*error) + "."};
    child_ = std::get<Child>(started);
    return std::nullopt;
}

int LineProcess::kill_group() {
    buffer_.clear();
    return kill_child(child_);
}

void LineProcess::stop(Millis patience) {
    if (child_.pid <= 0) return;
    for (int* fd : {&child_.input, &child_.output})
        ::close(std::exchange(*fd, -1));
    (void)has_ended_within(child_, patience);
    kill_group();
}

Fault LineProcess::ended() {
    std::string how = "It closed its output without an answer.";
    if (has_ended_within(child_, kPatience)) {
        const int status = kill_group();
        how = WIFEXITED(status)
                  ? "It ended with exit code " + std::to_string(WEXITSTATUS(status)) + " without an answer."
                  : "It was ended by signal " + std::to_string(WTERMSIG(status)) + " without an answer.";
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127) how += " Is the program's name right?";
    }
    return {Fault::Kind::Ended, std::move(how)};
}

std::optional<Fault> LineProcess::find_unasked() const {
    int waiting = 0;
    (void)::ioctl(child_.output, FIONREAD, &waiting);
    if (buffer_.empty() && waiting == 0) return std::nullopt;
    return Fault{Fault::Kind::Unasked, "It had written something before it was asked."};
}

std::optional<Fault> LineProcess::send(std::string_view line, const Patience& patience) {
    while (!line.empty()) {
        if (std::optional<Fault> fault = wait_for(child_.input, POLLOUT, patience)) return fault;
        const ssize_t written = ::write(child_.input, line.data(), line.size());
        if (written >= 0)
            line.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR && errno != EAGAIN)
            return ended();
    }
    return std::nullopt;
}

std::optional<Fault> LineProcess::receive(std::string& line, const Patience& patience) {
    std::size_t searched = 0;
    while (true) {
        const std::size_t end = buffer_.find('\n', searched);
        if (end != std::string::npos) {
            line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return std::nullopt;
        }
        searched = buffer_.size();
        if (searched > kMaxAnswerBytes)
            return Fault{Fault::Kind::TooLong,
                         "Its answer is longer than " + std::to_string(kMaxAnswerBytes) + " bytes."};
        if (std::optional<Fault> fault = wait_for(child_.output, POLLIN, patience)) return fault;
        char bytes[65536];
        const ssize_t count = ::read(child_.output, bytes, sizeof bytes);
        if (count > 0)
            buffer_.append(bytes, static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            return ended();
    }
}

std::variant<std::string, Fault> LineProcess::request(std::string_view line, std::optional<Millis> time_left,
                                                      SharedFunction<bool()> is_unwanted) {
    Patience patience{.deadline = {}, .is_unwanted = std::move(is_unwanted)};
    if (time_left) patience.deadline = SteadyClock::now() + *time_left;
    std::string answer;
    std::optional<Fault> fault = start();
    if (!fault) fault = find_unasked();
    if (!fault) fault = send(std::string(line) + '\n', patience);
    if (!fault) fault = receive(answer, patience);
    if (!fault) return answer;
    stop(Millis(0));
    return std::move(*fault);
}

} // namespace ptc
