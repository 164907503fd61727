#include "subagent/agent/private_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {

Result<int> open_private_file(const std::string& path, std::string_view what) {
    constexpr int kFlags = O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
    const int links = path.starts_with("/dev/") ? 0 : O_NOFOLLOW;
    const int fd = ::open(path.c_str(), O_WRONLY | kFlags | links, 0600);
    struct stat status {};
    // Private before it is written: a file that was there may be open to all.
    const bool is_ready = fd >= 0 && ::fstat(fd, &status) == 0 && (!S_ISREG(status.st_mode) || ::fchmod(fd, 0600) == 0);
    if (is_ready) return fd;
    const int error = errno;
    if (fd >= 0) ::close(fd);
    const std::string why = error == ELOOP ? "it is a symbolic link" : std::strerror(error);
    return Error(Reason::InvalidRequest, "Cannot write " + std::string(what) + " `" + path + "`: " + why + ".");
}

} // namespace ptc
