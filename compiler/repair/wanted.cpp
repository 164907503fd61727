// What a call that met a value of the wrong kind wanted instead.
//
// The error says what a run met (BadCall): the function, which argument, the kind of value. What the function takes
// there comes from its usage text; the arguments that may be to blame are those of that kind, and a literal of it
// before all others. The value may also be an item of what the call works on, as in (reduce + xs): passed_function
// tells.
#include "compiler/repair/wanted.h"
#include "compiler/language/core_library.h"
#include <algorithm>

namespace ptc::repair {

Wanted wanted_by(const Code& code, const BadCall& bad_call) {
    const CoreName* function = code.core_name(bad_call.function);
    if (function && (function->traits & traits::kComputes) != 0) return Wanted::Number;
    const auto shapes = parameters_of(code.usage(bad_call.function));
    const std::size_t index = bad_call.argument > 0 ? bad_call.argument - 1u : 0u;
    for (const auto& shape : shapes) {
        if (index >= shape.size()) continue;
        const Kinds takes = kinds_of_parameter(shape[index]);
        if (takes == kAnyKind) break;
        if ((takes & kText) != 0 && (takes & kVectorKind) == 0) return Wanted::Text;
        if ((takes & kNumber) != 0) return Wanted::Number;
        if ((takes & kVectorKind) != 0) return Wanted::Collection;
    }
    return Wanted::Other;
}

const Form* passed_function(const Code& code, const Form& list, std::string_view function) {
    if (!is_call(list)) return nullptr;
    for (const Form& argument : list.items().subspan(1)) {
        if (argument.is(FormKind::Symbol) && (argument.text() == function || code.core_function(argument) == function))
            return &argument;
    }
    return nullptr;
}

namespace {
bool is_literal(const Form& form) { return form.kind < FormKind::Symbol; }
} // namespace

std::vector<std::size_t> suspects(const Code& code, const Place& place, const CallSite& call, const BadCall& bad_call) {
    const Kinds seen = kinds_of(bad_call.kind);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < call.size(); ++i) {
        if (bad_call.argument == 1 && i > 0) continue;
        if (bad_call.argument > 1 && i == 0) continue;
        if (bad_call.argument > 2 && i + 1 != bad_call.argument) continue;
        if (!call.has(i)) {
            found.push_back(i);
            continue;
        }
        const Form& argument = *call.arguments[i];
        const Kinds kinds = kinds_of(code, place.inner(argument));
        if ((kinds & seen) == 0) continue;
        found.push_back(i);
    }
    // A text that stands there is the culprit.
    const auto stands = [&](std::size_t i) { return call.has(i) && is_literal(*call.arguments[i]); };
    if (std::any_of(found.begin(), found.end(), stands))
        std::erase_if(found, [&](std::size_t i) { return !stands(i); });
    return found;
}

Proposal wrapped(const CallSite& call, const std::vector<std::size_t>& which, const std::string& before,
                 const std::string& after, std::string hint) {
    Repair repair;
    repair.hint = std::move(hint);
    for (const std::size_t i : which) {
        if (call.has(i)) {
            append(repair.edits, wrapping(call.arguments[i]->span, before, after));
        } else {
            // (-> m :n inc) as (-> m :n (or 0) inc)
            const bool is_or = before == "(or ";
            const std::string step =
                is_or && !call.passes_last ? "(or" + after + " " : "(#" + before + "%" + after + ") ";
            repair.edits.insert(repair.edits.begin(), insertion(call.whole->span.begin, step));
        }
    }
    repair.edits = in_order(std::move(repair.edits));
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

const Form* worked_on(const CallSite& call) {
    return call.has(call.size() - 1) ? &*call.arguments.back() : threaded_value(call);
}

std::string function_of_one(const Place& place, std::string_view function, const std::string& before,
                            const std::string& after) {
    if (place.in_short_fn()) return "(fn [x] (" + std::string(function) + " " + before + "x" + after + "))";
    return "#(" + std::string(function) + " " + before + "%" + after + ")";
}

} // namespace ptc::repair
