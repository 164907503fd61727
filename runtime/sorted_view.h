// Sorted views: the order in which maps and sets are seen (DIV-38).
#pragma once
#include "runtime/keyed.h"

namespace ptc {

/// A new view of a table or overlay. Fails on a full heap, and when the meter refuses the work.
Result<SortedViewObject*> make_sorted_view(Heap& heap, const Value& coll);
/// The view of `coll`: the one that it keeps, making it if it is missing. A frozen collection without one gets a
/// private view, which `holder` owns.
Result<SortedViewObject*> sorted_view(Heap& heap, const Value& coll, Value& holder);
/// The entries of an arranged table as they stand; `holder` owns it.
Result<SortedViewObject*> arranged_view(Heap& heap, const Value& coll, Value& holder);
/// Overlays with so few edits are read without a view of their own.
inline constexpr std::uint32_t kFewEdits = 64;
/// The view of the table below an overlay with few edits, which have been paid for; null for any other collection, and
/// where that table keeps no view.
Result<SortedViewObject*> view_below_edits(Heap& heap, const Value& coll);
/// Whether an edit changes or hides this entry of the overlay's table.
bool is_edited(Heap& heap, const OverlayTableObject& overlay, const Value* entry);
/// The entry of an overlay that is read first, where few edits and the view of its table tell without a view of its
/// own; null where they do not. A queue is read so while its last version is still seen.
Result<const Value*> first_of_overlay(Heap& heap, const Value& coll);
/// The view that `coll` keeps, if any.
inline SortedViewObject*& kept_view(const Value& coll) {
    return is_flat_table(coll.object()->type) ? as_table(coll).view : as_overlay_table(coll).view;
}
/// Views for `coll` and for all the maps and sets inside its keys, as far as they are of `heap`, innermost first and
/// without recursion: with them total_order never has to sort. Exceeds the heap's cap if need be (by 8 bytes an entry).
/// Is incomplete only when the meter refuses.
void prepare_views(Heap& heap, const Value& coll);

} // namespace ptc
