// Any bytes as lines that a client of `ptcc mcp` sends: what is a message is written and read again as the same; each
// request has one answer, which is a message with its id, or none when it was cancelled; what comes back as a sealed
// state and was never sealed is refused.
#include "tests/fuzz/fuzz_check.h"
#include "tools/mcp/lisp_offer.h"
#include "tools/mcp/server.h"
#include <condition_variable>

namespace ptc::mcp {
namespace {

/// Counts what is answered.
class Answers : public Outlet {
public:
    explicit Answers(Datum id) : id_(std::move(id)) {}
    ~Answers() override { FUZZ_CHECK(ends_ == 1); }
    bool send(std::string message) override {
        check(message, MessageKind::Notification);
        return true;
    }
    void finish(std::string message, int status) override {
        FUZZ_CHECK(status >= 200 && status < 600);
        const auto read = read_message(message);
        FUZZ_CHECK(std::holds_alternative<Message>(read));
        FUZZ_CHECK(std::get<Message>(read).id == id_);
        ++ends_;
    }
    void drop() override { ++ends_; }
    [[nodiscard]] bool is_gone() const override { return false; }

private:
    static void check(const std::string& message, MessageKind kind) {
        const auto read = read_message(message);
        FUZZ_CHECK(std::holds_alternative<Message>(read) && std::get<Message>(read).kind == kind);
    }
    const Datum id_;
    std::atomic<int> ends_{0};
};

const std::shared_ptr<LispHost>& host() {
    static const auto& made = *new std::shared_ptr<LispHost>([] {
        Limits limits;
        limits.fuel = 20'000;
        limits.heap_bytes = 1 << 20;
        auto host = lisp_host({.limits = limits, .max_sessions = 4});
        FUZZ_CHECK(host.ok());
        return std::move(host).value();
    }());
    return made;
}

const Offer& offer() {
    static const Offer& made = *new Offer(lisp_offer(host()));
    return made;
}

std::string written(const Message& message) {
    switch (message.kind) {
    case MessageKind::Request: return write_request(message.id, message.method, message.params);
    case MessageKind::Notification: return write_notification(message.method, message.params);
    case MessageKind::Result: return write_result(message.id, message.result.to_json());
    case MessageKind::Error: break;
    }
    return write_error(message.id, message.error);
}

void take(Server& server, const PeerPtr& peer, std::string_view line) {
    constexpr MessageLimits kLimits{.max_bytes = 1 << 16, .max_depth = 32};
    auto read = read_message(line, kLimits);
    if (const auto* bad = std::get_if<BadMessage>(&read)) {
        FUZZ_CHECK(std::holds_alternative<Message>(read_message(write_error(bad->id, bad->error))));
        return;
    }
    Message message = std::get<Message>(std::move(read));
    const std::string text = written(message);
    const auto again = read_message(text);
    FUZZ_CHECK(std::holds_alternative<Message>(again) && written(std::get<Message>(again)) == text);
    const bool is_request = message.kind == MessageKind::Request;
    const auto outlet = is_request ? std::make_shared<Answers>(message.id) : nullptr;
    server.receive(peer, std::move(message), outlet, line.size());
}

void talk(std::string_view bytes) {
    FUZZ_CHECK(!host()->seal->open(bytes, "").ok());
    if (const auto value = read_header_value(bytes)) FUZZ_CHECK(read_header_value(header_value(*value)) == value);
    Server server(offer(), {.max_threads = 2, .max_waiting = 64, .ask_timeout = std::chrono::milliseconds(1)});
    const auto peer = std::make_shared<Peer>("fuzz");
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        take(server, peer, bytes.substr(at, end - at));
        at = end + 1;
    }
    server.close(peer);
}

} // namespace
} // namespace ptc::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size <= 1 << 16) ptc::mcp::talk(std::string_view(reinterpret_cast<const char*>(data), size));
    return 0;
}
