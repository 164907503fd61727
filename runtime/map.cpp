// A map is a record as long as its keys may be fields and are at most 16, else a table. Records change in place when
// they have one owner: adding a field moves to the shape with that key, and the values behind its slot move up. What
// happens to tables is in keyed.cpp. Bulk operations (merge, the builder) keep the map in one owner's hands throughout,
// so each step is in place.
#include "runtime/map.h"
#include "frontend/try.h"
#include "runtime/number.h"
#include "runtime/record_plans.h"
#include "runtime/runtime_errors.h"
#include "runtime/sorted_view.h"
#include "runtime/vector_keys.h"
#include "runtime/view_edits.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace ptc {

namespace {

constinit const ShapeObject empty_shape{{kImmortal, ObjectType::Shape, 0, 0}, 0, 0, {}};
constinit const RecordObject empty_record{{kImmortal, ObjectType::Record, 0, 0},
                                          const_cast<ShapeObject*>(&empty_shape)};

std::size_t record_bytes(std::uint32_t count) { return sizeof(RecordObject) + count * sizeof(Value); }

} // namespace

RecordObject* record_of_words(Heap& heap, Bits shape, const Bits* values, std::uint32_t n) {
    auto* record = heap.allocate<RecordObject>(ObjectType::Record, record_bytes(n));
    if (!record) return nullptr;
    record->shape = static_cast<ShapeObject*>(bits::to_object(shape));
    auto* words = reinterpret_cast<Bits*>(record->values());
    for (std::uint32_t i = 0; i < n; ++i)
        words[i] = values[i];
    return record;
}

namespace {

RecordObject* new_record(Heap& heap, ShapeObject* shape) {
    auto* record = heap.allocate<RecordObject>(ObjectType::Record, record_bytes(shape->count));
    if (record) record->shape = shape;
    return record;
}

void move_values(Value* to, const Value* from, std::size_t n) {
    std::memmove(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(Value));
}
void copy_values(Value* to, const Value* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        std::construct_at(to + i, from[i].copy());
}

/// The record with one field more: `shape` (whose owner is passed on) has it at `slot`.
Result<Value> with_field(Heap& heap, Value map, ShapeObject* shape, std::uint32_t slot, Value value, bool exclusive) {
    RecordObject& old = as_record(map);
    std::uint32_t n = old.shape->count;
    bool fits = exclusive && Heap::size_of(&old) >= record_bytes(n + 1);
    RecordObject* record = fits ? &old : new_record(heap, shape);
    if (!record) {
        bits::release(shape);
        return heap.out_of_memory();
    }
    if (exclusive) { // from the back, as the places may overlap
        move_values(record->values() + slot + 1, old.values() + slot, n - slot);
        if (!fits) move_values(record->values(), old.values(), slot);
    } else {
        copy_values(record->values(), old.values(), slot);
        copy_values(record->values() + slot + 1, old.values() + slot, n - slot);
    }
    std::construct_at(record->values() + slot, std::move(value));
    if (!exclusive) return heap.value_of(record);
    bits::release(std::exchange(old.shape, shape));
    if (fits) return map;
    heap.free_object(map.object());
    (void)map.give_up();
    return heap.value_of(record);
}

/// A record as a hash table with room for more.
Result<Value> table_from_record(Heap& heap, const Value& map) {
    const RecordObject& record = as_record(map);
    const ShapeObject& shape = *record.shape;
    HashTableObject* table = new_table(heap, ObjectType::HashMap, std::max(HashTableObject::kScanned, 2 * shape.count));
    if (!table) return heap.out_of_memory();
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        Value* entry = append_entry(heap, *table, 2, key_hash(heap, shape.keys()[i]));
        std::construct_at(entry, shape.keys()[i].copy());
        std::construct_at(entry + 1, record.values()[i].copy());
    }
    table->flags = HashTableObject::kCopyPaid;
    return heap.value_of(table);
}

Result<Value> table_assoc(Heap& heap, Value map, const Value& key, Value value, bool exclusive, WriteTo where) {
    OpenEntry entry = PTC_TRY(keyed_open(heap, map, key_hash(heap, key), key, exclusive, where));
    *entry.value = std::move(value);
    return map;
}

Result<Value> replace_field(Heap& heap, Value map, std::uint32_t slot, Value value, bool exclusive) {
    RecordObject& record = as_record(map);
    if (exclusive) {
        record.values()[slot] = std::move(value);
        return map;
    }
    ShapeObject* shape = record.shape;
    RecordObject* copy = new_record(heap, shape);
    if (!copy) return heap.out_of_memory();
    bits::retain(shape);
    copy_values(copy->values(), record.values(), slot);
    std::construct_at(copy->values() + slot, std::move(value));
    copy_values(copy->values() + slot + 1, record.values() + slot + 1, shape->count - slot - 1);
    return heap.value_of(copy);
}

} // namespace

namespace {

/// A table with few enough fields, as literals and merge make one while there are too many shapes.
Result<Value> table_of_type(Heap& heap, Value map, const Value& type) {
    const std::size_t count = map_count(map);
    if (count > ShapeObject::kMaxFields || order_of(map) != 0) return map;
    const MapView view = PTC_TRY(MapView::by_key(heap, map));
    std::vector<Value> keys;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_field_key(view.key(i))) return map;
        keys.push_back(view.key(i).copy());
    }
    ShapeObject* shape = heap.shapes->intern(keys, &type);
    RecordObject* record = shape ? new_record(heap, shape) : nullptr;
    if (!record) {
        if (shape) bits::release(shape);
        return heap.out_of_memory();
    }
    for (std::size_t i = 0; i < count; ++i)
        std::construct_at(record->values() + i, view.value(i).copy());
    return heap.value_of(record);
}

} // namespace

Result<Value> map_of_type(Heap& heap, Value map, const Value& type) {
    if (!heap.shapes) return map;
    if (!map.is(ObjectType::Record)) return table_of_type(heap, std::move(map), type);
    RecordObject& record = as_record(map);
    ShapeObject* shape = heap.shapes->typed(*record.shape, type);
    if (!shape) return heap.out_of_memory();
    if (map.is_sole_owner()) {
        bits::release(std::exchange(record.shape, shape));
        return map;
    }
    RecordObject* typed = new_record(heap, shape);
    if (!typed) {
        bits::release(shape);
        return heap.out_of_memory();
    }
    copy_values(typed->values(), record.values(), shape->count);
    return heap.value_of(typed);
}

const Value* map_record_type(const Value& map) {
    return map.is(ObjectType::Record) ? as_record(map).shape->record_type() : nullptr;
}

Result<Value> record_replace(Heap& heap, Value record, std::uint32_t slot, Value value) {
    const bool is_own = record.is_sole_owner();
    return replace_field(heap, std::move(record), slot, std::move(value), is_own);
}

namespace {

Result<Value> record_assoc(Heap& heap, Value map, const Value& key, Value value, bool exclusive, WriteTo where) {
    const ShapeObject& shape = *as_record(map).shape;
    std::uint32_t slot = shape_find(shape, key);
    if (slot != kNoSlot) return replace_field(heap, std::move(map), slot, std::move(value), exclusive);
    bool has_room = shape.count < ShapeObject::kMaxFields && heap.shapes;
    if (ShapeObject* next = has_room ? heap.shapes->remembered_with(shape, key, &slot) : nullptr)
        return with_field(heap, std::move(map), next, slot, std::move(value), exclusive);
    if (where == WriteTo::AnySpelling) slot = shape_find_other_spelling(shape, key);
    if (slot != kNoSlot) return replace_field(heap, std::move(map), slot, std::move(value), exclusive);
    if (has_room && is_field_key(key)) {
        if (ShapeObject* next = heap.shapes->with(shape, key, &slot))
            return with_field(heap, std::move(map), next, slot, std::move(value), exclusive);
        if (!heap.shapes->is_crowded()) return heap.out_of_memory();
    }
    Value table = PTC_TRY(table_from_record(heap, map));
    return table_assoc(heap, std::move(table), key, std::move(value), true, WriteTo::ExactKey);
}

/// map_assoc, in place as well when the caller knows that nobody else sees `map`.
Result<Value> assoc(Heap& heap, Value map, const Value& key, Value value, bool exclusive, WriteTo where) {
    if (map.is(ObjectType::Record)) return record_assoc(heap, std::move(map), key, std::move(value), exclusive, where);
    return table_assoc(heap, std::move(map), key, std::move(value), exclusive, where);
}

/// Whether two keys of `map`, which is no record, may be spellings of one name. Merging them goes by their order then.
bool may_have_two_spellings(Heap& heap, const Value& map) {
    bool has_text = false, has_keyword = false, has_hyphen = false;
    for_each_entry(heap, map, [&](const Value* entry, std::uint32_t) {
        has_text |= entry->is_string();
        if (!entry->is_keyword()) return;
        has_keyword = true;
        has_hyphen = has_hyphen || text_of(*entry).find('-') != std::string_view::npos;
    });
    return has_keyword && (has_text || has_hyphen);
}

Result<Value> merge_in_order(Heap& heap, Value into, const Value& from) {
    MapView view = PTC_TRY(MapView::of(heap, from));
    for (std::size_t i = 0; i < view.size(); ++i)
        into = PTC_TRY(map_assoc(heap, std::move(into), view.key(i).copy(), view.value(i).copy()));
    return into;
}

/// The record that `plan` makes of `record` and, where it takes anything of one, of `other`.
Result<Value> record_by_plan(Heap& heap, const RecordPlan& plan, const RecordObject& record,
                             const RecordObject* other) {
    RecordObject* made = new_record(heap, plan.to);
    if (!made) return heap.out_of_memory();
    bits::retain(plan.to);
    for (std::uint32_t i = 0; i < plan.to->count; ++i) {
        const std::uint8_t source = plan.sources[i];
        const bool is_other = source >= RecordPlan::kOther;
        const Value& value = is_other ? other->values()[source - RecordPlan::kOther] : record.values()[source];
        std::construct_at(made->values() + i, value.copy());
    }
    return heap.value_of(made);
}

/// The same where `record` keeps its shape and nobody else has it.
void replace_by_plan(const RecordPlan& plan, RecordObject& record, const RecordObject& other) {
    for (std::uint32_t i = 0; i < plan.to->count; ++i) {
        if (plan.sources[i] >= RecordPlan::kOther)
            record.values()[i] = other.values()[plan.sources[i] - RecordPlan::kOther].copy();
    }
}

Result<Value> merge_records(Heap& heap, Value into, const Value& from) {
    RecordObject& record = as_record(into);
    const RecordObject& other = as_record(from);
    RecordPlans* const plans = heap.shapes ? heap.shapes->plans() : nullptr;
    const RecordPlan* const plan = plans ? plans->merged(*record.shape, *other.shape) : nullptr;
    if (!plan) return merge_in_order(heap, std::move(into), from);
    if (plan->to != record.shape || !into.is_sole_owner()) return record_by_plan(heap, *plan, record, &other);
    replace_by_plan(*plan, record, other);
    return into;
}

Result<Value> record_dissoc(Heap& heap, Value map, const Value& key) {
    RecordObject& record = as_record(map);
    const std::uint32_t slot = shape_find_written(*record.shape, key);
    if (slot == kNoSlot) return map;
    std::uint32_t n = record.shape->count;
    if (n == 1) return empty_map();
    ShapeObject* shape = heap.shapes ? heap.shapes->without(*record.shape, slot) : nullptr;
    if (!shape) {
        if (heap.shapes && !heap.shapes->is_crowded()) return heap.out_of_memory();
        Value table = PTC_TRY(table_from_record(heap, map));
        return keyed_remove(heap, std::move(table), record.shape->keys()[slot]);
    }
    if (map.is_sole_owner()) {
        Value gone = std::move(record.values()[slot]);
        move_values(record.values() + slot, record.values() + slot + 1, n - slot - 1);
        bits::release(std::exchange(record.shape, shape));
        return map;
    }
    RecordObject* rest = new_record(heap, shape);
    if (!rest) {
        bits::release(shape);
        return heap.out_of_memory();
    }
    copy_values(rest->values(), record.values(), slot);
    copy_values(rest->values() + slot, record.values() + slot + 1, n - slot - 1);
    return heap.value_of(rest);
}

/// One column of the entries as a vector.
template <class At> Result<Value> column(Heap& heap, const Value& map, At at) {
    MapView view = PTC_TRY(MapView::of(heap, map));
    if (!heap.meter.charge(static_cast<std::int64_t>(view.size()))) return heap.meter.error();
    VectorBuilder items(heap);
    if (!items.reserve(view.size())) return heap.out_of_memory();
    for (std::size_t i = 0; i < view.size(); ++i)
        items.push(at(view, i).copy());
    return items.finish();
}

} // namespace

Value empty_map() { return Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(&empty_record)); }

const Value* map_key_of_text(Heap& heap, const Value& map, ObjectType type, std::string_view text) {
    if (!map.is(ObjectType::Record)) return keyed_find_text(heap, map, type, text, hash_bytes(text));
    const ShapeObject& shape = *as_record(map).shape;
    const std::uint32_t slot = shape_find_text(shape, type, text);
    return slot == kNoSlot ? nullptr : shape.keys() + slot;
}

const Value* map_find_flexible(Heap& heap, const Value& map, const Value& key) {
    if (map.is(ObjectType::Record)) {
        const RecordObject& record = as_record(map);
        std::uint32_t slot = shape_find_flexible(*record.shape, key);
        return slot == kNoSlot ? nullptr : record.values() + slot;
    }
    if (const Value* entry = find_key(heap, map, key)) return entry + 1;
    if (!has_spellings(key)) return nullptr;
    const std::string_view own_text = text_of(key);
    const Value* entry = find_unlike(key, [&](ObjectType type, std::string_view text) {
        const bool is_own = text.data() == own_text.data();
        return keyed_find_text(heap, map, type, text, is_own ? text_hash(heap, as_string(key)) : hash_bytes(text));
    });
    return entry ? entry + 1 : nullptr;
}

Result<Value> map_assoc_slow(Heap& heap, Value map, Value key, Value value) {
    bool exclusive = map.is_sole_owner();
    if (exclusive && map.object()->type == ObjectType::HashMap) [[likely]] {
        HashTableObject& table = as_table(map);
        const auto [hash, known] = find_with_hash(heap, map, key);
        if (known) {
            const_cast<Value*>(known)[1] = std::move(value); // the table is ours
            return map;
        }
        if (const Value* other = keyed_find_other_spelling(heap, map, key)) {
            const_cast<Value&>(other[1]) = std::move(value); // the table is ours
            return map;
        }
        if (table.flags & HashTableObject::kArranged) return no_place_for_key(map);
        Value* entry = append_entry(heap, table, 2, hash);
        if (!entry) return heap.out_of_memory();
        std::construct_at(entry, std::move(key));
        std::construct_at(entry + 1, std::move(value));
        view_add(heap, table, entry);
        return map;
    }
    return assoc(heap, std::move(map), key, std::move(value), exclusive, WriteTo::AnySpelling);
}

Result<Value> map_assoc_exact(Heap& heap, Value map, Value key, Value value) {
    if (record_replace_in_place(map, key, value)) return map;
    const bool exclusive = map.is_sole_owner();
    return assoc(heap, std::move(map), key, std::move(value), exclusive, WriteTo::ExactKey);
}

Result<Value> map_dissoc(Heap& heap, Value map, const Value& key) {
    if (map.is(ObjectType::Record)) return record_dissoc(heap, std::move(map), key);
    Value rest = PTC_TRY(keyed_remove(heap, std::move(map), key));
    return map_count(rest) == 0 && order_of(rest) == 0 ? empty_map() : std::move(rest);
}

Result<Value> map_merge(Heap& heap, Value into, const Value& from) {
    if (map_count(from) == 0) return into;
    const bool is_ordered = !into.is(ObjectType::Record) && order_of(into) != 0;
    if (map_count(into) == 0 && !is_ordered) return from.copy();
    if (!heap.meter.charge(static_cast<std::int64_t>(map_count(from)))) return heap.meter.error();
    if (into.is(ObjectType::Record) && from.is(ObjectType::Record)) return merge_records(heap, std::move(into), from);
    if (from.is(ObjectType::Record) || may_have_two_spellings(heap, from))
        return merge_in_order(heap, std::move(into), from);
    const Value walked = base_owner(from); // `into` may be the same map
    ErrorPtr error;
    for_each_entry(heap, from, [&](const Value* entry, std::uint32_t) {
        if (!error && !heap.meter.charge(0)) error = ErrorPtr(heap.meter.error());
        if (error) return;
        auto merged = map_assoc(heap, std::move(into), entry[0].copy(), entry[1].copy());
        if (merged.ok())
            into = std::move(merged).value();
        else
            error = merged.take_error();
    });
    if (error) return error;
    return into;
}

std::optional<Result<Value>> record_select(Heap& heap, const Value& record, const Value& keys) {
    if (!heap.shapes || !record.is(ObjectType::Record) || !keys.is(ObjectType::Vector) || !keys.is_frozen()) return {};
    RecordPlans* const plans = heap.shapes->plans();
    const RecordPlan* const plan = plans ? plans->selected(*as_record(record).shape, keys) : nullptr;
    if (!plan) return {};
    return record_by_plan(heap, *plan, as_record(record), nullptr);
}

Value* map_slot_in_place(Heap& heap, const Value& map, const Value& key) {
    if (!map.is_sole_owner()) return nullptr;
    if (!map.is(ObjectType::Record)) return keyed_value_in_place(heap, map, key_hash(heap, key), key);
    RecordObject& record = as_record(map);
    std::uint32_t slot = shape_find(*record.shape, key);
    return slot == kNoSlot ? nullptr : record.values() + slot;
}

namespace {

/// The key that is there for another spelling of `key`; null when there is none.
const Value* other_spelling(Heap& heap, const Value& map, const Value& key) {
    if (!map.is(ObjectType::Record)) return keyed_find_other_spelling(heap, map, key);
    const ShapeObject& shape = *as_record(map).shape;
    const std::uint32_t slot = shape_find_other_spelling(shape, key);
    return slot == kNoSlot ? nullptr : shape.keys() + slot;
}

} // namespace

const Value* map_find_written(Heap& heap, const Value& map, const Value& key) {
    const Value* value = map_find(heap, map, key);
    if (value) return value;
    const Value* other = other_spelling(heap, map, key);
    return other ? map_find(heap, map, *other) : nullptr;
}

Value map_take(Heap& heap, Value& map, const Value& key, bool* found) {
    if (Value* slot = map_slot_in_place(heap, map, key)) {
        *found = true;
        return std::move(*slot);
    }
    // In a record or flat table with one owner an exact key would have had its place.
    const bool is_absent = map.is_sole_owner() && !map.is(ObjectType::OverlayMap);
    const Value* value = is_absent ? nullptr : map_find(heap, map, key);
    if (const Value* other = value ? nullptr : other_spelling(heap, map, key)) {
        const Value written = other->copy();
        return map_take(heap, map, written, found);
    }
    *found = value != nullptr;
    return value ? value->copy() : Value();
}

Result<Value> make_record(Heap& heap, ShapeObject* shape, std::span<Value> values) {
    RecordObject* record = new_record(heap, shape);
    if (!record) {
        bits::release(shape);
        return heap.out_of_memory();
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        std::construct_at(record->values() + i, std::move(values[i]));
    return heap.value_of(record);
}

Result<MapView> MapView::of(Heap& heap, const Value& map) {
    if (!map.is(ObjectType::Record) && (order_of(map) & HashTableObject::kArranged)) {
        MapView view;
        view.size_ = map_count(map);
        view.entries_ = PTC_TRY(arranged_view(heap, map, view.holder_))->entries();
        return view;
    }
    MapView view = PTC_TRY(by_key(heap, map));
    if (!map.is(ObjectType::Record) && order_of(map) != 0) view.last_ = view.size_ - 1;
    return view;
}

Result<MapView> MapView::by_key(Heap& heap, const Value& map) {
    MapView view;
    view.size_ = map_count(map);
    if (map.is(ObjectType::Record)) {
        view.keys_ = as_record(map).shape->keys();
        view.values_ = as_record(map).values();
    } else {
        view.entries_ = PTC_TRY(sorted_view(heap, map, view.holder_))->entries();
        if (view.holder_.is_nil()) view.holder_ = base_owner(map);
    }
    return view;
}

Result<Value> map_keys(Heap& heap, const Value& map) {
    return column(heap, map, [](const MapView& view, std::size_t i) -> const Value& { return view.key(i); });
}

Result<Value> map_values(Heap& heap, const Value& map) {
    return column(heap, map, [](const MapView& view, std::size_t i) -> const Value& { return view.value(i); });
}

Result<Value> map_entries(Heap& heap, const Value& map) {
    MapView view = PTC_TRY(MapView::of(heap, map));
    if (!heap.meter.charge(static_cast<std::int64_t>(2 * view.size()))) return heap.meter.error();
    VectorBuilder entries(heap);
    if (!entries.reserve(view.size())) return heap.out_of_memory();
    for (std::size_t i = 0; i < view.size(); ++i) {
        Value pair[2] = {view.key(i).copy(), view.value(i).copy()};
        entries.push(PTC_TRY(make_vector(heap, pair)));
    }
    return entries.finish();
}

MapBuilder::MapBuilder(Heap& heap) : heap_(heap), map_(empty_map()) {}

bool MapBuilder::put(Value key, Value value) {
    if (!error_ && !heap_.meter.charge(1)) error_ = ErrorPtr(heap_.meter.error());
    if (error_) return false;
    bool is_ours = map_count(map_) != 0; // what is not the shared empty map was made here
    auto next = assoc(heap_, std::move(map_), key, std::move(value), is_ours, WriteTo::ExactKey);
    if (!next.ok()) {
        error_ = next.take_error();
        map_ = empty_map();
        return false;
    }
    map_ = std::move(next).value();
    return true;
}

Result<Value> MapBuilder::finish() {
    if (error_) return std::move(error_);
    // Frozen maps are read by several threads, so what they keep must be there from the start.
    if (heap_.is_frozen() && map_.is(ObjectType::HashMap)) as_table(map_).view = PTC_TRY(make_sorted_view(heap_, map_));
    if (map_.is(ObjectType::HashMap)) as_table(map_).flags |= HashTableObject::kCopyPaid;
    return std::exchange(map_, empty_map());
}

namespace {

/// The place of the value at `key` in a map that nobody else sees: a hole in a table where the key is new. Null where a
/// record has no such field, and for maps that cannot be changed in place.
Result<Value*> open_in_place(Heap& heap, Value& map, const Value& key) {
    if (!map.is_sole_owner() || !map.is(ObjectType::HashMap) || as_table(map).is_arranged())
        return map_slot_in_place(heap, map, key);
    const auto [hash, known] = find_with_hash(heap, map, key);
    if (known) return const_cast<Value*>(known) + 1; // the table is ours
    HashTableObject& table = as_table(map);
    Value* const entry = append_entry(heap, table, 2, hash);
    if (!entry) return heap.out_of_memory();
    std::construct_at(entry, key.copy());
    std::construct_at(entry + 1, Value::hole());
    view_add(heap, table, entry);
    return entry + 1;
}

} // namespace

Result<Value> map_append_at(Heap& heap, Value map, Value key, Value item) {
    if (!map.is_map()) return wrong_type("group-by", "a map", map);
    Value* const slot = PTC_TRY(open_in_place(heap, map, key));
    const Value* group = slot ? slot : map_find(heap, map, key);
    if (group && group->is_hole()) group = nullptr;
    if (group && !group->is_vector()) return wrong_type("group-by", "a vector in each group", *group);
    if (slot && group && vector_conj_in_place(*slot, item)) return map;
    Value longer;
    if (group)
        longer = PTC_TRY(vector_conj(heap, slot ? std::move(*slot) : group->copy(), std::move(item)));
    else
        longer = PTC_TRY(make_vector(heap, std::span(&item, 1)));
    if (!slot) return map_assoc_exact(heap, std::move(map), std::move(key), std::move(longer));
    *slot = std::move(longer);
    return map;
}

Result<Value> map_count_at(Heap& heap, Value map, Value key) {
    Value* const slot = PTC_TRY(open_in_place(heap, map, key));
    const Value* count = slot ? slot : map_find(heap, map, key);
    Value next = Value::small_integer(1);
    if (count && count->is_small_integer() && count->small_integer() < bits::kMaxInteger)
        next = Value::small_integer(count->small_integer() + 1);
    else if (count && !count->is_hole())
        next = PTC_TRY(add(heap, *count, next));
    if (!slot) return map_assoc_exact(heap, std::move(map), std::move(key), std::move(next));
    *slot = std::move(next);
    return map;
}

} // namespace ptc
