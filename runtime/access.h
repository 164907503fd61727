// Reading and updating any collection by key: the meaning of `get`, `nth`, `conj`, `assoc` and their like for every
// type. Builtins and the interpreter's slow paths share it.
#pragma once
#include "runtime/heap.h"

namespace ptc {

/// What `get` finds at `key`: true, and a new owner in `*found`; false when there is nothing. Maps: the key, or the
/// same text as the other type (spec 7.5); vectors and strings: by index; sets: the member. A vector that is no key of
/// a map is a path into it, as for `get-in`. Nil and what is no collection hold nothing. Fails only on a full heap.
Result<bool> lookup(Heap& heap, const Value& coll, const Value& key, Value* found);
/// The same for a key that is never a path.
Result<bool> lookup_key(Heap& heap, const Value& coll, const Value& key, Value* found);
/// Follows `path` (a vector) with lookup. An empty path finds `root`.
Result<bool> lookup_in(Heap& heap, const Value& root, const Value& path, Value* found);

/// Element `i` of a vector or string, true and a new owner in `*found`; false when it is outside. Nil has none; maps
/// and sets have no positions, so they and everything else are a type_error.
Result<bool> element_at(Heap& heap, const Value& coll, std::int64_t i, Value* found, const char* who);

/// The first element of any collection, nil when there is none: of a map its first entry in the order of keys, of a set
/// its first member.
Result<Value> first_of(Heap& heap, const Value& coll, const char* who);
/// All but the first `n` as a vector; empty when there are fewer.
Result<Value> rest_of(Heap& heap, Value coll, std::size_t n, const char* who);
/// The elements of `coll` in order, as a vector. Pays for the elements of a map or set.
Result<Value> to_positions(Heap& heap, Value coll, const char* who);

/// Elements of any collection, graphemes of a string, 0 for nil.
Result<std::size_t> count_of(Heap& heap, const Value& coll, const char* who);

/// One more element: at the end of a vector, a member of a set, a [key value] pair or all entries of a map into a map.
/// Nil becomes a vector (DIV-25).
Result<Value> conj_to(Heap& heap, Value coll, Value item, const char* who);
/// The value at `key`, or in a map else at its other spelling, replaced or added (map_assoc). Vectors take an index
/// from 0 to their length. Nil becomes a map.
Result<Value> assoc_to(Heap& heap, Value coll, Value key, Value value, const char* who);

} // namespace ptc
