// Calls of models on one thread: those that wait for their time, and those that a HttpLoop carries. Both end early when
// nobody waits for them any more; the loop looks after its own, so only the former are asked here.
#include "subagent/agent/model_call.h"
#include "subagent/providers/provider_exchange.h"
#include <algorithm>
#include <atomic>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kAskPoll{25}; ///< how soon a call ends that waits for its time and nobody for it
constexpr Millis kLongestDelay = std::chrono::hours(24 * 20);

bool is_unwanted(const LlmRequest& request) {
    return request.stop.stop_requested() || (request.is_unwanted && request.is_unwanted());
}

LlmError exception_error(std::string message) { return {.kind = "exception", .message = std::move(message)}; }

/// What hosts write may throw.
template <class Function> std::optional<LlmError> error_from(const Function& call) {
    try {
        call();
        return std::nullopt;
    } catch (const std::exception& e) {
        return exception_error(e.what());
    } catch (...) {
        return exception_error("of unknown type");
    }
}

} // namespace

struct ProviderCalls::Impl {
    struct Call {
        explicit Call(LlmNeed given) : need(std::move(given)) {}
        LlmNeed need; ///< without its request, once the call has begun
        std::optional<ModelCall> steps{};
        std::shared_ptr<ProviderClient> client{}; ///< of the model that is called now
        std::optional<ProviderExchange> exchange{};
        std::optional<LlmError> thrown{}; ///< by the host's own sink
    };

    void begin(std::uint64_t id, Call& call);
    void go_on(std::uint64_t id, Call& call);
    void take(std::uint64_t id, Call& call, LlmResult result);
    void begin_due();
    void finish(const HttpLoop::End& end);
    void settle(std::uint64_t id, LlmResult result) {
        calls.erase(id);
        done.push_back({id, std::move(result)});
    }

    HttpLoop http;
    std::map<std::uint64_t, std::unique_ptr<Call>> calls;
    std::multimap<Clock::time_point, std::uint64_t> delayed;
    std::vector<Done> done;
    std::atomic<bool> is_woken{false};
};

void ProviderCalls::Impl::begin(std::uint64_t id, Call& call) {
    const auto failed =
        error_from([&] { call.steps.emplace(*call.need.model, std::move(call.need.request)); }); // hosts' conditions
    failed ? settle(id, *failed) : go_on(id, call);
}

/// Calls the model whose turn it is.
void ProviderCalls::Impl::go_on(std::uint64_t id, Call& call) {
    const auto* model = call.steps->model().target<ProviderModel>();
    if (!model) {
        LlmResult result;
        if (auto error = error_from([&] { result = call.steps->call(); })) result = std::move(*error);
        return take(id, call, std::move(result));
    }
    call.client = model->client;
    call.exchange.emplace(*call.client, call.steps->request());
    std::variant<HttpPost, LlmError> post = call.exchange->post();
    if (auto* error = std::get_if<LlmError>(&post)) return take(id, call, std::move(*error));
    http.start(id, std::get<HttpPost>(std::move(post)), [&call](const HttpHead& head, std::string_view bytes) {
        bool goes_on = false;
        call.thrown = error_from([&] { goes_on = call.exchange->take(head, bytes); });
        return goes_on;
    });
}

/// Of one of the models that are called: it is the result, or another one is called.
void ProviderCalls::Impl::take(std::uint64_t id, Call& call, LlmResult result) {
    std::optional<LlmResult> all;
    if (auto error = error_from([&] { all = call.steps->take(std::move(result)); })) all = std::move(*error);
    all ? settle(id, std::move(*all)) : go_on(id, call);
}

void ProviderCalls::Impl::begin_due() {
    const Clock::time_point now = Clock::now();
    for (auto at = delayed.begin(); at != delayed.end();) {
        const std::uint64_t id = at->second;
        Call& call = *calls.at(id);
        const bool is_over = is_unwanted(call.need.request);
        if (!is_over && at->first > now) {
            ++at;
            continue;
        }
        at = delayed.erase(at);
        if (is_over)
            settle(id, provider_error(ProviderFault::Cancelled, "Nobody waits for the reply any more."));
        else
            begin(id, call);
    }
}

void ProviderCalls::Impl::finish(const HttpLoop::End& end) {
    Call& call = *calls.at(end.id);
    LlmResult result;
    std::optional<LlmError> thrown = std::move(call.thrown);
    if (!thrown) thrown = error_from([&] { result = call.exchange->finish(end.outcome); });
    if (thrown) return settle(end.id, std::move(*thrown));
    take(end.id, call, std::move(result));
}

ProviderCalls::ProviderCalls() : impl_(std::make_unique<Impl>()) {}
ProviderCalls::~ProviderCalls() = default;

bool ProviderCalls::takes(const Llm& model) {
    return is_made_of(model, [](const Llm& part) { return part.target<ProviderModel>() != nullptr; });
}

void ProviderCalls::start(std::uint64_t id, LlmNeed need) {
    const Millis delay = std::clamp(need.delay, Millis(0), kLongestDelay);
    impl_->calls.emplace(id, std::make_unique<Impl::Call>(std::move(need)));
    impl_->delayed.emplace(Clock::now() + delay, id);
}

void ProviderCalls::cancel(std::uint64_t id) {
    impl_->http.cancel(id);
    std::erase_if(impl_->delayed, [id](const auto& entry) { return entry.second == id; });
    std::erase_if(impl_->done, [id](const Done& done) { return done.id == id; });
    impl_->calls.erase(id);
}

std::vector<ProviderCalls::Done> ProviderCalls::wait(Millis timeout) {
    const Clock::time_point end = Clock::now() + std::clamp(timeout, Millis(0), kLongestDelay);
    while (true) {
        impl_->begin_due();
        Clock::time_point until = impl_->done.empty() && !impl_->calls.empty() ? end : Clock::now();
        if (const auto next = due()) until = std::min(until, *next);
        const auto left = std::max(Millis(0), std::chrono::ceil<Millis>(until - Clock::now()));
        for (const HttpLoop::End& ended : impl_->http.wait(left))
            impl_->finish(ended);
        const bool is_over = !impl_->done.empty() || impl_->calls.empty() || impl_->is_woken || Clock::now() >= end;
        if (!is_over) continue;
        impl_->is_woken = false;
        return std::exchange(impl_->done, {});
    }
}

void ProviderCalls::wake() {
    impl_->is_woken = true;
    impl_->http.wake();
}

std::size_t ProviderCalls::size() const { return impl_->calls.size() + impl_->done.size(); }

int ProviderCalls::descriptor() const { return impl_->http.descriptor(); }

std::optional<Clock::time_point> ProviderCalls::due() const {
    if (!impl_->done.empty()) return Clock::now();
    std::optional<Clock::time_point> next = impl_->http.due();
    if (!impl_->delayed.empty()) {
        // One that waits is asked whether it is still wanted.
        const Clock::time_point own = std::min(impl_->delayed.begin()->first, Clock::now() + kAskPoll);
        next = next ? std::min(*next, own) : own;
    }
    return next;
}

} // namespace ptc
