// Values from bytes that may have been made to harm: the headers of objects, and what refers to what.
//
// An object becomes a frame on a stack of the reader's own (bytes can nest as deeply as they like), is made in a safe
// state from its checked header, and is filled part by part. It counts as complete at its end, and only complete
// objects can be referred to, so nothing refers to itself. Numbers that code relies on are checked or computed anew:
// lengths against the bytes that are left, hashes, counts of overlays. Work is metered and memory charged before it is
// allocated. Parts and ends of objects are in graph_reader_parts.cpp.
#include "vm/snapshot/graph_reader.h"
#include "frontend/try.h"
#include "runtime/builtin.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/overlay_vector.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include "runtime/time.h"
#include <algorithm>

namespace ptc {

using namespace graph;

namespace {

Value frozen_value(const Object* object) { return Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(object)); }

bool is_read_at_once(ObjectType type) {
    switch (type) {
    case ObjectType::String:
    case ObjectType::Keyword:
    case ObjectType::BigInteger:
    case ObjectType::Range:
    case ObjectType::Regex:
    case ObjectType::Var:
    case ObjectType::Symbol:
    case ObjectType::LocalDate:
    case ObjectType::Instant:
    case ObjectType::Duration:
    case ObjectType::Period:
    case ObjectType::LocalDateTime:
    case ObjectType::LocalTime:
    case ObjectType::ZonedDateTime:
    case ObjectType::YearMonth:
    case ObjectType::TimeConstant: return true;
    default: return false;
    }
}

/// The parts of what is made already and has values side by side; null for all else.
Value* values_of(ObjectType type, const Value& object) {
    if (object.is_hole()) return nullptr;
    switch (type) {
    case ObjectType::Vector: return as_mutable_flat(object).data;
    case ObjectType::Record: return as_record(object).values();
    case ObjectType::Closure: return static_cast<ClosureObject*>(object.object())->captures();
    case ObjectType::Buffer: return static_cast<BufferObject*>(object.object())->begin;
    default: return nullptr;
    }
}

/// Whether it is ASCII without a carriage return: valid, and each byte a grapheme.
bool is_plain(std::string_view text) {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x80 * kOnes, kReturns = '\r' * kOnes;
    const auto has_other = [](std::uint64_t word) {
        const std::uint64_t x = word ^ kReturns; // a zero byte where a return is
        return (((x - kOnes) & ~x) | word) & kHighs;
    };
    std::uint64_t found = 0;
    while (text.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data(), 8);
        found |= has_other(word);
        text.remove_prefix(8);
    }
    const std::size_t left = text.size();
    std::uint64_t word = 0x20; // nothing that is looked for
    if (left >= 4) {
        std::uint32_t ends[2]; // which overlap
        std::memcpy(&ends[0], text.data(), 4);
        std::memcpy(&ends[1], text.data() + left - 4, 4);
        word = std::uint64_t{ends[0]} << 32 | ends[1];
    } else if (left > 0) {
        word = static_cast<unsigned char>(text[0]) | static_cast<unsigned char>(text[left / 2]) << 8 |
               static_cast<unsigned>(static_cast<unsigned char>(text[left - 1])) << 16;
    }
    return (found | has_other(word)) == 0;
}

} // namespace

GraphReader::~GraphReader() {
    frames_.clear();
    heap_.refund_bytes(charged_ > room_ ? charged_ - room_ : 0);
}

bool GraphReader::bad(const char* what) {
    if (!error_)
        error_ = ErrorPtr(Error(Reason::InvalidSnapshot, std::string("Cannot go on from the snapshot: ") + what + "."));
    return false;
}

bool GraphReader::full() {
    if (!error_)
        error_ = ErrorPtr(heap_.meter.has_run_out() ? reading_ended(heap_.meter.error()) : heap_.out_of_memory());
    return false;
}

Error GraphReader::error() const {
    return error_ ? *error_ : Error(Reason::InvalidSnapshot, "Cannot go on from the snapshot: it is cut short.");
}

Result<Value> GraphReader::read() {
    Value value = PTC_TRY(read_or_hole());
    if (is_whole(value)) return value;
    (void)bad("a part of a value stands for one");
    return error();
}

Result<Value> GraphReader::read_or_hole() {
    Value root;
    bool is_ready = next(&root);
    while (!error_ && in_.ok() && !frames_.empty()) {
        Frame& top = frames_.back();
        if (top.next == top.parts) {
            Value made;
            if (top.type == ObjectType::Record && !top.is_shared)
                made = std::move(top.object);
            else if (!finish(top, &made))
                break;
            frames_.pop_back();
            if (frames_.empty()) {
                root = std::move(made);
                is_ready = true;
            } else if (!take(frames_.back(), std::move(made)))
                break;
            continue;
        }
        if (Value* values = values_of(top.type, top.object)) {
            if (!fill(top, values)) break;
            continue;
        }
        const std::size_t level = frames_.size();
        Value part;
        if (next(&part) && !take(frames_[level - 1], std::move(part))) break;
    }
    if (heap_.meter.has_run_out()) (void)full();
    const bool ok = !error_ && in_.ok() && is_ready;
    if (!ok) frames_.clear();
    if (ok) return root;
    return error();
}

// Values side by side, up to the first one that is not complete at once: a frame is there for it then. Texts, which
// most of them are, get none.
bool GraphReader::fill(Frame& frame, Value* values) {
    const std::size_t level = frames_.size();
    while (frame.next < frame.parts) {
        const std::uint8_t tag = in_.byte();
        const std::uint8_t kind = tag & ~(kShared | kFrozenObject);
        Value part;
        if (tag == static_cast<std::uint8_t>(Tag::Integer)) {
            const std::int64_t i = in_.integer();
            if (!bits::fits_integer(i)) return bad("an integer is outside of its range");
            std::construct_at(values + frame.next++, Value::small_integer(i)); // over nil, which owns nothing
            continue;
        }
        if (tag == static_cast<std::uint8_t>(Tag::Double)) {
            std::construct_at(values + frame.next++, Value::number(in_.fixed<double>()));
            continue;
        }
        if (kind == kObject + static_cast<unsigned>(ObjectType::String) ||
            kind == kObject + static_cast<unsigned>(ObjectType::Keyword)) {
            Heap& heap = tag & kFrozenObject ? store_.heap : heap_;
            if (!read_text(static_cast<ObjectType>(kind - kObject), heap, &part)) return false;
            if (tag & kShared) make_known(part);
            if (error_) return false;
        } else if (tag < kObject) {
            if (!in_.ok() || !read_simple(tag, &part)) return false;
        } else if (!read_object(tag, &part)) {
            return frames_.size() != level; // and `frame` may have moved
        }
        if (frame.is_frozen && part.is_counted()) return bad("a frozen value has a part that is not");
        if (!is_whole(part)) return bad("a part of a value stands for one");
        std::construct_at(values + frame.next++, std::move(part));
    }
    return true;
}

Result<void> GraphReader::read_shapes() {
    for (std::size_t n = in_.count(2); n > 0 && in_.ok(); --n) {
        Object* shape = nullptr;
        if (!read_shape(false, &shape)) return error();
    }
    return {};
}

// The next value, if it is complete at once; else a frame is there for it, or an error.
bool GraphReader::next(Value* out) {
    const std::uint8_t tag = in_.byte();
    if (!in_.ok()) return false;
    if (tag < kObject) return read_simple(tag, out);
    return read_object(tag, out);
}

bool GraphReader::read_simple(std::uint8_t tag, Value* out) {
    switch (static_cast<Tag>(tag)) {
    case Tag::Nil: *out = Value(); return true;
    case Tag::False: *out = Value::boolean(false); return true;
    case Tag::True: *out = Value::boolean(true); return true;
    case Tag::Hole: *out = Value::hole(); return true;
    case Tag::EmptyVector: *out = empty_vector(); return true;
    case Tag::EmptyMap: *out = empty_map(); return true;
    case Tag::EmptySet: *out = empty_set(); return true;
    case Tag::EmptyList: *out = empty_with_ends(VectorObject::kIsList); return true;
    case Tag::EmptyQueue: *out = empty_with_ends(VectorObject::kIsQueue); return true;
    case Tag::Integer: {
        const std::int64_t i = in_.integer();
        if (!bits::fits_integer(i)) return bad("an integer is outside of its range");
        *out = Value::small_integer(i);
        return true;
    }
    case Tag::Double: *out = Value::number(in_.fixed<double>()); return true;
    case Tag::Builtin: {
        const std::uint64_t index = in_.below(all_builtins().size());
        *out = Value::builtin(static_cast<std::uint32_t>(index));
        return true;
    }
    case Tag::Function: {
        const FunctionProto* proto = read_function();
        if (!proto) return false;
        if (proto->capture_count != 0) return bad("a function lacks what it captures");
        *out = Value::function(proto);
        return true;
    }
    case Tag::Again: return read_again(out);
    case Tag::Outside: return read_outside(out);
    case Tag::SharedString: {
        const std::uint64_t number = in_.below(kSharedStrings);
        if (in_.ok()) *out = shared_string(static_cast<std::size_t>(number));
        return in_.ok();
    }
    }
    return bad("a value is of no known kind");
}

const FunctionProto* GraphReader::read_function() {
    const auto& programs = references_.programs();
    const std::uint64_t program = in_.below(programs.size());
    const std::uint64_t index = in_.size();
    if (!in_.ok() || !programs[program] || index >= programs[program]->functions.size()) {
        (void)bad("there is no such function");
        return nullptr;
    }
    return programs[program]->functions[index].get();
}

bool GraphReader::read_again(Value* out) {
    const std::uint64_t number = in_.below(known_.size());
    if (!in_.ok()) return bad("a value stands for one that is not known yet");
    *out = known_[number].copy();
    return true;
}

bool GraphReader::read_outside(Value* out) {
    const std::uint8_t type = in_.byte();
    const Bits bits = references_.read_place(in_);
    if (bits == bits::kHole || static_cast<std::uint8_t>(bits::to_object(bits)->type) != type)
        return bad("the data are not those that it was made with");
    *out = Value::adopt(bits);
    make_known(*out);
    return !error_;
}

bool GraphReader::charge_own(std::size_t bytes) {
    const std::size_t before = std::max(charged_, room_), after = std::max(charged_ + bytes, room_);
    if (!heap_.charge_bytes(after - before)) return false;
    charged_ += bytes;
    return true;
}

void GraphReader::make_known(const Value& value) {
    if (!charge_own(sizeof(Value))) return (void)full();
    known_.push_back(value.copy());
}

// True when the object has no parts, and so is complete.
bool GraphReader::read_object(std::uint8_t tag, Value* out) {
    Frame frame;
    frame.type = static_cast<ObjectType>(tag & (kObject - 1));
    frame.is_shared = tag & kShared;
    frame.is_frozen = tag & kFrozenObject;
    if (!begin(frame) || !in_.ok()) return false;
    if (frame.parts == 0) return finish(frame, out);
    if (frames_.size() == frames_.capacity()) {
        const std::size_t grown = std::max<std::size_t>(16, 2 * frames_.capacity());
        if (!charge_own((grown - frames_.capacity()) * sizeof(Frame))) return full();
        frames_.reserve(grown);
    }
    frames_.push_back(std::move(frame));
    return false;
}

// ---- Plain fields

bool GraphReader::begin(Frame& frame) {
    frame.object = Value::hole();
    switch (frame.type) {
    case ObjectType::Vector: return begin_vector(frame);
    case ObjectType::Record: return begin_record(frame);
    case ObjectType::HashMap:
    case ObjectType::HashSet: return begin_table(frame);
    case ObjectType::Closure: return begin_closure(frame);
    case ObjectType::Buffer: return begin_buffer(frame);
    case ObjectType::TrieNode: return begin_node(frame);
    case ObjectType::OverlayVector: {
        frame.flags = in_.byte();
        const std::size_t fields = frame.flags & kOverRange ? 6 : 7;
        for (std::size_t i = 0; i < fields; ++i)
            frame.fields[i] = in_.size();
        frame.parts = 2;
        return true;
    }
    case ObjectType::OverlayMap:
    case ObjectType::OverlaySet:
        frame.flags = in_.byte();
        frame.fields[0] = in_.size();
        frame.parts = 2;
        return true;
    default: break;
    }
    if (!is_read_at_once(frame.type)) return bad("an object is of no known kind");
    return read_leaf(frame);
}

bool GraphReader::begin_vector(Frame& frame) {
    frame.flags = in_.byte();
    if (frame.flags & kIsSlice) {
        frame.fields[0] = in_.size();
        frame.fields[1] = in_.size();
        frame.parts = 1;
        return true;
    }
    const std::size_t length = in_.count();
    std::uint64_t slots =
        (Heap::usable_size(sizeof(VectorObject) + length * sizeof(Value)) - sizeof(VectorObject)) / sizeof(Value);
    std::uint64_t front = 0, capacity = slots;
    if (frame.flags & kHasSlack) {
        slots = in_.below(UINT32_MAX);
        front = in_.size();
        capacity = in_.size();
    }
    if (!in_.ok() || front > slots || std::max<std::uint64_t>(length, capacity) > slots - front)
        return bad("a vector is larger than its room");
    auto* vector =
        heap_for(frame).allocate<VectorObject>(ObjectType::Vector, sizeof(VectorObject) + slots * sizeof(Value));
    if (!vector) return full();
    vector->flags = frame.flags & kKeptVectorFlags;
    vector->length = static_cast<std::uint32_t>(length);
    const bool is_list = vector->flags & VectorObject::kIsList;
    vector->capacity = static_cast<std::uint32_t>(is_list ? length : capacity);
    vector->data = vector->inline_items() + front;
    vector->owner = nullptr;
    for (std::size_t i = 0; i < length; ++i)
        std::construct_at(vector->data + i);
    frame.object = heap_for(frame).value_of(vector);
    frame.parts = length;
    return true;
}

bool GraphReader::begin_record(Frame& frame) {
    Object* object = nullptr;
    if (!read_shape(frame.is_frozen, &object)) return false;
    auto* shape = static_cast<ShapeObject*>(object);
    auto* record =
        heap_for(frame).allocate<RecordObject>(ObjectType::Record, sizeof(RecordObject) + shape->count * sizeof(Value));
    if (!record) return full();
    bits::retain(shape);
    record->shape = shape;
    for (std::uint32_t i = 0; i < shape->count; ++i)
        std::construct_at(record->values() + i);
    frame.object = heap_for(frame).value_of(record);
    frame.parts = shape->count;
    return true;
}

bool GraphReader::begin_table(Frame& frame) {
    frame.flags = in_.byte();
    const std::size_t width = frame.type == ObjectType::HashMap ? 2 : 1;
    const std::size_t count = in_.count(width);
    const std::uint64_t capacity = in_.below(UINT32_MAX / 2);
    if (!in_.ok() || capacity < count) return bad("a table is larger than its room");
    if (frame.flags & kHasView) {
        for (std::size_t i = 0; i < 3; ++i)
            frame.fields[i] = in_.below(UINT32_MAX / 2);
        if (!in_.ok() || frame.fields[1] + count > frame.fields[2]) return bad("a view is larger than its room");
    }
    const bool has_comparator = (frame.flags & kHasComparator) != 0;
    if (has_comparator && !(frame.flags & HashTableObject::kArranged)) return bad("a comparator orders nothing");
    HashTableObject* table = new_table(heap_for(frame), frame.type, static_cast<std::uint32_t>(capacity));
    if (!table) return full();
    table->flags = frame.flags & (HashTableObject::kCopyPaid | HashTableObject::kHasGrown | HashTableObject::kOrders);
    frame.object = heap_for(frame).value_of(table);
    frame.parts = count * width + has_comparator;
    return true;
}

bool GraphReader::begin_closure(Frame& frame) {
    const FunctionProto* proto = read_function();
    if (!proto) return false;
    const std::uint16_t count = proto->capture_count;
    auto* closure =
        heap_for(frame).allocate<ClosureObject>(ObjectType::Closure, sizeof(ClosureObject) + count * sizeof(Value));
    if (!closure) return full();
    closure->count = count;
    closure->function = proto;
    for (std::uint32_t i = 0; i < count; ++i)
        std::construct_at(closure->captures() + i);
    frame.object = heap_for(frame).value_of(closure);
    frame.parts = count;
    return true;
}

bool GraphReader::begin_buffer(Frame& frame) {
    std::uint64_t slots = in_.below(UINT32_MAX);
    const std::uint64_t begin = in_.size(), end = in_.size(), copied = in_.size();
    if (!in_.ok() || begin > end || end > slots || end - begin > in_.left())
        return bad("a buffer is larger than its room");
    if (frame.is_frozen) slots = end; // no slack that a slice could claim
    auto* buffer =
        heap_for(frame).allocate<BufferObject>(ObjectType::Buffer, sizeof(BufferObject) + slots * sizeof(Value));
    if (!buffer) return full();
    buffer->limit = buffer->items() + slots;
    buffer->begin = buffer->items() + begin;
    buffer->end = buffer->items() + end;
    buffer->copied = copied;
    for (Value* at = buffer->begin; at != buffer->end; ++at)
        std::construct_at(at);
    frame.object = heap_for(frame).value_of(buffer);
    frame.parts = end - begin;
    return true;
}

bool GraphReader::begin_node(Frame& frame) {
    frame.flags = in_.byte();
    const auto kind = static_cast<TrieNodeKind>(frame.flags);
    if (frame.flags > static_cast<std::uint8_t>(TrieNodeKind::Collision)) return bad("a node is of no known kind");
    std::uint64_t bytes = sizeof(VectorLeaf);
    frame.parts = kBranches;
    if (kind == TrieNodeKind::Edits || kind == TrieNodeKind::Collision) {
        const auto data = frame.fields[0] = in_.fixed<std::uint32_t>();
        const auto children = frame.fields[1] = in_.fixed<std::uint32_t>();
        const std::uint64_t edits =
            kind == TrieNodeKind::Collision ? data : static_cast<std::uint64_t>(std::popcount(data));
        bytes = in_.size();
        frame.parts = 2 * edits + static_cast<std::uint64_t>(std::popcount(children));
        const std::uint64_t least =
            sizeof(EditsNode) + edits * sizeof(KeyEdit) + (frame.parts - 2 * edits) * sizeof(Object*);
        if (!in_.ok() || frame.parts > in_.left() || bytes < least ||
            (kind == TrieNodeKind::Collision && children != 0))
            return bad("a node is larger than its room");
    }
    auto* node = heap_for(frame).allocate_object(ObjectType::TrieNode, bytes);
    if (!node) return full();
    node->flags = frame.flags;
    frame.object = heap_for(frame).value_of(node);
    switch (kind) {
    case TrieNodeKind::VectorInner:
        static_cast<VectorInner*>(node)->unused = 0;
        static_cast<VectorInner*>(node)->children.fill(nullptr);
        break;
    case TrieNodeKind::VectorLeaf:
        static_cast<VectorLeaf*>(node)->unused = 0;
        static_cast<VectorLeaf*>(node)->bits.fill(bits::kNil);
        break;
    case TrieNodeKind::Edits:
    case TrieNodeKind::Collision:
        static_cast<EditsNode*>(node)->data = static_cast<EditsNode*>(node)->children = 0;
        break;
    }
    return true;
}

// ---- Shapes

bool GraphReader::read_shape(bool is_frozen, Object** out) {
    const std::uint64_t tag = in_.size();
    constexpr auto kFirst = static_cast<std::uint64_t>(ShapeTag::First);
    if (tag >= kFirst) {
        if (tag - kFirst >= shape_list_.size()) return bad("a shape is not known yet");
        *out = shape_list_[tag - kFirst].object();
    } else if (tag == static_cast<std::uint64_t>(ShapeTag::Outside)) {
        const Bits bits = references_.read_place(in_);
        if (bits == bits::kHole || bits::to_object(bits)->type != ObjectType::Shape)
            return bad("the data are not those that it was made with");
        *out = bits::to_object(bits);
        shape_list_.push_back(frozen_value(*out));
    } else if (!read_shape_keys(tag == static_cast<std::uint64_t>(ShapeTag::Frozen), out)) {
        return false;
    }
    if (static_cast<ShapeObject*>(*out)->part_count() == 0) return bad("a record has no fields");
    if (is_frozen && shape_list_.size() && (*out)->refs != kImmortal)
        return bad("a frozen value has a part that is not");
    return true;
}

bool GraphReader::read_shape_keys(bool is_frozen, Object** out) {
    const std::uint64_t written = in_.size();
    const std::uint64_t type_count = written >= ShapeObject::kTypedCount ? 1 : 0;
    const std::uint64_t count = written - type_count * ShapeObject::kTypedCount;
    if (!in_.ok() || count > ShapeObject::kMaxFields) return bad("a record has too many fields");
    if (written == 0) return bad("a record has no fields");
    std::array<Value, ShapeObject::kMaxFields + 1> parts; // the keys, then the type
    for (std::size_t i = 0; i < count + type_count; ++i) {
        const std::size_t level = frames_.size();
        const bool is_read = next(&parts[i]);
        if (frames_.size() != level || !is_read || !is_field_key(parts[i]) || (is_frozen && parts[i].is_counted()))
            return bad("a record's field is no key");
        if (i == count && !parts[i].is_keyword()) return bad("a record's type is no keyword");
        if (i > 0 && i < count && total_order(heap_, parts[i - 1], parts[i]) >= 0)
            return bad("a record's fields are out of order");
    }
    ShapeTable& table = is_frozen ? store_.shapes : shapes_;
    const Value* type = type_count ? &parts[count] : nullptr;
    ShapeObject* shape = table.intern(std::span<const Value>(parts.data(), count), type);
    if (!shape) return full();
    *out = shape;
    shape_list_.push_back(is_frozen
                              ? frozen_value(shape)
                              : Value::adopt(bits::kCounted | reinterpret_cast<Bits>(static_cast<Object*>(shape))));
    return true;
}

// ---- What has no parts

bool GraphReader::read_leaf(Frame& frame) {
    switch (frame.type) {
    case ObjectType::BigInteger: return read_big_integer(frame);
    case ObjectType::Range: return read_range(frame);
    case ObjectType::LocalDate:
    case ObjectType::Instant:
    case ObjectType::Duration:
    case ObjectType::Period:
    case ObjectType::LocalDateTime:
    case ObjectType::LocalTime:
    case ObjectType::ZonedDateTime:
    case ObjectType::YearMonth:
    case ObjectType::TimeConstant: return read_time(frame);
    case ObjectType::Regex: {
        const std::string_view pattern = in_.text();
        if (!in_.ok()) return false;
        Result<Value> regex = make_regex(heap_for(frame), pattern);
        if (!regex.ok()) return regex.error().reason == Reason::RuntimeError ? bad("a pattern is malformed") : full();
        frame.object = std::move(regex).value();
        return true;
    }
    default: return read_text(frame.type, heap_for(frame), &frame.object);
    }
}

bool GraphReader::read_text(ObjectType type, Heap& heap, Value* out) {
    const bool has_room = in_.byte() & kHasRoom;
    const std::uint64_t room = has_room ? in_.size() : 0;
    const std::string_view text = in_.raw();
    if (!in_.ok()) return false;
    const std::size_t bytes = StringObject::bytes_for(text.size());
    if (text.size() > UINT32_MAX - 64 || (has_room && (room < bytes || room > UINT32_MAX)))
        return bad("a text is larger than its room");
    auto* object = heap.allocate<StringObject>(type, has_room ? room : bytes);
    if (!object) return full();
    object->size = static_cast<std::uint32_t>(text.size());
    std::construct_at(&object->hash_cache, 0u);
    std::construct_at(&object->length_cache, 0u);
    if (!text.empty()) std::memcpy(object->bytes, text.data(), text.size());
    *out = heap.value_of(object);
    if (is_plain(text)) [[likely]] {
        object->flags = StringObject::kAscii;
        return true;
    }
    if (utf8::find_invalid(text) != utf8::kValid) return bad("a text is not UTF-8");
    finish_string(*out);
    return true;
}

bool GraphReader::read_big_integer(Frame& frame) {
    const bool is_negative = in_.byte() != 0;
    const std::size_t limbs = in_.count(sizeof(std::uint64_t));
    if (limbs == 0) return bad("an integer without digits");
    auto* integer = heap_for(frame).allocate<BigIntegerObject>(
        ObjectType::BigInteger, sizeof(BigIntegerObject) + limbs * sizeof(std::uint64_t));
    if (!integer) return full();
    integer->limb_count = static_cast<std::uint32_t>(limbs);
    integer->negative = is_negative;
    for (std::size_t i = 0; i < limbs; ++i)
        integer->limbs()[i] = in_.fixed<std::uint64_t>();
    frame.object = heap_for(frame).value_of(integer);
    const std::uint64_t top = integer->limbs()[limbs - 1];
    const std::uint64_t inline_limit = (std::uint64_t{1} << 50) + is_negative;
    if (top == 0 || (limbs == 1 && top < inline_limit)) return bad("an integer is not in its shortest form");
    return true;
}

bool GraphReader::read_range(Frame& frame) {
    const std::uint64_t length = in_.below(UINT32_MAX);
    const std::int64_t start = in_.integer(), step = in_.integer();
    if (!in_.ok() || !bits::fits_integer(start) || !bits::fits_integer(step))
        return bad("a range outside of the integers");
    __extension__ using Wide = __int128;
    const Wide last =
        static_cast<Wide>(start) + static_cast<Wide>(step) * static_cast<Wide>(length == 0 ? 0 : length - 1);
    if (step == 0 || length == 0 || last < bits::kMinInteger || last > bits::kMaxInteger)
        return bad("a range outside of the integers");
    auto* range = heap_for(frame).allocate<RangeObject>(ObjectType::Range);
    if (!range) return full();
    range->length = static_cast<std::uint32_t>(length);
    range->start = start;
    range->step = step;
    frame.object = heap_for(frame).value_of(range);
    return true;
}

bool GraphReader::read_time(Frame& frame) {
    const std::int64_t a = in_.integer(), b = in_.integer();
    if (!in_.ok()) return false;
    Result<Value> time = make_time_of_type(heap_for(frame), frame.type, a, b, "snapshot");
    if (!time.ok()) return time.error().reason == Reason::MemoryExceeded ? full() : bad("a time outside of its range");
    frame.object = std::move(time).value();
    return true;
}

Error reading_ended(Error error) {
    if (error.reason == Reason::FuelExhausted)
        return Error(Reason::InvalidSnapshot, "Cannot go on from the snapshot: it was made to take long.");
    if (error.reason == Reason::Timeout)
        return Error(Reason::Timeout, "Reading the snapshot took longer than the time limit of the run.");
    return error;
}

} // namespace ptc
