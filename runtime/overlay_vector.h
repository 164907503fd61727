// What a large vector becomes when it is updated while others see it: a sparse 32-way trie of changed leaves over the
// flat elements that it started from.
#pragma once
#include "runtime/vector.h"

namespace ptc {

/// ObjectType::OverlayVector. Element i has the position start + i. A position is found in the trie; where a node on
/// the way is missing, in the base. Positions leave room in front of the base, so that prepending works like appending.
/// Nodes are shared between versions and changed in place where the way to them has one owner.
struct OverlayVectorObject : Object {
    std::uint32_t length;
    std::uint32_t height; ///< levels of inner nodes above the leaves
    std::uint64_t start;
    Object* root;      ///< null: nothing changed
    const Value* base; ///< element of position base_start; null when base_owner is a Range
    std::uint64_t base_start;
    Object* base_owner; ///< keeps the base alive
    std::uint32_t base_length;
    std::uint32_t edits; ///< in place since it was made; after enough of them it becomes flat again
};

inline const OverlayVectorObject& as_overlay_vector(const Value& v) {
    return *static_cast<const OverlayVectorObject*>(v.object());
}

/// An overlay that equals `v`, which is flat or a range. Fails only on a full heap.
Result<Value> make_overlay(Heap& heap, const Value& v);
/// These do for the overlay `v` what the functions of vector.h do; O(log length), and O(1) for a slice. i <= length.
Result<Value> overlay_assoc(Heap& heap, Value v, std::size_t i, Value item);
Result<Value> overlay_cons(Heap& heap, Value item, Value v);
Result<Value> overlay_slice(Heap& heap, Value v, std::size_t start, std::size_t end);
/// Element i, borrowed, or made in `temporary` over a range.
const Value& overlay_element(const OverlayVectorObject& v, std::size_t i, Value& temporary);
/// The element's place when the whole way to it has one owner, else null.
Value* overlay_slot_in_place(const Value& v, std::size_t i);

} // namespace ptc
