// Vectors: the one sequence type. Flat arrays with claimable slack at the end and front, slices, ranges; an overlay
// once a shared large one is updated (overlay_vector.h). In all functions a `Value` parameter is consumed, and updated
// in place when it is the only owner; a `const Value&` is borrowed.
//
// Updating a shared flat vector copies it at most once for each time that somebody paid for building it (see
// kCopyPaid): from then on its updates are overlays, so that nothing that the language calls cheap is O(n) twice.
#pragma once
#include "runtime/heap.h"
#include <new>
#include <span>

namespace ptc {

/// ObjectType::Vector. Elements are at `data[0 .. length)`, either behind the struct (then this object owns exactly
/// these), or inside `owner` (a Buffer, or another Vector that this one is a slice of). The interpreter reads `data`
/// and `length` directly. Elements of a vector that has several owners never move or change.
struct VectorObject : Object {
    /// In `flags`: as many steps of work as it has elements went into it that no copy has used up yet.
    static constexpr std::uint8_t kCopyPaid = 1;
    /// In `flags`: it was made with slack as large as itself, so growing again pays for a copy.
    static constexpr std::uint8_t kHasGrown = 2;
    /// In `flags`: a list, whose near end is the front: conj, peek and pop work there. It has no capacity behind it.
    static constexpr std::uint8_t kIsList = 4;
    /// In `flags`: a queue, which conj makes longer at the back, and which peek and pop read at the front.
    static constexpr std::uint8_t kIsQueue = 8;
    static constexpr std::uint8_t kEnds = kIsList | kIsQueue;
    /// In `flags`: a map's entry, as clojure.walk hands it out. Only map-entry? asks.
    static constexpr std::uint8_t kIsEntry = 16;
    std::uint32_t length;
    std::uint32_t capacity; ///< slots behind the struct that may be used, from data[0] on; 0 when there is an owner
    Value* data;
    Object* owner; ///< null when the elements follow this struct
    [[nodiscard]] Value* inline_items() { return reinterpret_cast<Value*>(this + 1); }
};
static_assert(sizeof(VectorObject) == 32);

/// ObjectType::Buffer: the elements of several vectors. [begin, end) is filled; the vector whose elements reach `end`
/// may append, the one whose elements start at `begin` may prepend, even if others share the storage.
struct BufferObject : Object {
    Value* limit; ///< end of the storage
    Value* begin;
    Value* end;
    std::uint64_t copied; ///< elements that were copied here; those added later pay for the next copy
    [[nodiscard]] Value* items() { return reinterpret_cast<Value*>(this + 1); }
};
static_assert(sizeof(BufferObject) == 40);

/// ObjectType::Range: the integers start, start+step, .. (`length` of them, all within the inline range).
struct RangeObject : Object {
    std::uint32_t length;
    std::int64_t start;
    std::int64_t step;
};

/// The shared empty vector (frozen, static).
Value empty_vector();
/// The shared empty vector, list or queue.
Value empty_with_ends(std::uint8_t ends);

inline const VectorObject& as_flat(const Value& v) { return *static_cast<const VectorObject*>(v.object()); }
inline VectorObject& as_mutable_flat(const Value& v) { return *static_cast<VectorObject*>(v.object()); }

/// kIsList, kIsQueue or 0. Only flat vectors are either.
inline std::uint8_t vector_ends(const Value& v) {
    return v.object()->type == ObjectType::Vector ? v.object()->flags & VectorObject::kEnds : 0;
}
/// The same elements as a list or queue (`ends`), or as a plain vector (0).
Result<Value> vector_with_ends(Heap& heap, Value v, std::uint8_t ends);

/// All three kinds keep it at the same place.
inline std::size_t vector_length(const Value& v) { return as_flat(v).length; }
/// Element i of a vector that is not flat; borrowed, or made in `temporary`.
const Value& vector_element_slow(const Value& v, std::size_t i, Value& temporary);
/// Element `i < length`, as a new owner (a range makes it).
inline Value vector_get(const Value& v, std::size_t i) {
    if (v.object()->type == ObjectType::Vector) [[likely]]
        return as_flat(v).data[i].copy();
    Value temporary;
    return vector_element_slow(v, i, temporary).copy();
}
/// Element `i < length`, borrowed until v changes; `temporary` is used when there is none to borrow.
inline const Value& vector_element(const Value& v, std::size_t i, Value& temporary) {
    if (v.object()->type == ObjectType::Vector) [[likely]]
        return as_flat(v).data[i];
    return vector_element_slow(v, i, temporary);
}
/// All elements as one array when the vector is flat, else null.
inline const Value* vector_data_or_null(const Value& v) {
    return v.object()->type == ObjectType::Vector ? as_flat(v).data : nullptr;
}

/// The constant [], with which most loops begin that collect: nobody's own.
inline bool is_empty_constant(const Value& v) {
    return !v.is_counted() && v.is(ObjectType::Vector) && as_flat(v).length == 0 &&
           !(as_flat(v).flags & VectorObject::kEnds);
}
/// The fast path of vector_conj: moves `item` into v and answers true when v has one owner and room.
inline bool vector_conj_in_place(const Value& v, Value& item) {
    if (!v.is_sole_owner() || v.object()->type != ObjectType::Vector) return false;
    VectorObject& vector = as_mutable_flat(v);
    if (vector.length < vector.capacity) [[likely]] {
        ::new (static_cast<void*>(vector.data + vector.length++)) Value(std::move(item));
        return true;
    }
    if (!vector.owner || vector.owner->type != ObjectType::Buffer) return false;
    auto& buffer = *static_cast<BufferObject*>(vector.owner);
    if (buffer.end != vector.data + vector.length || buffer.end == buffer.limit) return false;
    if (vector.flags & VectorObject::kIsList) return false;
    ::new (static_cast<void*>(buffer.end++)) Value(std::move(item));
    ++vector.length;
    return true;
}
/// The element that may be changed in place: v and its storage have one owner. Null otherwise.
inline Value* vector_slot_in_place(const Value& v, std::size_t i) {
    if (!v.is_sole_owner() || v.object()->type != ObjectType::Vector) return nullptr;
    VectorObject& vector = as_mutable_flat(v);
    return !vector.owner || vector.owner->refs == 1 ? vector.data + i : nullptr;
}

Result<Value> vector_conj_slow(Heap& heap, Value v, Value item);
Result<Value> vector_assoc_slow(Heap& heap, Value v, std::size_t i, Value item);

/// Append; to a list prepend. Amortised O(1) by the sole or newest owner; never O(n) twice on the same shared vector.
inline Result<Value> vector_conj(Heap& heap, Value v, Value item) {
    if (vector_conj_in_place(v, item)) [[likely]]
        return v;
    return vector_conj_slow(heap, std::move(v), std::move(item));
}
/// Replace element i, or append when i == length. i <= length.
inline Result<Value> vector_assoc(Heap& heap, Value v, std::size_t i, Value item) {
    if (i == vector_length(v)) return vector_conj(heap, std::move(v), std::move(item));
    if (Value* slot = vector_slot_in_place(v, i)) [[likely]] {
        *slot = std::move(item);
        return v;
    }
    return vector_assoc_slow(heap, std::move(v), i, std::move(item));
}
/// Elements start..end (0 <= start <= end <= length), sharing storage: O(1), but for what a sole owner gives up. What
/// reaches to the end of a list or queue is one.
Result<Value> vector_slice(Heap& heap, Value v, std::size_t start, std::size_t end);
/// Prepend; amortised O(1) along a chain of conses.
Result<Value> vector_cons(Heap& heap, Value item, Value v);
Result<Value> vector_concat(Heap& heap, Value a, const Value& b);
/// A flat vector of these items; they are moved out.
Result<Value> make_vector(Heap& heap, std::span<Value> items);
/// The same of the words of `n` items, at least one, which own nothing afterwards. Null, and nothing done, when the
/// heap is full.
VectorObject* vector_of_words(Heap& heap, const Bits* items, std::uint32_t n);
/// The vector that (conj [] item) makes, with room for more. Null, and nothing done, when the heap is full; else `item`
/// owns nothing afterwards.
VectorObject* vector_begun(Heap& heap, Bits item);
/// `n` times nil in a flat vector with one owner, to be filled in through as_mutable_flat. The empty vector for 0.
Result<Value> make_nil_vector(Heap& heap, std::size_t n);
/// start, start+step, .. before end; step != 0. Integers only.
Result<Value> make_range(Heap& heap, std::int64_t start, std::int64_t end, std::int64_t step);
/// Takes element i out, leaving nil, when `v` and what it keeps the element in have one owner; a copy otherwise. For
/// `update` in place.
Value vector_take(Value& v, std::size_t i);

/// Builds a flat vector. `reserve` when the size is known.
class VectorBuilder {
public:
    explicit VectorBuilder(Heap& heap) : heap_(heap) {}
    ~VectorBuilder();
    VectorBuilder(const VectorBuilder&) = delete;
    VectorBuilder& operator=(const VectorBuilder&) = delete;
    /// Room for `n` elements in all; false when the heap is full (the builder then stays failed).
    [[nodiscard]] bool reserve(std::size_t n);
    /// False when the heap is full; the builder then stays failed and `finish` reports it. The item is released.
    bool push(Value item) {
        if (size_ == capacity_) [[unlikely]] {
            if (!grow(static_cast<std::size_t>(size_) + 1)) return false;
        }
        ::new (static_cast<void*>(vector_->inline_items() + size_++)) Value(std::move(item));
        return true;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    Result<Value> finish();

private:
    bool grow(std::size_t needed);
    bool move_to(std::size_t capacity);
    Heap& heap_;
    VectorObject* vector_ = nullptr; ///< owned until finish; its length is written then
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
    bool failed_ = false;
};

/// Reads any vector element by element.
class VectorReader {
public:
    /// `v` must stay alive and unchanged.
    explicit VectorReader(const Value& v) : vector_(&v), data_(vector_data_or_null(v)), size_(vector_length(v)) {}
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Value at(std::size_t i) const { return data_ ? data_[i].copy() : vector_get(*vector_, i); }

private:
    const Value* vector_;
    const Value* data_;
    std::size_t size_;
};

} // namespace ptc
