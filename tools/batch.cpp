// Lines are read as they come, whole, within a bound; answered one after the other, or by several threads, and written
// in their order.
#include "tools/batch.h"
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

/// Threads that answer lines, and whose answers are written in the order of the lines, by whoever has the next one.
class ParallelAnswers {
public:
    ParallelAnswers(Output& out, const std::function<std::string(const InputLine&)>& answer, std::size_t threads)
        : out_(out), answer_(answer), most_waiting_(threads) {
        for (std::size_t i = 0; i < threads; ++i)
            threads_.emplace_back([this] { work(); });
    }
    /// When all lines are answered.
    ~ParallelAnswers() {
        {
            const std::scoped_lock lock(mutex_);
            is_ending_ = true;
        }
        came_.notify_all();
        for (std::thread& thread : threads_)
            thread.join();
    }
    ParallelAnswers(const ParallelAnswers&) = delete;
    ParallelAnswers& operator=(const ParallelAnswers&) = delete;

    [[nodiscard]] bool is_open() {
        const std::scoped_lock lock(mutex_);
        return out_.ok();
    }

    /// Keeps a copy of the line; waits while as many lines as there are threads wait for one.
    void add(const InputLine& line) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [this] { return waiting_.size() < most_waiting_; });
        waiting_.push_back({added_++, line.number, std::string(line.text), line.too_long});
        came_.notify_one();
    }

private:
    struct Waiting {
        std::size_t place;
        std::size_t number;
        std::string text;
        bool too_long;
    };

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            came_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            const Waiting line = std::move(waiting_.front());
            waiting_.pop_front();
            taken_.notify_one();
            lock.unlock();
            std::string answer = answer_({line.number, line.text, line.too_long});
            lock.lock();
            answers_.emplace(line.place, std::move(answer));
            write_those_in_order();
        }
    }

    void write_those_in_order() {
        for (auto next = answers_.begin(); next != answers_.end() && next->first == written_; ++written_) {
            out_.line(next->second);
            out_.flush();
            next = answers_.erase(next);
        }
    }

    Output& out_;
    const std::function<std::string(const InputLine&)>& answer_;
    const std::size_t most_waiting_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::condition_variable taken_;
    std::deque<Waiting> waiting_;
    std::map<std::size_t, std::string> answers_; ///< of lines behind one that is not answered yet
    std::size_t added_ = 0;
    std::size_t written_ = 0;
    bool is_ending_ = false;
    std::vector<std::thread> threads_;
};

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

Result<void> answer_lines(LineReader& reader, Output& out, const std::function<std::string(const InputLine&)>& answer,
                          std::size_t jobs) {
    std::optional<ParallelAnswers> parallel;
    if (jobs > 1) parallel.emplace(out, answer, jobs);
    InputLine line;
    while ((parallel ? parallel->is_open() : out.ok()) && reader.next(&line)) {
        if (!line.too_long && is_blank_line(line.text)) continue;
        if (parallel) {
            parallel->add(line);
            continue;
        }
        out.line(answer(line));
        out.flush();
    }
    parallel.reset();
    if (!reader.error_number()) return {};
    return Error(Reason::InvalidRequest,
                 std::string("Cannot read the input: ") + std::strerror(reader.error_number()) + ".");
}

} // namespace ptc
