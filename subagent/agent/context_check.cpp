// Missions begin with names and values from outside: texts of JSON, keywords of a program, results of a mission before.
// Here they become one map with text keys, in which the values that a parameter of the agent's signature names have
// that parameter's type. Names match whether they are written with hyphens or underscores.
#include "subagent/agent/context_check.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/agent/program_name.h"
#include "subagent/engine/data_check.h"
#include <algorithm>
#include <iterator>
#include <set>

namespace ptc {
namespace {

using Names = std::set<std::string, std::less<>>;

bool has_programs(const AgentCore& core) { return core.options().output == AgentOutput::PtcLisp || core.is_combined(); }

/// The names of a map's text and keyword keys become texts; where programs read them, such as programs can write.
Result<Datum> context_map(const AgentCore& core, Datum context) {
    const bool is_read = has_programs(core);
    Datum::Map entries;
    Names names;
    if (context.is_nil()) return Datum(std::move(entries));
    if (!context.map()) return Error(Reason::InvalidRequest, "The context must be a map of names and values.");
    const auto is_fine = [&](const auto& entry) {
        return entry.first.text() && !entry.first.text()->empty() && (!is_read || is_program_name(*entry.first.text()));
    };
    if (std::ranges::all_of(*context.map(), is_fine)) return context;
    for (const auto& [key, value] : *context.map()) {
        const std::string_view name = key_name(key);
        if (name.empty()) return Error(Reason::InvalidRequest, "The names of a context are texts.");
        std::string written = is_read ? core.written_name(name) : std::string(name);
        if (!names.insert(written).second)
            return Error(Reason::InvalidRequest, "Programs cannot write the name " + quoted(name) +
                                                     " of the context, and " + quoted(written) + " is another's.");
        entries.emplace_back(Datum(std::move(written)), value);
    }
    return Datum(std::move(entries));
}

const Datum* find_by_name(const Datum& map, std::string_view name) {
    for (const auto& [key, value] : *map.map()) {
        if (names_match(key_name(key), name)) return &value;
    }
    return nullptr;
}

/// Whether a data set of the root's options has the field.
bool is_shared(const AgentCore& core, std::string_view field) {
    if (core.state.depth > 0 && !core.state.is_handed_over) return false;
    return std::ranges::any_of(core.env.options.data, [&](const auto& set) {
        return set && std::ranges::any_of(set->names(), [&](const auto& name) { return names_match(name, field); });
    });
}

/// The fields that are to be checked: all of them when they must be there, else those that are.
std::vector<Field> present_fields(const AgentCore& core, const std::vector<Field>& fields, const Datum& context) {
    const bool all = core.mode() == ValidationMode::Strict;
    std::vector<Field> present;
    for (const Field& field : fields) {
        const bool is_here = find_by_name(context, field.name) != nullptr;
        if (is_here || (all && !is_shared(core, field.name))) present.push_back(field);
    }
    return present;
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

/// What is declared of a context: by the agent's parameters, or by the context's own signature, which adds fields.
struct Declared {
    std::vector<Field> fields;
    std::string where; ///< "the signature `..`"
};

Fail unfit(const Declared& declared, const std::vector<Fault>& faults) {
    return because(MissionReason::ValidationError, "The context does not fit " + declared.where + ".\n" +
                                                       without_firewalled_faults(validation_errors_text(faults)));
}

/// A name that is a tool's, too, could not be told from it.
std::optional<Fail> check_name(const AgentCore& core, const std::string& name) {
    if (!core.impl().find_tool(name)) return std::nullopt;
    return invalid(quoted(name) + " is the name of a tool and of a value of the context. Rename one of them.");
}

/// Checks one name of a data set; what becomes of the value, if it is coerced, goes in front of the set.
std::optional<Fail> fit_shared(const AgentCore& core, const DataSet& set, const std::string& name,
                               const Declared& declared, DataSets& before) {
    const auto field =
        std::ranges::find_if(declared.fields, [&](const Field& one) { return names_match(one.name, name); });
    if (field == declared.fields.end() || core.mode() == ValidationMode::Disabled) return std::nullopt;
    Signature one;
    one.params = {*field};
    const Result<SignaturePtr> compiled = compile_signature(signature_text(one));
    if (!compiled.ok()) return invalid(compiled.error().message);
    const auto checked = check_data(set, name, *compiled.value(), how_to_check(core));
    if (!checked.ok()) return because(MissionReason::ValidationError, checked.error().message);
    if (!checked.value()->faults.empty()) return unfit(declared, checked.value()->faults);
    core.warn(core.state.step.warnings, "context", checked.value()->warnings);
    if (checked.value()->coerced) before.push_back(checked.value()->coerced);
    return std::nullopt;
}

/// Checks and coerces the values in `context` that are declared.
std::optional<Fail> fit_context(const AgentCore& core, Datum& context, const Declared& declared) {
    Signature checked;
    checked.params = present_fields(core, declared.fields, context);
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
    if (!validation.value().ok) return unfit(declared, validation.value().errors);
    core.warn(core.state.step.warnings, "context", validation.value().warnings);
    replace_values(context, checked.params, validation.value().data);
    return std::nullopt;
}

/// Of the fields that the context's own signature declares, those that are no parameters.
std::vector<Field> further_fields(const std::vector<Field>& fields, const std::vector<Field>& params) {
    std::vector<Field> further;
    std::ranges::copy_if(fields, std::back_inserter(further), [&](const Field& field) {
        return std::ranges::none_of(params, [&](const Field& p) { return names_match(p.name, field.name); });
    });
    return further;
}

} // namespace

Result<std::vector<Field>> context_fields(const std::string& signature) {
    if (signature.empty()) return std::vector<Field>();
    return PTC_TRY(parse_signature(PTC_TRY(return_text(signature)))).returns.fields;
}

namespace {

/// By the agent, and by the context's own signature.
Result<std::vector<Declared>> all_declared(const AgentCore& core) {
    const Signature& own = core.agent->signature();
    const std::string& text = core.state.context_signature;
    std::vector<Field> further = further_fields(PTC_TRY(context_fields(text)), own.params);
    return std::vector<Declared>{{own.params, "the signature `" + signature_text(own) + "`"},
                                 {std::move(further), "its own signature `" + text + "`"}};
}

} // namespace

std::optional<Fail> take_context(const AgentCore& core, Datum given) {
    learn_secrets(core.state.secrets, given);
    Result<Datum> context = context_map(core, std::move(given));
    if (!context.ok()) return invalid(context.error().message);
    AgentState& state = core.state;
    state.context = std::move(context).value();
    for (const auto& [key, value] : *state.context.map()) {
        if (std::optional<Fail> fail = check_name(core, *key.text())) return fail;
    }
    if (core.mode() == ValidationMode::Disabled) return std::nullopt;
    const Result<std::vector<Declared>> all = all_declared(core);
    if (!all.ok()) return invalid(all.error().message);
    for (const Declared& declared : all.value()) {
        if (std::optional<Fail> fail = fit_context(core, state.context, declared)) return fail;
    }
    return std::nullopt;
}

std::optional<Fail> take_shared_data(const AgentCore& core) {
    DataSets& data = core.env.data;
    data.clear();
    Names seen;
    const Result<std::vector<Declared>> all = all_declared(core);
    if (!all.ok()) return invalid(all.error().message);
    for (const auto& [key, value] : *core.state.context.map())
        seen.insert(*key.text());
    for (const auto& set : core.env.options.data) {
        if (!set) return invalid("A data set is a null pointer.");
        for (const std::string& name : set->names()) {
            if (!seen.insert(name).second) continue; // hidden
            if (std::optional<Fail> fail = check_name(core, name)) return fail;
            if (has_programs(core) && !is_program_name(name)) // the set is shared: its names stay
                return invalid("Programs cannot write the name " + quoted(name) + " of a data set; " +
                               quoted(program_name(name)) + " would do.");
            for (const Declared& declared : all.value())
                if (std::optional<Fail> fail = fit_shared(core, *set, name, declared, data)) return fail;
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
