// Any collection as a sequence.
#pragma once
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/vector.h"

namespace ptc {

/// A vector of what iterating `coll` gives: itself for a vector; [key value] pairs in key order for a map; members in
/// order for a set; graphemes for a string; empty for nil. type_error that names `who` for anything else.
Result<Value> to_vector(Heap& heap, Value coll, const char* who);
bool is_seqable(const Value& v);
/// How many elements to_vector would give; type_error that names `who` for what is not seqable.
Result<std::size_t> seq_count(Heap& heap, const Value& coll, const char* who);

/// Whether it is what (reduced x) gives: a vector of two that no program can write.
bool is_reduced(const Value& value);

} // namespace ptc
