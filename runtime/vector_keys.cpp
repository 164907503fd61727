// Hashing and comparing in one function: what key_hash and same_key do of such vectors, without a call for each part.
#include "runtime/vector_keys.h"
#include "runtime/vector.h"

namespace ptc {

namespace {

/// Whether a key with the right hash is `key`, a vector of inline integers, for the fuel that `equal` takes.
bool is_same(Heap& heap, const Value& known, const Value& key) {
    if (known.raw() == key.raw() || !known.is(ObjectType::Vector)) return same_key(heap, known, key);
    const VectorObject &x = as_flat(known), &y = as_flat(key);
    if (x.length != y.length) return false;
    std::uint32_t i = 0;
    while (i < y.length && x.data[i].raw() == y.data[i].raw())
        ++i;
    heap.meter.charge_unchecked(1 + i);
    return i == y.length;
}

} // namespace

FoundKey find_vector_key(Heap& heap, const Value& coll, const Value& key) {
    constexpr std::uint32_t kMostParts = 4;
    const VectorObject& vector = as_flat(key);
    const std::uint32_t n = vector.length;
    std::uint32_t i = 0;
    VectorHash parts;
    if (n <= kMostParts && is_flat_table(coll.object()->type)) {
        for (; i < n && vector.data[i].is_small_integer(); ++i)
            parts.add(hash_integer(vector.data[i].raw()));
    }
    if (i < n || n == 0) {
        const std::uint32_t hash = key_hash(heap, key);
        return {hash, keyed_find(heap, coll, hash, key)};
    }
    heap.meter.charge_unchecked(n + 1);
    const HashTableObject& table = as_table(coll);
    const std::uint32_t width = table.width();
    const auto hash = static_cast<std::uint32_t>(parts.finish(n));
    const std::uint32_t e =
        table_find_if(heap, table, width, hash, [&](const Value& known) { return is_same(heap, known, key); });
    return {hash, e == HashTableObject::kNone ? nullptr : table.entries + e * width};
}

} // namespace ptc
