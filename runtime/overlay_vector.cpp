// A 32-way trie over positions whose leaves hold only what changed; all other elements are read from the flat vector
// (the base) that it started from. Appending adds a root level at the end, prepending one in front with the old root in
// its middle. Updates copy the nodes on the way that others share. The sole owner of an overlay turns it flat again
// when its edits have paid for that.
#include "runtime/overlay_vector.h"
#include "frontend/try.h"
#include "runtime/trie_node.h"

namespace ptc {

namespace {

OverlayVectorObject& as_mutable(const Value& v) { return *static_cast<OverlayVectorObject*>(v.object()); }

std::uint64_t positions(const OverlayVectorObject& v) { return std::uint64_t{kBranches} << (kBranchBits * v.height); }

Object* new_node(Heap& heap, TrieNodeKind kind) {
    Object* node = heap.allocate_object(ObjectType::TrieNode, sizeof(VectorLeaf));
    if (!node) return nullptr;
    node->flags = static_cast<std::uint8_t>(kind);
    static_cast<VectorLeaf*>(node)->unused = 0;
    return node;
}

VectorInner* new_inner(Heap& heap) {
    auto* inner = static_cast<VectorInner*>(new_node(heap, TrieNodeKind::VectorInner));
    if (inner) inner->children.fill(nullptr);
    return inner;
}

/// Element of the base at `position`; nil outside of it.
Value base_element(const OverlayVectorObject& v, std::uint64_t position) {
    std::uint64_t i = position - v.base_start;
    if (i >= v.base_length) return Value();
    if (v.base) return v.base[i].copy();
    const auto& range = *static_cast<const RangeObject*>(v.base_owner);
    return Value::small_integer(range.start + static_cast<std::int64_t>(i) * range.step);
}

VectorLeaf* new_leaf(Heap& heap, const OverlayVectorObject& v, std::uint64_t position) {
    auto* leaf = static_cast<VectorLeaf*>(new_node(heap, TrieNodeKind::VectorLeaf));
    if (!leaf) return nullptr;
    std::uint64_t first = position & ~std::uint64_t{kBranches - 1};
    for (std::uint32_t i = 0; i < kBranches; ++i)
        leaf->bits[i] = base_element(v, first + i).give_up();
    return leaf;
}

Object* copy_of(Heap& heap, const Object* node) {
    Object* copy = new_node(heap, kind_of(node));
    if (!copy) return nullptr;
    if (kind_of(node) == TrieNodeKind::VectorLeaf) {
        for (std::uint32_t i = 0; i < kBranches; ++i)
            static_cast<VectorLeaf*>(copy)->bits[i] = static_cast<const VectorLeaf*>(node)->items()[i].copy().give_up();
    } else {
        const auto& children = static_cast<const VectorInner*>(node)->children;
        for (Object* child : children) {
            if (child) bits::retain(child);
        }
        static_cast<VectorInner*>(copy)->children = children;
    }
    return copy;
}

/// Makes the way to `position` the overlay's own, copying nodes that others share. The slot, or null when the heap is
/// full: then some nodes are copied already, which changes no element.
Value* open(Heap& heap, OverlayVectorObject& v, std::uint64_t position) {
    heap.meter.charge_unchecked(4);
    Object** link = &v.root;
    for (std::uint32_t level = v.height;; --level) {
        Object* node = *link;
        if (!node || node->refs != 1) {
            if (node)
                node = copy_of(heap, node);
            else
                node = level == 0 ? static_cast<Object*>(new_leaf(heap, v, position)) : new_inner(heap);
            if (!node) return nullptr;
            if (Object* shared = std::exchange(*link, node)) bits::release(shared);
        }
        if (level == 0) return static_cast<VectorLeaf*>(node)->items() + (position & (kBranches - 1));
        link = &static_cast<VectorInner*>(node)->children[(position >> (kBranchBits * level)) & (kBranches - 1)];
    }
}

/// Twice the room, at the end (the old root becomes the first child) or in front (the middle one).
bool add_level(Heap& heap, OverlayVectorObject& v, bool in_front) {
    constexpr std::uint32_t kMiddle = kBranches / 2;
    if (v.root) {
        VectorInner* root = new_inner(heap);
        if (!root) return false;
        root->children[in_front ? kMiddle : 0] = v.root;
        v.root = root;
    }
    if (in_front) {
        v.start += kMiddle * positions(v);
        v.base_start += kMiddle * positions(v);
    }
    ++v.height;
    return true;
}

OverlayVectorObject* new_overlay(Heap& heap, const OverlayVectorObject& from) {
    auto* overlay = heap.allocate<OverlayVectorObject>(ObjectType::OverlayVector);
    if (!overlay) return nullptr;
    Object header = *overlay;
    *overlay = from;
    static_cast<Object&>(*overlay) = header;
    overlay->edits = 0;
    bits::retain(overlay->base_owner);
    if (overlay->root) bits::retain(overlay->root);
    return overlay;
}

/// `v` if it has one owner, else a new version that shares everything.
Result<Value> own_version(Heap& heap, Value v) {
    if (v.is_sole_owner()) return v;
    OverlayVectorObject* version = new_overlay(heap, as_overlay_vector(v));
    if (!version) return heap.out_of_memory();
    return heap.value_of(version);
}

/// Moving this many elements into a flat vector is worth one edit of an overlay less.
constexpr std::uint64_t kElementsPerEdit = 8;

/// The sole owner of an overlay may have it flat again when its edits make that cheap.
Result<Value> flatten_when_paid(Heap& heap, Value v) {
    OverlayVectorObject& overlay = as_mutable(v);
    if (kElementsPerEdit * ++overlay.edits < overlay.length || overlay.length == 0) return v;
    if (!heap.meter.charge(overlay.length)) return heap.meter.error();
    VectorBuilder flat(heap);
    if (!flat.reserve(overlay.length + overlay.length / 4)) return v; // no room now: stays as it is
    for (std::uint32_t i = 0; i < overlay.length; ++i)
        flat.push(vector_get(v, i));
    Value result = PTC_TRY(flat.finish());
    result.object()->flags = 0;
    return result;
}

} // namespace

Result<Value> make_overlay(Heap& heap, const Value& v) {
    OverlayVectorObject overlay{};
    bool flat = v.is(ObjectType::Vector);
    overlay.length = overlay.base_length = static_cast<std::uint32_t>(vector_length(v));
    overlay.base = flat ? as_flat(v).data : nullptr;
    overlay.base_owner = flat && as_flat(v).owner ? as_flat(v).owner : v.object();
    while (positions(overlay) < overlay.length)
        ++overlay.height;
    OverlayVectorObject* result = new_overlay(heap, overlay);
    if (!result) return heap.out_of_memory();
    return heap.value_of(result);
}

const Value& overlay_element(const OverlayVectorObject& v, std::size_t i, Value& temporary) {
    std::uint64_t position = v.start + i;
    const Object* node = v.root;
    for (std::uint32_t level = v.height; node; --level) {
        if (level == 0) return static_cast<const VectorLeaf*>(node)->items()[position & (kBranches - 1)];
        node = static_cast<const VectorInner*>(node)->children[(position >> (kBranchBits * level)) & (kBranches - 1)];
    }
    // Outside of the base nothing is ever asked for, unless a snapshot was made up; then it is nil, as in base_element.
    if (v.base && position - v.base_start < v.base_length) return v.base[position - v.base_start];
    temporary = base_element(v, position);
    return temporary;
}

Value* overlay_slot_in_place(const Value& v, std::size_t i) {
    if (!v.is_sole_owner()) return nullptr;
    const OverlayVectorObject& overlay = as_overlay_vector(v);
    std::uint64_t position = overlay.start + i;
    Object* node = overlay.root;
    for (std::uint32_t level = overlay.height; node && node->refs == 1; --level) {
        if (level == 0) return static_cast<VectorLeaf*>(node)->items() + (position & (kBranches - 1));
        node = static_cast<VectorInner*>(node)->children[(position >> (kBranchBits * level)) & (kBranches - 1)];
    }
    return nullptr;
}

Result<Value> overlay_assoc(Heap& heap, Value v, std::size_t i, Value item) {
    v = PTC_TRY(own_version(heap, std::move(v)));
    OverlayVectorObject& overlay = as_mutable(v);
    std::uint64_t position = overlay.start + i;
    while (position >= positions(overlay)) {
        if (!add_level(heap, overlay, false)) return heap.out_of_memory();
    }
    Value* slot = open(heap, overlay, position);
    if (!slot) return heap.out_of_memory();
    *slot = std::move(item);
    if (i == overlay.length) ++overlay.length;
    return flatten_when_paid(heap, std::move(v));
}

Result<Value> overlay_cons(Heap& heap, Value item, Value v) {
    v = PTC_TRY(own_version(heap, std::move(v)));
    OverlayVectorObject& overlay = as_mutable(v);
    if (overlay.start == 0 && !add_level(heap, overlay, true)) return heap.out_of_memory();
    Value* slot = open(heap, overlay, overlay.start - 1);
    if (!slot) return heap.out_of_memory();
    *slot = std::move(item);
    --overlay.start;
    ++overlay.length;
    return flatten_when_paid(heap, std::move(v));
}

Result<Value> overlay_slice(Heap& heap, Value v, std::size_t start, std::size_t end) {
    v = PTC_TRY(own_version(heap, std::move(v)));
    OverlayVectorObject& overlay = as_mutable(v);
    overlay.start += start;
    overlay.length = static_cast<std::uint32_t>(end - start);
    return v;
}

} // namespace ptc
