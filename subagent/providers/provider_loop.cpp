#include "subagent/providers/provider_loop.h"
#include "subagent/agent/looped_model.h"
#include "subagent/agent/model_calls.h"

namespace ptc {
namespace {

/// Takes a HttpLoop of the model's, and brings it back with its connections.
class ProviderLoop : public ModelLoop {
public:
    explicit ProviderLoop(std::shared_ptr<ProviderClient> client)
        : client_(std::move(client)), http_(client_->http.take()), calls_(std::make_unique<ProviderExchanges>(*http_)) {
    }
    ~ProviderLoop() override {
        calls_.reset();
        client_->http.put_back(std::move(http_));
    }
    ProviderLoop(const ProviderLoop&) = delete;
    ProviderLoop& operator=(const ProviderLoop&) = delete;

    void start(std::uint64_t id, const LlmRequest& request) override {
        if (auto error = calls_->start(id, client_, request)) done_.push_back({id, std::move(*error)});
    }
    void cancel(std::uint64_t id) override {
        std::erase_if(done_, [id](const Done& done) { return done.id == id; });
        calls_->cancel(id);
    }
    std::vector<Done> take_done() override {
        for (Done& done : calls_->wait(std::chrono::milliseconds(0)))
            done_.push_back(std::move(done));
        return std::exchange(done_, {});
    }
    [[nodiscard]] int descriptor() const override { return http_->descriptor(); }
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const override {
        return done_.empty() ? http_->due() : std::chrono::steady_clock::now();
    }

private:
    const std::shared_ptr<ProviderClient> client_;
    std::unique_ptr<HttpLoop> http_;
    std::unique_ptr<ProviderExchanges> calls_;
    std::vector<Done> done_;
};

} // namespace

const ProviderModel* provider_model(const Llm& model) {
    const auto* looped = model.target<LoopedModel>();
    return looped ? looped->call.target<ProviderModel>() : nullptr;
}

std::unique_ptr<ModelLoop> ProviderLoopMaker::operator()() const { return std::make_unique<ProviderLoop>(client); }

ProviderExchanges::~ProviderExchanges() {
    for (const auto& [id, call] : calls_)
        http_.cancel(id);
}

std::optional<LlmError> ProviderExchanges::start(std::uint64_t id, std::shared_ptr<ProviderClient> client,
                                                 const LlmRequest& request) {
    auto made = std::make_unique<Call>(std::move(client), request);
    Call& call = *made;
    std::variant<HttpPost, LlmError> post = call.exchange.post();
    if (auto* error = std::get_if<LlmError>(&post)) return std::move(*error);
    calls_[id] = std::move(made);
    http_.start(id, std::get<HttpPost>(std::move(post)), [&call](const HttpHead& head, std::string_view bytes) {
        bool goes_on = false;
        call.thrown = error_from([&] { goes_on = call.exchange.take(head, bytes); });
        return goes_on;
    });
    return std::nullopt;
}

void ProviderExchanges::cancel(std::uint64_t id) {
    http_.cancel(id);
    calls_.erase(id);
}

LlmResult ProviderExchanges::result_of(Call& call, const HttpOutcome& outcome) {
    LlmResult result;
    std::optional<LlmError> thrown = std::move(call.thrown);
    if (!thrown) thrown = error_from([&] { result = call.exchange.finish(outcome); });
    return thrown ? LlmResult(std::move(*thrown)) : std::move(result);
}

std::vector<ModelLoop::Done> ProviderExchanges::wait(std::chrono::milliseconds timeout) {
    std::vector<ModelLoop::Done> done;
    for (const HttpLoop::End& end : http_.wait(timeout)) {
        const auto found = calls_.find(end.id);
        if (found == calls_.end()) continue;
        const std::unique_ptr<Call> call = std::move(found->second);
        calls_.erase(found);
        done.push_back({end.id, result_of(*call, end.outcome)});
    }
    return done;
}

} // namespace ptc
