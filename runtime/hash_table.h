// The flat table behind large maps and sets: entries in insertion order, found through an open-addressing index.
// Look-ups are inline, as every `get` of a large map is one; who may change a table in place is decided in keyed.cpp.
#pragma once
#include "runtime/equality.h"

namespace ptc {

/// ObjectType::SortedView: the entries of a table or overlay in key order, each a pointer to its key (in a map the
/// value follows the key). Belongs to one collection. When entries come, go or move it is brought up to date
/// (view_edits.h) or thrown away.
struct SortedViewObject : Object {
    std::uint32_t count;
    std::uint32_t begin; ///< free places in front of the first entry
    std::uint32_t room;  ///< places in all
    std::uint32_t edits; ///< since somebody looked
    [[nodiscard]] const Value** entries() { return reinterpret_cast<const Value**>(this + 1) + begin; }
};
static_assert(sizeof(SortedViewObject) == 24);

/// ObjectType::HashMap and ObjectType::HashSet. An entry is a key and, in a map, its value. Hashes of all entries
/// follow the entries, then, above kScanned entries, the index.
///
/// An index slot holds an entry's number in its low bits (as many as `mask` has) and the upper bits of its hash above
/// them, so that a foreign key is hardly ever looked at; kEmptySlot has a number that no entry can have, as the index
/// is at most half full. Probing is linear.
struct HashTableObject : Object {
    static constexpr std::uint32_t kScanned = 8; ///< tables up to this size are scanned, hash by hash
    static constexpr std::uint32_t kEmptySlot = UINT32_MAX;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint8_t kCopyPaid = 1; ///< in `flags`: see VectorObject
    static constexpr std::uint8_t kHasGrown = 2;
    /// In `flags`, of what sorted-map-by and sorted-set-by made: read from the last key to the first.
    static constexpr std::uint8_t kDescends = 4;
    /// The same: read in the order of the entries, which a comparator gave them. Who adds a key finds its place first
    /// (arranged.h). Never overlaid.
    static constexpr std::uint8_t kArranged = 8;
    static constexpr std::uint8_t kOrders = kDescends | kArranged;

    std::uint32_t count;
    std::uint32_t mask; ///< slots of the index - 1; 0: none
    Value* entries;     ///< in a Table block of its own; null when the capacity is 0
    std::uint32_t* index;
    std::uint32_t capacity;
    SortedViewObject* view; ///< null: not made, or made invalid

    [[nodiscard]] std::uint32_t width() const { return type == ObjectType::HashMap ? 2 : 1; }
    [[nodiscard]] std::uint32_t* hashes() const {
        return reinterpret_cast<std::uint32_t*>(entries + capacity * width());
    }
    [[nodiscard]] Object* block() const { return reinterpret_cast<Object*>(entries) - 2; }
    /// Of kArranged: the function that orders the keys. Lies between the block's header and the entries.
    [[nodiscard]] Value& comparator() const { return entries[-1]; }
    [[nodiscard]] bool is_arranged() const { return (flags & kArranged) != 0; }
};
static_assert(sizeof(HashTableObject) == 48);

inline HashTableObject& as_table(const Value& v) { return *static_cast<HashTableObject*>(v.object()); }

/// The number of the entry with this hash whose key satisfies `is_key`, or kNone. Long chains, which only keys chosen
/// to collide have, are charged.
template <class IsKey>
std::uint32_t table_find_if(Heap& heap, const HashTableObject& table, std::uint32_t width, std::uint32_t hash,
                            IsKey is_key) {
    const std::uint32_t mask = table.mask;
    if (mask == 0) {
        const auto* hashes = reinterpret_cast<const std::uint32_t*>(table.entries + table.capacity * width);
        for (std::uint32_t e = 0, n = table.count; e < n; ++e) {
            if (hashes[e] == hash && is_key(table.entries[e * width])) return e;
        }
        return HashTableObject::kNone;
    }
    constexpr std::uint32_t kFreeProbes = 8;
    std::uint32_t probes = 0;
    for (std::uint32_t at = hash & mask;; at = (at + 1) & mask) {
        std::uint32_t slot = table.index[at];
        if (((slot ^ hash) & ~mask) == 0) {
            std::uint32_t e = slot & mask;
            if (e == mask) return HashTableObject::kNone;
            if (is_key(table.entries[e * width])) [[likely]]
                return e;
        } else if (slot == HashTableObject::kEmptySlot) {
            return HashTableObject::kNone;
        }
        if (++probes > kFreeProbes) [[unlikely]]
            heap.meter.charge_unchecked(1);
    }
}

inline std::uint32_t table_find(Heap& heap, const HashTableObject& table, std::uint32_t width, std::uint32_t hash,
                                const Value& key) {
    return table_find_if(heap, table, width, hash, [&](const Value& k) { return same_key(heap, k, key); });
}

/// An empty table of `type` with room for `capacity` entries. Null when the heap is full.
HashTableObject* new_table(Heap& heap, ObjectType type, std::uint32_t capacity);
/// A copy with room for one more; all its keys and values get an owner more. Null when the heap is full, or when the
/// meter runs out over keys that collide.
HashTableObject* copy_table(Heap& heap, const HashTableObject& table);
/// Doubles the room and throws the view away. False when the heap is full, or when the meter runs out over keys that
/// collide.
bool grow_table(Heap& heap, HashTableObject& table);
/// Adds an entry for a key that is absent and answers it, uninitialised; null as for grow_table. The table must not
/// be seen by others; its view, if it has one, lacks the entry until `view_add`.
inline Value* append_entry(Heap& heap, HashTableObject& table, std::uint32_t width, std::uint32_t hash) {
    if (table.count == table.capacity && !grow_table(heap, table)) [[unlikely]]
        return nullptr;
    std::uint32_t e = table.count++;
    reinterpret_cast<std::uint32_t*>(table.entries + table.capacity * width)[e] = hash;
    if (const std::uint32_t mask = table.mask) {
        std::uint32_t at = hash & mask;
        std::uint32_t probes = 0;
        while (table.index[at] != HashTableObject::kEmptySlot) {
            at = (at + 1) & mask;
            if (++probes > 8) [[unlikely]]
                heap.meter.charge_unchecked(1);
        }
        table.index[at] = (hash & ~mask) | e;
    }
    return table.entries + e * width;
}
/// The same, as entry number `e`: the others keep their order, which costs a walk past them. Charges nothing for it.
Value* insert_entry(Heap& heap, HashTableObject& table, std::uint32_t e, std::uint32_t hash);
/// Removes entry `e`, releasing its parts; the last entry takes its number. Its view knows already (`view_remove`).
void erase_entry(Heap& heap, HashTableObject& table, std::uint32_t e);
/// The same, where the others keep their order. Charges nothing for the walk past them.
void close_entry(Heap& heap, HashTableObject& table, std::uint32_t e);
/// Throws the sorted view away, if there is one.
inline void drop_view(Heap& heap, SortedViewObject*& view) {
    if (view) heap.free_object(std::exchange(view, nullptr));
}

} // namespace ptc
