// The nodes of overlays: what changed of a large shared collection.
#pragma once
#include "runtime/heap.h"
#include <array>
#include <bit>

namespace ptc {

/// What an ObjectType::TrieNode is, in its `flags`.
enum class TrieNodeKind : std::uint8_t { VectorInner, VectorLeaf, Edits, Collision };
inline TrieNodeKind kind_of(const Object* node) { return static_cast<TrieNodeKind>(node->flags); }

inline constexpr std::uint32_t kBranchBits = 5;
inline constexpr std::uint32_t kBranches = 1U << kBranchBits;

/// Inner node of an overlay vector; a missing child stands for elements of the base.
struct VectorInner : Object {
    std::uint64_t unused;
    std::array<Object*, kBranches> children;
};
/// Elements of an overlay vector; nil where it has none.
struct VectorLeaf : Object {
    std::uint64_t unused;
    std::array<Bits, kBranches> bits;
    [[nodiscard]] Value* items() { return reinterpret_cast<Value*>(bits.data()); }
    [[nodiscard]] const Value* items() const { return reinterpret_cast<const Value*>(bits.data()); }
};
static_assert(sizeof(VectorInner) == sizeof(VectorLeaf));

} // namespace ptc
