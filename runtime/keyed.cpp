// Changes of large maps and sets, and who may make them where: a flat table with one owner is edited in place; one that
// others see, or that is frozen, gets an overlay, whose trie holds the changed keys only. When all others have let go
// of the table, the overlay's edits are written into it, each once: a map that is shared for the time of each update
// (it lies in a record that somebody still holds) costs a few edits an update, whatever its size. An overlay whose
// table is still seen becomes a flat table again when enough edits were made to pay for moving all entries. A shared
// flat table is copied when the work that built it pays for that (kCopyPaid, vector.h), which it does once: so no
// sequence of updates copies n entries twice.
#include "runtime/keyed.h"
#include "frontend/try.h"
#include "runtime/view_edits.h"
#include <algorithm>
#include <memory>

namespace ptc {

namespace {

/// Shared tables up to this size are simply copied.
constexpr std::uint32_t kCopyFreely = 32;
/// So many entries of an arranged table make room for one, or close up behind one, for a unit.
constexpr std::uint32_t kEntriesPerUnit = 8;
/// Writing an edit into the table costs what making it did.
constexpr std::uint32_t kFuelPerAbsorbed = 4;

/// Whether a flat copy of the shared table is paid for (see vector.h); uses the payment up.
bool take_copy_payment(const Value& coll) {
    HashTableObject& table = as_table(coll);
    if (table.count <= kCopyFreely || (table.flags & HashTableObject::kArranged)) return true;
    if (!coll.is_counted() || !(table.flags & HashTableObject::kCopyPaid)) return false;
    table.flags &= static_cast<std::uint8_t>(~HashTableObject::kCopyPaid);
    return true;
}

Result<Value> overlay_over(Heap& heap, const Value& base) {
    bool is_map = base.is(ObjectType::HashMap);
    auto* overlay = heap.allocate<OverlayTableObject>(is_map ? ObjectType::OverlayMap : ObjectType::OverlaySet);
    if (!overlay) return heap.out_of_memory();
    overlay->count = as_table(base).count;
    overlay->edits = overlay->edit_count = 0;
    overlay->root = nullptr;
    overlay->base = &as_table(base);
    overlay->view = nullptr;
    bits::retain(overlay->base);
    return heap.value_of(overlay);
}

/// A new version that shares everything with `v`, and takes over what its edits have paid for having it flat again: a
/// history of versions, each of which somebody saw, is made flat as often as one that nobody saw.
Result<Value> overlay_version(Heap& heap, const Value& v) {
    OverlayTableObject& from = as_overlay_table(v);
    auto* overlay = heap.allocate<OverlayTableObject>(from.type);
    if (!overlay) return heap.out_of_memory();
    overlay->count = from.count;
    overlay->edits = v.is_counted() ? std::exchange(from.edits, 0) : 0;
    overlay->root = from.root;
    overlay->base = from.base;
    overlay->edit_count = from.edit_count;
    overlay->view = nullptr;
    bits::retain(overlay->base);
    if (overlay->root) bits::retain(overlay->root);
    return heap.value_of(overlay);
}

/// Writes an edit into the overlay's table, whose only owner the overlay is. False when the heap is full.
bool write_edit(Heap& heap, HashTableObject& table, const KeyEdit& edit) {
    const std::uint32_t width = table.width();
    const auto is_it = [&edit](const Value& key) { return key.raw() == edit.key.raw(); };
    const auto hash = static_cast<std::uint32_t>(edit.hash);
    const std::uint32_t e = table_find_if(heap, table, width, hash, is_it);
    if (edit.value.is_hole()) {
        if (e == HashTableObject::kNone) return true;
        view_remove(heap, table, e);
        erase_entry(heap, table, e);
        return true;
    }
    if (e != HashTableObject::kNone) {
        if (width == 2) table.entries[e * 2 + 1] = edit.value.copy();
        return true;
    }
    Value* entry = append_entry(heap, table, width, hash);
    if (!entry) return false;
    std::construct_at(entry, edit.key.copy());
    if (width == 2) std::construct_at(entry + 1, edit.value.copy());
    view_add(heap, table, entry);
    return true;
}

/// `coll` in a form that nobody else sees.
Result<Value> changeable(Heap& heap, Value coll, bool exclusive) {
    if (!is_flat_table(coll.object()->type)) {
        OverlayTableObject& overlay = as_overlay_table(coll);
        const bool is_own = exclusive || coll.is_sole_owner();
        PTC_CHECK(absorb_edits(heap, overlay));
        if (!is_own) return overlay_version(heap, coll);
        if (!overlay.is_over_own_table() || overlay.root) return coll;
        bits::retain(overlay.base);
        return heap.value_of(overlay.base);
    }
    if (exclusive || coll.is_sole_owner()) return coll;
    if (!take_copy_payment(coll)) return overlay_over(heap, coll);
    if (!heap.meter.charge(as_table(coll).count)) return heap.meter.error();
    HashTableObject* copy = copy_table(heap, as_table(coll));
    if (!copy) return heap.out_of_memory();
    return heap.value_of(copy);
}

/// The sole owner of an overlay may have it flat again when its edits make that cheap: an edit costs as much as moving
/// some entries.
Result<Value> flatten_when_paid(Heap& heap, Value v) {
    OverlayTableObject& overlay = as_overlay_table(v);
    std::uint64_t cost = std::uint64_t{overlay.base->count} + overlay.edit_count;
    if (kEntriesPerEdit * ++overlay.edits < cost) return v;
    if (!heap.meter.charge(static_cast<std::int64_t>(cost))) return heap.meter.error();
    HashTableObject* table = new_table(heap, overlay.base->type, std::max(overlay.count, HashTableObject::kScanned));
    if (!table) return v; // no room now: stays as it is
    Value flat = heap.value_of(table);
    table->flags = overlay.base->flags & HashTableObject::kOrders;
    std::uint32_t width = table->width();
    bool done = true;
    for_each_entry(heap, v, [&](const Value* entry, std::uint32_t hash) {
        // Keys that collide in a table need not do so in the trie: each may cost a walk past all others.
        done = done && heap.meter.charge(0);
        Value* to = done ? append_entry(heap, *table, width, hash) : nullptr;
        if (!to)
            done = false;
        else
            for (std::uint32_t i = 0; i < width; ++i)
                std::construct_at(to + i, entry[i].copy());
    });
    if (!done) return heap.out_of_memory();
    return flat;
}

Result<OpenEntry> open_in_table(Heap& heap, const Value& coll, std::uint32_t hash, const Value& key, WriteTo where) {
    HashTableObject& table = as_table(coll);
    std::uint32_t width = table.width();
    std::uint32_t e = table_find(heap, table, width, hash, key);
    if (e != HashTableObject::kNone) return OpenEntry{width == 2 ? table.entries + e * 2 + 1 : nullptr, false};
    if (where == WriteTo::AnySpelling) {
        if (const Value* other = keyed_find_other_spelling(heap, coll, key))
            return OpenEntry{const_cast<Value*>(other) + 1, false}; // the table is ours
    }
    if (table.is_arranged()) return no_place_for_key(coll);
    Value* entry = append_entry(heap, table, width, hash);
    if (!entry) return heap.out_of_memory();
    std::construct_at(entry, key.copy());
    if (width == 2) std::construct_at(entry + 1, Value::hole());
    view_add(heap, table, entry);
    return OpenEntry{width == 2 ? entry + 1 : nullptr, true};
}

Result<OpenEntry> open_in_overlay(Heap& heap, const Value& coll, std::uint32_t hash, const Value& key, WriteTo where) {
    OverlayTableObject& overlay = as_overlay_table(coll);
    const std::uint32_t width = overlay.base->width();
    const std::uint32_t e = table_find(heap, *overlay.base, width, hash, key);
    const bool in_base = e != HashTableObject::kNone;
    drop_view(heap, overlay.view); // even when the key stays: its entry moves
    bool is_new_edit = false;
    KeyEdit* edit =
        edits_open(heap, overlay.root, hash, in_base ? overlay.base->entries[e * width] : key, &is_new_edit);
    if (!edit) return heap.out_of_memory();
    overlay.edit_count += is_new_edit;
    bool present = is_new_edit ? in_base : !edit->value.is_hole();
    if (!present && where == WriteTo::AnySpelling) {
        if (const Value* other = keyed_find_other_spelling(heap, coll, key)) {
            const Value written = other->copy();
            // The edit of a key that the base lacks says nothing; one that the base has stays removed.
            if (is_new_edit && !edits_remove(heap, overlay.root, hash, key)) return heap.out_of_memory();
            overlay.edit_count -= is_new_edit;
            return open_in_overlay(heap, coll, key_hash(heap, written), written, WriteTo::ExactKey);
        }
    }
    overlay.count += !present;
    return OpenEntry{&edit->value, !present};
}

} // namespace

// Removals come first, so that the table does not grow when as many keys go as come. Edits that were written when
// memory or fuel ends stay: they say of their keys what the table says.
Result<void> absorb_edits(Heap& heap, OverlayTableObject& overlay) {
    if (!overlay.root || !overlay.is_over_own_table()) return {};
    if (!heap.meter.charge(std::int64_t{kFuelPerAbsorbed} * overlay.edit_count)) return heap.meter.error();
    drop_view(heap, overlay.view);
    bool done = true;
    for (const bool removes : {true, false}) {
        for_each_edit(overlay.root, [&](const KeyEdit& edit) {
            if (edit.value.is_hole() == removes) // keys that collide may each cost a walk past all others
                done = done && heap.meter.charge(0) && write_edit(heap, *overlay.base, edit);
        });
    }
    if (heap.meter.has_run_out()) return heap.meter.error();
    if (!done) return {}; // no room now: stays as it is
    bits::release(std::exchange(overlay.root, nullptr));
    overlay.edit_count = overlay.edits = 0;
    return {};
}

Error no_place_for_key(const Value& coll) {
    const bool is_map = coll.is_map();
    const std::string name = is_map ? "sorted-map-by" : "sorted-set-by";
    return Error(Reason::RuntimeError, "Here a new " + std::string(is_map ? "key" : "member") +
                                           " cannot be given its place in what `" + name +
                                           "` made with this comparator.")
        .with_hint(std::string(is_map ? "assoc, update, conj, into and merge" : "conj and into") +
                   " do it, in a program that names " + name + ". Or make it of all at once: (into (" + name +
                   " f) coll).");
}

const Value* keyed_find_other_text(Heap& heap, const Value& map, const Value& key) {
    const std::string_view own_text = text_of(key);
    return find_other_spelling(key, [&](ObjectType type, std::string_view text) {
        const bool is_own = text.data() == own_text.data();
        return keyed_find_text(heap, map, type, text, is_own ? text_hash(heap, as_string(key)) : hash_bytes(text));
    });
}

Result<OpenEntry> keyed_open(Heap& heap, Value& coll, std::uint32_t hash, const Value& key, bool exclusive,
                             WriteTo where) {
    coll = PTC_TRY(changeable(heap, std::move(coll), exclusive));
    if (!is_flat_table(coll.object()->type)) {
        coll = PTC_TRY(flatten_when_paid(heap, std::move(coll)));
        if (!is_flat_table(coll.object()->type)) {
            OpenEntry entry = PTC_TRY(open_in_overlay(heap, coll, hash, key, where));
            if (coll.is(ObjectType::OverlaySet)) *entry.value = Value();
            return entry;
        }
    }
    return open_in_table(heap, coll, hash, key, where);
}

Result<Value> keyed_insert(Heap& heap, Value coll, std::uint32_t place, Value key, Value value) {
    const std::uint32_t hash = key_hash(heap, key);
    coll = PTC_TRY(changeable(heap, std::move(coll), false));
    HashTableObject& table = as_table(coll);
    const std::uint32_t width = table.width(), known = table_find(heap, table, width, hash, key);
    if (known != HashTableObject::kNone) {
        if (width == 2) table.entries[known * 2 + 1] = std::move(value);
        return coll;
    }
    if (!heap.meter.charge(1 + table.count / kEntriesPerUnit)) return heap.meter.error();
    drop_view(heap, table.view);
    Value* entry = insert_entry(heap, table, place, hash);
    if (!entry) return heap.out_of_memory();
    std::construct_at(entry, std::move(key));
    if (width == 2) std::construct_at(entry + 1, std::move(value));
    return coll;
}

Result<Value> keyed_remove(Heap& heap, Value coll, const Value& key) {
    std::uint32_t hash = key_hash(heap, key);
    if (coll.is_sole_owner() && is_flat_table(coll.object()->type) && !as_table(coll).is_arranged()) [[likely]] {
        HashTableObject& table = as_table(coll);
        if (const std::uint32_t e = table_find(heap, table, table.width(), hash, key); e != HashTableObject::kNone) {
            view_remove(heap, table, e);
            erase_entry(heap, table, e);
            return coll;
        }
        if (coll.is_set()) return coll; // a map may have it in another spelling
    }
    if (!keyed_find(heap, coll, hash, key)) {
        const Value* other = coll.is_map() ? keyed_find_other_spelling(heap, coll, key) : nullptr;
        if (!other) return coll;
        const Value written = other->copy();
        return keyed_remove(heap, std::move(coll), written);
    }
    coll = PTC_TRY(changeable(heap, std::move(coll), false));
    if (is_flat_table(coll.object()->type)) {
        HashTableObject& table = as_table(coll);
        const std::uint32_t e = table_find(heap, table, table.width(), hash, key);
        if (e == HashTableObject::kNone) return heap.meter.error(); // it was there: the fuel is gone since
        if (!table.is_arranged()) {
            view_remove(heap, table, e);
            erase_entry(heap, table, e);
        } else {
            drop_view(heap, table.view);
            if (!heap.meter.charge(table.count / kEntriesPerUnit)) return heap.meter.error();
            close_entry(heap, table, e);
        }
        return coll;
    }
    OverlayTableObject& overlay = as_overlay_table(coll);
    drop_view(heap, overlay.view);
    const std::uint32_t width = overlay.base->width();
    const std::uint32_t e = table_find(heap, *overlay.base, width, hash, key);
    if (e == HashTableObject::kNone) {
        if (!edits_remove(heap, overlay.root, hash, key)) return heap.out_of_memory();
        --overlay.edit_count;
    } else {
        bool is_new_edit = false;
        KeyEdit* edit = edits_open(heap, overlay.root, hash, overlay.base->entries[e * width], &is_new_edit);
        if (!edit) return heap.out_of_memory();
        edit->value = Value::hole();
        overlay.edit_count += is_new_edit;
    }
    --overlay.count;
    return flatten_when_paid(heap, std::move(coll));
}

Value* keyed_value_in_place(Heap& heap, const Value& map, std::uint32_t hash, const Value& key) {
    if (!map.is_sole_owner()) return nullptr;
    if (map.is(ObjectType::HashMap)) {
        const HashTableObject& table = as_table(map);
        std::uint32_t e = table_find(heap, table, 2, hash, key);
        return e == HashTableObject::kNone ? nullptr : table.entries + e * 2 + 1;
    }
    OverlayTableObject& overlay = as_overlay_table(map);
    KeyEdit* edit = edits_find_in_place(heap, overlay.root, hash, key);
    if (edit) return edit->value.is_hole() ? nullptr : &edit->value;
    // An edit that is not to be changed in place may hide what the table has.
    if (overlay.root || !overlay.is_over_own_table()) return nullptr;
    const std::uint32_t e = table_find(heap, *overlay.base, 2, hash, key);
    return e == HashTableObject::kNone ? nullptr : overlay.base->entries + e * 2 + 1;
}

} // namespace ptc
