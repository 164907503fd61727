// What tools give and which arguments they are called with. An argument that stands in the program and can never fit
// makes every call fail: that is an error where the environment is strict, else a warning. What only follows from facts
// about values is always a warning.
#include "compiler/check/host_facts.h"
#include "compiler/analyze/analysis_errors.h"
#include "compiler/check/call_argument.h"
#include "compiler/check/check_warnings.h"
#include "compiler/check/type_check.h"
#include "compiler/check/type_facts.h"
#include "ptc/schema_reader.h"
#include "runtime/signature/field_names.h"
#include <algorithm>
#include <map>

namespace ptc {
// ---- Tools

HostFacts::Tool& HostFacts::known(std::string_view name) {
    const std::uint32_t hash = name_hash(name);
    if (Tool* known = tools_.find(name, hash)) return *known;
    Tool& made = tools_.add(name, hash);
    const auto tool = std::ranges::find(environment_.tools, name, &ToolInfo::name);
    if (tool != environment_.tools.end() && tool->signature) {
        made.signature = &*tool->signature;
        made.other_arguments = tool->other_arguments;
        made.result = fact_of_type(facts_, tool->signature->returns, origin_of(name), tool->unwritten);
    }
    if (made.result->kind != FactKind::Any) return made;
    if (tool != environment_.tools.end() && tool->seen_result && !environment_.is_repeatable) {
        // It knows which keys are data: more than the results of one run say.
        if (std::optional<Type> seen = tool->seen_result())
            made.result = fact_of_type(facts_, seen_.emplace_back(*std::move(seen)), {origin_of(name), true});
        return made;
    }
    for (const DataInfo& given : environment_.tool_results)
        if (given.name == name && made.result->kind == FactKind::Any) made.result = facts_.item_of(given.fact);
    return made;
}

bool HostFacts::is_seen(std::string_view tool) {
    const Fact* fact = result_of(tool);
    while (fact->kind == FactKind::List)
        fact = fact->item;
    return fact->kind == FactKind::Record && fact->origin.is_seen;
}

/// Where a record came from, as programs write it.
std::string_view HostFacts::origin_of(std::string_view tool) {
    static constexpr std::string_view kSpace = "tool/";
    auto* text = static_cast<char*>(arena_.allocate(kSpace.size() + tool.size(), 1));
    std::copy(tool.begin(), tool.end(), std::copy(kSpace.begin(), kSpace.end(), text));
    return {text, kSpace.size() + tool.size()};
}

// ---- Arguments

void HostFacts::report_argument(Error error, bool is_written) {
    if (environment_.strict_arguments && is_written)
        report_.error(std::move(error));
    else
        report_.warn(std::move(error));
}

void HostFacts::check_written(std::string_view name, std::span<const Form> map, const Fact& fact, Span call) {
    const Tool& tool = known(name);
    if (!tool.signature || report_.is_full()) return;
    std::vector<GivenArgument> given;
    bool all_known = true;
    for (std::size_t i = 0; i + 1 < map.size(); i += 2) {
        all_known = all_known && is_key_form(map[i]);
        if (!is_key_form(map[i])) continue;
        const FactPart* part = fact.kind == FactKind::Record ? Facts::find(fact, map[i].text()) : nullptr;
        given.push_back({map[i].text(), &map[i], &map[i + 1], part ? part->fact : Facts::any()});
    }
    check_given(tool, given, all_known, true, call);
}

void HostFacts::check_passed(std::string_view name, Span where, const Fact& fact) {
    const Tool& tool = known(name);
    switch (fact.kind) {
    case FactKind::Record: break;
    case FactKind::Bool:
    case FactKind::Numeric:
    case FactKind::String:
    case FactKind::Keyword:
    case FactKind::List:
    case FactKind::Tuple:
    case FactKind::Set: return report_argument(bad_tool_arguments(where, tool.name, describe_kind(fact.kind)), false);
    default: return;
    }
    if (!tool.signature || report_.is_full()) return;
    std::vector<GivenArgument> given;
    for (const FactPart& part : fact.parts)
        given.push_back({part.name, nullptr, nullptr, part.fact});
    check_given(tool, given, true, false, where);
}

/// `all_known`: there are no other arguments. `is_written`: these are all in the call, not in a value.
void HostFacts::check_given(const Tool& tool, std::span<const GivenArgument> given, bool all_known, bool is_written,
                            Span call) {
    const std::vector<Field>& params = tool.signature->params;
    std::vector<const Field*> absent;
    const std::map<std::string, std::string> twins = twin_arguments(tool.other_arguments);
    for (const Field& param : params) {
        if (param.name.empty()) return; // of a Malli signature: the order counts, which a map does not have
        const GivenArgument* argument = nullptr;
        for (const GivenArgument& candidate : given) {
            const auto twin = twins.find(std::string(candidate.name));
            if (twin != twins.end() && tool.signature->find_param(twin->second)) {
                if (names_match(twin->second, param.name)) argument = &candidate;
                continue;
            }
            const bool is_other =
                !argument && std::ranges::find(tool.other_arguments, candidate.name) != tool.other_arguments.end() &&
                names_match(written_parameter_name(candidate.name), param.name);
            if (is_other || names_match(candidate.name, param.name)) argument = &candidate;
        }
        if (!argument) {
            absent.push_back(&param);
            continue;
        }
        auto mismatch = find_mismatch(param.type, argument->value, *argument->fact);
        if (!mismatch) continue;
        mismatch->path.insert(0, param.name);
        report_argument(mismatched_argument(mismatch->span.size() > 0 ? mismatch->span : call, tool.name, *mismatch,
                                            *tool.signature),
                        mismatch->is_written);
    }
    if (!params.empty()) check_argument_names(tool, given, absent);
    std::erase_if(absent, [](const Field* param) { return param->type.is_optional; });
    if (all_known && !absent.empty())
        report_argument(missing_arguments(call, tool.name, absent, *tool.signature), is_written);
}

/// Names that the signature does not have. Extra arguments are allowed, so only those that are written in the call are
/// reported; one that stands for an absent parameter is taken out of `absent`.
void HostFacts::check_argument_names(const Tool& tool, std::span<const GivenArgument> given,
                                     std::vector<const Field*>& absent) {
    const bool any_other = std::ranges::find(tool.other_arguments, kAnyField) != tool.other_arguments.end();
    for (const GivenArgument& argument : given) {
        const bool is_other = std::ranges::find(tool.other_arguments, argument.name) != tool.other_arguments.end();
        if (!argument.key || is_other || tool.signature->find_param(argument.name)) continue;
        const Field* meant = nullptr;
        Error error = unknown_argument(*argument.key, tool.name, absent, *tool.signature, &meant);
        if (meant && !meant->type.is_optional)
            report_argument(std::move(error), true);
        else if (!any_other)
            report_.warn(std::move(error));
        std::erase(absent, meant);
    }
}

// ---- Data

const Fact* HostFacts::data(std::string_view name) const {
    for (const DataInfo& data : environment_.data) {
        if (names_match(data.name, name)) return data.fact;
    }
    return Facts::any();
}

} // namespace ptc
