// JSON in and out. A scanner of our own reads well-formed text, Boost.JSON's parser whatever the scanner is not sure
// of; numbers are converted by us in both. What hosts get is written here; programs write by a stricter rule
// (builtins/json.cpp).
#pragma once
#include "runtime/heap.h"
#include "runtime/shape.h"
#include "runtime/string.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

struct JsonLimits {
    std::uint32_t max_depth = 512;
};

/// Parses one JSON text straight into values of `heap` (frozen or counted): objects become maps with string keys
/// (records over `shapes` where they fit; the keys of the row before are predicted), arrays vectors. Numbers keep all
/// digits: integers of any size, doubles correctly rounded. A repeated key: the last wins. Charges fuel per byte.
/// invalid_json with the byte offset in the span otherwise.
Result<Value> parse_json(Heap& heap, ShapeTable& shapes, std::string_view text, const JsonLimits& limits = {});
/// The same for hosts, when no program pays: a fixed amount of work a byte, whatever the text holds. limit_exceeded for
/// more, as keys that were chosen to collide take, or a number of millions of digits.
Result<Value> import_json(Heap& heap, ShapeTable& shapes, std::string_view text);

enum class JsonKeywords : std::uint8_t {
    AsStrings, ///< keyword keys and values become strings: results for hosts
    Refused,   ///< they have no JSON form, as for programs (DIV-24)
};
/// Appends the compact JSON text of `v`: integer keys are stringified, sets become arrays in order, dates become
/// strings. False when something has no JSON form (a function, NaN, a vector as key); what was appended is then of no
/// use. Fails when memory or fuel runs out.
Result<bool> write_json(StringBuilder& out, Heap& heap, const Value& v, JsonKeywords keywords);
/// The same for hosts, keywords as strings, without fuel. False, and `out` untouched, when there is no JSON form, the
/// text is longer than `max_bytes` or the heap is full.
bool to_json(Heap& heap, const Value& v, std::string& out, std::size_t max_bytes = std::size_t{64} << 20);
/// The same of a run's result, which pays for it; nothing when there is no JSON form or it is too long.
Result<std::optional<std::string>> result_to_json(Heap& heap, const Value& v, std::size_t max_bytes);

} // namespace ptc
