// Keys that are short vectors of integers, as places on a grid: the usual collections among keys. They are hashed and
// compared here in one function; all others go the general way (equality.h).
#pragma once
#include "runtime/keyed.h"

namespace ptc {

/// The entry of `key`, which is a flat vector, in a table or overlay: as keyed_find answers, for the same fuel.
const Value* find_vector_key(Heap& heap, const Value& coll, const Value& key);

/// The entry of any key in a table or overlay.
inline const Value* find_key(Heap& heap, const Value& coll, const Value& key) {
    if (key.is(ObjectType::Vector)) return find_vector_key(heap, coll, key);
    return keyed_find(heap, coll, key_hash(heap, key), key);
}

} // namespace ptc
