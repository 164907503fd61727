// What the builtins on text share: reading arguments, and paying for work by the byte.
#pragma once
#include "runtime/builtins/arguments.h"
#include "runtime/string.h"
#include <cstdint>
#include <string_view>

namespace ptc {

/// The text of argument `position` (counted from 1, as messages do), which must be a string. Valid while the argument
/// is.
Result<std::string_view> text_argument(const Call& call, Args args, std::size_t position);

/// Clojure's string functions read a number or time by its text: turns argument `position` into a string if it is one
/// (GAP-S139), leaves a string alone and refuses all else.
Result<void> number_to_string_argument(const Call& call, Args args, std::size_t position);

/// The text of a number as a string; charges what large integers take.
Result<Value> number_text(Heap& heap, const Value& number);

/// Charges work that reads or writes `bytes` bytes: a unit for each 8.
inline Result<void> charge_bytes_of_work(Heap& heap, std::size_t bytes) {
    if (!heap.meter.charge(static_cast<std::int64_t>(bytes / 8))) return heap.meter.error();
    return {};
}

/// The text between two byte offsets of a string, which are bounds of characters, as a string of its own. Pays for its
/// bytes.
Result<Value> part_of(Heap& heap, const Value& string, std::size_t begin, std::size_t end);

/// Where `needle` starts in `text`, first match at or after byte `from`; npos when there is none. Linear.
std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from = 0);
/// Pays for what looking for a long needle takes beside the text that is passed.
inline Result<void> charge_needle(Heap& heap, std::string_view needle) {
    return needle.size() > kFreeBytes ? charge_bytes_of_work(heap, needle.size()) : Result<void>();
}
/// Where the last match that starts at or before byte `from` starts; npos when there is none. Pays for all bytes that
/// it compares: the worst case is quadratic.
Result<std::size_t> find_last_text(Heap& heap, std::string_view text, std::string_view needle, std::size_t from);

/// The index of the grapheme that holds byte `offset`: how many end at or before it. O(1) for ASCII, else a unit a byte
/// is charged.
std::size_t grapheme_index(Heap& heap, const Value& string, std::size_t offset);

[[nodiscard]] inline bool is_ascii_string(const Value& string) {
    return (string.object()->flags & StringObject::kAscii) != 0;
}

} // namespace ptc
