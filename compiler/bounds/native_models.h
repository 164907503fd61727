// How the models of builtins are written: what native_*.cpp share.
#pragma once
#include "compiler/bounds/native_extents.h"
#include "runtime/function_facts.h"
#include <algorithm>

namespace ptc::native {

using Args = std::span<const Extent>;
using Model = NativeExtent (*)(Args);

struct ModelRow {
    BoundModel name; ///< as builtins' rows say it
    Model model;
    bool any_count = false; ///< the model is as good for arguments whose number is between two others
};
std::span<const ModelRow> number_models();
std::span<const ModelRow> collection_models();
std::span<const ModelRow> map_models();
std::span<const ModelRow> text_models();

inline double total_weight(Args args) {
    double total = 0;
    for (const Extent& arg : args)
        total += arg.weight;
    return total;
}

inline Extent nothing() { return scalar(kinds::kNil); }
inline Extent flag() { return scalar(kinds::kBoolean); }
inline Extent or_nil(Extent extent) {
    extent.kinds |= kinds::kNil;
    return extent;
}

inline Extent joined(Args args) {
    Extent all = args.empty() ? nothing() : args[0];
    for (const Extent& arg : args.subspan(std::min<std::size_t>(args.size(), 1)))
        all = join(all, arg);
    return all;
}

/// A result with the copy that it will allow.
inline NativeExtent made(double cost, Extent result) {
    cost += copy_share(result);
    return {cost, std::move(result)};
}

/// Some of the items, not at the same places; or nil.
Extent part_of(const Extent& sequence);
/// A collection that got `added` more items.
Extent grown_extent(const Extent& coll, const Extent& key, const Extent& item, double added);
/// An integer of so many limbs.
Extent big_result(double limbs, std::uint16_t origin);
NativeExtent conj(Args args);
NativeExtent concat(Args args);
NativeExtent element(Args args);

} // namespace ptc::native
