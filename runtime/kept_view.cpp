// A view that follows an edit is made anew, an entry longer or shorter: copying pointers costs little beside sorting.
#include "runtime/kept_view.h"
#include "runtime/vector.h"
#include <algorithm>

namespace ptc {
namespace {

using Entry = const Value*;

constexpr std::uint32_t kEditsOfView = 64;

/// Keys in which nothing has an order of its own that would have to be made first.
bool is_plain_key(const Value& key) {
    if (!key.is_collection()) return true;
    const Value* items = key.is_vector() ? vector_data_or_null(key) : nullptr;
    return items && std::none_of(items, items + vector_length(key), [](const Value& v) { return v.is_collection(); });
}

/// A view of another length that may follow one edit less; null, and none kept, when there is no room or no fuel, or
/// the view has followed enough edits.
SortedViewObject* next_view(Heap& heap, const SortedViewObject* kept, std::uint32_t count) {
    constexpr std::uint32_t kEntriesOfUnit = 32;
    if (kept->edits_left == 0 || !heap.meter.charge(1 + count / kEntriesOfUnit)) return nullptr;
    SortedViewObject* view = new_view(heap, count);
    if (view) view->edits_left = kept->edits_left - 1;
    return view;
}

} // namespace

SortedViewObject* new_view(Heap& heap, std::uint32_t count) {
    auto* view = heap.allocate<SortedViewObject>(ObjectType::SortedView,
                                                 sizeof(SortedViewObject) + std::size_t{count} * sizeof(Entry));
    if (!view) return nullptr;
    view->count = count;
    view->edits_left = kEditsOfView;
    return view;
}

void add_to_view(Heap& heap, const Value& coll, const Value* added, const Value* before) {
    HashTableObject& table = as_table(coll);
    SortedViewObject* const kept = table.view;
    if (!kept) return;
    SortedViewObject* const view = is_plain_key(*added) ? next_view(heap, kept, kept->count + 1) : nullptr;
    if (view) {
        const auto now = [&](Entry entry) { return table.entries + (entry - before); };
        const auto is_less = [&](Entry entry, Entry key) { return total_order(heap, *now(entry), *key) < 0; };
        Entry* const old = kept->entries();
        Entry* const place = std::lower_bound(old, old + kept->count, added, is_less);
        Entry* next = std::transform(old, place, view->entries(), now);
        *next++ = added;
        std::transform(place, old + kept->count, next, now);
    }
    drop_view(heap, table.view);
    table.view = view;
    if (view && !heap.meter.charge(0)) drop_view(heap, table.view); // comparisons answered anything
}

void remove_from_view(Heap& heap, const Value& coll, std::uint32_t e) {
    HashTableObject& table = as_table(coll);
    SortedViewObject* const kept = table.view;
    if (!kept) return;
    SortedViewObject* const view = next_view(heap, kept, kept->count - 1);
    if (view) {
        const std::uint32_t width = table.width();
        const Entry gone = table.entries + e * width, last = table.entries + (table.count - 1) * width;
        Entry* next = view->entries();
        for (std::uint32_t i = 0; i < kept->count; ++i) {
            const Entry entry = kept->entries()[i];
            if (entry != gone) *next++ = entry == last ? gone : entry; // the last entry takes its number
        }
    }
    drop_view(heap, table.view);
    table.view = view;
}

} // namespace ptc
