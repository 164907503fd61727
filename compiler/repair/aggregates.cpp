// Sums, averages and reductions of what is no collection.
#include "compiler/repair/rules.h"

namespace ptc::repair {

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
