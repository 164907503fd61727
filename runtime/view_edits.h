// Sorted views of tables that change: a queue that is read between its edits is not sorted again.
#pragma once
#include "runtime/hash_table.h"

namespace ptc {

/// A view with room for `count` entries, which are not written yet. Null when the heap is full.
SortedViewObject* new_view(Heap& heap, std::uint32_t count);
/// Keep the view of a flat table, if it has one, up to date. Both throw it away after many edits that nobody looked
/// between, or where a key has no place of its own. `view_add` comes after a new entry has its key; `view_remove`
/// before erase_entry(e), whose last entry moves.
void view_add_entry(Heap& heap, HashTableObject& table, const Value* entry);
void view_remove_entry(Heap& heap, HashTableObject& table, std::uint32_t e);
inline void view_add(Heap& heap, HashTableObject& table, const Value* entry) {
    if (table.view) [[unlikely]]
        view_add_entry(heap, table, entry);
}
inline void view_remove(Heap& heap, HashTableObject& table, std::uint32_t e) {
    if (table.view) [[unlikely]]
        view_remove_entry(heap, table, e);
}

} // namespace ptc
