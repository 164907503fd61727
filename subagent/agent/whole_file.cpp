// Files are opened without waiting, as opening a FIFO waits for a writer otherwise. What is open tells what it is. A
// read of a FIFO gives nothing when nobody has it open for writing. For one with a name that is its end only once there
// was something, as a writer may still come, and so there is a deadline; a pipe without a name, which a shell makes of
// <(command), had all its writers when we got it.
#include "subagent/agent/whole_file.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;

Error cannot_read(const std::string& path, const std::string& why) {
    return {Reason::InvalidRequest, "Cannot read " + path + ": " + why + "."};
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

private:
    int fd_;
};

bool is_nameless_pipe(int fd) {
    constexpr std::string_view kPipe = "pipe:";
    char link[kPipe.size()] = {};
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    return ::readlink(path.c_str(), link, sizeof link) == static_cast<ssize_t>(sizeof link) &&
           std::string_view(link, sizeof link) == kPipe;
}

class Reading {
public:
    /// `deadline`: of a FIFO with a name.
    Reading(int fd, const std::string& path, std::size_t max_bytes,
            std::optional<SteadyClock::time_point> deadline = {})
        : fd_(fd), path_(path), max_bytes_(max_bytes), deadline_(deadline) {}

    Result<std::string> run() {
        while (true) {
            if (bytes_.size() > max_bytes_) return too_large();
            const ssize_t n = read_piece();
            const int error = n < 0 ? errno : 0;
            if (n == 0 && !(deadline_ && bytes_.empty())) return std::move(bytes_);
            if (n > 0 || error == EINTR) continue;
            if (error != 0 && error != EAGAIN) return cannot_read(path_, std::strerror(error));
            if (!wait()) return cannot_read(path_, "it is a FIFO, and who writes to it takes too long");
        }
    }
    /// Of a file whose size is known: there will be so many bytes.
    void expect(std::size_t bytes) { bytes_.reserve(bytes + kPiece); }
    [[nodiscard]] Error too_large() const {
        return {Reason::InvalidRequest,
                path_ + " is larger than the limit of " + std::to_string(max_bytes_) + " bytes."};
    }

private:
    static constexpr std::size_t kPiece = 64 * 1024;
    static constexpr std::size_t kLargePiece = 16 * kPiece;

    /// Within the room that was made, else as much again: resizing writes what it makes.
    ssize_t read_piece() {
        const std::size_t size = bytes_.size();
        const std::size_t room = bytes_.capacity() - size;
        const std::size_t piece = room >= kPiece ? std::min(room, kLargePiece) : std::max(kPiece, size);
        bytes_.resize(size + std::min(piece, max_bytes_ + 1 - size));
        const ssize_t n = ::read(fd_, bytes_.data() + size, bytes_.size() - size);
        bytes_.resize(size + (n > 0 ? static_cast<std::size_t>(n) : 0));
        return n;
    }
    /// Until there is something to read; false at the deadline.
    [[nodiscard]] bool wait() const {
        using std::chrono::milliseconds;
        constexpr milliseconds kLook{200}; // a writer that came and went without a byte wakes nobody
        milliseconds left = kLook;
        if (deadline_) left = std::min(left, std::chrono::ceil<milliseconds>(*deadline_ - SteadyClock::now()));
        if (left.count() <= 0) return false;
        pollfd waiting{fd_, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
        // A FIFO whose writer has gone is ready at once, and has nothing.
        if (ready > 0 && !(waiting.revents & POLLIN)) ::poll(nullptr, 0, 1);
        return true;
    }

    int fd_;
    const std::string& path_;
    std::size_t max_bytes_;
    std::optional<SteadyClock::time_point> deadline_;
    std::string bytes_{};
};

} // namespace

Result<std::string> read_whole_stream(int fd, const std::string& path, std::size_t max_bytes) {
    return Reading(fd, path, max_bytes).run();
}

Result<std::string> read_whole_file(const std::string& path, std::size_t max_bytes,
                                    std::chrono::milliseconds fifo_time) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat info {};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) return cannot_read(path, std::strerror(errno));
    const bool is_fifo = S_ISFIFO(info.st_mode);
    if (is_fifo && !is_nameless_pipe(file.get()))
        return Reading(file.get(), path, max_bytes, SteadyClock::now() + fifo_time).run();
    Reading reading(file.get(), path, max_bytes);
    if (S_ISDIR(info.st_mode)) return cannot_read(path, std::strerror(EISDIR));
    if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode) && !is_fifo) return cannot_read(path, "it is no file");
    if (S_ISREG(info.st_mode) && static_cast<std::uintmax_t>(info.st_size) > max_bytes) return reading.too_large();
    if (S_ISREG(info.st_mode)) reading.expect(static_cast<std::size_t>(info.st_size));
    return reading.run();
}

} // namespace ptc
