// Messages are read on the thread of the command; answers come from the threads of the workers and share standard
// output under a lock. A client that does not read keeps whoever writes waiting, and with it everything, but for a
// signal. When input ends, requests under way are still answered, so that `printf .. | ptcc mcp` works, but nobody can
// be asked any more: approvals are denied then.
#include "tools/mcp/stdio.h"
#include "tools/batch.h"
#include <atomic>
#include <functional>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace ptc::mcp {
namespace {

/// A descriptor that becomes readable when a stop is requested.
class Waker {
public:
    explicit Waker(const std::stop_token& stop)
        : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(stop, [fd = fd_] { write_one(fd); }) {}
    ~Waker() {
        if (fd_ >= 0) ::close(fd_);
    }
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;
    [[nodiscard]] int descriptor() const { return fd_; }
    void wake() const { write_one(fd_); }

private:
    static void write_one(int fd) {
        const std::uint64_t one = 1;
        (void)!::write(fd, &one, sizeof one);
    }
    const int fd_;
    std::stop_callback<std::function<void()>> callback_;
};

/// Whoever has something to say waits for the client to read, until the end: then `kPatience` in all.
class StdioOutlet : public Outlet {
public:
    StdioOutlet(int fd, std::shared_ptr<const Waker> end) : fd_(fd), end_(std::move(end)) {}
    bool send(std::string message) override {
        message += '\n';
        const std::scoped_lock lock(mutex_);
        if (is_gone_) return false;
        const int number = write_until_end(fd_, message, end_->descriptor(), kPatience);
        if (number == ETIMEDOUT) is_cut_off_ = true;
        if (number) is_gone_ = true;
        return !is_gone_;
    }
    void finish(std::string message, int) override {
        // When a signal comes, the programs of tools are killed, and calls of them fail before anybody looks.
        if (EndSignals::came()) is_cut_off_ = true;
        (void)send(std::move(message));
    }
    void drop() override {}
    [[nodiscard]] bool is_gone() const override { return is_gone_; }
    /// Whether a call was under way when a signal came, and was answered since, or could not be.
    [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }

private:
    static constexpr std::chrono::milliseconds kPatience{1000};
    const int fd_;
    const std::shared_ptr<const Waker> end_;
    std::mutex mutex_;
    std::atomic<bool> is_gone_{false}, is_cut_off_{false};
};

bool has_calls(Peer& peer) {
    const std::scoped_lock lock(peer.mutex);
    return !peer.calls.empty();
}

} // namespace

int serve_stdio(Server& server, Console& console, const MessageLimits& limits, std::chrono::milliseconds grace,
                const EndSignals& signals) {
    const std::stop_token stop = signals.stop();
    const auto waker = std::make_shared<const Waker>(stop);
    console.out.flush();
    const auto outlet = std::make_shared<StdioOutlet>(STDOUT_FILENO, waker);
    const auto peer = std::make_shared<Peer>("stdio");
    peer->stream = outlet;
    server.add_session(peer);
    LineReader reader(0, limits.max_bytes, waker->descriptor());
    InputLine line;
    while (!outlet->is_gone() && reader.next(&line)) {
        if (!line.too_long && is_blank_line(line.text)) continue;
        std::variant<Message, BadMessage> read =
            line.too_long
                ? BadMessage{rpc_error(ErrorCode::InvalidRequest,
                                       "The message is longer than " + std::to_string(limits.max_bytes) + " bytes.")}
                : read_message(line.text, limits);
        const auto* bad = std::get_if<BadMessage>(&read);
        if (bad && bad->is_response) // an answer, if to nothing that can be understood
            server.receive(peer, {.kind = MessageKind::Error, .id = bad->id, .error = bad->error}, nullptr, 0);
        else if (bad)
            outlet->send(write_error(bad->id, bad->error));
        else
            server.receive(peer, std::get<Message>(std::move(read)), outlet, line.text.size());
    }
    server.end_input(peer);
    const auto deadline = std::chrono::steady_clock::now() + grace;
    while (!outlet->is_gone() && !stop.stop_requested() && has_calls(*peer) &&
           std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool has_unanswered = has_calls(*peer);
    waker->wake(); // from here on nobody waits long for the client to read
    server.close(peer);
    server.stop();
    if (outlet->is_cut_off()) return kFailed;
    return outlet->is_gone() ? kUsage : has_unanswered ? kFailed : kSuccess;
}

} // namespace ptc::mcp
