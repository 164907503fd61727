// Turns every value of a heap that has just been filled (a program's constants, imported data) into a frozen one, in
// place: nothing is copied. The tag of a frozen value is in the value and not in the object, so each slot that refers
// to an object is rewritten once, with a list of what is still to be visited in place of recursion. Other threads then
// read it without locks, so nothing that reading would fill in may be missing: the sorted views of all maps and sets
// are made here, and buffers lose the slack that a slice could claim.
#include "runtime/freeze.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/overlay_vector.h"
#include "runtime/regex.h"
#include "runtime/sorted_view.h"
#include <vector>

namespace ptc {

namespace {

class Freezer {
public:
    explicit Freezer(Heap& heap) : heap_(heap) {}

    void run(Value& v) {
        mark(v);
        for (std::size_t done = 0; done < found_.size(); ++done)
            mark_parts(found_[done]);
        for (Object* object : found_) {
            if (is_keyed(object->type))
                prepare_views(heap_, Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(object)));
        }
    }

private:
    static bool is_keyed(ObjectType type) {
        return type == ObjectType::HashMap || type == ObjectType::HashSet || type == ObjectType::OverlayMap ||
               type == ObjectType::OverlaySet;
    }

    /// Gives `v` the frozen tag and sees to its object.
    void mark(Value& v) {
        if (!v.is_counted()) return;
        Object* object = v.object();
        (void)v.give_up();
        v = Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(object));
        mark(object);
    }
    void mark(Object* object) {
        if (!object || object->refs == kImmortal) return;
        object->refs = kImmortal;
        found_.push_back(object);
    }
    void mark(Value* values, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            mark(values[i]);
    }

    void mark_parts(Object* object) {
        switch (object->type) {
        case ObjectType::Vector: {
            auto* vector = static_cast<VectorObject*>(object);
            if (vector->owner)
                mark(vector->owner);
            else
                mark(vector->data, vector->length);
            break;
        }
        case ObjectType::Buffer: {
            auto* buffer = static_cast<BufferObject*>(object);
            buffer->limit = buffer->end; // no slack that a slice could claim
            mark(buffer->begin, static_cast<std::size_t>(buffer->end - buffer->begin));
            break;
        }
        case ObjectType::OverlayVector:
            mark(static_cast<OverlayVectorObject*>(object)->root);
            mark(static_cast<OverlayVectorObject*>(object)->base_owner);
            break;
        case ObjectType::Record:
            mark(static_cast<RecordObject*>(object)->shape);
            mark(static_cast<RecordObject*>(object)->values(), static_cast<RecordObject*>(object)->shape->count);
            break;
        case ObjectType::Shape:
            mark(static_cast<ShapeObject*>(object)->keys(), static_cast<ShapeObject*>(object)->part_count());
            break;
        case ObjectType::HashMap:
        case ObjectType::HashSet: {
            auto* table = static_cast<HashTableObject*>(object);
            mark(table->entries, std::size_t{table->count} * table->width());
            if (table->is_arranged()) mark(&table->comparator(), 1);
            break;
        }
        case ObjectType::OverlayMap:
        case ObjectType::OverlaySet:
            mark(static_cast<OverlayTableObject*>(object)->root);
            mark(static_cast<OverlayTableObject*>(object)->base);
            break;
        case ObjectType::TrieNode: mark_node(object); break;
        case ObjectType::Closure:
            mark(static_cast<ClosureObject*>(object)->captures(), static_cast<ClosureObject*>(object)->count);
            break;
        case ObjectType::Regex: mark(static_cast<RegexObject*>(object)->source); break;
        default: break;
        }
    }

    void mark_node(Object* object) {
        if (kind_of(object) == TrieNodeKind::VectorLeaf)
            return mark(static_cast<VectorLeaf*>(object)->items(), kBranches);
        if (kind_of(object) == TrieNodeKind::VectorInner) {
            for (Object* child : static_cast<VectorInner*>(object)->children)
                mark(child);
            return;
        }
        auto* node = static_cast<EditsNode*>(object);
        for (std::uint32_t i = 0, n = node->edit_count(); i < n; ++i) {
            mark(node->edits()[i].key);
            mark(node->edits()[i].value);
        }
        for (std::uint32_t i = 0, n = node->child_count(); i < n; ++i)
            mark(node->child_array()[i]);
    }

    Heap& heap_;
    std::vector<Object*> found_;
};

} // namespace

void freeze_value(Value& v) {
    if (v.is_counted()) Freezer(Heap::of(v.object())).run(v);
}

} // namespace ptc
