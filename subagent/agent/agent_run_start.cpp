// What an agent does before its first turn: everything that can be known without a model.
#include "subagent/agent/agent_run.h"
#include "subagent/engine/convert.h"
#include <algorithm>

namespace ptc {
namespace {

/// The names of a map's text and keyword keys become texts.
Result<Datum> context_map(const Datum& context) {
    Datum::Map entries;
    if (context.is_nil()) return Datum(std::move(entries));
    if (!context.map()) return Error(Reason::InvalidRequest, "The context must be a map of names and values.");
    for (const auto& [key, value] : *context.map()) {
        const std::string_view name = key_name(key);
        if (name.empty()) return Error(Reason::InvalidRequest, "The names of a context are texts.");
        entries.emplace_back(Datum(name), value);
    }
    return Datum(std::move(entries));
}

const Datum* find_by_name(const Datum& map, std::string_view name) {
    for (const auto& [key, value] : *map.map()) {
        if (names_match(key_name(key), name)) return &value;
    }
    return nullptr;
}

/// The parameters that are to be checked: all of them when they must be there, else those that are.
std::vector<Field> checked_params(const Signature& signature, const Datum& context, bool all) {
    std::vector<Field> params;
    for (const Field& param : signature.params) {
        if (all || find_by_name(context, param.name)) params.push_back(param);
    }
    return params;
}

/// Puts what was coerced in the place of what was given.
void replace_values(Datum& context, const std::vector<Field>& params, const Datum& checked) {
    Datum::Map entries = *context.map();
    for (const Field& param : params) {
        const Datum* value = find_by_name(checked, param.name);
        if (!value) continue;
        for (auto& [key, old] : entries) {
            if (names_match(key_name(key), param.name)) old = *value;
        }
    }
    context = Datum(std::move(entries));
}

std::string join(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "`" : ", `") + name + "`";
    return out;
}

} // namespace

bool AgentRun::fail_early(MissionReason reason, std::string message) {
    fail(reason, std::move(message));
    return false;
}

bool AgentRun::check_context(const Datum& given) {
    Result<Datum> context = context_map(given);
    if (!context.ok()) return fail_early(MissionReason::InvalidRequest, context.error().message);
    state_.context = std::move(context).value();
    for (const auto& [key, value] : *state_.context.map()) {
        if (agent_->impl().find_tool(*key.text()))
            return fail_early(MissionReason::InvalidRequest,
                              "`" + *key.text() +
                                  "` is the name of a tool and of a value of the context. Rename one of them.");
    }
    learn_secrets(state_.secrets, state_.context);
    if (mode() == ValidationMode::Disabled) return true;
    Signature checked;
    checked.params = checked_params(agent_->signature(), state_.context, mode() == ValidationMode::Strict);
    if (checked.params.empty()) return true;
    const Result<SignaturePtr> compiled = compile_signature(signature_text(checked));
    if (!compiled.ok()) return fail_early(MissionReason::InvalidRequest, compiled.error().message);
    Datum::Map present;
    for (const Field& param : checked.params) {
        if (const Datum* value = find_by_name(state_.context, param.name))
            present.emplace_back(Datum(param.name), *value);
    }
    ValidationOptions how;
    how.mode = mode() == ValidationMode::WarnOnly ? ValidationMode::WarnOnly : ValidationMode::Enabled;
    how.is_json_text = true;
    const Result<Validation> validation = validate(*compiled.value(), Direction::Input, Datum(std::move(present)), how);
    if (!validation.ok()) return fail_early(MissionReason::ValidationError, validation.error().message);
    if (!validation.value().ok)
        return fail_early(MissionReason::ValidationError,
                          "The context does not fit the signature `" + signature_text(agent_->signature()) + "`.\n" +
                              without_firewalled_faults(validation_errors_text(validation.value().errors)));
    replace_values(state_.context, checked.params, validation.value().data);
    return true;
}

// Requirement 46: strictly, every tool needs a signature.
bool AgentRun::check_strictness() {
    if (mode() != ValidationMode::Strict) return true;
    for (const AgentTool& tool : options().tools) {
        if (!agent_->impl().signature_of(tool))
            return fail_early(MissionReason::ValidationError,
                              "The tool `" + tool.tool.name + "` has no signature, which strict validation needs.");
    }
    return true;
}

bool AgentRun::resolve_model(const ModelRef& model, const Llm* callers) {
    model_ = model.call ? &model.call : callers;
    if (!model.name.empty() && !model.call) {
        const auto found = env_.options.registry.find(model.name);
        if (found == env_.options.registry.end())
            return fail_early(MissionReason::ModelNotFound, "No model is registered as `" + model.name + "`.");
        model_ = &found->second;
    }
    if (!model_ || !*model_)
        return fail_early(MissionReason::LlmRequired, "The mission needs a model: a callback or a registered name.");
    return true;
}

/// The nearest of an agent's own limit and its caller's.
void AgentRun::set_limits(const AgentState* caller) {
    const auto nearest = [](auto& limit, const auto& callers) {
        if (callers && (!limit || *callers < *limit)) limit = callers;
    };
    state_.started = env_.now();
    if (options().mission_timeout) state_.deadline = state_.started + *options().mission_timeout;
    state_.last_turn = env_.totals.turns + options().turn_budget;
    if (options().token_limit) state_.last_token = env_.totals.tokens.total() + *options().token_limit;
    if (options().max_cost_usd) state_.last_cost = env_.totals.tokens.cost_usd + *options().max_cost_usd;
    if (!caller) return;
    nearest(state_.deadline, caller->deadline);
    nearest(state_.last_token, caller->last_token);
    nearest(state_.last_cost, caller->last_cost);
    state_.last_turn = std::min(state_.last_turn, caller->last_turn);
}

bool AgentRun::write_prompt(const std::string& user_message) {
    if (!user_message.empty()) {
        state_.messages.push_back({.content = user_message});
        return true;
    }
    const Result<Expansion> expansion = agent_->impl().prompt.expand(public_view(state_.context));
    if (!expansion.ok()) return fail_early(MissionReason::TemplateError, expansion.error().message);
    if (!expansion.value().missing.empty())
        return fail_early(MissionReason::TemplateError, "The context has no value for " +
                                                            join(expansion.value().missing) +
                                                            ", which the prompt names.");
    state_.messages.push_back({.content = expansion.value().text});
    return true;
}

bool AgentRun::fill_memory(const Datum& memory) {
    if (memory.is_nil()) return true;
    if (!memory.map())
        return fail_early(MissionReason::InvalidRequest, "The memory must be a map of names and values.");
    std::vector<std::string> names;
    for (const auto& [key, value] : *memory.map()) {
        const Result<void> defined = session_->define(key_name(key), value);
        if (!defined.ok()) return fail_early(MissionReason::MemoryExceeded, defined.error().message);
        names.emplace_back(key_name(key));
    }
    learn_secrets(state_.secrets, memory);
    state_.memory.update(definitions_of(*session_, names));
    return true;
}

bool AgentRun::read_context_types() {
    if (!state_.context_signature.empty()) {
        const Result<std::string> returned = return_text(state_.context_signature);
        const Result<Signature> types =
            returned.ok() ? parse_signature(returned.value()) : Result<Signature>(returned.error());
        if (!types.ok())
            return fail_early(MissionReason::InvalidRequest,
                              "The context's signature cannot be read: " + types.error().message);
        context_types_ = types.value().returns.fields;
    }
    context_types_.insert(context_types_.end(), agent_->signature().params.begin(), agent_->signature().params.end());
    return true;
}

bool AgentRun::prepare(RunInputs inputs) {
    set_limits(inputs.caller);
    state_.messages = std::move(inputs.history);
    state_.step.signature = signature_text(agent_->signature());
    session_.emplace(*agent_->impl().engine);
    state_.context_signature = inputs.context_signature;
    if (!read_context_types()) return false;
    if (!check_context(inputs.context) || !check_strictness() || !fill_memory(inputs.memory)) return false;
    if (!write_prompt(inputs.user_message)) return false;
    Result<std::shared_ptr<const DataSet>> data = DataSet::from_datum(state_.context);
    if (!data.ok()) return fail_early(MissionReason::MemoryExceeded, data.error().message);
    context_data_ = std::move(data).value();
    return true;
}

void AgentRun::begin(RunInputs inputs, const ModelRef& model, const Llm* callers) {
    state_.run = ++env_.totals.last_run;
    MissionEvent starts = event(MissionEvent::Kind::MissionStart);
    starts.signature = signature_text(agent_->signature());
    starts.text = inputs.user_message.empty() ? options().prompt : inputs.user_message;
    env_.emit(starts);
    if (state_.depth > env_.totals.max_depth) {
        session_.emplace(*agent_->impl().engine);
        return fail(MissionReason::MaxDepthExceeded,
                    "Agents call agents more than " + std::to_string(env_.totals.max_depth) + " levels deep.");
    }
    if (prepare(std::move(inputs)) && resolve_model(model, callers)) next_turn();
}

} // namespace ptc
