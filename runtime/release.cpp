// Giving back what nobody owns any more. No recursion, however deep a value is nested: dead objects wait in a list that
// is threaded through them. The link takes the first word behind an object's header, so what stood there (a count,
// mostly) moves to `refs`, which a dead object no longer needs. Shared and frozen parts are left alone.
// Where a heap puts aside (see heap.h), the clock is looked at in between, and the list, whole or in its middle,
// becomes the heap's own.
#include "runtime/edits.h"
#include "runtime/function.h"
#include "runtime/keyed.h"
#include "runtime/map.h"
#include "runtime/overlay_vector.h"
#include "runtime/regex.h"
#include <algorithm>
#include <cassert>

namespace ptc {

namespace {

/// The objects of one heap that died and still own something. While an object waits, its first word behind the header
/// holds the link and its `refs` the number of things that it owns, for the types whose first word had to say so.
class Dying {
public:
    explicit Dying(Heap& heap) : heap_(heap) {}

    /// Gives back `object`, whose last owner went, and all that dies with it.
    void bury(Object* object) {
        if (!prepare(object)) return;
        if (heap_.has_put_aside() && heap_.puts_aside()) [[unlikely]] // time is over already
            return put_aside(object);
        bury_with_rest(object);
    }

    /// Gives back what was put aside.
    void bury_aside() {
        Object* object = heap_.aside();
        if (!object) return;
        heap_.set_aside(nullptr);
        first_ = *link_of(object);
        bury_with_rest(object);
    }

private:
    static constexpr std::int32_t kUnlooked = 512;       ///< objects between two looks at the clock
    static constexpr std::uint32_t kValuesOfObject = 16; ///< values that count as one
    static constexpr std::uint32_t kPiece = kUnlooked * kValuesOfObject;

    /// `object` and the list, or as much of them as there is time for.
    [[gnu::always_inline]] void bury_with_rest(Object* object) {
        for (left_ = kUnlooked;;) {
            if (!drop_parts(object)) [[unlikely]]
                return put_aside(object);
            heap_.free_object(object);
            object = first_;
            if (!object) return;
            first_ = *link_of(object);
            if (--left_ > 0) [[likely]]
                continue;
            if (is_late()) return put_aside(object);
            left_ = kUnlooked;
        }
    }

    /// The heap's list becomes `object` and what waits behind it. There is nothing to wait where the heap has one.
    void put_aside(Object* object) {
        *link_of(object) = first_ ? first_ : heap_.aside();
        heap_.set_aside(object);
    }
    bool is_late() { return heap_.puts_aside() && heap_.meter.ends_here(); }

    /// One owner of `object` goes.
    void drop(Object* object) {
        if (object->refs - 2 < kImmortal - 2) // the common case: it has others
            --object->refs;
        else
            drop_last(object);
    }
    void drop(const Value& value) {
        if (value.is_counted()) drop(value.object());
    }
    void drop_all(const Value* values, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            drop(values[i]);
    }
    /// Those `refs` times `width` values of `object` that are still to be dropped; false when time was over before.
    bool drop_counted(Object* object, const Value* values, std::uint32_t width) {
        while (object->refs > kPiece) {
            object->refs -= kPiece;
            drop_all(values + std::size_t{object->refs} * width, std::size_t{kPiece} * width);
            if (is_late()) return false;
        }
        drop_all(values, std::size_t{object->refs} * width);
        left_ -= static_cast<std::int32_t>(object->refs * width / kValuesOfObject);
        object->refs = 0;
        return true;
    }

    void drop_last(Object* object) {
        if (object->refs == kImmortal || --object->refs != 0) return; // what is frozen may be of another heap
        assert(&Heap::of(object) == &heap_);
        if (!prepare(object)) return;
        *link_of(object) = first_;
        first_ = object;
    }

    /// Saves in `refs` what the link overwrites. Frees at once what owns nothing, and answers false then.
    bool prepare(Object* object) {
        switch (object->type) {
        case ObjectType::Vector:
        case ObjectType::Closure:
        case ObjectType::HashMap:
        case ObjectType::HashSet: object->refs = first_count(object); return true;
        case ObjectType::Shape: object->refs = static_cast<ShapeObject*>(object)->part_count(); return true;
        case ObjectType::Record: drop_shape_of(static_cast<RecordObject*>(object)); return true;
        case ObjectType::TrieNode: save_counts(object); return true;
        case ObjectType::Buffer:
        case ObjectType::OverlayVector:
        case ObjectType::OverlayMap:
        case ObjectType::OverlaySet:
        case ObjectType::Regex: return true;
        default: heap_.free_object(object); return false;
        }
    }

    static Object** link_of(Object* object) { return reinterpret_cast<Object**>(object + 1); }
    static std::uint32_t first_count(const Object* object) {
        return *reinterpret_cast<const std::uint32_t*>(object + 1);
    }

    void drop_shape_of(RecordObject* record) {
        ShapeObject* shape = record->shape;
        record->refs = shape->count;
        drop(shape);
    }

    static void save_counts(Object* object) {
        if (kind_of(object) == TrieNodeKind::VectorInner || kind_of(object) == TrieNodeKind::VectorLeaf) return;
        auto* node = static_cast<EditsNode*>(object);
        node->refs = node->edit_count() << 8 | node->child_count();
    }

    /// False when time was over before the last of them, which then is as if it had fewer.
    [[gnu::always_inline]] bool drop_parts(Object* object) {
        switch (object->type) {
        case ObjectType::Vector: return drop_vector(static_cast<VectorObject*>(object));
        case ObjectType::Record: drop_all(static_cast<RecordObject*>(object)->values(), object->refs); break;
        case ObjectType::Shape: drop_all(static_cast<ShapeObject*>(object)->keys(), object->refs); break;
        case ObjectType::Closure: drop_all(static_cast<ClosureObject*>(object)->captures(), object->refs); break;
        case ObjectType::Buffer: return drop_buffer(static_cast<BufferObject*>(object));
        case ObjectType::HashMap:
        case ObjectType::HashSet: return drop_table(static_cast<HashTableObject*>(object));
        case ObjectType::OverlayVector: {
            auto* overlay = static_cast<OverlayVectorObject*>(object);
            drop(overlay->base_owner);
            if (overlay->root) drop(overlay->root);
            break;
        }
        case ObjectType::OverlayMap:
        case ObjectType::OverlaySet: {
            auto* overlay = static_cast<OverlayTableObject*>(object);
            drop(overlay->base);
            if (overlay->root) drop(overlay->root);
            drop_view(heap_, overlay->view);
            break;
        }
        case ObjectType::TrieNode: drop_node(object); break;
        case ObjectType::Regex:
            heap_.run_finalizer(object);
            drop(static_cast<RegexObject*>(object)->source);
            break;
        default: break;
        }
        return true;
    }

    bool drop_vector(VectorObject* vector) {
        if (!vector->owner) return drop_counted(vector, vector->data, 1);
        drop(vector->owner);
        return true;
    }

    bool drop_buffer(BufferObject* buffer) {
        while (static_cast<std::size_t>(buffer->end - buffer->begin) > kPiece) {
            buffer->end -= kPiece;
            drop_all(buffer->end, kPiece);
            if (is_late()) return false;
        }
        drop_all(buffer->begin, static_cast<std::size_t>(buffer->end - buffer->begin));
        return true;
    }

    bool drop_table(HashTableObject* table) {
        if (!drop_counted(table, table->entries, table->width())) return false;
        if (table->is_arranged()) drop(table->comparator());
        drop_view(heap_, table->view);
        if (table->entries) heap_.free_object(table->block());
        return true;
    }

    void drop_node(Object* object) {
        if (kind_of(object) == TrieNodeKind::VectorLeaf) {
            drop_all(static_cast<VectorLeaf*>(object)->items(), kBranches);
        } else if (kind_of(object) == TrieNodeKind::VectorInner) {
            for (Object* child : static_cast<VectorInner*>(object)->children) {
                if (child) drop(child);
            }
        } else {
            auto* node = static_cast<EditsNode*>(object);
            std::uint32_t edits = node->refs >> 8, children = node->refs & 0xFF;
            for (std::uint32_t i = 0; i < edits; ++i) {
                drop(node->edits()[i].key);
                drop(node->edits()[i].value);
            }
            auto** first = reinterpret_cast<EditsNode**>(node->edits() + edits);
            for (std::uint32_t i = 0; i < children; ++i)
                drop(first[i]);
        }
    }

    Heap& heap_;
    Object* first_ = nullptr;       ///< those that wait
    std::int32_t left_ = kUnlooked; ///< objects before the next look at the clock
};

constexpr std::uint32_t kFew = 8;

void drop_other_owner(Object* object) {
    if (object->refs != kImmortal) --object->refs;
}

/// Gives back an object of few parts that all have other owners, or none: most that die are such. False: it is none.
bool free_at_once(Heap& heap, Object* object) {
    Value* parts = nullptr;
    std::uint32_t n = 0;
    if (object->type == ObjectType::Vector) {
        auto* vector = static_cast<VectorObject*>(object);
        if (vector->owner) return false;
        parts = vector->data;
        n = vector->length;
    } else if (object->type == ObjectType::Record) {
        auto* record = static_cast<RecordObject*>(object);
        if (record->shape->refs == 1) return false;
        parts = record->values();
        n = record->shape->count;
    } else {
        return false;
    }
    if (n > kFew) return false;
    bool owns_any = false;
    for (std::uint32_t i = 0; i < n; ++i)
        owns_any |= parts[i].is_counted();
    if (owns_any) {
        // An object may be several of the parts.
        const auto may_die = [n](const Value& part) { return part.is_counted() && part.object()->refs <= n; };
        if (std::any_of(parts, parts + n, may_die)) return false;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (parts[i].is_counted()) drop_other_owner(parts[i].object());
        }
    }
    if (object->type == ObjectType::Record) drop_other_owner(static_cast<RecordObject*>(object)->shape);
    heap.free_object(object);
    return true;
}

} // namespace

namespace {

bool owns_none(const Value* parts, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        if (parts[i].is_counted()) return false;
    }
    return true;
}

// Apart, so that what owns nothing needs no room for a list.
[[gnu::noinline]] void give_back(Heap& heap, Object* object) {
    if (!free_at_once(heap, object)) Dying(heap).bury(object);
}

} // namespace

void release_object(Object* object) noexcept {
    if (object->refs == kImmortal || --object->refs != 0) return;
    Heap& heap = Heap::of(object);
    if (object->type == ObjectType::Vector) {
        const auto* vector = static_cast<const VectorObject*>(object);
        if (!vector->owner && vector->length <= kFew && owns_none(vector->data, vector->length))
            return heap.free_object(object);
    } else if (object->type == ObjectType::Record) {
        const auto* record = static_cast<RecordObject*>(object);
        ShapeObject* const shape = record->shape;
        if (shape->refs > 1 && shape->count <= kFew && owns_none(record->values(), shape->count)) {
            drop_other_owner(shape);
            return heap.free_object(object);
        }
    } else if (object->type == ObjectType::String) {
        return heap.free_object(object);
    }
    give_back(heap, object);
}

void Heap::give_back_the_rest() noexcept { Dying(*this).bury_aside(); }

} // namespace ptc
