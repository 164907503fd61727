#include "runtime/arranged.h"
#include "frontend/try.h"
#include <algorithm>
#include <memory>

namespace ptc {
namespace {

/// Fills a flat table that nobody else sees. The keys and values are copied.
class TableFiller {
public:
    /// `comparator`: nil, but of kArranged.
    TableFiller(Heap& heap, ObjectType type, std::size_t count, std::uint8_t order, const Value& comparator = Value())
        : heap_(heap) {
        // A range may have more items than there will ever be memory for: what fills the table pays for its growth.
        constexpr std::size_t kMostAtOnce = 4096;
        const auto room =
            static_cast<std::uint32_t>(std::clamp<std::size_t>(count, HashTableObject::kScanned, kMostAtOnce));
        table_ = new_table(heap, type, room);
        if (!table_) return;
        table_->flags = HashTableObject::kCopyPaid | order;
        table_->comparator() = comparator.copy();
        value_ = heap.value_of(table_);
    }
    /// False when the heap is full or the fuel is gone. `value` is ignored by sets.
    bool put(const Value& key, const Value& value) {
        if (!table_ || !heap_.meter.charge(2)) return false;
        const std::uint32_t hash = key_hash(heap_, key);
        const std::uint32_t width = table_->width();
        if (table_find(heap_, *table_, width, hash, key) != HashTableObject::kNone) return true;
        Value* entry = append_entry(heap_, *table_, width, hash);
        if (!entry) return false;
        std::construct_at(entry, key.copy());
        if (width == 2) std::construct_at(entry + 1, value.copy());
        return true;
    }
    Result<Value> finish(bool is_whole) {
        if (is_whole && table_) return std::move(value_);
        return heap_.meter.charge(0) ? heap_.out_of_memory() : heap_.meter.error();
    }

private:
    Heap& heap_;
    HashTableObject* table_ = nullptr;
    Value value_;
};

} // namespace

Result<Value> read_downwards(Heap& heap, const Value& coll) {
    if (coll.is_set()) {
        const SetView view = PTC_TRY(SetView::upwards(heap, coll));
        TableFiller filler(heap, ObjectType::HashSet, view.size(), HashTableObject::kDescends);
        bool done = true;
        for (std::size_t i = 0; i < view.size() && done; ++i)
            done = filler.put(view.item(i), Value());
        return filler.finish(done);
    }
    const MapView view = PTC_TRY(MapView::by_key(heap, coll));
    TableFiller filler(heap, ObjectType::HashMap, view.size(), HashTableObject::kDescends);
    bool done = true;
    for (std::size_t i = 0; i < view.size() && done; ++i)
        done = filler.put(view.key(i), view.value(i));
    return filler.finish(done);
}

Result<Value> arranged_map(Heap& heap, const Value& comparator, const Value& entries) {
    const VectorReader reader(entries);
    TableFiller filler(heap, ObjectType::HashMap, reader.size(), HashTableObject::kArranged, comparator);
    bool done = true;
    for (std::size_t i = 0; i < reader.size() && done; ++i) {
        const Value entry = reader.at(i);
        if (!entry.is_vector() || vector_length(entry) != 2)
            return Error(Reason::TypeError, "An entry of a sorted map is a vector of a key and a value.");
        done = filler.put(vector_get(entry, 0), vector_get(entry, 1));
    }
    return filler.finish(done);
}

Result<Value> arranged_set(Heap& heap, const Value& comparator, const Value& items) {
    const VectorReader reader(items);
    TableFiller filler(heap, ObjectType::HashSet, reader.size(), HashTableObject::kArranged, comparator);
    bool done = true;
    for (std::size_t i = 0; i < reader.size() && done; ++i)
        done = filler.put(reader.at(i), Value());
    return filler.finish(done);
}

} // namespace ptc
