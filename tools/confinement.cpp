// Two fences. Landlock knows files by name, but few kernels of servers have it; seccomp knows system calls and their
// numbers, and is everywhere. The list of calls is of those that computing needs: all others fail, as a kernel without
// them would fail. clone3 is said to be missing, because a filter cannot read what it is asked for; the C library then
// asks clone.
#include "tools/confinement.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <memory>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PTC_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PTC_HAS_SANITIZER 1
#endif
#endif

namespace ptc {
namespace {

/// 0, or why not.
using Errno = int;

/// Every access to files that the first version of landlock knows.
constexpr std::uint64_t kFileAccess =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

void allow_reading(int ruleset, const std::string& path) {
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0) return; // whoever reads it says that it is not there
    landlock_path_beneath_attr rule{};
    struct stat status {};
    // A rule for a directory is one for all in it: it may be opened, so that its reader says that it is no file.
    const bool is_directory = ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
    rule.allowed_access = is_directory ? LANDLOCK_ACCESS_FS_READ_DIR : LANDLOCK_ACCESS_FS_READ_FILE;
    rule.parent_fd = file;
    ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(file);
}

Errno fence_files(const std::vector<std::string>& readable) {
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = kFileAccess;
    const auto ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    if (ruleset < 0) return errno;
    for (const std::string& path : readable) {
        if (path != "-") allow_reading(ruleset, path);
    }
    const Errno failed = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno;
    ::close(ruleset);
    return failed;
}

using Filter = std::unique_ptr<void, void (*)(void*)>;

/// The calls that are allowed whatever their arguments.
constexpr int kPlainCalls[] = {
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // what is open, and names for landlock to judge
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close),
    SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx),
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(getcwd), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(access),
    // threads
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(rseq), SCMP_SYS(membarrier),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(set_tid_address), SCMP_SYS(exit),
    // signals, time, chance, who we are
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(tgkill),
    SCMP_SYS(restart_syscall), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrusage), SCMP_SYS(exit_group)};

/// An argument is `value`, or is so in the bits of `mask`. (The library's macros leave a field out, of which compilers
/// warn.)
scmp_arg_cmp equal(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

Errno add_rules(scmp_filter_ctx filter) {
    Errno failed = 0;
    const auto allow = [&](int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
        const int code = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, static_cast<unsigned>(conditions.size()),
                                                conditions.begin());
        if (code != 0 && failed == 0) failed = -code;
    };
    for (const int call : kPlainCalls)
        allow(call);
    constexpr std::uint64_t kWrites = O_ACCMODE | O_CREAT | O_TRUNC;
    allow(SCMP_SYS(openat), {masked(2, kWrites, O_RDONLY)});
    allow(SCMP_SYS(open), {masked(1, kWrites, O_RDONLY)});
    allow(SCMP_SYS(mmap), {masked(2, PROT_EXEC, 0)});
    allow(SCMP_SYS(mprotect), {masked(2, PROT_EXEC, 0)});
    allow(SCMP_SYS(clone), {masked(0, CLONE_THREAD, CLONE_THREAD)});
    for (const std::uint64_t request : {std::uint64_t{TCGETS}, std::uint64_t{TIOCGWINSZ}, std::uint64_t{FIONREAD}})
        allow(SCMP_SYS(ioctl), {equal(1, request)});
    for (const std::uint64_t command : {F_GETFD, F_SETFD, F_GETFL})
        allow(SCMP_SYS(fcntl), {equal(1, command)});
    allow(SCMP_SYS(prctl), {equal(0, PR_SET_NAME)});
    // Of ourselves, and only asked.
    allow(SCMP_SYS(prlimit64), {equal(0, 0), equal(2, 0)});
    const int missing = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, nullptr);
    return failed != 0 ? failed : -missing;
}

Errno fence_calls() {
    const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), [](void* f) { seccomp_release(f); });
    if (!filter) return ENOMEM;
    if (const Errno failed = add_rules(filter.get())) return failed;
    return -seccomp_load(filter.get()); // sets no_new_privs too
}

bool is_named(int fd, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [end = "/" + std::to_string(fd)](const std::string& name) {
        return name == "/dev/fd" + end || name == "/proc/self/fd" + end;
    });
}

/// What whoever started the program left open: connections and files that it has no use for. Ours close at an exec.
Errno close_inherited(const std::vector<std::string>& readable) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open_files(::opendir("/proc/self/fd"), ::closedir);
    if (!open_files) return errno;
    std::vector<int> inherited;
    while (const dirent* entry = ::readdir(open_files.get())) {
        const int fd = std::atoi(entry->d_name);
        const int flags = fd > STDERR_FILENO ? ::fcntl(fd, F_GETFD) : FD_CLOEXEC;
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && !is_named(fd, readable)) inherited.push_back(fd);
    }
    for (const int fd : inherited)
        ::close(fd);
    return 0;
}

Error lacks(const char* what, Errno why) {
    return Error(Reason::InvalidRequest,
                 std::string("This system cannot confine the program: ") + what + ": " + std::strerror(why) + ".");
}

/// Valgrind works inside of the process that it looks at, and would be confined with it.
bool is_under_valgrind() {
    const char* preloaded = std::getenv("LD_PRELOAD");
    return preloaded && std::strstr(preloaded, "vgpreload_");
}

constexpr bool has_sanitizer() {
#ifdef PTC_HAS_SANITIZER
    return true;
#else
    return false;
#endif
}

} // namespace

Result<void> confine(const ConfinementOptions& options) {
    if (has_sanitizer() || is_under_valgrind()) {
        if (!options.is_required) return {};
        return Error(Reason::InvalidRequest, "Under sanitizers and valgrind the program cannot be confined.");
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 && options.is_required) return lacks("no_new_privs", errno);
    const Errno inherited = close_inherited(options.readable);
    if (inherited != 0 && options.is_required) return lacks("/proc/self/fd", inherited);
    const Errno files = fence_files(options.readable);
    if (files != 0 && options.is_required) return lacks("landlock", files);
    const Errno calls = fence_calls();
    if (calls != 0 && options.is_required) return lacks("seccomp", calls);
    return {};
}

} // namespace ptc
