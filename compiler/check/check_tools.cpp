// What comes from the host: what tools give, what data hold; and which arguments a tool is called with.
#include "compiler/analyze/analysis_errors.h"
#include "compiler/check/checker.h"
#include "compiler/check/type_facts.h"
#include <algorithm>

namespace ptc {
namespace {

bool are_pairs(std::span<const Form> arguments) {
    if (arguments.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (!arguments[i].is(FormKind::Keyword) && !arguments[i].is(FormKind::String)) return false;
    }
    return true;
}

} // namespace

// ---- Tools

Checker::ToolFacts& Checker::tool_facts(std::string_view name) {
    const std::uint32_t hash = name_hash(name);
    if (ToolFacts* known = tools_.find(name, hash)) return *known;
    ToolFacts& made = tools_.add(name, hash);
    for (const ToolInfo& tool : environment_.tools) {
        if (tool.name != name || !tool.signature) continue;
        static constexpr std::string_view kSpace = "tool/";
        auto* origin = static_cast<char*>(arena_.allocate(kSpace.size() + name.size(), 1));
        std::copy(name.begin(), name.end(), std::copy(kSpace.begin(), kSpace.end(), origin));
        made.signature = &*tool.signature;
        made.result = fact_of_type(facts_, tool.signature->returns, {origin, kSpace.size() + name.size()});
    }
    return made;
}

/// `arguments`: one map, or names and values in turn.
const Fact* Checker::call_tool(std::string_view name, const Form& list, FormSpan arguments) {
    ++effects_;
    ToolFacts& tool = tool_facts(name);
    if (arguments.size() == 1) {
        const Form& only = arguments[0];
        const Fact* fact = check(only);
        if (only.is(FormKind::Map))
            check_written(tool, only.items(), *fact, list.span);
        else
            check_passed(tool, only.span, *fact);
    } else if (are_pairs(arguments)) {
        Form map = list;
        map.kind = FormKind::Map;
        map.first = arguments.data();
        map.size = static_cast<std::uint32_t>(arguments.size());
        check_written(tool, arguments, *check(map), list.span);
    } else {
        check_all(arguments);
    }
    return tool.result;
}

/// tool/name as a function.
const Fact* Checker::apply_tool(std::string_view name, Span span, FactSpan arguments) {
    ++effects_;
    ToolFacts& tool = tool_facts(name);
    if (!arguments.empty()) check_passed(tool, span, *arguments[0]);
    return tool.result;
}

// ---- Arguments

void Checker::report_argument(Error error, bool is_written) {
    if (!environment_.strict_arguments || !is_written) return warn(std::move(error));
    for (const Diagnostic& earlier : diagnostics_.all()) {
        if (earlier.error.span == error.span) return;
    }
    diagnostics_.error(std::move(error));
}

/// Arguments that the program writes as a map, `fact`.
void Checker::check_written(const ToolFacts& tool, FormSpan map, const Fact& fact, Span call) {
    if (!tool.signature || is_full()) return;
    std::vector<GivenArgument> given;
    bool all_known = true;
    for (std::size_t i = 0; i + 1 < map.size(); i += 2) {
        all_known = all_known && is_key(map[i]);
        if (!is_key(map[i])) continue;
        const FactPart* part = fact.kind == FactKind::Record ? Facts::find(fact, map[i].text()) : nullptr;
        given.push_back({map[i].text(), &map[i], &map[i + 1], part ? part->fact : Facts::any()});
    }
    check_given(tool, given, all_known, true, call);
}

/// Arguments that are a value of the program.
void Checker::check_passed(const ToolFacts& tool, Span where, const Fact& fact) {
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
    if (!tool.signature || is_full()) return;
    std::vector<GivenArgument> given;
    for (const FactPart& part : fact.parts)
        given.push_back({part.name, nullptr, nullptr, part.fact});
    check_given(tool, given, true, false, where);
}

/// `all_known`: there are no other arguments. `is_written`: these are all in the call, not in a value.
void Checker::check_given(const ToolFacts& tool, std::span<const GivenArgument> given, bool all_known, bool is_written,
                          Span call) {
    const std::vector<Field>& params = tool.signature->params;
    std::vector<const Field*> absent;
    for (const Field& param : params) {
        if (param.name.empty()) return; // of a Malli signature: the order counts, which a map does not have
        const GivenArgument* argument = nullptr;
        for (const GivenArgument& candidate : given) {
            if (names_match(candidate.name, param.name)) argument = &candidate;
        }
        if (!argument) {
            absent.push_back(&param);
            continue;
        }
        auto misfit = find_misfit(param.type, argument->value, *argument->fact);
        if (!misfit) continue;
        misfit->path.insert(0, param.name);
        report_argument(
            misfit_argument(misfit->span.size() > 0 ? misfit->span : call, tool.name, *misfit, *tool.signature),
            misfit->is_written);
    }
    if (!params.empty()) check_argument_names(tool, given, absent);
    std::erase_if(absent, [](const Field* param) { return param->type.is_optional; });
    if (all_known && !absent.empty())
        report_argument(missing_arguments(call, tool.name, absent, *tool.signature), is_written);
}

/// Names that the signature does not have. Extra arguments are allowed, so only those that are written in the call are
/// told of; one that stands for an absent parameter is taken out of `absent`.
void Checker::check_argument_names(const ToolFacts& tool, std::span<const GivenArgument> given,
                                   std::vector<const Field*>& absent) {
    for (const GivenArgument& argument : given) {
        if (!argument.key || tool.signature->find_param(argument.name)) continue;
        const Field* meant = nullptr;
        Error error = unknown_argument(*argument.key, tool.name, absent, *tool.signature, &meant);
        if (meant && !meant->type.is_optional)
            report_argument(std::move(error), true);
        else
            warn(std::move(error));
        std::erase(absent, meant);
    }
}

// ---- Data

const Fact* Checker::data_fact(std::string_view name) const {
    for (const DataInfo& data : environment_.data) {
        if (names_match(data.name, name)) return data.fact;
    }
    return Facts::any();
}

} // namespace ptc
