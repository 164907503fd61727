// Frozen values by the way to them.
//
// Constants and imported data are not part of a snapshot: whoever reads it has them, at other addresses. So a frozen
// object is written as a space (a program, a list of roots) and a way: the number of a root, then numbers of parts.
// FrozenIndex finds a way to every object below some roots in one pass, the first that it comes upon, and is kept from
// one snapshot to the next. What counts as a part does not depend on how a collection is made inside (entries of a map
// stand in key order, say), because the reader's may be made otherwise.
#include "vm/snapshot/external_references.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include <algorithm>

namespace ptc {
namespace {

Bits frozen_bits(const Object* object) { return bits::kFrozen | reinterpret_cast<Bits>(object); }

/// Constants of all functions, in their order.
Bits constant_of(const Program& program, std::size_t number) {
    for (const auto& function : program.functions) {
        if (number < function->constants.size()) return function->constants[number];
        number -= function->constants.size();
    }
    return bits::kHole;
}

const SortedViewObject* view_of(const Object* object) {
    return kept_view(Value::adopt(frozen_bits(object))); // frozen: never counted
}

} // namespace

std::size_t frozen_part_count(const Object* object) {
    switch (object->type) {
    case ObjectType::Vector: {
        const auto* vector = static_cast<const VectorObject*>(object);
        return std::size_t{vector->length} + (vector->owner != nullptr);
    }
    case ObjectType::Record: return std::size_t{static_cast<const RecordObject*>(object)->shape->count} + 1;
    case ObjectType::Shape: return static_cast<const ShapeObject*>(object)->part_count();
    case ObjectType::Closure: return static_cast<const ClosureObject*>(object)->count;
    case ObjectType::HashMap:
    case ObjectType::HashSet:
    case ObjectType::OverlayMap:
    case ObjectType::OverlaySet: {
        const SortedViewObject* view = view_of(object);
        return view ? std::size_t{view->count} * entry_width(object->type) : 0;
    }
    default: return 0;
    }
}

Bits frozen_part(const Object* object, std::size_t part) {
    switch (object->type) {
    case ObjectType::Vector: {
        const auto* vector = static_cast<const VectorObject*>(object);
        return part < vector->length ? vector->data[part].raw() : frozen_bits(vector->owner);
    }
    case ObjectType::Record: {
        const auto* record = static_cast<const RecordObject*>(object);
        return part < record->shape->count ? record->values()[part].raw() : frozen_bits(record->shape);
    }
    case ObjectType::Shape: return static_cast<const ShapeObject*>(object)->keys()[part].raw();
    case ObjectType::Closure: return static_cast<const ClosureObject*>(object)->captures()[part].raw();
    default: {
        auto* view = const_cast<SortedViewObject*>(view_of(object));
        const std::size_t width = entry_width(object->type);
        return view->entries()[part / width][part % width].raw();
    }
    }
}

FrozenIndex::FrozenIndex(std::span<const Bits> roots) {
    std::vector<std::pair<const Object*, std::uint32_t>> open;
    const auto visit = [&](Bits bits, std::uint32_t parent, std::size_t part) {
        if (!bits::is_object(bits) || bits::is_counted(bits)) return;
        const Object* object = bits::to_object(bits);
        if (!numbers_.emplace(object, nodes_.size()).second) return;
        open.emplace_back(object, static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back({parent, static_cast<std::uint32_t>(part)});
    };
    for (std::size_t i = 0; i < roots.size(); ++i)
        visit(roots[i], kNone, i);
    while (!open.empty()) {
        const auto [object, number] = open.back();
        open.pop_back();
        for (std::size_t i = 0, n = frozen_part_count(object); i < n; ++i)
            visit(frozen_part(object, i), number, i);
    }
}

bool FrozenIndex::write_way(const Object* object, ByteWriter& out) const {
    const auto found = numbers_.find(object);
    if (found == numbers_.end()) return false;
    std::vector<std::uint32_t> way;
    for (std::uint32_t at = found->second; at != kNone; at = nodes_[at].parent)
        way.push_back(nodes_[at].part);
    out.size(way.size());
    for (std::size_t i = way.size(); i-- > 0;)
        out.size(way[i]);
    return true;
}

void ExternalReferences::add_program(std::shared_ptr<const Program> program) {
    programs_.push_back(program.get());
    spaces_.push_back({program, program.get(), {}, program ? &program->heap : nullptr});
}

void ExternalReferences::add_values(std::shared_ptr<const void> owner, std::vector<Bits> roots, SharedIndex index) {
    spaces_.push_back({std::move(owner), nullptr, std::move(roots), nullptr, std::move(index)});
}

std::size_t ExternalReferences::number_of(const Program* program) const {
    const auto found = std::ranges::find(programs_, program);
    return found == programs_.end() ? SIZE_MAX : static_cast<std::size_t>(found - programs_.begin());
}

std::vector<Bits> ExternalReferences::Space::all_roots() const {
    if (!program) return roots;
    std::vector<Bits> all;
    for (const auto& function : program->functions)
        all.insert(all.end(), function->constants.begin(), function->constants.end());
    return all;
}

const FrozenIndex& ExternalReferences::index_of(const Space& space, IndexCache& cache) {
    CachedIndex& cached = cache[space.owner.get()];
    if (!cached.index)
        cached = {space.owner, space.index ? space.index() : std::make_shared<const FrozenIndex>(space.all_roots())};
    return *cached.index;
}

std::size_t ExternalReferences::write_place(const Object* object, IndexCache& cache, ByteWriter& out) const {
    const Heap* heap = &Heap::of(object);
    for (std::size_t i = 0; i < spaces_.size(); ++i) {
        if (spaces_[i].heap && spaces_[i].heap != heap) continue;
        const std::size_t before = out.written();
        out.size(i);
        if (index_of(spaces_[i], cache).write_way(object, out)) return i;
        out.take_back(before);
    }
    return SIZE_MAX;
}

Bits ExternalReferences::read_place(ByteReader& in) const {
    const std::size_t number = in.below(spaces_.size());
    const std::size_t steps = in.count();
    if (!in.ok() || steps == 0) return bits::kHole;
    const Space& space = spaces_[number];
    const std::size_t root = in.size();
    Bits at = space.program               ? constant_of(*space.program, root)
              : root < space.roots.size() ? space.roots[root]
                                          : bits::kHole;
    for (std::size_t i = 1; i < steps; ++i) {
        const std::size_t part = in.size();
        if (!bits::is_object(at) || part >= frozen_part_count(bits::to_object(at))) return bits::kHole;
        at = frozen_part(bits::to_object(at), part);
    }
    return in.ok() && bits::is_object(at) && !bits::is_counted(at) ? at : bits::kHole;
}

void ExternalReferences::trim(IndexCache& cache) const {
    std::erase_if(cache, [&](const auto& entry) {
        return std::ranges::none_of(spaces_, [&](const Space& s) { return s.owner.get() == entry.first; });
    });
}

} // namespace ptc
