// Children are started by posix_spawn, which does not copy the page tables of a large process, in groups of their own.
// The groups stand in a table that a handler of signals can walk: it may do no more than read numbers and kill. A place
// is left before its program is reaped, as the number may be somebody else's then.
#include "subagent/mcp/child_process.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

std::array<std::atomic<pid_t>, 1024> groups;
static_assert(std::atomic<pid_t>::is_always_lock_free);
std::atomic<bool> is_ending{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// Children may have started programs themselves, in groups of their own that nobody else knows: they get a signal that
/// they can handle first, and less time for theirs than we have for them, as a variable of the environment says.
constexpr std::string_view kGraceVariable = "PTC_GRACE_MS=";
constexpr int kMostGrace = 900;
std::atomic<int> grace_ms{0}; ///< 0: no child was started

void read_grace() {
    int ours = kMostGrace;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with(kGraceVariable)) continue;
        const std::string_view digits = text.substr(kGraceVariable.size());
        int given = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), given);
        if (read.ec == std::errc()) ours = std::clamp(given, 1, kMostGrace);
    }
    grace_ms = ours;
}

std::vector<std::string> with_grace(std::optional<std::vector<std::string>> environment) {
    if (!environment) {
        environment.emplace();
        for (char** entry = environ; *entry; ++entry)
            environment->emplace_back(*entry);
    }
    std::erase_if(*environment, [](const std::string& entry) { return entry.starts_with(kGraceVariable); });
    environment->push_back(std::string(kGraceVariable) + std::to_string(std::max(1, grace_ms * 2 / 3)));
    return std::move(*environment);
}

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

void close_fd(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
}

/// The two ends of a pipe: 0 is read, 1 is written.
struct Pipe {
    int ends[2] = {-1, -1};
    bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
    ~Pipe() {
        close_fd(ends[0]);
        close_fd(ends[1]);
    }
    int take(int end) { return std::exchange(ends[end], -1); }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

int spawn(ChildCommand& command, const Pipe& input, const Pipe& output, const Pipe& errors, pid_t* pid) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input.ends[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
    if (command.keeps_errors) ::posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
    if (!command.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
    // Whatever else is open here, a server's sockets say, is nothing of the program's.
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults; // we ignore closed pipes; it must not
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setpgroup(&attributes, 0); // what it starts can be killed with it
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> environment = with_grace(std::move(command.environment));
    std::vector<char*> argv = pointers(command.arguments), own_environment = pointers(environment);
    const int error = ::posix_spawnp(pid, argv[0], &actions, &attributes, argv.data(), own_environment.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#else
    return (void)pid, -1;
#endif
}

} // namespace

std::variant<Child, int> start_child(ChildCommand command) {
    if (is_ending.load()) return ECANCELED;
    if (grace_ms == 0) read_grace();
    Pipe input, output, errors;
    if (!input.open() || !output.open() || (command.keeps_errors && !errors.open())) return errno;
    Child child;
    if (const int error = spawn(command, input, output, errors, &child.pid)) return error;
    enter_group(child.pid);
    child.input = input.take(1);
    child.output = output.take(0);
    child.errors = errors.take(0);
    child.end = open_pidfd(child.pid);
    ::fcntl(child.input, F_SETFL, O_NONBLOCK); // a program that does not read must not hold us up
    if (child.errors >= 0) ::fcntl(child.errors, F_SETFL, O_NONBLOCK);
    return child;
}

ssize_t write_quietly(int fd, std::string_view bytes) {
    sigset_t pipe, before, pending;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::sigemptyset(&pending);
    ::sigpending(&pending);
    const bool was_pending = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    const int error = errno;
    if (written < 0 && error == EPIPE && !was_pending) {
        const timespec now{};
        while (::sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
        }
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return written;
}

bool has_ended_within(const Child& child, Millis patience) {
    const auto deadline = SteadyClock::now() + patience;
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        const auto left = std::chrono::ceil<Millis>(deadline - SteadyClock::now());
        if (left.count() <= 0) return false;
        if (child.end < 0) {
            std::this_thread::sleep_for(Millis(2));
            continue;
        }
        pollfd ended{.fd = child.end, .events = POLLIN, .revents = 0};
        (void)::poll(&ended, 1, static_cast<int>(left.count()));
    }
    return true;
}

int kill_child(Child& child) {
    int status = 0;
    ::kill(-child.pid, SIGTERM);
    (void)has_ended_within(child, Millis(grace_ms));
    ::kill(-child.pid, SIGKILL);
    leave_group(child.pid);
    ::waitpid(child.pid, &status, 0);
    child.pid = -1;
    for (int* fd : {&child.input, &child.output, &child.errors, &child.end})
        close_fd(*fd);
    return status;
}

namespace {

void signal_all(int signal) {
    for (const std::atomic<pid_t>& place : groups) {
        if (const pid_t group = place.load()) ::kill(-group, signal);
    }
}

bool are_all_ended() {
    return std::ranges::all_of(groups, [](const std::atomic<pid_t>& place) {
        const pid_t leader = place.load();
        siginfo_t info{};
        return leader == 0 || ::waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
               info.si_pid != 0;
    });
}

} // namespace

// As a handler of signals it may do nothing but count, ask and kill.
void end_all_programs() {
    constexpr int kStep = 5;
    const int error = errno;
    is_ending.store(true);
    signal_all(SIGTERM);
    for (int waited = 0; waited < grace_ms && !are_all_ended(); waited += kStep) {
        const timespec step{.tv_sec = 0, .tv_nsec = kStep * 1'000'000};
        ::nanosleep(&step, nullptr);
    }
    signal_all(SIGKILL);
    errno = error;
}

bool are_programs_ending() { return is_ending.load(); }

std::vector<std::string> child_environment(const std::vector<std::string>& names) {
    // Of Node.js and Python by name: theirs are also tokens of registries (NODE_AUTH_TOKEN).
    constexpr std::string_view kUsual[] = {"PATH",
                                           "HOME",
                                           "USER",
                                           "LOGNAME",
                                           "SHELL",
                                           "LANG",
                                           "TZ",
                                           "LANGUAGE",
                                           "TERM",
                                           "TMPDIR",
                                           "PWD",
                                           "VIRTUAL_ENV",
                                           "NODE_PATH",
                                           "NODE_ENV",
                                           "NODE_OPTIONS",
                                           "NODE_EXTRA_CA_CERTS",
                                           "PYTHONPATH",
                                           "PYTHONHOME",
                                           "PYTHONUNBUFFERED",
                                           "PYTHONDONTWRITEBYTECODE",
                                           "PYTHONIOENCODING",
                                           "PYTHONUTF8",
                                           "PYTHONWARNINGS",
                                           "PYTHONHASHSEED"};
    constexpr std::string_view kUsualBeginnings[] = {"LC_", "SSL_CERT_", "XDG_"};
    std::vector<std::string> environment;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        const bool is_usual = std::ranges::find(kUsual, name) != std::end(kUsual) ||
                              std::ranges::any_of(kUsualBeginnings, [&](auto s) { return name.starts_with(s); });
        if (is_usual || std::ranges::find(names, name) != names.end()) environment.emplace_back(text);
    }
    return environment;
}

} // namespace ptc
