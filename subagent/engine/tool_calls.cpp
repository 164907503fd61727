// Calls of tools: arguments under the names that signatures and servers have for them, results checked and named.
#include "subagent/engine/tool_calls.h"
#include "frontend/try.h"
#include "ptc/schema_reader.h"
#include "runtime/signature/field_names.h"
#include "subagent/engine/boundary.h"
#include <algorithm>
#include <iterator>
#include <map>

namespace ptc {

using Twins = std::map<std::string, std::string>;

/// `name`, which has an underscore; where the map has that key too, it with a hyphen, which is the same name: checking
/// refuses both.
static std::string renamed_beside(const Datum& map, std::string name) {
    if (map.find(name)) name[name.rfind('_')] = '-';
    return name;
}

/// A value of `type` with the names of its signature for fields that share a name with others.
static Datum with_twins_named(const Type& type, const Datum& value, const Twins& twins) {
    if (value.list() && type.is(TypeKind::List)) {
        Datum::List items;
        for (const Datum& item : value.items())
            items.push_back(with_twins_named(type.element(), item, twins));
        return Datum(std::move(items));
    }
    if (!value.map() || !(type.is(TypeKind::Record) || type.is(TypeKind::Union))) return value;
    Datum::Map entries;
    for (const auto& [key, item] : value.entries()) {
        const auto twin = key.text() ? twins.find(*key.text()) : twins.end();
        const Field* field = twin != twins.end() ? declared_field(type, twin->second) : nullptr;
        const bool is_renamed = field != nullptr; // where it is beside the one whose name it shares
        if (!field && key.text()) field = declared_field(type, *key.text());
        entries.emplace_back(is_renamed ? Datum(renamed_beside(value, field->name)) : key,
                             field ? with_twins_named(field->type, item, twins) : item);
    }
    return Datum(std::move(entries));
}

/// The parameter that an argument is, which has another name where the schema of the tool says it.
static const Field* written_as(const Tool& tool, const Signature& signature, const std::string& name) {
    if (std::ranges::find(tool.other_arguments, name) == tool.other_arguments.end()) return nullptr;
    const std::string written = written_parameter_name(name);
    const auto param =
        std::ranges::find_if(signature.params, [&](const Field& one) { return names_match(one.name, written); });
    return param == signature.params.end() ? nullptr : &*param;
}

std::optional<Datum> with_written_names(const Tool& tool, const CompiledSignature& compiled, const Datum& given) {
    if (tool.other_arguments.empty()) return std::nullopt;
    const Signature& signature = signature_of(compiled);
    const Twins twins = twin_arguments(tool.other_arguments);
    const Datum input = twins.empty() ? given : with_twins_named(Type::record(signature.params), given, twins);
    Datum::Map entries;
    bool has_others = !twins.empty();
    for (const auto& [key, value] : input.entries()) {
        const Field* param = key.text() ? written_as(tool, signature, *key.text()) : nullptr;
        const auto is_given = [&](const auto& entry) {
            return entry.first.text() && names_match(*entry.first.text(), param->name);
        };
        const bool is_free =
            param && std::ranges::none_of(input.entries(), is_given) && std::ranges::none_of(entries, is_given);
        has_others = has_others || is_free;
        entries.emplace_back(is_free ? Datum(param->name) : key, value);
    }
    return has_others ? std::optional<Datum>(Datum(std::move(entries))) : std::nullopt;
}

Result<Datum> arguments_for(const Tool& tool, const CompiledSignature* signature, const Datum& input,
                            ValidationMode mode, std::vector<Fault>* warnings) {
    if (tool.pass_input || !signature) return input;
    const std::optional<Datum> named = with_written_names(tool, *signature, input);
    const ValidationOptions how{
        .mode = tool.validation.value_or(mode), .is_json_text = true, .keeps_keys = tool.keeps_keys};
    Validation checked = PTC_TRY(validate(*signature, Direction::Input, named ? *named : input, how));
    if (!checked.ok) return Error(Reason::ValidationError, validation_errors_text(checked.errors, checked.more_errors));
    if (warnings) std::ranges::move(checked.warnings, std::back_inserter(*warnings));
    return std::move(checked.data);
}

Result<Datum> call_tool(const Tool& tool, const Datum& arguments, const ToolContext& context) {
    if (!tool.is_callable()) return Error(Reason::ToolError, "no function is registered for it");
    try {
        if (tool.context_function) return tool.context_function(arguments, context);
        return tool.keyed_function ? tool.keyed_function(arguments, context.key) : tool.function(arguments);
    } catch (const std::exception& e) {
        return Error(Reason::ToolError, e.what());
    } catch (...) {
        return Error(Reason::ToolError, "an exception of unknown type");
    }
}

void ToolContext::report(Datum state) const {
    if (!progress) return;
    try {
        progress(std::move(state));
    } catch (...) { // whoever watches cannot break it
    }
}

} // namespace ptc
