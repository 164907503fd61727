// The operations on vectors. The storage is decided by owners. One owner: elements are added and replaced in place,
// with room that doubles. An append to a vector that others see claims the slack behind it when it is the newest
// (Buffer's end is its end); else it copies, if somebody has paid for a copy (kCopyPaid: as many steps went into
// building it as it has elements), else it becomes an overlay, which copies nothing. Slices share the elements; ranges
// have none until somebody changes them.
#include "runtime/vector.h"
#include "frontend/try.h"
#include "runtime/number.h"
#include "runtime/overlay_vector.h"
#include <algorithm>
#include <cstring>
#include <memory>

namespace ptc {

namespace {

/// Vectors up to this length are simply copied when they are shared.
constexpr std::size_t kCopyFreely = 64;
/// Shared vectors shorter than this are copied without claimable slack.
constexpr std::size_t kBufferFrom = 16;
/// Slices up to this length are copies, so that they do not keep a large vector alive.
constexpr std::size_t kCopySlice = 8;
constexpr std::size_t kMaxLength = UINT32_MAX - 1;
/// Above this many elements storage grows by half instead of doubling.
constexpr std::size_t kGrowGently = 128 * 1024;

std::size_t grown(std::size_t n) { return std::max<std::size_t>(4, n < kGrowGently ? 2 * n : n + n / 2); }

/// An empty vector with room for `capacity` elements at least.
VectorObject* new_flat(Heap& heap, std::size_t capacity) {
    if (capacity > kMaxLength) return nullptr;
    std::size_t bytes = Heap::usable_size(sizeof(VectorObject) + capacity * sizeof(Value));
    auto* vector = heap.allocate<VectorObject>(ObjectType::Vector, bytes);
    if (!vector) return nullptr;
    vector->length = 0;
    vector->capacity = static_cast<std::uint32_t>(std::min((bytes - sizeof(VectorObject)) / sizeof(Value), kMaxLength));
    vector->data = vector->inline_items();
    vector->owner = nullptr;
    return vector;
}

/// A buffer with room, and `front` free slots before its (still missing) elements.
BufferObject* new_buffer(Heap& heap, std::size_t capacity, std::size_t front) {
    if (capacity > kMaxLength) return nullptr;
    std::size_t bytes = Heap::usable_size(sizeof(BufferObject) + capacity * sizeof(Value));
    auto* buffer = heap.allocate<BufferObject>(ObjectType::Buffer, bytes);
    if (!buffer) return nullptr;
    buffer->limit = buffer->items() + (bytes - sizeof(BufferObject)) / sizeof(Value);
    buffer->begin = buffer->end = buffer->items() + front;
    buffer->copied = 0;
    return buffer;
}

/// A header for elements inside `owner`, one of whose owners it takes over.
VectorObject* new_header(Heap& heap, Object* owner, Value* data, std::size_t length) {
    auto* vector = heap.allocate<VectorObject>(ObjectType::Vector);
    if (!vector) return nullptr;
    vector->length = static_cast<std::uint32_t>(length);
    vector->capacity = 0;
    vector->data = data;
    vector->owner = owner;
    return vector;
}

void move_items(Value* to, const Value* from, std::size_t n) {
    std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(Value));
}
/// As many elements are copied, or moved, between two looks at the clock.
constexpr std::size_t kCopiedAtOnce = std::size_t{1} << 16, kMovedAtOnce = std::size_t{1} << 18;

void copy_items(Value* to, const Value* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        std::construct_at(to + i, from[i].copy());
}
/// Copies behind what `to` holds already; false when the meter ended it, and `to` is shorter.
bool append_copies(Meter& meter, VectorObject& to, const Value* from, std::size_t n) {
    return meter.in_pieces(n, kCopiedAtOnce, [&](std::size_t begin, std::size_t end) {
        copy_items(to.data + to.length, from + begin, end - begin);
        to.length += static_cast<std::uint32_t>(end - begin);
    });
}
void drop_items(Value* from, Value* to) {
    for (; from != to; ++from)
        bits::release(from->raw());
}

BufferObject* buffer_of(const VectorObject& vector) {
    return vector.owner && vector.owner->type == ObjectType::Buffer ? static_cast<BufferObject*>(vector.owner)
                                                                    : nullptr;
}

/// Whether nobody else sees the elements and they may be moved elsewhere. Makes the fill marks of an own buffer exact.
bool owns_elements(const Value& v) {
    if (!v.is_sole_owner()) return false;
    VectorObject& vector = as_mutable_flat(v);
    if (!vector.owner) return true;
    BufferObject* buffer = buffer_of(vector);
    if (!buffer || buffer->refs != 1) return false;
    Value* end = vector.data + vector.length;
    drop_items(buffer->begin, vector.data);
    drop_items(end, buffer->end);
    buffer->begin = vector.data;
    buffer->end = end;
    return true;
}

/// Whether a flat copy of the shared `v` is paid for (see vector.h); uses the payment up.
bool take_copy_payment(const Value& v) {
    VectorObject& vector = as_mutable_flat(v);
    if (vector.length <= kCopyFreely) return true;
    if (!v.is_counted()) return false;
    if (vector.flags & VectorObject::kCopyPaid) {
        vector.flags &= static_cast<std::uint8_t>(~VectorObject::kCopyPaid);
        return true;
    }
    BufferObject* buffer = buffer_of(vector);
    if (!buffer || buffer->refs == kImmortal) return false;
    auto filled = static_cast<std::uint64_t>(buffer->end - buffer->begin);
    if (filled < 2 * buffer->copied) return false;
    buffer->copied = filled;
    return true;
}

/// When storage that was made with slack is full, as many elements as it held at first were added since.
std::uint8_t flags_after_growth(const VectorObject& old) {
    BufferObject* buffer = buffer_of(old);
    bool paid = (old.flags & (VectorObject::kCopyPaid | VectorObject::kHasGrown)) ||
                (buffer && old.length >= 2 * buffer->copied);
    return VectorObject::kHasGrown | (paid ? VectorObject::kCopyPaid : 0);
}

/// Moves the elements of `v` (see owns_elements) into a vector with `front` and `back` free slots around them.
Result<Value> with_room(Heap& heap, Value v, std::size_t front, std::size_t back) {
    VectorObject& old = as_mutable_flat(v);
    if (!heap.meter.charge(static_cast<std::int64_t>(old.length / 8))) return heap.meter.error();
    VectorObject* vector = new_flat(heap, front + old.length + back);
    if (!vector) return heap.out_of_memory();
    vector->data += front;
    vector->capacity -= static_cast<std::uint32_t>(front);
    if (!heap.meter.in_pieces(old.length, kMovedAtOnce, [&](std::size_t begin, std::size_t end) {
            move_items(vector->data + begin, old.data + begin, end - begin);
        })) {
        heap.free_object(vector); // the elements are still the old one's
        return heap.meter.error();
    }
    vector->length = old.length;
    vector->flags = flags_after_growth(old);
    if (old.owner) heap.free_object(old.owner);
    heap.free_object(&old);
    (void)v.give_up();
    return heap.value_of(vector);
}

/// A copy of `v` that can be changed, with `front` and `back` free slots. Large ones go into a buffer, whose slack
/// newer versions can claim even if they are shared again.
Result<Value> copied(Heap& heap, const Value& v, std::size_t front, std::size_t back) {
    const VectorObject& from = as_flat(v);
    if (!heap.meter.charge(from.length)) return heap.meter.error();
    if (from.length < kBufferFrom || front + back == 0 || heap.is_frozen()) {
        VectorObject* vector = new_flat(heap, front + from.length + back);
        if (!vector) return heap.out_of_memory();
        vector->data += front;
        vector->capacity -= static_cast<std::uint32_t>(front);
        vector->length = from.length;
        copy_items(vector->data, from.data, from.length);
        return heap.value_of(vector);
    }
    BufferObject* buffer = new_buffer(heap, front + from.length + back, front);
    if (!buffer) return heap.out_of_memory();
    VectorObject* vector = new_header(heap, buffer, buffer->begin, from.length);
    if (!vector) {
        heap.free_object(buffer);
        return heap.out_of_memory();
    }
    copy_items(buffer->begin, from.data, from.length);
    buffer->end += from.length;
    buffer->copied = from.length;
    return heap.value_of(vector);
}

/// The elements of a range as a flat vector with free slots.
Result<Value> range_to_flat(Heap& heap, const Value& v, std::size_t front, std::size_t back) {
    const auto& range = *static_cast<const RangeObject*>(v.object());
    if (!heap.meter.charge(range.length)) return heap.meter.error();
    VectorObject* vector = new_flat(heap, front + range.length + back);
    if (!vector) return heap.out_of_memory();
    vector->data += front;
    vector->capacity -= static_cast<std::uint32_t>(front);
    vector->length = range.length;
    vector->flags = VectorObject::kCopyPaid;
    for (std::uint32_t i = 0; i < range.length; ++i)
        std::construct_at(vector->data + i, Value::small_integer(range.start + i * range.step));
    return heap.value_of(vector);
}

/// `v`, a range or a shared flat vector, as something that an update may be made on: flat if it is cheap, an overlay
/// otherwise. A flat result has the free slots.
Result<Value> changeable(Heap& heap, Value v, std::size_t front, std::size_t back) {
    if (v.is(ObjectType::Range)) {
        if (v.is_sole_owner() || vector_length(v) <= kCopyFreely) return range_to_flat(heap, v, front, back);
        return make_overlay(heap, v);
    }
    if (take_copy_payment(v)) return copied(heap, v, front, back);
    return make_overlay(heap, v);
}

/// Takes a slot at the end of the storage for `item` when `v` reaches it; the new vector, or null (nothing done).
VectorObject* claim_back(Heap& heap, const Value& v, Value& item, bool* full) {
    const VectorObject& vector = as_flat(v);
    BufferObject* buffer = buffer_of(vector);
    *full = false;
    if (!buffer || buffer->end != vector.data + vector.length || buffer->end == buffer->limit) return nullptr;
    if (buffer->refs == kImmortal) return nullptr;
    VectorObject* header = new_header(heap, buffer, vector.data, vector.length + 1U);
    *full = header == nullptr;
    if (!header) return nullptr;
    bits::retain(buffer);
    std::construct_at(buffer->end++, std::move(item));
    return header;
}

/// The same at the front.
VectorObject* claim_front(Heap& heap, const Value& v, Value& item, bool* full) {
    const VectorObject& vector = as_flat(v);
    BufferObject* buffer = buffer_of(vector);
    *full = false;
    if (!buffer || buffer->begin != vector.data || buffer->begin == buffer->items()) return nullptr;
    if (buffer->refs == kImmortal) return nullptr;
    VectorObject* header = new_header(heap, buffer, vector.data - 1, vector.length + 1U);
    *full = header == nullptr;
    if (!header) return nullptr;
    bits::retain(buffer);
    std::construct_at(--buffer->begin, std::move(item));
    return header;
}

/// Whether prepending needs no new storage. Storage that is frozen has no room.
bool has_front_room(const VectorObject& vector) {
    BufferObject* buffer = buffer_of(vector);
    if (buffer) return buffer->begin == vector.data && buffer->begin > buffer->items() && buffer->refs != kImmortal;
    return !vector.owner && vector.data > const_cast<VectorObject&>(vector).inline_items();
}

/// These use room that is known to be there.
void push_front(VectorObject& vector, Value item) {
    std::construct_at(--vector.data, std::move(item));
    ++vector.length;
    if (BufferObject* buffer = buffer_of(vector))
        buffer->begin = vector.data;
    else
        ++vector.capacity;
}
void push_back(VectorObject& vector, Value item) {
    std::construct_at(vector.data + vector.length++, std::move(item));
    if (BufferObject* buffer = buffer_of(vector)) buffer->end = vector.data + vector.length;
}

/// Room for one more at the end of a vector that owns its elements.
Result<Value> grow_back(Heap& heap, Value v) {
    VectorObject& vector = as_mutable_flat(v);
    if (!vector.owner) {
        // A queue leaves its room at the front: slide back when that is at least half of the storage.
        auto front = static_cast<std::size_t>(vector.data - vector.inline_items());
        if (front >= 4 && front >= vector.length) {
            if (!heap.meter.charge(static_cast<std::int64_t>(vector.length / 8))) return heap.meter.error();
            std::memmove(static_cast<void*>(vector.inline_items()), vector.data, vector.length * sizeof(Value));
            vector.data = vector.inline_items();
            vector.capacity += static_cast<std::uint32_t>(front);
            return v;
        }
    }
    return with_room(heap, std::move(v), 0, grown(vector.length) - vector.length);
}

/// Shortens a vector that has one owner.
void narrow(VectorObject& vector, std::size_t start, std::size_t end) {
    BufferObject* buffer = buffer_of(vector);
    bool own_buffer = buffer && buffer->refs == 1;
    if (!vector.owner || own_buffer) {
        Value* stop = vector.data + vector.length;
        Value* from = own_buffer ? buffer->begin : vector.data;
        Value* to = own_buffer ? buffer->end : stop;
        drop_items(from, vector.data + start);
        drop_items(vector.data + end, to);
        if (own_buffer) {
            buffer->begin = vector.data + start;
            buffer->end = vector.data + end;
        } else {
            vector.capacity -= static_cast<std::uint32_t>(start);
        }
    }
    vector.data += start;
    vector.length = static_cast<std::uint32_t>(end - start);
}

Result<Value> range_slice(Heap& heap, Value v, std::size_t start, std::size_t end) {
    const auto& range = *static_cast<const RangeObject*>(v.object());
    std::int64_t first = range.start + static_cast<std::int64_t>(start) * range.step;
    if (v.is_sole_owner()) {
        auto& own = *static_cast<RangeObject*>(v.object());
        own.start = first;
        own.length = static_cast<std::uint32_t>(end - start);
        return v;
    }
    auto* part = heap.allocate<RangeObject>(ObjectType::Range);
    if (!part) return heap.out_of_memory();
    part->length = static_cast<std::uint32_t>(end - start);
    part->start = first;
    part->step = range.step;
    return heap.value_of(part);
}

Result<Value> flat_slice(Heap& heap, Value v, std::size_t start, std::size_t end) {
    VectorObject& vector = as_mutable_flat(v);
    if (v.is_sole_owner()) {
        narrow(vector, start, end);
        return v;
    }
    if (end - start <= kCopySlice) {
        VectorObject* part = new_flat(heap, end - start);
        if (!part) return heap.out_of_memory();
        part->length = static_cast<std::uint32_t>(end - start);
        part->flags = VectorObject::kCopyPaid;
        copy_items(part->data, vector.data + start, end - start);
        return heap.value_of(part);
    }
    Object* owner = vector.owner ? vector.owner : &vector;
    VectorObject* part = new_header(heap, owner, vector.data + start, end - start);
    if (!part) return heap.out_of_memory();
    bits::retain(owner);
    return heap.value_of(part);
}

constinit const VectorObject empty_vector_object{{kImmortal, ObjectType::Vector, 0, 0}, 0, 0, nullptr, nullptr};
constinit const VectorObject empty_list_object{
    {kImmortal, ObjectType::Vector, VectorObject::kIsList, 0}, 0, 0, nullptr, nullptr};
constinit const VectorObject empty_queue_object{
    {kImmortal, ObjectType::Vector, VectorObject::kIsQueue, 0}, 0, 0, nullptr, nullptr};

/// Marks a flat vector that nobody else sees. A list has no room at its back, so that nothing is appended in place.
Value marked(Value v, std::uint8_t ends) {
    if (v.object()->type != ObjectType::Vector || vector_length(v) == 0) return v;
    VectorObject& vector = as_mutable_flat(v);
    vector.flags = static_cast<std::uint8_t>((vector.flags & ~VectorObject::kEnds) | ends);
    if (ends == VectorObject::kIsList && !vector.owner) vector.capacity = vector.length;
    return v;
}

} // namespace

Value empty_with_ends(std::uint8_t ends) {
    const VectorObject* object = ends == 0                       ? &empty_vector_object
                                 : ends == VectorObject::kIsList ? &empty_list_object
                                                                 : &empty_queue_object;
    return Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(object));
}

Value empty_vector() { return empty_with_ends(0); }

Result<Value> vector_with_ends(Heap& heap, Value v, std::uint8_t ends) {
    const std::size_t length = vector_length(v);
    if (length == 0) return empty_with_ends(ends);
    if (vector_ends(v) == ends && (ends == 0 || v.is(ObjectType::Vector))) return v;
    if (!v.is(ObjectType::Vector)) {
        if (!heap.meter.charge(static_cast<std::int64_t>(length))) return heap.meter.error();
        VectorBuilder flat(heap);
        if (!flat.reserve(length)) return heap.out_of_memory();
        for (std::size_t i = 0; i < length; ++i)
            flat.push(vector_get(v, i));
        return marked(PTC_TRY(flat.finish()), ends);
    }
    if (v.is_sole_owner()) return marked(std::move(v), ends);
    VectorObject& vector = as_mutable_flat(v);
    Object* owner = vector.owner ? vector.owner : &vector;
    VectorObject* part = new_header(heap, owner, vector.data, length);
    if (!part) return heap.out_of_memory();
    bits::retain(owner);
    return marked(heap.value_of(part), ends);
}

const Value& vector_element_slow(const Value& v, std::size_t i, Value& temporary) {
    if (v.object()->type == ObjectType::OverlayVector)
        return overlay_element(*static_cast<const OverlayVectorObject*>(v.object()), i, temporary);
    const auto& range = *static_cast<const RangeObject*>(v.object());
    temporary = Value::small_integer(range.start + static_cast<std::int64_t>(i) * range.step);
    return temporary;
}

Result<Value> vector_conj_slow(Heap& heap, Value v, Value item) {
    if (is_empty_constant(v)) {
        VectorObject* first = vector_begun(heap, item.raw());
        if (!first) return heap.out_of_memory();
        (void)item.give_up();
        return heap.value_of(first);
    }
    const std::uint8_t ends = vector_ends(v);
    if (ends == VectorObject::kIsList) return vector_cons(heap, std::move(item), std::move(v));
    if (ends == VectorObject::kIsQueue && !owns_elements(v)) {
        const std::size_t room = grown(vector_length(v)) - vector_length(v);
        v = marked(PTC_TRY(copied(heap, v, 0, room)), ends); // never an overlay, which has no mark
        push_back(as_mutable_flat(v), std::move(item));
        return marked(std::move(v), ends);
    }
    if (v.is(ObjectType::Vector)) {
        bool full = false;
        if (VectorObject* claimed = claim_back(heap, v, item, &full)) return heap.value_of(claimed);
        if (full) return heap.out_of_memory();
    }
    const std::size_t length = vector_length(v);
    if (!v.is(ObjectType::OverlayVector)) {
        if (v.is(ObjectType::Vector) && owns_elements(v))
            v = PTC_TRY(grow_back(heap, std::move(v)));
        else
            v = PTC_TRY(changeable(heap, std::move(v), 0, grown(length) - length));
    }
    if (v.is(ObjectType::OverlayVector)) return overlay_assoc(heap, std::move(v), length, std::move(item));
    push_back(as_mutable_flat(v), std::move(item));
    return ends == 0 ? std::move(v) : marked(std::move(v), ends);
}

Result<Value> vector_assoc_slow(Heap& heap, Value v, std::size_t i, Value item) {
    if (const std::uint8_t ends = vector_ends(v)) { // as in place: a list stays one; an overlay has no mark
        Value copy = marked(PTC_TRY(copied(heap, v, 0, 0)), ends);
        as_mutable_flat(copy).data[i] = std::move(item);
        return copy;
    }
    if (!v.is(ObjectType::OverlayVector)) v = PTC_TRY(changeable(heap, std::move(v), 0, 0));
    if (v.is(ObjectType::OverlayVector)) return overlay_assoc(heap, std::move(v), i, std::move(item));
    as_mutable_flat(v).data[i] = std::move(item);
    return v;
}

Result<Value> vector_slice(Heap& heap, Value v, std::size_t start, std::size_t end) {
    if (v.is_sole_owner() && v.object()->type == ObjectType::Vector && start < end) [[likely]] {
        VectorObject& vector = as_mutable_flat(v);
        const bool is_plain = !vector.owner && !(vector.flags & VectorObject::kEnds);
        if (is_plain) { // the commonest: `rest` along a vector
            drop_items(vector.data, vector.data + start);
            drop_items(vector.data + end, vector.data + vector.length);
            vector.capacity -= static_cast<std::uint32_t>(start);
            vector.data += start;
            vector.length = static_cast<std::uint32_t>(end - start);
            return v;
        }
    }
    const std::uint8_t had = vector_ends(v);
    const std::uint8_t ends = end == vector_length(v) ? had : std::uint8_t{0};
    if (start == end) return empty_with_ends(ends);
    if (start == 0 && end == vector_length(v)) return v;
    switch (v.object()->type) {
    case ObjectType::Range: return range_slice(heap, std::move(v), start, end);
    case ObjectType::OverlayVector: return overlay_slice(heap, std::move(v), start, end);
    default: break;
    }
    Value part = PTC_TRY(flat_slice(heap, std::move(v), start, end));
    return had == 0 ? std::move(part) : marked(std::move(part), ends);
}

Result<Value> vector_cons(Heap& heap, Value item, Value v) {
    std::size_t room = grown(vector_length(v)) - vector_length(v);
    const std::uint8_t ends = vector_ends(v);
    if (v.is(ObjectType::Vector)) {
        if (v.is_sole_owner() && has_front_room(as_flat(v))) {
            push_front(as_mutable_flat(v), std::move(item));
            return v;
        }
        bool full = false;
        if (VectorObject* claimed = claim_front(heap, v, item, &full)) return marked(heap.value_of(claimed), ends);
        if (full) return heap.out_of_memory();
    }
    if (!v.is(ObjectType::OverlayVector)) {
        if (v.is(ObjectType::Vector) && owns_elements(v))
            v = PTC_TRY(with_room(heap, std::move(v), room, 0));
        else if (ends != 0)
            v = PTC_TRY(copied(heap, v, room, 0)); // never an overlay, which has no mark
        else
            v = PTC_TRY(changeable(heap, std::move(v), room, 0));
    }
    if (v.is(ObjectType::OverlayVector)) return overlay_cons(heap, std::move(item), std::move(v));
    push_front(as_mutable_flat(v), std::move(item));
    return ends == 0 ? std::move(v) : marked(std::move(v), ends);
}

Result<Value> vector_concat(Heap& heap, Value a, const Value& b) {
    std::size_t n = vector_length(a), m = vector_length(b);
    if (m == 0) return a;
    if (n == 0) return vector_with_ends(heap, b.copy(), 0); // a list among them makes no list of the whole
    if (!heap.meter.charge(static_cast<std::int64_t>(m))) return heap.meter.error();
    VectorReader more(b);
    const bool is_list = vector_ends(a) == VectorObject::kIsList; // conj would put them in front
    bool copies = is_list || (!a.is_sole_owner() && m >= n / 8);
    if (!copies) {
        if (a.is(ObjectType::Vector) && owns_elements(a)) {
            VectorObject& vector = as_mutable_flat(a);
            if (vector.capacity - vector.length < m && m > 1)
                a = PTC_TRY(with_room(heap, std::move(a), 0, std::max(m, grown(n) - n)));
            VectorObject& longer = as_mutable_flat(a);
            if (b.is(ObjectType::Vector) && !longer.owner && longer.capacity - longer.length >= m) {
                if (!append_copies(heap.meter, longer, as_flat(b).data, m)) return heap.meter.error();
                return a;
            }
        }
        for (std::size_t i = 0; i < m; ++i)
            a = PTC_TRY(vector_conj(heap, std::move(a), more.at(i)));
        return a;
    }
    if (!heap.meter.charge(static_cast<std::int64_t>(n))) return heap.meter.error();
    if (a.is(ObjectType::Vector) && b.is(ObjectType::Vector)) {
        VectorObject* both = new_flat(heap, n + m);
        if (!both) return heap.out_of_memory();
        Value whole = heap.value_of(both);
        if (!append_copies(heap.meter, *both, as_flat(a).data, n) ||
            !append_copies(heap.meter, *both, as_flat(b).data, m))
            return heap.meter.error();
        both->flags = VectorObject::kCopyPaid;
        return whole;
    }
    VectorBuilder both(heap);
    if (!both.reserve(n + m)) return heap.out_of_memory();
    VectorReader first(a);
    for (std::size_t i = 0; i < n; ++i)
        both.push(first.at(i));
    for (std::size_t i = 0; i < m; ++i)
        both.push(more.at(i));
    return both.finish();
}

namespace {

/// new_flat for a few items, where all sizes are small ones: most vectors that programs write are pairs.
VectorObject* new_short(Heap& heap, std::uint32_t n) {
    const std::uint32_t bytes = (static_cast<std::uint32_t>(sizeof(VectorObject) + n * sizeof(Value)) + 15) / 16 * 16;
    auto* vector = heap.allocate<VectorObject>(ObjectType::Vector, bytes);
    if (!vector) return nullptr;
    vector->capacity = (bytes - static_cast<std::uint32_t>(sizeof(VectorObject))) / sizeof(Value);
    vector->data = vector->inline_items();
    vector->owner = nullptr;
    return vector;
}

} // namespace

VectorObject* vector_of_words(Heap& heap, const Bits* items, std::uint32_t n) {
    constexpr std::uint32_t kShort = 16;
    VectorObject* vector = n <= kShort ? new_short(heap, n) : new_flat(heap, n);
    if (!vector) return nullptr;
    vector->length = n;
    vector->flags = VectorObject::kCopyPaid;
    auto* words = reinterpret_cast<Bits*>(vector->data);
    for (std::uint32_t i = 0; i < n; ++i)
        words[i] = items[i];
    return vector;
}

VectorObject* vector_begun(Heap& heap, Bits item) {
    VectorObject* vector = new_short(heap, static_cast<std::uint32_t>(grown(0)));
    if (!vector) return nullptr;
    vector->length = 1;
    *reinterpret_cast<Bits*>(vector->data) = item;
    return vector;
}

Result<Value> make_vector(Heap& heap, std::span<Value> items) {
    if (items.empty()) return empty_vector();
    VectorObject* vector = new_flat(heap, items.size());
    if (!vector) return heap.out_of_memory();
    vector->length = static_cast<std::uint32_t>(items.size());
    vector->flags = VectorObject::kCopyPaid;
    for (std::size_t i = 0; i < items.size(); ++i)
        std::construct_at(vector->data + i, std::move(items[i]));
    return heap.value_of(vector);
}

Result<Value> make_nil_vector(Heap& heap, std::size_t n) {
    if (n == 0) return empty_vector();
    VectorBuilder items(heap);
    if (!items.reserve(n)) return heap.out_of_memory();
    for (std::size_t i = 0; i < n; ++i)
        items.push(Value());
    return items.finish();
}

Result<Value> make_range(Heap& heap, std::int64_t start, std::int64_t end, std::int64_t step) {
    bool empty = step > 0 ? start >= end : start <= end;
    if (empty) return empty_vector();
    // Unsigned: the distance of two int64 may be larger than an int64.
    std::uint64_t distance = step > 0 ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)
                                      : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
    std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    std::uint64_t length = (distance - 1) / stride + 1;
    if (length > kMaxLength) return heap.out_of_memory();
    std::int64_t last = start + static_cast<std::int64_t>((length - 1) * stride) * (step > 0 ? 1 : -1);
    if (!bits::fits_integer(start) || !bits::fits_integer(last)) {
        VectorBuilder items(heap);
        for (std::uint64_t i = 0; i < length; ++i) {
            if (!heap.meter.charge(1)) return heap.meter.error();
            if (!items.push(PTC_TRY(make_integer(heap, start + static_cast<std::int64_t>(i) * step)))) break;
        }
        return items.finish();
    }
    auto* range = heap.allocate<RangeObject>(ObjectType::Range);
    if (!range) return heap.out_of_memory();
    range->length = static_cast<std::uint32_t>(length);
    range->start = start;
    range->step = step;
    return heap.value_of(range);
}

Value vector_take(Value& v, std::size_t i) {
    Value* slot = v.is(ObjectType::OverlayVector) ? overlay_slot_in_place(v, i) : vector_slot_in_place(v, i);
    return slot ? std::move(*slot) : vector_get(v, i);
}

VectorBuilder::~VectorBuilder() {
    if (!vector_) return;
    vector_->length = size_;
    release_object(vector_); // which looks at the clock
}

bool VectorBuilder::move_to(std::size_t capacity) {
    VectorObject* larger = failed_ ? nullptr : new_flat(heap_, capacity);
    if (!larger) {
        failed_ = true;
        return false;
    }
    if (vector_ && !heap_.meter.in_pieces(size_, kMovedAtOnce, [&](std::size_t begin, std::size_t end) {
            move_items(larger->data + begin, vector_->data + begin, end - begin);
        })) {
        heap_.free_object(larger); // the items are still the smaller one's
        failed_ = true;
        return false;
    }
    if (vector_) heap_.free_object(vector_);
    vector_ = larger;
    capacity_ = larger->capacity;
    return true;
}

bool VectorBuilder::reserve(std::size_t n) { return n <= capacity_ ? !failed_ : move_to(n); }

bool VectorBuilder::grow(std::size_t needed) {
    heap_.meter.charge_unchecked(size_ / 8);
    return move_to(std::max(needed, grown(size_)));
}

Result<Value> VectorBuilder::finish() {
    if (failed_) return heap_.out_of_memory();
    if (size_ == 0) return empty_vector();
    vector_->length = size_;
    vector_->flags = VectorObject::kCopyPaid;
    return heap_.value_of(std::exchange(vector_, nullptr));
}

} // namespace ptc
