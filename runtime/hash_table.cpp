// Entries lie side by side in insertion order, so that walking a map is walking an array; beside them are their hashes,
// and an index of positions with linear probing; a table of few entries has none and is scanned. Removing moves the
// last entry into the hole. Probes beyond the first few cost fuel: keys that were chosen to collide use up the budget,
// not the time.
#include "runtime/hash_table.h"
#include <algorithm>
#include <cstring>
#include <memory>

namespace ptc {

namespace {

constexpr std::uint32_t kMaxCapacity = 1U << 29;
constexpr std::size_t kBlockHeader = 2 * sizeof(Object);

std::uint32_t index_size(std::uint32_t capacity) { return capacity <= HashTableObject::kScanned ? 0 : 2 * capacity; }

std::size_t block_bytes(std::uint32_t capacity, std::uint32_t width) {
    return kBlockHeader + std::size_t{capacity} * (width * sizeof(Value) + sizeof(std::uint32_t)) +
           std::size_t{index_size(capacity)} * sizeof(std::uint32_t);
}

/// Points the table, whose count stays, at a new block. False when the heap is full.
bool new_block(Heap& heap, HashTableObject& table, std::uint32_t capacity) {
    if (capacity > kMaxCapacity) return false;
    Object* block = heap.allocate_object(ObjectType::Table, block_bytes(capacity, table.width()));
    if (!block) return false;
    table.entries = reinterpret_cast<Value*>(block + 2);
    std::construct_at(&table.comparator());
    table.capacity = capacity;
    table.index = table.hashes() + capacity;
    table.mask = capacity <= HashTableObject::kScanned ? 0 : index_size(capacity) - 1;
    return true;
}

/// False when the meter refuses: keys that were chosen to collide take a walk past all others each.
[[nodiscard]] bool fill_index(Heap& heap, HashTableObject& table) {
    if (table.mask == 0) return true;
    const std::uint32_t mask = table.mask;
    const std::uint32_t* hashes = table.hashes();
    std::memset(table.index, 0xFF, std::size_t{mask + 1} * sizeof(std::uint32_t));
    heap.meter.charge_unchecked(table.count / 4);
    for (std::uint32_t e = 0; e < table.count; ++e) {
        std::uint32_t at = hashes[e] & mask;
        std::uint32_t probes = 0;
        while (table.index[at] != HashTableObject::kEmptySlot) {
            at = (at + 1) & mask;
            ++probes;
        }
        table.index[at] = (hashes[e] & ~mask) | e;
        if (probes > 8 && !heap.meter.charge(probes)) [[unlikely]]
            return false;
    }
    return true;
}

/// Gives up a table that was just made and owns no parts.
HashTableObject* discard(Heap& heap, HashTableObject* table) {
    heap.free_object(table->block());
    heap.free_object(table);
    return nullptr;
}

/// Where the index refers to entry `e`.
std::uint32_t slot_of(Heap& heap, const HashTableObject& table, std::uint32_t e) {
    const std::uint32_t mask = table.mask;
    std::uint32_t at = table.hashes()[e] & mask;
    std::uint32_t probes = 0;
    while ((table.index[at] & mask) != e || table.index[at] == HashTableObject::kEmptySlot) {
        at = (at + 1) & mask;
        if (++probes > 8) heap.meter.charge_unchecked(1);
    }
    return at;
}

/// Empties a slot and moves later ones of its chain up, so that probing needs no tombstones.
void clear_slot(Heap& heap, HashTableObject& table, std::uint32_t hole) {
    const std::uint32_t mask = table.mask;
    const std::uint32_t* hashes = table.hashes();
    std::uint32_t probes = 0;
    for (std::uint32_t at = (hole + 1) & mask;; at = (at + 1) & mask) {
        std::uint32_t slot = table.index[at];
        if (slot == HashTableObject::kEmptySlot) break;
        std::uint32_t home = hashes[slot & mask] & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table.index[hole] = slot;
            hole = at;
        }
        if (++probes > 8) heap.meter.charge_unchecked(1);
    }
    table.index[hole] = HashTableObject::kEmptySlot;
}

/// Gives each entry another number in the index.
template <class NumberOf> void renumber(HashTableObject& table, NumberOf number_of) {
    if (table.mask == 0) return;
    for (std::uint32_t at = 0; at <= table.mask; ++at) {
        std::uint32_t& slot = table.index[at];
        if (slot != HashTableObject::kEmptySlot) slot = (slot & ~table.mask) | number_of(slot & table.mask);
    }
}

} // namespace

HashTableObject* new_table(Heap& heap, ObjectType type, std::uint32_t capacity) {
    auto* table = heap.allocate<HashTableObject>(type);
    if (!table) return nullptr;
    table->count = 0;
    table->view = nullptr;
    if (capacity > HashTableObject::kScanned) capacity = std::bit_ceil(capacity);
    if (!new_block(heap, *table, capacity)) {
        heap.free_object(table);
        return nullptr;
    }
    (void)fill_index(heap, *table); // of no entries
    return table;
}

HashTableObject* copy_table(Heap& heap, const HashTableObject& from) {
    bool is_full = from.count == from.capacity;
    std::uint32_t capacity = std::max(is_full ? 2 * from.capacity : from.capacity, HashTableObject::kScanned);
    auto* table = heap.allocate<HashTableObject>(from.type);
    if (!table) return nullptr;
    table->count = from.count;
    table->flags = from.flags & HashTableObject::kOrders;
    table->view = nullptr;
    if (!new_block(heap, *table, capacity)) {
        heap.free_object(table);
        return nullptr;
    }
    if (from.count != 0) std::memcpy(table->hashes(), from.hashes(), from.count * sizeof(std::uint32_t));
    if (is_full && !fill_index(heap, *table)) return discard(heap, table);
    if (!is_full && table->mask)
        std::memcpy(table->index, from.index, std::size_t{table->mask + 1} * sizeof(std::uint32_t));
    if (from.is_arranged()) table->comparator() = from.comparator().copy();
    std::uint32_t values = from.count * from.width();
    for (std::uint32_t i = 0; i < values; ++i)
        std::construct_at(table->entries + i, from.entries[i].copy());
    return table;
}

bool grow_table(Heap& heap, HashTableObject& table) {
    drop_view(heap, table.view); // its room is of more use now
    HashTableObject old = table;
    if (!new_block(heap, table, old.capacity == 0 ? HashTableObject::kScanned : 2 * old.capacity)) return false;
    const auto restore = [&] {
        heap.free_object(table.block());
        table = old;
        return false;
    };
    if (old.count != 0) {
        std::memcpy(static_cast<void*>(table.entries), old.entries, old.count * old.width() * sizeof(Value));
        std::memcpy(table.hashes(), old.hashes(), old.count * sizeof(std::uint32_t));
    }
    if (!fill_index(heap, table)) return restore();
    if (old.is_arranged()) table.comparator() = std::move(old.comparator());
    if (old.entries) heap.free_object(old.block());
    if (table.flags & HashTableObject::kHasGrown) table.flags |= HashTableObject::kCopyPaid;
    table.flags |= HashTableObject::kHasGrown;
    return true;
}

Value* insert_entry(Heap& heap, HashTableObject& table, std::uint32_t e, std::uint32_t hash) {
    const std::uint32_t width = table.width(), last = table.count;
    if (!append_entry(heap, table, width, hash)) return nullptr;
    Value* const entry = table.entries + e * width;
    std::memmove(static_cast<void*>(entry + width), entry, std::size_t{last - e} * width * sizeof(Value));
    std::uint32_t* const hashes = table.hashes();
    std::memmove(hashes + e + 1, hashes + e, (last - e) * sizeof(std::uint32_t));
    hashes[e] = hash;
    renumber(table, [&](std::uint32_t number) { return number == last ? e : number + (number >= e); });
    return entry;
}

void close_entry(Heap& heap, HashTableObject& table, std::uint32_t e) {
    const std::uint32_t width = table.width(), behind = table.count - e - 1;
    Value* const gone = table.entries + e * width;
    if (table.mask) clear_slot(heap, table, slot_of(heap, table, e));
    for (std::uint32_t i = 0; i < width; ++i)
        bits::release(gone[i].raw());
    std::memmove(static_cast<void*>(gone), gone + width, std::size_t{behind} * width * sizeof(Value));
    std::uint32_t* const hashes = table.hashes();
    std::memmove(hashes + e, hashes + e + 1, behind * sizeof(std::uint32_t));
    --table.count;
    renumber(table, [&](std::uint32_t number) { return number - (number > e); });
}

void erase_entry(Heap& heap, HashTableObject& table, std::uint32_t e) {
    std::uint32_t width = table.width();
    std::uint32_t last = table.count - 1;
    Value* gone = table.entries + e * width;
    if (table.mask) {
        clear_slot(heap, table, slot_of(heap, table, e));
        if (e != last) {
            std::uint32_t moved = slot_of(heap, table, last);
            table.index[moved] = (table.index[moved] & ~table.mask) | e;
        }
    }
    for (std::uint32_t i = 0; i < width; ++i) {
        bits::release(gone[i].raw());
        if (e != last) std::memcpy(static_cast<void*>(gone + i), table.entries + last * width + i, sizeof(Value));
    }
    table.hashes()[e] = table.hashes()[last];
    table.count = last;
}

} // namespace ptc
