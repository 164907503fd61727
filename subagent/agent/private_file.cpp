#include "subagent/agent/private_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {
namespace {

/// Why what is open is not written to; null when it may be. A regular file is private from then on.
const char* problem_of(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return nullptr;
    if (status.st_nlink > 1) return "it has another name, by which others may read it";
    if (status.st_uid != ::geteuid()) return "it belongs to somebody else";
    return ::fchmod(fd, 0600) == 0 ? nullptr : std::strerror(errno);
}

const char* reason_of(int error) {
    if (error == ELOOP) return "it is a symbolic link";
    if (error == ENXIO) return "nobody reads that pipe";
    return std::strerror(error);
}

Error cannot_write(std::string_view what, const std::string& path, const char* why) {
    return Error(Reason::InvalidRequest, "Cannot write " + std::string(what) + " `" + path + "`: " + why + ".");
}

} // namespace

Result<int> open_private_file(const std::string& path, std::string_view what) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
    const bool is_open_already = path.starts_with("/dev/");
    const int links = is_open_already ? 0 : O_NOFOLLOW;
    const int fd = ::open(path.c_str(), kFlags | links | O_NONBLOCK, 0600); // a pipe that nobody reads would wait
    if (fd < 0) return cannot_write(what, path, reason_of(errno));
    const char* problem = is_open_already ? nullptr : problem_of(fd);
    if (!problem && ::fcntl(fd, F_SETFL, O_APPEND) == 0) return fd;
    if (!problem) problem = std::strerror(errno);
    Error error = cannot_write(what, path, problem);
    ::close(fd);
    return error;
}

} // namespace ptc
