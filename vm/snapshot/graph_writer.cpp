// Values as bytes, with their sharing and as they are made inside: slack, overlays and views are kept, so that a run
// that goes on from bytes costs what it would have cost.
//
// The values are gone through depth first with a stack of the writer's own. An object with several owners is numbered
// when it is complete, and only its number is written from then on. A frozen object that the reader has as well (a
// constant, imported data) is written as the way to it.
#include "vm/snapshot/graph_writer.h"
#include "runtime/builtin.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/overlay_vector.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/time.h"
#include <algorithm>
#include <utility>

namespace ptc {

using namespace graph;

// ---- Numbers

std::uint32_t ObjectNumbers::find(const Object* object) const {
    if (slots_.empty()) return kNone;
    for (std::size_t i = slot_of(object);; i = (i + 1) & (slots_.size() - 1)) {
        if (slots_[i].object == object) return slots_[i].number;
        if (!slots_[i].object) return kNone;
    }
}

void ObjectNumbers::add(const Object* object) {
    if (2 * (count_ + 1) > slots_.size()) {
        const std::vector<Slot> old =
            std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(16, 2 * slots_.size())));
        for (const Slot& slot : old) {
            if (slot.object) place(slot);
        }
    }
    place({object, count_++});
}

void ObjectNumbers::place(Slot slot) {
    std::size_t i = slot_of(slot.object);
    while (slots_[i].object)
        i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
}

// ---- Values

Result<void> GraphWriter::write(Bits root) {
    put(root);
    while (!frames_.empty()) {
        Frame& top = frames_.back();
        if (top.next == top.parts) {
            finish(top.object, top.is_shared);
            frames_.pop_back();
        } else if (top.values) {
            put_values(top);
        } else {
            const bool is_frozen = top.is_frozen;
            put(part(top.object, top.next++), is_frozen);
        }
    }
    if (problem_) return Error(Reason::InvalidSnapshot, problem_);
    return {};
}

Result<void> GraphWriter::write_shapes(const ShapeTable& shapes) {
    const auto all = shapes.all();
    out_.size(all.size());
    for (const ShapeObject* shape : all)
        put_shape(shape);
    if (problem_) return Error(Reason::InvalidSnapshot, problem_);
    return {};
}

// Values side by side, up to the first one that is not written at once: a frame is there for it then. Numbers and texts
// without other owners, which most are, take the short way.
void GraphWriter::put_values(Frame& frame) {
    const std::size_t level = frames_.size();
    while (frame.next < frame.parts) {
        const Value& value = frame.values[frame.next++];
        const Bits bits = value.raw();
        if (bits::is_integer(bits)) {
            out_.tagged_integer(static_cast<std::uint8_t>(Tag::Integer), value.small_integer());
            continue;
        }
        if (bits::is_double(bits)) {
            out_.tagged(static_cast<std::uint8_t>(Tag::Double), bits);
            continue;
        }
        if (!bits::is_object(bits)) {
            put_simple(bits);
            continue;
        }
        const Object* object = bits::to_object(bits);
        const bool is_text = object->type == ObjectType::String || object->type == ObjectType::Keyword;
        if (is_text && object->refs == 1 && bits::is_counted(bits) && !frame.is_frozen) {
            put_own_text(object);
            continue;
        }
        put(bits, frame.is_frozen);
        if (frames_.size() != level) return; // and `frame` may have moved
    }
}

void GraphWriter::put(Bits bits, bool is_inside_frozen) {
    if (!bits::is_object(bits)) return put_simple(bits);
    // What is inside of a frozen object is frozen, whatever the pointer to it says.
    put_object(is_inside_frozen ? bits::kFrozen | (bits & bits::kPointerMask) : bits);
}

void GraphWriter::put_simple(Bits bits) {
    const Value value = Value::adopt(bits); // no object: never counted
    const auto tag = [this](Tag t) { out_.byte(static_cast<std::uint8_t>(t)); };
    if (bits::is_integer(bits)) {
        out_.tagged_integer(static_cast<std::uint8_t>(Tag::Integer), value.small_integer());
    } else if (bits::is_double(bits)) {
        out_.tagged(static_cast<std::uint8_t>(Tag::Double), bits);
    } else if (value.is_builtin()) {
        tag(Tag::Builtin);
        out_.size(value.builtin_index());
    } else if (value.is_static_function()) {
        tag(Tag::Function);
        put_function(value.static_function());
    } else {
        out_.byte(static_cast<std::uint8_t>(bits - bits::kNil)); // nil, false, true and hole, in the order of the tags
    }
}

void GraphWriter::put_function(const FunctionInfo* info) {
    const auto* proto = static_cast<const FunctionProto*>(info);
    const std::size_t number = references_.number_of(proto->program);
    if (number == SIZE_MAX)
        problem_ = "A value is made of code that is not the session's.";
    else
        used_[number] = true;
    out_.size(number);
    out_.size(proto->index);
}

void GraphWriter::use_programs_of(const GraphWriter& other) {
    for (std::size_t i = 0; i < used_.size(); ++i)
        used_[i] = used_[i] || other.used_[i];
}

bool GraphWriter::put_place(const Object* object) {
    const std::size_t space = references_.write_place(object, cache_, out_);
    if (space < used_.size()) used_[space] = true;
    return space != SIZE_MAX;
}

bool GraphWriter::is_foreign(const Object* object) const {
    return object->refs == kImmortal && &Heap::of(object) != &heap_;
}

// True when nothing more is to be written.
bool GraphWriter::put_known(Bits bits) {
    const Object* object = bits::to_object(bits);
    if (const std::uint32_t known = known_.find(object); known != ObjectNumbers::kNone) {
        out_.byte(static_cast<std::uint8_t>(Tag::Again));
        out_.size(known);
        return true;
    }
    if (bits::is_counted(bits)) return false;
    const Bits empty[] = {empty_vector().raw(), empty_map().raw(), empty_set().raw(),
                          empty_with_ends(VectorObject::kIsList).raw(), empty_with_ends(VectorObject::kIsQueue).raw()};
    for (std::size_t i = 0; i < std::size(empty); ++i) {
        if (bits != empty[i]) continue;
        out_.byte(static_cast<std::uint8_t>(static_cast<std::size_t>(Tag::EmptyVector) + i));
        return true;
    }
    if (const std::size_t number = shared_string_number(object); number < kSharedStrings) {
        out_.byte(static_cast<std::uint8_t>(Tag::SharedString));
        out_.size(number);
        return true;
    }
    const std::size_t before = out_.written();
    out_.byte(static_cast<std::uint8_t>(Tag::Outside));
    out_.byte(static_cast<std::uint8_t>(object->type));
    if (put_place(object)) {
        finish(object, true);
        return true;
    }
    out_.take_back(before);
    return false;
}

void GraphWriter::put_object(Bits bits) {
    const bool is_shared = bits::to_object(bits)->refs != 1;
    if (is_shared && put_known(bits)) return;
    begin(bits, is_shared);
}

void GraphWriter::begin(Bits bits, bool is_shared) {
    const Object* object = bits::to_object(bits);
    const bool is_frozen = !bits::is_counted(bits);
    out_.byte(static_cast<std::uint8_t>(kObject + static_cast<unsigned>(object->type)) | (is_shared ? kShared : 0) |
              (is_frozen ? kFrozenObject : 0));
    const std::size_t parts = put_header(object);
    if (parts == 0) return finish(object, is_shared);
    frames_.push_back({object, values_of(object), 0, parts, is_shared, is_frozen});
}

void GraphWriter::finish(const Object* object, bool is_shared) {
    if (is_shared) known_.add(object);
}

// The plain fields of an object; returns the number of its parts.
std::size_t GraphWriter::put_header(const Object* object) {
    switch (object->type) {
    case ObjectType::Vector: return put_vector(*static_cast<const VectorObject*>(object));
    case ObjectType::Record: {
        const ShapeObject* shape = static_cast<const RecordObject*>(object)->shape;
        put_shape(shape);
        return shape->count;
    }
    case ObjectType::HashMap:
    case ObjectType::HashSet: {
        const auto* table = static_cast<const HashTableObject*>(object);
        const bool is_arranged = table->is_arranged();
        out_.byte(table->flags | (table->view ? kHasView : 0) | (is_arranged ? kHasComparator : 0));
        out_.size(table->count);
        out_.size(table->capacity);
        if (const SortedViewObject* view = table->view) {
            for (const std::uint32_t n : {view->edits, view->begin, view->room})
                out_.size(n);
        }
        return std::size_t{table->count} * table->width() + is_arranged;
    }
    case ObjectType::Closure: {
        const auto* closure = static_cast<const ClosureObject*>(object);
        put_function(closure->function);
        return closure->count;
    }
    case ObjectType::Buffer: {
        auto* buffer = const_cast<BufferObject*>(static_cast<const BufferObject*>(object));
        const auto offset = [buffer](const Value* at) { return static_cast<std::uint64_t>(at - buffer->items()); };
        out_.size(offset(buffer->limit));
        out_.size(offset(buffer->begin));
        out_.size(offset(buffer->end));
        out_.size(buffer->copied);
        return offset(buffer->end) - offset(buffer->begin);
    }
    case ObjectType::OverlayVector:
    case ObjectType::OverlayMap:
    case ObjectType::OverlaySet: return put_overlay(object);
    case ObjectType::TrieNode: return put_node(object);
    default: return put_leaf(object);
    }
}

std::size_t GraphWriter::put_vector(const VectorObject& vector) {
    if (vector.owner) {
        out_.byte(vector.flags | kIsSlice);
        out_.size(vector.length);
        const Value* first = vector.owner->type == ObjectType::Buffer
                                 ? static_cast<BufferObject*>(vector.owner)->items()
                                 : static_cast<VectorObject*>(vector.owner)->data;
        out_.size(static_cast<std::uint64_t>(vector.data - first));
        return 1;
    }
    const std::size_t exact = Heap::usable_size(sizeof(VectorObject) + vector.length * sizeof(Value));
    const std::size_t slots = (Heap::size_of(&vector) - sizeof(VectorObject)) / sizeof(Value);
    const auto front = static_cast<std::size_t>(vector.data - const_cast<VectorObject&>(vector).inline_items());
    const bool has_slack = Heap::size_of(&vector) != exact || front != 0 || vector.capacity != slots;
    out_.byte(vector.flags | (has_slack ? kHasSlack : 0));
    out_.size(vector.length);
    if (has_slack) {
        out_.size(slots);
        out_.size(front);
        out_.size(vector.capacity);
    }
    return vector.length;
}

std::size_t GraphWriter::put_overlay(const Object* object) {
    if (object->type != ObjectType::OverlayVector) {
        const auto* overlay = static_cast<const OverlayTableObject*>(object);
        out_.byte(overlay->view ? kHasView : 0);
        out_.size(overlay->edits);
        return 2;
    }
    const auto* overlay = static_cast<const OverlayVectorObject*>(object);
    out_.byte(overlay->base ? 0 : kOverRange);
    for (const std::uint64_t n :
         {std::uint64_t{overlay->length}, std::uint64_t{overlay->height}, overlay->start, overlay->base_start,
          std::uint64_t{overlay->base_length}, std::uint64_t{overlay->edits}})
        out_.size(n);
    if (overlay->base) {
        const Value* first = overlay->base_owner->type == ObjectType::Buffer
                                 ? static_cast<BufferObject*>(overlay->base_owner)->items()
                                 : static_cast<VectorObject*>(overlay->base_owner)->data;
        out_.size(static_cast<std::uint64_t>(overlay->base - first));
    }
    return 2;
}

std::size_t GraphWriter::put_node(const Object* object) {
    out_.byte(object->flags);
    if (kind_of(object) == TrieNodeKind::VectorInner || kind_of(object) == TrieNodeKind::VectorLeaf) return kBranches;
    const auto* node = static_cast<const EditsNode*>(object);
    out_.fixed(node->data);
    out_.fixed(node->children);
    out_.size(Heap::size_of(node));
    return 2 * std::size_t{node->edit_count()} + node->child_count();
}

namespace {

const StringObject& as_text(const Object* object) { return *static_cast<const StringObject*>(object); }

/// It takes more memory than its bytes need: it was appended to.
bool has_room(const Object* object) {
    return Heap::size_of(object) != Heap::usable_size(StringObject::bytes_for(as_text(object).size));
}

} // namespace

void GraphWriter::put_text(const Object* object) {
    const bool is_roomy = has_room(object);
    out_.byte(is_roomy ? kHasRoom : 0);
    if (is_roomy) out_.size(Heap::size_of(object));
    out_.text(as_text(object).view());
}

/// With the tag of an object that has one owner.
void GraphWriter::put_own_text(const Object* object) {
    const auto tag = static_cast<std::uint8_t>(kObject + static_cast<unsigned>(object->type));
    if (!has_room(object)) [[likely]]
        return out_.tagged_text(tag, 0, as_text(object).view());
    out_.byte(tag);
    put_text(object);
}

std::size_t GraphWriter::put_leaf(const Object* object) {
    switch (object->type) {
    case ObjectType::BigInteger: {
        const auto* integer = static_cast<const BigIntegerObject*>(object);
        out_.byte(integer->negative != 0);
        out_.size(integer->limb_count);
        for (std::uint32_t i = 0; i < integer->limb_count; ++i)
            out_.fixed(integer->limbs()[i]);
        break;
    }
    case ObjectType::Range: {
        const auto* range = static_cast<const RangeObject*>(object);
        out_.size(range->length);
        out_.integer(range->start);
        out_.integer(range->step);
        break;
    }
    case ObjectType::LocalDate:
    case ObjectType::Instant:
    case ObjectType::Duration:
    case ObjectType::Period:
    case ObjectType::LocalDateTime:
    case ObjectType::LocalTime:
    case ObjectType::ZonedDateTime:
    case ObjectType::YearMonth:
    case ObjectType::TimeConstant:
        out_.integer(static_cast<const TimeObject*>(object)->a);
        out_.integer(static_cast<const TimeObject*>(object)->b);
        break;
    case ObjectType::Regex: out_.text(text_of(static_cast<const RegexObject*>(object)->source)); break;
    default: put_text(object); // String, Keyword, Var, Symbol
    }
    return 0;
}

void GraphWriter::put_shape(const ShapeObject* shape) {
    if (shape == last_shape_) return out_.size(static_cast<std::uint64_t>(ShapeTag::First) + last_shape_number_);
    if (const std::uint32_t known = shapes_.find(shape); known != ObjectNumbers::kNone) {
        last_shape_ = shape;
        last_shape_number_ = known;
        return out_.size(static_cast<std::uint64_t>(ShapeTag::First) + known);
    }
    const auto tag = [this](ShapeTag t) { out_.byte(static_cast<std::uint8_t>(t)); };
    const std::size_t before = out_.written();
    const bool is_frozen = is_foreign(shape);
    tag(ShapeTag::Outside);
    if (!is_frozen || !put_place(shape)) {
        out_.take_back(before);
        tag(is_frozen ? ShapeTag::Frozen : ShapeTag::Counted);
        out_.size(shape->count + (shape->is_typed() ? ShapeObject::kTypedCount : 0));
        for (std::uint32_t i = 0; i < shape->part_count(); ++i)
            put(shape->keys()[i].raw(), is_frozen); // a text: complete at once
    }
    shapes_.add(shape);
}

// A part that is no value of its own, or a hole for none.
Bits GraphWriter::bits_of(const Object* object) const {
    if (!object) return bits::kHole;
    return (is_foreign(object) ? bits::kFrozen : bits::kCounted) | reinterpret_cast<Bits>(object);
}

const Value* GraphWriter::values_of(const Object* object) {
    switch (object->type) {
    case ObjectType::Vector: {
        const auto* vector = static_cast<const VectorObject*>(object);
        return vector->owner ? nullptr : vector->data;
    }
    case ObjectType::Record: return static_cast<const RecordObject*>(object)->values();
    case ObjectType::Closure: return static_cast<const ClosureObject*>(object)->captures();
    case ObjectType::Buffer: return static_cast<const BufferObject*>(object)->begin;
    case ObjectType::HashMap:
    case ObjectType::HashSet: {
        const auto* table = static_cast<const HashTableObject*>(object);
        return table->is_arranged() ? &table->comparator() : table->entries; // they lie side by side
    }
    default: return nullptr;
    }
}

// Of what has no values side by side.
Bits GraphWriter::part(const Object* object, std::size_t i) const {
    switch (object->type) {
    case ObjectType::Vector: return bits_of(static_cast<const VectorObject*>(object)->owner);
    case ObjectType::OverlayVector: {
        const auto* overlay = static_cast<const OverlayVectorObject*>(object);
        return bits_of(i == 0 ? overlay->base_owner : overlay->root);
    }
    case ObjectType::OverlayMap:
    case ObjectType::OverlaySet: {
        const auto* overlay = static_cast<const OverlayTableObject*>(object);
        return bits_of(i == 0 ? static_cast<const Object*>(overlay->base) : overlay->root);
    }
    default: break;
    }
    if (kind_of(object) == TrieNodeKind::VectorLeaf) return static_cast<const VectorLeaf*>(object)->bits[i];
    if (kind_of(object) == TrieNodeKind::VectorInner)
        return bits_of(static_cast<const VectorInner*>(object)->children[i]);
    auto* node = const_cast<EditsNode*>(static_cast<const EditsNode*>(object));
    const std::size_t edits = node->edit_count();
    if (i >= 2 * edits) return bits_of(node->child_array()[i - 2 * edits]);
    const KeyEdit& edit = node->edits()[i / 2];
    return i % 2 == 0 ? edit.key.raw() : edit.value.raw();
}

} // namespace ptc
