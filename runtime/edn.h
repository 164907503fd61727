// Data in the language's own notation, read without evaluating anything.
#pragma once
#include "runtime/heap.h"
#include "runtime/shape.h"
#include <string_view>

namespace ptc {

/// Reads one value: nil, booleans, numbers, strings, characters, keywords, symbols, vectors and lists (both vectors),
/// maps, sets, regexes and vars. What pr-str prints comes back equal, except that dates come back as strings.
/// parse_error for malformed text, for more than one value, and for forms that are no data (#(..)). Charges fuel per
/// byte. `shapes` must be the table of `heap`.
Result<Value> parse_edn(Heap& heap, ShapeTable& shapes, std::string_view text);

} // namespace ptc
