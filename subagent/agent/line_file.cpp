#include "subagent/agent/line_file.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {

namespace {

/// A regular file is made ready, which gives an errno or 0; others are written as they are.
template <class Prepare> Result<int> open_lines(const std::string& path, std::string_view what, Prepare prepare) {
    const int fd = PTC_TRY(open_private_file(path, what));
    struct stat status {};
    if (::fstat(fd, &status) == 0 && (!S_ISREG(status.st_mode) || prepare(fd))) return fd;
    const int error = errno;
    ::close(fd);
    return Error(Reason::InvalidRequest,
                 "Cannot write " + std::string(what) + " `" + path + "`: " + std::strerror(error) + ".");
}

} // namespace

Result<int> LineFile::create(const std::string& path, std::string_view what) {
    return open_lines(path, what, [](int fd) { return ::ftruncate(fd, 0) == 0; });
}

Result<int> LineFile::append(const std::string& path, std::string_view what) {
    return open_lines(path, what, [](int) { return true; });
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
