// What large maps and sets share: lookup, insertion and removal over flat tables and their overlays.
#pragma once
#include "runtime/edits.h"
#include "runtime/hash_table.h"
#include "runtime/shape.h"

namespace ptc {

/// ObjectType::OverlayMap and ObjectType::OverlaySet: a table that others see, or that is frozen, and what changed of
/// it.
struct OverlayTableObject : Object {
    std::uint32_t count;
    std::uint32_t edits; ///< since it was last flat, of the versions that led here: they pay for having it flat again
    EditsNode* root;     ///< null: nothing changed
    HashTableObject* base;
    std::uint32_t edit_count; ///< in the trie
    SortedViewObject* view;
    /// Whether nobody but this overlay sees its table. What the overlay holds is not for changing then: it is for
    /// being written into the table.
    [[nodiscard]] bool is_over_own_table() const { return base->refs == 1 && may_update_in_place; }
};
static_assert(sizeof(OverlayTableObject) == 48);

/// Moving this many entries into a flat table is worth one edit of an overlay less.
inline constexpr std::uint32_t kEntriesPerEdit = 8;

inline OverlayTableObject& as_overlay_table(const Value& v) { return *static_cast<OverlayTableObject*>(v.object()); }

constexpr bool is_flat_table(ObjectType type) { return type == ObjectType::HashMap || type == ObjectType::HashSet; }
inline std::uint32_t entry_width(ObjectType type) {
    return type == ObjectType::HashMap || type == ObjectType::OverlayMap ? 2 : 1;
}

/// The entry whose key satisfies `is_key`: a pointer to its key, which the value follows. `coll` is a table or overlay.
template <class IsKey> const Value* keyed_find_if(Heap& heap, const Value& coll, std::uint32_t hash, IsKey is_key) {
    const HashTableObject* table = &as_table(coll);
    if (!is_flat_table(table->type)) {
        const OverlayTableObject& overlay = as_overlay_table(coll);
        if (const KeyEdit* edit = edits_find_if(heap, overlay.root, hash, is_key))
            return edit->value.is_hole() ? nullptr : &edit->key;
        table = overlay.base;
    }
    std::uint32_t width = table->width();
    std::uint32_t e = table_find_if(heap, *table, width, hash, is_key);
    return e == HashTableObject::kNone ? nullptr : table->entries + e * width;
}
inline const Value* keyed_find(Heap& heap, const Value& coll, std::uint32_t hash, const Value& key) {
    return keyed_find_if(heap, coll, hash, [&](const Value& k) { return same_key(heap, k, key); });
}

/// The entry whose key is the keyword or string (`type`) of this text, whose bytes hash to `text_hash_bits`.
inline const Value* keyed_find_text(Heap& heap, const Value& coll, ObjectType type, std::string_view text,
                                    std::uint32_t text_hash_bits) {
    return keyed_find_if(heap, coll, key_hash_of_text(type, text_hash_bits), [&](const Value& k) {
        if (!k.is(type) || as_string(k).size != text.size()) return false;
        charge_reading(heap, text.size());
        return text_of(k) == text;
    });
}
/// The entry of a map whose key is another spelling of `key` (shape.h), as keyed_find_if answers; null when there is
/// none. Not for a key that is there itself.
const Value* keyed_find_other_text(Heap& heap, const Value& map, const Value& key);
inline const Value* keyed_find_other_spelling(Heap& heap, const Value& map, const Value& key) {
    return has_spellings(key) ? keyed_find_other_text(heap, map, key) : nullptr;
}

/// Whose entry a write to a map is: that of exactly its key, or else that of another spelling of the key.
enum class WriteTo : std::uint8_t { ExactKey, AnySpelling };

/// How a table or overlay is read: kDescends, kArranged (flat tables only) or 0.
inline std::uint8_t order_of(const Value& coll) {
    const Object* object = coll.object();
    if (is_flat_table(object->type)) return object->flags & HashTableObject::kOrders;
    return as_overlay_table(coll).base->flags & HashTableObject::kDescends;
}
/// What an arranged table says to a key that it lacks.
Error no_place_for_key(const Value& coll);

/// An entry that may be written.
struct OpenEntry {
    Value* value = nullptr; ///< its value; in a set's flat table null
    bool added = false;     ///< it is new; a map's value is a hole
};
/// Makes `coll` changeable (in place when it has one owner or `exclusive` says so) and finds or adds `key`. On failure
/// `coll` may be nil.
Result<OpenEntry> keyed_open(Heap& heap, Value& coll, std::uint32_t hash, const Value& key, bool exclusive,
                             WriteTo where = WriteTo::ExactKey);
/// An arranged table with `key` in front of entry number `place`, which is at most the count. A key that is there keeps
/// its place and gets the value. Costs a unit for each eight entries.
Result<Value> keyed_insert(Heap& heap, Value coll, std::uint32_t place, Value key, Value value);
/// Writes the edits of an overlay into its table when nobody else sees that, however many see the overlay: it has no
/// edits then, and the same content. Pointers to its entries die; who walks an overlay while something may change keeps
/// an owner of its base (`base_owner`). Without room for it the edits stay. Fails only when the meter refuses the work.
Result<void> absorb_edits(Heap& heap, OverlayTableObject& overlay);
/// While somebody holds this, entries of `coll`, a table or an overlay, that are borrowed stay where they are even if
/// versions of it are changed.
inline Value base_owner(const Value& coll) {
    if (!coll.is_counted() || is_flat_table(coll.object()->type)) return Value();
    HashTableObject* base = as_overlay_table(coll).base;
    if (base->refs == kImmortal) return Value();
    ++base->refs;
    return Value::adopt(bits::kCounted | reinterpret_cast<Bits>(base));
}
/// Removes `key`, if it is there; of a map else what is there in another spelling of it.
Result<Value> keyed_remove(Heap& heap, Value coll, const Value& key);
/// The value of `key` when it may be changed in place, else null. Maps only.
Value* keyed_value_in_place(Heap& heap, const Value& map, std::uint32_t hash, const Value& key);

/// Which entries of an overlay's base its edits changed or removed. Nothing is compared that could need fuel: an edit
/// of a key of the base has that very key (see open_in_overlay).
class EditedEntries {
public:
    explicit EditedEntries(Heap& heap, const OverlayTableObject& overlay) : heap_(heap), overlay_(overlay) {
        const HashTableObject& base = *overlay.base;
        is_marked_ = base.count <= kMarked;
        if (!is_marked_) return;
        std::fill_n(marks_.begin(), base.count / 64 + 1, 0);
        for_each_edit(overlay.root, [&](const KeyEdit& edit) {
            const auto is_it = [&edit](const Value& key) { return key.raw() == edit.key.raw(); };
            const auto hash = static_cast<std::uint32_t>(edit.hash);
            const std::uint32_t e = table_find_if(heap, base, base.width(), hash, is_it);
            if (e != HashTableObject::kNone) marks_[e / 64] |= std::uint64_t{1} << (e % 64);
        });
    }
    [[nodiscard]] bool has(std::uint32_t e) const {
        if (is_marked_) return (marks_[e / 64] >> (e % 64) & 1) != 0;
        const HashTableObject& base = *overlay_.base;
        const Value& known = base.entries[e * base.width()];
        const auto is_it = [&known](const Value& key) { return key.raw() == known.raw(); };
        return edits_find_if(heap_, overlay_.root, base.hashes()[e], is_it) != nullptr;
    }

private:
    static constexpr std::uint32_t kMarked = 8191; ///< in tables up to this size edits are looked up, not entries
    Heap& heap_;
    const OverlayTableObject& overlay_;
    std::array<std::uint64_t, (kMarked + 1) / 64> marks_;
    bool is_marked_;
};

/// Calls `visit(entry, hash)` for every entry, in no particular order.
template <class Visit> void for_each_entry(Heap& heap, const Value& coll, Visit visit) {
    const auto visit_table = [&](const HashTableObject& table, auto is_hidden) {
        const std::uint32_t width = table.width();
        const std::uint32_t* hashes = table.hashes();
        for (std::uint32_t e = 0; e < table.count; ++e) {
            if (!is_hidden(e)) visit(table.entries + e * width, hashes[e]);
        }
    };
    if (is_flat_table(coll.object()->type)) return visit_table(as_table(coll), [](std::uint32_t) { return false; });
    const OverlayTableObject& overlay = as_overlay_table(coll);
    for_each_edit(overlay.root, [&](const KeyEdit& edit) {
        if (!edit.value.is_hole()) visit(&edit.key, static_cast<std::uint32_t>(edit.hash));
    });
    const EditedEntries edited(heap, overlay);
    visit_table(*overlay.base, [&edited](std::uint32_t e) { return edited.has(e); });
}

} // namespace ptc
