// Calls of models on one thread: ModelCalls has those that wait for their time and walks through models made of others;
// one HttpLoop carries what is under way, whichever provider's it is.
#include "subagent/agent/model_calls.h"
#include "subagent/providers/provider_loop.h"
#include <algorithm>
#include <atomic>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kLongestWait = std::chrono::hours(24 * 20);

} // namespace

struct ProviderCalls::Impl : PartCaller {
    void start_part(std::uint64_t id, const ModelCall& call) override {
        const ProviderModel* model = provider_model(call.model());
        if (!model) return calls.take(id, call.call());
        if (auto error = exchanges.start(id, model->client, call.request())) calls.take(id, std::move(*error));
    }
    /// Calls that were done at once, and those of the loop.
    void act(Millis timeout) {
        for (ModelLoop::Done& ended : exchanges.wait(timeout))
            calls.take(ended.id, std::move(ended.result));
    }

    ModelCalls calls{*this};
    HttpLoop http;
    ProviderExchanges exchanges{http}; ///< its requests are those of `calls`
    std::atomic<bool> is_woken{false};
};

ProviderCalls::ProviderCalls() : impl_(std::make_unique<Impl>()) {}
ProviderCalls::~ProviderCalls() = default;

bool ProviderCalls::takes(const Llm& model) {
    return is_made_of(model, [](const Llm& part) { return provider_model(part) != nullptr; });
}

void ProviderCalls::start(std::uint64_t id, LlmNeed need) { impl_->calls.start(id, std::move(need)); }

void ProviderCalls::cancel(std::uint64_t id) {
    impl_->exchanges.cancel(id);
    impl_->calls.cancel(id);
}

std::vector<ProviderCalls::Done> ProviderCalls::wait(Millis timeout) {
    const Clock::time_point end = Clock::now() + std::clamp(timeout, Millis(0), kLongestWait);
    while (true) {
        impl_->calls.begin_due();
        const bool is_to_wait = !impl_->calls.has_done() && impl_->calls.under_way() > 0;
        Clock::time_point until = is_to_wait ? end : Clock::now();
        if (const auto next = due()) until = std::min(until, *next);
        impl_->act(std::max(Millis(0), std::chrono::ceil<Millis>(until - Clock::now())));
        const bool is_over =
            impl_->calls.has_done() || impl_->calls.under_way() == 0 || impl_->is_woken || Clock::now() >= end;
        if (!is_over) continue;
        impl_->is_woken = false;
        std::vector<Done> done;
        for (ModelCalls::Done& one : impl_->calls.take_done())
            done.push_back({one.id, std::move(one.result)});
        return done;
    }
}

void ProviderCalls::wake() {
    impl_->is_woken = true;
    impl_->http.wake();
}

std::size_t ProviderCalls::size() const { return impl_->calls.size(); }

int ProviderCalls::descriptor() const { return impl_->http.descriptor(); }

std::optional<Clock::time_point> ProviderCalls::due() const {
    const std::optional<Clock::time_point> http = impl_->http.due();
    const std::optional<Clock::time_point> own = impl_->calls.due();
    if (!http || !own) return http ? http : own;
    return std::min(*http, *own);
}

} // namespace ptc
