// Calls of models on one thread, without waiting: each begins after its delay, and goes from one model to the next
// where it is made of others (ptc/model_choice.h). Who makes the calls of the parts is the caller's matter.
#pragma once
#include "ptc/needs.h"
#include "subagent/agent/model_call.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ptc {

/// Makes the calls of the models that others are made of.
class PartCaller {
public:
    PartCaller() = default;
    PartCaller(const PartCaller&) = delete;
    PartCaller& operator=(const PartCaller&) = delete;
    virtual ~PartCaller() = default;
    /// Begins a call of `call.model()` with `call.request()`; `call` stays where it is until ModelCalls::take has the
    /// result, in this function or later, or the call is cancelled.
    virtual void start_part(std::uint64_t id, const ModelCall& call) = 0;
};

/// Belongs to one thread at a time. `parts` outlives it.
class ModelCalls {
public:
    explicit ModelCalls(PartCaller& parts) : parts_(parts) {}

    /// `id` is not under way yet. The call begins when begin_due is called after LlmNeed::delay.
    void start(std::uint64_t id, LlmNeed need);
    /// It is never done; its part, if one is under way, is the caller's to end.
    void cancel(std::uint64_t id);
    /// Begins what is due, and ends with `cancelled` what nobody waits for any more. When there is something to begin,
    /// due() says.
    void begin_due();
    /// What a part gave.
    void take(std::uint64_t id, LlmResult result);

    struct Done {
        std::uint64_t id;
        LlmNeed need; ///< as it was given, with what is left of its time
        LlmResult result;
    };
    [[nodiscard]] std::vector<Done> take_done() { return std::exchange(done_, {}); }
    [[nodiscard]] bool has_done() const { return !done_.empty(); }
    [[nodiscard]] std::size_t size() const { return calls_.size() + done_.size(); } ///< with those that are done
    [[nodiscard]] std::size_t under_way() const { return calls_.size(); }
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const;

private:
    struct Call {
        explicit Call(LlmNeed given) : need(std::move(given)) {}
        LlmNeed need; ///< without its request, once the call has begun
        std::optional<ModelCall> steps{};
    };
    void begin(std::uint64_t id, Call& call);
    void go_on(std::uint64_t id, Call& call);
    void settle(std::uint64_t id, LlmResult result);

    PartCaller& parts_;
    std::map<std::uint64_t, std::unique_ptr<Call>> calls_;
    std::multimap<std::chrono::steady_clock::time_point, std::uint64_t> delayed_;
    std::vector<Done> done_;
};

/// What `call` throws, as an error; none when it throws nothing.
template <class Function> [[nodiscard]] std::optional<LlmError> error_from(const Function& call) {
    try {
        call();
        return std::nullopt;
    } catch (const std::exception& e) {
        return LlmError{.kind = "exception", .message = e.what()};
    } catch (...) {
        return LlmError{.kind = "exception", .message = "of unknown type"};
    }
}

} // namespace ptc
