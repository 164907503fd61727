// Messages are read on the thread of the command, which never waits for anything else; answers come from the threads of
// the workers and share standard output under a lock, each flushed as a line. When input ends, requests under way are
// still answered, so that `printf .. | ptcc mcp` works, but nobody can be asked any more: approvals are denied then.
#include "tools/mcp/stdio.h"
#include "tools/batch.h"
#include <atomic>
#include <thread>

namespace ptc::mcp {
namespace {

class StdioOutlet : public Outlet {
public:
    explicit StdioOutlet(Output& out) : out_(out) {}
    bool send(std::string message) override {
        const std::scoped_lock lock(mutex_);
        out_.line(message);
        if (!out_.flush()) is_gone_ = true;
        return !is_gone_;
    }
    void finish(std::string message, int) override { (void)send(std::move(message)); }
    void drop() override {}
    [[nodiscard]] bool is_gone() const override { return is_gone_; }

private:
    Output& out_;
    std::mutex mutex_;
    std::atomic<bool> is_gone_{false};
};

bool has_calls(Peer& peer) {
    const std::scoped_lock lock(peer.mutex);
    return !peer.calls.empty();
}

} // namespace

int serve_stdio(Server& server, Console& console, const MessageLimits& limits, std::chrono::milliseconds grace) {
    const auto outlet = std::make_shared<StdioOutlet>(console.out);
    const auto peer = std::make_shared<Peer>("stdio");
    peer->stream = outlet;
    server.add_session(peer);
    LineReader reader(0, limits.max_bytes);
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
    while (!outlet->is_gone() && has_calls(*peer) && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool is_cut_off = has_calls(*peer);
    server.close(peer);
    server.stop();
    return outlet->is_gone() ? kUsage : is_cut_off ? kFailed : kSuccess;
}

} // namespace ptc::mcp
