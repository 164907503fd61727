// Sums, averages and reductions of what is no collection.
#include "compiler/repair/arguments.h"

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
    const Arguments a{code, place, *call, code.core_function(*call->head)};
    if (Proposal found = a.tabled(CallRepairGroup::Aggregates)) return found;
    const bool adds = a.function == "sum" || a.function == "avg";
    for (std::size_t i = 0; i < call->size(); ++i) { // (sum 1 2 3)
        if (!adds || !call->has(i) || (a.kinds(i) & kNumber) == 0) return std::nullopt;
    }
    Repair repair = a.around(0, call->size() - 1, "[", "]");
    repair.hint = "It takes one collection: (sum [1 2 3]).";
    return repair;
}

} // namespace ptc::repair
