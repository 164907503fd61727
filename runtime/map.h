// Maps. Up to 16 keyword/string keys: a Record (values over a shared shape). Else a flat hash table edited in place by
// its sole owner; an overlay once a shared large one is updated, or a frozen one (keyed.h). Unordered values whose
// views are sorted by key. Ownership as in vector.h.
#pragma once
#include "runtime/shape.h"
#include "runtime/vector.h"
#include "runtime/vector_keys.h"
#include <optional>
#include <span>

namespace ptc {

/// ObjectType::Record. shape->count values follow the struct, in key order. The interpreter reads it directly.
struct RecordObject : Object {
    ShapeObject* shape;
    [[nodiscard]] Value* values() { return reinterpret_cast<Value*>(this + 1); }
    [[nodiscard]] const Value* values() const { return reinterpret_cast<const Value*>(this + 1); }
};
static_assert(sizeof(RecordObject) == 16);

inline RecordObject& as_record(const Value& v) { return *static_cast<RecordObject*>(v.object()); }

Value empty_map();
/// A record of this shape with the words of its `n` values, which own nothing afterwards. Null, and nothing done, when
/// the heap is full.
RecordObject* record_of_words(Heap& heap, Bits shape, const Bits* values, std::uint32_t n);
inline std::size_t map_count(const Value& map) {
    return map.is(ObjectType::Record) ? as_record(map).shape->count : as_table(map).count;
}
/// The value of exactly `key`, borrowed until the map changes; null when absent.
inline const Value* map_find(Heap& heap, const Value& map, const Value& key) {
    if (map.object()->type == ObjectType::Record) {
        const RecordObject& record = as_record(map);
        std::uint32_t slot = shape_find(*record.shape, key);
        return slot == kNoSlot ? nullptr : record.values() + slot;
    }
    const Value* entry = find_key(heap, map, key);
    return entry ? entry + 1 : nullptr;
}
/// The key that is the keyword or string (`type`) of this text; null when absent.
const Value* map_key_of_text(Heap& heap, const Value& map, ObjectType type, std::string_view text);
/// The value that map_assoc replaces for `key`; null when it adds an entry.
const Value* map_find_written(Heap& heap, const Value& map, const Value& key);
/// Field access of spec 7.5: as shape_find_flexible. Only keyword and string keys have fallbacks.
const Value* map_find_flexible(Heap& heap, const Value& map, const Value& key);
/// The fast path of map_assoc: replaces the field of exactly this key in a record that has one owner.
inline bool record_replace_in_place(const Value& map, const Value& key, Value& value) {
    if (!map.is_sole_owner() || map.object()->type != ObjectType::Record) return false;
    RecordObject& record = as_record(map);
    const std::uint32_t slot = shape_find(*record.shape, key);
    if (slot == kNoSlot) return false;
    record.values()[slot] = std::move(value);
    return true;
}
/// The record with another value in a slot; in place when it has one owner.
Result<Value> record_replace(Heap& heap, Value record, std::uint32_t slot, Value value);
Result<Value> map_assoc_slow(Heap& heap, Value map, Value key, Value value);
/// The value of `key` replaced or added. What is there in another spelling of the key (keyed.h) is replaced and keeps
/// its spelling: a write finds what a read finds, and no name is there twice.
inline Result<Value> map_assoc(Heap& heap, Value map, Value key, Value value) {
    if (record_replace_in_place(map, key, value)) return map;
    return map_assoc_slow(heap, std::move(map), std::move(key), std::move(value));
}
/// The value of exactly `key` replaced or added, whatever other spellings are there: for maps as they are written, and
/// for those whose keys are data.
Result<Value> map_assoc_exact(Heap& heap, Value map, Value key, Value value);
/// Without the entry of `key`, or else of another spelling of it.
Result<Value> map_dissoc(Heap& heap, Value map, const Value& key);
/// As map_assoc for each entry, in the order of the keys: later wins. `into` is updated in place when it is a sole
/// owner.
Result<Value> map_merge(Heap& heap, Value into, const Value& from);
/// The fields of a record that `keys` asks for, spelt as there; nothing where that is not known from their shape and
/// the keys alone.
std::optional<Result<Value>> record_select(Heap& heap, const Value& record, const Value& keys);
/// The value of exactly `key` when it may be changed in place: the map, and the way to the value, have one owner. Null
/// otherwise.
Value* map_slot_in_place(Heap& heap, const Value& map, const Value& key);
/// Takes the value of `key`, or else of another spelling of it, out (nil stays) when the map is a sole owner, a copy
/// otherwise; nil when absent, and then `*found` is false. For `update` in place: map_assoc finds the same entry.
Value map_take(Heap& heap, Value& map, const Value& key, bool* found);
/// The map as a record of this type, a keyword that may be a field's, which copies and changes of it keep; as it is
/// when it has more fields than a shape may have. It stays equal to the map.
Result<Value> map_of_type(Heap& heap, Value map, const Value& type);
/// The type that map_of_type gave; null when it has none.
const Value* map_record_type(const Value& map);
/// A record over `shape` (whose owner is passed on): `values` in key order, moved out.
Result<Value> make_record(Heap& heap, ShapeObject* shape, std::span<Value> values);

/// The entries in key order, or that of a comparator. A record gives them directly; tables and overlays build their
/// view once and keep it until the next edit.
class MapView {
public:
    /// `map` must outlive the view and not change.
    static Result<MapView> of(Heap& heap, const Value& map);
    /// In key order, whatever a comparator says: for comparing maps.
    static Result<MapView> by_key(Heap& heap, const Value& map);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const Value& key(std::size_t i) const { return entries_ ? *entries_[at(i)] : keys_[i]; }
    [[nodiscard]] const Value& value(std::size_t i) const { return entries_ ? entries_[at(i)][1] : values_[i]; }
    MapView() = default;

private:
    [[nodiscard]] std::size_t at(std::size_t i) const { return last_ == kUpwards ? i : last_ - i; }
    static constexpr std::size_t kUpwards = SIZE_MAX;
    std::size_t size_ = 0;
    std::size_t last_ = kUpwards; ///< of a map that is read downwards: where it begins
    const Value* keys_ = nullptr; ///< record
    const Value* values_ = nullptr;
    const Value* const* entries_ = nullptr; ///< key and value side by side
    Value holder_;                          ///< of a view that the map does not keep, or of the entries
};

/// The [key value] vector of entry i is made by these.
Result<Value> map_entries(Heap& heap, const Value& map); ///< vector of [k v], in key order
Result<Value> map_keys(Heap& heap, const Value& map);
Result<Value> map_values(Heap& heap, const Value& map);

/// Builds a map from entries in any order, by exact keys; a later key wins.
class MapBuilder {
public:
    explicit MapBuilder(Heap& heap);
    /// False when it failed (the heap is full, say); finish reports why.
    bool put(Value key, Value value);
    Result<Value> finish();

private:
    Heap& heap_;
    Value map_;
    ErrorPtr error_;
};

/// For `group-by`: appends `item` to the vector at `key`, in place when sole owner throughout.
Result<Value> map_append_at(Heap& heap, Value map, Value key, Value item);
/// For `frequencies`: adds 1 at `key`.
Result<Value> map_count_at(Heap& heap, Value map, Value key);

} // namespace ptc
