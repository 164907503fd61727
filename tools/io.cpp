// Files and streams by descriptors. Output is buffered and remembers its first failure; files are replaced as a whole:
// the new content goes to a temporary file beside the old one, which is renamed when all of it is on disk.
#include "tools/io.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include "subagent/agent/whole_file.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <limits.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

/// Those of the file that is replaced, else what other tools give new files (mkstemp makes private ones).
mode_t permissions_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) return info.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

/// Writes all of `bytes`; 0 or the errno.
int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

bool wants_color() {
    const char* term = std::getenv("TERM");
    const char* refused = std::getenv("NO_COLOR");
    return term && std::strcmp(term, "dumb") != 0 && !(refused && *refused);
}

Error file_error(std::string_view action, const std::string& path, int number) {
    return {Reason::InvalidRequest, std::string(action) + " " + path + ": " + std::strerror(number) + "."};
}

class FileDescriptor {
public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    ~FileDescriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }
    /// 0 or the errno: some file systems report a full disk only here.
    int close() { return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

private:
    int fd_;
};

} // namespace

Output::Output(int fd) : fd_(fd), terminal_(::isatty(fd) == 1), color_(terminal_ && wants_color()) {}

void Output::write(std::string_view text) {
    if (error_) return;
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
}

void Output::line(std::string_view text) {
    write(text);
    write("\n");
}

bool Output::flush() {
    if (!error_ && !buffer_.empty()) error_ = write_all(fd_, buffer_);
    buffer_.clear();
    return ok();
}

void Console::message(std::string_view text) {
    out.flush();
    err.write(text);
    err.flush();
}

ExitCode Console::usage_error(std::string_view text) {
    message("ptcc: " + std::string(text) + "\n");
    return kUsage;
}

int write_until_end(int fd, std::string_view bytes, int end, std::chrono::milliseconds patience) {
    constexpr std::size_t kNeverWaits = PIPE_BUF; // a descriptor that is ready takes so much at once
    std::optional<std::chrono::steady_clock::time_point> until;
    while (!bytes.empty()) {
        const auto left = until
                              ? std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now())
                              : std::chrono::milliseconds(-1);
        if (until && left.count() <= 0) return ETIMEDOUT;
        pollfd ready[] = {{.fd = fd, .events = POLLOUT, .revents = 0},
                          {.fd = until ? -1 : end, .events = POLLIN, .revents = 0}};
        if (::poll(ready, 2, static_cast<int>(left.count())) < 0 && errno != EINTR) return errno;
        if (ready[1].revents) until = std::chrono::steady_clock::now() + patience;
        if (!ready[0].revents) continue;
        const std::string_view piece = bytes.substr(0, kNeverWaits);
        if (const int number = write_all(fd, piece)) return number;
        bytes.remove_prefix(piece.size());
    }
    return 0;
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

bool is_there(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

bool is_folder(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
    return path == "-" ? read_whole_stream(0, path, max_bytes) : read_whole_file(path, max_bytes);
}

namespace {

/// Puts a file with this content and these permissions in the place of `target`. The errno of what failed, or 0.
int replace_file(const std::string& target, mode_t permissions, std::string_view bytes) {
    std::string temporary = target + ".XXXXXX";
    FileDescriptor file(::mkstemp(temporary.data()));
    if (file.get() < 0) return errno;
    int number = ::fchmod(file.get(), permissions) == 0 ? 0 : errno;
    if (!number) number = write_all(file.get(), bytes);
    if (!number) number = file.close();
    if (!number && std::rename(temporary.c_str(), target.c_str()) != 0) number = errno;
    if (number) ::unlink(temporary.c_str());
    return number;
}

} // namespace

Result<void> write_file(const std::string& path, std::string_view bytes) {
    std::error_code no_such_file;
    const std::filesystem::path existing = std::filesystem::canonical(path, no_such_file); // not the link to it
    const std::string target = no_such_file ? path : existing.string();
    const int number = replace_file(target, permissions_of(target), bytes);
    if (number) return file_error("Cannot write", path, number);
    return {};
}

Result<void> write_private_file(const std::string& path, std::string_view what, std::string_view bytes) {
    FileDescriptor file(PTC_TRY(open_private_file(path, what)));
    struct stat status {};
    const bool is_regular = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
    const int number = is_regular ? replace_file(path, S_IRUSR | S_IWUSR, bytes) : write_all(file.get(), bytes);
    if (number) return file_error("Cannot write", path, number);
    return {};
}

} // namespace ptc
