// A call of a model that may be made of others (ptc/model_choice.h), step by step: who makes the calls decides how.
#pragma once
#include "ptc/model_choice.h"
#include <chrono>
#include <functional>
#include <memory>

namespace ptc {

/// What fallback() and route() give: a Llm whose target says what it is made of.
struct ModelChoice {
    std::variant<std::shared_ptr<const std::vector<FallbackModel>>, std::shared_ptr<const std::vector<RouteModel>>>
        models;
    LlmResult operator()(const LlmRequest& request) const;
};

/// True when nobody waits for the reply any more.
[[nodiscard]] bool is_unwanted(const LlmRequest& request);

/// True if `holds` of all models that may be called, of which there is one at least.
bool is_made_of(const Llm& model, const std::function<bool(const Llm& part)>& holds);
/// True if `holds` of one of the models that may be called.
bool has_part(const Llm& model, const std::function<bool(const Llm& part)>& holds);

/// Asks for one model after the other: call `model()` with `request()`, and `take` what it gave, until that is all.
class ModelCall {
public:
    /// `model` is kept.
    ModelCall(const Llm& model, LlmRequest request);

    /// Empty: there is nobody to call.
    [[nodiscard]] const Llm& model() const { return model_; }
    [[nodiscard]] const LlmRequest& request() const { return request_; }
    /// What the model gives, called on this thread.
    [[nodiscard]] LlmResult call() const;
    /// The result of the whole; none: another model is to be called.
    [[nodiscard]] std::optional<LlmResult> take(LlmResult result);
    /// The request, when all is over.
    [[nodiscard]] LlmRequest take_request() { return std::move(request_); }

private:
    using Time = std::optional<std::chrono::steady_clock::time_point>; ///< none: for ever
    /// A choice that was made.
    struct Level {
        ModelChoice choice;
        std::size_t at = 0; ///< of its models
        Time end{};         ///< of all of them
        std::vector<ModelFailure> failures{};
        std::optional<LlmError> error{}; ///< the first that can get better
        TokenUsage used{};               ///< by all that failed
    };
    void descend(const Llm& model, Time end);
    /// What comes after the error of the level's model; false: nothing.
    bool go_on(Level& level, const LlmError& error);

    LlmRequest request_;
    Llm model_{};
    std::vector<Level> levels_; ///< outermost first
};

} // namespace ptc
