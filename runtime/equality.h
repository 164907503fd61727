// Equality, hashing and the total order of all values. None of them can fail: they work with an explicit stack, at any
// depth, and charge the heap's meter. When the meter refuses they stop with an arbitrary answer; as a refusal stays,
// the caller's next check ends the run before anybody sees it. Their stacks grow with the depth of a value, not with
// its size, and are not charged to the heap.
//
// Maps and sets are made of hashes and equal keys, and may be keys themselves. So this header is below the collections,
// and its bodies, which know all of them, are above: hash.cpp, equal.cpp and total_order.cpp.
#pragma once
#include "runtime/heap.h"
#include "runtime/string.h"
#include "runtime/text_hash.h"

namespace ptc {

/// `=`: 1 and 1.0 differ; a vector equals any sequence with equal elements; maps and sets by content; NaN equals
/// nothing. One and the same collection equals itself, as in Clojure, even with NaN inside.
bool equal(Heap& heap, const Value& a, const Value& b);
/// Equal values have equal hashes. Deterministic: the same on every run and machine.
std::uint64_t hash(Heap& heap, const Value& v);
/// The total order of sorted views and printing (DIV-38): numbers < nil and booleans < keywords and symbols by name <
/// maps < vectors < strings; see total_order.cpp for the rest. Negative, zero, positive. Numbers that are == but of
/// different types are ordered integer first, so that it is 0 only for equal values (and for functions of one name).
int total_order(Heap& heap, const Value& a, const Value& b);

/// Hash of a text's bytes; `text_hash` keeps it in the object. Never 0.
std::uint32_t hash_bytes(std::string_view text);
std::uint32_t text_hash_slow(const StringObject& text);
/// For texts of bounded length: the work is not charged.
inline std::uint32_t text_hash(const StringObject& text) {
    std::uint32_t cached = text.hash_cache.load(std::memory_order_relaxed);
    return cached ? cached : text_hash_slow(text);
}
/// Charges the reading even of a hash that is kept: texts are shared among runs, whose fuel must not depend on others.
inline std::uint32_t text_hash(Heap& heap, const StringObject& text) {
    charge_reading(heap, text.size);
    return text_hash(text);
}

constexpr bool is_text(ObjectType type) {
    return type == ObjectType::String || type == ObjectType::Keyword || type == ObjectType::Var ||
           type == ObjectType::Symbol;
}
/// What `hash_bytes` of its text becomes as the hash of a string, keyword, ..: they must differ.
constexpr std::uint32_t key_hash_of_text(ObjectType type, std::uint32_t bytes_hash) {
    return bytes_hash ^ static_cast<std::uint32_t>(type) * 0x9E37'79B1U;
}

/// Hash of an inline integer: Fibonacci hashing. Runs of integers spread evenly and keep some locality, which makes
/// tables with integer keys up to twice as fast as full mixing does; the shift lets high bits take part.
constexpr std::uint32_t hash_integer(Bits bits) {
    auto high = static_cast<std::uint32_t>((bits * 0x9E37'79B9'7F4A'7C15) >> 32);
    return high ^ (high >> 15);
}

/// Hash of anything that is no heap object.
constexpr std::uint64_t hash_word(Bits bits) {
    if (bits::is_integer(bits)) return hash_integer(bits);
    constexpr Bits kNegativeZero = 0x8000'0000'0000'0000;
    if (bits == kNegativeZero) bits = 0; // -0.0 equals 0.0
    return fold_multiply(bits ^ 0x8F5C'28F5'C28F'5C29, 0xD6E8'FEB8'6659'FD93);
}

/// The hash that tables and tries use.
inline std::uint32_t key_hash(Heap& heap, const Value& key) {
    if (key.is_small_integer()) [[likely]]
        return hash_integer(key.raw());
    if (!key.is_object()) return static_cast<std::uint32_t>(hash_word(key.raw()));
    if (is_text(key.object()->type)) [[likely]]
        return key_hash_of_text(key.object()->type, text_hash(heap, as_string(key)));
    return static_cast<std::uint32_t>(hash(heap, key));
}

/// Compares bytes, for fuel: equal texts are compared to their end.
inline bool same_text(Heap& heap, const StringObject& a, const StringObject& b) {
    if (a.size != b.size) return false;
    charge_reading(heap, a.size);
    return equal_bytes(a.bytes, b.bytes, a.size);
}
/// Whether both are texts of one type, so that same_text decides.
inline bool are_texts(const Value& a, const Value& b) {
    return a.is_object() && b.is_object() && a.object()->type == b.object()->type && is_text(a.object()->type);
}

bool same_key_slow(Heap& heap, const Value& a, const Value& b);
/// Whether a and b are one key: they are equal or identical (a NaN finds itself).
inline bool same_key(Heap& heap, const Value& a, const Value& b) {
    if (a.raw() == b.raw()) [[likely]]
        return true;
    if (a.is_small_integer() || b.is_small_integer()) return false;
    if (are_texts(a, b)) return same_text(heap, as_string(a), as_string(b));
    return same_key_slow(heap, a, b);
}

} // namespace ptc
