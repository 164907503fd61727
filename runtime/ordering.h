// What `=`, `<`, `compare` and `sort` mean by equal and less. Map keys and set members go by equality.h instead.
#pragma once
#include "runtime/equality.h"

namespace ptc {

/// `=` and `==` (DIV-32): numbers by value whatever their type, also inside of vectors and as values of maps. Keys and
/// members keep to equal(), where 1 and 1.0 are two. NaN equals nothing. No recursion; charges an element at a time
/// without checking, as equal() does.
bool equivalent(Heap& heap, const Value& a, const Value& b);

/// Negative, zero, positive: the order of `compare`, `sort` and `max` (DIV-30). It is total_order, except that numbers
/// which are == tie, also inside of vectors and as values of maps; so sorting by [2 "b"] and [2.0 "a"] looks at the
/// second field.
int compare_values(Heap& heap, const Value& a, const Value& b);

/// What the operators `<`, `<=`, `>`, `>=` do with two values: total, but false when either is NaN.
enum class Relation : std::uint8_t { Less, LessEqual, Greater, GreaterEqual };
bool holds(Heap& heap, Relation relation, const Value& a, const Value& b);

} // namespace ptc
