#include "subagent/agent/line_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {

Result<int> LineFile::create(const std::string& path, bool is_private, std::string_view what) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, is_private ? 0600 : 0644);
    // Made private before it is emptied and written: a file that was there may be open to all. Pipes stay as they are.
    struct stat status {};
    const bool is_ready =
        fd >= 0 && ::fstat(fd, &status) == 0 &&
        (!S_ISREG(status.st_mode) || ((!is_private || ::fchmod(fd, 0600) == 0) && ::ftruncate(fd, 0) == 0));
    if (is_ready) return fd;
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return Error(Reason::InvalidRequest,
                 "Cannot write " + std::string(what) + " `" + path + "`: " + std::strerror(error) + ".");
}

LineFile::~LineFile() { ::close(fd_); }

void LineFile::write(std::string line) {
    line += '\n';
    const std::scoped_lock lock(mutex_);
    std::string_view rest = line;
    while (!rest.empty() && error_ == 0) {
        const ssize_t written = ::write(fd_, rest.data(), rest.size());
        if (written >= 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            error_ = errno;
    }
}

int LineFile::error_number() const {
    const std::scoped_lock lock(mutex_);
    return error_;
}

} // namespace ptc
