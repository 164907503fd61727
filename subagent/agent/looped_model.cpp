#include "subagent/agent/looped_model.h"
#include <algorithm>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr int kLongestPoll = 60'000; ///< ms; who waits looks again then

} // namespace

Llm looped(ModelLoopMaker make) { return LoopedModel{.make_loop = std::move(make)}; }

LlmResult LoopedModel::operator()(const LlmRequest& request) const {
    if (call) return call(request);
    const std::unique_ptr<ModelLoop> loop = make_loop();
    if (!loop) return LlmError{.kind = "exception", .message = "The model has no loop for its calls."};
    loop->start(0, request);
    while (true) {
        std::vector<ModelLoop::Done> done = loop->take_done();
        if (!done.empty()) return std::move(done.front().result);
        const int descriptor = loop->descriptor();
        wait_for({&descriptor, 1}, loop->due());
    }
}

Wakeup::Wakeup() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Wakeup::~Wakeup() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void Wakeup::signal() const {
    const std::uint64_t one = 1;
    (void)!::write(descriptor_, &one, sizeof one);
}

void Wakeup::clear() const {
    std::uint64_t times = 0;
    (void)!::read(descriptor_, &times, sizeof times);
}

void wait_for(std::span<const int> descriptors, std::optional<SteadyClock::time_point> due) {
    std::vector<pollfd> polled;
    for (const int descriptor : descriptors)
        polled.push_back({.fd = descriptor, .events = POLLIN, .revents = 0}); // a negative one is passed over
    int timeout = kLongestPoll;
    if (due) {
        const auto left = std::chrono::ceil<Millis>(*due - SteadyClock::now()).count();
        timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongestPoll));
    }
    (void)::poll(polled.data(), static_cast<nfds_t>(polled.size()), timeout);
}

} // namespace ptc
