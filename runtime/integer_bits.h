// The bits of integers of any size (spec 8.4a); the bodies are in number.cpp, which knows the large ones.
#pragma once
#include "runtime/heap.h"
#include <cstdint>

namespace ptc {

/// Bits of integers of any size, which are two's complement without an end: -1 has all of them set.
enum class BitOperation : std::uint8_t { And, Or, Xor, AndNot };
Result<Value> combine_bits(Heap& heap, const Value& a, const Value& b, BitOperation operation);
/// `places` to the left, or to the right when negative; what falls off to the right is lost, the sign stays.
Result<Value> shift_bits(Heap& heap, const Value& a, std::int64_t places);
/// Whether bit `place` is set; bits below the first are not.
bool test_bit(const Value& a, std::int64_t place);

} // namespace ptc
