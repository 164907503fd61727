// The changed keys of an overlay map or set, in a compressed trie: a node has bits for edits that end here and bits for
// children, and space for exactly these. Opening a key copies the nodes on the way that others share and keeps those
// that have one owner; an edit whose hash another one has as well goes down until the hashes differ, and equal hashes
// share a Collision node. When memory ends half-way, nodes may have been copied, which changes no content.
#include "runtime/edits.h"
#include "runtime/equality.h"
#include <cstring>
#include <memory>

namespace ptc {

namespace {

std::size_t node_bytes(std::size_t edits, std::size_t children) {
    return sizeof(EditsNode) + edits * sizeof(KeyEdit) + children * sizeof(EditsNode*);
}

EditsNode* new_node(Heap& heap, TrieNodeKind kind, std::size_t bytes) {
    auto* node = heap.allocate<EditsNode>(ObjectType::TrieNode, bytes);
    if (!node) return nullptr;
    node->flags = static_cast<std::uint8_t>(kind);
    node->data = node->children = 0;
    return node;
}

std::uint32_t bit_at(std::uint64_t hash, std::uint32_t shift) { return 1U << ((hash >> shift) & (kBranches - 1)); }

/// Makes `*link` a node of its own with room for one edit more.
EditsNode* open_node(Heap& heap, EditsNode** link) {
    EditsNode* node = *link;
    std::uint32_t edits = node->edit_count(), children = node->child_count();
    bool shared = node->refs != 1;
    if (!shared && Heap::size_of(node) >= node_bytes(edits + 1, children)) return node;
    EditsNode* own = new_node(heap, kind_of(node), node_bytes(edits + 1, children));
    if (!own) return nullptr;
    own->data = node->data;
    own->children = node->children;
    std::memcpy(static_cast<void*>(own->edits()), node->edits(), node_bytes(edits, children) - sizeof(EditsNode));
    *link = own;
    if (!shared) {
        heap.free_object(node);
        return own;
    }
    for (std::uint32_t i = 0; i < edits; ++i) {
        bits::retain(own->edits()[i].key.raw());
        bits::retain(own->edits()[i].value.raw());
    }
    for (std::uint32_t i = 0; i < children; ++i)
        bits::retain(own->child_array()[i]);
    bits::release(node);
    return own;
}

/// Room for an edit at number `i`: everything behind it moves up (there is space, see open_node).
KeyEdit* insert_edit(EditsNode& node, std::uint32_t i, std::uint32_t new_data) {
    KeyEdit* at = node.edits() + i;
    auto tail = reinterpret_cast<char*>(node.child_array() + node.child_count()) - reinterpret_cast<char*>(at);
    std::memmove(static_cast<void*>(at + 1), at, static_cast<std::size_t>(tail));
    node.data = new_data;
    return at;
}

/// Takes edit `i` out without releasing it.
void cut_edit(EditsNode& node, std::uint32_t i, std::uint32_t new_data) {
    KeyEdit* at = node.edits() + i;
    auto tail = reinterpret_cast<char*>(node.child_array() + node.child_count()) - reinterpret_cast<char*>(at + 1);
    node.data = new_data;
    std::memmove(static_cast<void*>(at), at + 1, static_cast<std::size_t>(tail));
}

/// Moves the edit behind `bit` into a child of its own, which is answered.
EditsNode** push_down(Heap& heap, EditsNode& node, std::uint32_t bit, std::uint32_t shift) {
    TrieNodeKind kind = shift + kBranchBits < 32 ? TrieNodeKind::Edits : TrieNodeKind::Collision;
    EditsNode* child = new_node(heap, kind, node_bytes(2, 0));
    if (!child) return nullptr;
    auto i = ones(node.data & (bit - 1));
    std::memcpy(static_cast<void*>(child->edits()), node.edits() + i, sizeof(KeyEdit));
    child->data = kind == TrieNodeKind::Collision ? 1 : bit_at(child->edits()[0].hash, shift + kBranchBits);
    cut_edit(node, i, node.data ^ bit);
    auto at = ones(node.children & (bit - 1));
    EditsNode** children = node.child_array();
    std::memmove(children + at + 1, children + at, (node.child_count() - at) * sizeof(EditsNode*));
    children[at] = child;
    node.children |= bit;
    return children + at;
}

KeyEdit* fill(KeyEdit* edit, const Value& key, std::uint32_t hash) {
    std::construct_at(&edit->key, key.copy());
    std::construct_at(&edit->value, Value::hole());
    edit->hash = hash;
    return edit;
}

KeyEdit* open_collision(Heap& heap, EditsNode& node, std::uint32_t hash, const Value& key, bool* added) {
    heap.meter.charge_unchecked(node.data);
    for (std::uint32_t i = 0; i < node.data; ++i) {
        if (same_key(heap, node.edits()[i].key, key)) return node.edits() + i;
    }
    *added = true;
    return fill(insert_edit(node, node.data, node.data + 1), key, hash);
}

/// False when the heap is full, or the key is not found because the meter has run out. A node that becomes empty is
/// taken out by its parent.
bool remove_below(Heap& heap, EditsNode** link, std::uint32_t shift, std::uint32_t hash, const Value& key) {
    EditsNode* node = open_node(heap, link);
    if (!node) return false;
    if (node->is_collision()) {
        std::uint32_t i = 0;
        heap.meter.charge_unchecked(node->data);
        while (i < node->data && !same_key(heap, node->edits()[i].key, key))
            ++i;
        if (i == node->data) return false;
        KeyEdit gone = std::move(node->edits()[i]);
        cut_edit(*node, i, node->data - 1);
        return true;
    }
    std::uint32_t bit = bit_at(hash, shift);
    if (node->data & bit) {
        auto i = ones(node->data & (bit - 1));
        KeyEdit gone = std::move(node->edits()[i]);
        cut_edit(*node, i, node->data ^ bit);
        return true;
    }
    if (!(node->children & bit)) return false;
    auto at = ones(node->children & (bit - 1));
    EditsNode** children = node->child_array();
    if (!remove_below(heap, children + at, shift + kBranchBits, hash, key)) return false;
    if (children[at]->data == 0 && children[at]->children == 0) {
        heap.free_object(children[at]);
        std::memmove(children + at, children + at + 1, (node->child_count() - at - 1) * sizeof(EditsNode*));
        node->children ^= bit;
    }
    return true;
}

} // namespace

KeyEdit* edits_find(Heap& heap, EditsNode* root, std::uint32_t hash, const Value& key) {
    return edits_find_if(heap, root, hash, [&](const Value& k) { return same_key(heap, k, key); });
}

KeyEdit* edits_find_in_place(Heap& heap, EditsNode* root, std::uint32_t hash, const Value& key) {
    EditsNode* node = root;
    for (std::uint32_t shift = 0; node; shift += kBranchBits) {
        if (node->refs != 1) return nullptr;
        std::uint32_t bit = bit_at(hash, shift);
        if (node->is_collision() || !(node->children & bit)) break;
        node = node->child_array()[ones(node->children & (bit - 1))];
    }
    return node ? edits_find(heap, root, hash, key) : nullptr;
}

KeyEdit* edits_open(Heap& heap, EditsNode*& root, std::uint32_t hash, const Value& key, bool* added) {
    *added = false;
    heap.meter.charge_unchecked(4);
    if (!root) {
        root = new_node(heap, TrieNodeKind::Edits, node_bytes(2, 0));
        if (!root) return nullptr;
    }
    EditsNode** link = &root;
    for (std::uint32_t shift = 0;; shift += kBranchBits) {
        EditsNode* node = open_node(heap, link);
        if (!node) return nullptr;
        if (node->is_collision()) return open_collision(heap, *node, hash, key, added);
        std::uint32_t bit = bit_at(hash, shift);
        if (node->data & bit) {
            KeyEdit& edit = node->edits()[ones(node->data & (bit - 1))];
            if (edit.hash == hash && same_key(heap, edit.key, key)) return &edit;
            link = push_down(heap, *node, bit, shift);
            if (!link) return nullptr;
        } else if (node->children & bit) {
            link = node->child_array() + ones(node->children & (bit - 1));
        } else {
            *added = true;
            auto i = ones(node->data & (bit - 1));
            return fill(insert_edit(*node, i, node->data | bit), key, hash);
        }
    }
}

bool edits_remove(Heap& heap, EditsNode*& root, std::uint32_t hash, const Value& key) {
    return root && remove_below(heap, &root, 0, hash, key);
}

} // namespace ptc
