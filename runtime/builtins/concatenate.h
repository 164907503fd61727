// `str` and what is made of it: the text of many values in one string.
#pragma once
#include "runtime/builtins/text_arguments.h"
#include "runtime/vector.h"

namespace ptc {

/// Appends what `str` gives for `v`: nothing for nil, all else as print_value displays it. False when the heap is full
/// or the meter ran out; text_failure then says which.
bool append_str(StringBuilder& out, Heap& heap, const Value& v);

/// The texts of `items` with `separator` between them. One allocation of the exact size when the items are strings,
/// keywords, integers, booleans or nil.
Result<Value> concatenate(Heap& heap, std::span<const Value> items, std::string_view separator);

/// The error behind an append or print that gave false.
Error text_failure(Heap& heap);

} // namespace ptc
