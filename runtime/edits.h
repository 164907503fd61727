// The changes of an overlay map or set against its base: a compressed hash trie (CHAMP) of changed keys. Nodes are
// shared between versions; a node that has one owner, on a way that has one owner, is changed in place.
#pragma once
#include "runtime/trie_node.h"
#include <vector>

namespace ptc {

/// The bits that are set. The compiler's own is a call where the machine may lack an instruction for it.
inline std::uint32_t ones(std::uint32_t bits) {
    bits -= (bits >> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333);
    return (((bits + (bits >> 4)) & 0x0F0F0F0F) * 0x01010101) >> 24;
}

/// A changed key: its new value, or a hole when it is removed. Sets have nil for the value.
struct KeyEdit {
    Value key;
    Value value;
    std::uint64_t hash;
};

/// ObjectType::TrieNode of kind Edits or Collision. Edits (one for each bit of `data`; in a Collision node `data` is
/// their number) follow the struct, then children (one for each bit of `children`).
struct EditsNode : Object {
    std::uint32_t data;
    std::uint32_t children;
    [[nodiscard]] bool is_collision() const { return kind_of(this) == TrieNodeKind::Collision; }
    [[nodiscard]] std::uint32_t edit_count() const { return is_collision() ? data : ones(data); }
    [[nodiscard]] std::uint32_t child_count() const { return ones(children); }
    [[nodiscard]] KeyEdit* edits() { return reinterpret_cast<KeyEdit*>(this + 1); }
    [[nodiscard]] EditsNode** child_array() { return reinterpret_cast<EditsNode**>(edits() + edit_count()); }
};

/// The edit of the key for which `is_key` holds, or null.
template <class IsKey> KeyEdit* edits_find_if(Heap& heap, EditsNode* root, std::uint32_t hash, IsKey is_key) {
    EditsNode* node = root;
    for (std::uint32_t shift = 0; node; shift += kBranchBits) {
        if (node->is_collision()) {
            heap.meter.charge_unchecked(node->data);
            for (std::uint32_t i = 0; i < node->data; ++i) {
                if (is_key(node->edits()[i].key)) return node->edits() + i;
            }
            return nullptr;
        }
        std::uint32_t bit = 1U << ((hash >> shift) & (kBranches - 1));
        if (node->data & bit) {
            KeyEdit& edit = node->edits()[ones(node->data & (bit - 1))];
            return edit.hash == hash && is_key(edit.key) ? &edit : nullptr;
        }
        node = node->children & bit ? node->child_array()[ones(node->children & (bit - 1))] : nullptr;
    }
    return nullptr;
}
KeyEdit* edits_find(Heap& heap, EditsNode* root, std::uint32_t hash, const Value& key);
/// The same when the whole way to it has one owner; else null.
KeyEdit* edits_find_in_place(Heap& heap, EditsNode* root, std::uint32_t hash, const Value& key);
/// Makes the way to the edit of `key` unshared and answers the edit. `*added` when it is new: then it has a hole. Null
/// when the heap is full; the trie then has the same content as before.
KeyEdit* edits_open(Heap& heap, EditsNode*& root, std::uint32_t hash, const Value& key, bool* added);
/// Forgets the edit of `key`, which is there. False when the heap is full or the meter has run out.
bool edits_remove(Heap& heap, EditsNode*& root, std::uint32_t hash, const Value& key);
/// Calls `visit(edit)` for all of them.
template <class Visit> void for_each_edit(EditsNode* root, Visit visit) {
    if (!root) return;
    // Each level leaves at most all children but one behind.
    constexpr std::size_t kLevels = 32 / kBranchBits + 2;
    std::array<EditsNode*, kLevels * kBranches> stack;
    std::size_t top = 0;
    stack[top++] = root;
    while (top != 0) {
        EditsNode* node = stack[--top];
        for (std::uint32_t i = 0, n = node->edit_count(); i < n; ++i)
            visit(node->edits()[i]);
        for (std::uint32_t i = 0, n = node->child_count(); i < n; ++i)
            stack[top++] = node->child_array()[i];
    }
}

} // namespace ptc
