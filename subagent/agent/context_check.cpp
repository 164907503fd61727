// Missions begin with names and values from outside: texts of JSON, keywords of a program, results of a mission before.
// Here they become one map with text keys, in which the values that a parameter of the agent's signature names have
// that parameter's type. Names match whether they are written with hyphens or underscores.
#include "subagent/agent/context_check.h"
#include "frontend/quoted.h"
#include "subagent/engine/data_check.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

using Names = std::set<std::string, std::less<>>;

/// The names of a map's text and keyword keys become texts.
Result<Datum> context_map(Datum context) {
    Datum::Map entries;
    if (context.is_nil()) return Datum(std::move(entries));
    if (!context.map()) return Error(Reason::InvalidRequest, "The context must be a map of names and values.");
    const auto is_text = [](const auto& entry) { return entry.first.text() && !entry.first.text()->empty(); };
    if (std::ranges::all_of(*context.map(), is_text)) return context;
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

/// Whether a data set of the root's options has the parameter.
bool is_shared(const AgentCore& core, std::string_view param) {
    if (core.state.depth > 0) return false;
    return std::ranges::any_of(core.env.options.data, [&](const auto& set) {
        return set && std::ranges::any_of(set->names(), [&](const auto& name) { return names_match(name, param); });
    });
}

/// The parameters that are to be checked: all of them when they must be there, else those that are.
std::vector<Field> checked_params(const AgentCore& core, const Datum& context, bool all) {
    std::vector<Field> params;
    for (const Field& param : core.agent->signature().params) {
        const bool is_here = find_by_name(context, param.name) != nullptr;
        if (is_here || (all && !is_shared(core, param.name))) params.push_back(param);
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

ValidationOptions how_to_check(const AgentCore& core) {
    ValidationOptions how;
    how.mode = core.mode() == ValidationMode::WarnOnly ? ValidationMode::WarnOnly : ValidationMode::Enabled;
    how.is_json_text = true;
    return how;
}

Fail unfit(const AgentCore& core, const std::vector<Fault>& faults) {
    return because(MissionReason::ValidationError, "The context does not fit the signature `" +
                                                       signature_text(core.agent->signature()) + "`.\n" +
                                                       without_firewalled_faults(validation_errors_text(faults)));
}

/// A name that is a tool's, too, could not be told from it.
std::optional<Fail> check_name(const AgentCore& core, const std::string& name) {
    if (!core.impl().find_tool(name)) return std::nullopt;
    return invalid(quoted(name) + " is the name of a tool and of a value of the context. Rename one of them.");
}

/// Checks one name of a data set; what becomes of the value, if it is coerced, goes in front of the set.
std::optional<Fail> fit_shared(const AgentCore& core, const DataSet& set, const std::string& name, DataSets& before) {
    const std::vector<Field>& params = core.agent->signature().params;
    const auto param = std::ranges::find_if(params, [&](const Field& field) { return names_match(field.name, name); });
    if (param == params.end() || core.mode() == ValidationMode::Disabled) return std::nullopt;
    Signature one;
    one.params = {*param};
    const Result<SignaturePtr> compiled = compile_signature(signature_text(one));
    if (!compiled.ok()) return invalid(compiled.error().message);
    const auto checked = check_data(set, name, *compiled.value(), how_to_check(core));
    if (!checked.ok()) return because(MissionReason::ValidationError, checked.error().message);
    if (!checked.value()->faults.empty()) return unfit(core, checked.value()->faults);
    if (checked.value()->coerced) before.push_back(checked.value()->coerced);
    return std::nullopt;
}

/// Checks and coerces the values in `context` that are parameters.
std::optional<Fail> fit_context(const AgentCore& core, Datum& context) {
    const Signature& signature = core.agent->signature();
    Signature checked;
    checked.params = checked_params(core, context, core.mode() == ValidationMode::Strict);
    if (checked.params.empty()) return std::nullopt;
    const Result<SignaturePtr> compiled = compile_signature(signature_text(checked));
    if (!compiled.ok()) return invalid(compiled.error().message);
    Datum::Map present;
    for (const Field& param : checked.params) {
        if (const Datum* value = find_by_name(context, param.name)) present.emplace_back(Datum(param.name), *value);
    }
    const Result<Validation> validation =
        validate(*compiled.value(), Direction::Input, Datum(std::move(present)), how_to_check(core));
    if (!validation.ok()) return because(MissionReason::ValidationError, validation.error().message);
    if (!validation.value().ok) return unfit(core, validation.value().errors);
    replace_values(context, checked.params, validation.value().data);
    return std::nullopt;
}

} // namespace

std::optional<Fail> take_context(const AgentCore& core, Datum given) {
    Result<Datum> context = context_map(std::move(given));
    if (!context.ok()) return invalid(context.error().message);
    AgentState& state = core.state;
    state.context = std::move(context).value();
    for (const auto& [key, value] : *state.context.map()) {
        if (std::optional<Fail> fail = check_name(core, *key.text())) return fail;
    }
    learn_secrets(state.secrets, state.context);
    if (core.mode() == ValidationMode::Disabled) return std::nullopt;
    return fit_context(core, state.context);
}

std::optional<Fail> take_shared_data(const AgentCore& core) {
    DataSets& data = core.env.data;
    data.clear();
    Names seen;
    for (const auto& [key, value] : *core.state.context.map())
        seen.insert(*key.text());
    for (const auto& set : core.env.options.data) {
        if (!set) return invalid("A data set is a null pointer.");
        for (const std::string& name : set->names()) {
            if (!seen.insert(name).second) continue; // hidden
            if (std::optional<Fail> fail = check_name(core, name)) return fail;
            if (std::optional<Fail> fail = fit_shared(core, *set, name, data)) return fail;
        }
        data.push_back(set);
        core.state.secrets.shared.push_back(secrets_of(*set));
    }
    return std::nullopt;
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
