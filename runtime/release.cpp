// Giving back what nobody owns any more. No recursion, however deep a value is nested: dead objects wait in a list that
// is threaded through them. The link takes the first word behind an object's header, so what stood there (a count,
// mostly) moves to `refs`, which a dead object no longer needs. Shared and frozen parts are left alone.
#include "runtime/edits.h"
#include "runtime/function.h"
#include "runtime/keyed.h"
#include "runtime/map.h"
#include "runtime/overlay_vector.h"
#include "runtime/regex.h"

namespace ptc {

namespace {

/// The objects that died and still own something. While an object waits, its first word behind the header holds the
/// link and its `refs` the number of things that it owns, for the types whose first word had to say so.
class Dying {
public:
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

    /// Gives back `object`, whose last owner went, and all that dies with it.
    void bury(Object* object) {
        if (!prepare(object)) return;
        for (;;) {
            drop_parts(object);
            heap_of(object).free_object(object);
            if (!first_) return;
            object = first_;
            first_ = *link_of(object);
        }
    }

private:
    void drop_last(Object* object) {
        if (object->refs == kImmortal || --object->refs != 0) return;
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
        default: heap_of(object).free_object(object); return false;
        }
    }

    static Heap& heap_of(const Object* object) { return Heap::of(object); }
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

    void drop_parts(Object* object) {
        switch (object->type) {
        case ObjectType::Vector: drop_vector(static_cast<VectorObject*>(object)); break;
        case ObjectType::Record: drop_all(static_cast<RecordObject*>(object)->values(), object->refs); break;
        case ObjectType::Shape: drop_all(static_cast<ShapeObject*>(object)->keys(), object->refs); break;
        case ObjectType::Closure: drop_all(static_cast<ClosureObject*>(object)->captures(), object->refs); break;
        case ObjectType::Buffer: {
            auto* buffer = static_cast<BufferObject*>(object);
            drop_all(buffer->begin, static_cast<std::size_t>(buffer->end - buffer->begin));
            break;
        }
        case ObjectType::HashMap:
        case ObjectType::HashSet: drop_table(static_cast<HashTableObject*>(object)); break;
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
            drop_view(heap_of(object), overlay->view);
            break;
        }
        case ObjectType::TrieNode: drop_node(object); break;
        case ObjectType::Regex:
            heap_of(object).run_finalizer(object);
            drop(static_cast<RegexObject*>(object)->source);
            break;
        default: break;
        }
    }

    void drop_vector(VectorObject* vector) {
        if (vector->owner)
            drop(vector->owner);
        else
            drop_all(vector->data, vector->refs);
    }

    void drop_table(HashTableObject* table) {
        drop_all(table->entries, std::size_t{table->refs} * table->width());
        if (table->is_arranged()) drop(table->comparator());
        drop_view(heap_of(table), table->view);
        if (table->entries) heap_of(table).free_object(table->block());
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

    Object* first_ = nullptr;
};

} // namespace

void release_object(Object* object) noexcept {
    if (object->refs == kImmortal || --object->refs != 0) return;
    if (object->type == ObjectType::String) return Heap::of(object).free_object(object);
    Dying().bury(object);
}

} // namespace ptc
