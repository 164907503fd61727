// Sums, averages and reductions: what they start with, and what they go through.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

struct Start {
    std::string_view function;
    const char* value;
};
constexpr Start kStarts[] = {{"+", "0"},          {"-", "0"},         {"*", "1"},      {"conj", "[]"},
                             {"concat", "[]"},    {"into", "[]"},     {"str", "\"\""}, {"assoc", "{}"},
                             {"update", "{}"},    {"assoc-in", "{}"}, {"merge", "{}"}, {"update-in", "{}"},
                             {"merge-with", "{}"}};

/// What the accumulator starts as, going by the call that it is the first argument of; "" when there is none.
std::string start_of(const Form& body, std::string_view accumulator) {
    if (!has_items(body)) return {};
    if (is_call(body) && body.size > 1 && body.items()[1].is_symbol(accumulator)) {
        for (const Start& start : kStarts) {
            if (body.items()[0].is_symbol(start.function)) return start.value;
        }
    }
    for (const Form& item : body.items()) {
        if (std::string found = start_of(item, accumulator); !found.empty()) return found;
    }
    return {};
}

bool is_reduce(const Form& form) { return calls(form, "reduce"); }

/// (reduce (fn [acc o] ..) coll), also as a step: the function, which has no start behind it.
const Form* function_without_start(const Place& list) {
    if (!is_reduce(list.form())) return nullptr;
    const std::optional<CallSite> call = call_at(list);
    if (!call || call->size() != 2 || !call->has(0)) return nullptr;
    const Form& function = *call->arguments[0];
    return calls(function, "fn") && function.size >= 3 ? &function : nullptr;
}

const Form* parameters_of_fn(const Form& function) {
    const Form& first = function.items()[1];
    const Form& parameters = first.is(FormKind::Symbol) ? function.items()[2] : first;
    return parameters.is(FormKind::Vector) && parameters.size == 2 && parameters.items()[0].is(FormKind::Symbol)
               ? &parameters
               : nullptr;
}

} // namespace

Proposal reduce_without_start(const Code&, const Place& place) {
    for (std::size_t i = 0; i < place.forms.size(); ++i) {
        const Form* function = function_without_start(place.outer(i));
        if (!function) continue;
        const Form* parameters = parameters_of_fn(*function);
        if (!parameters) return std::nullopt;
        const std::string start = start_of(*function, parameters->items()[0].text());
        if (start.empty()) return std::nullopt;
        return Repair{{insertion(function->span.end, " " + start)},
                      "Without a first value the first item is one: (reduce f init coll).",
                      {}};
    }
    return std::nullopt;
}

Proposal map_of_map(const Code& code, const Place& place) {
    const Form& list = place.form();
    if (!is_call(list) || list.size != 2 || code.core_function(list.items()[0]) != "hash-map") return std::nullopt;
    if (!list.is(FormKind::List) || !list.items()[1].is(FormKind::Map)) return std::nullopt;
    return Repair{
        {{{list.span.begin, list.items()[1].span.begin}, ""}, {{list.items()[1].span.end, list.span.end}, ""}},
        "{..} makes a map already.",
        {}};
}

Proposal wrong_aggregate(const Code& code, const Place& place) {
    const std::optional<CallSite> call = call_at(place);
    if (!call || call->size() < 2) return std::nullopt;
    const std::string function(code.core_function(*call->head));
    const auto kinds = [&](std::size_t i) {
        return call->has(i) ? kinds_of(code, place.inner(*call->arguments[i])) : kAnyKind;
    };
    const auto is_key = [&](std::size_t i) { return call->has(i) && call->arguments[i]->is(FormKind::Keyword); };
    if (function == "reduce" && call->size() == 4 && call->has(0) && is_key(2)) // (reduce + 0 :price rows)
        return rewrite_call(code, *call, "(reduce $1 $2 (map $3 $4))");
    if (function == "last" && call->size() == 2 && kinds(0) == kNumber) return replace(*call->head, "take-last");
    if (function == "first" && call->size() == 2 && kinds(0) == kNumber) return replace(*call->head, "take");
    if (function != "sum" && function != "avg") return std::nullopt;
    if (call->size() == 2 && is_key(0))
        return replace(*call->head, function + "-by", "(sum-by f coll), (avg-by f coll)");
    if (call->size() == 2 && is_key(1)) return rewrite_call(code, *call, "(" + function + "-by $2 $1)");
    for (std::size_t i = 0; i < call->size(); ++i) {
        if (!call->has(i) || (kinds(i) & kNumber) == 0) return std::nullopt;
    }
    const Span all{call->arguments[0]->span.begin, call->arguments.back()->span.end};
    return Repair{wrapping(all, "[", "]"), "It takes one collection: (sum [1 2 3]).", {}};
}

} // namespace ptc::repair
