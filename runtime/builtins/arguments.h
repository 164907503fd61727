// What builtins on numbers and collections share: reading arguments, paying for work, building results.
#pragma once
#include "runtime/builtin.h"
#include "runtime/seq.h"
#include <cstdint>

namespace ptc {

/// wrong_type for argument `position` (counted from 1, as messages do), with the order of the arguments as a hint when
/// they seem to be swapped.
Error argument_error(const Call& call, Args args, std::size_t position, const char* expected);

/// How many to take, drop or group: argument `position`, a number. A fraction counts as one more, as Clojure's counting
/// down by one has it (GAP-S79); numbers out of range count as the largest there are, NaN as 0.
Result<std::int64_t> count_argument(const Call& call, Args args, std::size_t position);
/// A position: the same without its fraction.
Result<std::int64_t> index_argument(const Call& call, Args args, std::size_t position);
/// An integer of 64 bits, for bit operations.
Result<std::int64_t> bits_argument(const Call& call, Args args, std::size_t position);

/// Pays for `units` of work: elements visited, or 8 bytes each.
inline Result<void> charge(Call& call, std::size_t units) {
    if (!call.heap.meter.charge(static_cast<std::int64_t>(units))) [[unlikely]]
        return call.heap.meter.error();
    return {};
}

/// Argument `position` as a vector, moved out: any collection in its order, a string's graphemes, nil as empty. Pays
/// for what is not a vector yet.
Result<Value> sequence_argument(Call& call, Args args, std::size_t position);
/// The same; an error says that a vector or string is wanted.
Result<Value> positions_argument(Call& call, Args args, std::size_t position);

/// `n` cut to 0..length.
inline std::size_t clamp_to(std::int64_t n, std::size_t length) {
    if (n <= 0) return 0;
    return static_cast<std::uint64_t>(n) < length ? static_cast<std::size_t>(n) : length;
}

/// Elements start..end of a vector.
Result<Value> slice(Call& call, const Value& vector, std::size_t start, std::size_t end);

/// A vector whose elements lie in a row: not a range and not in pieces.
Result<Value> to_flat(Call& call, Value vector);

/// A vector of two.
Result<Value> pair_of(Heap& heap, Value first, Value second);

} // namespace ptc
