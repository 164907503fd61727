// Missions begin with names and values from outside: texts of JSON, keywords of a program, results of a mission before.
// Here they become one map with text keys, in which the values that a parameter of the agent's signature names have
// that parameter's type. Names match whether they are written with hyphens or underscores.
#include "subagent/agent/context_check.h"
#include "frontend/quoted.h"
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

Fail invalid(std::string message) { return because(MissionReason::InvalidRequest, std::move(message)); }

/// Checks and coerces the values in `context` that are parameters.
std::optional<Fail> fit_context(const AgentCore& core, Datum& context) {
    const Signature& signature = core.agent->signature();
    Signature checked;
    checked.params = checked_params(signature, context, core.mode() == ValidationMode::Strict);
    if (checked.params.empty()) return std::nullopt;
    const Result<SignaturePtr> compiled = compile_signature(signature_text(checked));
    if (!compiled.ok()) return invalid(compiled.error().message);
    Datum::Map present;
    for (const Field& param : checked.params) {
        if (const Datum* value = find_by_name(context, param.name)) present.emplace_back(Datum(param.name), *value);
    }
    ValidationOptions how;
    how.mode = core.mode() == ValidationMode::WarnOnly ? ValidationMode::WarnOnly : ValidationMode::Enabled;
    how.is_json_text = true;
    const Result<Validation> validation = validate(*compiled.value(), Direction::Input, Datum(std::move(present)), how);
    if (!validation.ok()) return because(MissionReason::ValidationError, validation.error().message);
    if (!validation.value().ok)
        return because(MissionReason::ValidationError,
                       "The context does not fit the signature `" + signature_text(signature) + "`.\n" +
                           without_firewalled_faults(validation_errors_text(validation.value().errors)));
    replace_values(context, checked.params, validation.value().data);
    return std::nullopt;
}

} // namespace

std::optional<Fail> take_context(const AgentCore& core, const Datum& given) {
    Result<Datum> context = context_map(given);
    if (!context.ok()) return invalid(context.error().message);
    AgentState& state = core.state;
    state.context = std::move(context).value();
    for (const auto& [key, value] : *state.context.map()) {
        if (core.impl().find_tool(*key.text()))
            return invalid(quoted(*key.text()) +
                           " is the name of a tool and of a value of the context. Rename one of them.");
    }
    learn_secrets(state.secrets, state.context);
    if (core.mode() == ValidationMode::Disabled) return std::nullopt;
    return fit_context(core, state.context);
}

std::optional<Fail> check_strictness(const AgentCore& core) {
    if (core.mode() != ValidationMode::Strict) return std::nullopt;
    for (const AgentTool& tool : core.options().tools) {
        if (!core.impl().signature_of(tool))
            return because(MissionReason::ValidationError,
                           "The tool `" + tool.tool.name + "` has no signature, which strict validation needs.");
    }
    return std::nullopt;
}

} // namespace ptc
