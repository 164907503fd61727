// How the models of builtins are written: what native_*.cpp share.
#pragma once
#include "compiler/bounds/native_bounds.h"
#include "runtime/function_facts.h"
#include <algorithm>

namespace ptc::native {

using Args = std::span<const AbstractValue>;
using Model = NativeBound (*)(Args);

struct ModelRow {
    BoundModel name; ///< as builtins' rows say it
    Model model;
    bool any_count = false; ///< the model is as good for arguments whose number is between two others
};
std::span<const ModelRow> number_models();
std::span<const ModelRow> collection_models();
std::span<const ModelRow> map_models();
std::span<const ModelRow> text_models();

inline double total_walk_cost(Args args) {
    double total = 0;
    for (const AbstractValue& arg : args)
        total += arg.walk_cost;
    return total;
}

inline AbstractValue nothing() { return scalar(kinds::kNil); }
inline AbstractValue flag() { return scalar(kinds::kBoolean); }
inline AbstractValue or_nil(AbstractValue value) {
    value.kinds |= kinds::kNil;
    return value;
}

inline AbstractValue joined(Args args) {
    AbstractValue all = args.empty() ? nothing() : args[0];
    for (const AbstractValue& arg : args.subspan(std::min<std::size_t>(args.size(), 1)))
        all = join(all, arg);
    return all;
}

/// A result with the copy that it will allow.
inline NativeBound made(double cost, AbstractValue result) {
    cost += copy_share(result);
    return {cost, std::move(result)};
}

/// Some of the items, not at the same places; or nil.
AbstractValue part_of(const AbstractValue& sequence);
/// A collection that got `added` more items.
AbstractValue grown_collection(const AbstractValue& coll, const AbstractValue& key, const AbstractValue& item,
                               double added);
/// An integer of so many limbs.
AbstractValue big_result(double limbs, std::uint16_t origin);
NativeBound conj(Args args);
NativeBound concat(Args args);
NativeBound element(Args args);

} // namespace ptc::native
