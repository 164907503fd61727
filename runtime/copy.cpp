// Copies from the outside in. A copied container is made at once, with nil in every slot, and the slots are filled from
// a list of what is pending, so nothing recurses. An object that is met twice is copied once: what was shared stays
// shared, and the copy is never larger than the original. A frozen value is its own copy, unless the caller wants those
// copied too.
#include "runtime/copy.h"
#include "frontend/try.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/regex.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include "runtime/time.h"
#include <cstring>
#include <unordered_map>
#include <vector>

namespace ptc {

/// Copies one value, or several that may share parts.
class DeepCopy::Copier {
public:
    Copier(Heap& into, ShapeTable& shapes, bool copy_frozen)
        : into_(into), shapes_(shapes), copy_frozen_(copy_frozen), pending_(into) {}
    ~Copier() { into_.refund_bytes(charged_); }
    Copier(const Copier&) = delete;
    Copier& operator=(const Copier&) = delete;

    Result<void> run(const Value& from, Value* to) {
        if (!into_.meter.charge(1)) return into_.meter.error();
        PTC_CHECK(copy(from, to));
        PTC_CHECK(copy_pending());
        if (into_.is_frozen()) {
            for (Object* keyed : keyed_)
                prepare_views(into_, Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(keyed)));
        }
        keyed_.clear();
        return {};
    }

private:
    /// What an entry of `copies_` takes, roughly.
    static constexpr std::size_t kCopyEntryBytes = 48;
    /// What is copied as it is, for one unit of fuel.
    static constexpr std::size_t kBytesPerUnit = 16;

    struct Pending {
        const Value* from;
        Value* to;
    };

    Result<void> copy_pending() {
        while (!pending_.empty()) {
            Pending next = pending_.back();
            pending_.pop();
            if (!into_.meter.charge(1)) return into_.meter.error();
            PTC_CHECK(copy(*next.from, next.to));
        }
        return {};
    }

    /// Whether `v` is itself its copy.
    [[nodiscard]] bool is_shared(const Value& v) const {
        if (!v.is_object()) return true;
        if (v.is_counted()) return false;
        if (shared_string_number(v.object()) < kSharedStrings) return true;
        if (!copy_frozen_ || v.raw() == empty_map().raw() || v.raw() == empty_set().raw()) return true;
        return v.is_vector() && v.raw() == empty_with_ends(vector_ends(v)).raw();
    }

    /// `*to` (nil so far) becomes the copy of `v`, whose parts may still be pending.
    Result<void> copy(const Value& v, Value* to) {
        if (is_shared(v)) {
            *to = v.copy();
            return {};
        }
        Object* object = v.object();
        bool has_other_owners = object->refs != 1;
        if (has_other_owners) {
            auto known = copies_.find(object);
            if (known != copies_.end()) {
                bits::retain(known->second);
                *to = Value::adopt(known->second);
                return {};
            }
        }
        PTC_CHECK(copy_object(v, to));
        if (has_other_owners && !remember(object, to->raw())) return into_.out_of_memory();
        return {};
    }

    [[nodiscard]] bool remember(const Object* from, Bits copy) {
        if (!into_.charge_bytes(kCopyEntryBytes)) return false;
        charged_ += kCopyEntryBytes;
        copies_.emplace(from, copy);
        return true;
    }

    Result<void> copy_object(const Value& v, Value* to) {
        switch (v.object()->type) {
        case ObjectType::Vector:
        case ObjectType::OverlayVector: return copy_vector(v, to);
        case ObjectType::Record: return copy_record(v, to);
        case ObjectType::HashMap:
        case ObjectType::OverlayMap: return copy_keyed(v, to, ObjectType::HashMap);
        case ObjectType::HashSet:
        case ObjectType::OverlaySet: return copy_keyed(v, to, ObjectType::HashSet);
        case ObjectType::Closure: return copy_closure(v, to);
        case ObjectType::Regex: *to = PTC_TRY(make_regex(into_, regex_source(v))); return {};
        case ObjectType::String:
        case ObjectType::Keyword:
        case ObjectType::Var:
        case ObjectType::Symbol: return copy_text(v, to);
        default: return copy_plain(v, to);
        }
    }

    /// `from` will be copied to `to`, at once if it is no object.
    [[nodiscard]] bool copy_later(const Value& from, Value* to) {
        std::construct_at(to);
        if (is_shared(from)) {
            *to = from.copy();
            return true;
        }
        return pending_.push({&from, to});
    }

    Result<void> copy_vector(const Value& v, Value* to) {
        std::size_t n = vector_length(v);
        *to = PTC_TRY(make_nil_vector(into_, n));
        if (vector_ends(v) != 0) *to = PTC_TRY(vector_with_ends(into_, std::move(*to), vector_ends(v)));
        Value* slots = as_mutable_flat(*to).data;
        for (std::size_t i = 0; i < n; ++i) {
            Value temporary;
            if (!copy_later(vector_element(v, i, temporary), slots + i)) return into_.out_of_memory();
        }
        return {};
    }

    Result<void> copy_record(const Value& v, Value* to) {
        const RecordObject& from = as_record(v);
        ShapeObject* shape = PTC_TRY(copy_shape(from.shape));
        std::array<Value, ShapeObject::kMaxFields> nils;
        *to = PTC_TRY(make_record(into_, shape, std::span(nils.data(), shape->count)));
        for (std::uint32_t i = 0; i < shape->count; ++i) {
            if (!copy_later(from.values()[i], as_record(*to).values() + i)) return into_.out_of_memory();
        }
        return {};
    }

    /// The caller gets one owner.
    Result<ShapeObject*> copy_shape(ShapeObject* from) {
        if (from->refs == kImmortal && !copy_frozen_) return from;
        auto known = copies_.find(from);
        if (known != copies_.end()) {
            auto* shape =
                reinterpret_cast<ShapeObject*>(known->second); // a shape is no value: its bits are its address
            bits::retain(shape);
            return shape;
        }
        std::array<Value, ShapeObject::kMaxFields + 1> parts;
        for (std::uint32_t i = 0; i < from->part_count(); ++i)
            PTC_CHECK(copy(from->keys()[i], &parts[i]));
        const Value* type = from->is_typed() ? &parts[from->count] : nullptr;
        ShapeObject* shape = shapes_.intern(std::span<const Value>(parts.data(), from->count), type);
        if (!shape) return into_.out_of_memory();
        if (!remember(from, reinterpret_cast<Bits>(shape))) { // the table keeps it alive meanwhile
            bits::release(shape);
            return into_.out_of_memory();
        }
        return shape;
    }

    Result<void> copy_keyed(const Value& v, Value* to, ObjectType type) {
        std::uint32_t count = as_table(v).count; // at the same place in overlays
        HashTableObject* table = new_table(into_, type, std::max(count, HashTableObject::kScanned));
        if (!table) return into_.out_of_memory();
        *to = into_.value_of(table);
        table->flags = HashTableObject::kCopyPaid | order_of(v);
        keyed_.push_back(table);
        std::uint32_t width = table->width();
        bool done = !table->is_arranged() || copy_later(as_table(v).comparator(), &table->comparator());
        for_each_entry(into_, v, [&](const Value* entry, std::uint32_t hash) {
            // Keys that collide in a table need not have done so where they come from; an entry too many would move
            // those that are pending.
            done = done && table->count < table->capacity && into_.meter.charge(0);
            if (!done) return;
            Value* copied = append_entry(into_, *table, width, hash);
            for (std::uint32_t i = 0; i < width; ++i)
                done = copy_later(entry[i], copied + i) && done;
        });
        if (!done) return into_.out_of_memory();
        return {};
    }

    Result<void> copy_closure(const Value& v, Value* to) {
        const auto& from = *static_cast<const ClosureObject*>(v.object());
        auto* closure =
            into_.allocate<ClosureObject>(ObjectType::Closure, sizeof(ClosureObject) + from.count * sizeof(Value));
        if (!closure) return into_.out_of_memory();
        closure->count = from.count;
        closure->function = from.function;
        for (std::uint32_t i = 0; i < from.count; ++i)
            std::construct_at(closure->captures() + i);
        *to = into_.value_of(closure);
        for (std::uint32_t i = 0; i < from.count; ++i) {
            if (!copy_later(from.captures()[i], closure->captures() + i)) return into_.out_of_memory();
        }
        return {};
    }

    Result<void> copy_text(const Value& v, Value* to) {
        const StringObject& from = as_string(v);
        if (!into_.meter.charge(from.size / kBytesPerUnit)) return into_.meter.error();
        auto* text = into_.allocate<StringObject>(from.type, StringObject::bytes_for(from.size));
        if (!text) return into_.out_of_memory();
        text->flags = from.flags;
        text->size = from.size;
        std::construct_at(&text->hash_cache, from.hash_cache.load(std::memory_order_relaxed));
        std::construct_at(&text->length_cache, from.length_cache.load(std::memory_order_relaxed));
        std::memcpy(text->bytes, from.bytes, from.size);
        *to = into_.value_of(text);
        return {};
    }

    /// Numbers, times and ranges: nothing but words.
    Result<void> copy_plain(const Value& v, Value* to) {
        std::size_t bytes = Heap::size_of(v.object());
        if (!into_.meter.charge(static_cast<std::int64_t>(bytes / kBytesPerUnit))) return into_.meter.error();
        Object* plain = into_.allocate_object(v.object()->type, bytes);
        if (!plain) return into_.out_of_memory();
        plain->flags = v.object()->flags;
        std::memcpy(static_cast<void*>(plain + 1), v.object() + 1, bytes - sizeof(Object));
        *to = into_.value_of(plain);
        return {};
    }

    Heap& into_;
    ShapeTable& shapes_;
    bool copy_frozen_;
    ScratchStack<Pending> pending_;
    std::unordered_map<const Object*, Bits> copies_; ///< of what may be met again
    std::size_t charged_ = 0;
    std::vector<Object*> keyed_;
};

DeepCopy::DeepCopy(Heap& into, ShapeTable& shapes, bool copy_frozen)
    : copier_(std::make_unique<Copier>(into, shapes, copy_frozen)) {}
DeepCopy::~DeepCopy() = default;

Result<void> DeepCopy::copy(const Value& from, Value* to) { return copier_->run(from, to); }

Result<Value> deep_copy(Heap& into, ShapeTable& shapes, const Value& v, bool copy_frozen) {
    Value result;
    PTC_CHECK(DeepCopy(into, shapes, copy_frozen).copy(v, &result));
    return result;
}

} // namespace ptc
