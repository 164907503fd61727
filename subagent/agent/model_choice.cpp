// Models made of others. A choice is data; ModelCall walks through it, from one call to the next, so that a thread that
// waits and a loop of many calls do the same. Choices may be made of choices: the walk keeps those that it is in.
#include "subagent/agent/model_call.h"
#include <algorithm>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

LlmError nobody() {
    return {.kind = "invalid_request", .message = "None of the models is for this request.", .is_permanent = true};
}

const FallbackModel* fallback_at(const ModelChoice& choice, std::size_t at) {
    const auto* models = std::get_if<std::shared_ptr<const std::vector<FallbackModel>>>(&choice.models);
    return models && at < (*models)->size() ? &(**models)[at] : nullptr;
}

std::string_view name_at(const ModelChoice& choice, std::size_t at) {
    if (const FallbackModel* model = fallback_at(choice, at)) return model->name;
    const auto* models = std::get_if<std::shared_ptr<const std::vector<RouteModel>>>(&choice.models);
    return models && at < (*models)->size() ? std::string_view((**models)[at].name) : std::string_view();
}

/// A condition that breaks is not met.
template <class When, class... Seen> bool is_met(const When& when, const Seen&... seen) {
    if (!when) return true;
    try {
        return when(seen...);
    } catch (...) {
        return false;
    }
}

bool is_for(const FallbackModel& model, const LlmRequest& request, const LlmError& error) {
    const std::vector<std::string>& kinds = model.on.empty() ? fallback_kinds() : model.on;
    return std::ranges::find(kinds, error.kind_name()) != kinds.end() && is_met(model.when, request, error);
}

Millis longest(Millis wait) { return std::clamp(wait, Millis(0), Millis(std::chrono::hours(24 * 365))); }

} // namespace

const std::vector<std::string>& fallback_kinds() {
    static const std::vector<std::string>& kinds = *new std::vector<std::string>{
        "rate_limit",     "overloaded",     "server_error", "timeout",         "network",   "bad_reply",
        "context_length", "content_filter", "quota",        "model_not_found", "too_large", "unsupported_input"};
    return kinds;
}

std::size_t prompt_bytes(const LlmRequest& request) {
    std::size_t bytes = request.system.size();
    for (const Message& message : request.messages) {
        bytes += message.content.size();
        for (const ToolCall& call : message.tool_calls)
            bytes += call.name.size() + call.arguments.to_json().size();
        for (const Attachment& one : message.attachments)
            bytes += static_cast<std::size_t>(4 * one.estimated_tokens()); // as conversations are measured
    }
    return bytes;
}

bool RouteModel::takes(const LlmRequest& request) const {
    if (!agents.empty() && std::ranges::find(agents, request.agent) == agents.end()) return false;
    if (request.depth < from_depth || (to_depth && request.depth > *to_depth)) return false;
    if (request.turn < from_turn || (to_turn && request.turn > *to_turn)) return false;
    if (from_bytes > 0 || to_bytes) {
        const std::size_t bytes = prompt_bytes(request);
        if (bytes < from_bytes || (to_bytes && bytes > *to_bytes)) return false;
    }
    return is_met(when, request);
}

Llm fallback(std::vector<FallbackModel> models) {
    return ModelChoice{std::make_shared<const std::vector<FallbackModel>>(std::move(models))};
}

Llm route(std::vector<RouteModel> models) {
    return ModelChoice{std::make_shared<const std::vector<RouteModel>>(std::move(models))};
}

LlmResult ModelChoice::operator()(const LlmRequest& request) const {
    ModelCall call(*this, request);
    while (true) {
        if (std::optional<LlmResult> all = call.take(call.call())) return std::move(*all);
    }
}

bool is_made_of(const Llm& model, const std::function<bool(const Llm& part)>& holds) {
    const auto* choice = model.target<ModelChoice>();
    if (!choice) return holds(model);
    const auto all = [&](const auto& models) {
        return !models->empty() &&
               std::ranges::all_of(*models, [&](const auto& one) { return is_made_of(one.call, holds); });
    };
    return std::visit(all, choice->models);
}

bool is_unwanted(const LlmRequest& request) {
    return request.stop.stop_requested() || (request.is_unwanted && request.is_unwanted());
}

bool has_part(const Llm& model, const std::function<bool(const Llm& part)>& holds) {
    const auto* choice = model.target<ModelChoice>();
    if (!choice) return holds(model);
    const auto any = [&](const auto& models) {
        return std::ranges::any_of(*models, [&](const auto& one) { return has_part(one.call, holds); });
    };
    return std::visit(any, choice->models);
}

LlmResult ModelCall::call() const {
    if (!model_) return nobody();
    try {
        return model_(request_);
    } catch (const std::exception& error) { // one that another model may answer for
        return LlmError{.kind = "exception", .message = error.what()};
    } catch (...) {
        return LlmError{.kind = "exception", .message = "The model failed."};
    }
}

ModelCall::ModelCall(const Llm& model, LlmRequest request) : request_(std::move(request)) {
    Time end;
    if (request_.time_left) end = SteadyClock::now() + longest(*request_.time_left);
    descend(model, end);
}

/// To the model that `model` is, in the end.
void ModelCall::descend(const Llm& model, Time end) {
    const auto* choice = model.target<ModelChoice>();
    if (!choice) {
        model_ = model;
        if (end) request_.time_left = std::max(Millis(0), std::chrono::floor<Millis>(*end - SteadyClock::now()));
        return;
    }
    Level level{.choice = *choice, .end = end};
    if (const auto* routes = std::get_if<std::shared_ptr<const std::vector<RouteModel>>>(&choice->models)) {
        const std::vector<RouteModel>& models = **routes;
        const auto found = std::ranges::find_if(models, [&](const RouteModel& one) { return one.takes(request_); });
        level.at = static_cast<std::size_t>(found - models.begin());
        levels_.push_back(std::move(level));
        return found == models.end() ? void(model_ = {}) : descend(found->call, end);
    }
    const FallbackModel* first = fallback_at(*choice, 0);
    levels_.push_back(std::move(level));
    if (!first) return void(model_ = {});
    if (first->timeout)
        end = std::min(end.value_or(SteadyClock::time_point::max()), SteadyClock::now() + longest(*first->timeout));
    descend(first->call, end);
}

bool ModelCall::go_on(Level& level, const LlmError& error) {
    if (!fallback_at(level.choice, level.at) || is_unwanted(request_)) return false;
    if (level.end && SteadyClock::now() >= *level.end) return false;
    std::size_t next = level.at + 1;
    while (const FallbackModel* model = fallback_at(level.choice, next)) {
        if (is_for(*model, request_, error)) break;
        ++next;
    }
    const FallbackModel* model = fallback_at(level.choice, next);
    if (!model) return false;
    level.failures.push_back({.model = std::string(name_at(level.choice, level.at)),
                              .kind = error.kind_name(),
                              .message = error.message,
                              .usage = error.usage});
    level.used += error.usage;
    if (!level.error && !error.is_permanent) level.error = error;
    level.at = next;
    if (request_.on_delta) request_.on_delta({.kind = LlmDelta::Kind::Restart});
    Time end = level.end;
    if (model->timeout)
        end = std::min(end.value_or(SteadyClock::time_point::max()), SteadyClock::now() + longest(*model->timeout));
    descend(model->call, end); // `level` may have moved
    return true;
}

std::optional<LlmResult> ModelCall::take(LlmResult result) {
    while (!levels_.empty()) {
        Level& level = levels_.back();
        auto* error = std::get_if<LlmError>(&result);
        if (error && go_on(level, *error)) return std::nullopt;
        if (error) {
            level.used += error->usage;
            if (level.error) *error = std::move(*level.error);
            error->usage = level.used;
        } else {
            auto& reply = std::get<LlmReply>(result);
            if (reply.model.empty()) reply.model = name_at(level.choice, level.at);
            level.failures.insert(level.failures.end(), std::make_move_iterator(reply.failures.begin()),
                                  std::make_move_iterator(reply.failures.end()));
            reply.failures = std::move(level.failures);
        }
        levels_.pop_back();
    }
    return result;
}

} // namespace ptc
