// What the walks over collections of hash.cpp and equal.cpp share: entries by number, and sizes of any collection.
#pragma once
#include "runtime/map.h"
#include "runtime/set.h"
#include <vector>

namespace ptc {

/// The entries of a map or set by number, in storage order.
class Entries {
public:
    Entries(Heap& heap, const Value& coll) : coll_(&coll) {
        if (coll.is(ObjectType::Record) || is_flat_table(coll.object()->type)) return;
        heap.meter.charge_unchecked(as_overlay_table(coll).count / 2);
        collected_.reserve(as_overlay_table(coll).count);
        for_each_entry(heap, coll, [&](const Value* entry, std::uint32_t hash) {
            collected_.push_back({entry, hash});
        });
    }
    [[nodiscard]] const Value& key(std::size_t i) const {
        return coll_->is(ObjectType::Record) ? as_record(*coll_).shape->keys()[i] : *entry(i);
    }
    [[nodiscard]] const Value& value(std::size_t i) const {
        return coll_->is(ObjectType::Record) ? as_record(*coll_).values()[i] : entry(i)[1];
    }
    [[nodiscard]] std::uint32_t hash(std::size_t i) const {
        if (!collected_.empty()) return collected_[i].hash;
        if (!coll_->is(ObjectType::Record)) return as_table(*coll_).hashes()[i];
        const Value& field = key(i);
        return key_hash_of_text(field.object()->type, text_hash(as_string(field)));
    }

private:
    struct Collected {
        const Value* entry;
        std::uint32_t hash;
    };
    [[nodiscard]] const Value* entry(std::size_t i) const {
        if (!collected_.empty()) return collected_[i].entry;
        const HashTableObject& table = as_table(*coll_);
        return table.entries + i * table.width();
    }
    const Value* coll_;
    std::vector<Collected> collected_; ///< of an overlay
};

inline std::uint32_t count_of(const Value& coll) {
    std::size_t n = coll.is_vector() ? vector_length(coll) : coll.is_map() ? map_count(coll) : set_count(coll);
    return static_cast<std::uint32_t>(n);
}

} // namespace ptc
