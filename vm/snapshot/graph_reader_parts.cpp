// Parts of objects that are being read, and their ends.
//
// `take` puts the next part where it belongs in an object that is half made, so that dropping the object at any moment
// is safe; keys are hashed and compared as they come, so that no table holds one twice. At its end an object is made
// from what was held (slices, overlays), its invariants are checked (nodes of a trie against its base), and its sorted
// view is built if it had one.
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/overlay_vector.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include "runtime/view_edits.h"
#include "vm/snapshot/graph_reader.h"
#include <algorithm>

namespace ptc {

using namespace graph;

// ---- Parts

bool GraphReader::take(Frame& frame, Value part) {
    if (frame.is_frozen && part.is_counted()) return bad("a frozen value has a part that is not");
    const std::size_t i = frame.next++;
    switch (frame.type) {
    case ObjectType::HashMap:
    case ObjectType::HashSet: return take_table_part(frame, std::move(part));
    case ObjectType::TrieNode: return take_node_part(frame, std::move(part));
    case ObjectType::OverlayVector:
    case ObjectType::OverlayMap:
    case ObjectType::OverlaySet: frame.held[i] = std::move(part); return true;
    case ObjectType::Vector:
        if (frame.object.is_hole()) {
            frame.held[0] = std::move(part);
            return true;
        }
        break;
    default: break;
    }
    if (!is_whole(part)) return bad("a part of a value stands for one");
    switch (frame.type) {
    case ObjectType::Vector: as_mutable_flat(frame.object).data[i] = std::move(part); break;
    case ObjectType::Record: as_record(frame.object).values()[i] = std::move(part); break;
    case ObjectType::Closure:
        static_cast<ClosureObject*>(frame.object.object())->captures()[i] = std::move(part);
        break;
    default: static_cast<BufferObject*>(frame.object.object())->begin[i] = std::move(part); break;
    }
    return true;
}

bool GraphReader::take_table_part(Frame& frame, Value part) {
    if (!is_whole(part)) return bad("a part of a value stands for one");
    HashTableObject& table = as_table(frame.object);
    const bool is_map = frame.type == ObjectType::HashMap, has_comparator = (frame.flags & kHasComparator) != 0;
    if (has_comparator && frame.next == 1) {
        table.comparator() = std::move(part);
        return true;
    }
    if (is_map && frame.next % 2 != has_comparator) {
        frame.held[0] = std::move(part);
        return true;
    }
    Value& key = is_map ? frame.held[0] : part;
    const std::uint32_t hash = key_hash(heap_, key);
    if (table_find(heap_, table, table.width(), hash, key) != HashTableObject::kNone)
        return bad("a key is there twice");
    if (!heap_.meter.charge(1)) return full();
    Value* entry = append_entry(heap_for(frame), table, table.width(), hash);
    if (!entry) return full();
    std::construct_at(entry, std::move(key));
    if (is_map) std::construct_at(entry + 1, std::move(part));
    return true;
}

bool GraphReader::take_node_part(Frame& frame, Value part) {
    Object* object = frame.object.object();
    const std::size_t i = frame.next - 1;
    const TrieNodeKind kind = kind_of(object);
    if (kind == TrieNodeKind::VectorLeaf) {
        if (!is_whole(part)) return bad("a part of a value stands for one");
        static_cast<VectorLeaf*>(object)->items()[i] = std::move(part);
        return true;
    }
    auto* node = static_cast<EditsNode*>(object);
    const std::size_t edits = kind == TrieNodeKind::VectorInner ? 0
                              : kind == TrieNodeKind::Collision
                                  ? frame.fields[0]
                                  : static_cast<std::size_t>(std::popcount(frame.fields[0]));
    if (i < 2 * edits) return take_edit(*node, frame, i, std::move(part));
    if (kind == TrieNodeKind::VectorInner && part.is_hole()) return true; // nothing there
    if (!part.is(ObjectType::TrieNode)) return bad("an inner node has a part that is no node");
    Object* child = bits::to_object(part.give_up());
    if (kind == TrieNodeKind::VectorInner) {
        static_cast<VectorInner*>(object)->children[i] = child;
        return true;
    }
    const std::uint32_t missing = static_cast<std::uint32_t>(frame.fields[1]) & ~node->children;
    node->child_array()[i - 2 * edits] = static_cast<EditsNode*>(child);
    node->children |= missing & -missing;
    return true;
}

bool GraphReader::take_edit(EditsNode& node, Frame& frame, std::size_t i, Value part) {
    if (i % 2 == 0) {
        if (!is_whole(part)) return bad("a part of a value stands for one");
        frame.held[0] = std::move(part);
        return true;
    }
    if (!part.is_hole() && !is_whole(part)) return bad("a part of a value stands for one");
    KeyEdit& edit = node.edits()[i / 2];
    edit.hash = key_hash(heap_, frame.held[0]);
    std::construct_at(&edit.key, std::move(frame.held[0]));
    std::construct_at(&edit.value, std::move(part));
    const std::uint32_t missing = static_cast<std::uint32_t>(frame.fields[0]) & ~node.data;
    if (node.is_collision())
        ++node.data;
    else
        node.data |= missing & -missing;
    return true;
}

// ---- Ends

bool GraphReader::finish(Frame& frame, Value* out) {
    if (frame.type == ObjectType::OverlayVector && !finish_overlay_vector(frame)) return false;
    if ((frame.type == ObjectType::OverlayMap || frame.type == ObjectType::OverlaySet) && !finish_overlay_table(frame))
        return false;
    if (frame.type == ObjectType::Vector && frame.object.is_hole() && !finish_slice(frame)) return false;
    const bool is_keyed = frame.type >= ObjectType::HashMap && frame.type <= ObjectType::OverlaySet;
    if (is_keyed && frame.is_frozen)
        prepare_views(store_.heap, frame.object);
    else if (is_keyed && (frame.flags & kHasView) && as_table(frame.object).count != 0) {
        Result<SortedViewObject*> view = make_sorted_view(heap_, frame.object);
        if (!view.ok()) return full();
        kept_view(frame.object) = view.value();
        if (is_flat_table(frame.type) && !give_view_room(frame)) return full();
    }
    if (frame.is_shared) make_known(frame.object);
    *out = std::move(frame.object);
    return !error_;
}

// The places around the entries of a view, and its edits: what the next ones cost depends on them.
bool GraphReader::give_view_room(const Frame& frame) {
    SortedViewObject*& view = kept_view(frame.object);
    const auto edits = static_cast<std::uint32_t>(frame.fields[0]), begin = static_cast<std::uint32_t>(frame.fields[1]),
               room = static_cast<std::uint32_t>(frame.fields[2]);
    if (room != view->room) {
        SortedViewObject* roomy = new_view(heap_, room);
        if (!roomy) return false;
        roomy->count = view->count;
        roomy->begin = begin;
        std::copy_n(view->entries(), view->count, roomy->entries());
        heap_.free_object(std::exchange(view, roomy));
    }
    view->edits = edits;
    return true;
}

// Elements `offset` .. `offset + length` of what keeps them.
bool GraphReader::find_elements(const Value& owner, std::uint64_t offset, std::uint64_t length, Value** first) {
    Value* items = nullptr;
    std::uint64_t begin = 0, end = 0;
    if (owner.is(ObjectType::Buffer)) {
        auto* buffer = static_cast<BufferObject*>(owner.object());
        items = buffer->items();
        begin = static_cast<std::uint64_t>(buffer->begin - items);
        end = static_cast<std::uint64_t>(buffer->end - items);
    } else if (owner.is(ObjectType::Vector) && !as_flat(owner).owner) {
        items = as_flat(owner).data;
        end = as_flat(owner).length;
    } else {
        return bad("elements are kept in what keeps none");
    }
    if (offset < begin || offset > end || length > end - offset) return bad("elements are missing");
    *first = items + offset;
    return true;
}

bool GraphReader::finish_slice(Frame& frame) {
    Value* first = nullptr;
    if (!find_elements(frame.held[0], frame.fields[1], frame.fields[0], &first)) return false;
    auto* slice = heap_for(frame).allocate<VectorObject>(ObjectType::Vector);
    if (!slice) return full();
    slice->flags = frame.flags & kKeptVectorFlags;
    slice->length = static_cast<std::uint32_t>(frame.fields[0]);
    slice->capacity = 0;
    slice->data = first;
    slice->owner = bits::to_object(frame.held[0].give_up());
    frame.object = heap_for(frame).value_of(slice);
    return true;
}

bool GraphReader::finish_overlay_vector(Frame& frame) {
    const auto [length, height, start, base_start, base_length, edits, offset] = frame.fields;
    constexpr std::uint32_t kMaxHeight = 10;
    if (height > kMaxHeight || length >= UINT32_MAX || base_length >= UINT32_MAX || edits > UINT32_MAX)
        return bad("a vector is too large");
    const std::uint64_t positions = std::uint64_t{kBranches} << (kBranchBits * height);
    if (start > positions || length > positions - start || base_start > positions)
        return bad("a vector is larger than its room");
    Value* base = nullptr;
    const bool is_range = frame.flags & kOverRange;
    if (!is_range && !find_elements(frame.held[0], offset, base_length, &base)) return false;
    if (is_range && (!frame.held[0].is(ObjectType::Range) || vector_length(frame.held[0]) < base_length))
        return bad("elements are missing");
    Value& root = frame.held[1];
    if (!root.is_hole() &&
        (!root.is(ObjectType::TrieNode) || !check_levels(root.object(), static_cast<std::uint32_t>(height))))
        return bad("a vector is made of other nodes");
    auto* overlay = heap_for(frame).allocate<OverlayVectorObject>(ObjectType::OverlayVector);
    if (!overlay) return full();
    overlay->length = static_cast<std::uint32_t>(length);
    overlay->height = static_cast<std::uint32_t>(height);
    overlay->start = start;
    overlay->root = root.is_hole() ? nullptr : bits::to_object(root.give_up());
    overlay->base = base;
    overlay->base_start = base_start;
    overlay->base_owner = bits::to_object(frame.held[0].give_up());
    overlay->base_length = static_cast<std::uint32_t>(base_length);
    overlay->edits = static_cast<std::uint32_t>(edits);
    frame.object = heap_for(frame).value_of(overlay);
    return true;
}

// Nodes that several overlays share are looked at once. The depth is bounded by kMaxHeight.
bool GraphReader::check_levels(Object* node, std::uint32_t level) {
    const TrieNodeKind kind = kind_of(node);
    if (kind != (level == 0 ? TrieNodeKind::VectorLeaf : TrieNodeKind::VectorInner)) return false;
    if (level == 0) return true;
    const auto known = levels_.find(node);
    if (known != levels_.end()) return known->second == level;
    for (Object* child : static_cast<VectorInner*>(node)->children) {
        if (child && !check_levels(child, level - 1)) return false;
    }
    levels_.emplace(node, level);
    return true;
}

bool GraphReader::finish_overlay_table(Frame& frame) {
    const ObjectType base_type = frame.type == ObjectType::OverlayMap ? ObjectType::HashMap : ObjectType::HashSet;
    Value& base = frame.held[0];
    Value& root = frame.held[1];
    if (!base.is(base_type) || frame.fields[0] > UINT32_MAX) return bad("what was changed of a table is no table");
    NodeSums sums;
    if (!root.is_hole() &&
        (!root.is(ObjectType::TrieNode) || !check_edits(base, static_cast<EditsNode*>(root.object()), 0, 0, &sums)))
        return bad("the changes of a table are not in their places");
    const std::int64_t count = static_cast<std::int64_t>(as_table(base).count) + sums.growth;
    if (count < 0 || count >= UINT32_MAX || sums.edits > UINT32_MAX) return bad("a table is too large");
    auto* overlay = heap_for(frame).allocate<OverlayTableObject>(frame.type);
    if (!overlay) return full();
    overlay->count = static_cast<std::uint32_t>(count);
    overlay->edits = static_cast<std::uint32_t>(frame.fields[0]);
    overlay->edit_count = static_cast<std::uint32_t>(sums.edits);
    overlay->root = root.is_hole() ? nullptr : static_cast<EditsNode*>(bits::to_object(root.give_up()));
    overlay->base = static_cast<HashTableObject*>(bits::to_object(base.give_up()));
    overlay->view = nullptr;
    frame.object = heap_for(frame).value_of(overlay);
    return true;
}

// Every edit where its hash leads to, and about the base's own key if the base has it. The depth is that of a hash.
bool GraphReader::check_edits(const Value& base, EditsNode* node, std::uint32_t shift, std::uint32_t prefix,
                              NodeSums* sums) {
    const auto known = sums_.find(node);
    const bool is_known = known != sums_.end() && known->second.base == base.object() && known->second.shift == shift &&
                          known->second.prefix == prefix;
    if (is_known) {
        sums->edits += known->second.sums.edits;
        sums->growth += known->second.sums.growth;
        return true;
    }
    if (kind_of(node) != (shift < 32 ? TrieNodeKind::Edits : TrieNodeKind::Collision)) return false;
    NodeSums own;
    std::uint32_t bits = node->data;
    for (std::uint32_t i = 0, n = node->edit_count(); i < n; ++i) {
        const std::uint64_t hash = node->edits()[i].hash;
        if ((hash & ((std::uint64_t{1} << std::min(shift, 32u)) - 1)) != prefix) return false;
        if (!node->is_collision()) {
            if (((hash >> shift) & (kBranches - 1)) != static_cast<std::uint64_t>(std::countr_zero(bits))) return false;
            bits &= bits - 1;
        }
        if (!check_edit(base, *node, i, &own)) return false;
    }
    if (node->data & node->children && !node->is_collision()) return false;
    std::uint32_t places = node->children;
    for (std::uint32_t i = 0, n = node->child_count(); i < n; ++i, places &= places - 1) {
        const auto place = static_cast<std::uint32_t>(std::countr_zero(places));
        if (!check_edits(base, node->child_array()[i], shift + kBranchBits, prefix | place << shift, &own))
            return false;
    }
    // A node without edits below it could stand in many places at once.
    if (own.edits == 0 && shift != 0) return false;
    sums_[node] = {base.object(), shift, prefix, own};
    sums->edits += own.edits;
    sums->growth += own.growth;
    return true;
}

bool GraphReader::check_edit(const Value& base, const EditsNode& node, std::uint32_t i, NodeSums* sums) {
    const KeyEdit& edit = const_cast<EditsNode&>(node).edits()[i];
    const HashTableObject& table = as_table(base);
    const std::uint32_t e = table_find(heap_, table, table.width(), static_cast<std::uint32_t>(edit.hash), edit.key);
    if (!heap_.meter.charge(1)) return full();
    const bool in_base = e != HashTableObject::kNone;
    if (in_base && table.entries[e * table.width()].raw() != edit.key.raw()) return false;
    ++sums->edits;
    const bool is_there = !edit.value.is_hole();
    sums->growth += static_cast<int>(is_there) - static_cast<int>(in_base);
    return true;
}

} // namespace ptc
