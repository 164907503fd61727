// Keys that are short vectors of integers, as places on a grid: the usual collections among keys. They are hashed and
// compared here in one function; all others go the general way (equality.h).
#pragma once
#include "runtime/keyed.h"

namespace ptc {

/// A key's hash, and its entry in a table or overlay; null: it is not there.
struct FoundKey {
    std::uint32_t hash = 0;
    const Value* entry = nullptr;
};

/// Of a key that is a flat vector: as key_hash and keyed_find answer, for the same fuel.
FoundKey find_vector_key(Heap& heap, const Value& coll, const Value& key);

/// Of any key.
inline FoundKey find_with_hash(Heap& heap, const Value& coll, const Value& key) {
    if (key.is(ObjectType::Vector)) return find_vector_key(heap, coll, key);
    const std::uint32_t hash = key_hash(heap, key);
    return {hash, keyed_find(heap, coll, hash, key)};
}
inline const Value* find_key(Heap& heap, const Value& coll, const Value& key) {
    return find_with_hash(heap, coll, key).entry;
}

} // namespace ptc
