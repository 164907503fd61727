#include "subagent/agent/private_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {
namespace {

/// Links to what is open already, and what keeps nothing. Other names below /dev are files like any.
bool is_stream(const std::string& path) {
    return path == "/dev/stdout" || path == "/dev/stderr" || path == "/dev/tty" || path == "/dev/null" ||
           (path.starts_with("/dev/fd/") && path.find('/', 8) == path.npos);
}

/// Why what is open is not written to; null when it may be. A regular file is private from then on.
const char* problem_of(int fd, bool is_new) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return nullptr;
    if (status.st_nlink > 1) return "it has another name, by which others may read it";
    // Some systems give all files of a folder one owner; and root may have made folders for others.
    if (!is_new && status.st_uid != ::geteuid() && ::geteuid() != 0) return "it belongs to somebody else";
    return ::fchmod(fd, 0600) == 0 ? nullptr : std::strerror(errno);
}

const char* reason_of(int error) {
    if (error == ELOOP) return "it is a symbolic link";
    if (error == ENXIO) return "nobody reads what is written there";
    return std::strerror(error);
}

Error cannot_write(std::string_view what, const std::string& path, const char* why) {
    return Error(Reason::InvalidRequest, "Cannot write " + std::string(what) + " `" + path + "`: " + why + ".");
}

} // namespace

Result<int> open_private_file(const std::string& path, std::string_view what) {
    constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK; // a pipe without reader would wait
    const bool is_open_already = is_stream(path);
    int fd = -1;
    bool is_new = false;
    if (!is_open_already) {
        fd = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        is_new = fd >= 0;
        if (fd < 0 && errno != EEXIST) return cannot_write(what, path, reason_of(errno));
    }
    if (fd < 0) fd = ::open(path.c_str(), kFlags | (is_open_already ? 0 : O_NOFOLLOW));
    if (fd < 0) return cannot_write(what, path, reason_of(errno));
    const char* problem = is_open_already ? nullptr : problem_of(fd, is_new);
    if (!problem && ::fcntl(fd, F_SETFL, O_APPEND) == 0) return fd;
    if (!problem) problem = std::strerror(errno);
    Error error = cannot_write(what, path, problem);
    ::close(fd);
    return error;
}

Result<void> make_private_folder(const std::string& path) {
    for (std::size_t end = 0; end != path.npos && end < path.size();) {
        end = path.find('/', end + 1);
        const std::string folder = path.substr(0, end);
        if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST || errno == EISDIR) continue;
        const int error = errno;
        struct stat status {};
        if (::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) continue; // of a system that is only read
        return Error(Reason::InvalidRequest, "Cannot make the folder `" + path + "`: " + std::strerror(error) + ".");
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
    return Error(Reason::InvalidRequest, "Cannot make the folder `" + path + "`: there is a file of its name.");
}

} // namespace ptc
