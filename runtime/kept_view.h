// The sorted view that a table keeps, and the edits that it follows.
#pragma once
#include "runtime/hash_table.h"

namespace ptc {

/// A view without entries yet, that may follow some edits. Null when the heap is full.
SortedViewObject* new_view(Heap& heap, std::uint32_t count);
/// To be called when `added` has been appended to the flat table `coll`, whose entries stood at `before`: the view that
/// it keeps, if any, follows, or is dropped. One view follows so many edits that they cost about as much as sorting
/// again; a collection that is read between its edits, as a queue is, is seldom sorted.
void add_to_view(Heap& heap, const Value& coll, const Value* added, const Value* before);
/// The same, to be called before the entry `e` is erased (erase_entry).
void remove_from_view(Heap& heap, const Value& coll, std::uint32_t e);

} // namespace ptc
