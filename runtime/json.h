// JSON in and out. A scanner of our own reads well-formed text, Boost.JSON's parser whatever the scanner is not sure
// of; numbers are converted by us in both. One writer serves programs, results and hosts.
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
/// more, as keys that were chosen to collide take, or a number of millions of digits; timeout when the budget of the
/// thread's work::Scope is over before; memory_exceeded when the heap's limit is reached.
Result<Value> import_json(Heap& heap, ShapeTable& shapes, std::string_view text);
/// What `import_json` gives, and others that read a text for a host, when `why` is the error of a meter or a heap.
Error import_error(Error why);
/// A limit for the heap of a text: several times of what values take at most that are spelled by so many bytes.
inline std::size_t import_bytes(std::size_t text_bytes) {
    constexpr std::size_t kBytesPerByte = 32, kBytes = std::size_t{16} << 20;
    return kBytes + kBytesPerByte * text_bytes;
}

// Keywords become strings, sets arrays in order, dates strings; keys that are keywords, numbers, booleans or dates
// become their texts. A function, an infinity or NaN, and a key that is nil or a collection have no JSON form. No
// object has a name twice: two keys of a map that are one name are an error.

/// Appends the compact JSON text of `v`. A type_error of `who` that says what has no JSON form and where it is, or
/// which keys are one name; else fails when memory or fuel runs out. After a failure what was appended is of no use.
Result<void> write_json(StringBuilder& out, Heap& heap, const Value& v, const char* who);
/// The same for hosts, without fuel. False, and `out` untouched, when `v` cannot be written, the text is longer than
/// `max_bytes` or the heap is full.
bool to_json(Heap& heap, const Value& v, std::string& out, std::size_t max_bytes = std::size_t{64} << 20);
/// The same of a run's result, which pays for it; nothing when there is no JSON form. A validation_error when two keys
/// of a map are one name, limit_exceeded when the text is too long, or has more levels than parse_json reads.
Result<std::optional<std::string>> result_to_json(Heap& heap, const Value& v, std::size_t max_bytes);

} // namespace ptc
