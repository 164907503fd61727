// A view is an array of pointers to the entries of a table or overlay, in the total order. It is kept with the
// collection, so a program that looks at the same map again pays nothing, and one that looks between edits (a queue)
// pays for moving pointers (view_edits.h). Sorting must be predictable for fuel and safe when fuel ends in the middle,
// when comparisons answer anything: hence a merge sort of our own, by words for most keys (key_words.h). Keys may be
// maps themselves; prepare_views makes the views inside of keys first, so that sorting never sorts.
#include "runtime/sorted_view.h"
#include "frontend/try.h"
#include "runtime/key_words.h"
#include "runtime/map.h"
#include "runtime/view_edits.h"
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace ptc {

namespace {

using Entry = const Value*;

/// Merge sort that polls the meter and stays within bounds whatever `less` answers (an exhausted meter makes
/// comparisons arbitrary). `scratch` is as long as `items`. False when the meter refuses.
template <class Less> bool merge_sort(Heap& heap, Entry* items, Entry* scratch, std::size_t n, Less less) {
    constexpr std::size_t kRun = 16;
    for (std::size_t start = 0; start < n; start += kRun) {
        std::size_t end = std::min(start + kRun, n);
        for (std::size_t i = start + 1; i < end; ++i) {
            Entry item = items[i];
            std::size_t at = i;
            for (; at > start && less(item, items[at - 1]); --at)
                items[at] = items[at - 1];
            items[at] = item;
        }
        if (!heap.meter.charge(kRun / 4)) return false;
    }
    for (std::size_t run = kRun; run < n; run *= 2) {
        for (std::size_t start = 0; start + run < n; start += 2 * run) {
            std::size_t middle = start + run, end = std::min(middle + run, n);
            if (!less(items[middle], items[middle - 1])) continue;
            std::copy(items + start, items + middle, scratch);
            std::size_t left = 0, right = middle, out = start;
            while (left < run && right < end) {
                if (less(items[right], scratch[left]))
                    items[out++] = items[right++];
                else
                    items[out++] = scratch[left++];
                if ((out & 1023) == 0 && !heap.meter.charge(256)) return false;
            }
            std::copy(scratch + left, scratch + run, items + out);
        }
        if (!heap.meter.charge(static_cast<std::int64_t>(n / 8))) return false;
    }
    return true;
}

bool text_less(Entry a, Entry b) {
    if (a->object()->type != b->object()->type) return a->object()->type == ObjectType::Keyword;
    return text_of(*a) < text_of(*b);
}

/// Of two scalars; known for those of kinds that are mostly met.
enum class Order : std::uint8_t { Before, Same, Behind, Unknown };
template <class T> Order order_of(const T& a, const T& b) {
    return a < b ? Order::Before : b < a ? Order::Behind : Order::Same;
}
Order order_of_scalars(const Value& x, const Value& y) {
    if (x.raw() == y.raw()) return Order::Same;
    if (x.is_small_integer() && y.is_small_integer()) return order_of(x.raw(), y.raw());
    if (x.is_double() && y.is_double()) {
        const Order order = order_of(x.as_double(), y.as_double());
        return order == Order::Same ? Order::Unknown : order; // zeros, and what is no number
    }
    const bool are_texts = (x.is_string() && y.is_string()) || (x.is_keyword() && y.is_keyword());
    if (!are_texts || std::min(as_string(x).size, as_string(y).size) > kFreeBytes) return Order::Unknown;
    return order_of(text_of(x), text_of(y));
}
/// Vectors of one length: their first parts mostly decide, as in queues of [cost x] and keys of two fields.
Order order_of_fronts(const Value& a, const Value& b, std::size_t length) {
    constexpr std::size_t kFront = 3;
    const Value *x = static_cast<const VectorObject*>(a.object())->data,
                *y = static_cast<const VectorObject*>(b.object())->data;
    for (std::size_t i = 0; i < std::min(length, kFront); ++i) {
        const Order order = order_of_scalars(x[i], y[i]);
        if (order != Order::Same) return order;
    }
    return Order::Unknown;
}
bool are_rows(const Entry* items, std::size_t n) {
    const auto length = [](const Value& v) {
        return v.is(ObjectType::Vector) ? static_cast<const VectorObject*>(v.object())->length : 0;
    };
    return n > 0 && length(*items[0]) > 0 &&
           std::all_of(items, items + n, [&](Entry item) { return length(*item) == length(*items[0]); });
}

/// Entries in the form in which they are sorted: the word of the key above the number of the entry, which counts Values
/// from the lowest one. So no key is looked at to compare two words.
class PackedEntries {
public:
    /// Of entries that are not too far apart.
    static std::optional<PackedEntries> of(const Entry* items, std::size_t n) {
        const auto [lowest, highest] = std::minmax_element(items, items + n, std::less<>());
        const PackedEntries packed(bits(*lowest));
        return packed.number(*highest) > UINT32_MAX ? std::nullopt : std::optional(packed);
    }

    [[nodiscard]] Entry pack(Entry entry, std::uint32_t word) const {
        return entry_of(std::uint64_t{word} << kNumberBits | number(entry));
    }
    [[nodiscard]] Entry unpack(Entry packed) const {
        return entry_of(lowest_ + (bits(packed) & UINT32_MAX) * sizeof(Value));
    }
    /// Which are ordered like the words.
    static std::uint64_t bits(Entry packed) { return reinterpret_cast<std::uint64_t>(packed); }
    static std::uint64_t word(Entry packed) { return bits(packed) >> kNumberBits; }

private:
    explicit PackedEntries(std::uint64_t lowest) : lowest_(lowest) {}
    static Entry entry_of(std::uint64_t bits) { return reinterpret_cast<Entry>(bits); }
    [[nodiscard]] std::uint64_t number(Entry entry) const { return (bits(entry) - lowest_) / sizeof(Value); }

    static_assert(sizeof(Entry) == sizeof(std::uint64_t));
    static constexpr unsigned kNumberBits = 32;
    std::uint64_t lowest_; ///< an address: the entries are of several blocks
};

/// Sorts by the word of each key, and by `less` where they are the same and not `are_complete`; in the steps of
/// merge_sort, for its fuel. What is left in `items` when the meter refuses is not to be looked at.
template <class WordOf, class Less>
bool sort_packed(Heap& heap, Entry* items, Entry* scratch, std::size_t n, WordOf word_of, bool are_complete,
                 Less less) {
    const std::optional<PackedEntries> packed = PackedEntries::of(items, n);
    if (!packed) return merge_sort(heap, items, scratch, n, less);
    constexpr std::size_t kAtOnce = 4096;
    const bool are_packed = heap.meter.in_pieces(n, kAtOnce, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            items[i] = packed->pack(items[i], word_of(*items[i]));
    });
    if (!are_packed) return false;
    const auto is_before = [](Entry a, Entry b) { return PackedEntries::bits(a) < PackedEntries::bits(b); };
    const auto is_before_or_less = [&](Entry a, Entry b) {
        const std::uint64_t x = PackedEntries::word(a), y = PackedEntries::word(b);
        return x != y ? x < y : less(packed->unpack(a), packed->unpack(b));
    };
    const bool is_sorted = are_complete ? merge_sort(heap, items, scratch, n, is_before)
                                        : merge_sort(heap, items, scratch, n, is_before_or_less);
    std::transform(items, items + n, items, [&](Entry entry) { return packed->unpack(entry); });
    return is_sorted;
}

template <class Less> bool sort_by_words(Heap& heap, Entry* items, Entry* scratch, std::size_t n, Less less) {
    constexpr std::size_t kFew = 16; // not worth a look at all of them first
    if (n <= kFew) return merge_sort(heap, items, scratch, n, less);
    const KeyWords words(heap.meter, items, n);
    if (!words.exist()) return merge_sort(heap, items, scratch, n, less);
    const auto word_of = [&](const Value& key) { return words.of(key); };
    return sort_packed(heap, items, scratch, n, word_of, words.are_complete(), less);
}

/// Keys that are all inline integers, whose bits are ordered like them.
bool sort_integers(Heap& heap, Entry* items, Entry* scratch, std::size_t n) {
    const auto less = [](Entry a, Entry b) { return a->raw() < b->raw(); };
    const auto [least, most] = std::minmax_element(items, items + n, less);
    const Bits from = n > 0 ? (*least)->raw() : 0;
    if (n == 0 || (*most)->raw() - from > UINT32_MAX) return merge_sort(heap, items, scratch, n, less);
    const auto word_of = [from](const Value& key) { return static_cast<std::uint32_t>(key.raw() - from); };
    return sort_packed(heap, items, scratch, n, word_of, true, less);
}

bool sort_entries(Heap& heap, Entry* items, Entry* scratch, std::size_t n) {
    const auto are_all = [&](auto is) { return std::all_of(items, items + n, [&](Entry item) { return is(*item); }); };
    if (are_all([](const Value& v) { return v.is_small_integer(); })) return sort_integers(heap, items, scratch, n);
    if (are_all([](const Value& v) { return (v.is_keyword() || v.is_string()) && as_string(v).size <= kFreeBytes; }))
        return sort_by_words(heap, items, scratch, n, text_less);
    if (are_rows(items, n)) {
        const std::size_t length = static_cast<const VectorObject*>(items[0]->object())->length;
        return sort_by_words(heap, items, scratch, n, [&](Entry a, Entry b) {
            const Order order = order_of_fronts(*a, *b, length);
            return order == Order::Unknown ? total_order(heap, *a, *b) < 0 : order == Order::Before;
        });
    }
    return merge_sort(heap, items, scratch, n, [&](Entry a, Entry b) { return total_order(heap, *a, *b) < 0; });
}

/// Inside a key, everything is compared; outside, only keys.
template <class Push> void push_compared_parts(Heap& heap, const Value& v, bool inside_key, Push push) {
    if (v.is_vector()) {
        VectorReader items(v);
        if (v.is(ObjectType::Range)) return;
        for (std::size_t i = 0; i < items.size(); ++i) {
            Value temporary;
            push(vector_element(v, i, temporary));
        }
    } else if (v.is(ObjectType::Record)) {
        const auto& record = *static_cast<const RecordObject*>(v.object());
        for (std::uint32_t i = 0; i < record.shape->count; ++i)
            push(record.values()[i]);
    } else if (v.is_map() || v.is_set()) {
        bool values = inside_key && v.is_map();
        for_each_entry(heap, v, [&](Entry entry, std::uint32_t) {
            push(entry[0]);
            if (values) push(entry[1]);
        });
    }
}

bool has_views(const Value& v) { return v.is_set() || (v.is_map() && !v.is(ObjectType::Record)); }

/// Whether a view may be kept with `coll`: it is of this heap, so no other thread reads it yet. (The empty collections
/// are of no heap.)
bool may_keep_view(const Heap& heap, const Value& coll) {
    return as_table(coll).count != 0 && (coll.is_counted() || &Heap::of(coll.object()) == &heap);
}

bool needs_view(const Heap& heap, const Value& v) { return has_views(v) && !kept_view(v) && may_keep_view(heap, v); }

/// Sorts the first `n` entries of a view. On failure frees it.
Result<SortedViewObject*> with_sorted_front(Heap& heap, SortedViewObject* view, std::uint32_t n) {
    SortedViewObject* scratch = view ? new_view(heap, n) : nullptr;
    if (scratch) {
        const bool is_sorted = sort_entries(heap, view->entries(), scratch->entries(), n);
        heap.free_object(scratch);
        if (is_sorted) return view;
    }
    if (view) heap.free_object(view);
    if (!scratch) return heap.out_of_memory();
    return heap.meter.error();
}

/// Whether comparing keys like this one needs no view, as can be seen by looking at `left` of its parts at most: no
/// set, and no map but records.
bool is_compared_at_once(const Value& key, int& left) {
    if (!key.is_collection()) return true;
    const Value* from = nullptr;
    std::size_t count = 0;
    if (key.is(ObjectType::Vector)) {
        const auto& vector = *static_cast<const VectorObject*>(key.object());
        from = vector.data;
        count = vector.length;
    } else if (key.is(ObjectType::Record)) {
        const auto& record = *static_cast<const RecordObject*>(key.object());
        from = record.values();
        count = record.shape->count;
    } else {
        return false;
    }
    return std::all_of(from, from + count,
                       [&left](const Value& part) { return --left >= 0 && is_compared_at_once(part, left); });
}

/// The view of an overlay's base; null where none may be kept with it. A base may have keys that the overlay lacks, and
/// which prepare_views has not seen: views inside of them are not made here.
Result<SortedViewObject*> view_of_base(Heap& heap, HashTableObject* base) {
    if (base->view || base->count == 0) return base->view;
    const bool is_frozen = base->refs == kImmortal;
    if (is_frozen && &Heap::of(base) != &heap) return nullptr;
    constexpr int kMostParts = 64; ///< of a key
    for (std::uint32_t e = 0; e < base->count; ++e) {
        int left = kMostParts;
        if (!is_compared_at_once(base->entries[e * base->width()], left)) return nullptr;
    }
    if (!heap.meter.charge(base->count)) return heap.meter.error();
    SortedViewObject* view = new_view(heap, base->count);
    for (std::uint32_t e = 0; view && e < base->count; ++e)
        view->entries()[e] = base->entries + e * base->width();
    base->view = PTC_TRY(with_sorted_front(heap, view, base->count));
    return base->view;
}

/// The entries of `base_view` that no edit hides and the first `edits` entries of `view`, which are sorted, become the
/// entries of `view`. As sorting has it, edits come first among entries of one place.
void merge_edits(Heap& heap, const OverlayTableObject& overlay, SortedViewObject* base_view, SortedViewObject* view,
                 std::uint32_t edits) {
    const EditedEntries edited(heap, overlay);
    const std::uint32_t width = overlay.base->width();
    Entry* const out = view->entries();
    const auto is_less = [&](Entry a, Entry b) {
        const bool are_integers = a->is_small_integer() && b->is_small_integer();
        return are_integers ? a->raw() < b->raw() : total_order(heap, *a, *b) < 0;
    };
    // From the back, so that the edits at the front are read before they are written over.
    std::uint32_t from = edits, to = view->count;
    for (std::uint32_t i = base_view->count; i-- > 0;) {
        const Entry entry = base_view->entries()[i];
        if (edited.has(static_cast<std::uint32_t>(entry - overlay.base->entries) / width)) continue;
        while (from > 0 && is_less(entry, out[from - 1]))
            out[--to] = out[--from];
        out[--to] = entry;
    }
}

/// The view of an overlay from that of its base, which versions share; null where that has none.
Result<SortedViewObject*> view_from_base(Heap& heap, const OverlayTableObject& overlay) {
    SortedViewObject* base_view = PTC_TRY(view_of_base(heap, overlay.base));
    if (!base_view) return nullptr;
    SortedViewObject* view = new_view(heap, overlay.count);
    if (!view) return heap.out_of_memory();
    std::uint32_t edits = 0;
    for_each_edit(overlay.root, [&](const KeyEdit& edit) {
        if (!edit.value.is_hole()) view->entries()[edits++] = &edit.key;
    });
    view = PTC_TRY(with_sorted_front(heap, view, edits));
    merge_edits(heap, overlay, base_view, view, edits);
    return view;
}

} // namespace

Result<SortedViewObject*> view_below_edits(Heap& heap, const Value& coll) {
    if (is_flat_table(coll.object()->type) || !coll.is_counted()) return nullptr;
    OverlayTableObject& overlay = as_overlay_table(coll);
    if (overlay.view || overlay.count == 0) return nullptr;
    PTC_CHECK(absorb_edits(heap, overlay));
    if (!overlay.root || overlay.edit_count > kFewEdits) return nullptr;
    SortedViewObject* base_view = PTC_TRY(view_of_base(heap, overlay.base));
    if (!base_view || !heap.meter.charge(overlay.edit_count)) return nullptr; // whoever makes the view says why
    if (overlay.base->refs != kImmortal) base_view->edits = 0;                // somebody looks
    return base_view;
}

bool is_edited(Heap& heap, const OverlayTableObject& overlay, const Value* entry) {
    const auto e = static_cast<std::uint32_t>(entry - overlay.base->entries) / overlay.base->width();
    const auto is_it = [entry](const Value& key) { return key.raw() == entry->raw(); };
    return edits_find_if(heap, overlay.root, overlay.base->hashes()[e], is_it) != nullptr;
}

Result<const Value*> first_of_overlay(Heap& heap, const Value& coll) {
    SortedViewObject* const base_view = PTC_TRY(view_below_edits(heap, coll));
    if (!base_view) return nullptr;
    const OverlayTableObject& overlay = as_overlay_table(coll);
    const bool descends = order_of(coll) != 0;
    Entry first = nullptr;
    for (std::uint32_t i = 0; i < base_view->count && !first; ++i) {
        const Entry entry = base_view->entries()[descends ? base_view->count - 1 - i : i];
        if (!is_edited(heap, overlay, entry)) first = entry;
    }
    for_each_edit(overlay.root, [&](const KeyEdit& edit) {
        if (edit.value.is_hole()) return;
        if (!first || (total_order(heap, edit.key, *first) < 0) != descends) first = &edit.key;
    });
    return first;
}

Result<SortedViewObject*> make_sorted_view(Heap& heap, const Value& coll) {
    std::uint32_t count = as_table(coll).count; // tables and overlays have it at the same place
    if (!heap.meter.charge(count)) return heap.meter.error();
    if (!is_flat_table(coll.object()->type)) {
        if (SortedViewObject* view = PTC_TRY(view_from_base(heap, as_overlay_table(coll)))) return view;
    }
    SortedViewObject* view = new_view(heap, count);
    if (view) {
        Entry* next = view->entries();
        for_each_entry(heap, coll, [&](Entry entry, std::uint32_t) { *next++ = entry; });
    }
    return with_sorted_front(heap, view, count);
}

Result<SortedViewObject*> arranged_view(Heap& heap, const Value& coll, Value& holder) {
    const HashTableObject& table = as_table(coll);
    if (!heap.meter.charge(table.count)) return heap.meter.error();
    SortedViewObject* view = new_view(heap, table.count);
    if (!view) return heap.out_of_memory();
    holder = heap.value_of(view);
    for (std::uint32_t e = 0; e < table.count; ++e)
        view->entries()[e] = table.entries + e * table.width();
    return view;
}

namespace {

/// The view of an overlay without edits: that of its table. Null where the overlay needs one of its own.
Result<SortedViewObject*> view_of_table(Heap& heap, const Value& coll) {
    if (is_flat_table(coll.object()->type) || !coll.is_counted()) return nullptr;
    OverlayTableObject& overlay = as_overlay_table(coll);
    if (overlay.view || overlay.count == 0) return nullptr;
    PTC_CHECK(absorb_edits(heap, overlay));
    if (overlay.root || overlay.base->refs == kImmortal) {
        overlay.edits += overlay.count / kEntriesPerEdit; // whoever looks again is better off with a flat table
        return nullptr;
    }
    HashTableObject& table = *overlay.base;
    if (!table.view) {
        if (!heap.meter.charge(table.count)) return heap.meter.error();
        SortedViewObject* view = new_view(heap, table.count);
        for (std::uint32_t e = 0; view && e < table.count; ++e)
            view->entries()[e] = table.entries + e * table.width();
        table.view = PTC_TRY(with_sorted_front(heap, view, table.count));
    }
    table.view->edits = 0;
    return table.view;
}

} // namespace

Result<SortedViewObject*> sorted_view(Heap& heap, const Value& coll, Value& holder) {
    if (SortedViewObject* view = PTC_TRY(view_of_table(heap, coll))) return view;
    SortedViewObject*& kept = kept_view(coll);
    if (kept) {
        const bool is_shared_by_threads = coll.object()->refs == kImmortal;
        if (kept->edits != 0 && !is_shared_by_threads) kept->edits = 0;
        return kept;
    }
    SortedViewObject* view = PTC_TRY(make_sorted_view(heap, coll));
    if (may_keep_view(heap, coll))
        kept = view;
    else
        holder = heap.value_of(view);
    return view;
}

void prepare_views(Heap& heap, const Value& coll) {
    struct Visit {
        const Value* value;
        bool inside_key;
        bool parts_done;
    };
    std::size_t limit = heap.limit();
    heap.set_limit(SIZE_MAX / 4);
    std::vector<Visit> visits{{&coll, false, false}};
    while (!visits.empty()) {
        Visit visit = visits.back();
        visits.pop_back();
        if (visit.parts_done) {
            if (!needs_view(heap, *visit.value)) continue;
            auto view = make_sorted_view(heap, *visit.value);
            if (!view.ok()) break; // the meter refused
            kept_view(*visit.value) = view.value();
            continue;
        }
        if (!heap.meter.charge(1)) break; // parts may be shared so often that only fuel ends this
        if (!visit.value->is_collection() || (!visit.inside_key && !needs_view(heap, *visit.value))) continue;
        if (needs_view(heap, *visit.value)) visits.push_back({visit.value, visit.inside_key, true});
        push_compared_parts(heap, *visit.value, visit.inside_key, [&](const Value& part) {
            if (part.is_collection()) visits.push_back({&part, true, false});
        });
    }
    heap.set_limit(limit);
}

} // namespace ptc
