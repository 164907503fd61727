// A child process with two pipes, driven by poll so that every wait has a deadline. It has a process group of its own,
// which is killed as a whole when it is late; SIGPIPE is ignored by ptcc, so a child that ends shows as an error of the
// write.
#include "tools/agent/line_process.h"
#include "frontend/quoted.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <variant>

extern char** environ;

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;
using Fault = LineProcess::Fault;

constexpr std::size_t kMaxAnswerBytes = std::size_t{64} << 20;
constexpr Millis kPatience{1000};

void close_fd(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
}

// The groups of all programs that run, for a handler of signals: it may do no more than read numbers and kill. A place
// is left before its program is reaped, as the number may be somebody else's then.
std::array<std::atomic<pid_t>, 1024> groups;
static_assert(std::atomic<pid_t>::is_always_lock_free);

void enter_group(pid_t group) {
    for (std::atomic<pid_t>& place : groups) {
        pid_t nobody = 0;
        if (place.compare_exchange_strong(nobody, group)) return;
    }
}
void leave_group(pid_t group) {
    for (std::atomic<pid_t>& place : groups) {
        pid_t expected = group;
        if (place.compare_exchange_strong(expected, 0)) return;
    }
}

std::atomic<bool> is_ending{false};
static_assert(std::atomic<bool>::is_always_lock_free);

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

void end_all_programs() {
    is_ending.store(true);
    for (const std::atomic<pid_t>& place : groups) {
        if (const pid_t group = place.load()) ::kill(-group, SIGKILL);
    }
}

/// None when `fd` is ready.
std::optional<Fault> LineProcess::wait_for(int fd, short events, const Patience& patience) {
    constexpr int kAsk = 50; // milliseconds
    while (true) {
        if (patience.is_unwanted && patience.is_unwanted())
            return Fault{Fault::Kind::Unwanted, "Nobody waits for its answer any more."};
        int left = patience.is_unwanted ? kAsk : -1;
        if (patience.deadline) {
            const auto millis = std::chrono::ceil<Millis>(*patience.deadline - Clock::now()).count();
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

void LineProcess::restart() {
    const std::scoped_lock lock(mutex_);
    stop(Millis(0));
}

std::optional<Fault> LineProcess::start() {
    if (pid_ > 0) return std::nullopt;
    if (is_ending.load()) return Fault{Fault::Kind::NotStarted, "No program is started while ptcc ends."};
    static const bool is_prepared = (handle_signals(), true);
    (void)is_prepared;
    int to_child[2];
    int from_child[2];
    const auto failed = [&](int error) {
        return Fault{Fault::Kind::NotStarted,
                     quoted(arguments_[0]) + " cannot be started: " + std::strerror(error) + "."};
    };
    if (::pipe2(to_child, O_CLOEXEC) != 0) return failed(errno);
    if (::pipe2(from_child, O_CLOEXEC) != 0) {
        const int error = errno;
        ::close(to_child[0]);
        ::close(to_child[1]);
        return failed(error);
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, to_child[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, from_child[1], 1);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults; // we ignore closed pipes; it must not
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setpgroup(&attributes, 0); // what it starts can be killed with it
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    // Whatever else is open here, a server's sockets say, is nothing of the program's.
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    const auto pointers = [](std::vector<std::string>& texts) {
        std::vector<char*> out;
        for (std::string& text : texts)
            out.push_back(text.data());
        out.push_back(nullptr);
        return out;
    };
    std::vector<char*> argv = pointers(arguments_), own_environment;
    if (environment_) own_environment = pointers(*environment_);
    const int error = ::posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(),
                                     environment_ ? own_environment.data() : environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(to_child[0]);
    ::close(from_child[1]);
    input_ = to_child[1];
    output_ = from_child[0];
    ::fcntl(input_, F_SETFL, O_NONBLOCK); // a program that does not read must not hold us up
    if (error == 0) {
        enter_group(pid_);
        return std::nullopt;
    }
    pid_ = -1;
    close_fd(input_);
    close_fd(output_);
    return failed(error);
}

bool LineProcess::has_ended_within(Millis patience) const {
    const auto deadline = Clock::now() + patience;
    siginfo_t info{};
    // It is not reaped: until then its group's number is nobody else's.
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        if (Clock::now() >= deadline) return false;
        std::this_thread::sleep_for(Millis(2));
    }
    return true;
}

int LineProcess::kill_group() {
    int status = 0;
    ::kill(-pid_, SIGKILL);
    leave_group(pid_);
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    close_fd(input_);
    close_fd(output_);
    buffer_.clear();
    return status;
}

void LineProcess::stop(Millis patience) {
    if (pid_ <= 0) return;
    close_fd(input_);
    close_fd(output_);
    (void)has_ended_within(patience);
    kill_group();
}

Fault LineProcess::ended() {
    std::string how = "It closed its output without an answer.";
    if (has_ended_within(kPatience)) {
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
    (void)::ioctl(output_, FIONREAD, &waiting);
    if (buffer_.empty() && waiting == 0) return std::nullopt;
    return Fault{Fault::Kind::Unasked, "It had written something before it was asked."};
}

std::optional<Fault> LineProcess::send(std::string_view line, const Patience& patience) {
    while (!line.empty()) {
        if (std::optional<Fault> fault = wait_for(input_, POLLOUT, patience)) return fault;
        const ssize_t written = ::write(input_, line.data(), line.size());
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
        if (std::optional<Fault> fault = wait_for(output_, POLLIN, patience)) return fault;
        char bytes[65536];
        const ssize_t count = ::read(output_, bytes, sizeof bytes);
        if (count > 0)
            buffer_.append(bytes, static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            return ended();
    }
}

std::variant<std::string, Fault> LineProcess::request(std::string_view line, std::optional<Millis> time_left,
                                                      SharedFunction<bool()> is_unwanted) {
    const std::scoped_lock lock(mutex_);
    Patience patience{.deadline = {}, .is_unwanted = std::move(is_unwanted)};
    if (time_left) patience.deadline = Clock::now() + *time_left;
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
