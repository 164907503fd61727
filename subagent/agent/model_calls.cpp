#include "subagent/agent/model_calls.h"
#include <algorithm>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kAskPoll{25}; ///< how soon a call ends that waits for its time and nobody for it
constexpr Millis kLongestDelay = std::chrono::hours(24 * 20);

} // namespace

void ModelCalls::start(std::uint64_t id, LlmNeed need) {
    const Millis delay = std::clamp(need.delay, Millis(0), kLongestDelay);
    calls_.emplace(id, std::make_unique<Call>(std::move(need)));
    delayed_.emplace(SteadyClock::now() + delay, id);
}

void ModelCalls::cancel(std::uint64_t id) {
    std::erase_if(delayed_, [id](const auto& entry) { return entry.second == id; });
    std::erase_if(done_, [id](const Done& done) { return done.id == id; });
    calls_.erase(id);
}

void ModelCalls::begin_due() {
    const SteadyClock::time_point now = SteadyClock::now();
    for (auto at = delayed_.begin(); at != delayed_.end();) {
        const std::uint64_t id = at->second;
        Call& call = *calls_.at(id);
        const bool is_over = is_unwanted(call.need.request);
        if (!is_over && at->first > now) {
            ++at;
            continue;
        }
        at = delayed_.erase(at);
        if (is_over)
            settle(id, LlmError{.kind = "cancelled", .message = "Nobody waits for the reply any more."});
        else
            begin(id, call);
    }
}

void ModelCalls::begin(std::uint64_t id, Call& call) {
    const auto failed =
        error_from([&] { call.steps.emplace(*call.need.model, std::move(call.need.request)); }); // hosts' conditions
    failed ? settle(id, *failed) : go_on(id, call);
}

/// Calls the model whose turn it is.
void ModelCalls::go_on(std::uint64_t id, Call& call) {
    if (!call.steps->model()) return take(id, call.steps->call());
    if (auto error = error_from([&] { parts_.start_part(id, *call.steps); })) take(id, std::move(*error));
}

/// It is the result, or another model is called.
void ModelCalls::take(std::uint64_t id, LlmResult result) {
    const auto found = calls_.find(id);
    if (found == calls_.end() || !found->second->steps) return; // it was cancelled
    Call& call = *found->second;
    std::optional<LlmResult> all;
    if (auto error = error_from([&] { all = call.steps->take(std::move(result)); })) all = std::move(*error);
    all ? settle(id, std::move(*all)) : go_on(id, call);
}

void ModelCalls::settle(std::uint64_t id, LlmResult result) {
    const auto found = calls_.find(id);
    Call& call = *found->second;
    if (call.steps) call.need.request = call.steps->take_request();
    done_.push_back({id, std::move(call.need), std::move(result)});
    calls_.erase(found);
}

std::optional<SteadyClock::time_point> ModelCalls::due() const {
    if (!done_.empty()) return SteadyClock::now();
    if (delayed_.empty()) return std::nullopt;
    return std::min(delayed_.begin()->first,
                    SteadyClock::now() + kAskPoll); // one that waits is asked whether it is wanted
}

} // namespace ptc
