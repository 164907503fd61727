#include "tools/batch.h"
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

} // namespace

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

bool LineReader::wait() const {
    if (wake_ < 0) return true;
    pollfd fds[] = {{.fd = fd_, .events = POLLIN, .revents = 0}, {.fd = wake_, .events = POLLIN, .revents = 0}};
    while (::poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    return fds[1].revents == 0;
}

bool LineReader::fill() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kReadBytes);
    ssize_t n = 0;
    do {
        if (!wait()) break;
        n = ::read(fd_, buffer_.data() + size, kReadBytes);
    } while (n < 0 && errno == EINTR);
    if (n < 0) error_ = errno;
    if (n <= 0) at_end_ = true;
    buffer_.resize(size + (n > 0 ? static_cast<std::size_t>(n) : 0));
    return n > 0;
}

bool LineReader::next(InputLine* line) {
    *line = {++number_, {}, false};
    std::size_t searched = begin_;
    while (true) {
        const std::size_t newline = buffer_.find('\n', searched);
        const bool found = newline != std::string::npos;
        const std::size_t end = found ? newline : buffer_.size();
        if (end - begin_ > max_bytes_) {
            line->too_long = true;
            begin_ = end;
        }
        if (found || at_end_) {
            if (!found && begin_ == end && !line->too_long) return false;
            line->text = std::string_view(buffer_).substr(begin_, line->too_long ? 0 : end - begin_);
            begin_ = found ? end + 1 : end;
            return true;
        }
        const std::size_t kept = end - begin_;
        if (!fill() && error_) return false;
        searched = kept;
    }
}

Result<void> answer_lines(LineReader& reader, Output& out, const std::function<std::string(const InputLine&)>& answer) {
    InputLine line;
    while (out.ok() && reader.next(&line)) {
        if (!line.too_long && is_blank_line(line.text)) continue;
        out.line(answer(line));
        out.flush();
    }
    if (!reader.error_number()) return {};
    return Error(Reason::InvalidRequest,
                 std::string("Cannot read the input: ") + std::strerror(reader.error_number()) + ".");
}

} // namespace ptc
