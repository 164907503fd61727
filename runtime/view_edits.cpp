// Edits of a view find a key's place by halving and move pointers. What the next edit costs depends on the free places
// around the entries, so snapshots keep them.
#include "runtime/view_edits.h"
#include "runtime/vector.h"
#include <algorithm>

namespace ptc {

namespace {

using Entry = const Value*;

/// Edits that nobody looked between: a table that is only built up costs no more than a part of one sort.
constexpr std::uint32_t kUnreadEdits = 64;
/// Places that a unit of fuel moves.
constexpr std::uint32_t kMovedPerUnit = 64;

/// Whether no other key is as far in front or behind as this one (NaN is, and functions of one name), as can be seen by
/// looking at `left` parts of vectors at most, as in [cost [row column]].
bool has_own_place(const Value& key, int& left) {
    if (--left < 0) return false;
    if (key.is(ObjectType::Vector)) {
        const auto& vector = *static_cast<const VectorObject*>(key.object());
        return std::all_of(vector.data, vector.data + vector.length,
                           [&left](const Value& part) { return has_own_place(part, left); });
    }
    return key.is_small_integer() || (key.is_double() && key.as_double() == key.as_double()) || key.is_string() ||
           key.is_keyword() || key.is_nil() || key.is_boolean();
}
bool has_own_place(const Value& key) {
    constexpr int kMostParts = 16;
    int left = kMostParts;
    return has_own_place(key, left);
}

/// How many of the view's keys are less than `key`.
std::uint32_t place_of(Heap& heap, SortedViewObject* view, const Value& key) {
    Entry* const entries = view->entries();
    const auto is_less = [&](Entry entry) {
        const bool are_integers = entry->is_small_integer() && key.is_small_integer();
        return are_integers ? entry->raw() < key.raw() : total_order(heap, *entry, key) < 0;
    };
    if (view->count != 0 && is_less(entries[view->count - 1])) return view->count;
    if (view->count != 0 && !is_less(entries[0])) return 0;
    return static_cast<std::uint32_t>(std::partition_point(entries, entries + view->count, is_less) - entries);
}

/// The place of an entry that the view has: at its ends, as in a queue, or where its key belongs.
std::uint32_t place_of_entry(Heap& heap, SortedViewObject* view, Entry entry) {
    Entry* const entries = view->entries();
    if (view->count != 0 && entries[0] == entry) return 0;
    if (view->count != 0 && entries[view->count - 1] == entry) return view->count - 1;
    return place_of(heap, view, *entry);
}

/// Makes a place in front of entry `at`. False when the heap is full.
bool open_place(Heap& heap, SortedViewObject*& view, std::uint32_t at) {
    if (view->begin != 0 && at < view->count / 2) {
        std::copy(view->entries(), view->entries() + at, view->entries() - 1);
        --view->begin;
        heap.meter.charge_unchecked(at / kMovedPerUnit);
    } else {
        if (view->begin + view->count == view->room) {
            const bool slides = view->begin > view->count;
            SortedViewObject* to = slides ? view : new_view(heap, 2 * view->count + 8);
            if (!to) return false;
            Entry* const from = view->entries();
            to->begin = 0;
            std::copy(from, from + view->count, to->entries());
            to->count = view->count;
            to->edits = view->edits;
            if (!slides) heap.free_object(std::exchange(view, to));
            heap.meter.charge_unchecked(to->count / kMovedPerUnit);
        }
        Entry* const entries = view->entries();
        std::copy_backward(entries + at, entries + view->count, entries + view->count + 1);
        heap.meter.charge_unchecked((view->count - at) / kMovedPerUnit);
    }
    ++view->count;
    return true;
}

/// Closes the place of entry `at`.
void close_place(Heap& heap, SortedViewObject* view, std::uint32_t at) {
    Entry* const entries = view->entries();
    --view->count;
    if (at < view->count / 2) {
        std::copy_backward(entries, entries + at, entries + at + 1);
        ++view->begin;
        heap.meter.charge_unchecked(at / kMovedPerUnit);
    } else {
        std::copy(entries + at + 1, entries + view->count + 1, entries + at);
        heap.meter.charge_unchecked((view->count - at) / kMovedPerUnit);
    }
}

/// Whether one more edit may be done to the view.
bool may_edit(Heap& heap, SortedViewObject* view, const Value& key) {
    return ++view->edits <= kUnreadEdits && has_own_place(key) && heap.meter.charge(1);
}

} // namespace

SortedViewObject* new_view(Heap& heap, std::uint32_t count) {
    auto* view = heap.allocate<SortedViewObject>(ObjectType::SortedView,
                                                 sizeof(SortedViewObject) + std::size_t{count} * sizeof(const Value*));
    if (view) {
        view->count = view->room = count;
        view->begin = view->edits = 0;
    }
    return view;
}

void view_add_entry(Heap& heap, HashTableObject& table, const Value* entry) {
    if (may_edit(heap, table.view, *entry)) {
        const std::uint32_t at = place_of(heap, table.view, *entry);
        if (open_place(heap, table.view, at)) {
            table.view->entries()[at] = entry;
            return;
        }
    }
    drop_view(heap, table.view);
}

void view_remove_entry(Heap& heap, HashTableObject& table, std::uint32_t e) {
    SortedViewObject* const view = table.view;
    const std::uint32_t width = table.width(), last = table.count - 1;
    const Entry gone = table.entries + e * width, moved = table.entries + last * width;
    if (last != 0 && may_edit(heap, view, *gone) && has_own_place(*moved)) {
        const std::uint32_t at = place_of_entry(heap, view, gone), moved_at = place_of_entry(heap, view, moved);
        // With a meter that ran out, comparing answers anything.
        if (at < view->count && moved_at < view->count && view->entries()[at] == gone &&
            view->entries()[moved_at] == moved) {
            view->entries()[moved_at] = gone;
            close_place(heap, view, at);
            return;
        }
    }
    drop_view(heap, table.view);
}

} // namespace ptc
